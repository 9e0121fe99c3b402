# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_goes_back
short_description: Tell whether a failure is a reason to roll a release back
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Tells whether the backup from before a release is to be restored after a failure. It is when the push failed on its
    way, when a task after it failed, or when the site does not work; and only when the release is there, its push has
    ended, and is not too long ago.
positional: known, push
options:
  _input:
    description:
      - What failed, with the C(step), the name of the C(task), its C(msg) and its C(error).
    type: dict
    required: true
  known:
    description:
      - The result of M(hosting.management.release_info).
    type: dict
    required: true
  push:
    description:
      - The result of M(hosting.management.env_push) of this run, or nothing.
    type: dict
    required: true
  release:
    description:
      - The release that is deployed.
    type: str
    required: true
  wanted:
    description:
      - Whether to go back at all.
    type: bool
    required: true
  within:
    description:
      - For how many seconds after a push of an earlier run to go back.
    type: float
    required: true
"""

EXAMPLES = r"""
- name: Tell whether to go back
  ansible.builtin.debug:
    msg: >-
      {{ failure | hosting.management.deploy_goes_back(known, pushed, release='v2', wanted=true, within=3600) }}
"""

RETURN = r"""
_value:
  description: Whether it is.
  type: bool
"""

import time
from collections.abc import Callable

from ..plugin_utils.deployment import goes_back
from ..plugin_utils.plain_values import Record


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_goes_back": deploy_goes_back}


def deploy_goes_back(
    failure: Record, known: Record, push: Record, *, release: str, wanted: bool, within: float
) -> bool:
    return goes_back(failure, known, push, release=release, wanted=wanted, within=within, now=time.time())
