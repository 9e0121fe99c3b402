# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens after a 202: following accepted operations to their end (interface sections 2.1, 3 and 6)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from ._errors import (
    HostingError,
    NotFound,
    OperationFailed,
    OperationTimeout,
    ServiceError,
)
from ._interface import GET_OPERATION

IN_PROGRESS = "in_progress"
FINISHED = "finished"
FAILED = "failed"
UNKNOWN_STATE = "unknown"

VISIBLE_AFTER = 15  # seconds in which the service may not know yet an operation that it has accepted
LONGEST_INTERVAL = 15  # seconds between two looks
INTERVAL_GROWTH = 1.5
NO_OPERATION = "none:none-00000000-0000-4000-8000-000000000000"
REPORT_EVERY = 5  # seconds between two lines of progress


@dataclass
class Operation:
    """An accepted operation. ``accepted_at`` is in seconds since the epoch; None means longer ago than matters."""

    id: str | None
    state: str = IN_PROGRESS
    message: str | None = None
    accepted_at: float | None = None
    resumed: bool = False
    data: object = None
    _failing_since: float | None = field(default=None, repr=False)

    def as_result(self):
        return {"id": self.id, "state": self.state, "message": self.message, "resumed": self.resumed}

    def look(self, client):
        """Ask the service once how the operation stands, and take that over into ``state`` and ``message``.

        ``unknown`` means that the service cannot tell: it has no such endpoint, or it does not know the operation.
        """
        if self.id is None:
            self._unknown("The service accepted the request without naming an operation.")
            return
        try:
            answer = client.send(GET_OPERATION(operation_id=self.id))
        except NotFound as error:
            if error.service_message is None:
                self._unknown("The service has no endpoint that shows operations.")
            elif self._age() > VISIBLE_AFTER:
                self._unknown("The service does not know the operation, or shows no operations.")
        except ServiceError as error:
            if error.status == 501:
                self._unknown("The service has no endpoint that shows operations.")
            elif error.status == 500:
                self._look_again(client, error)
            else:
                raise
        except HostingError as error:
            if error.status in (403, 405):
                self._unknown("The service has no endpoint that shows operations.")
            else:
                raise
        else:
            self._take(answer)

    def _age(self):
        return float("inf") if self.accepted_at is None else time.time() - self.accepted_at

    def _unknown(self, message):
        self.state, self.message = UNKNOWN_STATE, message

    def _take(self, answer):
        self._failing_since = None
        self.state = IN_PROGRESS if answer.status == 202 else FINISHED
        self.message = answer.message
        self.data = answer.data.get("data") if isinstance(answer.data, dict) else None

    def _look_again(self, client, error):
        """Find out whether a 500 is the operation's end, or the service's own trouble.

        A service that is well says of an operation that cannot exist that it does not know it.
        """
        try:
            client.send(GET_OPERATION(operation_id=NO_OPERATION))
        except ServiceError:
            now = time.monotonic()
            self._failing_since = self._failing_since or now
            if now - self._failing_since > VISIBLE_AFTER:
                self._unknown("The service fails on all requests for operations.")
            return
        except HostingError:
            pass  # any other answer shows that the service is well
        try:
            self._take(client.send(GET_OPERATION(operation_id=self.id)))
        except ServiceError as again:
            if again.status != 500:
                raise
            self.state, self.message = FAILED, error.service_message


def follow(client, operations, *, wait_timeout, poll_interval, report):
    """Look at the operations side by side until none is in progress, or ``wait_timeout`` seconds have passed.

    The operations are changed in place. The interval between two rounds of looks grows from ``poll_interval`` to 15
    seconds. ``report`` is called with a line of progress every few seconds. Raises what Client.send raises.
    """
    started = reported = time.monotonic()
    interval = min(poll_interval, LONGEST_INTERVAL)
    while True:
        pending = [operation for operation in operations if operation.state == IN_PROGRESS]
        for operation in pending:
            look_or_name(client, operation)
        pending = [operation for operation in pending if operation.state == IN_PROGRESS]
        now = time.monotonic()
        left = started + wait_timeout - now
        if not pending or left <= 0:
            return
        if now - reported >= REPORT_EVERY:
            reported = now
            report(_progress(operations, pending, now - started))
        time.sleep(min(interval, left))
        interval = min(interval * INTERVAL_GROWTH, LONGEST_INTERVAL)


def look_or_name(client, operation):
    """Look once; an error on the way says which operation goes on meanwhile."""
    try:
        operation.look(client)
    except HostingError as error:
        error.operation_id = operation.id
        raise error.with_advice(f"Operation {operation.id} was accepted before, and goes on.") from None


def require_finished(operations, wait_timeout, next_step="run again to wait on, or give a larger wait_timeout"):
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


def _ended_badly(error_class, operations, message):
    error = error_class(message, service_message=operations[0].message)
    error.operation_id = operations[0].id
    return error


def _named(operations):
    ids = ", ".join(operation.id for operation in operations)
    return f"Operation {ids}" if len(operations) == 1 else f"{len(operations)} operations ({ids})"


def _progress(operations, pending, elapsed):
    if len(operations) == 1:
        return f"{operations[0].id} in progress for {elapsed:.0f} s"
    return f"{len(operations) - len(pending)} of {len(operations)} operations ended after {elapsed:.0f} s"
