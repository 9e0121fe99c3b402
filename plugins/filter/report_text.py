# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: report_text
short_description: Tell people what a report has, and what is missing
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Formats what the role P(hosting.management.report#role) says at the end as lines of text.
positional: files, check_mode
options:
  _input:
    description:
      - What P(hosting.management.report_document#filter) returned.
    type: dict
    required: true
  files:
    description:
      - Where the report was written to. Empty ones were not wanted.
    type: list
    elements: str
    required: true
  check_mode:
    description:
      - Whether the files would be written only.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Report what needs attention, and what is missing
  ansible.builtin.debug:
    msg: "{{ document | hosting.management.report_text(['fleet.html']) }}"
"""

RETURN = r"""
_value:
  description: The lines.
  type: list
  elements: str
  sample:
    - "Fleet: environments: 80, sites: 40"
    - "written: /srv/reports/fleet.html"
"""

from collections.abc import Callable

from ..plugin_utils.report.text import text_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"report_text": text_of}
