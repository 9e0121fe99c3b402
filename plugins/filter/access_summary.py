# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: access_summary
short_description: Summarize who has access, and what needs attention
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Sums up what the role P(hosting.management.access#role) did and found. The role writes this summary as JSON.
positional: _input
options:
  _input:
    description: The names of the hosts.
    type: list
    elements: str
    required: true
  asked:
    description:
      - What P(hosting.management.access_host#lookup) returned for each host, in the order of the names. It is empty for
        a host that failed before.
    type: list
    elements: dict
    required: true
  read:
    description:
      - The result of M(hosting.management.environment_state_info) for each host, in the same order. It is empty for a
        host that was not read.
    type: list
    elements: dict
    required: true
  plan:
    description: The result of P(hosting.management.access_plan#filter).
    type: dict
    required: true
  administrators:
    description:
      - The results of the task that sets the administrators, each with the element of the plan that it is about.
    type: list
    elements: dict
    required: true
  others:
    description: The results of the tasks that ask for and set the other roles, in the same form.
    type: list
    elements: dict
    required: true
  settings:
    description: Other values for the summary, namely C(check_mode), C(company_id), C(company_problem), C(trusts) and
      C(fail_on).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Sum up the access
  ansible.builtin.set_fact:
    summary: >-
      {{ ['shop-live'] | hosting.management.access_summary(asked=[asked], read=[state], plan=plan,
      administrators=administrators.results, others=[], settings={'check_mode': false, 'company_id': company_id,
      'company_problem': '', 'trusts': false, 'fail_on': ['failures']}) }}
"""

RETURN = r"""
_value:
  description: >-
    C(check_mode), C(company_id), C(roles), C(former_staff), C(environments), C(not_shown), C(needs) and C(totals). Each
    of C(needs) has C(kind), C(environment), C(user) (whose role it is about), C(text) and C(fails).
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.access import guard_of
from ..plugin_utils.access_outcome import summary_of
from ..plugin_utils.plain_values import Record


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"access_summary": access_summary}


def access_summary(
    hosts: list[str],
    asked: list[Record],
    read: list[Record],
    *,
    plan: Record,
    administrators: list[Record],
    others: list[Record],
    settings: Record,
) -> Record:
    known = [dict(zip(("host", "asked", "read"), one, strict=True)) for one in zip(hosts, asked, read, strict=True)]
    guard = guard_of(plan, administrators, settings["trusts"])
    return summary_of(known, plan, [*administrators, *others], settings={**settings, "guard": guard})
