# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: access_guard
short_description: Determine whether roles may be taken from people
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Tells whether the company certainly has an administrator, so that P(hosting.management.access#role) may set the
    other roles.
positional: _input, administrators, trusts
options:
  _input:
    description: The result of P(hosting.management.access_plan#filter).
    type: dict
    required: true
  administrators:
    description: The results of the tasks that set the administrators.
    type: list
    elements: dict
    required: true
  trusts:
    description: The variable O(hosting.management.access#role:main:access_trust_administrators).
    type: bool
    required: true
"""

EXAMPLES = r"""
- name: Determine whether the other roles may be set
  ansible.builtin.set_fact:
    why_not: "{{ plan | hosting.management.access_guard(administrators.results, false) }}"
"""

RETURN = r"""
_value:
  description: Why the other roles must not be set, or an empty text if they may.
  type: str
"""

from collections.abc import Callable

from ..plugin_utils.access import guard_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"access_guard": guard_of}
