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

from ..module_utils._arguments import ModuleSpec, api_options, uuid_option
from ..module_utils._entry import run_module
from ..module_utils._readings.usage import OPTIONS, run

SPEC = ModuleSpec(api_options(), {"site_id": uuid_option()}, OPTIONS)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
