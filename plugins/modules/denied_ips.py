#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: denied_ips
short_description: Manage the denied IP addresses of an environment
version_added: 0.1.0
description:
  - Sets which addresses are denied access to an environment (C(PUT /sites/tools/denied-ips), interface section 4.4).
  - Lists are compared in canonical form, so order, duplicates and notation make no difference.
options:
  ip_list:
    description:
      - IPv4 addresses, IPv4 networks in CIDR notation, or IPv6 addresses.
    type: list
    elements: str
    required: true
  state:
    description:
      - V(present) denies the addresses in O(ip_list), V(absent) allows them again.
    type: str
    choices: [present, absent]
    default: present
  exclusive:
    description:
      - With O(state=present), whether O(ip_list) is the complete list. If so, addresses that are not in it are allowed
        again, and an empty list allows all addresses.
      - With V(false), adds the addresses to those already denied. This and O(state=absent) require a service that shows
        the list.
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
- name: Deny exactly these addresses
  hosting.management.denied_ips:
    environment_id: "{{ hosting_environment_id }}"
    ip_list:
      - 198.51.100.7
      - 203.0.113.0/24
      - 2001:db8::bad

- name: Deny one more address, and keep the others
  hosting.management.denied_ips:
    environment_id: "{{ hosting_environment_id }}"
    ip_list: [192.0.2.44]
    exclusive: false

- name: Allow that address again
  hosting.management.denied_ips:
    environment_id: "{{ hosting_environment_id }}"
    ip_list: [192.0.2.44]
    state: absent
"""

RETURN = r"""
denied_ips:
  description: The addresses that are now denied, in canonical form and sorted.
  returned: success
  type: list
  elements: str
  sample: [198.51.100.7, 203.0.113.0/24, "2001:db8::bad"]
state_source:
  description:
    - Where the module found the current state. V(service) if it read the state from the service, V(journal) if the
      service does not show it but the journal records what was last accepted, V(none) if neither knows it.
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
from ..module_utils._parts.denied_ips import OPTIONS, run

SPEC = ModuleSpec(api_options(), change_options(), {"environment_id": environment_option()}, OPTIONS)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
