# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_settings
short_description: Tell what the variables of the role deploy ask for
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Turns the variables of the role P(hosting.management.deploy#role) into the plain facts that its tasks go by, and
    finds what is missing or cannot be meant. Nothing is sent.
options:
  _input:
    description:
      - What P(hosting.management.role_variables#lookup) returns for the role, with C(inventory_hostname),
        C(ansible_check_mode), C(ansible_play_name), C(hosting_base_url), C(hosting_environment_name),
        C(__deploy_serial) and C(__deploy_waves) as C(also).
    type: dict
    required: true
  rolls_back_only:
    description:
      - Whether it is about the playbook C(hosting.management.rollback), which needs fewer variables.
    type: bool
    default: false
seealso:
  - plugin: hosting.management.deploy_problems
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Collect the variables of the host
  ansible.builtin.set_fact:
    asked: >-
      {{ lookup('hosting.management.role_variables', role_path, also=others) | hosting.management.deploy_settings }}
"""

RETURN = r"""
_value:
  description:
    - What is asked of the host. C(problems) has a sentence for each thing that is wrong, and C(lacks) what is missing.
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.deployment_settings import settings_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_settings": settings_of}
