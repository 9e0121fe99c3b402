# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_targets
short_description: Check the ids of the role deploy against what the service lists
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Compares what the role P(hosting.management.deploy#role) is to push, and where, with the environments that the
    service lists. Finds ids of environments that do not exist or belong to another site, and a source that is named
    C(live).
  - Where the service lists nothing, nothing is wrong.
positional: looked, company
options:
  _input:
    description:
      - What P(hosting.management.deploy_settings#filter) returned for each host. Empty for a host that has not got so
        far.
    type: list
    elements: dict
    required: true
  looked:
    description:
      - The result of M(hosting.management.deployment_info) for each host. Empty for a host that has not got so far.
    type: list
    elements: dict
    required: true
  company:
    description:
      - The result of M(hosting.management.environment_info) for the company, where it was read.
    type: dict
"""

EXAMPLES = r"""
- name: Stop if an id is wrong
  ansible.builtin.assert:
    that: ([asked] | hosting.management.deploy_targets([looked])).problems | length == 0
"""

RETURN = r"""
_value:
  description:
    - C(problems) has a sentence for each problem. C(asks_company) says that the environments of the whole company could
      tell more, and C(are_in_doubt) that either is so.
  type: dict
  sample:
    problems: []
    asks_company: false
    are_in_doubt: false
"""

from collections.abc import Callable

from ..plugin_utils.plain_values import Record
from ..plugin_utils.preflight import targets_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_targets": deploy_targets}


def deploy_targets(settings: list[Record], looked: list[Record], company: Record | None = None) -> Record:
    hosts = [{"settings": one, "listed": seen.get("site") or {}} for one, seen in zip(settings, looked, strict=True)]
    return targets_of(hosts, company)
