# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_next
short_description: Tell what comes next for a wave of environments
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Tells the playbook of the role P(hosting.management.maintain#role) what is left to do at a wave of environments, so
    that no task comes to hosts only to find nothing.
positional: most_failures, check_mode
options:
  _input:
    description:
      - The C(maintain_result) of each host of the wave. Empty for a host that was not looked at.
    type: list
    elements: dict
    required: true
  most_failures:
    description:
      - The percentage of hosts that may fail before no other wave is begun.
    type: float
    required: true
  check_mode:
    description:
      - Whether nothing is to be changed.
    type: bool
    required: true
"""

EXAMPLES = r"""
- name: End the wave if nothing is left to do
  ansible.builtin.meta: end_batch
  when: not (results | hosting.management.maintenance_next(100, ansible_check_mode)).updates
  vars:
    results: "{{ ansible_play_batch | map('extract', hostvars) | map(attribute='maintain_result', default={}) }}"
"""

RETURN = r"""
_value:
  description:
    - C(waits) tells whether something that a host has begun goes on, C(stops) whether too many hosts have failed, and
      C(updates) whether there is something to update or to take back.
  type: dict
  sample: {waits: false, stops: false, updates: true}
"""

from collections.abc import Callable

from ..plugin_utils.maintenance import next_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"maintenance_next": next_of}
