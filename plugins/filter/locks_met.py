# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: locks_met
short_description: Say which environments are locked against deployments
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Puts the locks that M(hosting.management.release_info) found for some environments into words. The roles
    P(hosting.management.deploy#role) and P(hosting.management.maintain#role) use it.
positional: variable
options:
  _input:
    description:
      - For each environment its name as C(environment), its C(locks), and C(ignores_lock), whether this run ignores
        them.
    type: list
    elements: dict
    required: true
  variable:
    description: The name of the variable with which a run ignores locks.
    type: str
    default: deploy_ignore_lock
"""

EXAMPLES = r"""
- name: Refuse to touch a locked environment
  ansible.builtin.assert:
    that: (environments | hosting.management.locks_met).refused | length == 0
    fail_msg: "{{ (environments | hosting.management.locks_met).refused }}"
  vars:
    environments:
      - environment: shop-live
        locks: "{{ released.locks }}"
        ignores_lock: false
"""

RETURN = r"""
_value:
  description:
    - C(refused) says why the run does not go on, and C(ignored) which locks it ignores. Each is empty if there is no
      such lock.
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.locks import met


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"locks_met": met}
