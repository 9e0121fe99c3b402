# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: access_plan
short_description: Determine whose role in the company to set
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Finds the ids of the users whose company role P(hosting.management.access#role) sets, and reports the users that it
    cannot find.
positional: _input, other_administrators, listing
options:
  _input:
    description: The list O(hosting.management.access#role:main:access_roles).
    type: list
    elements: dict
    required: true
  other_administrators:
    description: The list O(hosting.management.access#role:main:access_other_administrators).
    type: list
    elements: str
    required: true
  listing:
    description: The result of the task that lists the users of the company. Empty if that task did not run.
    type: dict
    required: true
  planned:
    description: The file with the plan that the run is held to. Empty without one.
    type: path
    default: ""
"""

EXAMPLES = r"""
- name: Find the ids of the users
  ansible.builtin.set_fact:
    plan: "{{ access_roles | hosting.management.access_plan([], users) }}"
"""

RETURN = r"""
_value:
  description: >-
    C(roles), each with C(user), C(user_id), C(email), C(role) and C(problem), the C(other_administrators), and the
    addresses of the company's C(users). If the service does not show them, C(users) is null, and C(users_not_shown) or
    C(users_problem) says why.
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.access import plan_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"access_plan": plan_of}
