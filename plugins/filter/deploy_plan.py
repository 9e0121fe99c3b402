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
positional: looked, company, backups
options:
  _input:
    description:
      - What P(hosting.management.deploy_host#lookup) returned for each host. The first one counts for what is the
        same for all.
    type: list
    elements: dict
    required: true
  looked:
    description:
      - The result of M(hosting.management.deployment_info) for each host.
    type: list
    elements: dict
    required: true
  company:
    description:
      - The result of M(hosting.management.environment_info) for the company. Skipped or empty if it was not read.
    type: dict
  backups:
    description:
      - The result of M(hosting.management.backup_info), if it was asked whether the service can restore backups.
    type: dict
"""

EXAMPLES = r"""
- name: Count the pushes that are due
  ansible.builtin.debug:
    msg: "{{ ([asked] | hosting.management.deploy_plan([looked])).due }}"
"""

RETURN = r"""
_value:
  description:
    - The numbers of the plan, and its C(text), line by line. C(confirms) tells whether somebody at a terminal is to be
      asked. C(locks) says which environments are locked, in C(refused) those that are left alone, and in C(ignored)
      the others.
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.deployment_plan import plan_of
from ..plugin_utils.plain_values import Record
from .deploy_preflight import deploy_preflight


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_plan": deploy_plan}


def deploy_plan(
    settings: list[Record], looked: list[Record], company: Record | None = None, backups: Record | None = None
) -> Record:
    hosts = zip(settings, looked, strict=True)
    return plan_of([deploy_preflight(*one, company)["before"] for one in hosts], settings[0], backups)
