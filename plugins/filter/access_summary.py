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
  - Reads what was requested for a host from its fact C(__access_asked), and the results from C(__access_wordpress) and
    C(__access_sftp).
positional: _input, hostvars
options:
  _input:
    description: The names of the hosts.
    type: list
    elements: str
    required: true
  hostvars:
    description: The variables of all hosts, as in Ansible's C(hostvars).
    type: dict
    required: true
  plan:
    description: The result of P(hosting.management.access_plan#filter).
    type: dict
    required: true
  done:
    description: The results of the tasks that set roles.
    type: list
    elements: dict
    required: true
  settings:
    description: Other values for the summary, namely C(check_mode), C(company_id), C(company_problem),
      C(guard), C(trusts) and C(fail_on).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Sum up the access
  ansible.builtin.set_fact:
    summary: >-
      {{ ansible_play_hosts_all | hosting.management.access_summary(hostvars, plan=plan, done=roles.results,
      settings={'check_mode': false, 'company_id': company_id, 'company_problem': '', 'guard': '', 'trusts': false,
      'fail_on': ['failures']}) }}
"""

RETURN = r"""
_value:
  description: >-
    C(check_mode), C(company_id), C(roles), C(former_staff), C(environments), C(not_shown), C(needs) and C(totals). Each
    of C(needs) has C(kind), C(environment), C(text) and C(fails).
  type: dict
"""

from ..plugin_utils.access import summary_of


class FilterModule:
    def filters(self):
        return {"access_summary": access_summary}


def access_summary(hosts, hostvars, *, plan, done, settings):
    return summary_of([_of_host(str(host), hostvars[host]) for host in hosts], plan, done, settings=settings)


def _of_host(name, variables):
    return {"host": name, **{part: variables.get(f"__access_{part}") for part in ("asked", "wordpress", "sftp")}}
