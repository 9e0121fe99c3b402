# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was already asked for: rows that are written before a request leaves and after its answer.

A row belongs to a subject: the service, and what of it the request changes. Usually a subject has one row; a push has
one for each part of a release. Whoever wants to change a subject reads its rows and replaces them; that succeeds only
if nobody has changed them in between, so one of many runs sends the request.

This is all that others use; what is in the files is theirs.
"""

from __future__ import annotations

from .memory import NoJournal
from .noting import note_progress
from .opening import Journal, kept_journal, open_journal
from .places import checked_journal, default_location, passwords_of
from .postgres import PostgresJournal
from .postgres_table import COMPLETE, Setup
from .rows import BEFORE, Entry, Subject, digest_of
from .sqlite import SqliteJournal

__all__ = [
    "BEFORE",
    "COMPLETE",
    "Entry",
    "Journal",
    "NoJournal",
    "PostgresJournal",
    "Setup",
    "SqliteJournal",
    "Subject",
    "checked_journal",
    "default_location",
    "digest_of",
    "kept_journal",
    "note_progress",
    "open_journal",
    "passwords_of",
]
