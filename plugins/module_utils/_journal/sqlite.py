# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal in a SQLite file."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .._errors import JournalError
from . import schema, sql
from .places import expanded, goes_with_the_job
from .rows import Entry, Subject
from .sql import OLD, Execute, SqlJournal, nothing


class SqliteJournal(SqlJournal[sqlite3.Connection]):
    """The journal in a SQLite file, which many forks and runs share."""

    _tidy = f"delete from hosting_management_journal where {OLD}"  # noqa: S608

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self._path = expanded(Path(path))
        self._file: tuple[int, int] | None = None
        self._is_new = False
        self._was_there_since: str | None = None  # of a journal that is gone

    def warning(self) -> str | None:
        since, self._was_there_since = self._was_there_since, None
        if since:
            return (
                f"The journal {self._path} was there since {since}, and is gone or empty now. So it is not known what"
                " earlier runs did: a release that is there already is pushed again, versions that broke a site are"
                " installed elsewhere, and nothing is locked. Before you deploy or maintain anything, put the journal"
                " back, or set journal (or HOSTING_JOURNAL) to the place that it was moved to."
            )
        is_new, self._is_new = self._is_new, False
        if not is_new or not goes_with_the_job(self._path.absolute()):
            return None
        return (
            f"The journal {self._path} was just made on a disk that is thrown away with this job, so the next job will"
            " not know what this one has asked for: relaunched, it pushes the same release again. Keep the journal in a"
            " PostgreSQL database, and set journal (or HOSTING_JOURNAL) to its postgresql:// address."
        )

    def require_writable(self) -> None:
        with self._as_journal_error():
            is_there = self._is_there()
            place = next(one for one in (self._path, *self._path.absolute().parents) if one.exists())
            if is_there and not place.is_file():
                raise IsADirectoryError("it is not a file")
            if not is_there and not place.is_dir():
                raise NotADirectoryError(f"{place} is not a directory")
            # SQLite puts files beside its own.
            for one in (place, place if place.is_dir() else place.parent):
                if not os.access(one, os.W_OK):
                    raise PermissionError(f"{one} cannot be written")

    def let_go(self) -> None:
        """Keep the file open: it is nobody's but ours, and there are enough of them."""

    @contextmanager
    def _reading(self) -> Iterator[Execute]:
        with self._as_journal_error():
            connection = self._with_table()
            missed = self._missed(None) if connection is None else None
            if missed:
                connection = self._with_table()  # another fork may have made it since, with its marker
                if connection is None:
                    self._was_there_since = missed
            yield nothing if connection is None else connection.execute

    @contextmanager
    def _writing(self, _subject: Subject, durable: bool = True) -> Iterator[Execute]:
        with self._as_journal_error():
            if not self._is_there():
                self._make_file()
            connection = self._opened(self._connect)
            if not self._has_table(connection):
                _make_table(connection)
            # To wait for the disk costs as much as all the rest.
            connection.execute(f"pragma synchronous = {'full' if durable else 'normal'}")
            connection.execute("begin immediate")
            yield connection.execute
            connection.execute("commit")

    @contextmanager
    def _as_journal_error(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as error:
            self.close()
            raise JournalError(f"Cannot use the journal {self._path}: {error}. {_advice(error)}") from error
        except BaseException:
            self.close()  # takes back what was begun
            raise

    def _is_there(self) -> bool:
        """Tell whether there is a file, and close one that was removed, replaced or emptied since it was opened."""
        try:
            status = self._path.stat()
            file, is_empty = (status.st_dev, status.st_ino), status.st_size == 0
        except FileNotFoundError:
            file, is_empty = None, True
        # SQLite itself would go on with what it has in memory of a file that was cut to nothing.
        if self._connection is not None and (is_empty or file != self._file):
            self.close()
        self._file = file
        return file is not None

    @property
    def _marker(self) -> Path:
        """The file beside the journal that says which journal was here, and since when."""
        return self._path.with_name(f"{self._path.name}.made")

    def _missed(self, identity: str | None) -> str | None:
        """Return since when another journal was here than the one of this identity, or than none; None if none was."""
        with suppress(OSError, ValueError):
            known, since = self._marker.read_text().split()
            return since if known != identity else None
        return None

    def _take_name(self, made: Entry) -> None:
        self._was_there_since = self._missed(made.wanted) or self._was_there_since
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(made.sent_at))
        text = f"{made.wanted} {since}\n"
        with suppress(OSError):
            if not self._marker.exists() or self._marker.read_text() != text:
                with open(os.open(self._marker, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w") as file:
                    file.write(text)

    def _make_file(self) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            # SQLite gives the files beside it the same mode.
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._is_new = True
        self._is_there()

    def _with_table(self) -> sqlite3.Connection | None:
        """Return the connection where there is a table; reading alone, as in check mode, leaves no file behind."""
        connection = self._opened(self._connect) if self._is_there() else None
        return connection if connection is not None and self._has_table(connection) else None

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=sql.LOCK_TIMEOUT, isolation_level=None)

    def _has_table(self, connection: sqlite3.Connection) -> bool:
        """Return False for a new file; a table of an older version becomes one of this version."""
        version = connection.execute("pragma user_version").fetchone()[0]
        schema.check_version(version)
        if 0 < version < schema.VERSION:
            _make_table(connection)
        return version > 0


def _make_table(connection: sqlite3.Connection) -> None:
    """Make the table, or bring it to this version."""
    _switch_to_wal(connection)
    connection.execute("begin immediate")
    version = connection.execute("pragma user_version").fetchone()[0]  # another run may have made it meanwhile
    schema.check_version(version)
    for statement in schema.statements_since(version):
        connection.execute(statement)
    connection.execute(f"pragma user_version = {schema.VERSION}")
    connection.execute("commit")


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging; SQLite itself does not wait here for a run that is just making the file."""
    deadline = time.monotonic() + sql.LOCK_TIMEOUT
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _advice(error: Exception) -> str:
    """Return what to do about an error of SQLite, or of the file system."""
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
        return "Free space on its disk, then run again."
    if getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return "It is no journal, or is damaged. Set journal (or HOSTING_JOURNAL) to the right file, or put that back."
    return "Set journal (or HOSTING_JOURNAL) to a path that can be written, or to an empty string to do without."
