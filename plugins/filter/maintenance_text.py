# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_text
short_description: Tell people what the maintenance did, and what needs attention
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Formats the summary of the role P(hosting.management.maintain#role) as lines of text.
positional: plan_file
options:
  _input:
    description:
      - What P(hosting.management.maintenance_summary#filter) returned.
    type: dict
    required: true
  plan_file:
    description:
      - The file that the plan was written to, if there is one.
    type: str
    default: ""
  plan_details:
    description:
      - Whether each value that the plan adds or removes has a line.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Report what was done, and what needs attention
  ansible.builtin.debug:
    msg: "{{ summary | hosting.management.maintenance_text }}"
"""

RETURN = r"""
_value:
  description: The lines.
  type: list
  elements: str
  sample:
    - environment  done         needs a person
    - "shop-live    plugins: example-forms 2.5.0"
    - "1 environment: 1 changed, 0 had nothing to do, 0 need a person."
"""

from collections.abc import Callable

from ..plugin_utils.maintenance_text import text_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"maintenance_text": text_of}
