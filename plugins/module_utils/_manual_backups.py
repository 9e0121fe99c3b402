# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which backup a task of manual_backup wants: one with a tag that is new enough, or the one from before a release."""

from __future__ import annotations

import time
from dataclasses import replace

from ._answers import Record
from ._backups import as_result, is_manual, manual_backups_of
from ._context import NOT_SHOWN, Context
from ._convergence import TAKEN, Observed
from ._interface import GET_BACKUPS
from ._journal import note_progress
from ._progress import FINISHED, IN_PROGRESS, UNKNOWN
from ._release_backups import ReleaseBackup, Rows, is_settled, may_count, record, recorded
from ._values import time_of_text


def wanted_backup(context: Context) -> BackupOfTag | BackupOfRelease | None:
    """Return which backup the task wants; None means a new one at each run."""
    if context["release"] is not None:
        return BackupOfRelease(context)
    oldest = _oldest(context)
    return None if context["tag"] is None and oldest is None else BackupOfTag(context, oldest)


def note_end_of_lost(context: Context) -> None:
    """Note that a backup for the task's release was taken whose answer was lost, where the service shows it.

    It may not count any more, when something has overwritten the environment since. Then nobody would look for it, and
    its request would stand in the way of the next one.
    """
    if context["release"] is None or context.started or context.check_mode:
        return
    environment_id, tag = context["environment_id"], context["tag"]
    subject = (context.client.base_url, f"manual_backup/{environment_id}/{tag}")
    lost = [row for row in context.journal.read(subject) if row.as_known().progress == UNKNOWN]
    known = recorded(context, environment_id, context["release"]) if lost else None
    answer = context.companion(GET_BACKUPS(env_id=environment_id)) if known else NOT_SHOWN
    if known and answer is not NOT_SHOWN and known.found_in(manual_backups_of(answer)):
        for row in lost:
            note_progress(context.journal, subject, row, FINISHED)


class BackupOfTag:
    """The newest backup with the task's tag, if it gives one, that is not older than ``oldest`` (in seconds)."""

    def __init__(self, context: Context, oldest: float | None) -> None:
        self.context, self.oldest = context, oldest
        self.shown: list[Record] | None = None  # the manual backups that the service has shown last

    def not_before(self) -> float | None:
        """Return the journal's time before which no backup counts, or None."""
        return self.oldest

    def observe(self) -> Observed | None:
        """Return whether the service shows the backup."""
        answer = self.context.companion(GET_BACKUPS(env_id=self.context["environment_id"]))
        if answer is NOT_SHOWN:
            return NOT_SHOWN
        backups = answer.records("environment.backups")
        self.shown = [one for one in backups if is_manual(one) and isinstance(one.get("id"), int)]
        counting = [backup for backup in backups if self._counts(backup)]
        if not counting:
            return Observed(None)
        return Observed(TAKEN, as_result(answer, max(counting, key=lambda backup: backup["created_at"])))

    def _counts(self, backup: Record) -> bool:
        if not is_manual(backup) or self.context["tag"] not in (None, backup.get("note")):
            return False
        oldest = self._oldest_at_service()
        return oldest is None or backup["created_at"] / 1000 >= oldest

    def _oldest_at_service(self) -> float | None:
        """Return the time by the service's clock, which has dated its backups; one that was given is as it is."""
        if self.oldest is None or self.context["newer_than"] is not None:
            return self.oldest
        return self.oldest + self.context.client.clock_difference


class BackupOfRelease:
    """The backup from before a release: the one that the journal has on record, while nothing else came between."""

    def __init__(self, context: Context) -> None:
        self.context, self.environment_id, self.release = context, context["environment_id"], context["release"]
        # What this task notes counts as long as it runs.
        self.oldest = _oldest(context)
        self.shown: list[Record] | None = None  # the manual backups that the service has shown last
        self.record = recorded(context, self.environment_id, self.release) if context.started else None

    def not_before(self) -> float | None:
        """Return the journal's time before which no backup counts: that of the record."""
        return None if self.record is None else self.record.noted_at

    def observe(self) -> Observed | None:
        """Return whether the service shows the backup; note on record which it is, or that one is to be taken."""
        answer = self.context.companion(GET_BACKUPS(env_id=self.environment_id))
        backups = self.shown = None if answer is NOT_SHOWN else manual_backups_of(answer)
        remembered = self._remembered()
        known = self._known()
        if known is None or not self._counts(known, remembered, backups):
            known = self._begin(backups or [], remembered)
        self.record = known
        if answer is NOT_SHOWN or backups is None:
            return NOT_SHOWN
        found = known.found_in(backups)
        if found is None:
            return Observed(None)
        if known.backup_id is None and not self.context.check_mode:
            self.record = record(self.context, self.environment_id, replace(known, backup_id=found["id"]))
        return Observed(TAKEN, as_result(answer, found))

    def _remembered(self) -> Rows:
        """Return what the journal knows of the environment; where operations are not followed, what goes on is done."""
        rows = self.context.journal.of_environment(self.context.client.base_url, self.environment_id)
        if self.context.companions:
            return rows
        return [
            (subject, replace(entry, progress=FINISHED) if entry.progress == IN_PROGRESS else entry)
            for subject, entry in rows
        ]

    def _known(self) -> ReleaseBackup | None:
        """Return the record; with force, only the one that this task has noted."""
        if self.context.force and self.record is None:
            return None
        return recorded(self.context, self.environment_id, self.release)

    def _counts(self, known: ReleaseBackup, remembered: Rows, backups: list[Record] | None) -> bool:
        if not known.is_settled and not self.context.force:
            return False
        is_there = backups is not None and known.found_in(backups) is not None
        if self.record is not None and self.record.noted_at == known.noted_at and is_there:
            return True  # it was taken while this task ran, whatever has begun since
        if known.backup_id is not None and backups is not None and not is_there:
            return False  # it was removed
        return may_count(known, remembered, self.oldest)

    def _begin(self, backups: list[Record], remembered: Rows) -> ReleaseBackup:
        """Put on record that a backup is begun now, and return the record."""
        tag = self.context["tag"]
        before = [backup["id"] for backup in backups if backup.get("note") == tag]
        if before and not remembered:
            self.context.warn(
                f"The service has a backup {tag} of environment {self.environment_id}, and the journal knows nothing of"
                " this environment. If the journal was lost, or belongs to another controller, releases that are there"
                " already are pushed again: see the option journal."
            )
        begun = ReleaseBackup(self.release, tag, tuple(before), is_settled=is_settled(remembered))
        if self.context.check_mode:
            return replace(begun, noted_at=time.time())
        return record(self.context, self.environment_id, begun)


def _oldest(context: Context) -> float | None:
    """Return the time, in seconds since the epoch, before which a backup does not count; None when all count.

    What an earlier task has started was new enough then.
    """
    if context.started:
        return None
    if context["max_age"] is not None:
        return float(context.began_at - context["max_age"])
    return None if context["newer_than"] is None else time_of_text(context["newer_than"]).timestamp()
