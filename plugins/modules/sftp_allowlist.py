#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: sftp_allowlist
short_description: Manage the addresses that may use SFTP and SSH
version_added: 0.2.0
description:
  - Sets which addresses may connect to an environment over SFTP and SSH.
  - Lists are compared in canonical form, so order, duplicates and notation make no difference.
  - Requires a service that can set the list (C(POST /sites/environments/{env_id}/ssh/set-allowed-ips), a companion of
    the documented interface). The list is read as in interface section 4.16.
options:
  ip_allowlist:
    description:
      - IPv4 addresses, IPv4 networks in CIDR notation, or IPv6 addresses.
    type: list
    elements: str
    required: true
  state:
    description:
      - V(present) allows the addresses in O(ip_allowlist), V(absent) removes them from the list.
      - Because an empty list allows all addresses, V(absent) refuses to remove the last one.
    type: str
    choices: [present, absent]
    default: present
  exclusive:
    description:
      - With O(state=present), whether O(ip_allowlist) is the complete list. If so, addresses that are not in it lose
        access, and an empty list allows all addresses.
      - With V(false), adds the addresses to those already on the list. If the list was empty, they become the only ones
        allowed.
    type: bool
    default: true
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.change
  - hosting.management.attributes
  - hosting.management.attributes.diff
"""

EXAMPLES = r"""
- name: Allow exactly these addresses
  hosting.management.sftp_allowlist:
    environment_id: "{{ hosting_environment_id }}"
    ip_allowlist:
      - 198.51.100.20
      - 203.0.113.0/24
      - 2001:db8::20

- name: Allow one more address, and keep the others
  hosting.management.sftp_allowlist:
    environment_id: "{{ hosting_environment_id }}"
    ip_allowlist: [192.0.2.44]
    exclusive: false

- name: Remove that address again
  hosting.management.sftp_allowlist:
    environment_id: "{{ hosting_environment_id }}"
    ip_allowlist: [192.0.2.44]
    state: absent
"""

RETURN = r"""
sftp_ip_allowlist:
  description: The addresses that are now allowed, in canonical form and sorted. If the list is empty, all addresses are
    allowed.
  returned: success
  type: list
  elements: str
  sample: [198.51.100.20, 203.0.113.0/24, "2001:db8::20"]
state_source:
  description:
    - Where the module found the current state. Always V(service), because the documented interface shows it.
  returned: success
  type: str
  sample: service
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

from ..module_utils._arguments import ModuleSpec, api_options, change_options, environment_option
from ..module_utils._entry import run_module
from ..module_utils._parts.sftp_allowlist import OPTIONS, run

SPEC = ModuleSpec(api_options(), change_options(), {"environment_id": environment_option()}, OPTIONS)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
