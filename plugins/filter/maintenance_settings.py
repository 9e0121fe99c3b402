# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_settings
short_description: Tell what the role maintain is asked to do with an environment
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Returns what the variables of the role P(hosting.management.maintain#role) ask for, and what is wrong with them.
    Nothing is asked of the service.
positional: host
options:
  _input:
    description:
      - The variables of the role, as P(hosting.management.role_variables#lookup) reads them, with the other variables
        C(hosting_companions), C(hosting_primary_domain_id), C(hosting_php_version) and C(hosting_wordpress_version).
    type: dict
    required: true
  host:
    description:
      - The name of the host.
    type: str
    required: true
  groups:
    description:
      - The groups that the host is in, which a lock may name.
    type: list
    elements: str
    default: []
  waves:
    description:
      - What the playbook makes of C(maintain_serial). C(sizes) are the sizes of the waves, and C(are_in_force) tells
        whether Ansible uses them.
    type: dict
  check_mode:
    description:
      - Whether nothing is to be changed.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Refuse what the role cannot work with
  ansible.builtin.assert:
    that: (variables | hosting.management.maintenance_settings(inventory_hostname)).problems | length == 0
  vars:
    variables: "{{ lookup('hosting.management.role_variables', role_path, also=others) }}"
    others: [hosting_companions, hosting_primary_domain_id, hosting_php_version, hosting_wordpress_version]
"""

RETURN = r"""
_value:
  description:
    - C(problems) has a sentence for each mistake. Where no variable is of a wrong type, C(keep) and C(make) have the
      options of M(hosting.management.environment), for the whole environment and for its updates. C(result) is for
      P(hosting.management.maintenance_results#filter).
  type: dict
  contains:
    problems:
      description: A sentence for each mistake.
      type: list
      elements: str
  sample:
    problems:
      - maintain_update_plugins must be updatable or vulnerable, not all.
"""

from collections.abc import Callable

from ..plugin_utils.maintenance_variables import settings_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"maintenance_settings": settings_of}
