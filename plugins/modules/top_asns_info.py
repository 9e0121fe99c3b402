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
  description: What went wrong, as values for conditions. The human-readable message is in RV(ignore:msg).
  returned: failure
  type: dict
  contains:
    kind:
      description:
        - One of V(invalid_input), V(connection), V(timeout), V(unauthorized), V(not_found), V(bad_request),
          V(rate_limited), V(service), V(malformed_response), V(operation_failed), V(operation_timeout),
          V(check_failed), V(outcome_unknown), V(journal), V(missing_library), V(unexpected).
      type: str
      sample: unauthorized
    status:
      description: The HTTP status of the answer, if there was one.
      type: int
    is_offered:
      description: Whether the service offers the endpoint, as far as its answer tells. V(false) where it has no such
        endpoint, or none that the key's user may read.
      type: bool
    message:
      description: The service's own message, if it sent one.
      type: str
    method:
      description: The HTTP method of the failed request.
      type: str
    path:
      description: The path of the failed request, relative to O(base_url).
      type: str
    operation_id:
      description: The id of the operation concerned, if there is one.
      type: str
"""

from ..module_utils._analytics import analytics_spec
from ..module_utils._entry import run_module
from ..module_utils._readings.networks import OPTIONS, run

SPEC = analytics_spec(OPTIONS)


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
