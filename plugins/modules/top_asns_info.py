#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: top_asns_info
short_description: List the networks that send the most requests to an environment
version_added: 0.1.0
description:
  - Lists the autonomous systems that sent the most requests to an environment (C(GET
    /sites/environments/{env_id}/analytics/top-asns), interface section 4.13).
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.analytics
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: List the networks that sent the most requests
  hosting.management.top_asns_info:
    environment_id: "{{ hosting_environment_id }}"
    time_frame: 24_hours
  register: day

- name: Show the busiest one
  ansible.builtin.debug:
    msg: "{{ day.asns[0].name }}: {{ day.asns[0].views }} requests"
  when: day.asns | length > 0
"""

RETURN = r"""
asns:
  description: The autonomous systems, the one with the most requests first.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: The label of the autonomous system.
      type: str
      sample: AS64500 Example Net
    views:
      description: How many requests the autonomous system sent.
      type: int
      sample: 1200
analytics:
  description: The C(analytics) object of the service's answer, unchanged.
  returned: success
  type: dict
error:
  description:
    - What went wrong, as values for conditions. The human-readable message is in RV(ignore:msg).
    - L(When something fails,https://github.com/hosting-management/hosting.management/blob/main/docs/failures.md)
      says which kinds there are, what to do about each, and what else the values tell.
  returned: failure
  type: dict
  contains:
    kind:
      description: What kind of failure it was.
      type: str
      sample: unauthorized
"""

from ..module_utils._analytics import analytics_spec
from ..module_utils._entry import run_module
from ..module_utils._readings.networks import OPTIONS, run

SPEC = analytics_spec(OPTIONS)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
