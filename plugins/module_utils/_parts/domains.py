# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A domain of an environment."""

from __future__ import annotations

from typing import Any

from .._arguments import Constraints, Option, optional_text_option
from .._checks import checked_domain_name
from .._context import NOT_SHOWN, Context
from .._convergence import Observed, Plan, Steps, converging, in_one_go
from .._errors import BadRequest, InvalidInput
from .._interface import ADD_SITE_DOMAIN, DELETE_SITE_DOMAINS, Request
from .._sites import domains_of_environment

OPTIONS: dict[str, dict[str, Any]] = {
    "domain_name": Option(checked_domain_name, required=True),
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "is_wildcardless": {"type": "bool"},
    "add_with_www_subdomain": {"type": "bool"},
    "setup_type": optional_text_option(),
    "custom_ssl_key": optional_text_option(no_log=True),
    "custom_ssl_cert": optional_text_option(),
}
CONSTRAINTS: Constraints = {"required_together": [["custom_ssl_key", "custom_ssl_cert"]]}


def steps(context: Context) -> Steps[dict[str, Any]]:
    """Add a domain to an environment, or remove it (interface section 4.3)."""
    plan = _addition if context["state"] == "present" else _removal
    try:
        outcome = yield from converging(
            context,
            subject=("site_domain", context["environment_id"], context["domain_name"]),
            name=context["domain_name"],
            plan=lambda before: Plan(context["state"], plan(context, before)),
            observe=lambda: _observe(context),
        )
    except BadRequest as error:
        raise error.with_advice("The environment may have the domain already.") from None
    return outcome.result(domain=outcome.record or {"name": context["domain_name"]})


run = in_one_go(steps)


def _observe(context: Context) -> Observed | None:
    domains = domains_of_environment(context)
    if domains is NOT_SHOWN:
        return NOT_SHOWN
    domain = domains.get(context["domain_name"])
    return Observed("present", domain) if domain else Observed("absent")


def _addition(context: Context, _before: Observed | None) -> Request:
    body = context.given(
        "domain_name",
        "is_wildcardless",
        "add_with_www_subdomain",
        "setup_type",
        "custom_ssl_key",
        "custom_ssl_cert",
    )
    return ADD_SITE_DOMAIN(env_id=context["environment_id"], body=body)


def _removal(context: Context, before: Observed | None) -> Request | None:
    if before is NOT_SHOWN:
        raise InvalidInput(
            "The service does not show the domains of the environment (or companions are switched off), so the id of"
            f" {context['domain_name']} is not known and it cannot be removed. Nothing was sent."
        )
    if before.record is None:
        return None
    return DELETE_SITE_DOMAINS(env_id=context["environment_id"], body={"domain_ids": [before.record["id"]]})
