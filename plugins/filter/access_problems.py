# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: access_problems
short_description: Find problems in the variables of the role access
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Checks the variables of the role P(hosting.management.access#role) before anything is sent. A list of roles that
    leaves no known administrator is one such problem.
positional: _input
options:
  _input:
    description: The names of the hosts.
    type: list
    elements: str
    required: true
  asked:
    description:
      - What P(hosting.management.access_host#lookup) returns for each host, in the order of the names. It is empty for
        a host that has not got so far.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Stop if the variables have problems
  ansible.builtin.assert:
    that: "['shop-live'] | hosting.management.access_problems(asked=[asked]) | length == 0"
"""

RETURN = r"""
_value:
  description: A sentence for each problem.
  type: list
  elements: str
  sample: [access_roles must be a list.]
"""

from collections.abc import Callable

from ..plugin_utils.access_lists import problems_of
from ..plugin_utils.plain_values import Record


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"access_problems": access_problems}


def access_problems(hosts: list[str], asked: list[Record]) -> list[str]:
    # Where hosts do not wait for each other, some may not have got so far.
    return problems_of({str(host): one for host, one in zip(hosts, asked, strict=True) if one})
