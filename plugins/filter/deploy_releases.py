# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_releases
short_description: List which release each environment has
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Turns what the journal knows into the rows that the playbook C(hosting.management.releases) lists.
positional: ids, known
options:
  _input:
    description:
      - The names of the environments.
    type: list
    elements: str
    required: true
  ids:
    description:
      - Their ids. Empty where there is none.
    type: list
    elements: str
    required: true
  known:
    description:
      - The results of M(hosting.management.release_info). Empty where it was not asked.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Show which release the shop has
  ansible.builtin.debug:
    msg: "{{ ['shop'] | hosting.management.deploy_releases([hosting_environment_id], [known]) }}"
"""

RETURN = r"""
_value:
  description: For each environment its release, how that stands, since when, what it needs, and its locks.
  type: list
  elements: dict
  sample:
    - environment: shop
      environment_id: e0000000-0000-4000-8000-000000000011
      release: v2.4.1
      state: finished
      since: "2026-11-02T00:00:12Z"
      needs: ""
      lock: ""
"""

from collections.abc import Callable

from ..plugin_utils.deployment_plan import releases_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_releases": releases_of}
