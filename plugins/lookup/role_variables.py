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

from pathlib import Path

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from ..plugin_utils.plain_values import plain
from ..plugin_utils.role_variables import checked, options_of, unknown_of

FOREIGN = "hosting_foreign_variables"


class LookupModule(LookupBase):
    def run(self, terms, variables=None, **kwargs):
        self.set_options(var_options=variables, direct=kwargs)
        variables = variables or {}
        also = [*(kwargs.get("also") or []), FOREIGN]
        entry_point, only = kwargs.get("entry_point", "main"), kwargs.get("only")
        return [self._read(Path(term), entry_point, only, also, variables) for term in terms]

    def _read(self, role, entry_point, only, also, variables):
        try:
            options, known = options_of(role, entry_point), options_of(role)
        except ValueError as error:
            raise AnsibleLookupError(str(error)) from error
        if only is not None:
            options = {name: options[name] for name in only}
        wanted = {name: variables[name] for name in [*options, *also] if name in variables}
        values = plain(self._templar.template(wanted))
        given = {name: values[name] for name in options if name in values}
        found = checked(given, options)
        return {
            "typed": found.typed,
            "given": given,
            "also": {name: values.get(name) for name in also if name != FOREIGN},
            "unknown": list(unknown_of(role.name, known, variables, values.get(FOREIGN))),
            "wrong": found.wrong,
            "nulls": [name for name in options if "default" in options[name] and given.get(name, "") is None],
        }
