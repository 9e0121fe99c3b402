# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal: what was already asked for, shared by forks, runs and hosts."""

from __future__ import annotations

import os
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ansible_collections.hosting.management.plugins.module_utils._errors import JournalError
from ansible_collections.hosting.management.plugins.module_utils._journal import (
    Entry,
    NoJournal,
    PostgresJournal,
    SqliteJournal,
    default_location,
    digest_of,
    kept_journal,
    open_journal,
    opening,
    passwords_of,
    postgres_table,
    schema,
    senders,
    sql,
)
from ansible_collections.hosting.management.plugins.module_utils._journal import postgres as postgres_journal
from ansible_collections.hosting.management.plugins.module_utils._progress import (
    FAILED,
    FINISHED,
    IN_PROGRESS,
    SENT,
    UNKNOWN,
)
from postgres import PASSWORD

pytest_plugins = ["unit.postgres"]

SUBJECT = ("https://a.example/v2", "env_push/1/2")
OTHER_SUBJECTS = [("https://b.example/v2", SUBJECT[1]), (SUBJECT[0], "env_push/1/3"), (SUBJECT[0], "env_push/1/2/3")]
DAY = 86400


def entry(progress=SENT, **values):
    return Entry(**{"wanted": "d", "sent_at": 1.5, "answer_by": 2.25, "sender": "h 1", "progress": progress} | values)


@pytest.fixture(autouse=True)
def never_tidied(monkeypatch):
    """One write of a hundred removes ended rows of old, which is what the rows of these tests are."""
    monkeypatch.setattr(sql, "WRITES_PER_TIDYING", sys.maxsize)


@pytest.fixture(params=["sqlite", "postgres"])
def location(request, tmp_path):
    """The place of a journal without entries; for SQLite the file and its directory do not exist yet."""
    if request.param == "sqlite":
        return str(tmp_path / "new" / "directory" / "journal.db")
    return request.getfixturevalue("postgres")


@pytest.fixture
def journal(location):
    opened = open_journal(location)
    yield opened
    opened.close()


@pytest.fixture
def another(location):
    """The same journal, as another run opens it."""
    opened = open_journal(location)
    yield opened
    opened.close()


def lock_timeout(monkeypatch, seconds):
    monkeypatch.setattr(sql, "LOCK_TIMEOUT", seconds)


# What all journals do


def test_an_unknown_subject_has_no_rows(journal):
    assert journal.read(SUBJECT) == ()
    assert journal.subjects(SUBJECT[0], "") == []


def test_an_entry_is_read_back_as_it_was_written(journal, another):
    written = entry(
        IN_PROGRESS,
        operation_id="environments:push-1",
        sent_at=time.time(),
        answer_by=0.1 + 0.2,
        ended_at=1e9 / 3,
        release="v1",
        part='{"files": true}',
        key="k",
    )
    assert journal.replace(SUBJECT, (), (written,))
    assert journal.read(SUBJECT) == (written,)
    assert another.read(SUBJECT) == (written,)
    assert [journal.read(subject) for subject in OTHER_SUBJECTS] == [()] * 3


def test_subjects_do_not_share_entries(journal):
    entries = {subject: (entry(wanted=f"{number}"),) for number, subject in enumerate([SUBJECT, *OTHER_SUBJECTS])}
    for subject, rows in entries.items():
        assert journal.replace(subject, (), rows)
    assert {subject: journal.read(subject) for subject in entries} == entries


def test_rows_are_replaced_only_by_those_who_have_seen_them(journal):
    first, second, third = entry(SENT), entry(IN_PROGRESS, operation_id="x"), entry(FINISHED)
    assert journal.replace(SUBJECT, (), (first,))
    assert not journal.replace(SUBJECT, (), (third,))
    assert not journal.replace(SUBJECT, (second,), (third,))
    assert journal.read(SUBJECT) == (first,)
    assert journal.replace(SUBJECT, (first,), (second,))
    assert not journal.replace(SUBJECT, (first,), (third,))
    assert journal.read(SUBJECT) == (second,)


def test_rows_are_removed_by_those_who_have_seen_them(journal):
    first = entry()
    journal.replace(SUBJECT, (), (first,))
    assert not journal.replace(SUBJECT, (entry(FINISHED),), ())
    assert journal.replace(SUBJECT, (first,), ())
    assert journal.read(SUBJECT) == ()
    assert not journal.replace(SUBJECT, (first,), (entry(),))


def test_a_subject_has_a_row_for_each_part_in_the_order_in_which_they_were_sent(journal):
    late, early, middle = (entry(key=key, sent_at=sent_at) for key, sent_at in (("a", 3.0), ("b", 1.0), ("c", 2.0)))
    assert journal.replace(SUBJECT, (), (late, early))
    assert journal.read(SUBJECT) == (early, late)
    assert not journal.replace(SUBJECT, (late,), ())
    assert not journal.replace(SUBJECT, (late, early, middle), ())
    assert journal.replace(SUBJECT, (late, early), (early, middle))
    assert journal.read(SUBJECT) == (early, middle)


def test_two_rows_of_one_key_are_an_error_that_changes_nothing(journal):
    journal.replace(SUBJECT, (), (entry(),))
    with pytest.raises(JournalError):
        journal.replace(SUBJECT, (entry(),), (entry(FINISHED), entry(FAILED)))
    assert journal.read(SUBJECT) == (entry(),)


def test_the_subjects_of_a_service_are_found_by_their_beginning(journal):
    first, second, other = entry(sent_at=2.0), entry(sent_at=1.0), entry(sent_at=0.0)
    service, name = SUBJECT
    journal.replace(SUBJECT, (), (first,))
    journal.replace((service, f"{name}%_ü"), (), (second,))
    journal.replace((service, "env_pull/1"), (), (other,))
    journal.replace(("https://b.example/v2", name), (), (other,))
    assert journal.subjects(service, "env_push/1") == [((service, f"{name}%_ü"), second), (SUBJECT, first)]
    assert journal.subjects(service, f"{name}%_ü") == [((service, f"{name}%_ü"), second)]
    assert len(journal.subjects(service, "")) == 3
    assert journal.subjects(service, "env_p%") == journal.subjects(service, "ENV_PUSH") == []


def test_the_rows_about_an_environment_are_found_whatever_they_are_of(journal):
    rows = {
        "env_push/1": entry(sent_at=4),
        "manual_backup/1/before-v2": entry(sent_at=3),
        "update/plugin/forms/2.5": entry(sent_at=2, key="1"),
    }
    others = {"env_push/2": entry(), "manual_backup/2/of 1": entry(), "update/plugin/forms/2.6": entry(key="2")}
    for name, row in (rows | others).items():
        journal.replace((SUBJECT[0], name), (), (row,))
    journal.replace(("https://b.example/v2", "env_push/1"), (), (entry(),))
    assert journal.of_environment(SUBJECT[0], "1") == [((SUBJECT[0], name), rows[name]) for name in reversed(rows)]


def test_a_journal_is_told_from_another_in_its_place(journal, another):
    assert journal.identity() is None
    journal.replace(SUBJECT, (), (entry(),))
    identity = journal.identity()
    assert identity == another.identity()
    another.replace(SUBJECT, (entry(),), ())
    journal.close()
    assert journal.identity() == identity


def test_a_journal_of_an_earlier_version_gets_its_identity_when_it_is_written(journal, another):
    journal.replace(SUBJECT, (), (entry(),))
    with journal._writing(SUBJECT) as execute:
        execute("delete from hosting_management_journal where service = ?", ("",))
    assert another.identity() is None
    another.replace(SUBJECT, (entry(),), ())
    assert another.identity()


def test_the_identity_is_never_removed_for_its_age(journal, monkeypatch):
    journal.replace(SUBJECT, (), ())
    identity = journal.identity()
    monkeypatch.setattr(sql, "WRITES_PER_TIDYING", 1)
    monkeypatch.setattr(sql, "KEEP_DAYS", -1)
    journal.replace(SUBJECT, (), ())
    assert journal.identity() == identity


@pytest.mark.parametrize("loss", ["removed", "cut to nothing", "replaced"])
@pytest.mark.parametrize("does", ["reads", "writes"])
def test_a_journal_that_was_lost_is_warned_of_once_and_the_new_one_counts_from_then_on(path, loss, does):
    SqliteJournal(path).replace(SUBJECT, (), (entry(),))
    elsewhere = path.with_name("elsewhere.db")
    SqliteJournal(elsewhere).replace(SUBJECT, (), ())
    for file in path.parent.glob(f"{path.name}-*"):
        file.unlink()
    if loss == "replaced":
        elsewhere.rename(path)
    elif loss == "removed":
        path.unlink()
    else:
        path.write_bytes(b"")
    journal = SqliteJournal(path)
    if does == "reads" and loss != "replaced":
        assert journal.read(SUBJECT) == ()
        assert journal.identity() is None
    else:
        journal.replace(SUBJECT, (), ())
    assert "is gone or empty now" in journal.warning()
    journal.replace(SUBJECT, (), (entry(),))
    journal.warning()
    for later in (journal, SqliteJournal(path)):
        later.read(SUBJECT)
        later.replace(SUBJECT, (entry(),), (entry(),))
        assert later.warning() is None


def test_a_journal_that_another_fork_makes_while_one_looks_for_it_is_not_taken_for_lost(tmp_path):
    path = tmp_path / "journal.db"

    class LooksMeanwhile(SqliteJournal):
        @property
        def _marker(self):
            if not path.exists():
                another = SqliteJournal(path)
                assert another.replace(SUBJECT, (), (entry(wanted="one"),))
                another.close()
            return super()._marker

    journal = LooksMeanwhile(path)
    assert [one.wanted for one in journal.read(SUBJECT)] == ["one"]
    assert path.with_name("journal.db.made").exists()
    assert journal.warning() is None


def test_a_new_journal_is_not_taken_for_a_lost_one(path):
    journal = SqliteJournal(path)
    assert journal.read(SUBJECT) == ()
    journal.replace(SUBJECT, (), (entry(),))
    assert journal.warning() is None


def test_requests_follow_each_other_whatever_the_clocks_say():
    ahead = entry(sent_at=time.time() + DAY)
    after = Entry.sent_now("d", 5, after=(entry(), ahead))
    assert after.sent_at > ahead.sent_at
    assert after.answer_may_come()
    assert after.answer_by < time.time() + 6
    assert after.with_progress(FINISHED).ended_at >= after.sent_at


def test_what_is_no_request_is_noted_as_json(journal, another):
    note = {"tag": "before-v2", "backup_id": 7}
    noted = Entry.noted_now("d", note, key="1")
    journal.replace(SUBJECT, (), (noted,))
    (read,) = another.read(SUBJECT)
    assert (read.note, read.progress) == (note, FINISHED)
    assert entry().note == {}


def test_quotes_and_wild_characters_are_data(journal):
    subject = ("https://a.example/v2", 'x\'; drop table journal; -- 100 % ? %s "ü" \\')
    row = entry(part="' ? %s %% ü")
    journal.replace(subject, (), (row,))
    assert journal.read(subject) == (row,)


def test_rows_with_a_known_end_are_removed_after_a_long_time_and_others_never(journal, monkeypatch):
    monkeypatch.setattr(sql, "WRITES_PER_TIDYING", 1)
    old, young = time.time() - 401 * DAY, time.time() - 399 * DAY
    kept = [entry(progress, sent_at=old) for progress in (SENT, IN_PROGRESS, UNKNOWN)]
    kept += [entry(FINISHED, sent_at=young), entry(FAILED, sent_at=young)]
    gone = [entry(FINISHED, sent_at=old), entry(FAILED, sent_at=old)]
    for number, row in enumerate(kept + gone):
        journal.replace(("service", str(number)), (), (row,))
    journal.replace(SUBJECT, (), (entry(),))
    assert {row for _subject, row in journal.subjects("service", "")} == set(kept)


def test_not_every_write_looks_for_old_rows(journal, monkeypatch):
    old = entry(FINISHED, sent_at=1.0)
    monkeypatch.setattr(sql.random, "randrange", lambda end: end - 1)
    journal.replace(SUBJECT, (), (old,))
    assert journal.read(SUBJECT) == (old,)


def test_a_closed_journal_is_opened_again(journal):
    journal.replace(SUBJECT, (), (entry(),))
    journal.close()
    journal.close()
    assert journal.read(SUBJECT) == (entry(),)
    journal.close()
    assert journal.replace(SUBJECT, (entry(),), ())


def in_a_fork(function):
    """Call a function in a fork and return whether it returned True."""
    pid = os.fork()
    if pid == 0:
        done = False
        try:
            done = function()
        finally:
            os._exit(0 if done else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_fork_does_not_touch_the_connection_of_its_parent(journal):
    rows = (entry(),)
    journal.replace(SUBJECT, (), rows)
    inherited = journal._connection

    def work():
        is_done = journal.read(SUBJECT) == rows and journal.replace(OTHER_SUBJECTS[0], (), rows)
        is_own = journal._connection is not inherited
        journal.close()
        return is_done and is_own

    def close():
        journal.close()
        return any(one is inherited for one in sql._of_parents)

    assert in_a_fork(work)
    assert in_a_fork(close)
    assert journal._connection is inherited
    assert journal.read(OTHER_SUBJECTS[0]) == rows
    assert journal.replace(SUBJECT, rows, ())


def test_a_task_opens_the_database_once(journal, location, monkeypatch):
    import psycopg

    library = psycopg if location.startswith("postgres") else sqlite3
    opened, connect = [], library.connect
    monkeypatch.setattr(library, "connect", lambda *args, **options: opened.append(1) or connect(*args, **options))
    journal.read(SUBJECT)
    journal.replace(SUBJECT, (), (entry(),))
    journal.read(SUBJECT)
    journal.replace(SUBJECT, (entry(),), (entry(FINISHED),))
    assert opened == [1]


def test_a_journal_stays_open_for_the_tasks_of_a_process_and_of_no_other(location, tmp_path):
    journal = kept_journal(location)
    journal.replace(SUBJECT, (), (entry(),))
    connection = journal._connection
    assert kept_journal(location) is journal
    assert (journal.read(SUBJECT), journal._connection) == ((entry(),), connection)
    assert kept_journal(str(tmp_path / "other.db")) is not journal
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(kept_journal, location).result() is not journal
    assert in_a_fork(lambda: kept_journal(location) is not journal and kept_journal(location).read(SUBJECT))


def test_few_journals_stay_open_and_to_ask_for_one_of_them_closes_none(tmp_path):
    places = [str(tmp_path / f"{number}.db") for number in range(opening.MOST_KEPT + 1)]
    journals = [kept_journal(place) for place in places[:-1]]
    for journal in journals:
        journal.replace(SUBJECT, (), (entry(),))
    assert [kept_journal(place) for place in reversed(places[:-1])] == journals[::-1]
    assert [one._connection is None for one in journals] == [False] * opening.MOST_KEPT
    kept_journal(places[-1])
    assert [one._connection is None for one in journals] == [True] + [False] * (opening.MOST_KEPT - 1)


def test_a_journal_that_goes_while_it_is_open_gets_another_identity(journal, another):
    journal.replace(SUBJECT, (), (entry(),))
    identity = journal.identity()
    with another._writing(SUBJECT) as execute:
        execute("drop table hosting_management_journal", ())
        if isinstance(another, SqliteJournal):
            execute("pragma user_version = 0", ())
    assert journal.identity() is None
    journal.replace(SUBJECT, (), (entry(),))
    assert journal.identity() not in (None, identity)


def test_a_transaction_that_is_interrupted_leaves_the_old_rows(journal, another):
    journal.replace(SUBJECT, (), (entry(),))

    def interrupted():
        with journal._writing(SUBJECT) as execute:
            execute(sql._DELETE, (*SUBJECT, ""))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert another.replace(SUBJECT, (entry(),), (entry(FINISHED),))
    assert journal.read(SUBJECT) == (entry(FINISHED),)


def version_after_the_next(monkeypatch):
    monkeypatch.setattr(schema, "VERSION", 3)
    column = "alter table hosting_management_journal add column"
    monkeypatch.setattr(schema, "MIGRATIONS", {1: f"{column} one text", 2: f"{column} two text"})


@pytest.mark.parametrize("first", ["read", "write"])
def test_a_journal_of_an_older_version_is_brought_to_this_one(first, journal, another, monkeypatch):
    journal.replace(SUBJECT, (), (entry(),))
    journal.close()
    version_after_the_next(monkeypatch)
    for one in (journal, another):
        if first == "read":
            assert one.read(SUBJECT) == (entry(),)
        else:
            assert one.replace(SUBJECT, (entry(),), (entry(),))
        one.close()
        monkeypatch.setattr(schema, "MIGRATIONS", {})
    assert journal.read(SUBJECT) == (entry(),)
    journal._connection.execute("select one, two from hosting_management_journal")


def test_a_journal_of_a_newer_version_says_to_upgrade(journal, another, monkeypatch):
    with monkeypatch.context() as newer:
        newer.setattr(schema, "VERSION", 7)
        journal.replace(SUBJECT, (), (entry(),))
        journal.close()
    for work in (lambda: another.read(SUBJECT), lambda: another.replace(SUBJECT, (), (entry(),))):
        with pytest.raises(JournalError, match="newer version .* 7.*ansible-galaxy collection install --upgrade"):
            work()


WRITER = """
import sys
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, open_journal
journal = open_journal(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    entry = Entry(sys.argv[2], "sent", 1.0, 2.0, "h 1")
    own = journal.replace(("service", f"own {sys.argv[2]} {number}"), (), (entry,))
    shared = journal.replace(("service", f"shared {number}"), (), (entry,))
    print(own, shared, flush=True)
    if number % 2:
        journal.close()
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


@pytest.mark.slow
def test_many_processes_that_make_the_journal_at_once_lose_nothing_and_each_thing_is_won_once(location):
    count, rounds = 8 if location.startswith("postgres") else 32, 5
    processes = [python(WRITER, location, f"writer {number}", str(rounds)) for number in range(count)]
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * count
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [process.communicate(timeout=120) for process in processes]
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
                results.append(journal.replace(SUBJECT, (), (entry(),)))
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
        assert SqliteJournal(path).replace(SUBJECT, (), (entry(),))
    finally:
        timer.join()
        other.close()


def test_reading_alone_leaves_no_file(path):
    assert SqliteJournal(path).read(SUBJECT) == ()
    assert not path.parent.exists()


def test_only_the_user_can_read_the_journal(path):
    previous = os.umask(0)
    try:
        SqliteJournal(path).replace(SUBJECT, (), (entry(),))
        files = list(path.parent.iterdir())
    finally:
        os.umask(previous)
    assert path in files
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_home_directory_may_be_written_with_a_tilde(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    open_journal("~/journal.db").replace(SUBJECT, (), (entry(),))
    assert (tmp_path / "journal.db").exists()


def make_parent_a_file(path):
    path.parent.write_text("a file")


def make_it_a_directory(path):
    path.mkdir(parents=True)


def make_it_something_else(path):
    path.parent.mkdir()
    path.write_text("this is no database, but a text of some length" * 100)


@pytest.mark.parametrize(
    ("make", "advice"),
    [
        (make_parent_a_file, "Set journal .*HOSTING_JOURNAL.* to a path that can be written, or to an empty string"),
        (make_it_a_directory, "Set journal .*HOSTING_JOURNAL.* to a path that can be written, or to an empty string"),
        (make_it_something_else, "It is no journal, or is damaged. Set journal .* to the right file, or put that back"),
    ],
)
def test_a_journal_that_cannot_be_written_says_what_to_do(make, advice, path):
    make(path)
    with pytest.raises(JournalError, match=advice) as raised:
        SqliteJournal(path).replace(SUBJECT, (), (entry(),))
    assert str(path) in str(raised.value)
    assert raised.value.as_result()["error"]["kind"] == "journal"


@pytest.mark.parametrize("name", ["n" * 300, "null\0byte"])
@pytest.mark.parametrize("work", ["read", "write"])
def test_a_name_that_no_file_can_have_says_what_to_do(name, work, tmp_path):
    journal = SqliteJournal(tmp_path / name)
    with pytest.raises(JournalError, match="Set journal"):
        journal.read(SUBJECT) if work == "read" else journal.replace(SUBJECT, (), (entry(),))


def test_a_damaged_journal_says_what_to_do_when_read(path):
    make_it_something_else(path)
    with pytest.raises(JournalError, match="Set journal"):
        SqliteJournal(path).read(SUBJECT)


READER_WITHOUT_PRIVILEGES = """
import os, sys
from ansible_collections.hosting.management.plugins.module_utils._errors import JournalError
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, open_journal
if os.geteuid() == 0:
    os.setgroups([])
    os.setuid(65534)
try:
    journal = open_journal(sys.argv[1])
    journal.read(("service", "subject"))
    entry = Entry("w", "sent", 1.0, 2.0, "s")
    journal.replace(("service", "subject"), (), (entry,))
except JournalError as error:
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
    SqliteJournal(path).replace(SUBJECT, (), (entry(),))
    lock_timeout(monkeypatch, 0.05)
    journal = SqliteJournal(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(JournalError, match="database is locked"):
        journal.replace(SUBJECT, (entry(),), (entry(FINISHED),))
    assert journal.read(SUBJECT) == (entry(),)  # to read, nobody waits
    other.execute("rollback")
    other.close()
    assert journal.replace(SUBJECT, (entry(),), (entry(FINISHED),))


def test_reading_a_file_that_is_just_being_made_writes_nothing(path):
    path.parent.mkdir()
    path.touch()
    assert SqliteJournal(path).read(SUBJECT) == ()
    assert path.read_bytes() == b""


def test_a_known_table_is_not_made_again(path):
    SqliteJournal(path).replace(SUBJECT, (), (entry(),))
    journal, statements = SqliteJournal(path), []
    journal.read(SUBJECT)
    journal._connection.set_trace_callback(statements.append)
    journal.read(SUBJECT)
    assert [statement.split()[0] for statement in statements] == ["pragma", "select"]
    statements.clear()
    journal.replace(SUBJECT, (entry(),), (entry(FINISHED),))
    journal.replace(SUBJECT, (entry(FINISHED),), (entry(FAILED),))
    transaction = ["pragma", "pragma", "begin", "select", "delete", "insert", "commit"]
    asked_for_its_name = [*transaction[:4], "select", "select", *transaction[4:]]
    assert [statement.split()[0].lower() for statement in statements] == [*asked_for_its_name, *transaction]


def test_a_file_stays_open_also_while_a_task_waits(path):
    journal = kept_journal(str(path))
    journal.replace(SUBJECT, (), (entry(),))
    journal.let_go()
    assert journal._connection is not None


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_file_that_is_removed_while_it_is_open_is_not_written_to(path, is_replaced):
    journal = SqliteJournal(path)
    journal.replace(SUBJECT, (), (entry(),))
    for file in path.parent.iterdir():
        file.unlink()
    if is_replaced:
        SqliteJournal(path).replace(SUBJECT, (), (entry(FINISHED),))
    assert journal.read(SUBJECT) == ((entry(FINISHED),) if is_replaced else ())
    assert journal.replace(SUBJECT, journal.read(SUBJECT), (entry(FAILED),))
    assert SqliteJournal(path).read(SUBJECT) == (entry(FAILED),)


@pytest.mark.parametrize(("durable", "level"), [(True, 2), (False, 1)])
def test_only_what_must_outlive_a_power_loss_waits_for_the_disk(path, durable, level):
    journal = SqliteJournal(path)
    journal.replace(SUBJECT, (), (entry(),), durable=durable)
    assert journal._connection.execute("pragma synchronous").fetchone() == (level,)


def test_the_table_of_another_program_is_left_alone(path):
    path.parent.mkdir()
    with sqlite3.connect(path) as other:
        other.execute("create table journal (a)")
    other.close()
    assert SqliteJournal(path).read(SUBJECT) == ()
    assert SqliteJournal(path).replace(SUBJECT, (), (entry(),))


def test_a_journal_that_a_newer_version_is_just_making_stays_as_it_is(path, monkeypatch):
    journal = SqliteJournal(path)
    monkeypatch.setattr(journal, "_has_table", lambda _connection: False)
    with monkeypatch.context() as newer:
        newer.setattr(schema, "VERSION", 7)
        SqliteJournal(path).replace(SUBJECT, (), (entry(),))
    with pytest.raises(JournalError, match="newer version"):
        journal.replace(SUBJECT, (), (entry(),))
    with pytest.raises(JournalError, match="newer version"):
        SqliteJournal(path).read(SUBJECT)


def test_writes_wait_for_the_disk_beside_readers(path):
    journal = SqliteJournal(path)
    journal.replace(SUBJECT, (), (entry(),))
    asked = [journal._connection.execute(f"pragma {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    assert asked == ["wal", 2]


def test_a_full_disk_is_no_reason_to_go_on_with_another_journal(path):
    journal = SqliteJournal(path)
    journal.replace(SUBJECT, (), (entry(),))
    journal._connection.execute("pragma max_page_count = 1")  # as many as there are
    with pytest.raises(JournalError, match="is full. Free space on its disk, then run again.") as raised:
        journal.replace(SUBJECT, journal.read(SUBJECT), tuple(entry(key=str(number)) for number in range(1000)))
    assert "Set journal" not in str(raised.value)


def test_a_journal_that_may_only_be_read_says_what_to_do_when_written():
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "journal.db")
        SqliteJournal(path).replace(SUBJECT, (), (entry(),))
        path.chmod(0o444)
        Path(directory).chmod(0o755 if os.geteuid() == 0 else 0o555)
        output, errors = python(READER_WITHOUT_PRIVILEGES, str(path)).communicate(timeout=60)
        Path(directory).chmod(0o755)
    assert errors == ""
    assert "Set journal" in output


# Jobs whose disk is thrown away


@pytest.fixture
def job(tmp_path, monkeypatch):
    """The folder of a job of AWX, in whose environment the test runs."""
    monkeypatch.setenv("AWX_PRIVATE_DATA_DIR", "/tmp/awx_7_host")
    monkeypatch.setenv("AWX_ISOLATED_DATA_DIR", str(tmp_path / "artifacts" / "7"))
    return tmp_path


def warning_of_new_journal(path):
    journal = SqliteJournal(path)
    assert journal.warning() is None
    assert journal.replace(SUBJECT, (), (entry(),))
    warning = journal.warning()
    assert journal.warning() is None
    journal.close()
    return warning


def test_a_journal_that_was_made_in_a_job_of_awx_warns_once(job):
    path = job / "state" / "journal.db"
    assert str(path) in warning_of_new_journal(path)
    later = SqliteJournal(path)
    assert later.replace(("https://b.example", "x"), (), (entry(),))
    assert later.warning() is None
    later.close()


def test_of_processes_that_make_the_journal_at_once_one_warns(job):
    journals = [SqliteJournal(job / "journal.db") for _unused in range(8)]
    with ThreadPoolExecutor(len(journals)) as pool:
        list(pool.map(lambda one: one._make_file(), journals))
    assert len([one for one in journals if one.warning()]) == 1


def test_reading_alone_warns_of_nothing(job):
    journal = SqliteJournal(job / "journal.db")
    journal.read(SUBJECT)
    assert journal.warning() is None


def test_a_journal_on_a_volume_of_the_job_lasts(job, monkeypatch):
    volume, is_mount = job / "volume", os.path.ismount
    monkeypatch.setattr(os.path, "ismount", lambda folder: Path(folder) == volume or is_mount(folder))
    assert warning_of_new_journal(volume / "journal.db") is None
    assert warning_of_new_journal(job / "journal.db")


@pytest.mark.usefixtures("job")
def test_a_journal_elsewhere_goes_with_the_container_only(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.setattr(os.path, "ismount", lambda one: str(one) == "/")
    assert warning_of_new_journal(folder / "journal.db")
    monkeypatch.setattr(os.path, "ismount", lambda one: Path(one) in (Path("/"), folder))
    assert warning_of_new_journal(folder / "lasting.db") is None


@pytest.mark.parametrize(("results", "warns"), [("/runner/artifacts/7", True), ("/home/me/artifacts/7", False)])
def test_ansible_runner_alone_is_a_container_when_its_folder_is_that_of_containers(results, warns, job, monkeypatch):
    monkeypatch.delenv("AWX_PRIVATE_DATA_DIR")
    monkeypatch.setenv("AWX_ISOLATED_DATA_DIR", results)
    monkeypatch.setattr(os.path, "ismount", lambda one: str(one) == "/")
    assert bool(warning_of_new_journal(job / "journal.db")) is warns


def test_outside_of_jobs_nothing_is_said(tmp_path, monkeypatch):
    for name in ("AWX_PRIVATE_DATA_DIR", "AWX_ISOLATED_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    assert warning_of_new_journal(tmp_path / "journal.db") is None


# PostgreSQL


def test_a_user_who_may_not_make_tables_is_told_what_the_owner_has_to_run(postgres_server):
    database, user = postgres_server.new_database(), postgres_server.new_user()
    postgres_server.execute("revoke create on schema public from public", database)
    journal = open_journal(postgres_server.address(database, user))
    assert journal.read(SUBJECT) == ()
    with pytest.raises(JournalError, match="may not make it.*: GRANT CREATE ON SCHEMA public TO ") as raised:
        journal.replace(SUBJECT, (), (entry(),))
    command = next(part for part in str(raised.value).split(": ") if part.startswith("GRANT")).split(";")[0]
    assert command.endswith(user)
    postgres_server.execute(command, database)
    assert journal.replace(SUBJECT, (), (entry(),))
    journal.close()


def test_a_user_who_may_not_make_tables_uses_the_one_that_is_there(postgres_server):
    database, user = postgres_server.new_database(), postgres_server.new_user()
    postgres_server.execute("revoke create on schema public from public", database)
    owner = open_journal(postgres_server.address(database))
    owner.replace(SUBJECT, (), (entry(),))
    owner.close()
    journal = open_journal(postgres_server.address(database, user))
    with pytest.raises(JournalError, match="permission denied.* GRANT SELECT, INSERT, UPDATE, DELETE ON ") as raised:
        journal.read(SUBJECT)
    command = str(raised.value).split("Its owner runs: ")[1].replace("<user>", user)
    postgres_server.execute(command, database)
    assert journal.read(SUBJECT) == (entry(),)
    assert journal.replace(SUBJECT, (entry(),), (entry(FINISHED),))
    journal.close()


def test_a_table_that_was_made_by_hand_has_the_first_version(postgres_server):
    database = postgres_server.new_database()
    postgres_server.execute(schema.TABLE, database)
    journal = open_journal(postgres_server.address(database))
    assert journal.replace(SUBJECT, (), (entry(),))
    assert journal.read(SUBJECT) == (entry(),)
    journal.close()


def test_a_run_that_waits_for_the_table_to_be_made_finds_it(postgres):
    one, another = open_journal(postgres), open_journal(postgres)
    with ThreadPoolExecutor(1) as pool:
        with one._transaction() as connection:
            postgres_table.make_table(connection)
            waiting = pool.submit(another.replace, SUBJECT, (), (entry(),))
            time.sleep(0.5)
        assert waiting.result(timeout=30)
    one.close()
    another.close()


def test_a_lock_that_is_held_is_an_error_and_no_other_subject_waits_for_it(postgres, monkeypatch):
    one, another = open_journal(postgres), open_journal(postgres)
    one.replace(OTHER_SUBJECTS[0], (), (entry(),))
    assert another.read(SUBJECT) == ()  # the connection is made with all patience
    lock_timeout(monkeypatch, 0.3)
    with one._writing(SUBJECT):
        begin = time.monotonic()
        with pytest.raises(JournalError, match="Another session holds a lock for more than 0.3 s.*pg_stat_activity"):
            another.replace(SUBJECT, (), (entry(),))
        assert 0.2 < time.monotonic() - begin < 5
        assert another.read(SUBJECT) == ()
        lock_timeout(monkeypatch, 30)
        for subject in OTHER_SUBJECTS[1:]:
            assert another.replace(subject, (), (entry(),))
    assert another.replace(SUBJECT, (), (entry(),))
    one.close()
    another.close()


def test_200_writers_share_the_100_connections_of_a_server(postgres):
    together = threading.Barrier(200)

    def write(number):
        journal = open_journal(postgres)
        together.wait(timeout=60)
        try:
            journal.read(SUBJECT)
            time.sleep(0.2)  # holds a connection
            return journal.replace(SUBJECT, (), (entry(wanted=str(number)),))
        finally:
            journal.close()

    with ThreadPoolExecutor(200) as pool:
        won = list(pool.map(write, range(200)))
    assert won.count(True) == 1


def test_a_server_without_a_free_connection_is_not_asked_for_ever(postgres_server, monkeypatch):
    database, user = postgres_server.new_database(), postgres_server.new_user()
    postgres_server.execute(f"alter role {user} connection limit 0")
    monkeypatch.setattr(postgres_journal, "CONNECT_TIMEOUT", 0.5)
    begin = time.monotonic()
    with pytest.raises(JournalError, match="no free connection for 0.5 s: run with fewer forks") as raised:
        open_journal(postgres_server.address(database, user)).read(SUBJECT)
    assert 0.2 < time.monotonic() - begin < 5
    assert PASSWORD not in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "FATAL:  sorry, too many clients already",
        "FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute",
        'FATAL:  too many connections for database "awx"',
        "FATAL:  the database system is starting up",
        "FATAL:  the database system is not yet accepting connections",
        "FATAL:  no more connections allowed (max_client_conn)",
    ],
)
def test_a_server_that_is_busy_or_not_up_yet_is_asked_again(text, postgres, monkeypatch):
    import psycopg

    answers, connect = [text, text], psycopg.connect

    def refusing(*args, **options):
        if answers:
            raise psycopg.OperationalError(answers.pop())
        return connect(*args, **options)

    monkeypatch.setattr(psycopg, "connect", refusing)
    journal = open_journal(postgres)
    assert journal.read(SUBJECT) == ()
    journal.close()


def test_a_server_that_is_not_there_is_asked_once(monkeypatch):
    monkeypatch.setattr(postgres_journal, "CONNECT_TIMEOUT", 3600)
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(JournalError, match="Check the address"):
        open_journal(f"postgresql://journal@127.0.0.1:{port}/postgres").read(SUBJECT)


def test_an_idle_connection_that_was_cut_is_made_anew(postgres):
    journal, other = open_journal(postgres), open_journal(postgres)
    journal.replace(SUBJECT, (), (entry(),))
    number = journal._connection.info.backend_pid
    other.read(SUBJECT)
    other._connection.execute("select pg_terminate_backend(%s, 5000)", (number,))
    assert journal.replace(SUBJECT, (entry(),), (entry(FINISHED),))
    other.close()
    journal.close()


def test_no_transaction_is_left_open(postgres):
    journal, other = open_journal(postgres), open_journal(postgres)
    journal.read(SUBJECT)
    journal.replace(SUBJECT, (), (entry(),))
    journal.replace(SUBJECT, (), ())
    number = journal._connection.info.backend_pid
    other.read(SUBJECT)
    state = other._connection.execute("select state from pg_stat_activity where pid = %s", (number,)).fetchone()[0]
    assert state == "idle"
    journal.close()
    other.close()


def test_the_defaults_of_a_database_do_not_matter(postgres_server):
    database = postgres_server.new_database()
    for setting in ("isolation = 'repeatable read'", "read_only = on"):
        postgres_server.execute(f"alter database {database} set default_transaction_{setting}")
    postgres_server.execute(f"alter database {database} set extra_float_digits = -15")
    one, another = (open_journal(postgres_server.address(database)) for _unused in range(2))
    one.replace(OTHER_SUBJECTS[0], (), (entry(),))
    row = entry(sent_at=1e9 / 3)
    with ThreadPoolExecutor(1) as pool, one._writing(SUBJECT) as execute:
        waiting = pool.submit(another.replace, SUBJECT, (), (entry(FINISHED),))
        time.sleep(0.3)
        execute(sql._INSERT, (*SUBJECT, *sql.astuple(row)))
        execute("commit", ())
        assert not waiting.result(timeout=30)
    assert one.read(SUBJECT) == another.read(SUBJECT) == (row,)
    one.close()
    another.close()


def test_a_wrong_password_is_an_error_that_does_not_show_it(postgres):
    address = postgres.replace(PASSWORD, "not-the-password")
    with pytest.raises(JournalError, match="Cannot use the PostgreSQL journal: .*HOSTING_JOURNAL") as raised:
        open_journal(address).read(SUBJECT)
    assert "not-the-password" not in str(raised.value)


def test_a_postgres_server_that_is_not_there_is_an_error_without_the_password():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"postgres://journal:{PASSWORD}@127.0.0.1:{unused.getsockname()[1]}/postgres"
        with pytest.raises(JournalError, match="Cannot use the PostgreSQL journal") as raised:
            open_journal(address).replace(SUBJECT, (), (entry(),))
    assert PASSWORD not in str(raised.value)
    assert raised.value.__suppress_context__


MALFORMED_ADDRESSES = [
    f"postgresql://journal:{PASSWORD}%zz@127.0.0.1/db",
    f"postgresql://journal:{PASSWORD}@[::1/db",
    f"postgresql://127.0.0.1/db?user=journal&password={PASSWORD}%zz",
]


@pytest.mark.parametrize("address", MALFORMED_ADDRESSES)
def test_a_malformed_address_is_an_error_without_the_password(address):
    with pytest.raises(JournalError) as raised:
        open_journal(address).read(SUBJECT)
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
    assert any(PASSWORD in secret for secret in passwords_of(address))


@pytest.mark.parametrize("location", ["", "/var/lib/journal.db", "~/x:y@z.db", "postgresql://db.example/awx"])
def test_an_address_without_a_password_holds_no_secret(location):
    assert passwords_of(location) == set()


def test_without_psycopg_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    journal = open_journal(f"postgresql://journal:{PASSWORD}@127.0.0.1/awx")
    assert isinstance(journal, PostgresJournal)
    with pytest.raises(
        JournalError, match=r"needs the Python library psycopg .*pip install 'psycopg\[binary\]'"
    ) as raised:
        journal.read(SUBJECT)
    assert PASSWORD not in str(raised.value)


# Which journal, and what an entry knows


def test_an_empty_location_means_that_nothing_is_remembered_beyond_the_task():
    journal = open_journal("")
    assert isinstance(journal, NoJournal)
    assert journal.read(SUBJECT) == ()
    assert journal.replace(SUBJECT, (), (entry(),))
    assert journal.read(SUBJECT) == (entry(),)
    assert open_journal("").read(SUBJECT) == ()
    assert open_journal("").subjects(SUBJECT[0], "") == []
    assert journal.subjects(SUBJECT[0], "env_push/") == [(SUBJECT, entry())]
    assert journal.of_environment(SUBJECT[0], "1") == [(SUBJECT, entry())]
    journal.close()


def test_the_default_location_follows_xdg(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_location() == str(tmp_path / "hosting.management" / "journal.db")
    monkeypatch.setenv("XDG_STATE_HOME", "")
    monkeypatch.setenv("HOME", "/home/someone")
    assert default_location() == "/home/someone/.local/state/hosting.management/journal.db"


def test_without_a_home_directory_the_error_says_what_to_do(monkeypatch):
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 987654321)
    for work in (default_location, lambda: open_journal("~/journal.db")):
        with pytest.raises(JournalError, match="no home directory .* Set HOME, or set journal .*HOSTING_JOURNAL"):
            work()


def test_a_digest_does_not_depend_on_the_order_of_keys_but_on_every_value():
    assert digest_of({"a": [1], "b": None}) == digest_of({"b": None, "a": [1]})
    assert len({digest_of(value) for value in ({"a": 1}, {"a": "1"}, {"a": [1]}, ["a", 1], "a", None, [], {})}) == 8


# Who has sent a request


def own_sender():
    return Entry.sent_now("d", 60).sender


PRINT_SENDER = """
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry
print(Entry.sent_now("d", 60).sender, flush=True)
"""


def sender_of_another_process(code=PRINT_SENDER):
    process = python(code)
    return process, process.stdout.readline().strip()


def dead_sender():
    process, sender = sender_of_another_process()
    process.communicate(timeout=60)
    return sender


def changed_sender(**values):
    """This process's sender with other values."""
    names = ("system", "boot", "namespace", "pid", "start")
    return " ".join((dict(zip(names, own_sender().split(), strict=True)) | values).values())


def host_sender(host=None, node=None, pid=None):
    """A sender as it is where there is no /proc."""
    return f"host {host or socket.gethostname()} {node or senders.uuid.getnode()} {pid or os.getpid()}"


def dead_pid():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        return str(process.pid)


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells when a process began")


@pytest.mark.parametrize(
    ("sender", "may_come"),
    [
        pytest.param(own_sender, True, id="this process"),
        pytest.param(dead_sender, False, id="a process that has ended"),
        pytest.param(lambda: changed_sender(pid=dead_pid()), False, id="no such process", marks=needs_proc),
        pytest.param(lambda: changed_sender(start="1"), False, id="its id was given anew", marks=needs_proc),
        pytest.param(
            lambda: changed_sender(namespace="pid:[1]", pid=dead_pid()), True, id="another container", marks=needs_proc
        ),
        pytest.param(
            lambda: changed_sender(boot="another", pid=dead_pid()), True, id="another machine", marks=needs_proc
        ),
        pytest.param(host_sender, True, id="this process without proc"),
        pytest.param(lambda: host_sender(pid=1), True, id="another process without proc"),
        pytest.param(lambda: host_sender(pid=dead_pid()), False, id="a dead process without proc"),
        pytest.param(lambda: host_sender(host="another", pid=dead_pid()), True, id="another host without proc"),
        pytest.param(lambda: host_sender(node=7, pid=dead_pid()), True, id="another host of the same name"),
        pytest.param(lambda: "", True, id="nobody"),
        pytest.param(lambda: "host:1", True, id="something else"),
    ],
)
def test_an_answer_may_come_while_its_sender_may_be_alive(sender, may_come):
    assert entry(answer_by=time.time() + 60, sender=sender()).answer_may_come() == may_come


def test_a_process_that_was_killed_sends_nothing_even_before_its_parent_has_noticed():
    process, sender = sender_of_another_process(PRINT_SENDER + "import time; time.sleep(60)")
    row = entry(answer_by=time.time() + 60, sender=sender)
    assert row.answer_may_come()
    os.kill(process.pid, 9)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert row.answer_may_come() == (not Path("/proc/self/stat").exists())
    process.communicate(timeout=60)
    assert not row.answer_may_come()


def test_a_fork_is_another_sender():
    sender = own_sender()
    assert own_sender() == sender
    assert in_a_fork(lambda: own_sender() != sender)


@needs_proc
def test_a_sender_is_named_after_its_boot_its_container_and_its_start():
    _system, boot, namespace, pid, start = own_sender().split()
    assert boot == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert namespace == os.readlink("/proc/self/ns/pid")
    assert pid == str(os.getpid())
    assert start == Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]


def test_without_proc_the_sender_is_known_by_its_host(monkeypatch):
    before = own_sender()
    monkeypatch.setattr(senders, "_linux_home", lambda: None)
    assert own_sender() == host_sender()
    assert entry(answer_by=time.time() + 60, sender=own_sender()).answer_may_come()
    assert entry(answer_by=time.time() + 60, sender=before.rpartition(" ")[0] + " 1").answer_may_come()


@needs_proc
def test_a_process_that_proc_hides_may_be_alive(monkeypatch):
    def hidden(_pid):
        raise FileNotFoundError

    alive, dead = own_sender(), changed_sender(pid=dead_pid())
    monkeypatch.setattr(senders, "_process", hidden)
    assert entry(answer_by=time.time() + 60, sender=alive).answer_may_come()
    assert not entry(answer_by=time.time() + 60, sender=dead).answer_may_come()


@pytest.mark.parametrize(("progress", "answer_by"), [(SENT, -1), (IN_PROGRESS, 60), (FINISHED, 60), (UNKNOWN, 60)])
def test_no_answer_comes_after_its_time_or_when_it_has_come(progress, answer_by):
    assert not entry(progress, answer_by=time.time() + answer_by, sender=own_sender()).answer_may_come()


def test_a_claim_ends_when_no_answer_can_come_any_more():
    claim = Entry.sent_now("d", 60)
    assert claim.answer_by == claim.sent_at + 60
    assert abs(time.time() - claim.sent_at) < 10
    assert claim.answer_may_come()
    assert claim.answer_may_come(claim.sent_at + 59.9)
    assert not claim.answer_may_come(claim.sent_at + 60)


def test_an_entry_keeps_its_operation_and_its_times_from_one_progress_to_the_next():
    sent = Entry.sent_now("d", 60, key="k", release="v1", part="{}")
    assert (sent.progress, sent.operation_id, sent.ended_at) == (SENT, None, None)
    assert (sent.key, sent.release, sent.part) == ("k", "v1", "{}")
    accepted = sent.with_progress(IN_PROGRESS, "x")
    assert accepted == replace(sent, progress=IN_PROGRESS, operation_id="x")
    for progress in (FINISHED, FAILED, UNKNOWN):
        ended = accepted.with_progress(progress)
        assert ended == replace(accepted, progress=progress, ended_at=ended.ended_at)
        assert sent.sent_at <= ended.ended_at <= time.time()
    assert ended.with_progress(IN_PROGRESS).ended_at is None
