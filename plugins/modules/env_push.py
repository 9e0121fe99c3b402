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
  backup:
    description:
      - A backup for the same O(release) that an earlier task has begun, a dictionary with C(started), C(ended) and
        C(pause_when_unknown) as in M(hosting.management.manual_backup). The task brings it to its end before it pushes,
        as a task of that module would. If the backup fails, nothing is pushed.
    type: raw
    version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.phases
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
backup:
  description: The backup of O(backup), as M(hosting.management.manual_backup) returns it.
  returned: if O(backup) is given, when the backup was taken
  type: dict
failed_step:
  description: V(backup) if the task failed because of the backup of O(backup).
  returned: in that case
  type: str
  sample: backup
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
  description:
    - What went wrong, as values for conditions. The human-readable message is in RV(ignore:msg).
    - L(When something fails,https://github.com/hosting-management/hosting.management/blob/main/docs/failures.md)
      says which kinds there are, what to do about each, and what else the values tell.
  returned: failure
  type: dict
  contains:
    kind:
      description: What kind of failure it was.
      type: str
      sample: unauthorized
"""

from ..module_utils._arguments import ModuleSpec, api_options, change_options, operation_options, phase_options
from ..module_utils._entry import run_module
from ..module_utils._phases import in_phases
from ..module_utils._pushes import OPTIONS, TARGET, complete, push

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    phase_options(),
    OPTIONS,
    TARGET,
    rule=complete,
)

run = in_phases(push)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
