# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which journal a task gets for a place, and which stay open for the next one."""

from __future__ import annotations

import os
import threading
from typing import TypeAlias

from .memory import NoJournal
from .places import is_postgres
from .postgres import PostgresJournal
from .sqlite import SqliteJournal

# Quoted: pylint sees no class in a generic base, and refuses to join it.
Journal: TypeAlias = "NoJournal | SqliteJournal | PostgresJournal"


def open_journal(location: str) -> Journal:
    """Return the journal at a file path or postgresql:// address; an empty location means none is kept."""
    if not location:
        return NoJournal()
    if is_postgres(location):
        return PostgresJournal(location)
    return SqliteJournal(location)


MOST_KEPT = 4  # journals that a process keeps open


class _Kept(threading.local):
    """The journals that stay open, by process and place; each thread has its own, which end with it."""

    def __init__(self) -> None:
        self.journals: dict[tuple[int, str], SqliteJournal | PostgresJournal] = {}


_kept = _Kept()


def kept_journal(location: str) -> Journal:
    """Return a journal as open_journal() does, which stays open for the other tasks of this process.

    All items of a loop run in one process, and to open and close a database costs more than to use it.
    """
    kept, name = _kept.journals, (os.getpid(), location)
    if name in kept:
        return kept[name]
    journal = open_journal(location)
    if isinstance(journal, NoJournal):
        return journal
    while len(kept) >= MOST_KEPT:
        kept.pop(next(iter(kept))).close()
    kept[name] = journal
    return journal
