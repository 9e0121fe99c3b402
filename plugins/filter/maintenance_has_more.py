# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_has_more
short_description: Tell whether there is more to begin at an environment
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Tells for P(hosting.management.maintain#role) whether there is something left to begin at an environment, now that
    what was in its way has ended. If not, or if nobody knows, the next task waits itself.
positional: ended
options:
  _input:
    description: The result of M(hosting.management.environment), which has not waited.
    type: dict
    required: true
  ended:
    description: What M(hosting.management.operation_wait) has returned for the environment since.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Tell whether there is more to begin
  ansible.builtin.debug:
    msg: "{{ started | hosting.management.maintenance_has_more(waited.environments[hosting_environment_id]) }}"
"""

RETURN = r"""
_value:
  description: Whether there is more to begin.
  type: bool
"""

from collections.abc import Callable

from ..plugin_utils.maintenance import has_more


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"maintenance_has_more": has_more}
