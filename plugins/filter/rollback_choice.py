# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: rollback_choice
short_description: Choose the backup that undoes a release
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Chooses the backup that takes an environment back to where it was before its release. The journal says which backup
    that is; the times of backups have no part in it.
positional: _input, backups, environment
options:
  _input:
    description: The result of M(hosting.management.release_info).
    type: dict
    required: true
  backups:
    description: The backups of the environment, as M(hosting.management.backup_info) lists them.
    type: list
    elements: dict
    required: true
  environment:
    description: What messages call the environment.
    type: str
    required: true
  release:
    description: The release to undo. If empty, the one that is there.
    type: str
    default: ""
  backup_id:
    description: The id of a backup to choose instead.
    type: int
  planned:
    description:
      - What the plan that the run is held to has of the environment. Another backup than its is not chosen.
    type: dict
"""

EXAMPLES = r"""
- name: Choose the backup from before the release
  ansible.builtin.set_fact:
    chosen: "{{ known | hosting.management.rollback_choice(listed.backups, inventory_hostname) }}"
"""

RETURN = r"""
_value:
  description:
    - The C(backup_id), C(tag) and C(release) of the chosen backup. If there is none, C(backup_id) is null, and
      C(problem) says why.
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.deployment import rollback_choice


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"rollback_choice": rollback_choice}
