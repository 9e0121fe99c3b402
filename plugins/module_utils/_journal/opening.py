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


_kept: dict[tuple[int, int, str], SqliteJournal] = {}
MOST_KEPT = 4  # journals that a process keeps open


def kept_journal(location: str) -> Journal:
    """Return a journal as open_journal() does; a SQLite file stays open for the other tasks of this process.

    All items of a loop run in one process, and to open and close a file costs more than to use it.
    """
    journal = open_journal(location)
    if not isinstance(journal, SqliteJournal):
        return journal
    while len(_kept) >= MOST_KEPT:
        _kept.pop(next(iter(_kept))).close()
    return _kept.setdefault((os.getpid(), threading.get_ident(), location), journal)
