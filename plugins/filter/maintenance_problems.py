# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_problems
short_description: Tell what is wrong with the variables of the role maintain
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Puts what P(hosting.management.maintain_host#lookup) found for each host into one message. What is wrong with
    several hosts is said once, with the names of the first of them.
options:
  _input:
    description:
      - The C(problems) that P(hosting.management.maintain_host#lookup) returned, by the names of the hosts.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Stop if something is wrong
  ansible.builtin.fail:
    msg: "{{ {inventory_hostname: asked.problems} | hosting.management.maintenance_problems }} Nothing was done."
  when: asked.problems | length > 0
"""

RETURN = r"""
_value:
  description: The sentences. Empty if nothing is wrong.
  type: str
  sample: The plan has no shop, blog. Leave them out with --limit, or make a new plan.
"""

from collections.abc import Callable

from ..plugin_utils.maintenance_variables import problems_of_all


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"maintenance_problems": problems_of_all}
