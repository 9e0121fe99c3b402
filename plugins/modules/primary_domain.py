#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: primary_domain
short_description: Set the primary domain of an environment
version_added: 0.1.0
description:
  - Makes one of an environment's domains its primary domain (C(PUT /sites/environments/{env_id}/change-primary-domain),
    interface section 4.6).
options:
  domain_id:
    description:
      - The id of the domain. Either this option or O(domain_name) is required.
    type: str
  domain_name:
    description:
      - The name of the domain. The module looks up its id among the environment's domains, which requires a service
        that shows them.
    type: str
  run_search_and_replace:
    description:
      - Whether to replace the old primary domain with the new one in the database.
    type: bool
    default: false
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.site
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.diff
"""

EXAMPLES = r"""
- name: Make the new domain the primary one
  hosting.management.primary_domain:
    site_id: "{{ hosting_site_id }}"
    environment_id: "{{ hosting_environment_id }}"
    domain_name: www.shop.example.com
    run_search_and_replace: true

- name: Return to the primary domain that the inventory recorded
  hosting.management.primary_domain:
    site_id: "{{ hosting_site_id }}"
    environment_id: "{{ hosting_environment_id }}"
    domain_id: "{{ hosting_primary_domain_id }}"
    run_search_and_replace: true
"""

RETURN = r"""
primary_domain:
  description: The primary domain. Contains its name if the task gives it or the service shows it.
  returned: success
  type: dict
  contains:
    id:
      description: The id of the domain.
      type: str
      sample: b0000000-0000-4000-8000-000000000013
    name:
      description: The name of the domain.
      returned: when it is known
      type: str
      sample: www.shop.example.com
state_source:
  description:
    - Where the module found the current state. V(service) if it read the state from the service, V(journal) if the
      service does not show it but the journal records what was last accepted, V(none) if neither knows it.
  returned: success
  type: str
  sample: service
operation:
  description: The operation that the service accepted.
  returned: when the task started an operation, or followed one that an earlier run had started
  type: dict
  contains:
    id:
      description: The id of the operation.
      type: str
      sample: sites:change-primary-domain-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
    state:
      description:
        - V(finished), V(in_progress) (with O(wait=false)), or V(unknown) if the service does not show the operation's
          state.
      type: str
      sample: finished
    message:
      description: The service's message about the operation.
      type: str
    resumed:
      description: Whether an earlier run started the operation, and this task only followed it.
      type: bool
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

from ..module_utils._arguments import (
    ModuleSpec,
    api_options,
    change_options,
    environment_option,
    operation_options,
    uuid_option,
)
from ..module_utils._entry import run_module
from ..module_utils._parts.primary_domain import CONSTRAINTS, OPTIONS, run

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    {"environment_id": environment_option(), "site_id": uuid_option(required=False)},
    OPTIONS,
    **CONSTRAINTS,
)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
