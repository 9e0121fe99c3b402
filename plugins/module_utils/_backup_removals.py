# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups that do not pile up: which ones may be removed, and their removal.

The rules are pure. What is never removed: what this collection has not taken, the newest backup, those from before the
current and the previous release, and whatever an open question may need.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from ._answers import Answer, Record
from ._backups import as_result, manual_backups_of
from ._checks import checked_duration
from ._context import NOT_SHOWN, Context
from ._convergence import Observed, Outcome, Plan, Steps, converging, in_one_go
from ._errors import CheckFailed, HostingError, InvalidInput, OperationFailed, RateLimited
from ._interface import DELETE_BACKUP, GET_BACKUPS
from ._journal import note_progress
from ._progress import FAILED, FINISHED, NOT_DONE, SENT, UNKNOWN
from ._release_backups import Rows, recorded_in
from ._taken_backups import taken_of
from ._under_way import OVERWRITING, Kind, Start, is_restore, kind_of, named

PRESENT, ABSENT = "present", "absent"
NOT_TAKEN = "the journal does not know that this collection has taken it"
NO_ROOM = "The service seems to keep no more manual backups of this environment."
FULL = re.compile(r"limit|maximum|too many|exceed|quota|reached", re.IGNORECASE)
"""What a service may say that has no room for another backup."""


# ---- what may be removed: pure --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Keep:
    """How many backups to keep (``count``), or those of how many seconds (``seconds``)."""

    count: int | None = None
    seconds: int | None = None

    @classmethod
    def of(cls, text: str) -> Keep:
        """Return what an option's value says: a number, or a duration with its unit."""
        return cls(count=int(text)) if text.isdigit() else cls(seconds=checked_duration(text))

    def surplus(self, backups: list[Record], now: float) -> list[Record]:
        """Return those backups, which come newest first, that are beyond it; ``now`` is the service's time."""
        if self.count is not None:
            return [one for place, one in enumerate(backups) if place >= self.count]
        return [one for one in backups if one["created_at"] / 1000 < now - (self.seconds or 0)]


def reasons_to_keep(backups: list[Record], remembered: Rows, restores: Rows) -> dict[int, str]:
    """Return why backups that this collection has taken are not removed, by their ids.

    :param backups: those that it has taken, newest first.
    :param remembered: what the journal knows of the environment.
    :param restores: what it knows of the pushes and restores of all environments: a backup may be restored elsewhere.
    """
    remembered = tuple(remembered)
    reasons: dict[int, str] = {}
    for entry in (entry for _subject, entry in restores if is_restore(entry)):
        if entry.as_known().progress not in (FINISHED, FAILED, NOT_DONE):
            reasons.setdefault(entry.note["backup_id"], "a restore may still need it")
    overwriting = [
        (subject, entry.as_known()) for subject, entry in remembered if kind_of(subject, entry) in OVERWRITING
    ]
    for subject, entry in overwriting:
        if entry.progress not in (FINISHED, FAILED, NOT_DONE):
            stands = "of unknown outcome" if entry.progress == UNKNOWN else "not at its end"
            reason = f"{_uncapitalized(named(subject, entry))} is {stands}, and may need it"
            reasons |= {one["id"]: reason for one in backups}
    for release, backup_id in _of_last_releases(overwriting, remembered, backups):
        reasons.setdefault(backup_id, f"it is the one from before {release}")
    if backups:
        reasons.setdefault(backups[0]["id"], "it is the newest one")
    return reasons


def _of_last_releases(overwriting: Rows, remembered: Rows, backups: list[Record]) -> list[tuple[str, int]]:
    """Return the backups from before the current release, the one before it, and those that are to come.

    After a restore, and after a push that has failed, the current release is the one before, if it is there at all.
    """
    records = recorded_in(remembered)
    last = max(
        (entry for _subject, entry in overwriting if entry.progress != NOT_DONE),
        key=lambda entry: entry.sent_at,
        default=None,
    )
    current = None if last is None else last.note.get("release") if is_restore(last) else last.release
    place = next((number for number, one in enumerate(records) if one.release == current), len(records) - 1)
    is_there = last is not None and last.progress == FINISHED and not is_restore(last)
    first = max(0, place - (1 if is_there else 2))
    found = [(one.release, one.found_in(backups)) for one in records[first:]]
    return [(release, backup["id"]) for release, backup in found if backup]


def _uncapitalized(text: str) -> str:
    return text[:1].lower() + text[1:]


# ---- what the service and the journal say ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """What a task wants to be gone, and what of it stays.

    ``shown`` are the ids of all backups that the service shows, ``candidates`` those that the task is about, newest
    first.
    """

    shown: set[int] = field(default_factory=set)
    candidates: list[Record] = field(default_factory=list)
    unwanted: list[Record] = field(default_factory=list)
    reasons: Mapping[int, str] = field(default_factory=dict)

    @property
    def to_remove(self) -> list[Record]:
        return [one for one in self.unwanted if one["id"] not in self.reasons]

    @property
    def to_keep(self) -> list[Record]:
        """What is unwanted and stays, each with the reason."""
        return [{**one, "reason": self.reasons[one["id"]]} for one in self.unwanted if one["id"] in self.reasons]


def read_backups(context: Context) -> Answer:
    """Return the service's list of the environment's backups. Raises InvalidInput where it shows none."""
    request = GET_BACKUPS(env_id=context["environment_id"])
    answer = context.companion(request)
    if answer is NOT_SHOWN:
        why = context.why_missing(request) if context.companions else "companions are switched off"
        raise InvalidInput(
            f"The service does not show the backups of environment {context['environment_id']} ({why}), so none can be"
            " removed. Nothing was sent. Remove them in the service's own panel."
        )
    return answer


def chosen(context: Context, answer: Answer, *, room_for: int = 0) -> Choice:
    """Return what a task with ``keep`` removes, so that there is room for so many more below that number."""
    backups, remembered = _taken_backups(context, answer)
    pattern = context["tag_pattern"]
    candidates = [one for one in backups if pattern is None or fnmatchcase(one["note"], pattern)]
    keep = Keep.of(context["keep"])
    if keep.count is not None:
        keep = Keep(count=keep.count - room_for)
    unwanted = keep.surplus(candidates, context.began_at + context.client.clock_difference)
    return _choice(context, answer, candidates, unwanted, backups, remembered, {})


def named_by_task(context: Context, answer: Answer) -> Choice:
    """Return what a task removes that names backups by ``backup_id`` or ``tag``. What others have taken stays."""
    backups, remembered = _taken_backups(context, answer)
    taken = {one["id"] for one in backups}
    backup_id, tag = context["backup_id"], context["tag"]
    shown = [one for one in answer.records("environment.backups") if isinstance(one.get("id"), int)]
    unwanted = [one for one in shown if (one["id"] == backup_id if tag is None else one.get("note") == tag)]
    foreign = {one["id"]: NOT_TAKEN for one in unwanted if one["id"] not in taken}
    return _choice(context, answer, unwanted, unwanted, backups, remembered, foreign)


def _taken_backups(context: Context, answer: Answer) -> tuple[list[Record], Rows]:
    """Return what this collection has taken, newest first, and what the journal knows of the environment."""
    remembered = context.journal.of_environment(context.client.base_url, context["environment_id"])
    shown = manual_backups_of(answer)
    taken = taken_of(remembered, shown)
    backups = [one for one in shown if one["id"] in taken and isinstance(one.get("note"), str)]
    return sorted(backups, key=lambda one: (one["created_at"], one["id"]), reverse=True), remembered


def _choice(
    context: Context,
    answer: Answer,
    candidates: list[Record],
    unwanted: list[Record],
    backups: list[Record],
    remembered: Rows,
    foreign: dict[int, str],
) -> Choice:
    shown = {one["id"] for one in answer.records("environment.backups") if isinstance(one.get("id"), int)}
    restores = _pushes_and_restores(context) if unwanted else []
    reasons = foreign | {
        number: reason
        for number, reason in reasons_to_keep(backups, remembered, restores).items()
        if number not in foreign
    }
    return Choice(
        shown,
        [as_result(answer, one) for one in candidates],
        [as_result(answer, one) for one in unwanted],
        reasons,
    )


# ---- removing -------------------------------------------------------------------------------------------------------


@dataclass
class Removed:
    """What became of a removal of backups: those that were removed, or are to be, and the operations."""

    backups: list[Record] = field(default_factory=list)
    operations: list[dict[str, Any]] = field(default_factory=list)

    def add(self, backup: Record, outcome: Outcome) -> None:
        if outcome.changed:
            self.backups.append(backup)
        if outcome.operation:
            self.operations.append({"backup_id": backup["id"], **outcome.operation.as_result()})


def removing(context: Context, choice: Choice) -> Steps[Removed]:
    """Remove what is chosen, side by side; an earlier removal whose backup is gone has ended."""
    _note_gone(context, choice.shown)
    known = {one["id"]: one for one in choice.to_remove}
    changes = {number: _removing_one(context, number) for number in known}
    removed = Removed()
    while changes:
        for number, steps in list(changes.items()):
            try:
                next(steps)
            except StopIteration as end:
                removed.add(known[number], end.value)
                del changes[number]
            except HostingError as error:
                raise _after(removed, error) from None
        if changes:
            yield
    return removed


def _removing_one(context: Context, backup_id: int) -> Steps[Outcome]:
    """Remove a backup, if it is there (a companion of the interface)."""
    request = DELETE_BACKUP(backup_id=str(backup_id))

    def observe() -> Observed | None:
        answer = context.companion(GET_BACKUPS(env_id=context["environment_id"]))
        if answer is NOT_SHOWN:
            return NOT_SHOWN
        is_there = any(one.get("id") == backup_id for one in answer.records("environment.backups"))
        return Observed(PRESENT if is_there else ABSENT)

    def still_may() -> bool:
        """Look once more, right before the request leaves, whether another run needs it by now."""
        backups, remembered = _taken_backups(context, read_backups(context))
        reason = reasons_to_keep(backups, remembered, _pushes_and_restores(context)).get(backup_id)
        if reason:
            raise CheckFailed(
                f"Backup {backup_id} is needed since this task has begun: {reason}. {request} was not sent. Run again.",
                nothing_done=True,
            )
        return True

    try:
        outcome = yield from converging(
            context,
            subject=("backup_removal", context["environment_id"], str(backup_id)),
            name=f"backup {backup_id}",
            plan=lambda before: Plan(ABSENT, None if before and before.value == ABSENT else request),
            observe=observe,
            start=Start(Kind.REMOVAL, context["environment_id"]),
            prepare=still_may,
        )
    except HostingError as error:
        if not error.is_offered:
            error.with_advice("The service does not remove backups for others: remove them in its own panel.")
        raise
    return outcome


def _note_gone(context: Context, shown: Container[int]) -> None:
    """Note the end of earlier removals, of whatever task, whose backup the service does not show any more."""
    if context.check_mode:
        return
    prefix = f"backup_removal/{context['environment_id']}/"
    for subject, entry in context.journal.subjects(context.client.base_url, prefix):
        is_open = entry.as_known().progress not in (SENT, FINISHED, FAILED, NOT_DONE)
        if is_open and int(subject[1].removeprefix(prefix)) not in shown:
            note_progress(context.journal, subject, entry, FINISHED)


def _pushes_and_restores(context: Context) -> Rows:
    """Return what the journal knows of those of all environments."""
    return context.journal.subjects(context.client.base_url, "env_push/")


def _after(removed: Removed, error: HostingError) -> HostingError:
    """Return the error with what was removed before it."""
    if removed.backups:
        error.results.update(changed=True, removed=removed.backups)
        error.with_advice(f"Removed before: {', '.join(words_for(one) for one in removed.backups)}.")
    return error


def words_for(backup: Record) -> str:
    """Return what a backup is called in a message."""
    return f"{backup['id']} ({backup['tag']})" if backup.get("tag") else str(backup["id"])


@in_one_go
def removal_of(context: Context) -> Steps[dict[str, Any]]:
    """Remove the backups that a task names, or all but those that it keeps, and return the module's result."""
    answer = read_backups(context)
    choice = (chosen if context["keep"] is not None else named_by_task)(context, answer)
    if choice.to_keep and context["keep"] is None:
        stays = "; ".join(f"{words_for(one)}: {one['reason']}" for one in choice.to_keep)
        raise CheckFailed(f"Not removed, because it has to stay: {stays}. Nothing was sent.", nothing_done=True)
    removed = yield from removing(context, choice)
    result: dict[str, Any] = {
        "changed": bool(removed.backups),
        "removed": removed.backups,
        "kept": choice.to_keep,
        "operations": removed.operations,
        "state_source": "service",
    }
    if context.diff:
        gone = {one["id"] for one in removed.backups}
        before = {str(one["id"]): one["tag"] for one in choice.candidates}
        after = {str(one["id"]): one["tag"] for one in choice.candidates if one["id"] not in gone}
        result["diff"] = {"before": {"backups": before}, "after": {"backups": after}}
    return result


# ---- the service has no room ----------------------------------------------------------------------------------------


def has_no_room(error: HostingError) -> bool:
    """Tell whether the service has refused another backup because there are too many."""
    if isinstance(error, RateLimited):
        return False
    words = str(error) if isinstance(error, OperationFailed) else error.service_message or ""
    return bool(FULL.search(words))


def how_to_make_room(choice: Choice | None) -> str:
    """Return the sentences for someone whose backup was refused; ``choice`` is that of the task's ``keep``."""
    advice = (
        f"{NO_ROOM} Make room with"
        " hosting.management.manual_backup: state: absent with keep removes older ones now, keep on the task that takes"
        " the backup does it before each new one. Both remove only what this collection has taken; remove others in the"
        " service's own panel."
    )
    kept = [f"{words_for(one)}: {one['reason']}" for one in choice.to_keep] if choice else []
    return f"{advice} Kept, although keep says otherwise: {'; '.join(kept)}." if kept else advice
