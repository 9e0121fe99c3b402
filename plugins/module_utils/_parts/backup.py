# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A backup of an environment."""

from __future__ import annotations

from typing import Any

from .._analytics import checked_time
from .._answers import Record
from .._arguments import Constraints, Option, text_option
from .._backup_removals import Choice, chosen, has_no_room, how_to_make_room, removing
from .._checks import checked_duration, checked_keep
from .._context import NOT_SHOWN, Context
from .._convergence import Outcome, Steps, always_counts, in_one_go, not_shown, taking_once
from .._errors import HostingError, OperationFailed
from .._interface import ADD_MANUAL_BACKUP, GET_BACKUPS
from .._manual_backups import note_end_of_lost, wanted_backup
from .._phases import begun
from .._taken_backups import note_asked_for, note_not_taken, note_taken
from .._under_way import Kind, Start

OPTIONS: dict[str, dict[str, Any]] = {
    "tag": text_option(required=False),
    "max_age": Option(checked_duration),
    "newer_than": Option(checked_time),
    "release": text_option(required=False),
    "keep": Option(checked_keep),
    "tag_pattern": text_option(required=False),
}
CONSTRAINTS: Constraints = {
    "mutually_exclusive": [["max_age", "newer_than"], ["release", "newer_than"]],
    "required_by": {"release": ["tag"]},
}

NO_ROOM_MADE = "keep removes nothing: the service does not show its backups, or does not remove them for others."


def steps(context: Context) -> Steps[dict[str, Any]]:
    """Take a backup of an environment (interface section 4.10), and before it make room, if that is asked for."""
    note_end_of_lost(context)
    wanted, room, tag = wanted_backup(context), Room(context), context["tag"]
    is_asked_for = False

    def prepare() -> bool:
        nonlocal is_asked_for
        if room.make():
            return False  # that took a while
        if tag is not None and wanted and wanted.shown is not None:
            note_asked_for(context, tag, wanted.shown)
            is_asked_for = True
        return True

    try:
        outcome = yield from taking_once(
            context,
            subject=("manual_backup", context["environment_id"], tag or ""),
            request=ADD_MANUAL_BACKUP(env_id=context["environment_id"], body=context.given("tag")),
            release=tag,
            at_each_run=wanted is None,
            not_before=wanted.not_before if wanted else always_counts,
            observe=wanted.observe if wanted else not_shown,
            start=Start(Kind.BACKUP, context["environment_id"]),
            prepare=prepare,
            begun=begun(context),
        )
    except HostingError as error:
        has_failed = isinstance(error, OperationFailed) and (is_asked_for or context.started is not None)
        if tag is not None and (has_failed or (is_asked_for and error.nothing_done)):
            note_not_taken(context, tag)
        if has_no_room(error):
            error.with_advice(how_to_make_room(room.choice))
        raise room.told_in(error) from None
    if tag is not None and outcome.record and outcome.operation and not context.check_mode:
        note_taken(context, tag, outcome.record)
    return outcome.result(backup=outcome.record or {"tag": tag}, is_taken=outcome.changed, **room.result(outcome))


run = in_one_go(steps)


class Room:
    """The room for a backup: with ``keep``, what is older than that is removed right before the backup is asked for."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.is_wanted = context.get("keep") is not None
        self.removed: list[Record] = []
        self.choice: Choice | None = None

    def make(self) -> bool:
        """Remove what is too much, wait for the end of that, and tell whether anything was removed."""
        self._choose()
        if self.choice is None or not self.choice.to_remove:
            return False
        waiting = {"wait": True, "wait_until": "ended", "force": False}
        try:
            removed = in_one_go(removing)(self.context.narrowed(waiting), self.choice)
        except HostingError as error:
            self.removed += error.results.pop("removed", [])
            if error.is_offered or not error.nothing_done:
                raise
            self.context.warn(f"{NO_ROOM_MADE} ({error})")
            self.is_wanted = False
            return False
        self.removed += removed.backups
        return True

    def _choose(self) -> None:
        """See what is too much; where the service shows no backups, nobody can."""
        self.choice = None
        if not self.is_wanted:
            return
        answer = self.context.companion(GET_BACKUPS(env_id=self.context["environment_id"]))
        if answer is NOT_SHOWN:
            self.context.warn(NO_ROOM_MADE)
            self.is_wanted = False
        else:
            self.choice = chosen(self.context, answer, room_for=1)

    def result(self, outcome: Outcome) -> dict[str, Any]:
        """Return what was removed, or would be before a backup that is due, as values of the result."""
        if self.context.get("keep") is None:
            return {}
        if self.context.check_mode and outcome.changed:
            self._choose()
            return {"removed": self.choice.to_remove if self.choice else []}
        return {"removed": self.removed}

    def told_in(self, error: HostingError) -> HostingError:
        """Return the error of the backup with what was removed before it."""
        if self.removed:
            error.results.update(changed=True, removed=self.removed)
        return error
