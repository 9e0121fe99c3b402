# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_problems
short_description: Find what is missing or misspelled in the variables of a deployment
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Checks the variables of the role P(hosting.management.deploy#role) for a host, before anything is sent.
positional: host
options:
  _input:
    description:
      - The variables of the role that are set, by their names.
    type: dict
    required: true
  host:
    description:
      - The name of the host.
    type: str
    required: true
  options:
    description:
      - What the variables have to be, as in an argument spec. Leave it out for a rollback.
    type: dict
  waves:
    description:
      - What the playbook makes of C(deploy_serial). C(sizes) are the sizes of the waves, and C(are_in_force) tells
        whether Ansible uses them.
    type: dict
"""

EXAMPLES = r"""
- name: Stop if something is missing
  ansible.builtin.assert:
    that: given | hosting.management.deploy_problems(inventory_hostname) | length == 0
"""

RETURN = r"""
_value:
  description: A sentence for each problem.
  type: list
  elements: str
  sample:
    - "shop-live lacks deploy_release, the name of the release (-e deploy_release=v1.2.3)."
"""

from ..plugin_utils.deployment_plan import problems_of


class FilterModule:
    def filters(self):
        return {"deploy_problems": deploy_problems}


def deploy_problems(given, host, options=None, waves=None):
    return problems_of(given, host, options=options, waves=waves)
