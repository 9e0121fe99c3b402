# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_preflight
short_description: Tell what a deployment would do to an environment
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Tells what an environment has before a deployment, and what becomes of the push. The role
    P(hosting.management.deploy#role) gives this to your own tasks, as C(deployment).
positional: looked, company, site
options:
  _input:
    description:
      - What P(hosting.management.deploy_host#lookup) returned for the host.
    type: dict
    required: true
  looked:
    description:
      - The result of M(hosting.management.deployment_info).
    type: dict
    required: true
  company:
    description:
      - The result of M(hosting.management.environment_info) for the company. Skipped or empty if it was not read.
    type: dict
  site:
    description:
      - What M(hosting.management.site_check) has found out about the host's site. Empty if it was not asked.
    type: dict
"""

EXAMPLES = r"""
- name: Record the state before the deployment
  ansible.builtin.set_fact:
    found: "{{ asked | hosting.management.deploy_preflight(looked) }}"
"""

RETURN = r"""
_value:
  description:
    - C(before) has what the environment has, and C(push), which is V(due), V(there), V(in progress), V(unknown) or
      V(off). C(is_due) in it is false where nothing is left to do, and C(asks_site) is true where only the site
      has to be asked yet.
    - C(result) is the C(deploy_result) where nothing is left to do, and otherwise empty. C(way) tells why that is so,
      V(without_work) or V(not_planned).
  type: dict
"""

import time
from collections.abc import Callable

from ..plugin_utils.deployment_plan import preflight_of, result_without_work
from ..plugin_utils.plain_values import Record, plain
from ..plugin_utils.preflight import asked_of, target_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_preflight": deploy_preflight}


def deploy_preflight(
    settings: Record, looked: Record, company: Record | None = None, site: Record | None = None
) -> Record:
    settings, looked = plain(settings), plain(looked)
    target = target_of(asked_of(settings, looked["site"] or {}, plain(company or {})))
    known, push, parts = looked["releases"], looked["push"] or {}, looked.get("parts")
    before = preflight_of(settings, known, push, target.line, parts, site)
    return {
        "before": before,
        "way": "not_planned" if before["push"] == "not planned" else "without_work",
        "result": result_without_work(before, settings, known, time.time()),
    }
