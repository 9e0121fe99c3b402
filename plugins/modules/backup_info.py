#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: backup_info
short_description: List the backups of an environment
version_added: 0.2.0
description:
  - Lists the backups of an environment, newest first.
  - Requires a service that lists them (C(GET /sites/environments/{env_id}/backups), a companion of the documented
    interface).
options:
  type:
    description:
      - The type of the backups to list, such as V(manual). By default, all types are listed.
    type: str
  tag:
    description:
      - The label of the backups to list, as given to M(hosting.management.manual_backup).
    type: str
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: List the manual backups
  hosting.management.backup_info:
    environment_id: "{{ hosting_environment_id }}"
    type: manual
  register: manual

- name: Show when the newest one was taken
  ansible.builtin.debug:
    msg: "The newest manual backup is of {{ (manual.backups | first).created_at_iso }}."
  when: manual.backups | length > 0
"""

RETURN = r"""
backups:
  description: The backups, newest first.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id of the backup.
      type: int
      sample: 1201
    name:
      description: The name that the service gave the backup.
      type: str
    tag:
      description: The label of a manual backup, or null.
      type: str
      sample: before-v2.4.1
    note:
      description: The label again, under the name that the service uses for it.
      type: str
    type:
      description: The type of the backup.
      type: str
      sample: manual
    created_at:
      description: When the backup was taken, in milliseconds since 1970.
      type: int
      sample: 1793577600000
    created_at_iso:
      description: The same time in ISO 8601, UTC.
      type: str
      sample: "2026-11-02T00:00:00Z"
    age:
      description: How long ago that was, in seconds, by the clock of the service.
      type: int
      sample: 86400
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

from ..module_utils._arguments import ModuleSpec, api_options, environment_option
from ..module_utils._entry import run_module
from ..module_utils._readings.backups import OPTIONS, run

SPEC = ModuleSpec(api_options(), {"environment_id": environment_option()}, OPTIONS)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
