# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a site responds as expected, and with which of its updates."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from ._arguments import Constraints, Option
from ._checks import checked_count, checked_not_negative
from ._context import Context
from ._errors import CheckFailed, ConnectionFailed, HostingError, InvalidInput
from ._judging import await_updates, ended_trials, judge_environment
from ._pages import Expectation, Page, ask, checked_urls
from ._verdicts import BROKE_IT, WORKS, Trial, trials_at

MOST_AT_ONCE = 8
"""Addresses of a site that are asked side by side."""


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

CONSTRAINTS: Constraints = {"required_together": [["url_username", "url_password"]]}


def require_address(params: Mapping[str, Any]) -> None:
    """Raise InvalidInput when there is neither an address to request nor an environment to wait for."""
    if not params["urls"] and params["environment_id"] is None:
        raise InvalidInput("urls must have at least one address, unless environment_id is given. Nothing was sent.")


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


def _check_all(context: Context) -> list[dict[str, Any]]:
    """Ask the addresses side by side, so that a slow one holds up no other, and no pause is waited for twice."""
    urls = context["urls"]
    if len(urls) < 2:  # without the price of a thread
        return [_check(context, url) for url in urls]
    with ThreadPoolExecutor(min(len(urls), MOST_AT_ONCE)) as pool:
        return list(pool.map(lambda url: _check(context, url), urls))


def _check(context: Context, url: str) -> dict[str, Any]:
    """Ask one address until it answers as it should, or the attempts are used up."""
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
