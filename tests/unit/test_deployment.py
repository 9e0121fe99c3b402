# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role deploy decides, row by row: when it goes back, and what it says of each failure."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.deployment import goes_back
from ansible_collections.hosting.management.plugins.plugin_utils.deployment_outcome import result_of, summary_of, there

NOW = 1_800_000_000.0
SENT_AT = "2027-01-15T07:50:00Z"  # ten minutes before NOW
BROKEN = {"step": "verify", "task": "Ask", "msg": "It answered 500.", "error": {"kind": "check_failed"}}
THERE = {"release": "v2", "state": "finished", "sent_at": SENT_AT, "restored_backup": None}
PUSHED = {"changed": True, "operation": {"state": "finished"}}


def failed(step: str, kind: str = "", **error: object) -> dict[str, Any]:
    return {"step": step, "task": "A task", "msg": "It failed.", "error": {"kind": kind, **error} if kind else {}}


# ---- going back -----------------------------------------------------------------------------------------------------

GOES_BACK = {
    "a command of WP-CLI failed": {"failure": failed("wp_cli", "operation_failed")},
    "the site does not work": {},
    "the site looks different": {"failure": failed("pictures", "check_failed")},
    "a task after the push failed": {"failure": failed("after_push")},
    "the push failed on its way": {
        "failure": failed("push", "operation_failed"),
        "known": {**THERE, "state": "failed"},
    },
    "an earlier run pushed it a moment ago": {"push": {"changed": False}},
    "an earlier run pushed it, and this one had no push": {"push": {"skipped": True}},
    "pushed by this run, however long that took": {"within": 0},
    "the service does not show how the push ended": {
        "known": {**THERE, "state": "unknown"},
        "push": {"changed": True, "operation": {"state": "unknown"}},
    },
    "the release is a number": {"release": 7, "known": {**THERE, "release": "7"}},
}

STAYS = {
    "nobody wants to": {"wanted": False},
    "the site could not be asked": {"failure": failed("verify", "connection")},
    "pictures could not be compared": {"failure": failed("pictures", "invalid_input")},
    "a command of WP-CLI never ran": {"failure": failed("wp_cli", "bad_request")},
    "nobody knows how a command of WP-CLI ended": {"failure": failed("wp_cli", "outcome_unknown")},
    "a command of WP-CLI goes on": {"failure": failed("wp_cli", "operation_timeout")},
    "nobody can tell how the push ended": {"failure": failed("push", "outcome_unknown")},
    "the push goes on": {"failure": failed("push", "operation_timeout"), "known": {**THERE, "state": "in_progress"}},
    "the push was refused": {"failure": failed("push", "bad_request")},
    "a step before the push failed": {"failure": failed("", "bad_request")},
    "a task of one's own that is called the same": {"failure": {**BROKEN, "step": "", "task": "Ask the site"}},
    "the push still goes on": {"known": {**THERE, "state": "in_progress"}},
    "nobody knows whether it was pushed": {"known": {**THERE, "state": "unknown"}},
    "another release is there": {"known": {**THERE, "release": "v3"}},
    "a backup was restored since": {"known": {"release": None, "state": None, "restored_backup": {"backup_id": 1}}},
    "the journal could not be read": {"known": {"failed": True, "msg": "No."}},
    "it has been there for long": {"push": {"changed": False}, "within": 599},
    "nobody knows for how long it has been there": {"known": {**THERE, "sent_at": None}, "push": {"changed": False}},
}


def decided(**case: Any) -> bool:
    given = {
        "failure": BROKEN,
        "known": THERE,
        "push": PUSHED,
        "release": "v2",
        "wanted": True,
        "within": 600,
        "now": NOW,
        **case,
    }
    return goes_back(**given)


@pytest.mark.parametrize("case", GOES_BACK.values(), ids=GOES_BACK)
def test_it_goes_back(case):
    assert decided(**case) is True


@pytest.mark.parametrize("case", STAYS.values(), ids=STAYS)
def test_it_stays(case):
    assert decided(**case) is False


# ---- what is said of one environment --------------------------------------------------------------------------------

SETTINGS = {
    "environment": "shop",
    "release": "v2",
    "backup_tag": "before-v2",
    "check_mode": False,
    "takes_backup": True,
    "verifies": True,
}
BEFORE = {"release": "v1", "state": "finished", "restored_backup": None}
BACKUP = {"backup": {"id": 7, "tag": "before-v2", "created_at_iso": "2027-01-15T07:49:00Z"}, "changed": True}
BACK = {"backup_id": 7, "tag": "before-v2", "release": "v2"}
TO_GO_BACK = (
    "To go back, restore the backup with the tag before-v2 (id 7, taken 2027-01-15T07:49:00Z), such as with"
    " hosting.management.rollback -e deploy_hosts=shop."
)
JOURNAL = (
    "Mend the journal (free space, let it be written, or put it back), then run again. If it is lost, find out what"
    " the environment has before you run anything against it."
)
PUT = {"method": "PUT"}


def result(settings: dict[str, Any] | None = None, **results: Any) -> dict[str, Any]:
    given = {"before": BEFORE, "now": THERE, "backup": BACKUP, **results}
    return result_of(given, {**SETTINGS, **(settings or {})}, NOW - 12.34, NOW)


@pytest.mark.parametrize("kind", ["operation_failed", "operation_timeout", "connection"])
def test_a_backup_that_has_begun_counts_as_done_at_its_end(kind: str):
    assert result()["done"] == ["backup"]
    failure = failed("backup", kind)
    made = result(failure=failure, now=BEFORE)
    assert (made["done"], made["changes"], made["changed"]) == ([], [], False)
    removed = {**BACKUP, "removed": [{"id": 3, "tag": "before-v0"}]}
    assert result(failure=failure, now=BEFORE, backup=removed)["done"] == ["removed backups: 3 (before-v0)"]


SAID = {
    "the site does not work": ({"failure": BROKEN}, "The site does not work: It answered 500.", TO_GO_BACK),
    "the site could not be asked": (
        {"failure": failed("verify", "connection")},
        "Failed at 'A task': It failed.",
        TO_GO_BACK,
    ),
    "the push failed on its way": (
        {"failure": failed("push", "operation_failed", method="PUT", operation_id="x")},
        "The push of v2 failed on its way, so parts of it may be there: It failed.",
        TO_GO_BACK,
    ),
    "the push goes on": (
        {"failure": failed("push", "operation_timeout", operation_id="x", **PUT)},
        "v2 is still being pushed: It failed.",
        (
            "Do not restore a backup before the push has ended. Run again to wait for its end, with a larger"
            " deploy_wait_timeout if it takes that long."
        ),
    ),
    "the connection broke while the push went on": (
        {"failure": failed("push", "connection", operation_id="x", **PUT)},
        "v2 is still being pushed: It failed.",
        (
            "Do not restore a backup before the push has ended. Run again to wait for its end, with a larger"
            " deploy_wait_timeout if it takes that long."
        ),
    ),
    "the answer was lost": (
        {"failure": failed("push", "outcome_unknown", **PUT), "now": {**THERE, "state": "unknown"}},
        "It is not known whether v2 was pushed: It failed.",
        "When it is settled, run again. To force it, set deploy_force_push: true.",
    ),
    "another request's answer was lost": (
        {"failure": failed("push", "outcome_unknown"), "now": BEFORE},
        "v2 was not pushed: It failed.",
        "When it is settled, run again. To force it, set deploy_force_push: true.",
    ),
    "another request goes on": (
        {"failure": failed("push", "operation_timeout", operation_id="x"), "now": BEFORE},
        "v2 was not pushed: It failed.",
        "Fix the cause, then run again. To force it, set deploy_force_push: true.",
    ),
    "the connection broke": (
        {"failure": failed("push", "connection", **PUT), "now": BEFORE},
        "It is not known whether v2 was pushed: It failed.",
        "Fix the cause, then run again.",
    ),
    "the push was refused": (
        {"failure": failed("push", "bad_request", **PUT), "now": BEFORE},
        "v2 was not pushed: It failed.",
        "Fix the cause, then run again.",
    ),
    "the journal failed before the push": (
        {"failure": failed("push", "journal"), "now": {}},
        "v2 was not pushed: It failed.",
        JOURNAL,
    ),
    "the journal failed after the push": (
        {"failure": failed("push", "journal"), "push": PUSHED},
        "It is not known whether v2 was pushed: It failed.",
        JOURNAL,
    ),
    "a task after the push, which its own message names": (
        {"failure": failed("after_push")},
        "It failed.",
        TO_GO_BACK,
    ),
    "a check of one's own": (
        {"failure": failed("", "check_failed")},
        "Failed at 'A task': It failed.",
        TO_GO_BACK,
    ),
    "nobody knows how a step without force ended": (
        {"failure": failed("wp_cli", "outcome_unknown", **PUT)},
        "Failed at 'A task': It failed.",
        "When it is settled, run again.",
    ),
    "the service does not show the backup of this run": (
        {"failure": BROKEN, "backup": {"changed": True, "backup": {"id": None, "tag": "before-v2"}}},
        "The site does not work: It answered 500.",
        (
            "To go back, restore the backup with the tag before-v2, such as with hosting.management.rollback -e"
            " deploy_hosts=shop."
        ),
    ),
    "the backup goes on": (
        {"failure": failed("backup", "operation_timeout"), "now": BEFORE},
        "The backup before-v2 is still being taken, so nothing was pushed: It failed.",
        "Run again to wait for its end, with a larger deploy_wait_timeout if it takes that long.",
    ),
    "nobody knows whether there is a backup": (
        {"failure": failed("backup", "connection"), "now": BEFORE},
        "It is not known whether the backup before-v2 was taken, so nothing was pushed: It failed.",
        "Fix the cause, then run again.",
    ),
    "the journal failed after the backup had begun": (
        {"failure": failed("backup", "journal"), "now": BEFORE},
        "It is not known whether the backup before-v2 was taken, so nothing was pushed: It failed.",
        JOURNAL,
    ),
    "the backup failed": (
        {"failure": failed("backup", "operation_failed"), "now": BEFORE},
        "The backup before-v2 was not taken, so nothing was pushed: It failed.",
        "Fix the cause, then run again.",
    ),
    "a step before the push": (
        {"failure": failed("", "bad_request"), "now": BEFORE},
        "Failed at 'A task': It failed.",
        "Fix the cause, then run again.",
    ),
    "the site looks different": (
        {"failure": failed("pictures", "check_failed"), "return": BACK},
        "It failed.",
        "It was rolled back to backup 7 (before-v2), and the site works again.",
    ),
    "it went back": (
        {"failure": BROKEN, "return": BACK},
        "The site does not work: It answered 500.",
        "It was rolled back to backup 7 (before-v2), and the site works again.",
    ),
    "it went back, and that does not work": (
        {"failure": BROKEN, "return": {**BACK, "problem": "It answered 502."}},
        "The site does not work: It answered 500.",
        "It was rolled back to backup 7 (before-v2), but the site still does not work: It answered 502.",
    ),
    "it could not go back": (
        {"failure": BROKEN, "return": {"failed": True, "msg": "No.", "kind": "bad_request"}},
        "The site does not work: It answered 500.",
        "Rolling it back failed, too: No. Restore before-v2 by hand, or run hosting.management.rollback.",
    ),
    "nobody knows whether it went back": (
        {"failure": BROKEN, "return": {"failed": True, "msg": "Settle it.", "kind": "outcome_unknown"}},
        "The site does not work: It answered 500.",
        (
            "Rolling it back failed, too: Settle it. When it is settled, run hosting.management.rollback. To force it,"
            " set deploy_force_restore: true."
        ),
    ),
    "there is no backup to choose": (
        {"failure": failed(""), "chosen": {"backup_id": None, "problem": "None."}},
        "Failed at 'A task': It failed.",
        "",
    ),
    "a rollback of its own does not work": (
        {"return": {**BACK, "problem": "It answered 502."}, "now": {"restored_backup": {"backup_id": 7}}},
        "It is back at backup 7, but the site does not work: It answered 502.",
        "Fix the cause, then run again.",
    ),
}


@pytest.mark.parametrize(("results", "problem", "advice"), SAID.values(), ids=SAID)
def test_what_is_said_of_a_failure(results, problem, advice):
    made = result(**results)
    assert (made["failed"], made["problem"], made["advice"]) == (True, problem, advice)


def test_without_a_backup_of_this_run_there_is_none_to_name():
    made = result({"takes_backup": False}, failure=BROKEN, backup={})
    assert made["advice"] == "No backup was taken by this run, because deploy_backup is false."


def test_where_the_site_is_not_asked_nobody_says_that_it_works():
    made = result({"verifies": False}, failure=BROKEN, **{"return": BACK})
    assert made["advice"] == "It was rolled back to backup 7 (before-v2)."


def test_all_that_a_result_has():
    has = result(push=PUSHED, restart={"changed": True}, caches={"changed": False}, parts={"parts": {}})
    assert [(one["part"], one["text"]) for one in has.pop("changes")] == [
        ("backup", "backup before-v2"),
        ("push", "push v1 → v2"),
        ("restart", "PHP restart"),
    ]
    assert has == {
        "environment": "shop",
        "environment_id": "",
        "release": "v2",
        "before": "v1",
        "after": "v2",
        "done": ["backup", "push", "PHP restart"],
        "changed": True,
        "seconds": 12.3,
        "push_seconds": None,
        "failed": False,
        "rolled_back": False,
        "backup": BACKUP["backup"],
        "removed_backups": [],
        "log": [],
        "pictures": {"report": None, "differing": [], "to_look_at": [], "greatest": None, "problem": ""},
        "error": {},
        "unsettled": False,
        "problem": "",
        "advice": "",
    }


def planned(part: str, settings: dict[str, Any] | None = None, **results: Any) -> list[dict[str, Any]]:
    """Return what a plan has of a part, without what it has of every change."""
    changes = [one for one in result(settings, **results)["changes"] if one["part"] == part]
    assert [one.pop("details") for one in changes] == [[] for _one in changes]
    return changes


PUSH = {"push_db": True, "push_files": True, "push_files_option": "SPECIFIC_FILES", "file_list": ["a.php"]}


@pytest.mark.parametrize(
    ("settings", "warning"),
    [
        ({}, "OVERWRITES the database and a.php (kept in the backup before-v2)"),
        ({"takes_backup": False}, "OVERWRITES the database and a.php. CANNOT BE UNDONE: there is no backup"),
    ],
)
def test_a_plan_says_what_a_push_overwrites(settings, warning):
    more = {"source_environment_id": "e1", "push": {**PUSH, "run_search_and_replace": True}, **settings}
    assert planned("push", more, push=PUSHED) == [
        {
            "part": "push",
            "name": "",
            "text": "push v1 → v2",
            "before": "v1",
            "after": {"release": "v2", "source_environment_id": "e1", **PUSH, "run_search_and_replace": True},
            "warnings": [warning],
        }
    ]


@pytest.mark.parametrize(
    ("before", "tag", "text"),
    [
        (BEFORE, "before-v2", "restore v1 → backup 7 (before-v2)"),
        ({}, None, "restore – → backup 7 (without a tag)"),
    ],
)
def test_a_plan_says_which_backup_is_restored(before, tag, text):
    chosen = {"backup_id": 7, "tag": tag}
    assert planned("restore", before=before, chosen=chosen, restore={"changed": True}) == [
        {
            "part": "restore",
            "name": "",
            "text": text,
            "before": before.get("release", ""),
            "after": 7,
            "warnings": ["OVERWRITES the database and all files. CANNOT BE UNDONE: what came since the backup is lost"],
        }
    ]


def test_a_plan_has_the_commands_that_are_to_be_run():
    done = {"changed": True, "command": "core update-db"}
    there = {"changed": False, "command": "cache flush"}
    secret = {"changed": True}  # a command whose text nobody may see
    run = {"changed": True, "results": [done, there, secret]}
    assert planned("wp_cli", wp_cli=run) == [
        {"part": "wp_cli", "name": text, "text": text, "before": None, "after": text, "warnings": []}
        for text in ("core update-db", "")
    ]
    assert planned("wp_cli", wp_cli={"changed": True}) == []


def test_backups_that_make_room_are_told_with_the_new_one():
    removed = [{"id": 3, "tag": "before-v0"}, {"id": 4, "tag": None}]
    made = result(backup={**BACKUP, "removed": removed}, restart={"changed": True})
    assert made["done"] == ["backup (removed: 3 (before-v0), 4)", "PHP restart"]
    assert made["removed_backups"] == removed
    assert [(one["text"], one["warnings"]) for one in made["changes"]] == [
        ("backup before-v2", ["REMOVES backup 3 (before-v0)", "REMOVES backup 4"]),
        ("PHP restart", []),
    ]


def test_a_result_has_the_end_of_the_log_and_says_it():
    made = result(failure=BROKEN, log={"lines": ["PHP Fatal error: no."]})
    assert made["log"] == ["PHP Fatal error: no."]
    assert made["advice"].endswith("PHP Fatal error: no.")


def test_a_result_has_the_pictures_that_were_compared():
    made = result(compared={"report": "/pictures/index.html", "greatest": 12})
    assert (made["pictures"]["report"], made["pictures"]["greatest"]) == ("/pictures/index.html", 12)
    made = result(pictures_before={"error": {"kind": "invalid_input"}, "msg": "No page."})
    assert made["pictures"]["problem"] == "Pictures were not compared, because of what was there before: No page."


@pytest.mark.parametrize(
    ("release", "backup", "tag"),
    [
        ("v2", {}, "before-of-mine"),
        ("v2", {"tag": "taken-before"}, "taken-before"),
        ("", {}, "before-v1"),
    ],
)
def test_the_tag_to_go_back_by_is_that_of_the_backup_or_of_what_is_there(release, backup, tag):
    made = result(
        {"release": release, "backup_tag": "before-of-mine"},
        failure=failed("backup", "connection"),
        backup={"backup": backup},
        now=BEFORE,
    )
    assert made["problem"].startswith(f"It is not known whether the backup {tag} was taken")


def test_domains_and_denied_addresses_are_told_one_by_one():
    added = {"name": "new.example.com", "before": {}, "after": {"new.example.com": "present"}, "changed": True}
    there = {"name": "shop.example.com", "before": {}, "after": {}, "changed": False}
    parts = {
        "domains": {"changed": True, "entries": [added, there]},
        "denied_ips": {"changed": True, "before": ["192.0.2.1"], "after": ["192.0.2.2"]},
    }
    made = result(parts={"changed": True, "parts": parts})
    assert made["done"] == ["backup", "domains", "denied addresses"]
    assert [(one["text"], one["warnings"]) for one in made["changes"]] == [
        ("backup before-v2", []),
        ("domain new.example.com added", []),
        ("denied addresses +1 −1", ["REMOVES denied 192.0.2.1"]),
    ]


def test_what_is_brought_about_as_a_part_of_an_environment_is_told_as_the_step_that_it_is():
    made = result(kept={"changed": True, "parts": {"php_restart": {"changed": True}, "caches": {"changed": True}}})
    assert made["done"] == ["backup", "PHP restart", "caches"]


def test_the_time_of_a_push_is_that_of_the_push_of_this_run():
    known = {**THERE, "sent_at": "2026-11-02T00:00:00Z", "ended_at": "2026-11-02T00:04:30Z"}
    assert result(push=PUSHED, now=known)["push_seconds"] == 270
    assert result(push={"changed": False}, now=known)["push_seconds"] is None
    assert result(push=PUSHED, now={**known, "state": "in_progress", "ended_at": None})["push_seconds"] is None
    assert result(push=PUSHED, now={**known, "state": "unknown"})["push_seconds"] is None
    assert result({"check_mode": True}, push=PUSHED, now=known)["push_seconds"] is None
    assert result(push=PUSHED, now={**known, "release": "v3"})["push_seconds"] is None


def test_what_the_wait_for_all_has_seen_needs_no_other_look():
    push = {"changed": True, "operation": {"id": "7", "state": "in_progress"}}
    ends = [{"id": "6", "state": "finished", "seconds": 1.0}, {"id": "7", "state": "finished", "seconds": 270.5}]
    restored = {**BEFORE, "restored_backup": {"backup_id": 5, "release": "v1", "state": "finished"}}
    made = result(push=push, ends=ends, before=restored, now={})
    assert (made["before"], made["after"], made["push_seconds"]) == ("backup 5", "v2", 270.5)
    assert result(push={"changed": False}, ends=ends, now={})["after"] == "v1"
    unseen = result(push=push, ends=[{"id": "7", "state": "unknown", "seconds": 9.0}], now=THERE)
    assert (unseen["after"], unseen["push_seconds"]) == ("v2", None)


def test_a_prediction_says_what_would_be_there():
    assert result({"check_mode": True}, push=PUSHED, now=BEFORE)["after"] == "v2"
    assert result({"check_mode": True}, push={"changed": False}, now=BEFORE)["after"] == "v1"


@pytest.mark.parametrize(
    ("before", "back", "release"),
    [
        (BEFORE, {}, "v1"),
        (BEFORE, BACK, "v2"),
        ({"release": None, "restored_backup": {"backup_id": 7, "release": "v0"}}, {}, "v0"),
        ({}, {}, ""),
    ],
)
def test_a_rollback_is_about_the_release_that_is_there(before, back, release):
    assert result({"release": ""}, before=before, **{"return": back})["release"] == release


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ({}, ""),
        ({"failed": True, "msg": "No."}, ""),
        (THERE, "v2"),
        ({**THERE, "state": "in_progress"}, "v2 (accepted)"),
        ({**THERE, "state": "sent"}, "v2 (being sent)"),
        ({**THERE, "state": "unknown"}, "v2 (unknown)"),
        ({**THERE, "state": "failed"}, "v2 (failed)"),
        ({"release": None, "restored_backup": {"backup_id": 7, "state": "finished"}}, "backup 7"),
        ({"release": None, "restored_backup": {"backup_id": 7, "state": "unknown"}}, "backup 7 (unknown)"),
    ],
)
def test_what_an_environment_has_in_words(known, text):
    assert there(known) == text


# ---- what is said of all --------------------------------------------------------------------------------------------


def one(environment: str, **values: Any) -> dict[str, Any]:
    return {**result(push=PUSHED), "environment": environment, **values}


def summary(results: list[dict[str, Any]], wave: list[str], may_fail: float = 0, **settings: Any) -> dict[str, Any]:
    return summary_of(
        results,
        ["a", "b", "c", "d"],
        wave,
        "d",
        {"release": "v2", "check_mode": False, "may_fail": may_fail, **settings},
    )


def test_the_totals_and_who_is_left():
    back = one("b", failed=True, rolled_back=True, done=["push", "restore"], problem="It broke.")
    made = summary([one("a"), back, one("c", changed=False, done=[])], ["c"])
    assert made["summary"]["totals"] == {
        "environments": 4,
        "changed": 2,
        "unchanged": 1,
        "failed": 1,
        "rolled_back": 1,
        "not_reached": 1,
    }
    assert made["text"] == [
        "environment  before  after  done           seconds  needs",
        "a            v1      v2     backup, push   12.3",
        "b            v1      v2     push, restore  12.3     rolled back. It broke.",
        "c            v1      v2     -",
        "d            -       -      -                       not reached",
        "4 environments: 2 changed, 1 had nothing to do, 1 failed, 1 rolled back, 1 not reached.",
        "Fix the cause, then run the same command again; --limit 'b:d' selects those that are left.",
    ]
    assert [entry["failed"] for entry in made["summary"]["environments"]] == [False, True, False, None]
    assert made["summary"]["release"] == "v2"
    unreached = made["summary"]["environments"][-1]
    assert (unreached["rolled_back"], unreached["unsettled"], unreached["changed"]) == (False, False, False)


def test_only_what_this_run_has_rolled_back_is_counted_so():
    earlier = one("a", failed=True, rolled_back=True, done=[])
    by_hand = one("b", rolled_back=False, done=["restore"])
    assert summary([earlier, by_hand], ["b"])["summary"]["totals"]["rolled_back"] == 0


@pytest.mark.parametrize(
    ("failed_ones", "wave", "may_fail", "complete"),
    [
        ([], ["a"], 0, False),
        (["a"], ["a"], 0, True),
        (["a"], ["a", "b"], 0, True),
        (["a"], ["a", "b"], 50, False),
        (["a"], ["a", "b"], 49, True),
        (["a", "b"], ["a", "b"], 100, True),
        (["a"], ["b"], 0, False),
    ],
)
def test_the_summary_is_shown_when_no_wave_comes_after_this_one(failed_ones, wave, may_fail, complete):
    results = [one(name, failed=name in failed_ones) for name in {*failed_ones, *wave}]
    assert summary(results, wave, may_fail)["summary"]["is_complete"] is complete


def test_after_the_last_wave_the_summary_is_shown():
    assert summary([one(name) for name in "abcd"], ["d"])["summary"]["is_complete"] is True


def test_before_the_last_wave_it_is_not_shown_though_nothing_is_left_to_do():
    assert summary([one(name) for name in "abcd"], ["a"])["summary"]["is_complete"] is False


def test_a_prediction_is_told_as_one():
    broken = one("d", changes=[], done=[], changed=False, failed=True, problem="It broke.")
    made = summary([*(one(name) for name in "abc"), broken], ["d"], check_mode=True)
    assert "would do" in made["text"][0]
    assert made["text"][-2] == "4 environments: 3 would be changed, 0 had nothing to do, 1 failed."
    plan = made["summary"]["plan"]
    assert (plan["plan"], plan["totals"]["changed"]) == ("deploy", 3)
    assert [one["needs"] for one in plan["environments"]] == [[], [], [], ["It broke."]]
    rollback = summary([one("a")], ["d"], check_mode=True, playbook="rollback")["summary"]["plan"]
    assert rollback["plan"] == "rollback"


def test_a_run_that_is_no_prediction_has_no_plan():
    assert summary([one("a")], ["d"])["summary"]["plan"] is None


def test_what_nobody_knows_is_told_whole_after_the_table():
    story = "The answer was lost. " * 70
    lost = one("a", failed=True, unsettled=True, problem=f"{story}It is not known\x1b[2J.", advice="Settle it.")
    assert summary([lost], ["a"])["text"][-1] == f"a: {story}It is not known [2J. Settle it."


def test_of_many_that_are_left_only_some_would_fit():
    names = [f"site{number}" for number in range(12)]
    results = [one(name, failed=True, problem="It broke.") for name in names]
    settings = {"release": "v2", "check_mode": False, "may_fail": 0}
    text = summary_of(results, names, names, names[-1], settings)["text"]
    assert text[1].startswith("12 environments: site0, site1, site2, …")
    assert text[-1] == "Fix the cause, then run the same command again: it leaves alone what is done."
