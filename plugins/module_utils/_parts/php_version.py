# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The PHP version of an environment."""

from __future__ import annotations

import re
from typing import Any

from .._arguments import text_option
from .._context import NOT_SHOWN, Context
from .._convergence import Observed, Plan, Steps, converging, in_one_go
from .._environments import automatic_updates_of, php_version_of
from .._errors import HostingError, InvalidInput
from .._interface import MODIFY_PHP_VERSION, Request
from .._sites import environment_of_site
from .._under_way import Kind, Start
from .._verdicts import PHP, Guard, canary_options


def _check_version(params: dict[str, Any]) -> None:
    """Bring the version into the form that the service takes."""
    params["version"] = params["version"].strip().removeprefix("php")
    if not re.fullmatch(r"[0-9]+\.[0-9]+", params["version"]):
        raise InvalidInput(
            f"version must be a version of PHP such as 8.4, not {params['version']!r}. Nothing was sent."
        )


OPTIONS: dict[str, dict[str, Any]] = {
    "version": text_option(),
    "automatic_updates": {"type": "bool"},
    **canary_options(),
}
RULE = _check_version


def steps(context: Context) -> Steps[dict[str, Any]]:
    """Set the PHP version of an environment (a companion of the interface)."""
    body = {**context.given("environment_id"), "php_version": context["version"]}
    if context["automatic_updates"] is not None:
        body["is_opt_out_from_automatic_php_update"] = not context["automatic_updates"]
    guard = Guard(context, PHP)
    change = _Change(context, guard, MODIFY_PHP_VERSION(body=body))
    try:
        outcome = yield from converging(
            context,
            subject=("php_version", context["environment_id"]),
            name="php",
            plan=change.plan,
            observe=lambda: _observe(context),
            start=Start(Kind.UPDATE, context["environment_id"]),
            take=change.take,
        )
    except HostingError as error:
        if error.nothing_done:
            guard.withdraw()
        raise
    return outcome.result(php_version=change.version_after, held=guard.held)


run = in_one_go(steps)


class _Change:
    """The change of the version, unless that is held back; and what the version is then."""

    def __init__(self, context: Context, guard: Guard, request: Request) -> None:
        self.context, self.guard, self.request = context, guard, request
        self.shown: str | None = None
        self.version_after: str | None = context["version"]
        self.is_taken = context.started is not None

    def plan(self, before: Observed | None) -> Plan:
        self.shown = before.value["version"] if before else None
        is_new = self.shown != self.context["version"]
        if not is_new or self.is_taken or self.guard.lets(PHP, self.context["version"]):
            return Plan(self.context.given("version", "automatic_updates"), self.request)
        self.version_after = self.shown
        return Plan(before.value if before else None, None)

    def take(self) -> bool:
        if self.shown != self.context["version"]:
            self.is_taken = not self.guard.take({PHP: (self.shown, self.context["version"])})
            return self.is_taken
        return True


def _observe(context: Context) -> Observed | None:
    environment = environment_of_site(context)
    if environment is NOT_SHOWN:
        return NOT_SHOWN
    version = php_version_of(environment)
    if version is None:
        return NOT_SHOWN
    if context["automatic_updates"] is None:
        return Observed({"version": version})
    automatic_updates = automatic_updates_of(environment)
    if automatic_updates is not None:
        return Observed({"version": version, "automatic_updates": automatic_updates})
    # Where all is as wanted that is shown, the journal decides about the rest.
    return NOT_SHOWN if version == context["version"] else Observed({"version": version})
