# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The primary domain of an environment."""

from __future__ import annotations

from typing import Any

from .._answers import Record
from .._arguments import Constraints, Option, uuid_option
from .._checks import checked_domain_name
from .._context import NOT_SHOWN, Context
from .._convergence import Observed, Steps, always, converging, in_one_go
from .._errors import InvalidInput
from .._interface import CHANGE_PRIMARY_DOMAIN
from .._sites import domains_of_environment, environment_of_site

OPTIONS: dict[str, dict[str, Any]] = {
    "domain_id": uuid_option(required=False),
    "domain_name": Option(checked_domain_name),
    # Always sent: the service may require it.
    "run_search_and_replace": {"type": "bool", "default": False},
}
CONSTRAINTS: Constraints = {
    "mutually_exclusive": [["domain_id", "domain_name"]],
    "required_one_of": [["domain_id", "domain_name"]],
}


def steps(context: Context) -> Steps[dict[str, Any]]:
    """Choose the primary domain of an environment (interface section 4.6)."""
    domain = {"id": context["domain_id"]} if context["domain_id"] else _domain_named(context)
    names = {str(domain["id"]): domain.get("name")}
    outcome = yield from converging(
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


run = in_one_go(steps)


def _domain_named(context: Context) -> Record:
    domains = domains_of_environment(context)
    if domains is NOT_SHOWN:
        raise InvalidInput(
            "The service does not show the domains of the environment (or companions are switched off), so the id of"
            f" {context['domain_name']} is not known. Nothing was sent. Give domain_id instead."
        )
    if context["domain_name"] not in domains and context["domain_name"] in context.get("to_come", ()):
        return {"id": None, "name": context["domain_name"]}  # in check mode, the same task would add it before
    if context["domain_name"] not in domains:
        raise InvalidInput(
            f"The environment has no domain {context['domain_name']}. It has: {', '.join(domains) or 'none'}. Nothing"
            " was sent. Add the domain with hosting.management.site_domain first."
        )
    return {name: domains[context["domain_name"]][name] for name in ("id", "name")}


def _observe(context: Context, names: dict[str, Any]) -> Observed | None:
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
