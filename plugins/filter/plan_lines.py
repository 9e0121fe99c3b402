# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: plan_lines
short_description: Format a plan as lines of text
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Formats the plan of a run in check mode as a table. Environments with equal changes are in one line.
positional: _input
options:
  _input:
    description: The plan, as the C(plan) of the summary of P(hosting.management.maintain#role).
    type: dict
    required: true
  details:
    description: Whether each value that is added or removed has a line.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Show what would be done
  ansible.builtin.debug:
    msg: "{{ summary.plan | hosting.management.plan_lines }}"
"""

RETURN = r"""
_value:
  description: The lines. The first contains the names of the columns.
  type: list
  elements: str
"""

from collections.abc import Callable
from typing import Any

from ..plugin_utils.plain_values import plain
from ..plugin_utils.plan import lines_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"plan_lines": plan_lines}


def plan_lines(plan: Any, details: bool = False) -> list[str]:
    return lines_of(plain(plan), details=bool(details))
