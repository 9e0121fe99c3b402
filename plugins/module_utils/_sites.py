# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the environments of a site stand, where the service shows it (companions of the interface)."""

from __future__ import annotations

from ._answers import Answer, Record
from ._context import NOT_SHOWN, Context
from ._errors import InvalidInput
from ._interface import GET_ENVIRONMENTS, GET_SITE_DOMAINS


def domains_of_environment(context: Context) -> dict[str, Record] | None:
    """Return the records of the environment's domains by name, or NOT_SHOWN when they cannot be read."""
    answer = context.companion(GET_SITE_DOMAINS(env_id=context["environment_id"]))
    if answer is NOT_SHOWN:
        return NOT_SHOWN
    return domains_in(answer)


def domains_in(answer: Answer) -> dict[str, Record]:
    """Return the records of an environment's domains by name, in lower case, from an answer."""
    domains = answer.named("environment.site_domains")
    if not all(isinstance(domain.get("id"), str) for domain in domains.values()):
        raise answer.malformed("environment.site_domains")
    return {name.lower(): domain for name, domain in domains.items()}


def environments_of_site(context: Context) -> list[Record] | None:
    """Return the records of the site's environments, or NOT_SHOWN when they cannot be read or no site is given."""
    if context["site_id"] is None:
        return NOT_SHOWN
    answer = context.companion(GET_ENVIRONMENTS(site_id=context["site_id"]))
    return NOT_SHOWN if answer is NOT_SHOWN else answer.records("site.environments")


def environment_of_site(context: Context) -> Record | None:
    """Return the record of the task's environment, or NOT_SHOWN when it cannot be read."""
    environments = environments_of_site(context)
    if environments is NOT_SHOWN:
        return NOT_SHOWN
    return _own(context, environments)


def shown_environment(context: Context) -> Record:
    """Return the record of the task's environment; raise the error for which it cannot be read."""
    if context["site_id"] is None:
        raise InvalidInput("The service shows it by site only. Nothing was sent for it. Give site_id.")
    answer = context.send_once(GET_ENVIRONMENTS(site_id=context["site_id"]))
    return _own(context, answer.records("site.environments"))


def _own(context: Context, environments: list[Record]) -> Record:
    """Return the record of the task's environment among those of its site."""
    for environment in environments:
        if environment.get("id") == context["environment_id"]:
            return environment
    raise InvalidInput(
        f"The site {context['site_id']} has no environment {context['environment_id']}. It has:"
        f" {', '.join(str(environment.get('id')) for environment in environments) or 'none'}.",
        says_so=False,
    )
