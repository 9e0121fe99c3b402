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
positional: known, prediction, listed, company
options:
  _input:
    description:
      - What P(hosting.management.deploy_settings#filter) returned for the host.
    type: dict
    required: true
  known:
    description:
      - The result of M(hosting.management.release_info).
    type: dict
    required: true
  prediction:
    description:
      - The result of M(hosting.management.env_push) in check mode. Skipped or empty if nothing is pushed.
    type: dict
    required: true
  listed:
    description:
      - The result of M(hosting.management.environment_info) for the site. Skipped or empty if it was not read.
    type: dict
    required: true
  company:
    description:
      - The result of M(hosting.management.environment_info) for the company. Skipped or empty if it was not read.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Record the state before the deployment
  ansible.builtin.set_fact:
    found: "{{ asked | hosting.management.deploy_preflight(known, prediction, listed, {}) }}"
"""

RETURN = r"""
_value:
  description:
    - C(before) has what the environment has, and C(push), which is V(due), V(there), V(in progress), V(unknown) or
      V(off). C(is_due) in it is false where nothing is left to do. C(result) is then the C(deploy_result), and
      otherwise empty.
  type: dict
"""

import time

from ..plugin_utils.deployment_plan import preflight_of, result_without_work
from ..plugin_utils.plain_values import plain
from ..plugin_utils.preflight import asked_of, target_of


class FilterModule:
    def filters(self):
        return {"deploy_preflight": deploy_preflight}


def deploy_preflight(settings, known, prediction, listed, company):
    settings, known, prediction, listed, company = map(plain, (settings, known, prediction, listed, company))
    target = target_of(asked_of(settings, listed, company))
    before = preflight_of(settings, known, prediction, target.line)
    return {"before": before, "result": result_without_work(before, settings, known, time.time())}
