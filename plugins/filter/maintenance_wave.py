# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_wave
short_description: Find the environments that one task waits for
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Finds for P(hosting.management.maintain#role) the environments of a wave at which something goes on that their own
    task has begun, or has to wait for.
positional: results
options:
  _input:
    description: What P(hosting.management.maintain_host#lookup) has returned for each environment.
    type: list
    elements: dict
    required: true
  results:
    description: What became of the same task of each, in the same order. Empty where it has not been run.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: List the environments to wait for
  ansible.builtin.debug:
    msg: "{{ (settings | hosting.management.maintenance_wave(results)).ids }}"
"""

RETURN = r"""
_value:
  description: The C(ids) of the environments, their C(names) by id, and the longest C(wait_timeout).
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.maintenance import wave_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"maintenance_wave": wave_of}
