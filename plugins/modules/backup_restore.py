#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: backup_restore
short_description: Restore an environment from a backup
version_added: 0.2.0
description:
  - Restores a backup to an environment, and overwrites what the environment contains. Unless you no longer need that,
    back it up first with M(hosting.management.manual_backup).
  - With O(release), the module restores a backup once for each release, however often the task runs. Without it, the
    module restores the backup on every run. If M(hosting.management.env_push) has pushed to the environment since, the
    backup is restored again.
  - After a restore, no release counts as pushed to the environment. M(hosting.management.env_push) then pushes any
    release, even the one that was there before, and M(hosting.management.release_info) shows the backup instead of a
    release.
  - The journal still knows which releases M(hosting.management.php_restart) and M(hosting.management.cache_clear) ran
    for. Run both after a restore, with a release name of their own as in the example, so that they run again for the
    release that you push next.
  - The module never repeats a restore on its own. If the answer is lost, the task fails. Later runs for the same
    release fail too, until you send the restore again with O(force=true).
  - The restore waits for a push to the environment, another restore or a backup that is in progress, according to the
    journal. If the outcome of a push or of another restore is unknown, the task fails until you settle it with
    M(hosting.management.settle). O(force=true) restores the backup anyway.
  - Requires a service that can restore backups (C(POST /sites/environments/{env_id}/backups/restore), a companion of
    the documented interface).
options:
  backup_id:
    description:
      - The id of the backup, as M(hosting.management.backup_info) lists it.
      - Either this option or O(tag) is required.
    type: int
  tag:
    description:
      - The label of the backup, as given to M(hosting.management.manual_backup). If several backups of the environment
        have this label, the newest is restored.
    type: str
  notified_user_id:
    description:
      - The id of the company user whom the service notifies when the restore has ended. The service requires one.
    type: str
    required: true
  release:
    description:
      - What the backup is restored for, such as the release that is rolled back or the number of an incident. Requires
        the journal.
      - A different backup for the same release is still restored.
    type: str
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.phases
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Take a backup before the release
  hosting.management.manual_backup:
    environment_id: "{{ hosting_environment_id }}"
    tag: before-v2.4.1

- name: Roll back once to the state before the release
  hosting.management.backup_restore:
    environment_id: "{{ hosting_environment_id }}"
    tag: before-v2.4.1
    notified_user_id: d0000000-0000-4000-8000-000000000001
    release: v2.4.1

- name: Restart PHP after the restore
  hosting.management.php_restart:
    environment_id: "{{ hosting_environment_id }}"
    release: back-from-v2.4.1

- name: List the backups
  hosting.management.backup_info:
    environment_id: "{{ hosting_environment_id }}"
  register: listed

- name: Restore the newest backup of any type
  hosting.management.backup_restore:
    environment_id: "{{ hosting_environment_id }}"
    backup_id: "{{ (listed.backups | first).id }}"
    notified_user_id: d0000000-0000-4000-8000-000000000001
    release: incident-4711
"""

RETURN = r"""
backup:
  description: The backup that was restored. With O(backup_id), contains only the id.
  returned: success
  type: dict
  contains:
    id:
      description: The id of the backup.
      type: int
      sample: 1201
    name:
      description: The name that the service gave the backup.
      returned: with O(tag)
      type: str
    tag:
      description: The label of the backup.
      returned: with O(tag)
      type: str
      sample: before-v2.4.1
    note:
      description: The label again, under the name that the service uses for it.
      returned: with O(tag)
      type: str
    type:
      description: The type of the backup.
      returned: with O(tag)
      type: str
      sample: manual
    created_at:
      description: When the backup was taken, in milliseconds since 1970.
      returned: with O(tag)
      type: int
      sample: 1793577600000
    created_at_iso:
      description: The same time in ISO 8601, UTC.
      returned: with O(tag)
      type: str
      sample: "2026-11-02T00:00:00Z"
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
      sample: backups:restore-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
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

from typing import Any

from ..module_utils._answers import Record
from ..module_utils._arguments import (
    ModuleSpec,
    api_options,
    change_options,
    environment_option,
    operation_options,
    phase_options,
    text_option,
    uuid_option,
)
from ..module_utils._backups import backups_of
from ..module_utils._context import Context
from ..module_utils._convergence import once
from ..module_utils._entry import run_module
from ..module_utils._errors import InvalidInput
from ..module_utils._interface import RESTORE_BACKUP
from ..module_utils._phases import begun, in_phases
from ..module_utils._releases import release_of_restore
from ..module_utils._under_way import Kind, Start

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    phase_options(),
    {
        "environment_id": environment_option(),
        "backup_id": {"type": "int"},
        "tag": text_option(required=False),
        "notified_user_id": uuid_option(),
        "release": text_option(required=False),
    },
    mutually_exclusive=[["backup_id", "tag"]],
    required_one_of=[["backup_id", "tag"]],
)


@in_phases
def run(context: Context) -> dict[str, Any]:
    """Put an environment back to a backup (a companion of the interface)."""
    backup = _backup(context)
    part = {"backup_id": backup["id"], "release": context["release"]}
    body = {"backup_id": backup["id"], "notified_user_id": context["notified_user_id"]}
    outcome = once(
        context,
        # That of the pushes. The row that is written before the request leaves makes the pushed release count no more,
        # atomically: were the run killed in between, that costs a repeated push, and never one that is missing.
        subject=("env_push", context["environment_id"]),
        request=RESTORE_BACKUP(env_id=context["environment_id"], body=body),
        release=release_of_restore(backup["id"], context["release"]),
        part=part,
        at_each_run=context["release"] is None,
        start=Start(Kind.RESTORE, context["environment_id"]),
        begun=begun(context),
    )
    return outcome.result(backup=backup)


def _backup(context: Context) -> Record:
    """Return the record of the backup to restore: the newest one with the tag, or no more than its id."""
    if context["backup_id"] is not None:
        return {"id": context["backup_id"]}
    backups = backups_of(context)
    if not backups:
        raise InvalidInput(
            f"The environment {context['environment_id']} has no backup with the tag {context['tag']}. Nothing was"
            " sent. List its backups with hosting.management.backup_info."
        )
    return backups[0]


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
