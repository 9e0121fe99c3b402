# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_undo
short_description: Choose the backup to restore after updates that broke a site
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Tells the role P(hosting.management.maintain#role) whether to restore the backup from before the updates. It is
    restored only if the site worked before the updates of this run and does not work after them, if this run took the
    backup right before, and if nothing else was pushed or restored since. A site that could not be asked is no reason.
positional: wanted
options:
  _input:
    description: The results of the tasks, as for P(hosting.management.maintenance_results#filter), and C(now), that of
      M(hosting.management.release_info).
    type: dict
    required: true
  wanted:
    description: Whether to go back at all.
    type: bool
    required: true
"""

EXAMPLES = r"""
- name: Tell which backup to restore
  ansible.builtin.debug:
    msg: "{{ (results | hosting.management.maintenance_undo(true)).backup_id }}"
"""

RETURN = r"""
_value:
  description: The C(backup_id), its C(tag), and the C(release) that it is restored for. If C(backup_id) is null, none
    is restored, and C(problem) says why, if the site does not work.
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.maintenance_undo import undo_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"maintenance_undo": undo_of}
