# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_lock_problems
short_description: Find what is wrong with the variables of a lock
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Checks the variables of the playbook C(hosting.management.deploy_lock) before anything is written.
positional: groups
options:
  _input:
    description:
      - What P(hosting.management.role_variables#lookup) returns for the role P(hosting.management.deploy#role), with
        C(_raw_params) as C(also).
    type: dict
    required: true
  groups:
    description:
      - The hosts of the inventory by their groups, as in C(groups).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Stop if nothing would be locked
  ansible.builtin.assert:
    that: read | hosting.management.deploy_lock_problems(groups) | length == 0
"""

RETURN = r"""
_value:
  description: A sentence for each problem.
  type: list
  elements: str
"""

from collections.abc import Callable

from ..plugin_utils.deployment_settings import problems_of_lock


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_lock_problems": problems_of_lock}
