# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_host
short_description: Collect what a host's variables ask of the role deploy
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Turns the variables of the role P(hosting.management.deploy#role) into the plain facts that its tasks go by, and
    finds what is missing or cannot be meant. P(hosting.management.deploy_problems#filter) then says so for all hosts
    together.
  - Nothing is asked of the service.
options:
  _terms:
    description:
      - The directory of the role, as C(role_path) has it within the role.
    type: list
    elements: path
    required: true
  rolls_back_only:
    description:
      - Whether it is about the playbook C(hosting.management.rollback), which reads fewer variables.
    type: bool
    default: false
seealso:
  - plugin: hosting.management.role_variables
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Collect the variables of the host
  ansible.builtin.set_fact:
    asked: "{{ lookup('hosting.management.deploy_host', role_path) }}"
"""

RETURN = r"""
_list:
  description:
    - What is asked of the host. C(problems) has a sentence for each thing that is wrong, and C(lacks) what is missing.
  type: list
  elements: dict
  sample:
    - environment: shop
      check_mode: false
      problems:
        - The variable deploy_relase is unknown. Did you mean deploy_release?
      lacks: []
"""

from ..plugin_utils.deployment_settings import host_of
from ..plugin_utils.role_lookup import RoleLookup


class LookupModule(RoleLookup):
    OPTIONS = ("rolls_back_only",)
    read = staticmethod(host_of)
