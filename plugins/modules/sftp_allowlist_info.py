#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: sftp_allowlist_info
short_description: List the addresses that may use SFTP and SSH
version_added: 0.1.0
description:
  - Lists the IP addresses that may connect to an environment over SFTP and SSH (C(GET
    /sites/environments/{env_id}/ssh/get-allowed-ips), interface section 4.16).
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: List the addresses that may use SFTP and SSH
  hosting.management.sftp_allowlist_info:
    environment_id: "{{ hosting_environment_id }}"
  register: allowed

- name: Warn if all addresses are allowed
  ansible.builtin.debug:
    msg: SFTP and SSH are open to all addresses
  when: allowed.sftp_ip_allowlist | length == 0
"""

RETURN = r"""
sftp_ip_allowlist:
  description: The addresses, as the service returns them. If the list is empty, all addresses are allowed.
  returned: success
  type: list
  elements: str
  sample: [198.51.100.20]
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
from ..module_utils._readings.sftp import OPTIONS, run

SPEC = ModuleSpec(api_options(), {"environment_id": environment_option()}, OPTIONS)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
