# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was already asked for: one row per (service, subject, key), written before a request and after its answer."""

from __future__ import annotations

import hashlib
import json
import os
import re
import socket
import sqlite3
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

from ._errors import JournalError

SENT = "sent"
ACCEPTED = "accepted"
FINISHED = "finished"
FAILED = "failed"
UNKNOWN_OUTCOME = "unknown"

LOCK_TIMEOUT = 30  # seconds to wait for another run's transaction

_TABLE = """
create table if not exists journal (
    service text not null,
    subject text not null,
    key text not null,
    digest text not null,
    state text not null,
    operation_id text,
    sent_at double precision not null,
    answer_by double precision not null,
    sender text not null,
    primary key (service, subject, key)
)
"""
_COLUMNS = "digest, state, operation_id, sent_at, answer_by, sender"
_SELECT = f"select {_COLUMNS} from journal where service = ? and subject = ? and key = ?"  # noqa: S608
_DELETE = "delete from journal where service = ? and subject = ? and key = ?"
_INSERT = f"insert into journal (service, subject, key, {_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608


@dataclass(frozen=True)
class Entry:
    """What the journal knows of one thing that was asked for. Times are in seconds since the epoch."""

    digest: str
    state: str
    operation_id: str | None
    sent_at: float
    answer_by: float
    sender: str

    @classmethod
    def sent_now(cls, digest, answer_within):
        """Return the entry of a request that is about to leave; its answer comes within so many seconds, or never."""
        now = time.time()
        return cls(digest, SENT, None, now, now + answer_within, _this_process())

    def with_state(self, state, operation_id=None):
        return replace(self, state=state, operation_id=operation_id or self.operation_id)

    @property
    def age(self):
        """Seconds since the request was sent."""
        return time.time() - self.sent_at

    def answer_may_come(self):
        """Return True while the run that sent the request may still be waiting for its answer."""
        return self.state == SENT and time.time() < self.answer_by and _may_be_alive(self.sender)


def digest_of(value):
    """Return a digest of a JSON value that does not depend on the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _this_process():
    return f"{socket.gethostname()}:{os.getpid()}"


def _may_be_alive(sender):
    host, _separator, pid = sender.rpartition(":")
    if host != socket.gethostname():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def is_postgres(location):
    """Return True for the address of a PostgreSQL database."""
    return location.startswith(("postgresql://", "postgres://"))


def open_journal(location):
    """Return the journal at a file path or postgresql:// address; an empty location means none is kept."""
    if not location:
        return NoJournal()
    if is_postgres(location):
        return PostgresJournal(location)
    return SqliteJournal(location)


def default_location():
    """Return the journal's path for users who name none (the XDG base directories)."""
    state_home = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return str(Path(state_home, "hosting.management", "journal.db").expanduser())


def passwords_of(location):
    """Return the passwords within an address: libpq takes one before the host or in the query."""
    found = re.findall(r"://[^:@/?]*:([^@]*)@|(?:ssl)?password=([^&\s]*)", location)
    passwords = {password for pair in found for password in pair if password}
    return passwords | {unquote(password) for password in passwords}


class NoJournal:
    """Remembers nothing."""

    def read(self, slot):
        return None

    def replace(self, slot, seen, entry):
        return True


class _SqlJournal:
    """The journal in a SQL database. A slot is a (service, subject, key)."""

    def read(self, slot):
        """Return the Entry of a slot, or None."""
        with self._transaction(slot) as execute:
            return self._row(execute, slot)

    def replace(self, slot, seen, entry):
        """Put ``entry`` (None removes the row) where ``seen`` was read before; False if the row has changed since."""
        with self._transaction(slot) as execute:
            if self._row(execute, slot) != seen:
                return False
            execute(_DELETE, slot)
            if entry is not None:
                execute(
                    _INSERT,
                    (
                        *slot,
                        entry.digest,
                        entry.state,
                        entry.operation_id,
                        entry.sent_at,
                        entry.answer_by,
                        entry.sender,
                    ),
                )
        return True

    def _row(self, execute, slot):
        row = execute(_SELECT, slot).fetchone()
        return Entry(*row) if row else None


class SqliteJournal(_SqlJournal):
    """The journal in a SQLite file, which many forks and runs share."""

    def __init__(self, path):
        self._path = Path(path).expanduser()

    def read(self, slot):
        # Reading alone, as in check mode, leaves no file behind.
        return super().read(slot) if self._is_there() else None

    def _is_there(self):
        try:
            return self._path.exists()
        except PermissionError:
            return True  # opening it says what is wrong

    @contextmanager
    def _transaction(self, _slot):
        try:
            with closing(self._connect()) as connection:
                connection.execute("begin immediate")
                with connection:
                    yield connection.execute
        except (sqlite3.Error, OSError) as error:
            raise JournalError(
                f"Cannot use the journal {self._path}: {error}. Set journal (or HOSTING_JOURNAL) to a path that can be"
                " written, or to an empty string to do without."
            ) from error

    def _connect(self):
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self._path.exists():
            self._path.touch(mode=0o600)
        connection = sqlite3.connect(self._path, timeout=LOCK_TIMEOUT, isolation_level=None)
        try:
            _switch_to_wal(connection)
            connection.execute(_TABLE)
        except BaseException:
            connection.close()
            raise
        return connection


def _switch_to_wal(connection):
    """Switch to write-ahead logging; SQLite itself does not wait here for a run that is just making the file."""
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


class PostgresJournal(_SqlJournal):
    """The journal in a PostgreSQL database, for controllers whose disk is thrown away after a job."""

    def __init__(self, address):
        self._address = address

    @contextmanager
    def _transaction(self, slot):
        try:
            import psycopg
        except ImportError:
            raise JournalError(
                "A postgresql:// journal needs the Python library psycopg where the task runs: pip install"
                " 'psycopg[binary]'."
            ) from None

        try:
            with psycopg.connect(self._address, connect_timeout=LOCK_TIMEOUT) as connection:
                # The lock is held to the end of the transaction, and also guards rows that do not exist yet.
                connection.execute("select pg_advisory_xact_lock(hashtext('hosting.management journal'))")
                if connection.execute("select to_regclass('journal')").fetchone()[0] is None:
                    connection.execute(_TABLE)
                yield lambda statement, values: connection.execute(statement.replace("?", "%s"), values)
        except psycopg.Error as error:
            raise JournalError(
                f"Cannot use the PostgreSQL journal: {_without_password(str(error), self._address).strip()}. Check the"
                " address given as journal (or HOSTING_JOURNAL)."
            ) from None


def _without_password(text, address):
    for password in passwords_of(address):
        text = text.replace(password, "********")
    return text
