# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the backup from before updates is restored, row by row, and what is said of that."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.maintenance_undo import (
    RELEASE,
    is_restored,
    said_of,
    under_way,
    undo_of,
)

THERE = {"release": "v1", "state": "finished", "sent_at": "2026-11-02T00:00:00Z", "restored_backup": None}
TRIAL = {"kind": "plugin", "name": "forms", "version": "2.5.0", "verdict": "broke_it"}
PHP = {"kind": "php", "name": "php", "version": "8.4", "verdict": "broke_it"}
DOWN = {"failed": True, "error": {"kind": "check_failed"}, "has_ended": True, "updates": [TRIAL], "msg": "It is down."}
ASKED = {"checks": [{"ok": True}]}
KEPT = {"site_check": ASKED, "readings": {"releases": THERE}, "unread": {}, "parts": {}}
TAKEN = {"is_taken": True, "backup": {"id": 8, "tag": "maintenance"}, "operation": {"state": "finished"}}
MADE = {"parts": {"plugins": {"changed": True}}}
DONE = {"kept": KEPT, "made": MADE, "well": DOWN, "now": {**THERE, "read_at": "later"}, "update_backup": TAKEN}
CHOICE = {"backup_id": 8, "tag": "maintenance", "release": f"{RELEASE} 8", "problem": ""}


def done(**values: Any) -> dict[str, Any]:
    return {**DONE, **values}


def kept(**values: Any) -> dict[str, Any]:
    return {"kept": {**KEPT, **values}}


def declared(backup_id: int, *, changed: bool = True, state: str = "finished") -> dict[str, Any]:
    """The backup that is declared, as the module environment tells of it."""
    part = {"changed": changed, "result": {"backup": {"id": backup_id}}, "operation": {"state": state}}
    return {**kept(parts={"backup": part}), "update_backup": {**TAKEN, "is_taken": False, "operation": None}}


def test_the_backup_of_this_run_is_restored_where_updates_broke_the_site():
    assert undo_of(DONE, wanted=True) == CHOICE


def test_the_declared_backup_counts_where_this_run_has_taken_it_a_moment_before():
    assert undo_of(done(**declared(8)), wanted=True) == CHOICE


NO_REASON = {
    "nobody wants it": (DONE, False),
    "the site works": (done(well={"checks": [{"ok": True}]}), True),
    "nobody could ask": (done(well={"skipped": True}), True),
    "the controller has no network": (done(well={**DOWN, "error": {"kind": "connection"}}), True),
    "the check itself failed": (done(well={**DOWN, "error": {"kind": "journal"}}), True),
    "an error without a kind": (done(well={"failed": True}), True),
}


@pytest.mark.parametrize(("results", "wanted"), NO_REASON.values(), ids=NO_REASON)
def test_what_is_no_reason_to_go_back_is_not_told(results: dict, wanted: bool):
    assert undo_of(results, wanted) == {"backup_id": None, "tag": "", "release": "", "problem": ""}


NO_BACKUP = "this run has taken no backup right before the updates"
LEFT_ALONE = {
    "nobody asked before": (kept(site_check={"checks": []}), "nobody has seen the site work before the updates"),
    "it did not work before": (kept(site_check={"checks": [{"ok": False}]}), "nobody has seen the site work before"),
    "an update goes on": ({"well": {**DOWN, "has_ended": False}}, "it is not known whether an update is still in"),
    "nobody knows": ({"well": {**DOWN, "has_ended": None}}, "it is not known whether an update is still in progress"),
    "nothing was updated": ({"made": {"parts": {"plugins": {"changed": False}}}}, "this run has updated nothing"),
    "only PHP": ({"made": {"parts": {"php_version": {"changed": True}}}}, "a backup does not bring the PHP version"),
    "no verdict": ({"well": {**DOWN, "updates": []}}, "the journal could not take down which updates broke it"),
    "no journal": ({"well": {**DOWN, "updates": None}}, "the journal could not take down which updates broke it"),
    "no backup": ({"update_backup": {}}, "the service does not show the backup from before the updates"),
    "no number": ({"update_backup": {**TAKEN, "backup": {"tag": "x"}}}, "the service does not show the backup"),
    "an older backup": ({"update_backup": {**TAKEN, "is_taken": False}}, NO_BACKUP),
    "an older declared one": (declared(8, changed=False), NO_BACKUP),
    "another one than declared": (declared(7), NO_BACKUP),
    "its end is unknown": ({"update_backup": {**TAKEN, "operation": {"state": "unknown"}}}, "it is not known when the"),
    "that of the declared": (declared(8, state="unknown"), "it is not known when the backup was taken"),
    "a push since": ({"now": {**THERE, "release": "v2"}}, "somebody has pushed to it or restored a backup since"),
    "a push that began": ({"now": {**THERE, "state": "in_progress"}}, "somebody has pushed to it or restored"),
    "the same release again": ({"now": {**THERE, "sent_at": "2026-11-03T00:00:00Z"}}, "somebody has pushed to it"),
    "a restore since": ({"now": {**THERE, "restored_backup": {"backup_id": 5}}}, "somebody has pushed to it or"),
    "no journal now": ({"now": {"failed": True}}, "the journal could not be read"),
    "no journal before": (kept(readings={}, unread={"releases": {"error": {}}}), "the journal could not be read"),
}


@pytest.mark.parametrize(("values", "problem"), LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_nobody_knows_leaves_the_site_to_a_person_and_says_why(values: dict, problem: str):
    choice = undo_of(done(**values), wanted=True)
    assert choice["backup_id"] is None
    assert choice["problem"].startswith(problem)


RESTORED = {"backup_id": 8, "release": f"{RELEASE} 8", "state": "in_progress"}


def night_after(restored: dict | None, **site: Any) -> dict[str, Any]:
    asked = {"failed": True, "error": {"kind": "check_failed"}, **site}
    return {"site_check": asked, "readings": {"releases": {**THERE, "restored_backup": restored}}, "unread": {}}


@pytest.mark.parametrize("state", ["in_progress", "finished", "unknown"])
def test_the_restore_of_an_earlier_run_is_taken_up(state: str):
    earlier = {"kept": night_after({**RESTORED, "state": state}), "well": {}}
    assert undo_of(earlier, wanted=True) == {**CHOICE, "tag": ""}
    assert undo_of(earlier, wanted=False)["backup_id"] is None


NOT_TAKEN_UP = {
    "no restore": night_after(None),
    "that of a rollback": night_after({**RESTORED, "release": "v2"}),
    "the site works": night_after(RESTORED, failed=False),
    "nobody could ask": night_after(RESTORED, error={"kind": "connection"}),
}


@pytest.mark.parametrize("results", NOT_TAKEN_UP.values(), ids=NOT_TAKEN_UP)
def test_what_is_not_taken_up(results: dict):
    assert under_way(results) is None


HELD = "Held back everywhere: forms 2.5.0."
SAID = {
    "nothing": ({}, ""),
    "no reason": ({"choice": {**CHOICE, "backup_id": None}}, ""),
    "left alone": (
        {"choice": {**CHOICE, "backup_id": None, "problem": "nobody knows"}},
        "It was not rolled back, because nobody knows.",
    ),
    "it failed": (
        {"choice": CHOICE, "restore": {"failed": True, "msg": "No way."}},
        "Rolling it back failed: No way.",
    ),
    "it was begun, and failed": (
        {"choice": CHOICE, "restore": {"changed": True}, "restored": {"failed": True, "msg": "It timed out."}},
        "Rolling it back failed: It timed out.",
    ),
    "it was begun, and went well": (
        {"choice": CHOICE, "restore": {"changed": True}, "restored": {"changed": False}, "back": {"checks": []}},
        "It was rolled back to backup 8 (maintenance), and the site works again. " + HELD,
    ),
    "a backup without a tag": (
        {"choice": {**CHOICE, "tag": ""}, "restore": {"changed": True}, "back": {"checks": []}},
        "It was rolled back to backup 8, and the site works again. " + HELD,
    ),
    "it works": (
        {"choice": CHOICE, "restore": {"changed": True}, "back": {"checks": []}},
        "It was rolled back to backup 8 (maintenance), and the site works again. " + HELD,
    ),
    "it does not": (
        {"choice": CHOICE, "restore": {"changed": True}, "back": {"failed": True, "msg": "It is down."}},
        "It was rolled back to backup 8 (maintenance), but the site still does not work: It is down. " + HELD,
    ),
}


@pytest.mark.parametrize(("undo", "text"), SAID.values(), ids=SAID)
def test_what_is_said(undo: dict, text: str):
    assert said_of(undo, DOWN) == text


def test_where_no_update_is_known_as_bad_none_is_told_as_held_back():
    text = said_of({"choice": CHOICE, "restore": {"changed": True}, "back": {}}, {**DOWN, "updates": []})
    assert text == "It was rolled back to backup 8 (maintenance), and the site works again."


IS_RESTORED = {
    "nothing was begun": ({}, False),
    "it has ended": ({"restore": {"changed": True}}, True),
    "an earlier run had restored it": ({"restore": {"changed": False}, "restored": {}}, True),
    "it was skipped": ({"restore": {"skipped": True}}, False),
    "it was refused": ({"restore": {"failed": True}}, False),
    "it was begun, and went well": ({"restore": {"changed": True}, "restored": {"changed": False}}, True),
    "it was begun, and failed": ({"restore": {"changed": True}, "restored": {"failed": True}}, False),
}


@pytest.mark.parametrize(("undo", "restored"), IS_RESTORED.values(), ids=IS_RESTORED)
def test_whether_the_backup_was_restored(undo: dict, restored: bool):
    assert is_restored(undo) is restored


def test_a_php_version_that_stays_is_told():
    text = said_of({"choice": CHOICE, "restore": {"changed": True}, "back": {}}, {**DOWN, "updates": [TRIAL, PHP]})
    assert "PHP 8.4 stays, because a backup does not have the PHP version." in text
