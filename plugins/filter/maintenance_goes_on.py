# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_goes_on
short_description: Tell whether something goes on that a task has not waited for
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Tells for P(hosting.management.maintain#role) whether a task has begun an operation that had not ended when the task
    did, or has left something that has to wait. Then there is something to wait for.
options:
  _input:
    description: The result of M(hosting.management.environment), M(hosting.management.manual_backup) or
      M(hosting.management.backup_restore).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Tell whether there is something to wait for
  ansible.builtin.debug:
    msg: "{{ started | hosting.management.maintenance_goes_on }}"
"""

RETURN = r"""
_value:
  description: Whether something goes on.
  type: bool
"""

from collections.abc import Callable

from ..plugin_utils.maintenance import goes_on


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"maintenance_goes_on": goes_on}
