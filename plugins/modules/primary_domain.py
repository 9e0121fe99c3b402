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

from ..module_utils._arguments import (
    ModuleSpec,
    Option,
    api_options,
    change_options,
    environment_option,
    operation_options,
    uuid_option,
)
from ..module_utils._checks import checked_domain_name
from ..module_utils._context import NOT_SHOWN
from ..module_utils._convergence import Observed, always, converge
from ..module_utils._entry import run_module
from ..module_utils._errors import InvalidInput
from ..module_utils._interface import CHANGE_PRIMARY_DOMAIN
from ..module_utils._sites import (
    domains_of_environment,
    environment_of_site,
)

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    {
        "environment_id": environment_option(),
        "domain_id": uuid_option(required=False),
        "domain_name": Option(checked_domain_name),
        # Always sent: the service may require it.
        "run_search_and_replace": {"type": "bool", "default": False},
        "site_id": uuid_option(required=False),
    },
    mutually_exclusive=[["domain_id", "domain_name"]],
    required_one_of=[["domain_id", "domain_name"]],
)


def run(context):
    """Choose the primary domain of an environment (interface section 4.6)."""
    domain = {"id": context["domain_id"]} if context["domain_id"] else _domain_named(context)
    names = {domain["id"]: domain.get("name")}
    outcome = converge(
        context,
        subject=("primary_domain", context["environment_id"]),
        name="domain_id",
        plan=always(
            domain["id"],
            CHANGE_PRIMARY_DOMAIN(
                env_id=context["environment_id"],
                body={"domain_id": domain["id"], **context.given("run_search_and_replace")},
            ),
        ),
        observe=lambda: _observe(context, names),
    )
    result = outcome.result(primary_domain=outcome.record or domain)
    for state in result.get("diff", {}).values():
        domain_id = state.pop("domain_id")
        state["primary_domain"] = names.get(str(domain_id)) or domain_id
    return result


def _domain_named(context):
    domains = domains_of_environment(context)
    if domains is NOT_SHOWN:
        raise InvalidInput(
            "The service does not show the domains of the environment (or companions are switched off), so the id of"
            f" {context['domain_name']} is not known. Nothing was sent. Give domain_id instead."
        )
    if context["domain_name"] not in domains:
        raise InvalidInput(
            f"The environment has no domain {context['domain_name']}. It has: {', '.join(domains) or 'none'}. Nothing"
            " was sent. Add the domain with hosting.management.site_domain first."
        )
    return {name: domains[context["domain_name"]][name] for name in ("id", "name")}


def _observe(context, names):
    """Return the id of the primary domain, and put the names that are shown of the environment's domains into names."""
    environment = environment_of_site(context)
    if environment is NOT_SHOWN:
        return NOT_SHOWN
    domains = environment.get("domains")
    listed = [domain for domain in domains if isinstance(domain, dict)] if isinstance(domains, list) else []
    names.update({str(domain.get("id")): domain.get("name") for domain in listed})
    primary = environment.get("primaryDomain")
    if primary is None:
        return Observed(None)
    if not isinstance(primary, dict) or "id" not in primary:
        return NOT_SHOWN
    return Observed(primary["id"], {name: primary.get(name) for name in ("id", "name")})


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
