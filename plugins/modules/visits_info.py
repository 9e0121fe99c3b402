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
from ..module_utils._readings.visits import OPTIONS, run

SPEC = analytics_spec(OPTIONS)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
