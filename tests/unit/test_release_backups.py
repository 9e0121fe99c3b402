# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which backup is the one from before a release: the rules, and what manual_backup with ``release`` makes of them."""

from __future__ import annotations

import json
import time

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _operations
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, SqliteJournal
from ansible_collections.hosting.management.plugins.module_utils._progress import (
    FAILED,
    FINISHED,
    IN_PROGRESS,
    SENT,
    UNKNOWN,
)
from ansible_collections.hosting.management.plugins.module_utils._release_backups import (
    ReleaseBackup,
    is_settled,
    may_count,
)
from ansible_collections.hosting.management.plugins.modules import backup_restore, env_push, manual_backup, release_info
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE, STAGING, SITE = seed.environment_id(1), seed.environment_id(1, seed.STAGING), seed.site_id(1)
PUSH = {"site_id": SITE, "source_env_id": STAGING, "target_env_id": LIVE, "release": "v2"}
OTHER = {**PUSH, "release": "v3"}
RESTORE = {"environment_id": LIVE, "backup_id": 1, "notified_user_id": seed.user_id(1), "release": "v2"}
BACKUP = {"environment_id": LIVE, "tag": "before-v2", "release": "v2", "max_age": "1h"}
ENDLESS = 3600
SERVICE = "https://a.example/v2"

# ---- the rules ------------------------------------------------------------------------------------------------------

RECORD = ReleaseBackup("v2", "before-v2", ids_before=(1,), backup_id=7, noted_at=100.0)


def push(sent_at, release="v2", progress=FINISHED):
    entry = Entry("d", progress, sent_at, time.time() + ENDLESS, "h 1", release=release)
    return ((SERVICE, "env_push/1"), entry)


def restore(sent_at, release="v2", progress=FINISHED):
    part = json.dumps({"backup_id": 7, "release": release})
    entry = Entry("d", progress, sent_at, time.time() + ENDLESS, "h 1", release=f"backup 7 for {release}", part=part)
    return ((SERVICE, "env_push/1"), entry)


def backup(sent_at, tag="before-v2", progress=FINISHED):
    entry = Entry("d", progress, sent_at, time.time() + ENDLESS, "h 1", release=tag)
    return ((SERVICE, f"manual_backup/1/{tag}"), entry)


def other(sent_at):
    return ((SERVICE, "php_restart/1"), Entry("d", FINISHED, sent_at, time.time() + ENDLESS, "h 1", release="v3"))


UNSEEN = ReleaseBackup("v2", "before-v2", ids_before=(1,), noted_at=100.0)

COUNTS = {
    "nothing since": (RECORD, [], None, True),
    "young enough": (RECORD, [], 100.0, True),
    "too old": (RECORD, [], 100.1, False),
    "another release before it": (RECORD, [push(99, "v1")], 50.0, True),
    "what overwrites nothing": (RECORD, [other(101)], 50.0, True),
    "its release is there": (RECORD, [push(101)], 50.0, True),
    "its release is there, whenever": (RECORD, [push(101)], None, True),
    "its release is there, and it is too old": (RECORD, [push(101)], 100.1, False),
    "its release is there again after a restore": (RECORD, [push(101), restore(102), push(103)], 50.0, True),
    "its push failed": (RECORD, [push(101, progress=FAILED)], 50.0, True),
    "its push failed, however old": (RECORD, [push(101, progress=FAILED)], 1000.0, True),
    "its push goes on": (RECORD, [push(101, progress=IN_PROGRESS)], 50.0, True),
    "its push is being sent": (RECORD, [push(101, progress=SENT)], 50.0, True),
    "its push goes on, and it is too old": (RECORD, [push(101, progress=IN_PROGRESS)], 1000.0, False),
    "its push may be there": (RECORD, [push(101, progress=UNKNOWN)], 1000.0, True),
    "a part was pushed, another failed": (RECORD, [push(101), push(102, progress=FAILED)], 50.0, True),
    "a part failed, another was pushed": (RECORD, [push(101, progress=FAILED), push(102)], 50.0, True),
    "another release was pushed": (RECORD, [push(101, "v3")], 50.0, False),
    "another release failed": (RECORD, [push(101, "v3", FAILED)], 50.0, False),
    "another release, then its push failed": (RECORD, [push(101, "v3"), push(102, progress=FAILED)], 50.0, False),
    "it was restored": (RECORD, [restore(101)], 50.0, False),
    "it is being restored": (RECORD, [restore(101, progress=IN_PROGRESS)], 1000.0, False),
    "something was restored for another": (RECORD, [restore(101, "v3", UNKNOWN)], 50.0, False),
    "not seen, its release is there": (UNSEEN, [backup(101), push(102)], None, False),
    "not seen, nothing since": (UNSEEN, [], None, True),
    "not seen, begun before its failed push": (UNSEEN, [backup(101), push(102, progress=FAILED)], None, True),
    "never begun, its push failed": (UNSEEN, [push(102, progress=FAILED)], None, False),
    "begun before the record": (UNSEEN, [backup(99), push(102, progress=FAILED)], None, False),
    "begun after the push": (UNSEEN, [push(102, progress=FAILED), backup(103)], None, False),
    "failed before the push": (UNSEEN, [backup(101, progress=FAILED), push(102, progress=FAILED)], None, False),
    "begun with another tag": (UNSEEN, [backup(101, "x"), push(102, progress=FAILED)], None, False),
}


@pytest.mark.parametrize(("record", "remembered", "oldest", "counts"), COUNTS.values(), ids=COUNTS)
def test_which_backup_counts(record, remembered, oldest, counts):
    assert may_count(record, remembered, oldest) is counts


PROBLEMS = {
    "its release was pushed": (RECORD, [push(101)], None),
    "nothing since": (RECORD, [], None),
    "another before": (RECORD, [push(99, "v1")], None),
    "its push failed": (RECORD, [push(101, progress=FAILED)], None),
    "its push before": (RECORD, [push(99)], "it was begun when the release was there already"),
    "its push before, undone": (RECORD, [push(98), restore(99)], None),
    "its push before, another since": (RECORD, [push(98), push(99, "v1")], None),
    "its push before, and again": (RECORD, [push(99), push(101)], None),
    "not shown": (UNSEEN, [push(101)], "its id is not known, because the service did not show it when it was taken"),
    "not settled": (
        ReleaseBackup("v2", "before-v2", backup_id=7, is_settled=False, noted_at=100.0),
        [push(101)],
        "it was begun while something overwrote the environment",
    ),
    "another in between": (
        RECORD,
        [push(101, "v1"), push(102)],
        "the environment was overwritten between that backup and the push",
    ),
    "a restore in between": (
        RECORD,
        [restore(101, "v1"), push(102)],
        "the environment was overwritten between that backup and the push",
    ),
}


@pytest.mark.parametrize(("record", "remembered", "problem"), PROBLEMS.values(), ids=PROBLEMS)
def test_why_a_backup_cannot_undo_its_release(record, remembered, problem):
    assert record.problem(remembered) == problem


@pytest.mark.parametrize("row", [push, restore], ids=["push", "restore"])
@pytest.mark.parametrize(
    ("progress", "settled"),
    [(SENT, False), (IN_PROGRESS, False), (UNKNOWN, False), (FINISHED, True), (FAILED, True)],
)
def test_an_environment_is_settled_when_nothing_overwrites_it(row, progress, settled):
    assert is_settled([push(1), row(2, progress=progress)]) is settled


def test_what_overwrites_nothing_leaves_it_settled():
    assert is_settled([backup(1, progress=IN_PROGRESS), other(2)])


def test_the_first_new_backup_with_the_tag_is_the_one_that_was_begun():
    def shown(number, note, created_at):
        return {"id": number, "note": note, "created_at": created_at}

    backups = [shown(1, "before-v2", 1), shown(4, "before-v2", 9), shown(3, "before-v2", 5), shown(2, "x", 4)]
    assert UNSEEN.found_in(backups)["id"] == 3
    assert UNSEEN.found_in(backups[:1]) is None
    assert ReleaseBackup("v2", "before-v2", backup_id=4).found_in(backups)["id"] == 4
    assert RECORD.found_in(backups) is None


# ---- the module -----------------------------------------------------------------------------------------------------


@pytest.fixture
def live(simulator):
    return simulator.state.environment(LIVE)


@pytest.fixture
def taken(live):
    """A function that returns the ids of the backups with the release's tag."""
    return lambda: [one.id for one in live.backups if one.note == "before-v2"]


def changed(result):
    assert "failed" not in result, result["msg"]
    return result["changed"]


def failed(result, kind):
    assert result.get("failed"), result
    assert result["error"]["kind"] == kind, result
    return result["msg"]


def on_record(controller):
    return controller.run(release_info, environment_id=LIVE)["backup"]


def test_a_backup_is_taken_once_before_a_release_and_the_record_names_it(controller, taken, simulator):
    result = controller.run(manual_backup, **BACKUP)
    assert (changed(result), [result["backup"]["id"]]) == (True, taken())
    again = controller.run(manual_backup, **BACKUP)
    assert (changed(again), again["backup"], again["state_source"]) == (False, result["backup"], "service")
    assert len(simulator.writes) == 1
    changed(controller.run(env_push, **PUSH))
    assert on_record(controller) == {"id": taken()[0], "tag": "before-v2", "problem": None}


def test_after_the_push_and_after_a_failed_one_the_one_from_before_it_counts(controller, taken, simulator):
    changed(controller.run(manual_backup, **BACKUP))
    simulator.fault("fail_operation", "PUT")
    failed(controller.run(env_push, wait_timeout=30, **PUSH), "operation_failed")
    assert not changed(controller.run(manual_backup, **{**BACKUP, "max_age": "1s"}))
    changed(controller.run(env_push, **PUSH))
    assert not changed(controller.run(manual_backup, **BACKUP)), "another run that comes a moment too late"
    assert len(taken()) == 1
    assert on_record(controller) == {"id": taken()[0], "tag": "before-v2", "problem": None}


def test_a_push_that_is_forced_has_a_backup_of_its_own(controller, taken, simulator):
    changed(controller.run(manual_backup, **BACKUP))
    changed(controller.run(env_push, **PUSH))
    age_the_journal(controller, simulator, seconds=2)
    assert changed(controller.run(manual_backup, **{**BACKUP, "max_age": "1"}))
    assert on_record(controller) == {
        "id": taken()[1],
        "tag": "before-v2",
        "problem": "it was begun when the release was there already",
    }
    changed(controller.run(env_push, force=True, **PUSH))
    assert on_record(controller) == {"id": taken()[1], "tag": "before-v2", "problem": None}


def test_a_push_that_requires_its_backup_is_not_sent_once_another_run_has_pushed(controller, taken, simulator):
    changed(controller.run(manual_backup, **BACKUP))
    changed(controller.run(env_push, **OTHER))
    sent = len(simulator.writes)
    message = failed(controller.run(env_push, requires_backup=True, **PUSH), "check_failed")
    assert "overwritten after the backup before-v2 had been begun" in message
    assert "nothing was sent" in message
    assert len(simulator.writes) == sent
    changed(controller.run(manual_backup, **BACKUP))
    assert changed(controller.run(env_push, requires_backup=True, **PUSH))
    assert not changed(controller.run(env_push, requires_backup=True, **PUSH)), "its release is there"
    assert on_record(controller) == {"id": taken()[1], "tag": "before-v2", "problem": None}


def test_a_push_brings_the_backup_before_it_to_its_end_and_has_it_on_record(controller, taken, simulator):
    simulator.settings.operation_seconds = 1
    started = controller.run(manual_backup, wait_until="accepted", **BACKUP)
    result = controller.run(env_push, requires_backup=True, backup={"started": started}, wait_until="accepted", **PUSH)
    assert changed(result)
    assert result["backup"]["id"] == taken()[-1]
    assert on_record(controller) == {"id": taken()[-1], "tag": "before-v2", "problem": None}
    simulator.clear_requests()
    again = controller.run(env_push, started=result, **PUSH)
    assert again["backup"] == result["backup"]
    assert simulator.writes == []


def test_a_push_is_not_sent_when_the_backup_before_it_fails(controller, simulator, monkeypatch):
    monkeypatch.setattr(_operations, "FAILED_AFTER", 0.1)
    monkeypatch.setattr(_operations, "FAILING_INTERVAL", 0.02)
    simulator.fault("fail_operation", "POST")
    started = controller.run(manual_backup, wait_until="accepted", **BACKUP)
    result = controller.run(env_push, requires_backup=True, backup={"started": started}, wait_timeout=30, **PUSH)
    failed(result, "operation_failed")
    assert result["failed_step"] == "backup"
    assert [one.method for one in simulator.writes] == ["POST"]


def test_a_push_of_no_release_has_no_backup_before_it(controller):
    result = controller.run(env_push, backup={"started": {}}, **{**PUSH, "release": None})
    assert "backup needs a release" in failed(result, "invalid_input")


def test_a_push_that_waited_for_another_one_is_not_sent_without_a_backup_of_that(controller, simulator):
    changed(controller.run(manual_backup, **BACKUP))
    simulator.settings.operation_seconds = 1
    changed(controller.run(env_push, wait=False, **OTHER))
    failed(controller.run(env_push, requires_backup=True, wait_timeout=20, **PUSH), "check_failed")
    assert len(simulator.writes) == 2, "the backup and the other push"


def test_a_push_that_requires_its_backup_needs_one_on_record(controller, simulator):
    message = failed(controller.run(env_push, requires_backup=True, **PUSH), "check_failed")
    assert f"no backup of environment {LIVE} for v2" in message
    assert simulator.writes == []
    assert changed(controller.run(env_push, requires_backup=True, check_mode=True, **PUSH)), "it would be taken first"
    assert changed(controller.run(env_push, requires_backup=True, force=True, **PUSH))


@pytest.mark.parametrize(("kind", "options"), [("status", {"status": 400}), ("fail_operation", {})])
def test_a_push_that_requires_its_backup_needs_one_that_was_taken(kind, options, controller, simulator, monkeypatch):
    monkeypatch.setattr(_operations, "FAILED_AFTER", 0.1)
    monkeypatch.setattr(_operations, "FAILING_INTERVAL", 0.02)
    simulator.fault(kind, "POST", **options)
    assert controller.run(manual_backup, wait_timeout=30, **BACKUP)["failed"]
    message = failed(controller.run(env_push, requires_backup=True, **PUSH), "check_failed")
    assert f"The backup {BACKUP['tag']} of environment {LIVE} was not taken. v2 was not pushed" in message
    assert [one.method for one in simulator.writes] == ["POST"]
    changed(controller.run(manual_backup, **BACKUP))
    assert changed(controller.run(env_push, requires_backup=True, **PUSH))


def test_a_push_after_one_that_failed_has_the_backup_from_before_both(controller, simulator):
    changed(controller.run(manual_backup, **BACKUP))
    simulator.fault("fail_operation", "PUT")
    failed(controller.run(env_push, wait_timeout=30, requires_backup=True, **PUSH), "operation_failed")
    assert changed(controller.run(env_push, requires_backup=True, **PUSH))


def test_only_a_release_can_require_its_backup(controller):
    unnamed = {name: value for name, value in PUSH.items() if name != "release"}
    assert "needs a release" in failed(controller.run(env_push, requires_backup=True, **unnamed), "invalid_input")


def age_the_journal(controller, simulator, seconds):
    """Make all that the journal knows of the environment so much older."""
    journal = SqliteJournal(controller.journal_path)
    for subject, one in journal.of_environment(simulator.base_url, LIVE):
        moved = Entry(**{**vars(one), "sent_at": one.sent_at - seconds, "ended_at": one.ended_at - seconds})
        assert journal.replace(subject, (one,), (moved,))
    journal.close()


def test_after_another_push_or_restore_a_new_one_is_taken(controller, taken):
    changed(controller.run(manual_backup, **BACKUP))
    changed(controller.run(env_push, **OTHER))
    assert changed(controller.run(manual_backup, **BACKUP))
    changed(controller.run(backup_restore, **RESTORE))
    assert changed(controller.run(manual_backup, **BACKUP))
    assert len(taken()) == 3
    changed(controller.run(env_push, **PUSH))
    assert on_record(controller) == {"id": taken()[2], "tag": "before-v2", "problem": None}


def test_what_came_in_between_is_named(controller, taken):
    changed(controller.run(manual_backup, **BACKUP))
    changed(controller.run(env_push, **OTHER))
    controller.run(env_push, **PUSH)
    # The push of v3 is forgotten with that of v2, so what the record says rests on the time of the latter alone.
    changed(controller.run(env_push, **OTHER))
    changed(controller.run(manual_backup, **BACKUP))
    assert len(taken()) == 2


def test_a_backup_that_takes_longer_than_its_greatest_age_is_taken_once(controller, taken, simulator):
    simulator.settings.operation_seconds = 1.3
    assert changed(controller.run(manual_backup, **{**BACKUP, "max_age": "1s", "wait_timeout": 20}))
    assert len(taken()) == len(simulator.writes) == 1


def test_one_that_is_too_old_is_taken_anew(controller, taken):
    changed(controller.run(manual_backup, **{**BACKUP, "max_age": "1s"}))
    time.sleep(1.1)
    assert not changed(controller.run(manual_backup, **BACKUP))
    assert changed(controller.run(manual_backup, **{**BACKUP, "max_age": "1s"}))
    assert len(taken()) == 2


def test_during_a_restore_it_waits_and_holds_what_the_restore_has_brought(controller, live, taken, simulator):
    before = live.content
    changed(controller.run(env_push, **OTHER))
    simulator.settings.operation_seconds = 0.6
    changed(controller.run(backup_restore, wait=False, **{**RESTORE, "release": "v3"}))
    assert changed(controller.run(manual_backup, wait_timeout=20, **BACKUP))
    assert [one.content for one in live.backups if one.note == "before-v2"] == [before]
    assert len(taken()) == 1
    simulator.settings.operation_seconds = 0
    changed(controller.run(env_push, **PUSH))
    assert on_record(controller)["problem"] is None


def test_one_that_was_forced_while_something_overwrote_the_environment_is_never_used(controller, taken, simulator):
    simulator.settings.operation_seconds = ENDLESS
    changed(controller.run(env_push, wait=False, **OTHER))
    simulator.settings.operation_seconds = 0
    assert changed(controller.run(manual_backup, force=True, **BACKUP))
    changed(controller.run(env_push, force=True, **PUSH))
    known = on_record(controller)
    assert known == {
        "id": taken()[0],
        "tag": "before-v2",
        "problem": "it was begun while something overwrote the environment",
    }


def test_with_force_a_new_one_is_taken_and_on_record(controller, taken):
    changed(controller.run(manual_backup, **BACKUP))
    result = controller.run(manual_backup, force=True, **BACKUP)
    assert (changed(result), len(taken()), result["backup"]["id"]) == (True, 2, taken()[1])
    assert not changed(controller.run(manual_backup, **BACKUP))
    changed(controller.run(env_push, **PUSH))
    assert on_record(controller)["id"] == taken()[1]


def test_a_run_that_is_killed_before_it_knows_its_backup_has_it_on_record(controller, taken, simulator):
    simulator.settings.operation_seconds = 0.6
    assert changed(controller.run(manual_backup, wait=False, **BACKUP))
    result = controller.run(manual_backup, wait_timeout=20, **BACKUP)
    assert (changed(result), result["operation"]["resumed"], len(simulator.writes)) == (False, True, 1)
    simulator.settings.operation_seconds = 0
    changed(controller.run(env_push, **PUSH))
    assert on_record(controller) == {"id": taken()[0], "tag": "before-v2", "problem": None}


@pytest.mark.parametrize("arrives", [True, False])
def test_an_answer_that_was_lost_costs_no_second_backup(arrives, controller, taken, simulator):
    simulator.fault("drop_after" if arrives else "drop_before", "POST")
    failed(controller.run(manual_backup, **BACKUP), "outcome_unknown")
    result = controller.run(manual_backup, wait_timeout=0.1, **BACKUP)
    if arrives:
        assert (changed(result), [result["backup"]["id"]]) == (False, taken())
    else:
        failed(result, "outcome_unknown")
    assert len(simulator.writes) == 1


def test_a_lost_answer_stands_in_the_way_of_no_later_backup_once_the_service_shows_its_effect(controller, taken):
    controller.simulator.fault("drop_after", "POST")
    failed(controller.run(manual_backup, **BACKUP), "outcome_unknown")
    changed(controller.run(env_push, **OTHER))
    result = controller.run(manual_backup, **BACKUP)
    assert (changed(result), result["backup"]["id"], len(taken())) == (True, taken()[1], 2)
    changed(controller.run(env_push, **PUSH))
    assert on_record(controller) == {"id": taken()[1], "tag": "before-v2", "problem": None}


def test_a_killed_run_of_which_only_the_row_is_left(controller, taken, simulator):
    """Killed between the request and its answer: the row says that it was sent, and the record has no id yet."""
    changed(controller.run(manual_backup, **BACKUP))
    journal = SqliteJournal(controller.journal_path)
    subject = (simulator.base_url, f"manual_backup/{LIVE}/before-v2")
    (done,) = journal.read(subject)
    left = Entry(**{**vars(done), "progress": SENT, "answer_by": time.time() - 1, "ended_at": None})
    assert journal.replace(subject, (done,), (left,))
    noted = (simulator.base_url, f"release_backup/{LIVE}")
    (row,) = journal.read(noted)
    part = json.dumps({**row.note, "backup_id": None})
    assert journal.replace(noted, (row,), (Entry(**{**vars(row), "part": part}),))
    journal.close()
    assert not changed(controller.run(manual_backup, **BACKUP))
    changed(controller.run(env_push, **PUSH))
    assert on_record(controller)["id"] == taken()[0]
    assert len([write for write in simulator.writes if write.method == "POST"]) == 1


@pytest.mark.parametrize("companions", [True, False])
def test_where_no_backups_are_shown_the_journal_keeps_them_apart(companions, controller, simulator, monkeypatch):
    monkeypatch.setattr(_operations, "VISIBLE_AFTER", 0.2)
    simulator.settings.interface_only = True
    controller.options["companions"] = companions
    assert changed(controller.run(manual_backup, wait_timeout=20, **BACKUP))
    again = controller.run(manual_backup, wait_timeout=20, **BACKUP)
    assert (changed(again), again["backup"], again["state_source"]) == (False, {"tag": "before-v2"}, "journal")
    changed(controller.run(env_push, wait_timeout=20, **PUSH))
    problem = "its id is not known, because the service did not show it when it was taken"
    assert on_record(controller) == {"id": None, "tag": "before-v2", "problem": problem}
    assert changed(controller.run(manual_backup, wait_timeout=20, **BACKUP))


def test_check_mode_predicts_and_leaves_no_trace(controller, simulator):
    predicted = controller.run(manual_backup, check_mode=True, **BACKUP)
    assert (changed(predicted), predicted["backup"]) == (True, {"tag": "before-v2"})
    assert not controller.journal_path.exists()
    changed(controller.run(manual_backup, **BACKUP))
    journal = SqliteJournal(controller.journal_path)
    rows = journal.of_environment(simulator.base_url, LIVE)
    assert not changed(controller.run(manual_backup, check_mode=True, **BACKUP))
    assert changed(controller.run(manual_backup, check_mode=True, **{**BACKUP, "release": "v9"}))
    assert changed(controller.run(manual_backup, check_mode=True, force=True, **BACKUP))
    assert journal.of_environment(simulator.base_url, LIVE) == rows
    journal.close()
    assert len(simulator.writes) == 1


@pytest.mark.parametrize("clock_ahead", [-86400, -600, 600, 86400])
def test_no_clock_of_the_service_has_a_part_in_it(clock_ahead, controller, taken, simulator):
    simulator.settings.clock_ahead = clock_ahead
    assert changed(controller.run(manual_backup, **BACKUP))
    assert not changed(controller.run(manual_backup, **BACKUP))
    changed(controller.run(env_push, **PUSH))
    assert on_record(controller) == {"id": taken()[0], "tag": "before-v2", "problem": None}
    assert not changed(controller.run(manual_backup, **BACKUP))
    assert changed(controller.run(manual_backup, **{**BACKUP, "tag": "before-v3", "release": "v3"}))


@pytest.mark.parametrize("off", [-86400, 86400])
def test_the_record_holds_when_a_run_with_another_clock_has_left_it(off, controller, taken, simulator):
    """Another controller's clock is a day off: what came after what still holds."""
    changed(controller.run(manual_backup, **{**BACKUP, "tag": "before-v3", "release": "v3"}))
    changed(controller.run(env_push, **OTHER))
    age_the_journal(controller, simulator, -off)
    assert changed(controller.run(manual_backup, **BACKUP)), "a return is backed up, too"
    assert not changed(controller.run(manual_backup, **BACKUP))
    changed(controller.run(env_push, **PUSH))
    info = controller.run(release_info, environment_id=LIVE)
    assert (info["release"], info["backup"]) == ("v2", {"id": taken()[0], "tag": "before-v2", "problem": None})


def test_a_backup_with_the_same_tag_that_the_journal_does_not_know_does_not_count(controller, live, taken, simulator):
    simulator.state.add_backup(live, "manual", "before-v2")
    assert changed(controller.run(manual_backup, check_mode=True, **BACKUP))
    assert changed(controller.run(manual_backup, **BACKUP))
    assert len(taken()) == 2
    assert len(controller.warnings) == 2
    for warning in controller.warnings:
        assert warning.startswith(f"The service has a backup before-v2 of environment {LIVE}, and the journal knows")
    changed(controller.run(env_push, **PUSH))
    assert on_record(controller)["id"] == taken()[1]


def test_one_that_was_removed_at_the_service_is_taken_anew(controller, live, taken):
    changed(controller.run(manual_backup, **BACKUP))
    (first,) = taken()
    live.backups[:] = [one for one in live.backups if one.id != first]
    result = controller.run(manual_backup, **BACKUP)
    assert (changed(result), [result["backup"]["id"]]) == (True, taken())


def test_a_tag_may_serve_many_releases(controller, taken):
    changed(controller.run(manual_backup, **BACKUP))
    changed(controller.run(env_push, **PUSH))
    assert changed(controller.run(manual_backup, **{**BACKUP, "release": "v3"}))
    changed(controller.run(env_push, **OTHER))
    assert (len(taken()), on_record(controller)["id"]) == (2, taken()[1])


def test_a_push_that_begins_as_soon_as_the_backup_has_ended_is_no_failure(controller, taken, simulator, monkeypatch):
    """What another run does between the end of the backup and the next look does not make it another backup."""
    simulator.settings.operation_seconds = 0.3
    follow = controller.context(manual_backup, **BACKUP).__class__.follow

    def follow_and_be_overtaken(context, operations, *arguments):
        follow(context, operations, *arguments)
        if not simulator.state.environment(LIVE).pushes and taken():
            monkeypatch.undo()
            simulator.settings.operation_seconds = 0
            changed(controller.run(env_push, **OTHER))

    monkeypatch.setattr(
        "ansible_collections.hosting.management.plugins.module_utils._context.Context.follow", follow_and_be_overtaken
    )
    result = controller.run(manual_backup, wait_timeout=20, **BACKUP)
    assert (changed(result), [result["backup"]["id"]]) == (True, taken())
    changed(controller.run(manual_backup, **BACKUP))
    assert len(taken()) == 2


def test_without_release_a_backups_age_is_told_by_the_services_clock(controller, simulator):
    options = {"environment_id": LIVE, "tag": "nightly", "max_age": "5m"}
    simulator.settings.clock_ahead = -600
    assert changed(controller.run(manual_backup, **options))
    assert not changed(controller.run(manual_backup, **options))


@pytest.mark.parametrize(
    ("clock_ahead", "words"), [(600, "10 minutes behind"), (-600, "10 minutes ahead of"), (60, None), (-60, None)]
)
def test_whose_clock_is_minutes_off_is_told_so(clock_ahead, words, controller, simulator):
    simulator.settings.clock_ahead = clock_ahead
    changed(controller.run(manual_backup, **BACKUP))
    warning = f"This machine's clock is {words} the hosting service's. Set it right: ages, such as those of backups,"
    assert [one.startswith(warning) for one in controller.warnings] == ([True] if words else [])
