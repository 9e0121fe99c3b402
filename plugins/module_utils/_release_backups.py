# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which backup is the one from before a release: what was noted when it was begun, never what two clocks say.

The record is a row of the journal, noted when nothing overwrote the environment, before the backup was asked for. It
has the ids of the backups that the service showed until then, so that the new one can be told from them; and the id of
the new one, once the service shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ._answers import Record
from ._context import Context
from ._errors import CheckFailed
from ._journal import Entry, Subject, digest_of
from ._progress import FAILED, FINISHED, NOT_DONE, UNKNOWN
from ._under_way import OVERWRITING, Kind, is_restore, kind_of

Rows = Iterable[tuple[Subject, Entry]]

_WORD = "release_backup"


@dataclass(frozen=True)
class ReleaseBackup:
    """A backup that was begun for a release.

    ``is_settled`` is False when something overwrote the environment just then, and the user wanted it all the same.
    ``noted_at`` has its place among the journal's times.
    """

    release: str
    tag: str
    ids_before: tuple[int, ...] = ()
    backup_id: int | None = None
    is_settled: bool = True
    noted_at: float = 0

    def found_in(self, backups: Iterable[Record]) -> Record | None:
        """Return this backup among those that the service shows, or None when it is not there (yet)."""
        if self.backup_id is not None:
            return next((one for one in backups if one.get("id") == self.backup_id), None)
        new = [one for one in backups if one.get("note") == self.tag and one.get("id") not in self.ids_before]
        return min(new, key=lambda one: (one["created_at"], one["id"]), default=None)

    def problem(self, remembered: Rows) -> str | None:
        """Return why this is no backup from before the release, as the end of a sentence, or None when it is."""
        remembered = tuple(remembered)
        if self.backup_id is None:
            return "its id is not known, because the service did not show it when it was taken"
        if not self.is_settled:
            return "it was begun while something overwrote the environment"
        since = _overwritten_since(self, remembered)
        if not all(_is_for(entry, self.release) for entry in since):
            return "the environment was overwritten between that backup and the push"
        if not since and self._holds_its_release(remembered):
            return "it was begun when the release was there already"
        return None

    def _holds_its_release(self, remembered: Rows) -> bool:
        """Tell whether the release had been pushed when the backup was begun."""
        before = _overwriting(remembered, lambda entry: entry.sent_at <= self.noted_at)
        return bool(before) and not is_restore(before[-1]) and before[-1].release == self.release


def may_count(record: ReleaseBackup, remembered: Rows, oldest: float | None) -> bool:
    """Tell whether a backup still holds what a push of its release would overwrite. Pure.

    ``oldest`` is the journal's time before which a backup is too old, or None. After a push of the same release that
    failed or may have been carried out in part, the backup from before it is the one to go back to, however old. Once
    the release is there, or on its way, a new backup would hold the release itself: another run may have pushed it just
    now.
    """
    remembered = tuple(remembered)
    is_young = oldest is None or record.noted_at >= oldest
    since = _overwritten_since(record, remembered)
    if not since:
        return is_young
    if not all(_is_for(entry, record.release) for entry in since):
        return False
    if since[-1].progress in (FAILED, UNKNOWN):
        return record.backup_id is not None or _was_begun_before(since[0], record, remembered)
    return is_young and record.backup_id is not None and not is_restore(since[-1])


def require_backup(context: Context, environment_id: str, release: str) -> bool:
    """Raise CheckFailed unless a push of a release would overwrite what its backup on record holds; return True."""
    known = recorded(context, environment_id, release)
    advice = (
        f"{release} was not pushed, and nothing was sent. Run again: hosting.management.manual_backup takes the backup"
        f" first. requires_backup: false pushes without it."
    )
    if known is None:
        raise CheckFailed(f"The journal has no backup of environment {environment_id} for {release}. {advice}")
    remembered = context.journal.of_environment(context.client.base_url, environment_id)
    if known.backup_id is None and not _may_have_been_taken(known, remembered):
        raise CheckFailed(f"The backup {known.tag} of environment {environment_id} was not taken. {advice}")
    if not all(_is_for(entry, release) for entry in _overwritten_since(known, remembered)):
        raise CheckFailed(
            f"Environment {environment_id} was overwritten after the backup {known.tag} had been begun, by another run."
            f" {advice}"
        )
    return True


def _may_have_been_taken(backup: ReleaseBackup, remembered: Rows) -> bool:
    """Tell whether a backup was asked for after it was put on record, and has not failed."""
    return any(
        kind_of(subject, entry) is Kind.BACKUP
        and entry.release == backup.tag
        and entry.progress not in (FAILED, NOT_DONE)
        for subject, entry in remembered
    )


def is_settled(remembered: Rows) -> bool:
    """Tell whether nothing overwrites an environment, as far as the journal knows. Pure."""
    return not any(
        kind_of(subject, entry) in OVERWRITING and entry.progress not in (FINISHED, FAILED, NOT_DONE)
        for subject, entry in remembered
    )


def recorded(context: Context, environment_id: str, release: str) -> ReleaseBackup | None:
    """Return what the journal knows of the backup from before a release, or None."""
    key = digest_of(release)
    row = next((one for one in context.journal.read(_subject(context, environment_id)) if one.key == key), None)
    return None if row is None else _of_row(release, row)


def recorded_in(remembered: Rows) -> list[ReleaseBackup]:
    """Return the backups from before releases that are among the journal's rows of an environment, oldest first."""
    rows = [row for subject, row in remembered if subject[1].startswith(f"{_WORD}/") and row.release]
    return [_of_row(row.release or "", row) for row in sorted(rows, key=lambda row: row.sent_at)]


def _of_row(release: str, row: Entry) -> ReleaseBackup:
    note = row.note
    return ReleaseBackup(
        release, note["tag"], tuple(note["ids_before"]), note["backup_id"], note["is_settled"], row.sent_at
    )


def record(context: Context, environment_id: str, backup: ReleaseBackup) -> ReleaseBackup:
    """Note a backup as the one from before its release, and return it as noted.

    A new one (without ``noted_at``) comes after all that the journal has of the environment, by whatever clock.
    """
    subject = _subject(context, environment_id)
    note = {
        "tag": backup.tag,
        "ids_before": sorted(backup.ids_before),
        "backup_id": backup.backup_id,
        "is_settled": backup.is_settled,
    }
    key = digest_of(backup.release)
    entry = Entry.noted_now(key, note, key=key, release=backup.release)
    known = [one for _subject_of, one in context.journal.of_environment(context.client.base_url, environment_id)]
    noted_at = backup.noted_at or entry.following(known)
    entry = replace(entry, sent_at=noted_at)
    while True:
        rows = context.journal.read(subject)
        if context.journal.replace(subject, rows, (*(one for one in rows if one.key != key), entry)):
            return replace(backup, noted_at=noted_at)


def _subject(context: Context, environment_id: str) -> Subject:
    return (context.client.base_url, f"{_WORD}/{environment_id}")


def _overwritten_since(backup: ReleaseBackup, remembered: Rows) -> list[Entry]:
    """Return the pushes and restores that were sent after a backup was noted, oldest first."""
    return _overwriting(remembered, lambda entry: entry.sent_at > backup.noted_at)


def _overwriting(remembered: Rows, is_wanted: Callable[[Entry], bool]) -> list[Entry]:
    return [
        entry.as_known()
        for subject, entry in remembered
        if kind_of(subject, entry) in OVERWRITING and entry.progress != NOT_DONE and is_wanted(entry)
    ]


def _was_begun_before(overwriting: Entry, backup: ReleaseBackup, remembered: Rows) -> bool:
    """Tell whether a backup was asked for between its record and what overwrote the environment first."""
    return any(
        kind_of(subject, entry) is Kind.BACKUP
        and entry.release == backup.tag
        and backup.noted_at <= entry.sent_at < overwriting.sent_at
        and entry.progress not in (FAILED, NOT_DONE)
        for subject, entry in remembered
    )


def _is_for(entry: Entry, release: str) -> bool:
    return (entry.note.get("release") if is_restore(entry) else entry.release) == release
