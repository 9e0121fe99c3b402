# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was already asked for: rows that are written before a request leaves and after its answer.

A row belongs to a subject: the service, and what of it the request changes. Usually a subject has one row; a push has
one for each part of a release. Whoever wants to change a subject reads its rows and replaces them; that succeeds only
if nobody has changed them in between, so one of many runs sends the request.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import socket
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar
from urllib.parse import unquote

from ._errors import JournalError
from ._progress import ENDED, FAILED, FINISHED, IN_PROGRESS, NOT_DONE, SENT, UNKNOWN

if TYPE_CHECKING:
    import psycopg

Subject = tuple[str, str]
"""The service's address, and what of the service: the module and the ids."""

LOCK_TIMEOUT = 30  # seconds to wait for another run's transaction
ANSWER_TIMEOUT = 30  # seconds in which a PostgreSQL server is there or not
CONNECT_TIMEOUT = 60  # seconds in which a PostgreSQL server may come to have a free connection
LEAST_STEP = 0.001  # seconds between two requests that follow each other, by whatever clocks
KEEP_DAYS = 400
"""Days after which a row that has a known end is removed."""
WRITES_PER_TIDYING = 100

SCHEMA_VERSION = 1
_MIGRATIONS: dict[int, str] = {}
"""For each older version the statement that turns its table into that of the next version."""

_TABLE = """
create table hosting_management_journal (
    service text not null,
    subject text not null,
    wanted text not null,
    progress text not null,
    sent_at double precision not null,
    answer_by double precision not null,
    sender text not null,
    operation_id text,
    ended_at double precision,
    release text,
    part text,
    key text not null,
    primary key (service, subject, key)
)
"""


BEFORE = "before:"
"""What the key of a row begins with whose place another one has taken."""


@dataclass(frozen=True)
class Entry:
    """One thing that was asked for: a row of the journal. Times are in seconds since the epoch.

    ``wanted`` is a digest: of the value, or of release and part. ``progress`` is one of _progress. After ``answer_by``
    no answer can come. ``sender`` is the process that has sent the request. ``ended_at`` is when it came to be
    finished, failed or unknown. Actions have a ``release``, and a push the ``part`` of it that was sent (JSON).
    ``key`` tells a subject's rows apart: a digest of the part, or an environment's id, or empty.
    """

    wanted: str
    progress: str
    sent_at: float
    answer_by: float
    sender: str
    operation_id: str | None = None
    ended_at: float | None = None
    release: str | None = None
    part: str | None = None
    key: str = ""

    @classmethod
    def sent_now(
        cls,
        wanted: str,
        answer_within: float,
        *,
        key: str = "",
        release: str | None = None,
        part: str | None = None,
        after: Iterable[Entry] = (),
    ) -> Entry:
        """Return the entry of a request that is about to leave; its answer comes within so many seconds, or never.

        It is later than the entries that it comes ``after``, whatever the clocks of those who made them said: their
        order is what decisions go by.
        """
        now = time.time()
        entry = cls(wanted, SENT, now, now + answer_within, _this_process(), release=release, part=part, key=key)
        return replace(entry, sent_at=entry.following(after))

    @classmethod
    def noted_now(cls, wanted: str, note: object, *, key: str = "", release: str | None = None) -> Entry:
        """Return the entry of something that is no request, but has to be remembered: a JSON value without secrets."""
        now = time.time()
        part = json.dumps(note, sort_keys=True)
        return cls(wanted, FINISHED, now, now, _this_process(), ended_at=now, release=release, part=part, key=key)

    def following(self, others: Iterable[Entry]) -> float:
        """Return the time at which this comes after others, whatever the clocks of those who made them said."""
        return max([self.sent_at, *(other.sent_at + LEAST_STEP for other in others)])

    @property
    def note(self) -> dict[str, Any]:
        """What ``part`` holds as JSON: what of a release was sent, or what else is remembered."""
        return json.loads(self.part) if self.part else {}

    def with_progress(self, progress: str, operation_id: str | None = None) -> Entry:
        """Return the entry of the same request as it stands now; it keeps an operation's id that is not given anew."""
        ended_at = max(time.time(), self.sent_at) if progress in ENDED else None
        return replace(self, progress=progress, operation_id=operation_id or self.operation_id, ended_at=ended_at)

    @property
    def key_of_displaced(self) -> str:
        """The key of the row whose place this one has taken; see _displaced."""
        return f"{BEFORE}{self.key}"

    def answer_may_come(self, now: float | None = None) -> bool:
        """Return True while the run that has sent the request may still be waiting for its answer."""
        now = time.time() if now is None else now
        return self.progress == SENT and now < self.answer_by and _may_be_alive(self.sender)

    def is_interrupted(self) -> bool:
        """Return True when this is not known to have ended, and the run that has sent it certainly has."""
        return self.progress in (SENT, IN_PROGRESS) and not _may_be_alive(self.sender)

    def is_by_this_clock(self) -> bool:
        """Return True when its times are by the clock of this machine."""
        return _clock_of(self.sender) == _clock_of(_this_process())

    def as_known(self) -> Entry:
        """Return the entry as it stands now: one that is sent and can get no answer any more is unknown."""
        return self if self.progress != SENT or self.answer_may_come() else replace(self, progress=UNKNOWN)

    def is_about(self, other: Entry) -> bool:
        """Tell whether two rows are about one and the same request."""
        names = ("key", "wanted", "sent_at", "sender")
        return all(getattr(self, name) == getattr(other, name) for name in names)


def digest_of(value: object) -> str:
    """Return a digest of a JSON value that does not depend on the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


# ---- who has sent a request -----------------------------------------------------------------------------------------


def _this_process() -> str:
    """Return words that name this process among those of all machines and containers, now and later.

    A host name and a process id do not: containers may share the one, and the other is given anew. It is asked anew
    each time, because a fork is another process.
    """
    home = _linux_home()
    try:
        if home:
            pid, start, _is_running = _process("self")
            return f"{home} {pid} {start}"
    except OSError:
        pass
    return f"{_host()} {os.getpid()}"


def _may_be_alive(sender: str) -> bool:
    """Return False when a sender has certainly ended; one from elsewhere may be alive."""
    if sender.startswith("host "):
        home, _separator, pid = sender.rpartition(" ")
        return home != _host() or _exists(pid)
    home, _separator, start = sender.rpartition(" ")
    home, _separator, pid = home.rpartition(" ")
    if home != _linux_home():
        return True
    try:
        _pid, start_now, is_running = _process(pid)
    except OSError:
        return _exists(pid)  # /proc can be mounted so that it hides the processes of other users
    return is_running and start_now == start


def _clock_of(sender: str) -> str:
    """Return what the senders have in common that share a clock: the boot of a machine, or its name and address."""
    return sender.split(" ")[1] if sender.startswith("linux ") else sender.rpartition(" ")[0]


def _linux_home() -> str | None:
    """Return what the processes of one boot of one machine, within one container, have in common."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"linux {boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return None


def _host() -> str:
    """Return the same where there is no /proc: the machine's name and network address."""
    return f"host {socket.gethostname()} {uuid.getnode()}"


def _process(pid: str) -> tuple[str, str, bool]:
    """Return a process's id, when it was started (in ticks since the boot), and whether it still runs."""
    # The program's name is in brackets, and may hold blanks and brackets.
    before, _bracket, after = Path("/proc", pid, "stat").read_text(errors="replace").rpartition(")")
    values = after.split()
    return before.split()[0], values[19], values[0] not in "ZX"


def _exists(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError, OverflowError):
        return True
    return True


# ---- where journals are ---------------------------------------------------------------------------------------------


def is_postgres(location: str) -> bool:
    """Return True for the address of a PostgreSQL database."""
    return location.startswith(("postgresql://", "postgres://"))


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


def default_location() -> str:
    """Return the journal's path for users who name none (the XDG base directories)."""
    state_home = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return str(_expanded(Path(state_home, "hosting.management", "journal.db")))


def _expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise JournalError(
            f"There is no home directory for the journal {path}: {error} Set HOME, or set journal (or HOSTING_JOURNAL)"
            " to a path that can be written, or to an empty string to do without."
        ) from None


def _goes_with_the_job(path: Path) -> bool:
    """Tell whether a file is on a disk that is thrown away when this job ends.

    AWX names the folder that it has made for a job, and ansible-runner that of its results, which is below /runner in a
    container. In both, only what is on a volume lasts.
    """
    is_of_awx = bool(os.environ.get("AWX_PRIVATE_DATA_DIR"))
    results = Path(os.environ.get("AWX_ISOLATED_DATA_DIR") or "/")
    if not is_of_awx and Path("/runner") not in results.parents:
        return False
    volume = next(folder for folder in path.parents if os.path.ismount(folder))
    if volume == Path("/"):
        return True
    # AWX removes the folder, which has the results in artifacts/<job>. That of another runner may stay.
    folder = results.parents[1] if len(results.parents) > 1 else results
    return is_of_awx and folder in path.parents and folder not in volume.parents


def passwords_of(location: str) -> set[str]:
    """Return the passwords within an address: libpq takes one before the host or in the query."""
    found = re.findall(r"://[^:@/?]*:([^@]*)@|(?:ssl)?password=([^&\s]*)", location)
    passwords = {password for pair in found for password in pair if password}
    return passwords | {unquote(password) for password in passwords}


# ---- journals -------------------------------------------------------------------------------------------------------

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
_OLD = f"progress in ('{FINISHED}', '{FAILED}', '{NOT_DONE}') and sent_at < ? and service <> ''"


class NoJournal:
    """Remembers nothing beyond the task."""

    def __init__(self) -> None:
        self._rows: dict[Subject, tuple[Entry, ...]] = {}

    def read(self, subject: Subject) -> tuple[Entry, ...]:
        return self._rows.get(subject, ())

    def replace(
        self, subject: Subject, seen: tuple[Entry, ...], now: tuple[Entry, ...], *, durable: bool = True
    ) -> bool:
        self._rows[subject] = now
        return True

    def subjects(self, service: str, prefix: str) -> list[tuple[Subject, Entry]]:
        return [
            (subject, entry)
            for subject, entries in self._rows.items()
            for entry in entries
            if subject[0] == service and subject[1].startswith(prefix)
        ]

    def of_environment(self, service: str, environment_id: str) -> list[tuple[Subject, Entry]]:
        return [
            (subject, entry)
            for subject, entry in self.subjects(service, "")
            if f"/{environment_id}" in subject[1] or entry.key == environment_id
        ]

    def identity(self) -> str:
        return "none"

    def require_writable(self) -> None:
        """There is nothing to write to."""

    def warning(self) -> None:
        """Whoever wants no journal needs no warning."""

    def let_go(self) -> None:
        """Nothing is open."""

    def close(self) -> None:
        """Nothing is open."""


class _Found(Protocol):
    """What a statement returns."""

    def fetchall(self) -> list[Any]: ...


class _Closing(Protocol):
    """What a connection to any database can do."""

    def close(self) -> None: ...


_Execute = Callable[[str, Sequence[object]], _Found]
_Connection = TypeVar("_Connection", bound="_Closing")


class _SqlJournal(Generic[_Connection]):
    """The journal in a SQL database, for one task at a time. It is opened when first used, and again after close()."""

    _tidy: str  # the statement that removes old rows

    def __init__(self) -> None:
        self._connection: _Connection | None = None
        self._owner: int | None = None  # the process that has opened the connection
        self._is_named = False  # whether this connection has seen the journal's identity

    def _reading(self) -> AbstractContextManager[_Execute]:
        """Lend what reads."""
        raise NotImplementedError

    def _writing(self, subject: Subject, durable: bool = True) -> AbstractContextManager[_Execute]:
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
        return made[0].wanted if made else None

    def _give_name(self, execute: _Execute) -> None:
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
        """Keep nothing that others may need, until the next use."""
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


# Connections that forks have inherited: collecting one would end it for the parent as well.
_of_parents: list[object] = []


def _rows(execute: _Execute, subject: Subject) -> tuple[Entry, ...]:
    return tuple(Entry(*row) for row in execute(_SELECT, subject).fetchall())


_MADE: Subject = ("", "made")
"""The subject of the row that says when a journal was made, and tells it from others."""


def _check_version(version: int) -> None:
    if version > SCHEMA_VERSION:
        raise JournalError(
            f"The journal was written by a newer version of this collection (its schema is {version}, and this one"
            f" knows {SCHEMA_VERSION}). Upgrade the collection: ansible-galaxy collection install --upgrade"
            " hosting.management. Or set journal (or HOSTING_JOURNAL) to another place."
        )


class _Nothing:
    """The answer of a journal without a table."""

    def fetchall(self) -> list[Any]:
        return []


def _nothing(_statement: str, _values: Sequence[object]) -> _Nothing:
    return _Nothing()


class SqliteJournal(_SqlJournal[sqlite3.Connection]):
    """The journal in a SQLite file, which many forks and runs share."""

    _tidy = f"delete from hosting_management_journal where {_OLD}"  # noqa: S608

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self._path = _expanded(Path(path))
        self._file: tuple[int, int] | None = None
        self._is_new = False
        self._was_there_since: str | None = None  # of a journal that is gone

    def warning(self) -> str | None:
        since, self._was_there_since = self._was_there_since, None
        if since:
            return (
                f"The journal {self._path} was there since {since}, and is gone or empty now. So it is not known what"
                " earlier runs did: a release that is there already is pushed again. Before you push anything, put the"
                " journal back, or set journal (or HOSTING_JOURNAL) to the place that it was moved to."
            )
        is_new, self._is_new = self._is_new, False
        if not is_new or not _goes_with_the_job(self._path.absolute()):
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
    def _reading(self) -> Iterator[_Execute]:
        with self._as_journal_error():
            # Reading alone, as in check mode, leaves no file behind.
            connection = self._opened(self._connect) if self._is_there() else None
            if connection is not None and self._has_table(connection):
                yield connection.execute
            else:
                self._miss(None)
                yield _nothing

    @contextmanager
    def _writing(self, _subject: Subject, durable: bool = True) -> Iterator[_Execute]:
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
            raise JournalError(
                f"Cannot use the journal {self._path}: {error}. Set journal (or HOSTING_JOURNAL) to a path that can be"
                " written, or to an empty string to do without."
            ) from error
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

    def _miss(self, identity: str | None) -> None:
        """Notice that another journal was here before the one of this identity, or before there was none."""
        with suppress(OSError, ValueError):
            known, since = self._marker.read_text().split()
            if known != identity:
                self._was_there_since = since

    def _take_name(self, made: Entry) -> None:
        self._miss(made.wanted)
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

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=LOCK_TIMEOUT, isolation_level=None)

    def _has_table(self, connection: sqlite3.Connection) -> bool:
        """Return False for a new file; a table of an older version becomes one of this version."""
        version = connection.execute("pragma user_version").fetchone()[0]
        _check_version(version)
        if 0 < version < SCHEMA_VERSION:
            _make_table(connection)
        return version > 0


def _make_table(connection: sqlite3.Connection) -> None:
    """Make the table, or bring it to this version."""
    _switch_to_wal(connection)
    connection.execute("begin immediate")
    version = connection.execute("pragma user_version").fetchone()[0]  # another run may have made it meanwhile
    _check_version(version)
    for statement in _statements_since(version):
        connection.execute(statement)
    connection.execute(f"pragma user_version = {SCHEMA_VERSION}")
    connection.execute("commit")


def _statements_since(version: int) -> list[str]:
    """Return what makes a table of this version (0: none) one of today's."""
    if version == 0:
        return [_TABLE]
    return [_MIGRATIONS[one] for one in range(version, SCHEMA_VERSION)]


def _switch_to_wal(connection: sqlite3.Connection) -> None:
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


_SCHEMA = "hosting.management journal, schema"
# to_regclass() would do, but may still say no after we have waited for the run that makes the table.
_FIND_TABLE = (
    "select obj_description(oid, 'pg_class') from pg_catalog.pg_class"
    " where relname = 'hosting_management_journal' and pg_table_is_visible(oid)"
)
# The words of a server without a free connection, or not up yet; libpq does not tell the code of such a refusal.
_LATER = re.compile(
    r"too many (clients|connections)|remaining connection slots|no more connections allowed"
    r"|database system is (starting up|shutting down|in recovery|not (yet )?accepting)"
)


@dataclass(frozen=True)
class Setup:
    """How far a database is prepared: the version of the table (0 without one), and what a user may do with it."""

    schema_version: int
    privileges: tuple[str, ...]


COMPLETE = Setup(SCHEMA_VERSION, ("usage", "select", "insert", "update", "delete"))
"""What a user needs; ``usage`` is that of the table's schema."""


class PostgresJournal(_SqlJournal["psycopg.Connection"]):
    """The journal in a PostgreSQL database, for controllers whose disk is thrown away after a job.

    A connection is one of the server's few: a task that waits for long closes the journal meanwhile.
    """

    _tidy = (
        "delete from hosting_management_journal where (service, subject, key) in"  # noqa: S608
        f" (select service, subject, key from hosting_management_journal where {_OLD} for update skip locked)"
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
            name = user or _first_value(connection, "select current_user")
            before = _setup_of(connection, name)
            if not predict and before != COMPLETE:
                if before.schema_version < SCHEMA_VERSION:
                    _make_postgres_table(connection)
                _grant(connection, name, before)
            return before

    def require_writable(self) -> None:
        with self._transaction() as connection:
            if _postgres_version(connection) == 0:
                _require_privilege(connection)
            else:
                lacking = set(COMPLETE.privileges) - set(
                    _setup_of(connection, _first_value(connection, "select current_user")).privileges
                )
                if lacking:
                    raise JournalError(
                        f"The user of the PostgreSQL journal lacks {', '.join(sorted(lacking))}. Its owner runs: GRANT"
                        " SELECT, INSERT, UPDATE, DELETE ON hosting_management_journal TO <user>;"
                    )

    @contextmanager
    def _reading(self) -> Iterator[_Execute]:
        with self._transaction() as connection:
            version = _postgres_version(connection)
            if 0 < version < SCHEMA_VERSION:
                _make_postgres_table(connection)
            yield _executing(connection) if version else _nothing

    @contextmanager
    def _writing(self, subject: Subject, _durable: bool = True) -> Iterator[_Execute]:
        with self._transaction() as connection:
            if _postgres_version(connection) < SCHEMA_VERSION:
                _make_postgres_table(connection)
            # Held to the end of the transaction, the lock also guards rows that do not exist yet.
            _lock(connection, "\n".join(subject))
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
            raise JournalError(
                f"Cannot use the PostgreSQL journal: {_without_password(str(error), self._address).strip()}."
                f" {_advice(error)}"
            ) from None
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
        milliseconds = str(int(LOCK_TIMEOUT * 1000))
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


def _executing(connection: psycopg.Connection) -> _Execute:
    # As text, a number may lose its last digits where the server is set so.
    return lambda statement, values: connection.execute(statement.replace("?", "%s"), values, binary=True)


def _lock(connection: psycopg.Connection, name: str) -> None:
    connection.execute("select pg_advisory_xact_lock(hashtextextended('hosting.management ' || %s, 0))", (name,))


def _postgres_version(connection: psycopg.Connection) -> int:
    """Return the version of the table, which is in its comment; 0 without a table."""
    table = connection.execute(_FIND_TABLE).fetchone()
    if table is None:
        return 0
    found = re.search(rf"{_SCHEMA} (\d+)", table[0] or "")
    version = int(found[1]) if found else 1
    _check_version(version)
    return version


def _make_postgres_table(connection: psycopg.Connection) -> None:
    """Make the table, or bring it to this version."""
    _lock(connection, "schema")
    version = _postgres_version(connection)  # another run may have made it meanwhile
    if version == 0:
        _require_privilege(connection)
    if version < SCHEMA_VERSION:
        for statement in _statements_since(version):
            connection.execute(statement)
        connection.execute(f"comment on table hosting_management_journal is '{_SCHEMA} {SCHEMA_VERSION}'")


def _require_privilege(connection: psycopg.Connection) -> None:
    """Raise JournalError where the user may not make a table: since PostgreSQL 15 that is so in the schema public."""
    user, schema, may_create = connection.execute(
        "select quote_ident(current_user), quote_ident(current_schema()),"
        " has_schema_privilege(current_schema(), 'create')"
    ).fetchone()
    if not may_create:
        raise JournalError(
            "The PostgreSQL journal needs the table hosting_management_journal, and its user may not make it. The owner"
            f" of the database runs once: GRANT CREATE ON SCHEMA {schema or 'public'} TO {user}; or: CREATE SCHEMA"
            f" AUTHORIZATION {user}; or makes the table and grants SELECT, INSERT, UPDATE and DELETE on it."
        )


def _first_value(connection: psycopg.Connection, query: str, *values: object) -> Any:
    return connection.execute(query, values).fetchone()[0]


_SCHEMA_OF_TABLE = (
    "select coalesce((select nspname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = relnamespace"
    " where relname = 'hosting_management_journal' and pg_table_is_visible(c.oid)), current_schema())"
)


def _setup_of(connection: psycopg.Connection, user: str) -> Setup:
    if not _first_value(connection, "select count(*) from pg_catalog.pg_roles where rolname = %s", user):
        raise JournalError(
            f"The database has no user {user}. Make it first, with CREATE ROLE {user} LOGIN PASSWORD '...'. Nothing was"
            " done."
        )
    schema = _first_value(connection, _SCHEMA_OF_TABLE)
    version = _postgres_version(connection)
    usage, *privileges = COMPLETE.privileges
    may = [usage] if _first_value(connection, "select has_schema_privilege(%s, %s, %s)", user, schema, usage) else []
    if version:
        query = "select has_table_privilege(%s, 'hosting_management_journal', %s)"
        may += [one for one in privileges if _first_value(connection, query, user, one)]
    return Setup(version, tuple(may))


def _grant(connection: psycopg.Connection, user: str, before: Setup) -> None:
    from psycopg.sql import SQL, Identifier

    if COMPLETE.privileges[0] not in before.privileges:
        schema = _first_value(connection, _SCHEMA_OF_TABLE)
        connection.execute(SQL("grant usage on schema {} to {}").format(Identifier(schema), Identifier(user)))
    grant = "grant select, insert, update, delete on hosting_management_journal to {}"
    connection.execute(SQL(grant).format(Identifier(user)))


def _advice(error: Exception) -> str:
    """Return what to do about an error of PostgreSQL."""
    code = getattr(error, "sqlstate", None)
    if code == "42501":
        return "Its owner runs: GRANT SELECT, INSERT, UPDATE, DELETE ON hosting_management_journal TO <user>;"
    if code in ("55P03", "57014"):
        return f"Another session holds a lock for more than {LOCK_TIMEOUT} s: look for it in pg_stat_activity."
    if _LATER.search(str(error)):
        return f"It had no free connection for {CONNECT_TIMEOUT} s: run with fewer forks, or raise its max_connections."
    return "Check the address given as journal (or HOSTING_JOURNAL)."


def _without_password(text: str, address: str) -> str:
    for password in passwords_of(address):
        text = text.replace(password, "********")
    return text


def note_progress(
    journal: Journal,
    subject: Subject,
    entry: Entry,
    progress: str,
    operation_id: str | None = None,
    *,
    supersedes: bool = False,
) -> bool:
    """Note how far a request has come; False when it is not in the journal any more.

    With ``supersedes``, what was sent before it of other releases, and what it has taken the place of, no longer
    counts: the subject has this one now.
    """
    while True:
        rows = journal.read(subject)
        mine = next((one for one in rows if one.is_about(entry)), None)
        if mine is None:
            return False
        others = tuple(one for one in rows if one is not mine)
        if supersedes:
            others = tuple(
                one
                for one in others
                if one.sent_at > entry.sent_at or (one.release == entry.release and one.key != entry.key_of_displaced)
            )
        is_known = mine.progress == progress and operation_id in (None, mine.operation_id)
        now = mine if is_known else mine.with_progress(progress, operation_id)
        if journal.replace(subject, rows, (*others, now), durable=False):
            return True


# Quoted: pylint sees no class in a generic base, and refuses to join it.
Journal: TypeAlias = "NoJournal | SqliteJournal | PostgresJournal"
