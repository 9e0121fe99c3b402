#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: env_push
short_description: Push one environment of a site to another
version_added: 0.1.0
description:
  - Copies files, the database, or both from one environment to another, such as from staging to live (C(PUT
    /sites/{site_id}/environments), interface section 4.19).
  - With O(release), the module pushes once for each release, however often the task runs. Without it, the module pushes
    on every run. After M(hosting.management.backup_restore) has restored a backup to the environment, the same release
    is pushed again.
  - A push waits for another push, a restore or a backup that is in progress at the target environment. If the outcome
    of a push or a restore there is unknown, the task fails until you settle it with M(hosting.management.settle).
    O(force=true) pushes anyway.
  - The module never repeats a push on its own. If the answer is lost, the task fails. Later runs for the same release
    fail too, until you record the outcome with M(hosting.management.push_outcome), or send the push again with
    O(force=true).
options:
  site_id:
    description:
      - The id of the site.
    type: str
    required: true
  source_env_id:
    description:
      - The id of the environment to copy from.
    type: str
    required: true
  target_env_id:
    description:
      - The id of the environment to copy to. The push overwrites what is there.
    type: str
    required: true
  push_db:
    description:
      - Whether to push the database. Defaults to the opposite of O(push_files) if that is set, otherwise to V(true).
    type: bool
  push_files:
    description:
      - Whether to push files. Defaults to the opposite of O(push_db) if that is set, otherwise to V(true).
    type: bool
  run_search_and_replace:
    description:
      - Whether to replace the source's domain with the target's in the database. Defaults to V(true) if the database is
        pushed.
    type: bool
  push_files_option:
    description:
      - Whether to push all files, or only those in O(file_list).
    type: str
    choices: [ALL_FILES, SPECIFIC_FILES]
  file_list:
    description:
      - The relative paths of the files or directories to push. Requires O(push_files_option=SPECIFIC_FILES).
    type: list
    elements: str
  release:
    description:
      - The name of what is pushed, such as a version, a tag or a commit. Requires the journal.
    type: str
  requires_backup:
    description:
      - Whether to push only what M(hosting.management.manual_backup) has taken a backup for, with the same O(release).
        If another run has overwritten the environment since that backup was begun, the task fails, and nothing is sent.
        Run both tasks again. Requires O(release). O(force=true) pushes anyway.
    type: bool
    default: false
    version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Push staging to live, once for this release
  hosting.management.env_push:
    site_id: "{{ hosting_site_id }}"
    source_env_id: "{{ hosting_source_environment_id }}"
    target_env_id: "{{ hosting_environment_id }}"
    push_db: true
    push_files: true
    run_search_and_replace: true
    push_files_option: ALL_FILES
    release: v2.4.1

- name: Push only the theme, on every run
  hosting.management.env_push:
    site_id: "{{ hosting_site_id }}"
    source_env_id: "{{ hosting_source_environment_id }}"
    target_env_id: "{{ hosting_environment_id }}"
    push_db: false
    push_files: true
    push_files_option: SPECIFIC_FILES
    file_list:
      - wp-content/themes/storefront
"""

RETURN = r"""
is_pushed:
  description: Whether this task pushed, or would have in check mode. Same as RV(ignore:changed), but not affected by
    C(changed_when).
  returned: success
  type: bool
  sample: true
state_source:
  description:
    - V(journal) if the journal knows the request from an earlier run, V(none) otherwise. The service does not show it.
  returned: success
  type: str
  sample: none
operation:
  description: The operation that the service accepted.
  returned: when the task started an operation, or followed one that an earlier run had started
  type: dict
  contains:
    id:
      description: The id of the operation.
      type: str
      sample: environments:push-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
    state:
      description:
        - V(finished), V(in_progress) (with O(wait=false)), or V(unknown) if the service does not show the operation's
          state.
      type: str
      sample: finished
    message:
      description: The service's message about the operation.
      type: str
    resumed:
      description: Whether an earlier run started the operation, and this task only followed it.
      type: bool
error:
  description: What went wrong, as values for conditions. The human-readable message is in RV(ignore:msg).
  returned: failure
  type: dict
  contains:
    kind:
      description:
        - One of V(invalid_input), V(connection), V(timeout), V(unauthorized), V(not_found), V(bad_request),
          V(rate_limited), V(service), V(malformed_response), V(operation_failed), V(operation_timeout),
          V(check_failed), V(outcome_unknown), V(journal), V(missing_library), V(unexpected).
      type: str
      sample: unauthorized
    status:
      description: The HTTP status of the answer, if there was one.
      type: int
    is_offered:
      description: Whether the service offers the endpoint, as far as its answer tells. V(false) where it has no such
        endpoint, or none that the key's user may read.
      type: bool
    message:
      description: The service's own message, if it sent one.
      type: str
    method:
      description: The HTTP method of the failed request.
      type: str
    path:
      description: The path of the failed request, relative to O(base_url).
      type: str
    operation_id:
      description: The id of the operation concerned, if there is one.
      type: str
"""

from functools import partial

from ..module_utils._arguments import (
    ModuleSpec,
    Option,
    api_options,
    change_options,
    operation_options,
    text_option,
    uuid_option,
)
from ..module_utils._checks import checked_relative_paths
from ..module_utils._convergence import once
from ..module_utils._entry import run_module
from ..module_utils._errors import InvalidInput
from ..module_utils._interface import PUSH_ENVIRONMENT
from ..module_utils._release_backups import require_backup
from ..module_utils._under_way import Kind, Start


def _complete_push(params):
    """Refuse what makes no sense, and say whether to push files and database, lest the service decides."""
    if params["requires_backup"] and params["release"] is None:
        raise InvalidInput("requires_backup needs a release, which the backup was taken for. Nothing was sent.")
    if params["source_env_id"] == params["target_env_id"]:
        raise InvalidInput("source_env_id and target_env_id are the same environment. Nothing was sent.")
    if params["push_files_option"] == "SPECIFIC_FILES" and not params["file_list"]:
        raise InvalidInput("push_files_option: SPECIFIC_FILES needs a file_list that is not empty. Nothing was sent.")
    if params["file_list"] and params["push_files_option"] != "SPECIFIC_FILES":
        raise InvalidInput("file_list needs push_files_option: SPECIFIC_FILES. Nothing was sent.")
    if params["push_db"] is None:
        params["push_db"] = not params["push_files"]
        if params["push_files"] is None:
            params["push_files"] = True
    elif params["push_files"] is None:
        params["push_files"] = not params["push_db"]
    if not params["push_db"] and not params["push_files"]:
        raise InvalidInput("push_db and push_files are both false, so there is nothing to push. Nothing was sent.")
    if params["push_files_option"] and not params["push_files"]:
        raise InvalidInput("push_files_option needs push_files: true. Nothing was sent.")
    if params["run_search_and_replace"] is None:
        params["run_search_and_replace"] = params["push_db"]


SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    {
        "site_id": uuid_option(),
        "source_env_id": uuid_option(),
        "target_env_id": uuid_option(),
        "push_db": {"type": "bool"},
        "push_files": {"type": "bool"},
        "run_search_and_replace": {"type": "bool"},
        "push_files_option": {"type": "str", "choices": ["ALL_FILES", "SPECIFIC_FILES"]},
        "file_list": Option(checked_relative_paths, type="list", elements="str"),
        "release": text_option(required=False),
        "requires_backup": {"type": "bool", "default": False},
    },
    rule=_complete_push,
)


def run(context):
    """Push one environment of a site to another (interface section 4.19)."""
    body = context.given(
        "source_env_id",
        "target_env_id",
        "push_db",
        "push_files",
        "run_search_and_replace",
        "push_files_option",
        "file_list",
    )
    is_guarded = context["requires_backup"] and not context.force
    outcome = once(
        context,
        subject=("env_push", context["target_env_id"]),
        request=PUSH_ENVIRONMENT(site_id=context["site_id"], body=body),
        release=context["release"],
        part=_part(body),
        at_each_run=context["release"] is None,
        start=Start(Kind.PUSH, context["target_env_id"]),
        prepare=partial(require_backup, context, context["target_env_id"], context["release"]) if is_guarded else None,
    )
    return outcome.result(is_pushed=outcome.changed)


def _part(body):
    """Return what of a release the push brings, in one form for all ways to say the same."""
    part = {name: value for name, value in body.items() if name not in ("target_env_id", "push_files_option")}
    part["file_list"] = sorted(set(body.get("file_list") or ()))
    return part


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
