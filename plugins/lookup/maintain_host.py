# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintain_host
short_description: Collect what a host's variables ask of the role maintain
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Says what the variables of the role P(hosting.management.maintain#role) ask for, and what is wrong with them.
    P(hosting.management.maintenance_problems#filter) then says so for all hosts together.
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
- name: Refuse what the role cannot work with
  ansible.builtin.assert:
    that: lookup('hosting.management.maintain_host', role_path).problems | length == 0
"""

RETURN = r"""
_list:
  description:
    - A dictionary. Its C(problems) has a sentence for each mistake. Where no variable is of a wrong type, C(keep) and
      C(make) have the options of M(hosting.management.environment), for the whole environment and for its updates.
      C(result) is for P(hosting.management.maintenance_results#filter).
  type: list
  elements: dict
  sample:
    - problems:
        - maintain_update_plugins must be updatable or vulnerable, not 'all'.
"""

from ..plugin_utils.maintenance_variables import host_of
from ..plugin_utils.role_lookup import RoleLookup


class LookupModule(RoleLookup):
    read = staticmethod(host_of)
