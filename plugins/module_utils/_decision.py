# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What to do next about something that is wanted: pure rules, without clock, network or journal.

The tables of docs/idempotence.md are these rules, and the tests of this file, row by row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

from ._journal import Entry
from ._progress import FAILED, FINISHED, IN_PROGRESS, NOT_DONE, SENT

READS_LAG = 15
"""Seconds after the end of a write in which a read may still show what was there before it."""

HORIZON = 30 * 60
"""Seconds after which a write whose effect the service does not show has not taken place."""


class Step(Enum):
    """What one round ends with."""

    NOTHING = auto()  # what is wanted is there
    SEND = auto()
    EFFECT_MISSING = auto()  # this task has sent it, that has ended, and the service shows something else
    FOLLOW = auto()  # an operation goes on: wait for it
    AWAIT_ANSWER = auto()  # another run has sent a request and has no answer yet
    LOOK_AGAIN = auto()  # the service may come to show the effect of what was sent
    ASK_THE_USER = auto()  # nobody can tell whether a request was carried out that must not be repeated


class Sight(Enum):
    """What the service shows of a state, beside the one that is wanted."""

    DESIRED = auto()
    DIFFERENT = auto()
    NOT_SHOWN = auto()  # the service has no such read, or must not be asked


@dataclass(frozen=True)
class Wanted:
    """What is asked for.

    ``digest`` stands for the value, or for release and part. ``key`` names the journal's row of the subject,
    ``release`` is that of an action. ``repeatable`` is the endpoint's. ``force`` sends whatever is known; so does an
    action that is to be taken at each run. What was sent before ``not_before`` (seconds since the epoch) counts no
    more. ``relative`` says that the value was computed from what the service shows.
    """

    digest: str
    repeatable: bool
    key: str = ""
    release: str | None = None
    force: bool = False
    not_before: float | None = None
    relative: bool = False


@dataclass(frozen=True)
class Seen:
    """What the service shows: the state with its digest, and whether it shows how the accepted operation stands.

    ``is_ours`` says that this task has sent the request itself, and that it was accepted.
    """

    sight: Sight
    digest: str | None = None
    shows_operation: bool = True
    is_ours: bool = False


@dataclass(frozen=True)
class Decision:
    """What to do next, and the journal's row that it is about, where there is one."""

    step: Step
    entry: Entry | None = None


def decide(wanted: Wanted, seen: Seen, remembered: Iterable[Entry], now: float) -> Decision:
    """Say what to do next, and about which row.

    ``remembered`` are the journal's rows of the subject. One that is ``sent`` has a run that still waits for its
    answer; where that run has ended without one, the caller says ``unknown``. ``now`` is in seconds since the epoch.
    """
    remembered = tuple(remembered)
    entry = counting_entry(wanted, remembered, now)
    step = _step(wanted, seen, remembered, entry, now)
    if seen.is_ours and seen.sight is Sight.NOT_SHOWN and step in (Step.SEND, Step.AWAIT_ANSWER):
        # It was done, and another run that waited for its end has sent something else since.
        return Decision(Step.NOTHING, entry)
    if step is Step.AWAIT_ANSWER:
        return Decision(step, min((one for one in remembered if one.progress == SENT), key=lambda one: one.sent_at))
    return Decision(Step.EFFECT_MISSING if step is Step.SEND and seen.is_ours else step, entry)


def _step(wanted: Wanted, seen: Seen, remembered: tuple[Entry, ...], entry: Entry | None, now: float) -> Step:
    if seen.sight is Sight.DESIRED and not wanted.force:
        return Step.NOTHING
    if any(one.progress == SENT for one in remembered):
        return Step.AWAIT_ANSWER
    if wanted.force:
        return Step.SEND
    if wanted.relative and _shows_an_older_state(seen, remembered, now):
        return Step.LOOK_AGAIN
    if entry is None or entry.progress in (FAILED, NOT_DONE):
        return Step.SEND
    if entry.progress == IN_PROGRESS and seen.shows_operation:
        return Step.FOLLOW
    if entry.progress in (IN_PROGRESS, FINISHED) and seen.sight is Sight.NOT_SHOWN:
        # Its operation is not shown, so it counts as done; it may have been asked for too long ago.
        return Step.SEND if wanted.not_before is not None and entry.sent_at < wanted.not_before else Step.NOTHING
    if entry.progress == FINISHED:
        return Step.LOOK_AGAIN if _has_just_ended(entry, now) else Step.SEND
    if entry.progress != IN_PROGRESS and wanted.repeatable:
        return Step.SEND
    if seen.sight is Sight.NOT_SHOWN:
        return Step.ASK_THE_USER
    return Step.LOOK_AGAIN if now - entry.sent_at <= HORIZON else Step.SEND


def counting_entry(wanted: Wanted, remembered: Iterable[Entry], now: float) -> Entry | None:
    """Return the journal's row of the same value, or of the same release and part, if it still counts."""
    remembered = tuple(remembered)
    entry = next((one for one in remembered if one.key == wanted.key and one.wanted == wanted.digest), None)
    if entry is None or _is_superseded(entry, remembered) or _is_too_old(entry, wanted, now):
        return None
    return entry


def _is_superseded(entry: Entry, remembered: Iterable[Entry]) -> bool:
    """Tell whether another release was sent since: then this one is no longer the environment's."""
    return any(
        one.release != entry.release and one.sent_at > entry.sent_at and one.progress != NOT_DONE for one in remembered
    )


def _is_too_old(entry: Entry, wanted: Wanted, now: float) -> bool:
    if wanted.not_before is None or entry.sent_at >= wanted.not_before:
        return False
    return entry.progress == FINISHED or now - entry.sent_at > HORIZON


def _has_just_ended(entry: Entry, now: float) -> bool:
    return entry.ended_at is not None and now - entry.ended_at <= READS_LAG


def _shows_an_older_state(seen: Seen, remembered: Iterable[Entry], now: float) -> bool:
    """Tell whether the read lags behind the last write: a list computed from it would lose what that write added."""
    return seen.sight is not Sight.NOT_SHOWN and any(
        entry.progress == FINISHED and _has_just_ended(entry, now) and entry.wanted != seen.digest
        for entry in remembered
    )
