# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintain_problems
short_description: Find what is wrong with the variables of the role maintain
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Returns a sentence for each variable of P(hosting.management.maintain#role) that has the wrong type, or a value that
    the role cannot work with. Nothing is asked of the service.
  - P(hosting.management.unknown_variables#lookup) finds those that are misspelled.
options:
  _terms:
    description:
      - The directory of the role, as C(role_path) has it within the role.
    type: list
    elements: path
    required: true
  serial:
    description:
      - The sizes of the waves.
    type: list
    elements: raw
    default: []
  is_serial_of_play:
    description:
      - Whether the play goes by these sizes.
    type: bool
    default: true
"""

EXAMPLES = r"""
- name: Refuse what the role cannot work with
  ansible.builtin.assert:
    that: query('hosting.management.maintain_problems', role_path) | length == 0
    fail_msg: "{{ query('hosting.management.maintain_problems', role_path) | join(' ') }} Nothing was done."
    quiet: true
"""

RETURN = r"""
_list:
  description: A sentence for each mistake.
  type: list
  elements: str
  sample:
    - maintain_update_plugins must be updatable or vulnerable, not all.
"""

from pathlib import Path

from ansible.errors import AnsibleLookupError
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.yaml import yaml_load
from ansible.plugins.lookup import LookupBase

from ..plugin_utils.maintenance_variables import problems_of, problems_of_waves
from ..plugin_utils.plain_values import plain

MAY_BE_NULL = "maintain_check_"


class LookupModule(LookupBase):
    def run(self, terms, variables=None, **kwargs):
        self.set_options(var_options=variables, direct=kwargs)
        variables = variables or {}
        options = _options(Path(terms[0]))
        given = plain(self._templar.template({name: variables[name] for name in options if name in variables}))
        nulls = {name: None for name, value in given.items() if value is None}
        checked = ArgumentSpecValidator(options).validate({name: given[name] for name in given if name not in nulls})
        waves = list(problems_of_waves(plain(kwargs.get("serial") or []), kwargs.get("is_serial_of_play", True)))
        if checked.error_messages:
            return [f"{message.rstrip('.')}." for message in checked.error_messages] + waves
        required = [name for name in options if "default" in options[name] and not name.startswith(MAY_BE_NULL)]
        host = str(variables.get("inventory_hostname"))
        return [*problems_of({**checked.validated_parameters, **nulls}, given, required, host), *waves]


def _options(role):
    """Return the options of the role, by name."""
    path = role / "meta" / "argument_specs.yml"
    try:
        return yaml_load(path.read_text(encoding="utf-8"))["argument_specs"]["main"]["options"]
    except (OSError, KeyError, TypeError) as error:
        raise AnsibleLookupError(f"{path} has no argument_specs of the role maintain: {error}") from error
