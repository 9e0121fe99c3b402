# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a site responds as expected, and with which of its updates."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import urlsplit

from ._arguments import Constraints, ModuleSpec, Nested, Option, text_option
from ._checks import checked_count, checked_not_negative, checked_positive
from ._context import Context
from ._errors import CheckFailed, ConnectionFailed, HostingError, InvalidInput
from ._judging import await_updates, ended_trials, judge_environment
from ._pages import Expectation, Page, ask, checked_urls
from ._verdicts import BROKE_IT, WORKS, Trial, trials_at

MOST_AT_ONCE = 8
"""Addresses that are asked side by side, of one site or of many."""
MOST_PAUSING = 100
"""Addresses that have their turn: asked, or pausing before the next attempt, which keeps no other one waiting."""


OPTIONS: dict[str, dict[str, Any]] = {
    "urls": Option(checked_urls, type="list", elements="str", required=True),
    "status": {"type": "list", "elements": "int", "default": [200]},
    "contains": {"type": "list", "elements": "str", "default": []},
    "lacks": {"type": "list", "elements": "str", "default": []},
    "attempts": Option(checked_count, type="int", default=3),
    "pause": Option(checked_not_negative, type="float", default=5),
    "url_username": {"type": "str"},
    "url_password": {"type": "str", "no_log": True},
    "validate_site_certs": {"type": "bool", "default": True},
}
"""What is asked of a site."""

CHECKED = {"url", "ok", "problem", "is_of_site", "attempts"}
"""What is known of an address that was asked, and says what is wrong with it."""

CONSTRAINTS: Constraints = {"required_together": [["url_username", "url_password"]]}


def sites_option() -> Nested:
    """The option for several sites, each with a name and what is asked of it."""
    own = {"name": text_option(), "timeout": Option(checked_positive, type="float", default=30)}
    return Nested(ModuleSpec(own, OPTIONS, needs_service=False, **CONSTRAINTS), several=True)


def require_address(params: Mapping[str, Any]) -> None:
    """Raise InvalidInput when there is neither an address to request nor an environment to wait for."""
    ways = [name for name in ("urls", "sites", "checked") if params[name] is not None]
    if len(ways) != 1:
        given = f", and not {' and '.join(ways)}" if ways else ""
        raise InvalidInput(f"One of urls, sites and checked is needed{given}. Nothing was sent.")
    if ways != ["urls"] and params["environment_id"] is not None:
        raise InvalidInput(f"environment_id goes with urls, and not with {ways[0]}. Nothing was sent.")
    if params["urls"] == [] and params["environment_id"] is None:
        raise InvalidInput("urls must have at least one address, unless environment_id is given. Nothing was sent.")
    names = [one["name"] for one in params["sites"] or []]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"sites has {twice} twice: give each site a name of its own. Nothing was sent.")
    known = (params["checked"] or {"checks": []}).get("checks")
    if not isinstance(known, list) or not all(isinstance(one, dict) and {*one} >= CHECKED for one in known):
        raise InvalidInput("checked is nothing that a task with sites has returned of a site. Nothing was sent.")


def check_site(context: Context) -> dict[str, Any]:
    """Request the addresses of a site, and judge the updates of its environment if the task names one.

    Raises CheckFailed when the site does not respond as expected, ConnectionFailed when it could not be asked, and what
    kept the updates from being read or judged when the site works.
    """
    judging = _Judging(context)
    judging.wait()
    checks = _check_all(context)
    problem = _problem_in(checks, context.get("known_problem"))
    judging.record(checks, problem)
    results = {"checks": checks, **judging.results()}
    error = problem or judging.problem
    if error is None:
        return results
    if problem and judging.problem:
        problem.with_advice(f"What is known of its updates could not be recorded: {judging.problem}")
    error.results.update(results)
    raise error


class _Judging:
    """What is known of the updates of the task's environment, if it names one."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.has_ended: bool | None = None
        self.problem: HostingError | None = None
        self.seen: list[Trial] = []
        self._is_wanted = context["environment_id"] is not None

    def wait(self) -> None:
        """Wait for the updates that are in progress, and keep which of them the site has when it is asked."""
        if not self._is_wanted:
            return
        try:
            self.has_ended = await_updates(self.context)
            self.seen = ended_trials(self.context)
        except HostingError as error:
            self.problem = error

    def record(self, checks: list[dict[str, Any]], problem: HostingError | None) -> None:
        """Record the verdict on what nobody has judged, as far as the site could be asked."""
        if not checks or not self.has_ended or isinstance(problem, ConnectionFailed) or self.context.check_mode:
            return
        try:
            by_looks = bool(self.context.get("known_problem"))
            verdict = BROKE_IT if problem else WORKS
            judge_environment(self.context, verdict, str(problem or ""), self.seen, by_looks=by_looks)
        except HostingError as error:
            self.problem = error

    def results(self) -> dict[str, Any]:
        """Return what the task's result has about the updates."""
        if not self._is_wanted:
            return {}
        updates = None
        with suppress(HostingError):
            updates = [one.as_result() for one in trials_at(self.context, self.context["environment_id"])]
        return {"updates": updates, "has_ended": self.has_ended}


def _problem_in(checks: list[dict[str, Any]], known: str | None) -> HostingError | None:
    problems = [one for one in checks if not one["ok"]]
    message = " ".join(f"{one['url']} {one['problem']} (attempts: {one['attempts']})." for one in problems)
    if known or any(one["is_of_site"] for one in problems):
        return CheckFailed(" ".join(filter(None, [message, known])))
    if not problems:
        return None
    return ConnectionFailed(
        f"{message} Whether the site works is not known. Check the network, the name resolution and the proxy settings"
        " of the machine that runs this task, then run again."
    )


def check_sites(context: Context) -> dict[str, Any]:
    """Request the addresses of several sites, and return what was found out about each, by its name.

    Raises CheckFailed when one of them does not respond as expected, and ConnectionFailed when one could not be asked.
    """
    sites = {one["name"]: context.narrowed(one) for one in context["sites"]}
    checks = iter(_check_side_by_side([(site, url) for site in sites.values() for url in site["urls"]]))
    of_site = {name: [next(checks) for _url in site["urls"]] for name, site in sites.items()}
    problems = {name: problem for name, done in of_site.items() if (problem := _problem_in(done, None))}
    results: dict[str, Any] = {}
    for name, done in of_site.items():
        failure = problems[name].as_result() if name in problems else {"failed": False, "msg": None, "error": None}
        results[name] = {**failure, "checks": done}
    if not problems:
        return {"sites": results}
    is_of_site = any(isinstance(one, CheckFailed) for one in problems.values())
    message = " ".join(f"{name}: {problem}" for name, problem in problems.items())
    error: HostingError = CheckFailed(message) if is_of_site else ConnectionFailed(message)
    error.results.update(sites=results)
    raise error


def _check_all(context: Context) -> list[dict[str, Any]]:
    """Ask the addresses of a site, unless an earlier task has."""
    if context.get("checked") is not None:
        return list(context["checked"]["checks"])
    return _check_side_by_side([(context, url) for url in context["urls"]])


def _check_side_by_side(asked: list[tuple[Context, str]]) -> list[dict[str, Any]]:
    """Ask addresses side by side, so that a slow one holds up no other, and no pause is waited for twice."""
    turns = BoundedSemaphore(MOST_AT_ONCE)
    if len(asked) < 2:  # without the price of a thread
        return [_check(site, url, turns) for site, url in asked]
    with ThreadPoolExecutor(min(len(asked), MOST_PAUSING)) as pool:
        return list(pool.map(lambda one: _check(one[0], one[1], turns), asked))


def _check(context: Context, url: str, turns: BoundedSemaphore) -> dict[str, Any]:
    """Ask one address until it answers as it should, or the attempts are used up, each time when it is its turn."""
    expected = Expectation(frozenset(context["status"]), tuple(context["contains"]), tuple(context["lacks"]))
    login = (context["url_username"] or "", context["url_password"] or "")
    names = [urlsplit(other).hostname for other in [context["base_url"] or "", *context["urls"]]]
    other_names = [name for name in dict.fromkeys(names) if name not in (None, urlsplit(url).hostname)]
    page: Page | None = None
    attempts = 0
    while page is None or (page.problem and attempts < context["attempts"]):
        if page:
            context.report(f"{url} {page.problem}; asking again")
            time.sleep(context["pause"])
        attempts += 1
        with turns:
            began = time.monotonic()
            page = ask(
                url,
                expected,
                timeout=context["timeout"],
                validate_certs=context["validate_site_certs"],
                login=login,
                other_names=other_names,
            )
            seconds = round(time.monotonic() - began, 3)
    return {
        "url": url,
        "ok": page.problem is None,
        "status": page.status,
        "problem": page.problem,
        "is_of_site": page.is_of_site,
        "attempts": attempts,
        "seconds": seconds,
    }
