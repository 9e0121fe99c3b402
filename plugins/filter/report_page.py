# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: report_page
short_description: Render a fleet report as an HTML page
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Renders the document from P(hosting.management.report_document#filter) as one HTML page. The page loads no other
    resources, and its content security policy enforces that.
positional: _input, folder
options:
  _input:
    description: The document.
    type: dict
    required: true
  folder:
    description: The directory of the role P(hosting.management.report#role), which contains the template.
    type: path
    required: true
"""

EXAMPLES = r"""
- name: Write the page
  ansible.builtin.copy:
    content: "{{ document | hosting.management.report_page(role_path) }}"
    dest: /srv/www/report.html
    mode: "0644"
"""

RETURN = r"""
_value:
  description: The page.
  type: str
"""

from collections.abc import Callable

from ..plugin_utils.plain_values import Record, plain
from ..plugin_utils.report.page import page_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"report_page": report_page}


def report_page(document: Record, folder: str) -> str:
    return page_of(plain(document), str(folder))
