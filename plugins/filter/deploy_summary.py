# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_summary
short_description: Summarize the deployment to all environments
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Sums up what the role P(hosting.management.deploy#role) did in all environments. The role prints this summary, and
    writes it as JSON.
positional: hosts, wave, last, settings
options:
  _input:
    description:
      - The C(deploy_result) of each host that finished.
    type: list
    elements: dict
    required: true
  hosts:
    description:
      - The names of all hosts, in order.
    type: list
    elements: str
    required: true
  wave:
    description:
      - The names of the hosts that are deployed to just now, as in C(ansible_play_batch).
    type: list
    elements: str
    required: true
  last:
    description:
      - The name of the host that is deployed to last.
    type: str
    required: true
  settings:
    description:
      - What P(hosting.management.deploy_host#lookup) returned for one of the hosts. C(release), C(check_mode) and
        C(may_fail) count, the last one as the percentage of a wave that may fail without stopping the next.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Sum up all environments
  ansible.builtin.set_fact:
    deployed: >-
      {{ results | hosting.management.deploy_summary(ansible_play_hosts_all, ansible_play_batch,
      ansible_play_hosts | last, settings) }}
"""

RETURN = r"""
_value:
  description:
    - The C(summary) is what the JSON file has, and the C(text) is for people, line by line.
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.deployment_outcome import summary_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_summary": summary_of}
