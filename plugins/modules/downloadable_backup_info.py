#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: downloadable_backup_info
short_description: Show when the next downloadable backup is available
version_added: 0.1.0
description:
  - Shows whether a downloadable backup is available now, and when the next one will be (C(GET
    /sites/environments/{env_id}/next-downloadable-backup-available), interface section 4.15).
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Find out when a backup can be downloaded
  hosting.management.downloadable_backup_info:
    environment_id: "{{ hosting_environment_id }}"
  register: next_backup

- name: Show when
  ansible.builtin.debug:
    msg: "{{ 'now' if next_backup.is_backup_available else next_backup.reset_at }}"
"""

RETURN = r"""
is_backup_available:
  description: Whether a downloadable backup is available now.
  returned: success
  type: bool
  sample: false
reset_at:
  description: When the next one is available, in the service's own format. Null if the service gives no time.
  returned: success
  type: str
  sample: Nov 26, 2026, 10:04 AM UTC
reset_at_iso:
  description: The same time in ISO 8601, UTC. Null if the service gives no time, or if its format is unknown.
  returned: success
  type: str
  sample: "2026-11-26T10:04:00Z"
answer:
  description: The service's answer, unchanged.
  returned: success
  type: dict
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
from ..module_utils._readings.downloads import OPTIONS, run

SPEC = ModuleSpec(api_options(), {"environment_id": environment_option()}, OPTIONS)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
