# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_summary
short_description: Summarize the maintenance of all environments
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Sums up what the role P(hosting.management.maintain#role) did in all environments. The role prints this summary, and
    writes it as JSON.
positional: _input, hosts
options:
  _input:
    description: The C(maintain_result) of each host that finished.
    type: list
    elements: dict
    required: true
  hosts:
    description: The names of all hosts, in order.
    type: list
    elements: str
    required: true
  key:
    description: The result of M(hosting.management.api_key_info).
    type: dict
    required: true
  key_days:
    description: For how many more days the API key must be valid. None turns off this check.
    type: int
    required: true
  warn_only:
    description: The names of findings that are only warnings.
    type: list
    elements: str
    required: true
  check_mode:
    description: Whether the summary is a prediction.
    type: bool
    required: true
  has_canary:
    description: Whether one host is updated before the others.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Sum up all environments
  ansible.builtin.set_fact:
    summary: >-
      {{ results | hosting.management.maintenance_summary(ansible_play_hosts_all, key=key, key_days=14, warn_only=[],
      check_mode=ansible_check_mode) }}
"""

RETURN = r"""
_value:
  description: The summary.
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.maintenance_summary import summary_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"maintenance_summary": summary_of}
