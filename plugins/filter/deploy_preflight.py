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
positional: known, prediction, line
options:
  _input:
    description:
      - The host, as C(environment), C(release), C(environment_name) (as the service names it), and C(ignores_lock).
      - What is wanted, as C(tasks) and C(domains) (lists), C(sets_denied_ips), C(restarts_php), C(caches) (a list), and
        C(verifies).
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
  line:
    description:
      - The line of the host in the plan, as in P(hosting.management.deploy_target#filter).
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Record the state before the deployment
  ansible.builtin.set_fact:
    before: "{{ host | hosting.management.deploy_preflight(known, prediction, 'shop: staging → live') }}"
"""

RETURN = r"""
_value:
  description:
    - What the environment has, and C(push), which is V(due), V(there), V(in progress), V(unknown) or V(off).
      C(is_due) is false where nothing is left to do.
  type: dict
"""

from ..plugin_utils.deployment_plan import preflight_of


class FilterModule:
    def filters(self):
        return {"deploy_preflight": preflight_of}
