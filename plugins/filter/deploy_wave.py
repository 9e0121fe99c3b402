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
positional: names, base_url, company
options:
  _input:
    description:
      - The variables of each host.
    type: list
    elements: dict
    required: true
  names:
    description:
      - The names of the variables that have what is known of a host. C(settings) is what
        P(hosting.management.deploy_host#lookup) returned, C(looked) the result of
        M(hosting.management.deployment_info), C(asked) that of M(hosting.management.site_check) before the deployment,
        C(failure) what failed, C(pictures) the result of M(hosting.management.site_snapshot) before the push, and
        C(push) that of M(hosting.management.env_push). Hosts that have not got so far lack them, or have empty ones.
    type: dict
    required: true
  base_url:
    description:
      - The C(base_url) of the host that runs the tasks. Hosts of other services read the journal themselves.
    type: str
    default: ""
  company:
    description:
      - The result of M(hosting.management.environment_info) for the company, where it was read.
    type: dict
"""

EXAMPLES = r"""
- name: Ask the sites with nothing else to do
  hosting.management.site_check:
    sites: "{{ (ansible_play_batch | map('extract', hostvars) | hosting.management.deploy_wave(names)).first_sites }}"
"""

RETURN = r"""
_value:
  description:
    - C(targets) is about the ids of the hosts. C(problems) in it has a sentence for each problem, C(asks_company) says
      that the environments of the whole company could tell more, and C(are_in_doubt) that either is so.
    - C(waits) has the C(names) of the environments by their ids, and the longest C(wait_timeout), for
      M(hosting.management.operation_wait). C(reads) for M(hosting.management.deployment_info). C(first_sites) and
      C(sites) for M(hosting.management.site_check), before and after the deployment. C(sets) for
      M(hosting.management.site_snapshot), before the push or after it.
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.deployment_wave import wave_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_wave": wave_of}
