# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_target
short_description: Check the ids of the role deploy against what the service lists
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Compares what the role P(hosting.management.deploy#role) is to push, and where, with the environments that the
    service lists. Finds ids of environments that do not exist or belong to another site, and a source that is named
    C(live).
  - Where the service lists nothing, nothing is wrong.
options:
  _input:
    description:
      - What is asked of a host. C(host) is its name; C(site_id), C(environment_id) and C(source_environment_id) are the
        ids, the last one empty if nothing is pushed; C(from_live) says that the source may be the live environment.
        C(listed) is the result of M(hosting.management.environment_info) for the site, and C(company) that for the
        company, where it was read.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Stop if an id is wrong
  ansible.builtin.assert:
    that: (asked | hosting.management.deploy_target).problems | length == 0
"""

RETURN = r"""
_value:
  description:
    - C(line) is the host's line of the plan, and C(problems) has a sentence for each problem. C(asks_company) says that
      the environments of the whole company could tell more.
  type: dict
  sample:
    line: "shop-live: staging → live (shop.example.com)"
    problems: []
    asks_company: false
"""

from dataclasses import asdict

from ..plugin_utils.plain_values import plain
from ..plugin_utils.preflight import asked_of, target_of


class FilterModule:
    def filters(self):
        return {"deploy_target": deploy_target}


def deploy_target(asked):
    return asdict(target_of(asked_of(plain(asked))))
