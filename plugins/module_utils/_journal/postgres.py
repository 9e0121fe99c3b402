# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal in a PostgreSQL database."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .._errors import JournalError
from . import schema, sql
from .places import passwords_of
from .postgres_table import (
    COMPLETE,
    Setup,
    first_value,
    grant,
    lock,
    make_table,
    require_privilege,
    setup_of,
    version_of,
)
from .rows import Subject
from .sql import OLD, Execute, SqlJournal, nothing

if TYPE_CHECKING:
    import psycopg


ANSWER_TIMEOUT = 30  # seconds in which a PostgreSQL server is there or not
CONNECT_TIMEOUT = 60  # seconds in which a PostgreSQL server may come to have a free connection

# The words of a server without a free connection, or not up yet; libpq does not tell the code of such a refusal.
_LATER = re.compile(
    r"too many (clients|connections)|remaining connection slots|no more connections allowed"
    r"|database system is (starting up|shutting down|in recovery|not (yet )?accepting)"
)


class PostgresJournal(SqlJournal["psycopg.Connection"]):
    """The journal in a PostgreSQL database, for controllers whose disk is thrown away after a job.

    A connection is one of the server's few: it is open while a process works, and not while it waits for long.
    """

    _tidy = (
        "delete from hosting_management_journal where (service, subject, key) in"  # noqa: S608
        f" (select service, subject, key from hosting_management_journal where {OLD} for update skip locked)"
    )

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address

    def set_up(self, user: str | None, *, predict: bool) -> Setup:
        """Make the table, or bring it to this version, and let a user read and write it; return how it was before.

        Without a user it is the one of the address. With ``predict``, nothing is changed. Raises JournalError, also
        when there is no such user; then nothing was changed.
        """
        with self._transaction() as connection:
            name = user or first_value(connection, "select current_user")
            before = setup_of(connection, name)
            if not predict and before != COMPLETE:
                if before.schema_version < schema.VERSION:
                    make_table(connection)
                grant(connection, name, before)
            return before

    def require_writable(self) -> None:
        with self._transaction() as connection:
            if version_of(connection) == 0:
                require_privilege(connection)
            else:
                lacking = set(COMPLETE.privileges) - set(
                    setup_of(connection, first_value(connection, "select current_user")).privileges
                )
                if lacking:
                    raise JournalError(
                        f"The user of the PostgreSQL journal lacks {', '.join(sorted(lacking))}. Its owner runs: GRANT"
                        " SELECT, INSERT, UPDATE, DELETE ON hosting_management_journal TO <user>;"
                    )

    @contextmanager
    def _reading(self) -> Iterator[Execute]:
        with self._transaction() as connection:
            version = version_of(connection)
            if 0 < version < schema.VERSION:
                make_table(connection)
            yield _executing(connection) if version else nothing

    @contextmanager
    def _writing(self, subject: Subject, _durable: bool = True) -> Iterator[Execute]:
        with self._transaction() as connection:
            if version_of(connection) < schema.VERSION:
                make_table(connection)
            # Held to the end of the transaction, the lock also guards rows that do not exist yet.
            lock(connection, "\n".join(subject))
            yield _executing(connection)

    @contextmanager
    def _transaction(self) -> Iterator[psycopg.Connection]:
        try:
            import psycopg
        except ImportError:
            raise JournalError(
                "A postgresql:// journal needs the Python library psycopg where the task runs: pip install"
                " 'psycopg[binary]'."
            ) from None

        is_committed = False
        try:
            connection = self._begin()
            yield connection
            connection.execute("commit")
            is_committed = True
        except (psycopg.Error, OSError, ValueError) as error:
            why = _without_password(str(error), self._address).strip().rstrip("?.")
            raise JournalError(f"Cannot use the PostgreSQL journal: {why}. {_advice(error)}") from None
        finally:
            if not is_committed:
                self.close()

    def _begin(self) -> psycopg.Connection:
        """Return a connection with a transaction begun; the server may have closed one that was idle."""
        import psycopg

        is_new = self._connection is None or self._owner != os.getpid()
        connection = self._opened(lambda: _connect(self._address))
        try:
            connection.execute(_BEGIN)
        except psycopg.OperationalError:
            if is_new:
                raise
            self.close()
            connection = self._opened(lambda: _connect(self._address))
            connection.execute(_BEGIN)
        milliseconds = str(int(sql.LOCK_TIMEOUT * 1000))
        connection.execute(_LIMITS, (milliseconds, milliseconds))
        return connection


# The database's or the user's own defaults may differ; each statement has to see what was done before its lock.
_BEGIN = "begin isolation level read committed read write"
_LIMITS = "select set_config('lock_timeout', %s, true), set_config('statement_timeout', %s, true)"


def _connect(address: str) -> psycopg.Connection:
    """Return a connection; a server that has none to spare is asked again, with growing pauses."""
    import psycopg

    deadline = time.monotonic() + CONNECT_TIMEOUT
    pause = 0.05
    while True:
        try:
            # Statements that are prepared would not survive a pooler between us and the server.
            return psycopg.connect(
                address,
                connect_timeout=ANSWER_TIMEOUT,
                tcp_user_timeout=1000 * ANSWER_TIMEOUT,
                autocommit=True,
                prepare_threshold=None,
            )
        except psycopg.OperationalError as error:
            if not _LATER.search(str(error)) or time.monotonic() + pause > deadline:
                raise
        time.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 (no secret)
        pause = min(2 * pause, 2)


def _executing(connection: psycopg.Connection) -> Execute:
    # As text, a number may lose its last digits where the server is set so.
    return lambda statement, values: connection.execute(statement.replace("?", "%s"), values, binary=True)


def _advice(error: Exception) -> str:
    """Return what to do about an error of PostgreSQL."""
    code = getattr(error, "sqlstate", None)
    if code == "42501":
        return "Its owner runs: GRANT SELECT, INSERT, UPDATE, DELETE ON hosting_management_journal TO <user>;"
    if code in ("55P03", "57014"):
        return f"Another session holds a lock for more than {sql.LOCK_TIMEOUT} s: look for it in pg_stat_activity."
    if _LATER.search(str(error)):
        return f"It had no free connection for {CONNECT_TIMEOUT} s: run with fewer forks, or raise its max_connections."
    return "Check the address given as journal (or HOSTING_JOURNAL)."


def _without_password(text: str, address: str) -> str:
    for password in passwords_of(address):
        text = text.replace(password, "********")
    return text
