# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change round by round: remember, look, plan, decide, act; until there is nothing left to do."""

from __future__ import annotations

import time
from dataclasses import replace

from .._context import NOT_SHOWN
from .._decision import Decision, Step, decide
from .._errors import HostingError, JournalError
from .._journal import Entry
from .._operations import Operation
from .._phases import Begun
from .._progress import FAILED, FINISHED, IN_PROGRESS, SENT
from . import messages
from .change import Change, Done, Round, outcome, seen, telling
from .generators import Steps
from .sending import note_answer, send
from .values import Outcome
from .waiting import await_answer, follow, look_again


def settle(change: Change) -> Steps[Outcome]:
    """Go round by round until there is nothing left to do, and return what became of the change."""
    end: Outcome | Done = Done()
    while isinstance(end, Done):
        with telling(change, end):
            end = yield from _next(change, end)
    return end


def _next(change: Change, done: Done) -> Steps[Outcome | Done]:
    if done.answered:
        return (yield from note_answer(change, done.answered, done))
    if change.begun and not done.has_sent:
        return (yield from _take_up(change, change.begun))
    return (yield from _round(change, done))


def _round(change: Change, done: Done) -> Steps[Outcome | Done]:
    """Return the outcome of the last round, or what was done so far."""
    round_ = _look(change, done)
    context, step = change.context, round_.step
    if context.has_recalled and (step is not Step.NOTHING or round_.goes_on):
        context.forget_looks()  # what was seen before the journal was read may end in "nothing to do" alone
        return done
    done = replace(done, first=done.first or round_)
    if step is Step.NOTHING:
        return _nothing(change, round_, done)
    if step is Step.ASK_THE_USER:
        raise messages.asking_the_user(round_.request, change.ledger.subject, round_.entry)
    if step is Step.EFFECT_MISSING:
        raise _effect_missing(change, round_, done)
    return (yield from STEPS[step](change, round_, done))


STEPS = {
    Step.SEND: send,
    Step.FOLLOW: follow,
    Step.AWAIT_ANSWER: await_answer,
    Step.LOOK_AGAIN: look_again,
}
"""The steps that may wait. Each takes the change, the round and what was done, and returns the outcome or what was
done by then."""


def _look(change: Change, done: Done) -> Round:
    """Remember, look, plan and decide."""
    change.ledger.require_same()
    rows = change.ledger.read()
    # Known now: of a row that is sent, its run may note the answer and end while we look.
    remembered = tuple(entry.as_known() for entry in rows)
    change.context.begin_look(afresh=done.first is not None)
    before = change.observe()
    plan = change.plan(before)
    wanted = change.wanted(plan, done)
    decision = decide(wanted, seen(plan, before, done), remembered, time.time())
    return Round(rows, remembered, before, plan, wanted, decision)


def _nothing(change: Change, round_: Round, done: Done) -> Outcome:
    """Note that it is done, if that is not noted yet."""
    before, operation, context = round_.before, done.operation, change.context
    if operation and operation.state != FINISHED and before:
        operation.state = FINISHED
    if round_.goes_on:
        if not before and context.companions and operation:
            context.warn(messages.taken_for_done(operation, round_.plan.request, round_.entry))
        if before or context.companions:
            change.ledger.note(round_.entry, FINISHED)
    return outcome(change, round_, done, changed=done.has_sent, after=before)


def _effect_missing(change: Change, round_: Round, done: Done) -> HostingError:
    if round_.decision.entry:
        change.ledger.note(round_.decision.entry, FAILED)
    thing = f"{change.name} {round_.plan.desired}" if change.is_state else "it"
    return messages.effect_missing(round_.request, done.operation, thing)


# ---- what an earlier task has begun ---------------------------------------------------------------------------------


def _take_up(change: Change, begun: Begun) -> Steps[Outcome | Done]:
    """Go on with what an earlier task has started as if this one had: it is not sent again, also if it failed."""
    change.ledger.require_same()
    rows, operation = change.ledger.read(), begun.operation
    done = Done(has_sent=True, operation=operation)
    plan = change.plan(change.observe() if change.is_state else NOT_SHOWN)
    round_ = Round(rows, rows, NOT_SHOWN, plan, change.wanted(plan, done), Decision(Step.FOLLOW))
    entry = _row_of(change, round_, operation)
    if entry.progress in (FINISHED, FAILED):
        operation.state = entry.progress
    operation.accepted_at = entry.sent_at
    return (yield from follow(change, round_.following(entry), done))


def _row_of(change: Change, round_: Round, operation: Operation) -> Entry:
    """Return the row of an operation that was started; where others have taken its place, one that stands for it.

    Raises JournalError when the journal knows nothing of the subject any more, and InvalidInput when it was started for
    something else.
    """
    row = next((one for one in round_.rows if one.operation_id == operation.id and one.progress != SENT), None)
    if row and row.release != change.release:
        raise messages.begun_for_another(row.release, change.release)
    if row:
        return row
    wanted = round_.wanted
    entry = Entry.sent_now(wanted.digest, 0, key=wanted.key, release=change.release, part=change.part)
    entry = entry.with_progress(IN_PROGRESS, operation.id)
    if change.ledger.is_of_another(operation.id):
        raise messages.begun_elsewhere(round_.request)
    if not round_.rows and change.ledger.lasts:
        change.ledger.note_anew(entry)
        raise JournalError(messages.noted_anew(round_.request))
    return entry
