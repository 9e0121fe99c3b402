#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: manual_backup
short_description: Take a backup of an environment, or remove older ones
version_added: 0.1.0
description:
  - Takes a manual backup (C(POST /sites/environments/{env_id}/manual-backups), interface section 4.10).
  - With O(tag), takes one backup for each tag. If the service shows the backups, the module looks for a manual backup
    whose note is the tag. Otherwise, it relies on the journal.
  - With O(max_age), older backups do not count, so the task takes a new one if none is recent enough. With
    O(newer_than), backups taken before that time do not count.
  - Without any of these options, takes a backup on every run.
  - The backup begins when nothing overwrites the environment, so the task waits for a push, a restore or another backup
    that is in progress. If the outcome of a push or a restore is unknown, it fails until you settle it with
    M(hosting.management.settle). O(force=true) takes the backup anyway.
  - With O(state=absent), removes backups (C(DELETE /sites/environments/backups/{backup_id}), a companion of the
    documented interface), by their id, by their tag, or all but those to O(keep). With O(keep) alone, makes room right
    before it takes the next backup. A service may keep only a few manual backups, and refuse another one.
  - Only backups that this collection has taken with a tag are removed, as far as the journal knows. Never removed are
    the newest of them, the ones from before the current release and the release before that, those that a restore may
    need that has not ended, and any at all while the outcome of a push or a restore at the environment is open.
    O(force) changes nothing about that.
  - A removal is never repeated on its own. If its answer is lost, the next run looks whether the backup is still there.
options:
  state:
    description:
      - V(present) takes a backup, V(absent) removes backups.
    type: str
    choices: [present, absent]
    default: present
    version_added: 0.2.0
  tag:
    description:
      - The label of the backup. With O(state=absent), all backups with this label are removed. If one of them must
        stay, the task fails, and removes none.
    type: str
  backup_id:
    description:
      - The id of the backup to remove, as M(hosting.management.backup_info) lists it. Requires O(state=absent).
    type: int
    version_added: 0.2.0
  keep:
    description:
      - How many of the backups to keep, such as V(3), or for how long, such as V(14d) (with one of the units s, m, h, d
        and w). Older ones are removed.
      - With O(state=present), they are removed right before a backup is taken, and only then, so that with the new one
        there are no more than this number. The task waits for the end of that, also with O(wait=false). Where the
        service does not show or remove backups, the task warns, and takes the backup.
      - What must stay stays, so there may be more. RV(kept) says why.
    type: str
    version_added: 0.2.0
  tag_pattern:
    description:
      - Which backups O(keep) is about, by a pattern for their tags, such as V(before-*). By default, all that this
        collection has taken.
    type: str
    version_added: 0.2.0
  max_age:
    description:
      - The maximum age of a backup that counts, in seconds or with one of the units s, m, h, d and w, such as V(15m),
        V(24h) or V(7d).
      - Without O(tag), any manual backup counts.
    type: str
  newer_than:
    description:
      - The time before which backups do not count, in ISO 8601, such as the time of the last push. Without an offset,
        UTC is assumed. Mutually exclusive with O(max_age).
    type: str
  release:
    description:
      - The release that the backup is taken for, before M(hosting.management.env_push) pushes it. The journal keeps
        which backup is the one from before this release; M(hosting.management.release_info) shows it.
      - A backup on record counts as long as nothing else was pushed or restored since, and it is not older than
        O(max_age). It also counts once the release has been pushed, because a new backup would hold the release
        itself; and after a push of the release that failed, it counts however old it is. In all other cases a new
        backup is taken. No clock of the service has a part in this.
      - Before a push that is forced, take a new one with O(max_age=1), as the role P(hosting.management.deploy#role)
        does.
      - Requires O(tag).
    type: str
    version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.phases
  - hosting.management.attributes
attributes:
  diff_mode:
    support: partial
    description: Returns what has changed, or would change in C(check_mode), when C(diff) is on.
    details: Only with O(state=absent). A backup that is taken has no state to compare.
"""

EXAMPLES = r"""
- name: Take a backup once before the release
  hosting.management.manual_backup:
    environment_id: "{{ hosting_environment_id }}"
    tag: before-v2.4.1

- name: Make sure that there is a manual backup from the last 24 hours
  hosting.management.manual_backup:
    environment_id: "{{ hosting_environment_id }}"
    max_age: 24h

- name: Keep three backups of releases, and take the next one
  hosting.management.manual_backup:
    environment_id: "{{ hosting_environment_id }}"
    tag: before-v2.4.2
    keep: 4
    tag_pattern: before-*

- name: Remove what is older than two weeks
  hosting.management.manual_backup:
    environment_id: "{{ hosting_environment_id }}"
    state: absent
    keep: 14d

- name: Remove the backup from before a release of last year
  hosting.management.manual_backup:
    environment_id: "{{ hosting_environment_id }}"
    state: absent
    tag: before-v1.9.0
"""

RETURN = r"""
backup:
  description: The backup. Contains only the tag if the service does not show backups, if none of O(tag), O(max_age) and
    O(newer_than) is set, with O(wait=false), and in check mode if a backup is due.
  returned: with O(state=present)
  type: dict
  contains:
    tag:
      description: The label of the backup.
      type: str
      sample: before-v2.4.1
    id:
      description: The id of the backup.
      returned: when the service shows it
      type: int
      sample: 1201
    note:
      description: The label again, under the name that the service uses for it.
      returned: when the service shows it
      type: str
    name:
      description: The name that the service gave the backup.
      returned: when the service shows it
      type: str
    type:
      description: The type of the backup.
      returned: when the service shows it
      type: str
      sample: manual
    created_at:
      description: When the backup was taken, in milliseconds since 1970.
      returned: when the service shows it
      type: int
      sample: 1793577600000
    created_at_iso:
      description: The same time in ISO 8601, UTC.
      returned: when the service shows it
      type: str
      sample: "2026-11-02T00:00:00Z"
is_taken:
  description: Whether the task took a backup, or would have in check mode. With O(started), whether the earlier task
    did, which RV(ignore:changed) does not tell.
  returned: with O(state=present)
  type: bool
  sample: true
removed:
  description: The backups that the task removed, or would have in check mode, newest first, each as RV(backup).
  returned: with O(state=absent) or O(keep), and on failure if there are any
  type: list
  elements: dict
  sample: [{id: 1187, tag: before-v2.3.0, note: before-v2.3.0, type: manual, created_at: 1793577600000,
    created_at_iso: "2026-11-02T00:00:00Z"}]
kept:
  description: The backups that O(keep) would remove and that stay, newest first, each as RV(backup).
  returned: with O(state=absent)
  type: list
  elements: dict
  contains:
    id:
      description: The id of the backup.
      type: int
      sample: 1187
    tag:
      description: The label of the backup.
      type: str
      sample: before-v2.3.0
    reason:
      description: Why the backup stays.
      type: str
      sample: it is the one from before v2.3.0
operations:
  description: The operations of O(state=absent) that the service accepted, each with C(backup_id) and what
    RV(operation) has.
  returned: with O(state=absent)
  type: list
  elements: dict
state_source:
  description:
    - Where the module found the current state. V(service) if it read the state from the service, V(journal) if the
      service does not show it but the journal records what was last accepted, V(none) if neither knows it.
  returned: success
  type: str
  sample: service
operation:
  description: The operation that the service accepted.
  returned: when the task started an operation, or followed one that an earlier run had started
  type: dict
  contains:
    id:
      description: The id of the operation.
      type: str
      sample: backups:add-manual-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
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

from ..module_utils._arguments import (
    ModuleSpec,
    api_options,
    change_options,
    environment_option,
    operation_options,
    phase_options,
)
from ..module_utils._backup_removals import removal_of
from ..module_utils._context import Context
from ..module_utils._entry import run_module
from ..module_utils._errors import InvalidInput
from ..module_utils._parts import backup
from ..module_utils._parts.backup import CONSTRAINTS, OPTIONS
from ..module_utils._phases import in_phases


def _check_state(params: dict[str, Any]) -> None:
    """Refuse what belongs to the other state, and a removal that names nothing, or too much."""
    is_removal = params["state"] == "absent"
    foreign = ("max_age", "newer_than", "release", "started") if is_removal else ("backup_id",)
    given = [name for name in foreign if params[name] is not None]
    if is_removal and params["wait_until"] != "ended":
        given.append("wait_until")
    if given:
        raise InvalidInput(f"state: {params['state']} goes without {' and '.join(given)}. Nothing was sent.")
    naming = [name for name in ("backup_id", "tag", "keep") if params[name] is not None]
    if is_removal and len(naming) != 1:
        raise InvalidInput(
            "state: absent needs one of backup_id, tag and keep, which say what is removed"
            f"{', and not ' + ' and '.join(naming) if naming else ''}. Nothing was sent."
        )
    if params["tag_pattern"] is not None and params["keep"] is None:
        raise InvalidInput("tag_pattern needs keep. Nothing was sent.")


SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    phase_options(),
    {
        "environment_id": environment_option(),
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "backup_id": {"type": "int"},
    },
    OPTIONS,
    **CONSTRAINTS,
    rule=_check_state,
)


@in_phases
def run(context: Context) -> dict[str, Any]:
    """Take a backup of an environment, or remove backups."""
    return backup.run(context) if context["state"] == "present" else removal_of(context)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
