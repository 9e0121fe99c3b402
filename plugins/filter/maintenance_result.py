# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_result
short_description: Summarize the maintenance of one environment
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Sums up, from the results that the tasks of the role P(hosting.management.maintain#role) registered, what was done,
    what failed, and what you should know. The role returns this as C(maintain_result).
positional: settings
options:
  _input:
    description: The results of the tasks, by the names of the findings.
    type: dict
    required: true
  settings:
    description: The settings of the tasks, as the role keeps them in C(__maintain_settings).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Keep the result for the environment
  ansible.builtin.set_fact:
    maintain_result: "{{ __maintain_results | hosting.management.maintenance_result(__maintain_settings) }}"
"""

RETURN = r"""
_value:
  description: The result for the environment.
  type: dict
"""

from ..plugin_utils.maintenance import result_of


class FilterModule:
    def filters(self):
        return {"maintenance_result": result_of}
