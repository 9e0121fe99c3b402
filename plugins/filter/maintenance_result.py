# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_result
short_description: Summarize the maintenance of one environment
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Sums up, from the results that the tasks of the role P(hosting.management.maintain#role) registered, what was done,
    what failed, and what you should know. The role returns this as C(maintain_result).
positional: settings
options:
  _input:
    description:
      - The results of the tasks. C(site) and C(well) are those of M(hosting.management.site_check) before and after
        updates, C(judged) is that of M(hosting.management.update_verdict), C(kept) and C(made) are those of
        M(hosting.management.environment) without and with updates, and C(update_backup) is that of
        M(hosting.management.manual_backup).
        C(locks) and C(held_by), the name of a host, are what the updates wait for. What there is not can be left out.
    type: dict
    required: true
  settings:
    description: What P(hosting.management.maintenance_settings#filter) returns as C(result).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Keep the result for the environment
  ansible.builtin.set_fact:
    maintain_result: "{{ {'kept': kept} | hosting.management.maintenance_result(settings.result) }}"
"""

RETURN = r"""
_value:
  description: The result for the environment.
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.maintenance import result_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"maintenance_result": result_of}
