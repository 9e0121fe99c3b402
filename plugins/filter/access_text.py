# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: access_text
short_description: Tell people who has access, and what needs attention
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Formats the summary of the role P(hosting.management.access#role) as lines of text.
positional: plan_file
options:
  _input:
    description:
      - What P(hosting.management.access_summary#filter) returned.
    type: dict
    required: true
  plan_file:
    description:
      - The file that the plan was written to, if there is one.
    type: str
    default: ""
"""

EXAMPLES = r"""
- name: Report who has access, and what needs attention
  ansible.builtin.debug:
    msg: "{{ access_summary | hosting.management.access_text }}"
"""

RETURN = r"""
_value:
  description: The lines.
  type: list
  elements: str
  sample:
    - "Roles: 2, 0 set now."
    - Nothing needs your attention.
"""

from collections.abc import Callable

from ..plugin_utils.access_text import text_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"access_text": text_of}
