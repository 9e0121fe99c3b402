# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a request does not start beside, and how it waits for the end of that."""

from __future__ import annotations

from .._journal import Entry, Subject, note_progress
from .._operations import Operation
from .._progress import FAILED, FINISHED, IN_PROGRESS, SENT
from .._under_way import Beside, in_the_way, named
from . import messages
from .change import Change, Done, Round, outcome
from .generators import Steps
from .values import Outcome
from .waiting import sleep_until_answered


def of_environment(change: Change) -> list[tuple[Subject, Entry]]:
    """Return what the journal knows of the environment, where that matters."""
    if change.start is None:
        return []
    ledger = change.ledger
    return ledger.journal.of_environment(ledger.subject[0], change.start.environment_id)


def others_under_way(change: Change, own: Entry | None = None) -> list[tuple[Subject, Entry, Beside]]:
    """Return what this request, whose row is ``own`` once it is noted, does not start beside."""
    if change.start is None or change.context.force:
        return []
    others = in_the_way(change.start.kind, of_environment(change), own)
    # Where operations are not followed, what was accepted counts as done.
    return [one for one in others if change.context.companions or one[1].progress != IN_PROGRESS]


def give_way(
    change: Change, round_: Round, done: Done, others: list[tuple[Subject, Entry, Beside]]
) -> Steps[Outcome | Done]:
    """Wait for the ends of what goes on at the environment; raise where nobody knows, or it takes too long."""
    context, journal = change.context, change.ledger.journal
    if context.check_mode and change.is_state:
        return outcome(change, round_, done, changed=True)  # what differs is worth knowing, whatever goes on
    subject, entry, verdict = next((one for one in others if one[2] is Beside.ASKS), others[0])
    if verdict is Beside.ASKS:
        raise messages.may_still_go_on(subject, entry, round_.request)
    if context.check_mode:
        return outcome(change, round_, done, changed=True)
    time_left = change.time_left if context.wait else 0.0
    if time_left:
        context.report(f"waiting until this has ended: {named(subject, entry)}")
        yield
        time_left = change.time_left
    if entry.progress == SENT and time_left:
        sleep_until_answered(change, subject, entry)
        return done
    operation = Operation.resume(entry, waits=context.wait)
    if entry.progress == IN_PROGRESS:
        context.follow([operation], time_left, journal)
    if operation.state == IN_PROGRESS:
        raise messages.goes_on(subject, entry)
    # Where the service does not show the operation, it counts as done, as everywhere.
    note_progress(journal, subject, entry, FAILED if operation.state == FAILED else FINISHED)
    return done
