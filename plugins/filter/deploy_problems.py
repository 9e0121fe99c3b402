# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_problems
short_description: Say what is wrong with the variables of all hosts of a deployment
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Puts what P(hosting.management.deploy_host#lookup) found for each host into one message. What is wrong with
    several hosts is said once.
options:
  _input:
    description:
      - What P(hosting.management.deploy_host#lookup) returned for each host. Empty for a host that has not got so
        far.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Stop if something is missing
  ansible.builtin.fail:
    msg: "{{ [asked] | hosting.management.deploy_problems }} Nothing was done."
  when: "[asked] | hosting.management.deploy_problems | length > 0"
"""

RETURN = r"""
_value:
  description: The sentences. Empty if nothing is wrong.
  type: str
  sample: "shop, blog lack deploy_release, the name of the release (-e deploy_release=v1.2.3)."
"""

from collections.abc import Callable

from ..plugin_utils.deployment_settings import problems_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_problems": problems_of}
