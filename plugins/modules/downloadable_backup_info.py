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

from ..module_utils._arguments import ModuleSpec, api_options, environment_option
from ..module_utils._entry import run_module
from ..module_utils._readings.downloads import OPTIONS, run

SPEC = ModuleSpec(api_options(), {"environment_id": environment_option()}, OPTIONS)


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
