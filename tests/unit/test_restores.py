# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restoring backups beside pushes: what each makes of the other, also when runs are killed and answers are lost."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from ansible_collections.hosting.management.plugins.module_utils._convergence import giving_way
from ansible_collections.hosting.management.plugins.module_utils._decision import HORIZON
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, SqliteJournal
from ansible_collections.hosting.management.plugins.module_utils._progress import (
    FINISHED,
    IN_PROGRESS,
    NOT_DONE,
    SENT,
    UNKNOWN,
)
from ansible_collections.hosting.management.plugins.modules import (
    backup_restore,
    env_push,
    manual_backup,
    push_outcome,
    release_info,
    settle,
)
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE, STAGING, SITE = seed.environment_id(1), seed.environment_id(1, seed.STAGING), seed.site_id(1)
BACKUP = 1  # the one that the live environment has from the start
PUSH = {"site_id": SITE, "source_env_id": STAGING, "target_env_id": LIVE, "release": "v1"}
RESTORE = {"environment_id": LIVE, "backup_id": BACKUP, "notified_user_id": seed.user_id(1), "release": "v1"}
RESTORE_TAG = {name: value for name, value in RESTORE.items() if name != "backup_id"}
INFO = {"environment_id": LIVE}
ENDLESS = 3600


@pytest.fixture
def live(simulator):
    return simulator.state.environment(LIVE)


@pytest.fixture
def rows(controller):
    """A function that returns what the journal knows of the live environment, and puts other rows in its place."""
    subject = (controller.simulator.base_url, f"env_push/{LIVE}")

    def rows(*now):
        journal = SqliteJournal(controller.journal_path)
        before = journal.read(subject)
        if now:
            assert journal.replace(subject, before, now)
        journal.close()
        return before

    return rows


def changed(result):
    assert "failed" not in result, result["msg"]
    return result["changed"]


def failed(result, kind):
    assert result.get("failed"), result
    assert result["error"]["kind"] == kind, result
    return result["msg"]


def from_a_dead_run(entry):
    """The row as a run would have left it that was killed before the answer."""
    return Entry(**{**vars(entry), "progress": SENT, "answer_by": time.time() - 1, "ended_at": None})


def test_a_restore_brings_back_what_was_there_and_the_same_release_is_pushed_again(controller, simulator, live):
    before = live.content
    changed(controller.run(manual_backup, environment_id=LIVE, tag="before-v1"))
    restore = {**RESTORE_TAG, "tag": "before-v1"}
    for _round in range(2):
        assert changed(controller.run(env_push, **PUSH))
        assert not changed(controller.run(env_push, **PUSH))
        assert live.content == simulator.state.environment(STAGING).content != before
        result = controller.run(backup_restore, **restore)
        assert changed(result)
        assert (result["backup"]["tag"], result["backup"]["id"]) == ("before-v1", live.backups[-1].id)
        assert not changed(controller.run(backup_restore, **restore))
        assert live.content == before
    assert (len(live.pushes), len(live.restores)) == (2, 2)


def test_the_release_that_is_known_is_that_of_the_last_write(controller, rows):
    changed(controller.run(env_push, **PUSH))
    assert controller.run(release_info, **INFO)["restored_backup"] is None
    changed(controller.run(backup_restore, **RESTORE))
    info = controller.run(release_info, **INFO)
    assert (info["release"], info["state"], info["sent_at"], info["parts"]) == (None, None, None, [])
    restored = info["restored_backup"]
    assert (restored["backup_id"], restored["release"], restored["state"]) == (BACKUP, "v1", "finished")
    assert restored["operation_id"].startswith("backups:restore-")
    assert len(rows()) == 1
    changed(controller.run(env_push, **PUSH))
    info = controller.run(release_info, **INFO)
    assert (info["release"], info["restored_backup"], len(info["parts"])) == ("v1", None, 1)
    assert len(rows()) == 1


def test_another_backup_for_the_same_release_takes_the_place_of_the_first(controller, simulator, live):
    other = simulator.state.add_backup(live, "manual", "x").id
    backups = [BACKUP, BACKUP, other, other, BACKUP]
    results = [changed(controller.run(backup_restore, **{**RESTORE, "backup_id": backup})) for backup in backups]
    assert results == [True, False, True, False, True]
    assert live.restores == [BACKUP, other, BACKUP]


def test_of_several_backups_with_a_tag_the_newest_is_restored(controller, simulator, live):
    for tag in ("x", "x", "y"):
        simulator.state.add_backup(live, "manual", tag)
    newest = live.backups[-2].id
    live.backups.reverse()
    result = controller.run(backup_restore, **{**RESTORE_TAG, "tag": "x"})
    assert (changed(result), result["backup"]["id"], live.restores) == (True, newest, [newest])


def test_without_a_backup_of_that_tag_nothing_is_restored(controller, simulator):
    message = failed(controller.run(backup_restore, **{**RESTORE_TAG, "tag": "z"}), "invalid_input")
    assert "has no backup with the tag z" in message
    assert simulator.writes == []


def test_without_a_release_a_backup_is_restored_at_each_run(controller, live):
    changed(controller.run(env_push, **PUSH))
    assert [changed(controller.run(backup_restore, **{**RESTORE, "release": None})) for _run in range(2)] == [True] * 2
    assert changed(controller.run(env_push, **PUSH))
    assert (len(live.pushes), len(live.restores)) == (2, 2)


def test_a_push_without_a_release_lets_the_backup_be_restored_again(controller, live):
    changed(controller.run(backup_restore, **RESTORE))
    changed(controller.run(env_push, **{**PUSH, "release": None}))
    assert changed(controller.run(backup_restore, **RESTORE))
    assert live.restores == [BACKUP, BACKUP]


def test_check_mode_leaves_the_release_known(controller, simulator):
    changed(controller.run(env_push, **PUSH))
    assert changed(controller.run(backup_restore, check_mode=True, **RESTORE))
    assert not changed(controller.run(env_push, **PUSH))
    assert len(simulator.writes) == 1


@pytest.mark.parametrize("patience", [{"wait": False}, {"wait_timeout": 0.1}])
def test_beside_a_push_that_goes_on_nothing_is_restored(patience, controller, simulator, live, rows):
    simulator.settings.operation_seconds = ENDLESS
    started = controller.run(env_push, wait=False, **PUSH)
    assert changed(controller.run(backup_restore, check_mode=True, **RESTORE)), "check mode waits for nothing"
    result = controller.run(backup_restore, **patience, **RESTORE)
    message = failed(result, "operation_timeout")
    assert "The push of v1 goes on" in message
    assert "Nothing was sent" in message
    assert result["error"]["operation_id"] == started["operation"]["id"]
    assert [row.progress for row in rows()] == [IN_PROGRESS]
    for operation in simulator.state.operations.by_id.values():
        operation.ends_at = 0
    simulator.settings.operation_seconds = 0
    assert changed(controller.run(backup_restore, **RESTORE))
    assert (len(live.pushes), len(live.restores)) == (1, 1)


def test_beside_another_restore_that_goes_on_nothing_is_restored(controller, simulator, live):
    other = simulator.state.add_backup(live, "manual", "x").id
    simulator.settings.operation_seconds = ENDLESS
    changed(controller.run(backup_restore, wait=False, **RESTORE))
    options = {**RESTORE, "backup_id": other, "wait_timeout": 0.1}
    message = failed(controller.run(backup_restore, **options), "operation_timeout")
    assert f"The restore of backup {BACKUP} goes on" in message
    assert len(simulator.writes) == 1


def test_the_same_restore_is_waited_for(controller, simulator):
    simulator.settings.operation_seconds = 0.3
    started = controller.run(backup_restore, wait=False, **RESTORE)
    waited = controller.run(backup_restore, **RESTORE)
    assert not changed(waited)
    assert waited["operation"] == {
        **waited["operation"],
        "id": started["operation"]["id"],
        "resumed": True,
        "state": "finished",
    }
    assert len(simulator.writes) == 1


def test_where_operations_are_not_shown_an_accepted_push_counts_as_done(controller, simulator, rows):
    simulator.settings.operation_seconds = 0
    changed(controller.run(env_push, wait=False, **PUSH))
    [row] = rows()
    rows(Entry(**{**vars(row), "sent_at": row.sent_at - 60}))
    simulator.fault("status", "GET", "/operations/.*", times=None, status=404)
    result = controller.run(backup_restore, wait=False, **RESTORE)
    assert changed(result)
    assert len(simulator.writes) == 2


def test_by_the_clock_of_another_machine_nothing_counts_as_done(controller, simulator, rows):
    simulator.settings.operation_seconds = 0
    changed(controller.run(env_push, wait=False, **PUSH))
    [row] = rows()
    rows(Entry(**{**vars(row), "sent_at": row.sent_at - 600, "sender": "linux another-boot pid:[1] 1 1"}))
    simulator.fault("status", "GET", "/operations/.*", times=None, status=404)
    message = failed(controller.run(backup_restore, wait=False, **RESTORE), "operation_timeout")
    assert "The push of v1 goes on" in message
    assert len(simulator.writes) == 1


def test_a_push_of_unknown_outcome_is_not_lost(controller, simulator, live, rows):
    simulator.fault("drop_after", "PUT")
    failed(controller.run(env_push, **PUSH), "outcome_unknown")
    message = failed(controller.run(backup_restore, **RESTORE), "outcome_unknown")
    assert "The push of v1 was sent at" in message
    assert f"hosting.management.settle: {{environment_id: {LIVE}, release: 'v1', outcome: done}}" in message
    assert [row.progress for row in rows()] == [UNKNOWN]
    assert live.restores == []
    changed(controller.run(push_outcome, environment_id=LIVE, release="v1", outcome="pushed"))
    assert changed(controller.run(backup_restore, **RESTORE))
    assert changed(controller.run(env_push, **PUSH))


def test_force_restores_whatever_became_of_a_push(controller, simulator, live):
    simulator.fault("drop_after", "PUT")
    failed(controller.run(env_push, **PUSH), "outcome_unknown")
    assert changed(controller.run(backup_restore, force=True, **RESTORE))
    assert not changed(controller.run(backup_restore, **RESTORE))
    message = failed(controller.run(push_outcome, environment_id=LIVE, release="v1", outcome="pushed"), "invalid_input")
    assert "nothing of the push of v1, only of the restore of backup 1" in message
    assert changed(controller.run(env_push, **PUSH))
    assert live.restores == [BACKUP]


def test_a_push_without_a_release_and_without_an_answer_is_settled_by_its_kind(controller, simulator):
    simulator.fault("drop_after", "PUT")
    failed(controller.run(env_push, **{**PUSH, "release": None}), "outcome_unknown")
    message = failed(controller.run(backup_restore, **RESTORE), "outcome_unknown")
    assert "A push without a release was sent at" in message
    assert "what: push" in message


@pytest.mark.parametrize("fault", [{"kind": "drop_after"}, {"kind": "status", "status": 502}])
def test_a_restore_whose_answer_is_lost_is_not_sent_again(fault, controller, simulator):
    changed(controller.run(env_push, **PUSH))
    simulator.fault(**fault, method="POST")
    result = controller.run(backup_restore, **RESTORE)
    assert result["failed"]
    assert "force: true" in result["msg"]
    assert f"backup_id: {BACKUP}, " in result["msg"]
    again = failed(controller.run(backup_restore, **RESTORE), "outcome_unknown")
    assert f"backup_id: {BACKUP}, " in again
    assert controller.run(release_info, **INFO)["restored_backup"]["state"] == "unknown"
    other = failed(controller.run(backup_restore, **{**RESTORE, "release": "v2"}), "outcome_unknown")
    assert f"The restore of backup {BACKUP} was sent at" in other
    assert len(simulator.writes) == 2
    assert changed(controller.run(backup_restore, force=True, **RESTORE))
    assert len(simulator.writes) == 3


def test_a_restore_that_was_refused_leaves_the_release_known(controller, live):
    changed(controller.run(env_push, **PUSH))
    failed(controller.run(backup_restore, **{**RESTORE, "backup_id": 4711}), "not_found")
    assert controller.run(release_info, **INFO)["release"] == "v1"
    assert not changed(controller.run(env_push, **PUSH))
    assert len(live.pushes) == 1


@pytest.mark.parametrize("arrived", [True, False])
def test_a_run_that_is_killed_at_the_restore_costs_a_push_if_that_was_carried_out(
    arrived, controller, simulator, live, rows
):
    changed(controller.run(env_push, **PUSH))
    [push] = rows()
    if not arrived:
        simulator.fault("drop_before", "POST")
    controller.run(backup_restore, **RESTORE)
    restore = rows()[-1]
    rows(push, from_a_dead_run(restore))
    info = controller.run(release_info, **INFO)
    assert (info["release"], info["restored_backup"]["state"]) == (None, "unknown")
    failed(controller.run(backup_restore, **RESTORE), "outcome_unknown")
    message = failed(controller.run(env_push, **PUSH), "outcome_unknown")
    assert "may still go on" in message
    long_ago = time.time() - HORIZON - 1
    rows(replace(push, sent_at=long_ago - 1), replace(rows()[-1], sent_at=long_ago))
    failed(controller.run(env_push, **PUSH), "outcome_unknown")
    assert "hosting.management.settle" in message
    changed(controller.run(settle, environment_id=LIVE, backup_id=BACKUP, outcome="done" if arrived else "not_done"))
    assert controller.run(env_push, **PUSH)["changed"] == arrived
    assert live.content == simulator.state.environment(STAGING).content
    assert controller.run(release_info, **INFO)["release"] == "v1"
    assert [row.progress for row in rows()] == ([FINISHED] if arrived else [FINISHED, NOT_DONE])


def test_a_push_waits_for_the_restore_that_goes_on(controller, simulator, live):
    simulator.settings.operation_seconds = 0.4
    changed(controller.run(backup_restore, wait=False, **RESTORE))
    assert changed(controller.run(env_push, **PUSH))
    assert live.content == simulator.state.environment(STAGING).content
    restore, push = simulator.writes
    assert push.time - restore.time >= 0.4


def test_a_push_is_not_sent_into_a_restore_that_does_not_end(controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    changed(controller.run(backup_restore, wait=False, **RESTORE))
    assert changed(controller.run(env_push, check_mode=True, **PUSH)), "check mode waits for nothing"
    for options in ({"wait_timeout": 0.1}, {"wait": False}):
        result = controller.run(env_push, **PUSH, **options)
        assert f"The restore of backup {BACKUP} goes on" in failed(result, "operation_timeout")
        assert result["error"]["operation_id"].startswith("backups:restore-")
    assert len(simulator.writes) == 1
    assert changed(controller.run(env_push, force=True, wait=False, **PUSH))


def test_the_answer_to_another_runs_push_is_waited_for(controller, simulator, rows):
    changed(controller.run(env_push, **PUSH))
    [push] = rows()
    rows(Entry(**{**vars(push), "progress": SENT, "answer_by": time.time() + 60}))
    message = failed(controller.run(backup_restore, wait_timeout=0.1, force=True, **RESTORE), "operation_timeout")
    assert "Another run has sent a request" in message
    assert len(simulator.writes) == 1


def test_a_push_that_begins_while_the_restore_is_decided_is_seen(controller, simulator, rows, monkeypatch):
    simulator.settings.operation_seconds = ENDLESS
    look = giving_way.in_the_way
    pushes = []

    def look_and_be_overtaken(*arguments):
        found = look(*arguments)
        if not pushes:
            pushes.append(PUSH)
            controller.run(env_push, wait=False, **PUSH)
        return found

    monkeypatch.setattr(giving_way, "in_the_way", look_and_be_overtaken)
    failed(controller.run(backup_restore, wait_timeout=0.1, **RESTORE), "operation_timeout")
    assert [write.method for write in simulator.writes] == ["PUT"]
    assert [row.progress for row in rows()] == [IN_PROGRESS]
