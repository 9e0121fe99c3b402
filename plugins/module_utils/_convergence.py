# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two ways to change anything: converge() brings about a state, once() takes an action once per key."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from . import _operations
from ._client import Answer
from ._errors import (
    HostingError,
    JournalError,
    OperationFailed,
    OutcomeUnknown,
    ServiceError,
)
from ._interface import Request
from ._journal import (
    ACCEPTED,
    FAILED,
    FINISHED,
    UNKNOWN_OUTCOME,
    Entry,
    NoJournal,
    digest_of,
)
from ._operations import (
    INTERVAL_GROWTH,
    LONGEST_INTERVAL,
    Operation,
    look_or_name,
    require_finished,
)

UNKNOWN = None
"""What an observation returns when the service does not show the state."""

NOT_OBSERVED = object()
"""Stands for a state that nobody has tried to read yet."""

TAKEN = "taken"
"""The observed value of an action that was taken already."""

EFFECT_VISIBLE_AFTER = 15  # seconds in which a read may still show the state before a finished operation
SHORTEST_LOOK = 0.1  # seconds between two reads of the state at least


@dataclass(frozen=True)
class Observed:
    """A state as the service shows it: the value to compare, and the service's own record of it."""

    value: object
    record: object = None


def unobservable():
    """The observation of what the service shows nowhere."""
    return UNKNOWN


@dataclass
class Outcome:
    """What became of a change. ``after`` is the state as the service showed it last, where it was read."""

    changed: bool
    state_source: str
    after: Observed | None = UNKNOWN
    operation: Operation | None = None
    diff: dict | None = None
    answer: Answer | None = None

    @property
    def record(self):
        """The service's record of the state as it is now, or None when it was not read."""
        return self.after.record if self.after else None

    def result(self, **values):
        """Return the module's result with these values of its own."""
        result = {"changed": self.changed, "state_source": self.state_source, **values}
        if self.operation:
            result["operation"] = self.operation.as_result()
        if self.diff:
            result["diff"] = self.diff
        return result


def converge(context, *, subject, desired, request, observe=unobservable, before=NOT_OBSERVED, name="state"):
    """Bring about a state, and return the Outcome.

    :param subject: what the state belongs to, as a tuple of strings: the module and the ids.
    :param desired: the value wanted, a JSON value that holds no secret.
    :param request: the Request that asks for it; None when the state is observed to be there and nothing can be sent.
    :param observe: returns the state as Observed, whose value is compared with ``desired``; UNKNOWN when it cannot be
        read: then the journal says what was last accepted.
    :param before: what the caller has observed already.
    :param name: what the diff calls the value.
    """
    return _Change(context, subject, "", desired, request, observe, before, name).settle()


def once(context, *, subject, key, request, observe=unobservable, max_age=None):
    """Take an action once per key, and return the Outcome. Without a key it is taken every time.

    :param subject: what the action is taken on, as a tuple of strings: the module and the ids.
    :param key: what makes two requests the same action, such as a release; None if every request is a new one.
    :param request: the Request that takes the action.
    :param observe: returns Observed(TAKEN) when the service shows that the action was taken already, and Observed(None)
        when it shows that it was not.
    :param max_age: seconds after which an action taken counts no more.
    """
    return _Change(context, subject, key, TAKEN, request, observe, max_age=max_age).settle()


@dataclass
class _Change:
    context: object
    subject: tuple
    key: str | None
    desired: object
    request: Request | None
    observe: Callable
    before: object = NOT_OBSERVED
    name: str | None = None
    max_age: float | None = None

    def __post_init__(self):
        self.slot = (self.context.client.base_url, "/".join(self.subject), self.key or "")
        self.digest = digest_of(self.desired if self.is_state else self.request.body)
        self.journal = NoJournal() if self.key is None else self.context.journal
        self.seen = None
        self.answer = None

    @property
    def is_state(self):
        """Whether this brings about a state, which has a name, rather than taking an action."""
        return self.name is not None

    def settle(self):
        """Find out by the service and the journal whether to send, to wait, or to do nothing; and do it."""
        if self.before is NOT_OBSERVED:
            self.before = self.observe()
        if self._is_desired(self.before) and not (self.context.force and self.request):
            return self._outcome(False, self.before)
        self.seen = self.journal.read(self.slot)
        entry = self._relevant_entry()
        if self.context.force or entry is None or entry.state == FAILED:
            return self._send()
        if entry.state == ACCEPTED:
            return self._resume(entry)
        if entry.state == FINISHED:
            return self._send() if self.before else self._outcome(False)
        if self.request.repeatable:
            return self._send()
        if entry.answer_may_come():
            self._await_answer(entry)
            return self._settle_anew()
        return self._after_lost_answer(entry)

    def _settle_anew(self):
        self.before = NOT_OBSERVED
        return self.settle()

    def _relevant_entry(self):
        """Return the journal's entry if it is about what is desired now and not too old, else None."""
        entry = self.seen
        if entry is None or (self.max_age is not None and entry.age > self.max_age):
            return None
        if entry.digest != self.digest:
            if self.is_state:
                return None
            if entry.state != FAILED:
                self.context.warn(
                    f"{self.request} was asked for with other options before, under the same name ({self.key}), and is"
                    " not sent again. Give another name to have it done anew."
                )
        return entry

    def _resume(self, entry):
        """Go on with an operation that an earlier run was given."""
        operation = Operation(entry.operation_id, accepted_at=entry.sent_at, resumed=True)
        wait = self.context.wait and not self.context.check_mode
        self._follow(operation, wait)
        if operation.state == _operations.FAILED:
            self._record(FAILED)
            return self._send()
        if operation.state == _operations.IN_PROGRESS:
            if wait:
                self._require_finished(operation)
            return self._outcome(False, operation=operation)
        if operation.state == _operations.FINISHED:
            self._record(FINISHED)
        after = self._await_effect(until=entry.sent_at + self._patience(operation))
        if after and not self._is_desired(after):
            return self._send()
        return self._outcome(False, after, operation)

    def _await_answer(self, entry):
        """Wait until the run that sent the request has its answer, or can have none any more."""
        self.context.report("another run has sent the same request: waiting for its answer")
        while entry.answer_may_come() and self.journal.read(self.slot) == entry:
            time.sleep(SHORTEST_LOOK)

    def _after_lost_answer(self, entry):
        """Let the service's state tell whether the request was carried out; without it, leave that to the user."""
        after = self._await_effect(until=entry.sent_at + self.context.wait_timeout)
        if after is UNKNOWN:
            raise OutcomeUnknown(
                f"{self.request} was sent at {_clock(entry.sent_at)} and its answer was lost, so it may or may not have"
                " been carried out. It was not sent again. Look at the service; if it was not carried out, run with"
                " force: true to send it again.",
                request=self.request,
            )
        if not self._is_desired(after):
            return self._send()
        self._record(FINISHED)
        return self._outcome(False, after)

    def _send(self):
        """Send the request and see it through."""
        if self.context.check_mode:
            return self._outcome(True)
        source = self._state_source()
        entry = Entry.sent_now(self.digest, self.context.answer_within)
        previous = self.seen
        if not self.journal.replace(self.slot, previous, entry):
            return self._settle_anew()
        self.seen = entry
        operation = self._request_operation(previous)
        after = UNKNOWN
        if operation and self.context.wait:
            self._follow(operation)
            if operation.state == _operations.FAILED:
                self._record(FAILED)
            self._require_finished(operation)
            after = self._see_effect(operation)
        return self._outcome(True, after, operation, source)

    def _request_operation(self, previous):
        """Send the request, keep the journal true to what happened, and return the accepted Operation, if any."""
        try:
            answer = self.answer = self.context.client.send(self.request)
        except HostingError as error:
            if error.nothing_done:
                self._put(previous)
                raise
            self._record(UNKNOWN_OUTCOME)
            if self.request.repeatable:
                raise
            error_class = ServiceError if isinstance(error, ServiceError) else OutcomeUnknown
            raise error_class(
                f"{error} This request is never sent twice by itself. {self._advice_after_lost_answer()}",
                request=self.request,
                status=error.status,
                service_message=error.service_message,
            ) from error
        if answer.status != 202 and answer.operation_id is None:
            self._record(FINISHED)
            return None
        operation = Operation(answer.operation_id, message=answer.message, accepted_at=time.time())
        try:
            self._record(ACCEPTED, operation.id)
        except JournalError as error:
            lost = JournalError(f"{self.request} was sent and accepted as operation {operation.id}, but: {error}")
            lost.operation_id = operation.id
            raise lost from error
        return operation

    def _require_finished(self, operation):
        if isinstance(self.journal, NoJournal):
            next_step = (
                "wait for it with hosting.management.operation_info, because running this task again would send the"
                " request again"
            )
            require_finished([operation], self.context.wait_timeout, next_step)
        else:
            require_finished([operation], self.context.wait_timeout)

    def _advice_after_lost_answer(self):
        if self.key is None:
            return "Look at the service, and if it was not carried out, run the task again."
        if self.before:
            return "The next run looks whether the service shows its effect."
        return "Look at the service, and if it was not carried out, run it with force: true."

    def _see_effect(self, operation):
        """Return the state after an operation, where the service shows it; it must be the desired one."""
        after = self._await_effect(until=operation.accepted_at + self._patience(operation))
        if self._is_desired(after):
            operation.state = _operations.FINISHED
        elif after and operation.state == _operations.FINISHED:
            self._record(FAILED)
            error = OperationFailed(
                f"Operation {operation.id} ended, but the service does not show its effect: {self._named_desired()} is"
                f" not there. Look at the service for the cause, then run again. (The request was {self.request}.)",
                request=self.request,
            )
            error.operation_id = operation.id
            raise error
        if operation.state == _operations.FINISHED:
            self._record(FINISHED)
        elif self.context.companions:
            self.context.warn(
                f"{operation.message} So whether operation {operation.id} has ended, and how, cannot be told. For a"
                " service with the documented endpoints only, set companions: false (or HOSTING_COMPANIONS) to spare"
                " the waiting."
            )
        return after

    def _follow(self, operation, wait=True):
        """Bring the operation's state up to date, and wait for its end if so wished."""
        if not self.context.companions:
            operation.state = _operations.UNKNOWN_STATE
            operation.message = "Operations are not followed, because companions are switched off."
        elif wait:
            self.context.follow([operation])
        else:
            look_or_name(self.context.client, operation)

    def _patience(self, operation):
        """Seconds after an operation was accepted in which its effect may still come to be seen."""
        if operation.state == _operations.FINISHED:
            return max(0, time.time() - operation.accepted_at) + EFFECT_VISIBLE_AFTER
        return self.context.wait_timeout

    def _await_effect(self, until):
        """Read the state until it is the desired one, or the time (in seconds since the epoch) has come."""
        if self.before is UNKNOWN:
            return UNKNOWN
        interval = max(self.context.poll_interval, SHORTEST_LOOK)
        while True:
            after = self.observe()
            if self._is_desired(after) or self.context.check_mode or time.time() + interval > until:
                return after
            self.context.report(f"waiting for the effect of {self.request} to be seen")
            time.sleep(interval)
            interval = min(interval * INTERVAL_GROWTH, LONGEST_INTERVAL)

    def _is_desired(self, observed):
        return observed is not UNKNOWN and observed.value == self.desired

    def _record(self, state, operation_id=None):
        """Note in the journal how far this request has come."""
        if not self.context.check_mode and self.seen:
            self._put(self.seen.with_state(state, operation_id))

    def _put(self, entry):
        self.journal.replace(self.slot, self.seen, entry)
        self.seen = entry

    def _state_source(self):
        if self.before:
            return "service"
        return "journal" if self.seen else "none"

    def _outcome(self, changed, after=UNKNOWN, operation=None, source=None):
        diff = self._diff(changed) if self.context.diff and self.is_state else None
        return Outcome(changed, source or self._state_source(), after, operation, diff, self.answer)

    def _diff(self, changed):
        if not changed:
            before = self.desired
        else:
            before = self.before.value if self.before else "(not shown by the service)"
        return {"before": {self.name: before}, "after": {self.name: self.desired}}

    def _named_desired(self):
        return f"{self.name} {self.desired}" if self.is_state else "it"


def _clock(seconds):
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
