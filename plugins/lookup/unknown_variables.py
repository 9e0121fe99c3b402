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
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path

from ansible.errors import AnsibleLookupError
from ansible.module_utils.common.yaml import yaml_load
from ansible.plugins.lookup import LookupBase


class LookupModule(LookupBase):
    def run(self, terms, variables=None, **kwargs):
        self.set_options(var_options=variables, direct=kwargs)
        variables = variables or {}
        foreign = variables.get("hosting_foreign_variables") or []
        foreign = self._templar.template(foreign) if foreign else []
        # Given as -e name=value, it is a text with commas; a star in it would excuse everything, letter by letter.
        patterns = foreign.split(",") if isinstance(foreign, str) else [str(one) for one in foreign]
        ignore = kwargs.get("ignore")
        names = [
            name
            for name in sorted(map(str, variables))
            if not (ignore and re.match(ignore, name)) and not any(fnmatchcase(name, one) for one in patterns)
        ]
        return [sentence for role in terms for sentence in _unknown(Path(role), names)]


def _unknown(role, names):
    known = _options(role / "meta" / "argument_specs.yml")
    prefix = f"{role.name}_"
    for name in names:
        if name.startswith(prefix) and name not in known:
            # Without the prefix, which would make all of them alike.
            close = get_close_matches(name.removeprefix(prefix), [one.removeprefix(prefix) for one in known], n=1)
            hint = f"Did you mean {prefix}{close[0]}?" if close else f"The role {role.name} has no such variable."
            yield (
                f"The variable {name} is unknown. {hint} If it belongs to something else, list it in"
                " hosting_foreign_variables."
            )


def _options(path):
    """Return the names of the options of all entry points of a role."""
    try:
        entry_points = yaml_load(path.read_text(encoding="utf-8"))["argument_specs"].values()
        return {name for entry_point in entry_points for name in entry_point.get("options", {})}
    except (OSError, AttributeError, KeyError, TypeError) as error:
        raise AnsibleLookupError(f"{path} has no argument_specs of a role: {error}") from error
