# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One wait for many: the operations of a wave of environments, followed side by side with one budget of looks.

What is under way is known by the journal, and its end is noted there. Nothing is ever sent but looks, so two waits for
the same operations are two readers.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

from ._client import Client
from ._context import Context
from ._errors import HostingError, RateLimited, Unauthorized
from ._journal import Entry, Journal, Subject, note_progress
from ._operations import (
    FAILING_INTERVAL,
    NEVER_SEEN,
    NO_ENDPOINT,
    NOT_KNOWN,
    REPORT_EVERY,
    SHOWS_NONE,
    SWITCHED_OFF,
    VERDICT_WITHIN,
    VISIBLE_AFTER,
    Operation,
    Shown,
    is_well,
)
from ._progress import FAILED, FINISHED, IN_PROGRESS, UNKNOWN
from ._turns import MINUTE, Budget, Followed, Sort, Turns, end_in_turn, kind_named, sort_of

LOOKS_PER_MINUTE = 90
"""The default of ``looks_per_minute``: public services grant 120 requests a minute."""

PROBE_FOR = 5.0  # seconds in which the service has to say whether it is well
LET_GO_FOR = 1.0  # seconds of a pause, from which on a journal in a database is closed meanwhile
MOST_SAMPLES = 50  # of how long operations took, the newest


def wait_for_all(
    context: Context, environment_ids: Collection[str], kinds: Collection[str], names: Mapping[str, str]
) -> dict[str, Any]:
    """Wait for what is under way at environments, and return how it stands: the module's result.

    Besides the options of a module that waits, the task has ``looks_per_minute``, ``pause_when_unknown`` and
    ``overlap``.
    """
    rows = _rows_of(context.journal.subjects(context.client.base_url, ""), environment_ids, kinds)
    now, clock = time.monotonic(), time.time()
    following = [
        Followed(
            subject,
            entry,
            environment_id,
            # Most are of this run. Who acts on the end of one looks again.
            Operation(entry.operation_id, accepted_at=entry.sent_at, resumed=True, counts_by_clock=True),
            now - max(0.0, clock - entry.sent_at),
        )
        for environment_id, subject, entry in rows
        if entry.progress == IN_PROGRESS
    ]
    left: list[Followed] = []
    if not context.check_mode:
        if context.companions:
            left = _follow(context, following, _durations(rows), names)
        else:
            for one in following:
                one.operation.cannot_be_told(SWITCHED_OFF)
        _pause(context, following)
    seen = [one for one in following if one not in left]
    return {**_result(seen, time.monotonic()), "left": [one.environment_id for one in left]}


def _rows_of(
    known: Iterable[tuple[Subject, Entry]], environment_ids: Collection[str], kinds: Collection[str]
) -> list[tuple[str, Subject, Entry]]:
    """Return the rows of these kinds, oldest first; those of other environments only where they tell of durations."""
    wanted = set(environment_ids)
    found: list[tuple[str, Subject, Entry]] = []
    for subject, entry in known:
        if kind_named(subject, entry) not in kinds:
            continue
        ids = wanted.intersection(subject[1].split("/"))
        environment_id = next(iter(ids), "")
        if environment_id or entry.progress == FINISHED:
            found.append((environment_id, subject, entry))
    return found


def _durations(rows: Iterable[tuple[str, Subject, Entry]]) -> dict[Sort, float]:
    """Return how many seconds operations of each sort took, as the journal has it."""
    samples: dict[Sort, list[float]] = {}
    for _environment_id, subject, entry in rows:
        if entry.progress == FINISHED and entry.operation_id and entry.ended_at is not None:
            samples.setdefault(sort_of(subject, entry), []).append(max(0.0, entry.ended_at - entry.sent_at))
    return {sort: statistics.median(taken[-MOST_SAMPLES:]) for sort, taken in samples.items()}


def _follow(
    context: Context,
    following: list[Followed],
    took: Mapping[Sort, float],
    names: Mapping[str, str],
) -> list[Followed]:
    """Look at the operations until none goes on, or the time is over, and note their ends.

    With ``overlap``, those that are about to end in turn are left to others, and returned.
    """
    journal = context.journal
    client = context.client_without_retries()
    shown = Shown(client, journal)
    budget = Budget(float(context["looks_per_minute"]))
    turns = Turns(budget, took, context.poll_interval)
    started = reported = time.monotonic()
    deadline = started + context.wait_timeout
    pending = [one for one in following if one.goes_on]
    with ThreadPoolExecutor(budget.side_by_side) as threads:  # which begin when they are needed
        # A look comes back to it by itself, so it is sent once. A probe between two looks waits for its answer.
        looks = _Looks(client, context.client, budget, threads)
        while pending:
            now = time.monotonic()
            left = deadline - now
            if left <= 0 and any(one.operation.seems_failed for one in pending):
                left += VERDICT_WITHIN
            if left <= 0:
                return []
            if now - reported >= REPORT_EVERY:
                reported = now
                context.report(_progress(pending, len(following), names, now, now - started))
            # One look is enough to learn that a service shows no operations.
            most = None if any(one.operation.was_shown for one in following) else 1
            due, at = turns.take(pending, now, now - started, most)
            if not due:
                pause = max(0.0, min(at - now, left, reported + REPORT_EVERY - now))
                if pause > LET_GO_FOR:
                    journal.let_go()
                time.sleep(pause)
                continue
            for one in looks.take(due, shown.visible_after, max(deadline, now + 1)):
                turns.heard(one, time.monotonic())
                if one.operation.was_shown:
                    shown.learn(one.operation)  # that it shows none is for those to tell who have its key
                if not one.goes_on:
                    _take_end(one, following, journal)
            pending = [one for one in pending if one.goes_on]  # some may be given up
            # Many tasks that look on their own would only be refused more often.
            if context["overlap"] and not budget.is_limited and end_in_turn(following, time.monotonic()):
                return pending
    return []


class _Looks:
    """Looks at operations, some side by side.

    :param client: sends each look once.
    :param patient_client: asks whether the service is well; it may be told to wait before it is answered.
    :param budget: is told what the answers say about it.
    :param threads: take the looks that are taken side by side.
    """

    def __init__(self, client: Client, patient_client: Client, budget: Budget, threads: ThreadPoolExecutor) -> None:
        self._client, self._patient_client, self._budget, self._threads = client, patient_client, budget, threads
        self._well_at = -MINUTE  # when it was well the last time that it was asked, in seconds of time.monotonic()
        self._asking = Lock()

    def take(self, due: Sequence[Followed], visible_after: float, deadline: float) -> list[Followed]:
        """Look once at each of these operations, and return those of which the answer says how they stand.

        Whoever was not answered because there were too many requests keeps its turn.
        """
        now = time.monotonic()

        def look(one: Followed) -> HostingError | None:
            try:
                one.operation.look(self._client, visible_after, deadline, lambda: self._is_well(deadline))
            except Unauthorized:
                raise
            except HostingError as error:
                return error
            return None

        problems = self._each(look, due)
        for one, problem in zip(due, problems, strict=True):
            if not isinstance(problem, RateLimited):
                one.looked = now
            if problem is None:
                self._budget.hear()
            elif not isinstance(problem, RateLimited):
                one.operation.hear_nothing(str(problem))
        self._slow_down([problem for problem in problems if problem])
        heard = [one for one, problem in zip(due, problems, strict=True) if problem is None]
        return [one for one in heard if not one.operation.why_silent]

    def _each(
        self, look: Callable[[Followed], HostingError | None], due: Sequence[Followed]
    ) -> list[HostingError | None]:
        if len(due) == 1:  # without the price of a thread
            return [look(due[0])]
        return list(self._threads.map(look, due))

    def _slow_down(self, problems: Sequence[HostingError]) -> None:
        """Take in what answers that say nothing mean for the looks to come; those that came together count once."""
        refusals = [problem for problem in problems if isinstance(problem, RateLimited)]
        if refusals:
            self._budget.slow_down(time.monotonic(), max(one.retry_after or 0.0 for one in refusals))
        elif problems:
            self._budget.pause(time.monotonic())

    def _is_well(self, deadline: float) -> bool:
        """Tell whether the service is well. For operations that fail together, it is asked once."""
        with self._asking:
            now = time.monotonic()
            if now - self._well_at < FAILING_INTERVAL:
                return True
            self._budget.take(now)
            if not is_well(self._patient_client, min(deadline, now + PROBE_FOR)):
                return False
            self._well_at = time.monotonic()
            return True


def _take_end(one: Followed, following: Iterable[Followed], journal: Journal) -> None:
    """Note the end of an operation; what the service does not show of any, it shows of no other one either."""
    operation = one.operation
    if operation.state in (FINISHED, FAILED):
        note_progress(journal, one.subject, one.entry, operation.state, supersedes=True)
        return
    unseen = [other for other in following if other.goes_on and other.operation.is_unseen]
    if operation.message == NO_ENDPOINT:
        for other in unseen:
            other.operation.cannot_be_told(NO_ENDPOINT)
    elif operation.message == NOT_KNOWN and _shows_none(following):
        for other in unseen:
            if other.age(time.monotonic()) > VISIBLE_AFTER:
                other.operation.cannot_be_told(SHOWS_NONE)


def _shows_none(following: Iterable[Followed]) -> bool:
    """Tell whether so many operations were not shown in time, and none was, that the service seems to show none."""
    operations = [one.operation for one in following if one.looked is not None]
    missed = [operation for operation in operations if operation.state == UNKNOWN and operation.message == NOT_KNOWN]
    shown = [one for one in operations if one.was_shown or one.seems_failed or one.state == FAILED]
    return len(missed) >= NEVER_SEEN and not shown


def _pause(context: Context, following: Iterable[Followed]) -> None:
    """Let the time go by within which what nobody can look at should have ended, since it was sent."""
    unseen = [one for one in following if one.operation.state == UNKNOWN]
    if not unseen:
        return
    left = max(one.began for one in unseen) + context["pause_when_unknown"] - time.monotonic()
    if left > 0:
        context.report(f"the service does not show the end of {_counted(unseen)}: pausing for {left:.0f} s")
        context.journal.let_go()
        time.sleep(left)


def _progress(pending: list[Followed], of: int, names: Mapping[str, str], now: float, waited: float) -> str:
    slowest = min(pending, key=lambda one: one.began)
    name = names.get(slowest.environment_id, slowest.environment_id)
    return (
        f"{of - len(pending)} of {of} ended after {waited:.0f} s; the slowest is {name}, which"
        f" began {now - slowest.began:.0f} s ago"
    )


def _counted(some: list[Followed]) -> str:
    return "1 operation" if len(some) == 1 else f"{len(some)} operations"


_WORST_FIRST = (FAILED, IN_PROGRESS, UNKNOWN, FINISHED)


def _result(following: list[Followed], now: float) -> dict[str, Any]:
    by_environment: dict[str, list[Followed]] = {}
    for one in following:
        by_environment.setdefault(one.environment_id, []).append(one)
    environments: dict[str, Any] = {}
    for environment_id, own in by_environment.items():
        worst = min(own, key=lambda one: (_WORST_FIRST.index(one.operation.state), one.began))
        environments[environment_id] = {
            "state": worst.operation.state,
            "message": worst.operation.why_silent or worst.operation.message,
            "operation": worst.as_result(now),
            "operations": [one.as_result(now) for one in own],
        }
    states = [one.operation.state for one in following]
    counts = {state: states.count(state) for state in _WORST_FIRST}
    return {"changed": False, "environments": environments, "counts": counts}
