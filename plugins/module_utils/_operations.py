# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens after a 202: following accepted operations to their end (interface sections 2.1, 3 and 6)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ._client import Answer, Client
from ._errors import HostingError, NotFound, OperationFailed, OperationTimeout, RateLimited, ServiceError, TimedOut
from ._interface import GET_OPERATION
from ._journal import Entry, Journal, NoJournal
from ._progress import FAILED, FINISHED, IN_PROGRESS, UNKNOWN

WAIT_TIMEOUT = 600
"""The default of ``wait_timeout``, in seconds, also for modules that start no operation and have no such option."""

POLL_INTERVAL = 1
"""The default of ``poll_interval``, in seconds."""

VISIBLE_AFTER = 15  # seconds in which the service may not know yet an operation that it has accepted
LONGEST_INTERVAL = 15  # seconds between two looks
PART_OF_WAIT = 0.14  # of the time waited: an end is noticed that late at most, with fewer than 25 looks a minute
REPORT_EVERY = 5  # seconds between two lines of progress

# One 500 is no verdict: these are so many that a service which fails on every third request does not reach them.
FAILED_AFTER_ANSWERS = 8
FAILED_AFTER = 5  # seconds between the first and the last of them at least
FAILING_INTERVAL = 0.75  # seconds between two looks while the service says that an operation has failed
VERDICT_WITHIN = 20  # seconds that a task goes on for such a verdict when its own time is over

REMEMBERED_FOR = 86400  # seconds in which the journal knows that a service shows no operations
NO_OPERATION = "none:none-00000000-0000-4000-8000-000000000000"
NO_ENDPOINT = "The service has no endpoint that shows operations."
NOT_KNOWN = "The service does not know the operation, or shows no operations."


@dataclass
class Operation:
    """An accepted operation. ``accepted_at`` is in seconds since the epoch; None means longer ago than matters."""

    id: str | None
    state: str = IN_PROGRESS
    message: str | None = None
    accepted_at: float | None = None
    resumed: bool = False
    data: object = None
    _was_shown: bool = field(default=False, repr=False)
    _failures: int = field(default=0, repr=False)
    _failing_since: float | None = field(default=None, repr=False)

    def as_result(self) -> dict[str, Any]:
        return {"id": self.id, "state": self.state, "message": self.message, "resumed": self.resumed}

    @property
    def seems_failed(self) -> bool:
        """Whether the service says that it has failed, and has not said so often enough to be believed."""
        return self.state == IN_PROGRESS and self._failures > 0

    def look(self, client: Client, visible_after: float = 0, deadline: float | None = None) -> None:
        """Ask the service once how the operation stands, and take that over into ``state`` and ``message``.

        ``unknown`` means that the service cannot tell: it has no such endpoint, or it does not know the operation
        ``visible_after`` seconds after it was accepted. ``deadline`` is in seconds of time.monotonic().
        """
        if self.id is None:
            self.cannot_be_told("The service accepted the request without naming an operation.")
            return
        try:
            answer = client.send(GET_OPERATION(operation_id=self.id), deadline=deadline)
        except NotFound as error:
            if error.service_message is None:
                self.cannot_be_told(NO_ENDPOINT)
            elif self._was_shown or self._age() > visible_after:
                self.cannot_be_told(NOT_KNOWN)
        except ServiceError as error:
            if error.status == 501:
                self.cannot_be_told(NO_ENDPOINT)
            elif error.status == 500:
                self._weigh(client, error, deadline)
            else:
                raise
        except HostingError as error:
            if error.status not in (403, 405):
                raise
            self.cannot_be_told(NO_ENDPOINT)
        else:
            self._take(answer)

    def cannot_be_told(self, message: str) -> None:
        """Note that the service does not show how the operation stands."""
        self.state, self.message = UNKNOWN, message

    def _age(self) -> float:
        return float("inf") if self.accepted_at is None else time.time() - self.accepted_at

    def _take(self, answer: Answer) -> None:
        self._was_shown = True
        self._failures, self._failing_since = 0, None
        self.state = IN_PROGRESS if answer.status == 202 else FINISHED
        self.message = answer.message
        self.data = answer.data.get("data") if isinstance(answer.data, dict) else None

    def _weigh(self, client: Client, error: ServiceError, deadline: float | None) -> None:
        """Count a 500 as word of the operation's failure, if the service is well otherwise.

        A service that is well says of an operation that cannot exist that it does not know it. Anything else, also no
        answer, says nothing about the operation.
        """
        try:
            client.send(GET_OPERATION(operation_id=NO_OPERATION), deadline=deadline)
        except NotFound as probe:
            if probe.service_message is None:
                return
        except HostingError:
            return
        now = time.monotonic()
        self._failing_since = self._failing_since or now
        self._failures += 1
        if self._failures >= FAILED_AFTER_ANSWERS and now - self._failing_since >= FAILED_AFTER:
            self.state, self.message = FAILED, error.service_message


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
    only the first task waits for one to be shown. Raises what Client.send raises.
    """
    started = reported = time.monotonic()
    deadline = started + wait_timeout
    shown = _Shown(client, journal or NoJournal())
    while True:
        for operation in operations:
            if operation.state == IN_PROGRESS:
                _look_or_name(client, operation, shown, deadline)
        pending = [operation for operation in operations if operation.state == IN_PROGRESS]
        failing = any(operation.seems_failed for operation in pending)
        now = time.monotonic()
        left = deadline - now + (VERDICT_WITHIN if failing else 0)
        if not pending or left <= 0:
            return
        if now - reported >= REPORT_EVERY:
            reported = now
            report(_progress(operations, pending, now - started))
        shown.let_go()
        time.sleep(min(FAILING_INTERVAL if failing else next_look(now - started, poll_interval), left))


class _Shown:
    """Whether the service shows operations, as far as the journal has learned it."""

    def __init__(self, client: Client, journal: Journal) -> None:
        self._journal = journal
        self._subject = (client.base_url, "operations are not shown")
        self._rows = journal.read(self._subject)

    @property
    def visible_after(self) -> float:
        return 0 if any(time.time() - row.sent_at < REMEMBERED_FOR for row in self._rows) else VISIBLE_AFTER

    def let_go(self) -> None:
        """Close the journal for the time of a pause: a database has few connections for many waiting tasks."""
        self._journal.let_go()

    def learn(self, operation: Operation) -> None:
        """Take in what a look at an operation has shown."""
        if operation.message == NOT_KNOWN and not operation.resumed and not operation._was_shown and self.visible_after:
            note = Entry.sent_now("", 0).with_progress(FINISHED)
            self._journal.replace(self._subject, self._rows, (note,))
        elif operation._was_shown and self._rows:
            self._journal.replace(self._subject, self._rows, ())
            self._rows = ()


def _look_or_name(client: Client, operation: Operation, shown: _Shown, deadline: float) -> None:
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
    error.nothing_done = False
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
        raise _ended_badly(
            OperationTimeout,
            pending,
            f"{_named(pending)} still in progress after wait_timeout ({wait_timeout:g} s). The service goes on with it:"
            f" {next_step}.",
        )


def _ended_badly(error_class: type[HostingError], operations: list[Operation], message: str) -> HostingError:
    error = error_class(message, service_message=operations[0].message)
    error.operation_id = operations[0].id
    return error


def _named(operations: list[Operation]) -> str:
    ids = ", ".join(str(operation.id) for operation in operations)
    return f"Operation {ids}" if len(operations) == 1 else f"{len(operations)} operations ({ids})"


def _progress(operations: list[Operation], pending: list[Operation], elapsed: float) -> str:
    if len(operations) == 1:
        return f"{operations[0].id} in progress for {elapsed:.0f} s"
    return f"{len(operations) - len(pending)} of {len(operations)} operations ended after {elapsed:.0f} s"
