# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the journals in SQL databases share: the statements, and a connection that belongs to one process."""

from __future__ import annotations

import os
import random
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import astuple, fields
from typing import Any, Generic, Protocol, TypeVar

from .._progress import FAILED, FINISHED, NOT_DONE
from .rows import Entry, Subject

LOCK_TIMEOUT = 30  # seconds to wait for another run's transaction
KEEP_DAYS = 400
"""Days after which a row that has a known end is removed."""
WRITES_PER_TIDYING = 100

_COLUMNS = [field.name for field in fields(Entry)]
_NAMES = ", ".join(_COLUMNS)
_OF_SUBJECT = "where service = ? and subject = ?"
_SELECT = f"select {_NAMES} from hosting_management_journal {_OF_SUBJECT} order by sent_at, key"  # noqa: S608
_SELECT_PREFIX = (
    f"select subject, {_NAMES} from hosting_management_journal"  # noqa: S608
    " where service = ? and substr(subject, 1, ?) = ? order by sent_at, subject, key"
)
_SELECT_ENVIRONMENT = (
    f"select subject, {_NAMES} from hosting_management_journal"  # noqa: S608
    " where service = ? and (subject like ? or key = ?) order by sent_at, subject, key"
)
_DELETE = f"delete from hosting_management_journal {_OF_SUBJECT} and key = ?"  # noqa: S608
_INSERT = (
    f"insert into hosting_management_journal (service, subject, {_NAMES})"  # noqa: S608
    f" values (?, ?, {', '.join('?' * len(_COLUMNS))})"
)
OLD = f"progress in ('{FINISHED}', '{FAILED}', '{NOT_DONE}') and sent_at < ? and service <> ''"

_MADE: Subject = ("", "made")
"""The subject of the row that says when a journal was made, and tells it from others."""


class _Found(Protocol):
    """What a statement returns."""

    def fetchall(self) -> list[Any]: ...


class _Closing(Protocol):
    """What a connection to any database can do."""

    def close(self) -> None: ...


Execute = Callable[[str, Sequence[object]], _Found]
_Connection = TypeVar("_Connection", bound="_Closing")

# Connections that forks have inherited: collecting one would end it for the parent as well.
_of_parents: list[object] = []


class _Nothing:
    """The answer of a journal without a table."""

    def fetchall(self) -> list[Any]:
        return []


def nothing(_statement: str, _values: Sequence[object]) -> _Nothing:
    return _Nothing()


class SqlJournal(Generic[_Connection]):
    """The journal in a SQL database, for one task at a time. It is opened when first used, and again after close()."""

    _tidy: str  # the statement that removes old rows

    def __init__(self) -> None:
        self._connection: _Connection | None = None
        self._owner: int | None = None  # the process that has opened the connection
        self._is_named = False  # whether this connection has seen the journal's identity

    def _reading(self) -> AbstractContextManager[Execute]:
        """Lend what reads."""
        raise NotImplementedError

    def _writing(self, subject: Subject, durable: bool = True) -> AbstractContextManager[Execute]:
        """Lend what reads and writes, as one transaction."""
        raise NotImplementedError

    def read(self, subject: Subject) -> tuple[Entry, ...]:
        """Return the rows of a subject, in the order in which they were sent. Raises JournalError."""
        with self._reading() as execute:
            return _rows(execute, subject)

    def replace(
        self, subject: Subject, seen: tuple[Entry, ...], now: tuple[Entry, ...], *, durable: bool = True
    ) -> bool:
        """Put the rows ``now`` in place of those ``seen`` before; False if they have changed since.

        Each row of a subject has a key of its own. What is not ``durable`` may be taken back by a power loss, and by
        nothing else. Raises JournalError; then nothing was changed.
        """
        with self._writing(subject, durable) as execute:
            if set(_rows(execute, subject)) != set(seen):
                return False
            self._give_name(execute)
            for entry in set(seen) - set(now):
                execute(_DELETE, (*subject, entry.key))
            for entry in set(now) - set(seen):
                execute(_INSERT, (*subject, *astuple(entry)))
            if random.randrange(WRITES_PER_TIDYING) == 0:  # noqa: S311 (no secret)
                execute(self._tidy, (time.time() - KEEP_DAYS * 86400,))
        return True

    def subjects(self, service: str, prefix: str) -> list[tuple[Subject, Entry]]:
        """Return each row whose subject begins so, with its subject, in the order in which they were sent."""
        with self._reading() as execute:
            found = execute(_SELECT_PREFIX, (service, len(prefix), prefix)).fetchall()
        return [((service, subject), Entry(*values)) for subject, *values in found]

    def of_environment(self, service: str, environment_id: str) -> list[tuple[Subject, Entry]]:
        """Return each row about an environment, with its subject, in the order in which they were sent.

        These are the rows whose subject has the id behind its first word, and those whose key it is.
        """
        with self._reading() as execute:
            values = (service, f"%/{environment_id}%", environment_id)
            found = execute(_SELECT_ENVIRONMENT, values).fetchall()
        return [((service, subject), Entry(*values)) for subject, *values in found]

    def identity(self) -> str | None:
        """Return what tells this journal from one that takes its place, or None as long as there is no journal."""
        with self._reading() as execute:
            made = _rows(execute, _MADE)
        self._is_named = self._is_named and bool(made)  # a table may go while its connection is open
        return made[0].wanted if made else None

    def _give_name(self, execute: Execute) -> None:
        """See to it, once for each connection, that the journal has its identity; earlier versions gave it none."""
        if self._is_named:
            return
        if not _rows(execute, _MADE):
            entry = Entry.noted_now(uuid.uuid4().hex, None)
            execute(f"{_INSERT} on conflict do nothing", (*_MADE, *astuple(entry)))
        (made,) = _rows(execute, _MADE)
        self._take_name(made)
        self._is_named = True

    def _take_name(self, made: Entry) -> None:
        """Hear which journal this is, before it is written."""

    def require_writable(self) -> None:
        """Raise JournalError where the next write would. Nothing is changed."""
        raise NotImplementedError

    def warning(self) -> str | None:
        """Return, once, what the user should know of the place of the journal."""
        return None

    def let_go(self) -> None:
        """Keep nothing that others may need while this process waits; it is opened again when needed."""
        self.close()

    def close(self) -> None:
        """Close the database; it is opened again when needed."""
        connection, self._connection = self._connection, None
        self._is_named = False
        if connection is None:
            return
        if self._owner != os.getpid():
            _of_parents.append(connection)
            return
        with suppress(Exception):
            connection.close()

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    def _opened(self, connect: Callable[[], _Connection]) -> _Connection:
        """Return this process's connection."""
        if self._owner != os.getpid():
            self.close()
        if self._connection is None:
            self._connection, self._owner = connect(), os.getpid()
        return self._connection


def _rows(execute: Execute, subject: Subject) -> tuple[Entry, ...]:
    return tuple(Entry(*row) for row in execute(_SELECT, subject).fetchall())
