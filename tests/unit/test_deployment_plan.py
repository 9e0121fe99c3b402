# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role deploy says before it does anything, row by row."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.deployment_plan import (
    plan_of,
    preflight_of,
    releases_of,
    result_without_work,
)

# ---- what is going to be done ---------------------------------------------------------------------------------------

HOST = {
    "environment": "shop",
    "release": "v2",
    "environment_name": "",
    "ignores_lock": False,
    "check_mode": False,
    "takes_backup": True,
    "backup_tag": "before-v2",
    "before_tasks": [],
    "after_push_tasks": [],
    "after_tasks": [],
    "wp_cli": 0,
    "cdn_cache_id": "",
    "domains": [],
    "sets_denied_ips": False,
    "restarts_php": True,
    "caches": ["site", "edge"],
    "verifies": False,
}
LINE = "shop: a → b"
KNOWN = {
    "release": "v1",
    "state": "finished",
    "restored_backup": None,
    "is_interrupted": False,
    "locks": [],
    "is_restarted": True,
    "php_restart": {"release": "v2", "state": "finished"},
    "cleared_caches": ["edge", "site"],
}
NOT_PUSHED: dict[str, Any] = {"release": None, "state": None}


@pytest.mark.parametrize(
    ("known", "prediction", "push"),
    [
        ({}, {}, "off"),
        ({}, {"is_pushed": True}, "due"),
        ({}, {"error": {"kind": "connection"}}, "due"),
        ({}, {"error": {"kind": "outcome_unknown"}}, "unknown"),
        ({}, {"is_pushed": False}, "there"),
        ({"state": "in_progress"}, {"is_pushed": False}, "in progress"),
        ({"state": "sent"}, {"is_pushed": False}, "in progress"),
    ],
)
def test_what_becomes_of_the_push(known, prediction, push):
    assert preflight_of(HOST, {**KNOWN, **known}, prediction, LINE)["push"] == push


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ({}, "v1"),
        (NOT_PUSHED, "not known"),
        ({**NOT_PUSHED, "restored_backup": {"backup_id": 7}}, "backup 7"),
    ],
)
def test_what_is_there(known, text):
    assert preflight_of(HOST, {**KNOWN, **known}, {}, LINE)["there"] == text


@pytest.mark.parametrize(("name", "is_live"), [("", True), (None, True), ("live", True), ("staging", False)])
def test_what_is_live(name, is_live):
    assert preflight_of({**HOST, "environment_name": name}, KNOWN, {}, LINE)["is_live"] is is_live


def test_a_push_of_a_run_that_was_interrupted_is_known_as_one():
    assert preflight_of(HOST, {**KNOWN, "is_interrupted": True}, {"is_pushed": False}, LINE)["is_interrupted"] is True


def test_what_hooks_get():
    assert preflight_of(HOST, {**KNOWN, **NOT_PUSHED, "is_interrupted": None}, {"is_pushed": True}, LINE) == {
        "environment": "shop",
        "release": "v2",
        "release_before": "",
        "there": "not known",
        "locks": [],
        "ignores_lock": False,
        "is_live": True,
        "is_interrupted": False,
        "state_before": "",
        "push": "due",
        "is_due": True,
        "asks_site": False,
        "line": "shop: a → b",
    }


DUE = {
    "nothing": ({}, {}, {"is_pushed": False}, False),
    "caches that are not wanted": ({"caches": []}, {"cleared_caches": []}, {"is_pushed": False}, False),
    "a restart that is not wanted": ({"restarts_php": False}, {"php_restart": None}, {"is_pushed": False}, False),
    "the push": ({}, {}, {"is_pushed": True}, True),
    "no push, but the rest": ({}, {}, {}, True),
    "a push that goes on": ({}, {"state": "in_progress"}, {"is_pushed": False}, True),
    "a push to settle": ({}, {}, {"error": {"kind": "outcome_unknown"}}, True),
    "tasks before the backup": ({"before_tasks": ["a.yml"]}, {}, {"is_pushed": False}, True),
    "tasks after the push": ({"after_push_tasks": ["a.yml"]}, {}, {"is_pushed": False}, True),
    "tasks at the end": ({"after_tasks": ["a.yml"]}, {}, {"is_pushed": False}, True),
    "domains, as far as is known": ({"domains": [{"domain_name": "a"}]}, {}, {"is_pushed": False}, True),
    "denied addresses, as far as is known": ({"sets_denied_ips": True}, {}, {"is_pushed": False}, True),
    "a look at the site": ({"verifies": True}, {}, {"is_pushed": False}, True),
    "no look in check mode": ({"verifies": True, "check_mode": True}, {}, {"is_pushed": False}, False),
    "no restart": ({}, {"php_restart": None, "is_restarted": False}, {"is_pushed": False}, True),
    "no restart since the push": ({}, {"is_restarted": False}, {"is_pushed": False}, True),
    "a restart for something else": (
        {},
        {"php_restart": {"release": "v1", "state": "finished"}},
        {"is_pushed": False},
        True,
    ),
    "a restart that goes on": (
        {},
        {"php_restart": {"release": "v2", "state": "in_progress"}},
        {"is_pushed": False},
        True,
    ),
    "a cache": ({}, {"cleared_caches": ["site"]}, {"is_pushed": False}, True),
}


DECLARES = {"domains": [{"domain_name": "a"}], "sets_denied_ips": True}
AS_DECLARED = {"domains": {"differs": False}, "denied_ips": {"differs": False}}


@pytest.mark.parametrize(
    ("parts", "is_due"),
    [
        (AS_DECLARED, False),
        ({**AS_DECLARED, "domains": {"differs": True}}, True),
        ({**AS_DECLARED, "denied_ips": {"differs": None}}, True),
        ({"domains": {"differs": False}}, True),
        (None, True),
    ],
    ids=["all is there", "a domain is missing", "a part cannot be read", "a part was not read", "nothing was read"],
)
def test_what_is_declared_is_left_alone_where_it_is_there(parts, is_due):
    assert preflight_of({**HOST, **DECLARES}, KNOWN, {"is_pushed": False}, LINE, parts)["is_due"] is is_due


@pytest.mark.parametrize(
    ("site", "host", "known", "asks", "is_due"),
    [
        (None, {}, {}, True, True),
        ({"failed": False}, {}, {}, True, False),
        ({"failed": True}, {}, {}, True, True),
        ({"failed": False}, {"after_tasks": ["a.yml"]}, {}, False, True),
        ({"failed": False}, {}, {"is_restarted": False}, False, True),
        (None, {"check_mode": True}, {}, False, False),
    ],
    ids=["not asked", "well", "broken", "with tasks", "not restarted", "check mode"],
)
def test_where_only_the_site_is_left_it_decides(site, host, known, asks, is_due):
    settings, known = {**HOST, "verifies": True, **host}, {**KNOWN, **known}
    found = preflight_of(settings, known, {"is_pushed": False}, LINE, site=site)
    assert (found["asks_site"], found["is_due"]) == (asks, is_due)


@pytest.mark.parametrize(("host", "known", "prediction", "is_due"), DUE.values(), ids=DUE)
def test_what_is_left_to_do(host, known, prediction, is_due):
    assert preflight_of({**HOST, **host}, {**KNOWN, **known}, prediction, LINE)["is_due"] is is_due


def test_an_environment_with_nothing_to_do_has_its_result_at_once():
    known = {**KNOWN, "release": "v2"}
    result = result_without_work({"is_due": False, "push": "there"}, HOST, known, 7.0)
    assert {name: result[name] for name in ("environment", "before", "after", "changed", "failed", "seconds")} == {
        "environment": "shop",
        "before": "v2",
        "after": "v2",
        "changed": False,
        "failed": False,
        "seconds": 0.0,
    }
    assert result_without_work({"is_due": True}, HOST, known, 7.0) == {}


PLANNED = {"changes": [{"part": "push", "before": "v1", "after": {"release": "v2"}}]}
HELD = {
    "as the plan saw it": (PLANNED, {}, "due"),
    "another release": (PLANNED, {"release": "v0"}, "not planned"),
    "a backup restored since": (PLANNED, {**NOT_PUSHED, "restored_backup": {"backup_id": 7}}, "not planned"),
    "no push planned": ({"changes": []}, {}, "not planned"),
    "no plan": (None, {}, "due"),
}


@pytest.mark.parametrize(("planned", "known", "push"), HELD.values(), ids=HELD)
def test_a_push_is_due_only_as_the_plan_has_it(planned, known, push):
    host, known = {**HOST, "planned": planned}, {**KNOWN, **known}
    found = preflight_of(host, known, {"is_pushed": True}, LINE)
    assert (found["push"], found["is_due"]) == (push, push == "due")
    result = result_without_work(found, host, known, 7.0)
    assert (result == {}) is (push == "due")
    assert push == "due" or (result["failed"], result["advice"], result["changed"]) == (
        True,
        "Nothing was done there. Make a new plan.",
        False,
    )


def test_an_environment_whose_release_the_plan_did_not_know_is_told_in_plain_words():
    planned = {"changes": [{**PLANNED["changes"][0], "before": ""}]}
    known = {**KNOWN, "release": "v21"}
    settings = {**HOST, "planned": planned}
    result = result_without_work(preflight_of(settings, known, {"is_pushed": True}, LINE), settings, known, 7.0)
    assert result["error"] == {"kind": "check_failed"}
    assert result["problem"] == "It has v21, and the plan saw no known release."


def test_what_is_there_already_may_be_in_a_plan():
    found = preflight_of({**HOST, "planned": PLANNED}, {**KNOWN, "release": "v2"}, {"is_pushed": False}, LINE)
    assert (found["push"], found["is_due"]) == ("there", False)


STANDS = {
    "it is there": ({"release": "v2", "state": "finished"}, "v2"),
    "its push was accepted": ({"release": "v2", "state": "in_progress"}, "v2"),
    "nobody knows how its push ended": ({"release": "v2", "state": "unknown"}, "v2, unknown"),
    "its push failed": ({"release": "v2", "state": "failed"}, "v2, failed"),
    "a backup was restored since": (
        {"release": "v2", "state": "failed", "restored_backup": {"backup_id": 7, "state": "finished"}},
        "backup 7",
    ),
    "nothing is known": ({"release": None, "state": None}, "not known"),
}


@pytest.mark.parametrize(("known", "there"), STANDS.values(), ids=STANDS)
def test_a_release_that_may_not_be_there_is_not_told_as_there(known, there):
    assert preflight_of(HOST, {**KNOWN, **known}, {"is_pushed": True}, LINE)["there"] == there


PUSH = {"push_db": True, "push_files": True, "file_list": []}
SETTINGS = {
    "release": "v2",
    "check_mode": False,
    "pushes": True,
    "push": PUSH,
    "takes_backup": True,
    "backup_tag": "before-v2",
    "verify": True,
    "verify_urls": [],
    "rolls_back": False,
    "waves": [1, "100%"],
    "may_fail": 0,
    "confirms": None,
}


def environment(name: str, push: str = "due", **values: Any) -> dict[str, Any]:
    start = {"environment": name, "there": "v1", "is_live": True, "is_interrupted": False, "line": name}
    start |= {"locks": [], "ignores_lock": False}
    return {**start, "push": push, **values}


def test_the_plan_counts():
    plan = plan_of(
        [
            environment("a"),
            environment("b", is_live=False),
            environment("c", "there", there="V0"),
            environment("d", "in progress"),
            environment("e", "in progress", is_interrupted=True),
            environment("e2", "in progress", is_interrupted=True),
            environment("f", "unknown", there="backup 7"),
        ],
        SETTINGS,
    )
    assert plan == {
        "environments": 7,
        "due": 2,
        "live_due": 1,
        "there": 1,
        "waiting": 1,
        "interrupted": 2,
        "unplanned": [],
        "unknown": ["f"],
        "parts": "the database and all files",
        "releases": ["backup 7 (1)", "V0 (1)", "v1 (5)"],
        "verify_urls": [],
        "goes_back": "no",
        "confirms": False,
        "locks": {"refused": "", "ignored": ""},
        "text": [
            "Release v2 for 7 environments.",
            (
                "To push: 2. There already: 1. Being pushed by another run, to be waited for: 1. Being pushed since an"
                " interrupted run, to be waited for: 2. Of unknown outcome, for you to settle: f."
            ),
            "Each push brings the database and all files, after a backup (before-v2).",
            "Releases there now: backup 7 (1), V0 (1), v1 (5).",
            (
                "Waves (deploy_serial): 1, then 100%. More than 0 % of failures in a wave stop the rest"
                " (deploy_max_fail_percentage)."
            ),
            "NOT verified: no address is known (deploy_verify_urls).",
            "Nothing is rolled back automatically (deploy_rollback is false).",
            *("a", "b", "d", "e", "e2", "f"),
        ],
    }


def test_a_plan_for_many_has_one_line_for_all_that_get_the_same():
    names = [f"site{number}" for number in range(11)]
    moves = [environment(name, line=f"{name}: staging → live ({name}.example.com)") for name in names]
    moves.append(environment("shop", line="shop: preview → live"))
    assert plan_of(moves, SETTINGS)["text"][-2:] == [f"staging → live: {', '.join(names)}", "preview → live: shop"]


@pytest.mark.parametrize(("count", "lines"), [(10, 10), (11, 1)])
def test_a_plan_for_some_has_a_line_for_each(count: int, lines: int):
    moves = [environment(f"site{number}", line=f"site{number}: staging → live") for number in range(count)]
    assert len([line for line in plan_of(moves, SETTINGS)["text"] if "staging → live" in line]) == lines


def test_where_nothing_is_pushed_nothing_is_said_of_going_back():
    text = plan_of([environment("a")], {**SETTINGS, "pushes": False})["text"]
    assert not any("rolled back" in line for line in text)


def test_what_is_left_alone_is_not_listed_as_a_push():
    text = plan_of([environment("a"), environment("b", "not planned")], SETTINGS)["text"]
    assert text[1] == "To push: 1. There already: 0. Not as the plan saw them, to be left alone: b."
    assert text[-1] == "a"


def test_where_nothing_is_pushed_nothing_is_said_of_what_a_push_brings():
    text = plan_of([environment("a", "there")], SETTINGS)["text"]
    assert text[1] == "To push: 0. There already: 1."
    assert not any("Each push" in line for line in text)


TEXTS = {
    "in check mode": ({"check_mode": True}, "Release v2 for 1 environment, check mode: nothing will be changed."),
    "without a push": ({"pushes": False}, "Nothing is pushed (deploy_push is false)."),
    "without a backup": ({"takes_backup": False}, "Each push brings the database and all files, WITHOUT a backup."),
    "one address": (
        {"verify_urls": ["https://a"]},
        "Verified by asking 1 address of each site, such as https://a.",
    ),
    "two addresses": (
        {"verify_urls": ["https://a", "https://b"]},
        "Verified by asking 2 addresses of each site, such as https://a.",
    ),
    "not verified": ({"verify": False}, "NOT verified: deploy_verify is false."),
    "it goes back": (
        {"rolls_back": True},
        "When the push, the tasks after it or the verification fails, the backup is restored (deploy_rollback).",
    ),
}


@pytest.mark.parametrize(("settings", "line"), TEXTS.values(), ids=TEXTS)
def test_the_text_of_the_plan(settings, line):
    assert line in plan_of([environment("a")], {**SETTINGS, **settings}, {"backups": []})["text"]


def test_the_waves_are_told_of_several_environments_only():
    several = plan_of([environment("a"), environment("b")], {**SETTINGS, "waves": [2, "50%"], "may_fail": 12.5})
    said = "Waves (deploy_serial): 2, then 50%. More than 12.5 % of failures"
    assert any(line.startswith(said) for line in several["text"])
    assert not any("Waves" in line for line in plan_of([environment("a")], SETTINGS)["text"])


@pytest.mark.parametrize(
    ("settings", "names", "confirms"),
    [
        ({}, "ab", True),
        ({}, "a", False),
        ({"check_mode": True}, "ab", False),
        ({"confirms": False}, "ab", False),
        ({"confirms": True}, "a", True),
        ({"confirms": True}, "", False),
    ],
)
def test_who_is_asked(settings, names, confirms):
    environments = [environment(name) for name in names] + [environment("there", "there")]
    assert plan_of(environments, {**SETTINGS, **settings})["confirms"] is confirms


def test_the_locks_of_all_environments_are_told():
    lock = {"until": "then", "author": "anna", "reason": "Black Friday"}
    locks = plan_of([environment("a"), environment("b", locks=[lock])], SETTINGS)["locks"]
    assert locks["refused"].startswith("b is locked until then by anna: Black Friday. Nothing was done.")


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        ({}, "the database and all files"),
        ({"push_db": False}, "all files"),
        ({"push_files": False}, "the database"),
        ({"file_list": ["wp-content/a", "b"]}, "the database and wp-content/a, b"),
        ({"file_list": ["a"], "push_db": False}, "a"),
    ],
)
def test_what_a_push_brings(settings, parts):
    assert plan_of([], {**SETTINGS, "push": {**PUSH, **settings}})["parts"] == parts


@pytest.mark.parametrize(
    ("rollback", "backups", "expected"),
    [
        (False, {"backups": []}, "no"),
        (True, {"backups": []}, "yes"),
        (True, {"failed": True}, "cannot"),
        (True, None, "cannot"),
    ],
)
def test_whether_it_can_go_back(rollback, backups, expected):
    assert plan_of([], {**SETTINGS, "rolls_back": rollback}, backups)["goes_back"] == expected


def test_an_address_cannot_steer_a_terminal():
    assert plan_of([], {**SETTINGS, "verify_urls": ["https://a\x1b[2J", "b"]})["verify_urls"] == ["https://a [2J", "b"]


# ---- which release is where -----------------------------------------------------------------------------------------

PARTS = [{"ended_at": "first"}, {"ended_at": "second"}]
LOCK = {"until": "then", "author": "anna", "reason": "Black Friday"}
RELEASES = {
    "it was not asked": ({}, ("not known", "", "", "", "")),
    "nothing is known": ({**KNOWN, **NOT_PUSHED, "parts": []}, ("not known", "", "", "", "")),
    "pushed": ({**KNOWN, "parts": PARTS}, ("v1", "finished", "second", "", "")),
    "it goes on": (
        {**KNOWN, "state": "in_progress", "sent_at": "sent", "parts": [{"ended_at": None}]},
        ("v1", "in_progress", "sent", "accepted; its end was not seen yet", ""),
    ),
    "it is being sent": (
        {**KNOWN, "state": "sent", "sent_at": "sent", "parts": [{"ended_at": None}]},
        ("v1", "sent", "sent", "waits for an answer", ""),
    ),
    "it failed": (
        {**KNOWN, "state": "failed", "parts": PARTS},
        ("v1", "failed", "second", "deploy again, or roll back", ""),
    ),
    "pushed in one part": ({**KNOWN, "parts": PARTS[:1]}, ("v1", "finished", "first", "", "")),
    "a backup was restored since": (
        {**KNOWN, "parts": PARTS, "restored_backup": {"backup_id": 7, "state": "finished", "ended_at": "third"}},
        ("backup 7", "finished", "third", "", ""),
    ),
    "nobody knows": (
        {**KNOWN, "state": "unknown", "parts": PARTS},
        ("v1", "unknown", "second", "hosting.management.settle (release v1)", ""),
    ),
    "nobody knows of a push without a release": (
        {**KNOWN, "release": None, "state": "unknown", "sent_at": "sent", "parts": PARTS},
        ("not known", "unknown", "second", "hosting.management.settle (what: push)", ""),
    ),
    "nobody knows of a restore": (
        {**NOT_PUSHED, "restored_backup": {"backup_id": 7, "state": "unknown", "ended_at": None, "sent_at": "sent"}},
        ("backup 7", "unknown", "sent", "hosting.management.settle (backup_id 7)", ""),
    ),
    "locked twice": (
        {**KNOWN, "parts": PARTS, "locks": [LOCK, LOCK]},
        ("v1", "finished", "second", "", "until then by anna: Black Friday; until then by anna: Black Friday"),
    ),
}


@pytest.mark.parametrize(("ids", "known"), [(["id"], [{}, {}]), (["id", "id"], [{}])])
def test_environments_and_what_is_known_of_them_go_together(ids: list, known: list):
    with pytest.raises(ValueError, match="zip"):
        releases_of(["shop", "blog"], ids, known)


@pytest.mark.parametrize(("known", "row"), RELEASES.values(), ids=RELEASES)
def test_the_row_of_an_environment(known, row):
    [made] = releases_of(["shop"], ["id"], [known])
    assert made == {"environment": "shop", "environment_id": "id"} | dict(
        zip(("release", "state", "since", "needs", "lock"), row, strict=True)
    )
