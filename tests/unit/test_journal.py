# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal: what was already asked for, shared by forks, runs and hosts."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _journal
from ansible_collections.hosting.management.plugins.module_utils._entry import secrets_within
from ansible_collections.hosting.management.plugins.module_utils._errors import JournalError
from ansible_collections.hosting.management.plugins.module_utils._journal import (
    ACCEPTED,
    FINISHED,
    SENT,
    UNKNOWN_OUTCOME,
    Entry,
    NoJournal,
    PostgresJournal,
    SqliteJournal,
    default_location,
    digest_of,
    open_journal,
)

SLOT = ("https://a.example/v2", "env_push/1/2/3", "v1")
OTHER_SLOTS = [("https://b.example/v2", *SLOT[1:]), (SLOT[0], "env_push/1/3/2", SLOT[2]), (*SLOT[:2], "v2")]
PASSWORD = "geheim-97"


def entry(state=SENT, **values):
    return Entry(
        **{"digest": "d", "operation_id": None, "sent_at": 1.5, "answer_by": 2.25, "sender": "h:1", "state": state}
        | values
    )


# PostgreSQL, where it is installed


def postgres_program(name):
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(installed[-1]) if installed else None)


@pytest.fixture(scope="session")
def postgres():
    """The address of a database of a server that ends with the tests."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    initdb, server = postgres_program("initdb"), postgres_program("postgres")
    if not (initdb and server):
        pytest.skip("PostgreSQL is not installed")
    # PostgreSQL refuses to run as root.
    user = {"user": "nobody", "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="journal") as directory, socket.socket() as unused:
        home = Path(directory)
        (home / "password").write_text(PASSWORD)
        if user:
            for path in (home, home / "password"):
                shutil.chown(path, user["user"])
        options = ["-U", "journal", "-A", "password", "--pwfile", home / "password", "-E", "UTF8", "--locale", "C"]
        made = subprocess.run(
            [initdb, "-D", home / "data", "--no-sync", *options],
            capture_output=True, text=True, check=False, cwd=home, env={"PATH": os.defpath}, **user,
        )  # fmt: skip
        if made.returncode:
            pytest.skip(f"initdb does not run here: {made.stderr.strip()}")
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        unused.close()
        options = ["-p", str(port), "-h", "127.0.0.1", "-k", home, "-c", "fsync=off", "-c", "shared_buffers=1MB"]
        process = subprocess.Popen(
            [server, "-D", home / "data", *options], stderr=subprocess.DEVNULL, cwd=home, env={}, **user
        )
        try:
            address = f"postgresql://journal:{PASSWORD}@127.0.0.1:{port}/postgres"
            wait_until_it_answers(address, process)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=30)


def wait_until_it_answers(address, process):
    import psycopg

    deadline = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.skip("postgres does not run here")
            time.sleep(0.05)
        else:
            return


@pytest.fixture(params=["sqlite", "postgres"])
def location(request, tmp_path):
    """The place of a journal without entries; for SQLite the file and its directory do not exist yet."""
    if request.param == "sqlite":
        return str(tmp_path / "new" / "directory" / "journal.db")
    address = request.getfixturevalue("postgres")
    import psycopg

    with psycopg.connect(address) as connection:
        connection.execute("drop table if exists journal")
    return address


@pytest.fixture
def journal(location):
    return open_journal(location)


# What all journals do


def test_an_unknown_slot_is_empty(journal):
    assert journal.read(SLOT) is None


def test_an_entry_is_read_back_as_it_was_written(journal, location):
    written = entry(ACCEPTED, operation_id="environments:push-1", sent_at=time.time())
    assert journal.replace(SLOT, None, written)
    assert journal.read(SLOT) == written
    assert open_journal(location).read(SLOT) == written
    assert [journal.read(slot) for slot in OTHER_SLOTS] == [None] * 3


def test_slots_do_not_share_entries(journal):
    entries = {slot: entry(digest=f"digest {number}") for number, slot in enumerate([SLOT, *OTHER_SLOTS])}
    for slot, one in entries.items():
        assert journal.replace(slot, None, one)
    assert {slot: journal.read(slot) for slot in entries} == entries


def test_an_entry_is_replaced_only_by_those_who_have_seen_it(journal):
    first, second, third = entry(SENT), entry(ACCEPTED, operation_id="x"), entry(FINISHED)
    assert journal.replace(SLOT, None, first)
    assert not journal.replace(SLOT, None, third)
    assert not journal.replace(SLOT, second, third)
    assert journal.read(SLOT) == first
    assert journal.replace(SLOT, first, second)
    assert not journal.replace(SLOT, first, third)
    assert journal.read(SLOT) == second


def test_an_entry_is_removed_by_those_who_have_seen_it(journal):
    first = entry()
    journal.replace(SLOT, None, first)
    assert not journal.replace(SLOT, entry(FINISHED), None)
    assert journal.replace(SLOT, first, None)
    assert journal.read(SLOT) is None
    assert not journal.replace(SLOT, first, entry())


def test_quotes_and_wild_characters_are_data(journal):
    slot = ("https://a.example/v2", "x'; drop table journal; --", '100 % ? %s "ü" \\')
    journal.replace(slot, None, entry())
    assert journal.read(slot) == entry()


WRITER = """
import sys
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, open_journal
journal = open_journal(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    entry = Entry(sys.argv[2], "sent", None, 1.0, 2.0, "h:1")
    own = journal.replace(("service", "own", f"{sys.argv[2]} {number}"), None, entry)
    shared = journal.replace(("service", "shared", str(number)), None, entry)
    print(own, shared, flush=True)
"""


def python(code, *arguments, **options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )


def test_many_processes_that_make_the_journal_at_once_lose_nothing_and_each_thing_is_won_once(location):
    count, rounds = 6, 5
    processes = [python(WRITER, location, f"writer {number}", str(rounds)) for number in range(count)]
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * count
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [process.communicate(timeout=60) for process in processes]
    assert [errors for _output, errors in results] == [""] * count
    lines = [output.splitlines() for output, _errors in results]
    assert all(line.startswith("True ") for output in lines for line in output)
    winners = [[output[number].endswith(" True") for output in lines].count(True) for number in range(rounds)]
    assert winners == [1] * rounds


# SQLite


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "journal.db"


def test_threads_that_make_the_journal_at_once_lose_nothing(path):
    for attempt in range(5):
        start, results = threading.Barrier(8), []

        def write(one_path, start, results):
            journal = SqliteJournal(one_path)
            start.wait()
            try:
                results.append(journal.replace(SLOT, None, entry()))
            except JournalError as error:
                results.append(str(error))

        one_path = path / str(attempt)
        threads = [threading.Thread(target=write, args=(one_path, start, results)) for _unused in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(results, key=str) == [False] * 7 + [True]


def test_a_run_waits_for_another_one_that_is_just_making_the_journal(path):
    path.parent.mkdir()
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("begin immediate")
    timer = threading.Timer(0.2, other.execute, ["rollback"])
    timer.start()
    try:
        assert SqliteJournal(path).replace(SLOT, None, entry())
    finally:
        timer.join()
        other.close()


def test_reading_alone_leaves_no_file(path):
    assert SqliteJournal(path).read(SLOT) is None
    assert not path.parent.exists()


def test_only_the_user_can_read_the_journal(path):
    previous = os.umask(0)
    try:
        SqliteJournal(path).replace(SLOT, None, entry())
        files = list(path.parent.iterdir())
    finally:
        os.umask(previous)
    assert path in files
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_home_directory_may_be_written_with_a_tilde(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    open_journal("~/journal.db").replace(SLOT, None, entry())
    assert (tmp_path / "journal.db").exists()


def make_parent_a_file(path):
    path.parent.write_text("a file")


def make_it_a_directory(path):
    path.mkdir(parents=True)


def make_it_something_else(path):
    path.parent.mkdir()
    path.write_text("this is no database, but a text of some length" * 100)


@pytest.mark.parametrize("make", [make_parent_a_file, make_it_a_directory, make_it_something_else])
def test_a_journal_that_cannot_be_written_says_what_to_do(make, path):
    make(path)
    with pytest.raises(
        JournalError, match="Set journal .*HOSTING_JOURNAL.* to a path that can be written, or to an empty string"
    ) as raised:
        SqliteJournal(path).replace(SLOT, None, entry())
    assert str(path) in str(raised.value)
    assert raised.value.as_result()["error"]["kind"] == "journal"


def test_a_damaged_journal_says_what_to_do_when_read(path):
    make_it_something_else(path)
    with pytest.raises(JournalError, match="Set journal"):
        SqliteJournal(path).read(SLOT)


READER_WITHOUT_PRIVILEGES = """
import os, sys
from ansible_collections.hosting.management.plugins.module_utils import _journal
if os.geteuid() == 0:
    os.setgroups([])
    os.setuid(65534)
try:
    _journal.open_journal(sys.argv[1]).read(("service", "subject", "key"))
except _journal.JournalError as error:
    print(error)
"""


def test_a_journal_in_a_forbidden_directory_says_what_to_do_when_read():
    with tempfile.TemporaryDirectory() as directory:
        forbidden = Path(directory, "forbidden")
        forbidden.mkdir(mode=0o000)
        Path(directory).chmod(0o755)
        output, errors = python(READER_WITHOUT_PRIVILEGES, str(forbidden / "journal.db")).communicate(timeout=60)
    assert errors == ""
    assert "Permission denied" in output
    assert "Set journal" in output


def test_a_run_waits_for_anothers_transaction_but_not_forever(path, monkeypatch):
    journal = SqliteJournal(path)
    journal.replace(SLOT, None, entry())
    monkeypatch.setattr(_journal, "LOCK_TIMEOUT", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(JournalError, match="database is locked"):
        journal.replace(SLOT, entry(), entry(FINISHED))
    other.execute("rollback")
    other.close()
    assert journal.replace(SLOT, entry(), entry(FINISHED))


def test_a_transaction_that_is_interrupted_leaves_the_old_entry(path):
    journal = SqliteJournal(path)
    journal.replace(SLOT, None, entry())

    def interrupted():
        with journal._transaction(SLOT) as execute:
            execute(_journal._DELETE, SLOT)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert journal.read(SLOT) == entry()


# PostgreSQL


def test_a_wrong_password_is_an_error_that_does_not_show_it(postgres):
    address = postgres.replace(PASSWORD, "not-the-password")
    with pytest.raises(JournalError, match="Cannot use the PostgreSQL journal: .*HOSTING_JOURNAL") as raised:
        open_journal(address).read(SLOT)
    assert "not-the-password" not in str(raised.value)


def test_a_postgres_server_that_is_not_there_is_an_error_without_the_password():
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"postgres://journal:{PASSWORD}@127.0.0.1:{unused.getsockname()[1]}/postgres"
        with pytest.raises(JournalError, match="Cannot use the PostgreSQL journal") as raised:
            open_journal(address).replace(SLOT, None, entry())
    assert PASSWORD not in str(raised.value)
    assert raised.value.__suppress_context__


MALFORMED_ADDRESSES = [
    f"postgresql://journal:{PASSWORD}%zz@127.0.0.1/db",
    f"postgresql://journal:{PASSWORD}@[::1/db",
    f"postgresql://127.0.0.1/db?user=journal&password={PASSWORD}%zz",
]


@pytest.mark.parametrize("address", MALFORMED_ADDRESSES)
def test_a_malformed_address_is_an_error_without_the_password(address):
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    with pytest.raises(JournalError) as raised:
        open_journal(address).read(SLOT)
    assert PASSWORD not in str(raised.value)


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://journal:{PASSWORD}@db.example/awx",
        f"postgres://journal:{PASSWORD}@one.example:5432,two.example:5432/awx",
        f"postgresql://db.example/awx?user=journal&password={PASSWORD}",
        f"postgresql://journal:{PASSWORD}@[::1/awx",
        f"postgresql://journal:{PASSWORD}#@db.example/awx",
    ],
)
def test_a_password_within_the_address_is_a_secret_of_the_task(address):
    assert any(PASSWORD in secret for secret in secrets_within({"journal": address}))


@pytest.mark.parametrize("location", [None, "", "/var/lib/journal.db", "~/x:y@z.db", "postgresql://db.example/awx"])
def test_an_address_without_a_password_holds_no_secret(location):
    assert secrets_within({"journal": location}) == set()


def test_without_psycopg_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    journal = open_journal(f"postgresql://journal:{PASSWORD}@127.0.0.1/awx")
    assert isinstance(journal, PostgresJournal)
    with pytest.raises(
        JournalError, match=r"needs the Python library psycopg .*pip install 'psycopg\[binary\]'"
    ) as raised:
        journal.read(SLOT)
    assert PASSWORD not in str(raised.value)


# Which journal, and what an entry knows


def test_an_empty_location_means_that_nothing_is_remembered():
    journal = open_journal("")
    assert isinstance(journal, NoJournal)
    assert journal.replace(SLOT, None, entry())
    assert journal.read(SLOT) is None


def test_the_default_location_follows_xdg(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_location() == str(tmp_path / "hosting.management" / "journal.db")
    monkeypatch.setenv("XDG_STATE_HOME", "")
    monkeypatch.setenv("HOME", "/home/someone")
    assert default_location() == "/home/someone/.local/state/hosting.management/journal.db"


def test_a_digest_does_not_depend_on_the_order_of_keys_but_on_every_value():
    assert digest_of({"a": [1], "b": None}) == digest_of({"b": None, "a": [1]})
    assert len({digest_of(value) for value in ({"a": 1}, {"a": "1"}, {"a": [1]}, ["a", 1], "a", None, [], {})}) == 8


def own_sender():
    return Entry.sent_now("d", 60).sender


def dead_sender():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pid = process.pid
    return f"{socket.gethostname()}:{pid}"


@pytest.mark.parametrize(
    ("sender", "may_come"),
    [
        (own_sender, True),
        (lambda: f"{socket.gethostname()}:1", True),
        (lambda: "another-host:1", True),
        (lambda: "fe80::1:1", True),
        (dead_sender, False),
    ],
    ids=["this process", "another process", "another host", "colons", "dead process"],
)
def test_an_answer_may_come_while_its_sender_may_be_alive(sender, may_come):
    assert entry(answer_by=time.time() + 60, sender=sender()).answer_may_come() == may_come


@pytest.mark.parametrize(("state", "answer_by"), [(SENT, -1), (ACCEPTED, 60), (FINISHED, 60), (UNKNOWN_OUTCOME, 60)])
def test_no_answer_comes_after_its_time_or_when_it_has_come(state, answer_by):
    assert not entry(state, answer_by=time.time() + answer_by, sender=own_sender()).answer_may_come()


def test_an_entry_keeps_its_operation_and_its_times_from_state_to_state():
    sent = Entry.sent_now("d", 60)
    assert (sent.state, sent.operation_id) == (SENT, None)
    assert sent.answer_by == sent.sent_at + 60
    assert 0 <= sent.age < 60
    finished = sent.with_state(ACCEPTED, "x").with_state(FINISHED)
    assert (finished.state, finished.operation_id, finished.sent_at) == (FINISHED, "x", sent.sent_at)
