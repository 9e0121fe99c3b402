# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: maintenance_is_spoilt
short_description: Tell whether updates went wrong
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Tells for P(hosting.management.maintain#role) whether the updates of an environment went wrong, so that no other
    environment may follow. That is so if the site does not work, if an update failed, and if none was made. What the
    service or the site does not have at all says nothing of the updates.
positional: asked
options:
  _input:
    description: The result of M(hosting.management.environment).
    type: dict
    required: true
  asked:
    description: The result of M(hosting.management.site_check) after the updates.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Stop where updates went wrong
  ansible.builtin.assert:
    that: not made | hosting.management.maintenance_is_spoilt(asked)
"""

RETURN = r"""
_value:
  description: Whether the updates went wrong.
  type: bool
"""

from collections.abc import Callable

from ..plugin_utils.maintenance import is_spoilt


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"maintenance_is_spoilt": is_spoilt}
