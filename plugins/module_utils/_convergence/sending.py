# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The step that sends: it notes the request, so that of many runs one sends it, and then what became of it."""

from __future__ import annotations

import random
import time
from dataclasses import replace

from .._answers import Answer
from .._displaced import claimed
from .._errors import HostingError, JournalError
from .._journal import Entry
from .._operations import Operation
from .._progress import FINISHED, IN_PROGRESS, UNKNOWN
from . import messages
from .change import Change, Done, Round, outcome
from .generators import Steps
from .giving_way import give_way, of_environment, others_under_way
from .values import Foreseen, Outcome, has_move
from .waiting import follow

LONGEST_DODGE = 0.5  # seconds until those that met in the journal try again


def send(change: Change, round_: Round, done: Done) -> Steps[Outcome | Done]:
    """Send the request, unless something goes on that it does not start beside."""
    others = others_under_way(change)
    if others:
        return (yield from give_way(change, round_, done, others))
    if change.context.check_mode:
        change.ledger.journal.require_writable()  # without it, nothing would be sent
        return outcome(change, round_, done, changed=True)
    _require_foreseen(change, round_)
    if change.prepare and not change.prepare():
        return done
    entry = _claim(change, round_)
    if entry is None:
        return done
    answer = _ask(change, round_, entry)
    operation = done.operation
    if _is_accepted(answer):
        operation = Operation(answer.operation_id, message=answer.message, accepted_at=time.time())
    progress = IN_PROGRESS if _is_accepted(answer) else FINISHED
    answered = round_.following(entry.with_progress(progress, answer.operation_id))
    return replace(done, has_sent=True, answered=answered, answer=answer, operation=operation)


def note_answer(change: Change, answered: Round, done: Done) -> Steps[Outcome | Done]:
    """Note what became of the request that was just answered, and follow what it has started."""
    entry, done = answered.entry, replace(done, answered=None)
    change.ledger.note(entry, entry.progress, entry.operation_id)
    if done.operation and change.context.follows:
        return (yield from follow(change, answered, done))
    return outcome(change, answered, done, changed=True)


def _require_foreseen(change: Change, round_: Round) -> None:
    """Raise where the task was told what to foresee, and this is something else."""
    foreseen: Foreseen | None = change.context.get("foreseen")
    if foreseen is None or not change.is_state or (foreseen.move and has_move(foreseen.move, round_.move)):
        return
    raise messages.not_as_planned(round_.request)


def _claim(change: Change, round_: Round) -> Entry | None:
    """Note that the request is about to leave, and return its row; None when the plan has to be made anew."""
    ledger, repeatable = change.ledger, round_.wanted.repeatable
    entry = Entry.sent_now(
        round_.wanted.digest,
        change.context.client.longest_send,
        key=round_.wanted.key,
        release=change.release,
        part=change.part,
        after=(*round_.rows, *(one for _subject, one in of_environment(change))),
    )
    if not ledger.replace(round_.rows, _claimed(round_, entry), repeatable=repeatable):
        return None
    try:
        ledger.require_same()
    except JournalError:
        ledger.take_back(entry, round_.rows, repeatable=repeatable)
        raise
    if others_under_way(change, entry):
        # Both have noted theirs before they looked at the other's, so that at least one of them sees it.
        ledger.take_back(entry, round_.rows, repeatable=repeatable)
        time.sleep(random.uniform(0, LONGEST_DODGE))  # noqa: S311 (no secret)
        return None
    return entry if _is_taken(change, round_, entry) else None


def _claimed(round_: Round, entry: Entry) -> tuple[Entry, ...]:
    """Return the rows with that of a request that is about to leave."""
    if round_.wanted.repeatable:
        return (*(one for one in round_.rows if one.key != entry.key), entry)
    return claimed(round_.rows, entry)


def _is_taken(change: Change, round_: Round, entry: Entry) -> bool:
    """Take what the request is about, which is noted already; forget it if the plan has to be made anew."""
    repeatable = round_.wanted.repeatable
    try:
        is_taken = change.take is None or change.take()
    except BaseException:
        change.ledger.take_back(entry, round_.rows, repeatable=repeatable)
        raise
    if not is_taken:
        change.ledger.take_back(entry, round_.rows, repeatable=repeatable)
    return is_taken


def _ask(change: Change, round_: Round, entry: Entry) -> Answer:
    """Send the request and return its answer; where there is none, keep the journal true to that."""
    ledger, request = change.ledger, round_.request
    ledger.remember(request, entry)
    change.context.forget_looks()
    try:
        answer = change.context.client.send(request)
        _require_own(answer)
    except HostingError as error:
        if error.nothing_done:
            ledger.forget()
            ledger.take_back(entry, round_.rows, repeatable=round_.wanted.repeatable)
            raise
        ledger.note(entry, UNKNOWN)
        if request.repeatable:
            raise
        raise messages.without_answer(error, request, _advice(change, round_, entry)) from error
    except BaseException:
        ledger.note(entry, UNKNOWN)
        raise
    return answer


def _advice(change: Change, round_: Round, entry: Entry) -> str:
    """Return what to do about a request whose answer is lost."""
    if not change.ledger.lasts:
        return "Look at the service, and if it was not carried out, run the task again."
    if round_.before:
        return "The next run looks whether the service shows its effect."
    return messages.how_to_settle_or_send(change.ledger.subject, entry)


def _is_accepted(answer: Answer) -> bool:
    return answer.status == 202 or answer.operation_id is not None


def _require_own(answer: Answer) -> None:
    """Raise when the answer is not the service's own: a gateway may say 200 to what it has thrown away."""
    if answer.outcome >= 400:
        raise messages.says_error_within(answer)
    name = answer.request.endpoint.answers_with
    if name is None or _is_accepted(answer) or (isinstance(answer.data, dict) and name in answer.data):
        return
    raise messages.not_its_own_answer(answer)
