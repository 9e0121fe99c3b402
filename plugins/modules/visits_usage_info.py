#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: visits_usage_info
short_description: Count the visits of a site this month
version_added: 0.1.0
description:
  - Counts the visits of a site this month, as its plan counts them (C(GET /sites/{site_id}/usage/visits/this-month),
    interface section 4.18).
options:
  site_id:
    description:
      - The id of the site.
    type: str
    required: true
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Count the visits of this month
  hosting.management.visits_usage_info:
    site_id: "{{ hosting_site_id }}"
  register: month

- name: Warn before the plan is used up
  ansible.builtin.debug:
    msg: "{{ month.visits }} visits already"
  when: month.visits > 80000
"""

RETURN = r"""
visits:
  description: The number of visits this month.
  returned: success
  type: int
  sample: 31415
answer:
  description: The service's answer, unchanged.
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

from ..module_utils._arguments import ModuleSpec, api_options, uuid_option
from ..module_utils._entry import run_module
from ..module_utils._readings.usage import OPTIONS, run

SPEC = ModuleSpec(api_options(), {"site_id": uuid_option()}, OPTIONS)


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
