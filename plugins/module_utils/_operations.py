# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens after a 202: following accepted operations to their end (interface sections 2.1, 3 and 6)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ._answers import Answer
from ._client import Client
from ._errors import HostingError, NotFound, OperationFailed, OperationTimeout, RateLimited, ServiceError, TimedOut
from ._interface import GET_OPERATION
from ._journal import Entry, Journal, NoJournal
from ._progress import FAILED, FINISHED, IN_PROGRESS, UNKNOWN

WAIT_TIMEOUT = 600
"""The default of ``wait_timeout``, in seconds, also for modules that start no operation and have no such option."""

POLL_INTERVAL = 1
"""The default of ``poll_interval``, in seconds."""

VISIBLE_AFTER = 60  # seconds in which the service may not know an operation, since it was accepted or last shown
LONG_AGO = 7 * 86400  # seconds: no clocks of two controllers differ by as much
NEVER_SEEN = 3  # different operations that the service has never shown, before it is taken to show none
LONGEST_INTERVAL = 15  # seconds between two looks
PART_OF_WAIT = 0.14  # of the time waited: an end is noticed that late at most, with fewer than 25 looks a minute
REPORT_EVERY = 5  # seconds between two lines of progress

# One 500 is no verdict: these are so many that a service which fails on every third request does not reach them.
FAILED_AFTER_ANSWERS = 8
FAILED_AFTER = 5  # seconds between the first and the last of them at least
FAILING_INTERVAL = 0.75  # seconds between two looks while the service says that an operation has failed
VERDICT_WITHIN = 20  # seconds that a task goes on for such a verdict when its own time is over
GIVE_UP_AFTER = 60  # seconds of as many answers that say nothing, after which no task waits for a better one

REMEMBERED_FOR = 86400  # seconds in which the journal knows that a service has not shown an operation
NO_OPERATION = "none:none-00000000-0000-4000-8000-000000000000"
SWITCHED_OFF = "Operations are not followed, because companions are switched off."
NO_ENDPOINT = "The service has no endpoint that shows operations."
NOT_KNOWN = "The service does not know the operation, or shows no operations."
SHOWS_NONE = f"The service shows no operations: it has not shown any of the last {NEVER_SEEN} that it has accepted."


@dataclass
class Operation:
    """An accepted operation. ``accepted_at`` is in seconds since the epoch; None means longer ago than matters.

    Of one that is ``resumed``, it is by the clock of whoever has sent the request. Whoever acts on the end of such a
    one counts from the first look at it, unless ``counts_by_clock``.
    """

    id: str | None
    state: str = IN_PROGRESS
    message: str | None = None
    accepted_at: float | None = None
    resumed: bool = False
    data: object = None
    counts_by_clock: bool = field(default=False, repr=False)
    _was_shown: bool = field(default=False, repr=False)
    _known_at: float = field(default=0.0, repr=False)  # when an answer said last that the service knows it
    _missed_since: float | None = field(default=None, repr=False)  # when it was not shown for the first time
    _failures: int = field(default=0, repr=False)
    _failing_since: float | None = field(default=None, repr=False)
    _silences: int = field(default=0, repr=False)  # answers in a row that say nothing about it
    _silent_since: float | None = field(default=None, repr=False)
    _why_silent: str = field(default="", repr=False)

    @classmethod
    def resume(cls, entry: Entry, *, waits: bool) -> Operation:
        """Return the operation of a row of the journal, to look at it again.

        A task that does not wait cannot count by itself for how long the service has not shown it, so it goes by the
        clock, where that is the one of this machine.
        """
        by_clock = not waits and entry.is_by_this_clock()
        return cls(entry.operation_id, accepted_at=entry.sent_at, resumed=True, counts_by_clock=by_clock)

    def as_result(self) -> dict[str, Any]:
        return {"id": self.id, "state": self.state, "message": self.message, "resumed": self.resumed}

    @property
    def seems_failed(self) -> bool:
        """Whether the service says that it has failed, and has not said so often enough to be believed."""
        return self.state == IN_PROGRESS and self._failures > 0

    @property
    def why_silent(self) -> str:
        """Why nobody can tell how it stands, as the last answers had it; empty when they said something."""
        return self._why_silent if self.state == IN_PROGRESS and self._silences else ""

    @property
    def is_given_up(self) -> bool:
        """Whether the answers have said nothing for so long that it is of no use to wait on."""
        return (
            self._silences >= FAILED_AFTER_ANSWERS
            and self._silent_since is not None
            and time.monotonic() - self._silent_since >= GIVE_UP_AFTER
        )

    @property
    def was_shown(self) -> bool:
        """Whether any answer has shown it."""
        return self._was_shown

    @property
    def is_unseen(self) -> bool:
        """Whether it is in progress as far as anybody knows, and no answer has ever shown it."""
        return self.state == IN_PROGRESS and not self._known_at

    def look(
        self,
        client: Client,
        visible_after: float = 0,
        deadline: float | None = None,
        service_is_well: Callable[[], bool] | None = None,
    ) -> None:
        """Ask the service once how the operation stands, and take that over into ``state`` and ``message``.

        ``unknown`` means that the service cannot tell: it has no such endpoint, or it does not know the operation
        ``visible_after`` seconds after it was accepted or last shown. ``deadline`` is in seconds of time.monotonic().
        ``service_is_well`` tells whether a 500 counts; by default, is_well() is asked.
        """
        probe = service_is_well or partial(is_well, client, deadline)
        if self.id is None:
            self.cannot_be_told("The service accepted the request without naming an operation.")
            return
        try:
            answer = client.send(GET_OPERATION(operation_id=self.id), deadline=deadline)
        except NotFound as error:
            self._miss(NO_ENDPOINT if error.service_message is None else NOT_KNOWN, visible_after)
        except HostingError as error:
            if not error.is_offered:
                self._miss(NO_ENDPOINT, visible_after)
            elif isinstance(error, ServiceError) and error.status == 500:
                self._weigh(error.service_message, probe)
            else:
                raise
        else:
            self._take(answer, visible_after, probe)

    def cannot_be_told(self, message: str) -> None:
        """Note that the service does not show how the operation stands."""
        self.state, self.message = UNKNOWN, message

    def _age(self) -> float:
        """Return the seconds since the service accepted or showed it; of a resumed one, since it was missed first."""
        by_clock = time.time() - max(self._known_at, self.accepted_at or 0)
        if self._known_at or not self.resumed or self.counts_by_clock or by_clock > LONG_AGO:
            return by_clock
        self._missed_since = self._missed_since or time.monotonic()
        return time.monotonic() - self._missed_since

    def _miss(self, message: str, visible_after: float) -> None:
        """Take in that the service does not show the operation. What it has shown before may be missed for a while."""
        if visible_after == 0 or self._age() > visible_after or (message == NO_ENDPOINT and not self._known_at):
            self.cannot_be_told(message)

    def _take(self, answer: Answer, visible_after: float, probe: Callable[[], bool]) -> None:
        status = answer.outcome
        if status == 404:
            self._miss(NOT_KNOWN, visible_after)
        elif status == 500:
            self._weigh(answer.message, probe)
        elif not 200 <= status < 300:
            self.hear_nothing(f"the service answers that its status is {status}")
        else:
            self._was_shown, self._known_at = True, time.time()
            self._failures, self._failing_since = 0, None
            self._silences, self._silent_since = 0, None
            self.state = IN_PROGRESS if status == 202 else FINISHED
            self.message = answer.message
            self.data = answer.data.get("data") if isinstance(answer.data, dict) else None

    def _weigh(self, message: str | None, probe: Callable[[], bool]) -> None:
        """Count a 500 as word of the operation's failure, if the service is well otherwise.

        A service that is well says of an operation that cannot exist that it does not know it. Anything else, also no
        answer, says nothing about the operation.
        """
        if not probe():
            self.hear_nothing("the service answers 500 for it, and not as it should for one that cannot exist")
            return
        now = time.monotonic()
        self._known_at = time.time()
        self._silences, self._silent_since = 0, None
        self._failing_since = self._failing_since or now
        self._failures += 1
        if self._failures >= FAILED_AFTER_ANSWERS and now - self._failing_since >= FAILED_AFTER:
            self.state, self.message = FAILED, message

    def hear_nothing(self, why: str) -> None:
        """Count an answer that says nothing about the operation."""
        self._silent_since = self._silent_since or time.monotonic()
        self._silences += 1
        self._why_silent = why


def is_well(client: Client, deadline: float | None) -> bool:
    """Tell whether the service says of an operation that cannot exist that it does not know it."""
    try:
        return client.send(GET_OPERATION(operation_id=NO_OPERATION), deadline=deadline).outcome == 404
    except NotFound as probe:
        return probe.service_message is not None
    except HostingError:
        return False


def next_look(waited: float, poll_interval: float) -> float:
    """Return the seconds until the next look, after so many seconds of waiting: the longer it takes, the rarer."""
    return min(max(poll_interval, PART_OF_WAIT * waited), LONGEST_INTERVAL)


def follow(
    client: Client,
    operations: list[Operation],
    *,
    wait_timeout: float,
    poll_interval: float,
    report: Callable[[str], object],
    journal: Journal | None = None,
) -> None:
    """Look at the operations side by side until none is in progress, or ``wait_timeout`` seconds have passed.

    The operations are changed in place. next_look() says when the next round of looks comes. ``report`` is called with
    a line of progress every few seconds. The journal remembers for a day that a service shows no operations, so that
    only the first tasks wait for one to be shown. Raises what Client.send raises.
    """
    started = reported = time.monotonic()
    deadline = started + wait_timeout
    shown = Shown(client, journal or NoJournal())
    while True:
        for operation in operations:
            if operation.state == IN_PROGRESS:
                _look_or_name(client, operation, shown, deadline)
        in_progress = [operation for operation in operations if operation.state == IN_PROGRESS]
        pending = [operation for operation in in_progress if not operation.is_given_up]
        failing = any(operation.seems_failed for operation in pending)
        now = time.monotonic()
        left = deadline - now + (VERDICT_WITHIN if failing else 0)
        if not pending or left <= 0:
            return
        if now - reported >= REPORT_EVERY:
            reported = now
            report(_progress(operations, in_progress, now - started))
        shown.let_go()
        time.sleep(min(FAILING_INTERVAL if failing else next_look(now - started, poll_interval), left))


class Shown:
    """Whether the service shows operations, as far as the journal has learned it from those that it has not shown."""

    def __init__(self, client: Client, journal: Journal) -> None:
        self._client, self._journal = client, journal
        self._subject = (client.base_url, "operations are not shown")
        self._rows = journal.read(self._subject)

    @property
    def visible_after(self) -> float:
        return 0 if len(_never_seen(self._rows)) >= NEVER_SEEN else VISIBLE_AFTER

    def let_go(self) -> None:
        """Close the journal for the time of a pause: a database has few connections for many waiting tasks."""
        self._journal.let_go()

    def learn(self, operation: Operation) -> None:
        """Take in what a look at an operation has shown: one that is seen outweighs all that were not."""
        if operation.was_shown:
            if self._rows:
                self._replace(lambda _rows: ())
        elif operation.message == NOT_KNOWN and not self.visible_after:
            operation.message = SHOWS_NONE
        elif operation.message == NOT_KNOWN and not operation.resumed:
            note = replace(Entry.sent_now("", 0), key=str(operation.id), operation_id=operation.id)
            others = [row for row in _never_seen(self._journal.read(self._subject)) if row.key != note.key]
            if len(others) + 1 >= NEVER_SEEN and any(map(self._shows, others)):
                self._replace(lambda _rows: ())
            else:
                self._replace(lambda rows: (*_never_seen(rows, besides=note.key), note.with_progress(FINISHED)))

    def _shows(self, row: Entry) -> bool:
        """Tell whether the service shows by now an operation that it has not shown in time."""
        operation = Operation(row.operation_id)
        with suppress(HostingError):
            operation.look(self._client)
        return operation.was_shown

    def _replace(self, change: Callable[[tuple[Entry, ...]], tuple[Entry, ...]]) -> None:
        while True:
            rows = self._journal.read(self._subject)
            self._rows = change(rows)
            if self._journal.replace(self._subject, rows, self._rows, durable=False):
                return


def _never_seen(rows: Iterable[Entry], besides: str | None = None) -> list[Entry]:
    """Return the newest rows of the operations that the service has not shown, besides one, as many as matter."""
    now = time.time()
    known = [row for row in rows if row.operation_id and row.key != besides and now - row.sent_at < REMEMBERED_FOR]
    most = NEVER_SEEN - (besides is not None)
    return known[-most:]


def _look_or_name(client: Client, operation: Operation, shown: Shown, deadline: float) -> None:
    """Look once; an error on the way says which operation goes on meanwhile."""
    try:
        operation.look(client, shown.visible_after, max(deadline, time.monotonic() + 1))
    except (RateLimited, TimedOut) as error:
        if time.monotonic() < deadline - 1:
            raise _naming(error, operation) from None
        # The time to wait was over before the service answered: that says nothing about the operation.
    except HostingError as error:
        raise _naming(error, operation) from None
    if operation.accepted_at is not None:
        shown.learn(operation)


def _naming(error: HostingError, operation: Operation) -> HostingError:
    error.operation_id = operation.id
    error.nothing_done, error.names_operation = False, operation.id is not None
    return error.with_advice(f"Operation {operation.id} was accepted before, and goes on.")


def require_finished(
    operations: list[Operation],
    wait_timeout: float | None,
    next_step: str = "run again to wait on, or give a larger wait_timeout",
) -> None:
    """Raise OperationFailed if any operation failed, OperationTimeout if any is still in progress after a wait.

    ``wait_timeout`` is in seconds; None means that nobody waited. ``next_step`` is what to do after a timeout.
    """
    failed = [operation for operation in operations if operation.state == FAILED]
    if failed:
        raise _ended_badly(
            OperationFailed,
            failed,
            f"{_named(failed)} failed: {failed[0].message}. The service accepted the request but did not carry it"
            " out. Run again to ask for it anew.",
        )
    pending = [operation for operation in operations if operation.state == IN_PROGRESS]
    if pending and wait_timeout is not None:
        raise _ended_badly(OperationTimeout, pending, f"{_standing(pending, wait_timeout)}: {next_step}.")


def _standing(pending: list[Operation], wait_timeout: float) -> str:
    """Say how operations stand that have not ended in time, as far as the service has said it."""
    named = _named(pending)
    reasons = [operation.why_silent for operation in pending]
    if all(reasons):
        return (
            f"It cannot be told how {_uncapitalized(named)} stands: {reasons[0]}. It may be in progress, have ended, or"
            " have failed"
        )
    if all(operation.is_unseen for operation in pending):
        return (
            f"{named} was accepted, and the service has not shown it within wait_timeout ({wait_timeout:g} s)."
            f" Services show what they have accepted after up to {VISIBLE_AFTER} s"
        )
    return f"{named} still in progress after wait_timeout ({wait_timeout:g} s). The service goes on with it"


def _ended_badly(error_class: type[HostingError], operations: list[Operation], message: str) -> HostingError:
    error = error_class(message, service_message=operations[0].message)
    error.operation_id = operations[0].id
    error.names_operation = operations[0].id is not None
    return error


def _named(operations: list[Operation]) -> str:
    ids = ", ".join(str(operation.id) for operation in operations)
    return f"Operation {ids}" if len(operations) == 1 else f"{len(operations)} operations ({ids})"


def _uncapitalized(text: str) -> str:
    return text[:1].lower() + text[1:]


def _progress(operations: list[Operation], in_progress: list[Operation], elapsed: float) -> str:
    if len(operations) > 1:
        return f"{len(operations) - len(in_progress)} of {len(operations)} operations ended after {elapsed:.0f} s"
    [operation] = operations
    if operation.why_silent:
        return f"{operation.id}: after {elapsed:.0f} s it cannot be told how it stands: {operation.why_silent}"
    if operation.is_unseen:
        return f"{operation.id} not shown by the service after {elapsed:.0f} s"
    return f"{operation.id} in progress for {elapsed:.0f} s"
