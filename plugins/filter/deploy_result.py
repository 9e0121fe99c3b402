# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_result
short_description: Summarize the deployment to one environment
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Sums up, from the results that the tasks of the role P(hosting.management.deploy#role) registered, what was done,
    what failed, and what to do next. The role returns this as C(deploy_result).
positional: settings
options:
  _input:
    description:
      - What was done, as P(hosting.management.deploy_steps#lookup) returns it as C(done).
    type: dict
    required: true
  settings:
    description:
      - What P(hosting.management.deploy_host#lookup) returned for the host.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Keep the result for the environment
  ansible.builtin.set_fact:
    deploy_result: "{{ steps.done | hosting.management.deploy_result(asked) }}"
"""

RETURN = r"""
_value:
  description: The result for the environment.
  type: dict
"""

import time
from collections.abc import Callable
from datetime import datetime

from ..plugin_utils.deployment_outcome import result_of
from ..plugin_utils.plain_values import Record, plain


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_result": deploy_result}


def deploy_result(done: Record, settings: Record) -> Record:
    done, now = plain(done), time.time()
    looked = done["looked"]
    began = datetime.fromisoformat(looked["read_at"]).timestamp() if looked.get("read_at") else now
    return result_of({**done, "before": looked.get("releases") or {}}, settings, began, now)
