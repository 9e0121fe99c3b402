# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_result
short_description: What became of an environment that was maintained
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Tells from what the tasks of the role P(hosting.management.maintain#role) have registered what was done, what
    failed, and what a person should know. It is what the role returns as C(maintain_result).
positional: settings
options:
  _input:
    description: The results of the tasks, by the names that findings have.
    type: dict
    required: true
  settings:
    description: What the tasks were asked for, as the role has it in C(__maintain_settings).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Remember what became of the environment
  ansible.builtin.set_fact:
    maintain_result: "{{ __maintain_results | hosting.management.maintenance_result(__maintain_settings) }}"
"""

RETURN = r"""
_value:
  description: What became of the environment.
  type: dict
"""

from ..plugin_utils.maintenance import result_of


class FilterModule:
    def filters(self):
        return {"maintenance_result": result_of}
