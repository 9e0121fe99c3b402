# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which backups of an environment this collection has taken, as the journal knows it: nothing else is ever removed.

Before a backup is asked for, the journal notes under its tag which backups with this tag the service shows. Once it has
ended, the new one among them is known by its id. A backup without a tag cannot be told from those of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ._answers import Record
from ._context import Context
from ._journal import Entry, Subject, digest_of
from ._progress import FINISHED
from ._release_backups import Rows
from ._under_way import Kind, kind_of

_WORD = "taken_backups"


@dataclass(frozen=True)
class TakenBackups:
    """The backups with one tag that were taken: their ``ids``.

    ``before`` are the ids of those with the tag that were shown when one was asked for whose id is not known yet; None
    when all are known.
    """

    tag: str
    ids: tuple[int, ...] = ()
    before: tuple[int, ...] | None = None

    def with_shown(self, backups: Iterable[Record]) -> TakenBackups:
        """Return these with the id of the one that was asked for, if the service shows it. Pure."""
        if self.before is None:
            return self
        old = {*self.before, *self.ids}
        new = [one for one in backups if one.get("note") == self.tag and one["id"] not in old]
        if not new:
            return self
        first = min(new, key=lambda one: (one["created_at"], one["id"]))
        return replace(self, ids=(*self.ids, first["id"]), before=None)


def taken_of(remembered: Rows, backups: Iterable[Record]) -> set[int]:
    """Return the ids of those backups that were taken by this collection. Pure.

    ``remembered`` is what the journal knows of the environment, ``backups`` are the manual ones that the service shows.
    """
    remembered, backups = tuple(remembered), tuple(backups)
    ended = {
        entry.release
        for subject, entry in remembered
        if kind_of(subject, entry) is Kind.BACKUP and entry.progress == FINISHED
    }
    ids: set[int] = set()
    for subject, entry in remembered:
        word = subject[1].partition("/")[0]
        if word == "release_backup" and entry.note["backup_id"] is not None:
            ids.add(entry.note["backup_id"])
        elif word == _WORD:
            taken = _taken(entry)
            ids.update((taken.with_shown(backups) if taken.tag in ended else taken).ids)
    return ids & {one["id"] for one in backups}


def note_asked_for(context: Context, tag: str, backups: Iterable[Record]) -> None:
    """Note that a backup is asked for, when the service shows these manual ones."""
    backups = tuple(backups)
    shown = {one["id"] for one in backups}

    def asked_for(known: TakenBackups) -> TakenBackups:
        ids = tuple(one for one in known.with_shown(backups).ids if one in shown)
        return TakenBackups(tag, ids, tuple(one["id"] for one in backups if one.get("note") == tag))

    _change(context, tag, asked_for)


def note_taken(context: Context, tag: str, backup: Record) -> None:
    """Note the backup that was asked for, once the service shows it."""
    _change(context, tag, lambda known: known.with_shown([backup]))


def note_not_taken(context: Context, tag: str) -> None:
    """Note that the backup that was asked for was refused, or has failed: one that shows later is somebody else's."""
    _change(context, tag, lambda known: replace(known, before=None))


def _taken(entry: Entry) -> TakenBackups:
    before = entry.note["before"]
    return TakenBackups(entry.release or "", tuple(entry.note["ids"]), None if before is None else tuple(before))


def _change(context: Context, tag: str, change: Callable[[TakenBackups], TakenBackups]) -> None:
    subject: Subject = (context.client.base_url, f"{_WORD}/{context['environment_id']}")
    key = digest_of(tag)
    while True:
        rows = context.journal.read(subject)
        row = next((one for one in rows if one.key == key), None)
        known = _taken(row) if row else TakenBackups(tag)
        now = change(known)
        if now == known:
            return
        entry = Entry.noted_now(key, {"ids": now.ids, "before": now.before}, key=key, release=tag)
        if context.journal.replace(subject, rows, (*(one for one in rows if one.key != key), entry), durable=False):
            return
