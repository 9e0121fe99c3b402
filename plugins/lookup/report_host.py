# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: report_host
short_description: Collect what a report needs of a host's variables
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Says what the role P(hosting.management.report#role) reads of a host, and what is wrong with the host's variables.
  - Nothing is asked of the service.
options:
  _terms:
    description:
      - The directory of the role, as C(role_path) has it within the role.
    type: list
    elements: path
    required: true
seealso:
  - plugin: hosting.management.role_variables
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Collect the variables of the environment
  ansible.builtin.set_fact:
    host: "{{ lookup('hosting.management.report_host', role_path) }}"
"""

RETURN = r"""
_list:
  description:
    - A dictionary. Its C(problems) has a sentence for each problem. If there are any, it has nothing else.
    - C(known) is what is known of the host, as P(hosting.management.report_document#filter) takes it. C(asks) are
      options of M(hosting.management.environment_state_info), C(settings) are options of
      P(hosting.management.report_document#filter), and C(files) are the paths to write to, empty where nothing is
      written.
  type: list
  elements: dict
  sample:
    - problems:
        - The variable report_visit_budget is unknown. Did you mean report_visits_budget?
"""

from ..plugin_utils.report.variables import host_of
from ..plugin_utils.role_lookup import RoleLookup


class LookupModule(RoleLookup):
    read = staticmethod(host_of)
