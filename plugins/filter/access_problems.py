# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: access_problems
short_description: What cannot be right in the lists of who has access
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Checks the lists of the role P(hosting.management.access#role) before anything is sent. A list of roles after which
    no administrator is known is among what cannot be right.
positional: _input, other_administrators, former_staff, policy
options:
  _input:
    description: The list O(hosting.management.access#role:main:access_roles).
    type: list
    elements: dict
    required: true
  other_administrators:
    description: The list O(hosting.management.access#role:main:access_other_administrators).
    type: list
    elements: str
    required: true
  former_staff:
    description: The list O(hosting.management.access#role:main:access_former_staff).
    type: list
    elements: str
    required: true
  policy:
    description: The list O(hosting.management.access#role:main:access_sftp_policy).
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Stop if the lists cannot be right
  ansible.builtin.assert:
    that: access_roles | hosting.management.access_problems([], [], []) | length == 0
"""

RETURN = r"""
_value:
  description: A sentence for each problem.
  type: list
  elements: str
  sample: [access_roles must be a list.]
"""

from ..plugin_utils.access import problems_of


class FilterModule:
    def filters(self):
        return {"access_problems": problems_of}
