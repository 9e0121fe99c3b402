# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps that wait: for the end of an operation, for another run's answer, for an effect to be seen."""

from __future__ import annotations

import time
from dataclasses import replace

from .._errors import HostingError
from .._journal import Entry, Subject
from .._operations import SWITCHED_OFF, Operation, next_look, require_finished
from .._progress import FAILED, FINISHED, IN_PROGRESS, UNKNOWN
from . import messages
from .change import Change, Done, Round, outcome
from .generators import Steps
from .values import Outcome

SHORTEST_LOOK = 0.1  # seconds between two looks at least


def follow(change: Change, round_: Round, done: Done) -> Steps[Outcome | Done]:
    """Wait for the end of the operation that the row is about, as long as the task allows."""
    context, entry, operation = change.context, round_.entry, done.operation
    if operation is None or operation.id != entry.operation_id:
        operation = Operation.resume(entry, waits=context.wait)
        done = replace(done, operation=operation)
    change.ledger.remember(round_.request, entry)
    waits = context.follows and not context.check_mode
    if not context.companions:
        operation.cannot_be_told(SWITCHED_OFF)
    else:
        if waits:
            yield
        context.follow([operation], change.time_left if waits else 0, change.ledger.journal)
    if operation.state == IN_PROGRESS:
        if waits:
            _require_finished(change, round_, operation, context.wait_timeout)
        return outcome(change, round_, done, changed=done.has_sent)
    if operation.state in (FINISHED, FAILED):
        change.ledger.note(entry, operation.state)
    if operation.state == FAILED and done.has_sent:
        _require_finished(change, round_, operation, None)
    if context.check_mode and operation.state in (FINISHED, FAILED):
        return outcome(change, round_, done, changed=operation.state == FAILED)
    return replace(done, operation=None) if operation.state == FAILED else done


def _require_finished(change: Change, round_: Round, operation: Operation, wait_timeout: float | None) -> None:
    """Raise unless the operation has finished; the error says which request it is of."""
    is_repeated = not change.is_state and change.release is None and change.force
    would_send_again = not change.ledger.lasts or is_repeated
    try:
        next_step = messages.how_to_wait_on(operation, would_send_again=would_send_again)
        require_finished([operation], wait_timeout, next_step)
    except HostingError as error:
        error.request = round_.request
        raise


def await_answer(change: Change, round_: Round, done: Done) -> Steps[Outcome | Done]:
    """Wait until another run has an answer to the request that the row is about."""
    sent = round_.entry
    if change.context.check_mode:
        return outcome(change, round_, done, changed=sent.wanted != round_.wanted.digest)
    if change.time_left <= 0:
        raise messages.answer_not_there(sent)
    change.context.report("another run has sent a request for the same: waiting for its answer")
    yield
    sleep_until_answered(change, change.ledger.subject, sent)
    return done


def sleep_until_answered(change: Change, subject: Subject, sent: Entry) -> None:
    """Wait until another run has its answer or can get none any more, or the time of this task is over."""
    while change.time_left and sent.answer_may_come() and sent in change.ledger.journal.read(subject):
        time.sleep(SHORTEST_LOOK)


def look_again(change: Change, round_: Round, done: Done) -> Steps[Outcome | Done]:
    """Wait before the next look: the service may come to show the effect of what was sent."""
    context, entry = change.context, round_.decision.entry
    if context.check_mode or not context.wait:
        if entry and entry.progress == UNKNOWN:
            raise messages.effect_not_seen(round_.request, change.ledger.subject, entry)
        return outcome(change, round_, done, changed=done.has_sent if entry else True)
    if not change.time_left:
        if entry:
            raise messages.effect_not_seen(round_.request, change.ledger.subject, entry)
        raise messages.last_write_not_seen(change.name, round_.remembered, has_sent=done.has_sent)
    context.report(f"waiting for the effect of {round_.request} to be seen")
    yield
    change.ledger.journal.let_go()  # it opens again by itself; a database has few connections for many waiting tasks
    pause = next_look(time.monotonic() - change.began, max(context.poll_interval, SHORTEST_LOOK))
    time.sleep(min(pause, change.time_left))
    return done
