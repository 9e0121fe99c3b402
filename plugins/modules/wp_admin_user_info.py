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

from ..module_utils._arguments import ModuleSpec, api_options, environment_option
from ..module_utils._entry import run_module
from ..module_utils._readings.administrators import OPTIONS, run

SPEC = ModuleSpec(api_options(), {"environment_id": environment_option()}, OPTIONS)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
