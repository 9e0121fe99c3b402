# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_wave
short_description: Tell what a deployment does once for all hosts of a wave
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Collects the options of the tasks that the role P(hosting.management.deploy#role) runs once for all hosts that are
    deployed to at the same time, such as waiting for their operations.
positional: looked, asked, failures, base_url
options:
  _input:
    description:
      - What P(hosting.management.deploy_settings#filter) returned for each host. Empty for a host that has not got so
        far.
    type: list
    elements: dict
    required: true
  looked:
    description:
      - The result of M(hosting.management.deployment_info) for each host. Empty for a host that has not got so far.
    type: list
    elements: dict
    required: true
  asked:
    description:
      - The result of M(hosting.management.site_check) before the deployment, as each host has it. Empty if no site was
        asked.
    type: list
    elements: dict
    required: true
  failures:
    description:
      - What failed at each host. Empty where nothing did.
    type: list
    elements: dict
    required: true
  base_url:
    description:
      - The C(base_url) of the host that runs the tasks. Hosts of other services read the journal themselves.
    type: str
    default: ""
"""

EXAMPLES = r"""
- name: Ask the sites with nothing else to do
  hosting.management.site_check:
    sites: "{{ ([asked] | hosting.management.deploy_wave([looked], [{}], [{}])).first_sites }}"
"""

RETURN = r"""
_value:
  description:
    - C(ids) of the environments, their C(names) by id, and the longest C(wait_timeout), for
      M(hosting.management.operation_wait). C(reads) for M(hosting.management.deployment_info). C(first_sites) and
      C(sites) for M(hosting.management.site_check), before and after the deployment.
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.deployment_wave import wave_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_wave": wave_of}
