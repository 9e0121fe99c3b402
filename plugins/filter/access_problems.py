# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: access_problems
short_description: Find problems in the variables of the role access
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Checks the variables of the role P(hosting.management.access#role) before anything is sent. A list of roles that
    leaves no known administrator is one such problem.
  - Reads what was requested for a host from its fact C(__access_asked).
positional: _input, hostvars
options:
  _input:
    description: The names of the hosts.
    type: list
    elements: str
    required: true
  hostvars:
    description: The variables of all hosts, as in Ansible's C(hostvars).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Stop if the variables have problems
  ansible.builtin.assert:
    that: ansible_play_hosts | hosting.management.access_problems(hostvars) | length == 0
"""

RETURN = r"""
_value:
  description: A sentence for each problem.
  type: list
  elements: str
  sample: [access_roles must be a list.]
"""

from ..plugin_utils.access import problems_of


class FilterModule:
    def filters(self):
        return {"access_problems": access_problems}


def access_problems(hosts, hostvars):
    # Where hosts do not wait for each other, some may not have got so far.
    asked = {str(host): hostvars[host].get("__access_asked") for host in hosts}
    return problems_of({host: one for host, one in asked.items() if one})
