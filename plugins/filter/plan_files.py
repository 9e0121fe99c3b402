# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: plan_files
short_description: Tell which files to write for a plan
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Returns the plan of a run in check mode as files, one in JSON, and one as an HTML page.
positional: _input, path
options:
  _input:
    description: The plan, as the C(plan) of the summary of P(hosting.management.maintain#role).
    type: dict
    required: true
  path:
    description:
      - A path that ends with C(.json), for the plan and a page of the same name with C(.html); or one that ends with
        C(.html), for the page alone.
    type: path
    required: true
"""

EXAMPLES = r"""
- name: Write the plan
  ansible.builtin.copy:
    content: "{{ item.content }}"
    dest: "{{ item.path }}"
    mode: "0644"
  loop: "{{ summary.plan | hosting.management.plan_files('plan.json') }}"
"""

RETURN = r"""
_value:
  description: The files, each with C(path) and C(content).
  type: list
  elements: dict
"""

from collections.abc import Callable

from ..plugin_utils.plan_page import files_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"plan_files": files_of}
