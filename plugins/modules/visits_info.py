#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: visits_info
short_description: Count the visits of an environment
version_added: 0.1.0
description:
  - Counts the visits of an environment (C(GET /sites/environments/{env_id}/analytics/visits), interface section 4.12).
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
- name: Count the visits of the last week
  hosting.management.visits_info:
    environment_id: "{{ hosting_environment_id }}"
    time_frame: 7_days
  register: week

- name: Count the visits in a given period
  hosting.management.visits_info:
    environment_id: "{{ hosting_environment_id }}"
    start: 2026-11-01
    end: 2026-11-08T00:00:00+01:00

- name: Warn if there were no visits
  ansible.builtin.debug:
    msg: No visits for a week
  when: week.visits.total == 0
"""

RETURN = r"""
visits:
  description: The visits, as numbers.
  returned: success
  type: dict
  contains:
    total:
      description: The total number of visits in the period.
      type: int
      sample: 4711
    points:
      description: The visits over time.
      type: list
      elements: dict
      contains:
        time:
          description: The time, as the service sends it (ISO 8601).
          type: str
          sample: "2026-11-02T00:00:00.000Z"
        visits:
          description: The number of visits.
          type: int
          sample: 42
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
from ..module_utils._readings.visits import OPTIONS, run

SPEC = analytics_spec(OPTIONS)


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
