#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: wp_admin_user_info
short_description: Check whether an e-mail address belongs to a WordPress administrator
version_added: 0.1.0
description:
  - Checks whether the environment's WordPress has an administrator with the given e-mail address (C(GET
    /sites/environments/{env_id}/wpa-user-exists), interface section 4.14).
options:
  email:
    description:
      - The e-mail address to look for.
    type: str
    required: true
  query_names:
    description:
      - The names of the query parameters, by option, for a service that uses other names than the public service. The
        public service uses V(email) for O(email).
    type: dict
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Check whether a former colleague is still an administrator
  hosting.management.wp_admin_user_info:
    environment_id: "{{ hosting_environment_id }}"
    email: former@example.com
  register: former

- name: Stop if the account still exists
  ansible.builtin.assert:
    that: not former.has_wp_admin_user
"""

RETURN = r"""
has_wp_admin_user:
  description: Whether the environment has such an administrator.
  returned: success
  type: bool
  sample: true
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

from ..module_utils._arguments import ModuleSpec, api_options, environment_option
from ..module_utils._entry import run_module
from ..module_utils._readings.administrators import OPTIONS, run

SPEC = ModuleSpec(api_options(), {"environment_id": environment_option()}, OPTIONS)


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
