#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: manual_backup
short_description: Take a backup of an environment
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
options:
  tag:
    description:
      - The label of the backup.
    type: str
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
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
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
"""

RETURN = r"""
backup:
  description: The backup. Contains only the tag if the service does not show backups, if none of O(tag), O(max_age) and
    O(newer_than) is set, with O(wait=false), and in check mode if a backup is due.
  returned: success
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

from ..module_utils._arguments import ModuleSpec, api_options, change_options, environment_option, operation_options
from ..module_utils._entry import run_module
from ..module_utils._parts.backup import CONSTRAINTS, OPTIONS, run

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    {"environment_id": environment_option()},
    OPTIONS,
    **CONSTRAINTS,
)


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
