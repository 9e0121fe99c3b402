# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: role_variables
short_description: Read the variables of a role in their types
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Returns the variables that a host has for a role, in the types that the role's C(meta/argument_specs.yml) says, and
    what is wrong with them. A role then decides in one task, where each expression would cost each host time.
  - Nothing is asked of the service.
options:
  _terms:
    description:
      - The directory of the role, as C(role_path) has it within the role.
    type: list
    elements: path
    required: true
  entry_point:
    description:
      - The entry point whose options are read.
    type: str
    default: main
  only:
    description:
      - Names of the variables to read. By default, all options of the entry point are read.
    type: list
    elements: str
  also:
    description:
      - Names of other variables to return. They are null where they are not set.
    type: list
    elements: str
    default: []
seealso:
  - plugin: hosting.management.unknown_variables
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Show what the role has been given, and what is wrong with it
  ansible.builtin.debug:
    msg: "{{ lookup('hosting.management.role_variables', role_path) }}"
"""

RETURN = r"""
_list:
  description:
    - A dictionary for each role. C(typed) has the variables in their types, and C(given) as they were given; C(also)
      has the other variables. C(unknown) and C(wrong) have a sentence for each variable that the role does not know,
      and for each of a wrong type. C(nulls) names the variables that are null although the role has a default.
  type: list
  elements: dict
  sample:
    - typed: {maintain_warn_only: [old_php], maintain_verify: true}
      given: {maintain_warn_only: old_php, maintain_verify: "true"}
      also: {hosting_site_id: null}
      unknown: []
      wrong: []
      nulls: []
"""

from ..plugin_utils.role_lookup import RoleLookup
from ..plugin_utils.role_variables import found_in


class LookupModule(RoleLookup):
    OPTIONS = ("entry_point", "only", "also")
    read = staticmethod(found_in)
