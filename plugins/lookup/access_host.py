# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: access_host
short_description: Collect what a host's variables ask of the role access
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Says what P(hosting.management.access#role) checks of a host and sets for the company, and which of the variables
    are misspelled or of a wrong type. P(hosting.management.access_problems#filter) then looks at all hosts together.
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
- name: Collect the variables of the host
  ansible.builtin.set_fact:
    asked: "{{ lookup('hosting.management.access_host', role_path) }}"
"""

RETURN = r"""
_list:
  description:
    - A dictionary with C(environment_id), C(former_staff), C(query_names), C(checks_sftp) (whether there is a policy),
      C(policy), C(gather) (what M(hosting.management.environment_state_info) reads), C(check_mode), and C(company) (the
      variables that apply to the whole company). C(unknown) and C(wrong) have a sentence for each unknown variable, and
      for each that is null or of a wrong type.
  type: list
  elements: dict
  sample:
    - unknown: []
      wrong: [access_company_id has no value (null). Give it one, or leave it out.]
      environment_id: e0000000-0000-4000-8000-000000000001
      former_staff: [gone@example.com]
      query_names: {}
      checks_sftp: false
      policy: []
      gather: [administrators]
      company:
        access_company_id: null
        access_roles: []
        access_other_administrators: []
        access_assert: false
        access_trust_administrators: false
        access_plan: ""
        access_plan_file: ""
      check_mode: false
"""

from ..plugin_utils.access_variables import asked_of
from ..plugin_utils.role_lookup import RoleLookup


class LookupModule(RoleLookup):
    read = staticmethod(asked_of)
