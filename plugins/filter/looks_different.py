# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
name: looks_different
short_description: Tell what is wrong with how a site looks
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Tells what pictures of a site show to be wrong with it since a change. The role P(hosting.management.maintain#role)
    uses this.
positional: compared
options:
  _input:
    description:
      - The result of M(hosting.management.site_snapshot) after the change, or nothing.
    type: dict
    required: true
  compared:
    description:
      - The result of M(hosting.management.site_compare), or nothing.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Check the site
  hosting.management.site_check:
    urls: ["https://shop.example.com/"]
    known_problem: "{{ taken | hosting.management.looks_different(compared) or omit }}"
"""

RETURN = r"""
_value:
  description: It, as sentences. Empty if nothing is wrong, and if there are no pictures to tell.
  type: str
"""

from collections.abc import Callable

from ..plugin_utils.verified_pictures import looks_different


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"looks_different": looks_different}
