# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: access_due
short_description: Determine whose role in the company is to be set now
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Tells which roles P(hosting.management.access#role) has to set, from what the journal says of them.
positional: _input
options:
  _input:
    description:
      - The results of a task that sets roles in check mode, each with the element of the plan that it is about.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Show whose role is to be set
  ansible.builtin.debug:
    msg: "{{ predicted.results | hosting.management.access_due | map(attribute='user') }}"
"""

RETURN = r"""
_value:
  description: The elements whose role is to be set, and those of which that is not known.
  type: list
  elements: dict
"""

from collections.abc import Callable

from ..plugin_utils.access import due_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"access_due": due_of}
