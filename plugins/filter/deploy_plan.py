# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_plan
short_description: Tell what a deployment is going to do
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Counts what the role P(hosting.management.deploy#role) is going to do in all environments, for the plan that it
    shows beforehand.
positional: settings, backups
options:
  _input:
    description:
      - The C(before) that P(hosting.management.deploy_preflight#filter) returned for each host.
    type: list
    elements: dict
    required: true
  settings:
    description:
      - What P(hosting.management.deploy_settings#filter) returned for one of the hosts.
    type: dict
    required: true
  backups:
    description:
      - The result of M(hosting.management.backup_info), if it was asked whether the service can restore backups.
    type: dict
"""

EXAMPLES = r"""
- name: Count the pushes that are due
  ansible.builtin.debug:
    msg: "{{ (preflights | hosting.management.deploy_plan(settings)).due }}"
"""

RETURN = r"""
_value:
  description:
    - The numbers of the plan, and its C(text), line by line. C(confirms) tells whether somebody at a terminal is to be
      asked, and C(locks) is what P(hosting.management.locks_met#filter) says.
  type: dict
"""

from ..plugin_utils.deployment_plan import plan_of


class FilterModule:
    def filters(self):
        return {"deploy_plan": plan_of}
