# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_results
short_description: Summarize the maintenance of each environment
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Sums up, from the results that the tasks of the role P(hosting.management.maintain#role) registered, what was done
    at each environment, what failed, and what you should know. The role returns this as C(maintain_result).
positional: names
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
        P(hosting.management.maintain_host#lookup) returned. C(kept) and C(made) are the results of
        M(hosting.management.environment) without and with updates, C(update_backup) that of
        M(hosting.management.manual_backup), C(well) that of M(hosting.management.site_check) after updates, C(judged)
        that of M(hosting.management.update_verdict), C(log) that of M(hosting.management.site_log_info), C(pictures)
        and C(pictures_after) those of M(hosting.management.site_snapshot), C(compared) that of
        M(hosting.management.site_compare), C(undo) what P(hosting.management.maintenance_undo#filter) returned,
        C(restore) and C(restored) the results of M(hosting.management.backup_restore), and C(back) that of
        M(hosting.management.site_check) after a restore. C(held_by) is the name of the host whose updates went wrong.
        Hosts that have not got so far lack them, or have empty ones.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Keep the results of all environments
  ansible.builtin.set_fact:
    results: "{{ ansible_play_batch | map('extract', hostvars) | hosting.management.maintenance_results(names) }}"
"""

RETURN = r"""
_value:
  description: The C(host) and its C(result), for each host that was looked at.
  type: list
  elements: dict
"""

from collections.abc import Callable

from ..plugin_utils.maintenance import results_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"maintenance_results": results_of}
