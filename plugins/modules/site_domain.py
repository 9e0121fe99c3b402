#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site_domain
short_description: Add a domain to an environment, or remove it
version_added: 0.1.0
description:
  - Adds a domain to an environment (C(POST /sites/environments/{env_id}/domains), interface section 4.3), unless the
    environment already has it. Removing a domain requires a service that shows the environment's domains.
  - The module does not change the options of an existing domain, because the service offers no request for that.
options:
  domain_name:
    description:
      - The name of the domain.
    type: str
    required: true
  state:
    description:
      - Whether the environment should have the domain.
    type: str
    choices: [present, absent]
    default: present
  is_wildcardless:
    description:
      - Whether to add the domain without a wildcard for its subdomains.
    type: bool
  add_with_www_subdomain:
    description:
      - Whether to add the C(www) subdomain as well.
    type: bool
  setup_type:
    description:
      - How the domain is set up. V(quick) is the value that the interface documents.
    type: str
  custom_ssl_key:
    description:
      - The private key of your own certificate, in PEM format. Requires O(custom_ssl_cert).
    type: str
  custom_ssl_cert:
    description:
      - Your own certificate, in PEM format. Requires O(custom_ssl_key).
    type: str
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.diff
"""

EXAMPLES = r"""
- name: Add a domain
  hosting.management.site_domain:
    environment_id: "{{ hosting_environment_id }}"
    domain_name: campaign.example.com
    is_wildcardless: true
  register: campaign

- name: Remove a domain
  hosting.management.site_domain:
    environment_id: "{{ hosting_environment_id }}"
    domain_name: campaign.example.com
    state: absent
"""

RETURN = r"""
domain:
  description: The domain. Only its name is always present. The rest comes from the service, if it shows domains.
  returned: success
  type: dict
  contains:
    name:
      description: The name of the domain.
      type: str
      sample: campaign.example.com
    id:
      description: The id of the domain.
      returned: when the service shows it
      type: str
      sample: b0000000-0000-4000-8000-000000000011
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
      sample: sites:add-domain-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
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

from ..module_utils._arguments import ModuleSpec, api_options, change_options, environment_option, operation_options
from ..module_utils._entry import run_module
from ..module_utils._parts.domains import CONSTRAINTS, OPTIONS, run

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    {"environment_id": environment_option()},
    OPTIONS,
    **CONSTRAINTS,
)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
