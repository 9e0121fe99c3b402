# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups that do not pile up: what is removed, what never is, and what a full service is answered."""

from __future__ import annotations

import json
import re
import time

import pytest

from ansible_collections.hosting.management.plugins.module_utils._backup_removals import (
    Keep,
    chosen,
    read_backups,
    reasons_to_keep,
    removing,
)
from ansible_collections.hosting.management.plugins.module_utils._convergence import in_one_go
from ansible_collections.hosting.management.plugins.module_utils._decision import HORIZON
from ansible_collections.hosting.management.plugins.module_utils._errors import CheckFailed
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, SqliteJournal
from ansible_collections.hosting.management.plugins.module_utils._progress import (
    FAILED,
    FINISHED,
    IN_PROGRESS,
    NOT_DONE,
    SENT,
    UNKNOWN,
)
from ansible_collections.hosting.management.plugins.module_utils._taken_backups import TakenBackups, taken_of
from ansible_collections.hosting.management.plugins.modules import (
    backup_restore,
    env_push,
    manual_backup,
    settle,
)
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE, STAGING, SITE = seed.environment_id(1), seed.environment_id(1, seed.STAGING), seed.site_id(1)
SERVICE = "https://a.example/v2"
ENDLESS = 3600
PUSH = {"site_id": SITE, "source_env_id": STAGING, "target_env_id": LIVE}
ABSENT = {"environment_id": LIVE, "state": "absent"}


# ---- the rules ------------------------------------------------------------------------------------------------------


def entry(sent_at, progress=FINISHED, release=None, note=None):
    part = None if note is None else json.dumps(note)
    return Entry("d", progress, sent_at, time.time() + ENDLESS, "h 1", release=release, part=part)


def push(sent_at, release, progress=FINISHED):
    return ((SERVICE, "env_push/1"), entry(sent_at, progress, release))


def restore(sent_at, backup_id, release, progress=FINISHED):
    note = {"backup_id": backup_id, "release": release}
    return ((SERVICE, "env_push/1"), entry(sent_at, progress, f"backup {backup_id} for {release}", note))


def on_record(sent_at, release, backup_id):
    note = {"tag": f"before-{release}", "ids_before": [], "backup_id": backup_id, "is_settled": True}
    return ((SERVICE, "release_backup/1"), entry(sent_at, FINISHED, release, note))


def shown(number, note=None):
    return {"id": number, "note": note or f"before-v{number}", "type": "manual", "created_at": 1000 * number}


BACKUPS = [shown(number) for number in (6, 5, 4, 3, 2, 1)]
RECORDS = [on_record(10 * number, f"v{number}", number) for number in range(1, 6)]

STAYS = {
    "without releases, the newest": ([], [], {6}),
    "those of the current and the previous release": ([*RECORDS, push(51, "v5")], [], {6, 5, 4}),
    "and of the one that comes next": ([*RECORDS, push(45, "v4")], [], {6, 5, 4, 3}),
    "after a restore of the previous one, that of the release that is there again": (
        [*RECORDS, restore(51, 5, "v5")],
        [],
        {6, 5, 4, 3},
    ),
    "after a push that has failed, too": ([*RECORDS, push(51, "v5", FAILED)], [], {6, 5, 4, 3}),
    "a push that was never carried out does not count": (
        [*RECORDS, push(51, "v5"), push(52, "v9", NOT_DONE)],
        [],
        {6, 5, 4},
    ),
    "a release of which no backup is on record": ([*RECORDS, push(61, "v9")], [], {6, 5, 4}),
    "all, while a push is of unknown outcome": ([push(1, "v5", UNKNOWN)], [], {6, 5, 4, 3, 2, 1}),
    "all, while a push is being sent": ([push(1, "v5", SENT)], [], {6, 5, 4, 3, 2, 1}),
    "all, while a push goes on": ([push(1, "v5", IN_PROGRESS)], [], {6, 5, 4, 3, 2, 1}),
    "all, while a restore is of unknown outcome": ([restore(1, 2, "v2", UNKNOWN)], [], {6, 5, 4, 3, 2, 1}),
    "what is being restored elsewhere": ([], [restore(1, 2, "v2", IN_PROGRESS)], {6, 2}),
    "what may have been restored elsewhere": ([], [restore(1, 2, "v2", UNKNOWN)], {6, 2}),
    "not what was restored elsewhere": ([], [restore(1, 2, "v2"), restore(2, 3, "v3", FAILED)], {6}),
}


@pytest.mark.parametrize(("remembered", "restores", "stays"), STAYS.values(), ids=STAYS)
def test_what_is_never_removed(remembered, restores, stays):
    assert set(reasons_to_keep(BACKUPS, remembered, restores)) == stays


def test_each_has_its_reason():
    remembered = [*RECORDS, push(51, "v5")]
    assert reasons_to_keep(BACKUPS, remembered, [restore(1, 4, "v2", SENT)]) == {
        6: "it is the newest one",
        5: "it is the one from before v5",
        4: "a restore may still need it",
    }
    [reason] = set(reasons_to_keep(BACKUPS, [push(1, "v5", UNKNOWN)], []).values())
    assert reason == "the push of v5 is of unknown outcome, and may need it"


def test_what_is_beyond_a_number_or_an_age():
    assert [one["id"] for one in Keep.of("4").surplus(BACKUPS, 0)] == [2, 1]
    assert Keep.of("9").surplus(BACKUPS, 0) == []
    assert [one["id"] for one in Keep.of("3s").surplus(BACKUPS, 6)] == [2, 1]
    assert Keep.of("2w") == Keep(seconds=14 * 86400)


def taken_row(tag, ids=(), before=None):
    return ((SERVICE, "taken_backups/1"), entry(1, FINISHED, tag, {"ids": list(ids), "before": before}))


def backup_row(tag, progress=FINISHED):
    return ((SERVICE, f"manual_backup/1/{tag}"), entry(2, progress, tag))


TAKEN = {
    "known by its id": ([taken_row("x", [3])], {3}),
    "on record for a release": ([on_record(1, "v2", 2)], {2}),
    "the first new one with its tag": ([taken_row("x", [], [1]), backup_row("x")], {3}),
    "none of unknown outcome": ([taken_row("x", [], [1]), backup_row("x", UNKNOWN)], set()),
    "none that failed": ([taken_row("x", [], [1]), backup_row("x", FAILED)], set()),
    "none that was asked for long ago": ([taken_row("x", [], [1])], set()),
    "none with its tag alone": ([backup_row("x")], set()),
    "nothing that is gone": ([taken_row("x", [3, 77])], {3}),
}


@pytest.mark.parametrize(("remembered", "ids"), TAKEN.values(), ids=TAKEN)
def test_which_backups_this_collection_has_taken(remembered, ids):
    assert taken_of(remembered, [shown(1, "x"), shown(2), shown(4, "x"), shown(3, "x")]) == ids


def test_one_that_is_not_shown_yet_is_not_known():
    asked_for = TakenBackups("x", (3,), (1, 3))
    assert asked_for.with_shown([shown(1, "x"), shown(3, "x"), shown(4, "y")]) == asked_for
    assert asked_for.with_shown([shown(5, "x")]) == TakenBackups("x", (3, 5))


# ---- the module -----------------------------------------------------------------------------------------------------


@pytest.fixture
def live(simulator):
    return simulator.state.environment(LIVE)


@pytest.fixture
def notes(simulator):
    """A function that returns the tags of the manual backups, oldest first."""
    return lambda: [one.note for one in simulator.state.environment(LIVE).backups if one.type == "manual"]


def changed(result):
    assert "failed" not in result, result["msg"]
    return result["changed"]


def failed(result, kind):
    assert result.get("failed"), result
    assert result["error"]["kind"] == kind, result
    return result["msg"]


def take(controller, *tags, **options):
    for tag in tags:
        assert changed(controller.run(manual_backup, environment_id=LIVE, tag=tag, **options))


def id_of(live, note):
    return next(one.id for one in live.backups if one.note == note)


def tags_of(backups):
    return [one["tag"] for one in backups]


def test_a_number_is_kept_of_those_with_a_tag_like_this(controller, notes, simulator):
    take(controller, "before-v1", "nightly-1", "before-v2", "before-v3", "before-v4")
    simulator.clear_requests()
    options = {**ABSENT, "keep": "2", "tag_pattern": "before-*"}
    checked = controller.run(manual_backup, check_mode=True, diff=True, **options)
    assert (changed(checked), tags_of(checked["removed"])) == (True, ["before-v2", "before-v1"])
    assert list(checked["diff"]["before"]["backups"].values()) == ["before-v4", "before-v3", "before-v2", "before-v1"]
    assert list(checked["diff"]["after"]["backups"].values()) == ["before-v4", "before-v3"]
    assert simulator.writes == []
    result = controller.run(manual_backup, diff=True, **options)
    assert (changed(result), result["removed"], result["diff"]) == (True, checked["removed"], checked["diff"])
    assert [one["state"] for one in result["operations"]] == ["finished", "finished"]
    assert notes() == ["nightly-1", "before-v3", "before-v4"]
    assert not changed(controller.run(manual_backup, **options))
    assert len(simulator.writes) == 2


def test_those_of_a_time_are_kept(controller, live, notes):
    take(controller, "a", "b", "c")
    for one in live.backups:
        one.created_at -= 3600 * 1000 if one.note == "a" else 0
    assert not changed(controller.run(manual_backup, keep="2h", **ABSENT))
    assert changed(controller.run(manual_backup, keep="30m", **ABSENT))
    assert notes() == ["b", "c"]


@pytest.mark.parametrize("named_by", ["backup_id", "tag"])
def test_one_is_removed_by_its_id_or_tag_once(named_by, controller, live, notes, simulator):
    take(controller, "a", "b")
    options = {**ABSENT, named_by: id_of(live, "a") if named_by == "backup_id" else "a"}
    result = controller.run(manual_backup, **options)
    assert (changed(result), tags_of(result["removed"]), notes()) == (True, ["a"], ["b"])
    again = controller.run(manual_backup, **options)
    assert (changed(again), again["removed"], again["operations"]) == (False, [], [])
    assert sum(write.method == "DELETE" for write in simulator.writes) == 1


def test_what_others_have_taken_is_never_removed(controller, live, notes, simulator):
    take(controller, "a")
    by_hand = simulator.state.add_backup(live, "manual", "a")
    take(controller, "b")
    for options in ({"backup_id": by_hand.id}, {"tag": "a"}, {"backup_id": 1}, {"tag": "a", "force": True}):
        message = failed(controller.run(manual_backup, **ABSENT, **options), "check_failed")
        assert "the journal does not know that this collection has taken it" in message
        assert "Nothing was sent." in message
    result = controller.run(manual_backup, keep="1", **ABSENT)
    assert (tags_of(result["removed"]), notes()) == (["a"], ["a", "b"])
    assert by_hand in live.backups


@pytest.mark.parametrize("fault", [{"kind": "status", "status": 400}, {"kind": "fail_operation"}], ids=str)
def test_one_that_others_take_after_ours_was_refused_or_has_failed_is_theirs(fault, controller, live, simulator):
    take(controller, "a")
    simulator.fault(method="POST", **fault)
    assert controller.run(manual_backup, environment_id=LIVE, tag="a", force=True, wait_timeout=30)["failed"]
    simulator.state.add_backup(live, "manual", "a")
    take(controller, "b")
    ours, theirs = (one.id for one in live.backups if one.note == "a")
    result = controller.run(manual_backup, keep="1", **ABSENT)
    assert [one["id"] for one in result["removed"]] == [ours]
    assert id_of(live, "a") == theirs


def test_one_without_a_tag_cannot_be_told_from_those_of_others(controller, notes):
    controller.run(manual_backup, environment_id=LIVE)
    take(controller, "b")
    assert not changed(controller.run(manual_backup, keep="1", **ABSENT))
    assert notes() == [None, "b"]


def test_the_same_tag_again_and_a_forced_one_are_known(controller, notes):
    take(controller, "a")
    take(controller, "a", force=True)
    take(controller, "b")
    assert changed(controller.run(manual_backup, tag="a", **ABSENT))
    assert notes() == ["b"]


def test_one_that_nobody_has_waited_for_is_known_when_the_next_one_is_asked_for(controller, notes, simulator):
    simulator.settings.operation_seconds = 0.2
    assert changed(controller.run(manual_backup, environment_id=LIVE, tag="a", wait=False))
    time.sleep(0.3)
    take(controller, "a", force=True)
    take(controller, "b")
    assert notes() == ["a", "a", "b"]
    assert changed(controller.run(manual_backup, tag="a", **ABSENT))
    assert notes() == ["b"]


def test_one_whose_answer_was_lost_is_known_once_its_task_has_seen_it(controller, notes, simulator):
    simulator.fault("drop_after", "POST")
    failed(controller.run(manual_backup, environment_id=LIVE, tag="a"), "outcome_unknown")
    take(controller, "b")
    message = failed(controller.run(manual_backup, tag="a", **ABSENT), "check_failed")
    assert "does not know" in message
    assert not changed(controller.run(manual_backup, environment_id=LIVE, tag="a"))
    assert changed(controller.run(manual_backup, tag="a", **ABSENT))
    assert notes() == ["b"]


def test_the_newest_and_those_of_the_last_releases_stay(controller, notes):
    for release in ("v1", "v2", "v3"):
        take(controller, f"before-{release}", release=release)
        assert changed(controller.run(env_push, release=release, **PUSH))
    take(controller, "nightly")
    message = failed(controller.run(manual_backup, tag="nightly", **ABSENT), "check_failed")
    assert "(nightly): it is the newest one" in message
    assert "it is the one from before v3" in failed(
        controller.run(manual_backup, tag="before-v3", **ABSENT), "check_failed"
    )
    result = controller.run(manual_backup, keep="1", **ABSENT)
    assert tags_of(result["removed"]) == ["before-v1"]
    assert [(one["tag"], one["reason"]) for one in result["kept"]] == [
        ("before-v3", "it is the one from before v3"),
        ("before-v2", "it is the one from before v2"),
    ]
    assert notes() == ["before-v2", "before-v3", "nightly"]


def test_nothing_is_removed_while_it_is_open_whether_a_push_was_carried_out(controller, notes, simulator):
    take(controller, "a", "b", "c")
    simulator.fault("drop_before", "PUT")
    failed(controller.run(env_push, release="v1", **PUSH), "outcome_unknown")
    result = controller.run(manual_backup, keep="1", **ABSENT)
    assert (changed(result), tags_of(result["kept"])) == (False, ["b", "a"])
    assert "the push of v1 is of unknown outcome" in failed(
        controller.run(manual_backup, tag="a", **ABSENT), "check_failed"
    )
    assert changed(controller.run(settle, environment_id=LIVE, release="v1", outcome="not_done"))
    assert changed(controller.run(manual_backup, keep="1", **ABSENT))
    assert notes() == ["c"]


def test_a_backup_that_is_being_restored_to_another_environment_stays(controller, live, simulator):
    take(controller, "a", "b")
    simulator.settings.operation_seconds = ENDLESS
    options = {"environment_id": STAGING, "backup_id": id_of(live, "a"), "notified_user_id": seed.user_id(1)}
    assert changed(controller.run(backup_restore, wait=False, **options))
    assert "a restore may still need it" in failed(controller.run(manual_backup, tag="a", **ABSENT), "check_failed")


def test_a_restore_waits_for_the_end_of_a_removal(controller, live, simulator):
    take(controller, "a", "b")
    simulator.settings.operation_seconds = ENDLESS
    first = controller.run(manual_backup, tag="a", wait=False, **ABSENT)
    assert (changed(first), first["operations"][0]["state"]) == (True, "in_progress")
    options = {"environment_id": LIVE, "backup_id": id_of(live, "a"), "notified_user_id": seed.user_id(1)}
    message = failed(controller.run(backup_restore, wait=False, **options), "operation_timeout")
    assert f"The removal of backup {id_of(live, 'a')} goes on" in message
    again = controller.run(manual_backup, tag="a", wait=False, **ABSENT)
    assert (changed(again), again["operations"][0]["resumed"]) == (False, True)
    assert sum(write.method == "DELETE" for write in simulator.writes) == 1


def test_what_comes_to_be_needed_while_the_task_runs_is_not_removed(controller, live, notes, simulator):
    take(controller, "a", "b")
    context = controller.context(manual_backup, keep="1", wait=False, **ABSENT)
    choice = chosen(context, read_backups(context))
    assert tags_of(choice.to_remove) == ["a"]
    simulator.settings.operation_seconds = ENDLESS
    options = {"environment_id": STAGING, "backup_id": id_of(live, "a"), "notified_user_id": seed.user_id(1)}
    assert changed(controller.run(backup_restore, wait=False, **options))
    with pytest.raises(CheckFailed, match="is needed since this task has begun: a restore may still need it"):
        in_one_go(removing)(context, choice)
    assert not any(write.method == "DELETE" for write in simulator.writes)
    assert notes() == ["a", "b"]


# ---- lost answers ---------------------------------------------------------------------------------------------------


def test_a_removal_whose_answer_is_lost_is_settled_by_looking(controller, simulator):
    take(controller, "a", "b", "c")
    simulator.fault("drop_after", "DELETE")
    message = failed(controller.run(manual_backup, tag="a", **ABSENT), "outcome_unknown")
    assert "The next run looks whether the service shows its effect." in message
    assert not changed(controller.run(manual_backup, tag="a", **ABSENT))
    assert changed(controller.run(manual_backup, tag="b", **ABSENT))
    assert sum(write.method == "DELETE" for write in simulator.writes) == 2
    rows = SqliteJournal(controller.journal_path).subjects(simulator.base_url, "backup_removal/")
    assert [row.progress for _subject, row in rows] == [FINISHED, FINISHED], "nothing is open any more"


def test_one_that_was_perhaps_never_carried_out_is_not_sent_again_before_its_time(controller, live, simulator):
    take(controller, "a", "b")
    simulator.fault("drop_before", "DELETE")
    failed(controller.run(manual_backup, tag="a", **ABSENT), "outcome_unknown")
    message = failed(controller.run(manual_backup, tag="a", wait_timeout=0.1, **ABSENT), "outcome_unknown")
    number = id_of(live, "a")
    assert f"settle: {{environment_id: {LIVE}, backup_id: {number}, what: removal, outcome: done}}" in message
    assert sum(write.method == "DELETE" for write in simulator.writes) == 1
    named = {"environment_id": LIVE, "backup_id": number, "what": "removal"}
    assert controller.run(settle, outcome="not_done", **named) == {
        "changed": True,
        "outcome": "not_done",
        "what": "removal",
    }
    assert changed(controller.run(manual_backup, tag="a", **ABSENT))


def test_after_the_time_in_which_its_effect_would_show_it_is_sent_anew(controller, notes, simulator):
    take(controller, "a", "b")
    simulator.fault("drop_before", "DELETE")
    failed(controller.run(manual_backup, tag="a", **ABSENT), "outcome_unknown")
    journal = SqliteJournal(controller.journal_path)
    [(subject, row)] = journal.subjects(simulator.base_url, "backup_removal/")
    assert journal.replace(subject, (row,), (Entry(**{**vars(row), "sent_at": row.sent_at - HORIZON - 1}),))
    journal.close()
    assert changed(controller.run(manual_backup, tag="a", **ABSENT))
    assert notes() == ["b"]


def test_what_was_removed_before_another_one_failed_is_told(controller, live, notes, simulator):
    take(controller, "a", "b", "c")
    simulator.fault("status", "DELETE", re.escape(f"/sites/environments/backups/{id_of(live, 'a')}"), status=500)
    result = controller.run(manual_backup, keep="1", **ABSENT)
    message = failed(result, "service")
    # They are removed side by side, so the other one has been sent, and its end is not waited for.
    assert [write.carried_out for write in simulator.writes if write.method == "DELETE"] == [True, False]
    assert "Whether anything was done is not known" in message
    assert not changed(controller.run(manual_backup, tag="b", **ABSENT))
    assert notes() == ["a", "c"]


# ---- room for the next one ------------------------------------------------------------------------------------------


def test_room_is_made_right_before_the_next_backup_and_only_then(controller, notes, simulator):
    simulator.settings.most_backups = 3
    take(controller, "before-v1", "before-v2", "before-v3")
    options = {"environment_id": LIVE, "tag": "before-v4", "keep": "3"}
    checked = controller.run(manual_backup, check_mode=True, **options)
    assert (changed(checked), tags_of(checked["removed"])) == (True, ["before-v1"])
    assert notes() == ["before-v1", "before-v2", "before-v3"]
    result = controller.run(manual_backup, **options)
    assert (changed(result), tags_of(result["removed"])) == (True, ["before-v1"])
    assert notes() == ["before-v2", "before-v3", "before-v4"]
    for _run in range(2):
        again = controller.run(manual_backup, **options)
        assert (changed(again), again["removed"]) == (False, [])
    assert notes() == ["before-v2", "before-v3", "before-v4"]


def test_the_end_of_the_removal_is_waited_for_in_any_case(controller, notes, simulator):
    take(controller, "a", "b")
    simulator.settings.most_backups = 2
    simulator.settings.operation_seconds = 0.3
    for options in ({"wait": False}, {"wait_until": "accepted"}):
        result = controller.run(manual_backup, environment_id=LIVE, tag=f"c {options}", keep="2", **options)
        assert (changed(result), len(result["removed"])) == (True, 1)
        time.sleep(0.5)
    assert len(notes()) == 2


def test_releases_make_room_and_can_go_back(controller, notes, simulator):
    simulator.settings.most_backups = 3
    for number in range(1, 6):
        backup = {"environment_id": LIVE, "tag": f"before-v{number}", "release": f"v{number}", "max_age": "1h"}
        for is_due in (True, False):
            assert changed(controller.run(manual_backup, keep="3", **backup)) is is_due
        assert changed(controller.run(env_push, release=f"v{number}", requires_backup=True, **PUSH))
    assert notes() == ["before-v3", "before-v4", "before-v5"]


def test_a_room_that_is_not_made_for_certain_keeps_the_backup_from_being_taken(controller, notes, simulator):
    take(controller, "a", "b")
    simulator.fault("drop_after", "DELETE")
    options = {"environment_id": LIVE, "tag": "c", "keep": "2"}
    failed(controller.run(manual_backup, **options), "outcome_unknown")
    assert notes() == ["b"]
    assert changed(controller.run(manual_backup, **options))
    assert notes() == ["b", "c"]


def test_what_was_removed_is_told_when_the_backup_fails(controller, simulator):
    take(controller, "a", "b")
    simulator.fault("status", "POST", status=400)
    result = controller.run(manual_backup, environment_id=LIVE, tag="c", keep="2")
    failed(result, "bad_request")
    assert (result["changed"], tags_of(result["removed"])) == (True, ["a"])


def test_a_service_that_refuses_another_backup_is_answered_with_what_helps(controller, simulator):
    simulator.settings.most_backups = 2
    take(controller, "a", "b")
    message = failed(controller.run(manual_backup, environment_id=LIVE, tag="c"), "bad_request")
    assert "You have reached the limit of 2 manual backups." in message
    assert "state: absent with keep" in message
    assert "Nothing was done" in message
    take(controller, "c", keep="2")
    take(controller, "d", keep="2", tag_pattern="*")


def test_and_with_what_had_to_stay(controller, simulator):
    simulator.settings.most_backups = 2
    for release in ("v1", "v2"):
        take(controller, f"before-{release}", release=release)
        assert changed(controller.run(env_push, release=release, **PUSH))
    message = failed(controller.run(manual_backup, environment_id=LIVE, tag="c", keep="1"), "bad_request")
    assert "(before-v1): it is the one from before v1" in message


def test_another_refusal_is_no_matter_of_room(controller, simulator):
    simulator.fault("status", "POST", status=400)
    assert "keep" not in failed(controller.run(manual_backup, environment_id=LIVE, tag="c"), "bad_request")


# ---- services without it, and mistakes ------------------------------------------------------------------------------


@pytest.mark.parametrize("interface_only", [True, False])
def test_a_service_that_shows_no_backups_is_a_clear_word(interface_only, controller, simulator):
    simulator.settings.interface_only = interface_only
    message = failed(controller.run(manual_backup, keep="1", companions=interface_only, **ABSENT), "invalid_input")
    assert f"does not show the backups of environment {LIVE}" in message
    assert ("companions are switched off" in message) is not interface_only
    assert simulator.writes == []
    taken = controller.run(manual_backup, environment_id=LIVE, tag="a", keep="1", companions=False)
    assert (changed(taken), taken["removed"]) == (True, [])
    assert any("keep removes nothing" in warning for warning in controller.warnings)


def test_a_service_that_removes_no_backups_is_a_clear_word(controller, notes, simulator):
    take(controller, "a", "b")
    simulator.fault("status", "DELETE", times=None, status=404, body="no such page")
    message = failed(controller.run(manual_backup, keep="1", **ABSENT), "not_found")
    assert "remove them in its own panel" in message
    taken = controller.run(manual_backup, environment_id=LIVE, tag="c", keep="1")
    assert (changed(taken), taken["removed"]) == (True, [])
    assert any("keep removes nothing" in warning for warning in controller.warnings)
    assert notes() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"state": "absent"}, "state: absent needs one of backup_id, tag and keep"),
        ({"state": "absent", "tag": "a", "keep": "1"}, "and not tag and keep"),
        ({"state": "absent", "tag": "a", "max_age": "1h"}, "state: absent goes without max_age"),
        ({"state": "absent", "tag": "a", "wait_until": "accepted"}, "state: absent goes without wait_until"),
        ({"tag": "a", "backup_id": 1}, "state: present goes without backup_id"),
        ({"tag": "a", "tag_pattern": "a*"}, "tag_pattern needs keep"),
        ({"tag": "a", "keep": "0"}, "keep must be a number of backups from 1"),
        ({"tag": "a", "keep": "some"}, "keep must be a number of backups from 1"),
    ],
    ids=str,
)
def test_mistakes_are_refused_before_anything_is_sent(options, problem, controller, simulator):
    message = failed(controller.run(manual_backup, environment_id=LIVE, **options), "invalid_input")
    assert problem in message
    assert simulator.requests == []


def test_an_empty_keep_is_none(controller):
    assert "removed" not in controller.run(manual_backup, environment_id=LIVE, tag="a", keep="")
