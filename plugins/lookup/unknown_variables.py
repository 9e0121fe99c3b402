# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: unknown_variables
short_description: Find variables with a role's prefix that the role does not know
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Returns a sentence for each variable of the host that begins with the name of a role, such as C(deploy_relase), but
    is not an option in the role's C(meta/argument_specs.yml). A misspelled variable would otherwise be ignored.
  - To allow variables of your own that happen to begin with that name, such as C(deploy_user), list them in the
    variable C(hosting_foreign_variables), by name or by a pattern such as C(deploy_user*).
  - The names that a role registers for itself begin with two underscores, so they do not have its prefix.
options:
  _terms:
    description:
      - The directories of the roles, such as C(role_path).
    type: list
    elements: path
    required: true
  ignore:
    description:
      - A regular expression. Variables whose names match it from the start are ignored, such as those that AWX gives to
        a job.
    type: str
"""

EXAMPLES = r"""
- name: Refuse variables that the role does not know
  ansible.builtin.assert:
    that: query('hosting.management.unknown_variables', role_path) | length == 0
    fail_msg: "{{ query('hosting.management.unknown_variables', role_path) | join(' ') }} Nothing was done."
    quiet: true
"""

RETURN = r"""
_list:
  description: A sentence for each unknown variable, in alphabetical order.
  type: list
  elements: str
  sample:
    - The variable deploy_relase is unknown. Did you mean deploy_release? If it belongs to something else, list it in
      hosting_foreign_variables.
"""

import re
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from ..plugin_utils.role_variables import options_of, unknown_of


class LookupModule(LookupBase):
    def run(self, terms: list[str], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[str]:
        self.set_options(var_options=variables, direct=kwargs)
        variables = variables or {}
        foreign = variables.get("hosting_foreign_variables") or []
        foreign = self._templar.template(foreign) if foreign else []
        ignore = kwargs.get("ignore")
        names = [str(name) for name in variables if not (ignore and re.match(ignore, str(name)))]
        try:
            return [
                sentence for role in terms for sentence in unknown_of(Path(role).name, options_of(role), names, foreign)
            ]
        except ValueError as error:
            raise AnsibleLookupError(str(error)) from error
