# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: table
short_description: Format rows as lines of text with aligned columns
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Formats rows as a table. C(ansible.builtin.debug) shows its lines one below the other.
  - Line breaks and other characters that could affect a terminal become spaces.
positional: columns
options:
  _input:
    description: The rows. Each is a dictionary.
    type: list
    elements: dict
    required: true
  columns:
    description: The names of the columns, in order. Columns that are empty in all rows are left out.
    type: list
    elements: str
    required: true
  widest:
    description: The maximum number of characters in a cell. Longer text is cut and ends in an ellipsis.
    type: int
    default: 60
"""

EXAMPLES = r"""
- name: Show two sites
  ansible.builtin.debug:
    msg: "{{ [{'site': 'shop', 'release': 'v2'}, {'site': 'blog', 'release': 'v1'}]
      | hosting.management.table(['site', 'release']) }}"
"""

RETURN = r"""
_value:
  description: The lines. The first contains the names of the columns.
  type: list
  elements: str
  sample: ["site  release", "shop  v2", "blog  v1"]
"""

from collections.abc import Callable

from ..plugin_utils.text_table import table


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"table": table}
