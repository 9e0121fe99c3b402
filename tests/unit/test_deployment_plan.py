# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role deploy says before it does anything, row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.management.plugins.plugin_utils.deployment_plan import (
    plan_of,
    preflight_of,
    problems_of,
    releases_of,
)

ROLE = Path(__file__).parents[2] / "roles" / "deploy"
OPTIONS = yaml.safe_load((ROLE / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
GIVEN = {
    "deploy_release": "v2",
    "deploy_site_id": "s",
    "deploy_environment_id": "e",
    "deploy_source_environment_id": "f",
    "deploy_notified_user_id": "",
    "deploy_push": True,
    "deploy_backup": True,
    "deploy_rollback": False,
    "deploy_verify": True,
    "deploy_verify_urls": [],
    "deploy_verify_attempts": 5,
    "deploy_verify_pause": 5,
    "deploy_verify_timeout": 30,
    "deploy_set_denied_ips": False,
    "deploy_before_tasks": [],
    "deploy_after_push_tasks": [],
    "deploy_after_tasks": [],
}

# ---- what is missing or misspelled ----------------------------------------------------------------------------------

PROBLEMS = {
    "null": ({"deploy_denied_ips": None}, "deploy_denied_ips has no value (null). Give it one, or leave it out."),
    "no name": (
        {"deploy_release": " "},
        "shop lacks deploy_release, the name of the release (-e deploy_release=v1.2.3).",
    ),
    "no name at all": ({"deploy_release": None}, "deploy_release has no value (null). Give it one, or leave it out."),
    "no site": ({"deploy_site_id": ""}, "shop lacks deploy_site_id, the id of its site (hosting_site_id in the"),
    "no source": ({"deploy_source_environment_id": ""}, "shop lacks deploy_source_environment_id, the id of the env"),
    "nobody to be told": ({"deploy_rollback": "yes"}, "shop lacks deploy_notified_user_id, the id of the user of"),
    "a fraction": ({"deploy_release": 1.1}, "deploy_release is the number 1.1. Write it in quotes: without them,"),
    "nothing to go back to": (
        {"deploy_rollback": True, "deploy_notified_user_id": "u", "deploy_backup": "false"},
        "deploy_rollback needs deploy_backup: there would be nothing to go back to.",
    ),
    "nothing to go back from": (
        {"deploy_rollback": True, "deploy_notified_user_id": "u", "deploy_push": False},
        "deploy_rollback needs deploy_push: there would be nothing to go back from.",
    ),
    "no address": ({"deploy_verify_urls": ["shop.example.com"]}, "deploy_verify_urls has shop.example.com, which is"),
    "a login": (
        {"deploy_verify_urls": "https://me:hush@a.example"},
        "deploy_verify_urls has ********@a.example, which",
    ),
    "no attempts": ({"deploy_verify_attempts": "0"}, "deploy_verify_attempts must be 1 or more, deploy_verify_pause 0"),
    "no patience": ({"deploy_verify_pause": -1}, "deploy_verify_attempts must be 1 or more, deploy_verify_pause 0"),
    "no time": ({"deploy_verify_timeout": 0}, "deploy_verify_attempts must be 1 or more, deploy_verify_pause 0"),
    "no list": ({"deploy_set_denied_ips": True}, "deploy_set_denied_ips needs deploy_denied_ips, the addresses."),
    "no such file": ({"deploy_after_tasks": "nowhere.yml"}, "deploy_after_tasks has nowhere.yml, and there is no such"),
    "no truth": ({"deploy_push_db": "fales"}, "argument 'deploy_push_db' is of type str and we were unable to convert"),
    "no choice": (
        {"deploy_caches": ["page"]},
        "value of deploy_caches must be one or more of: site, edge, cdn. Got no",
    ),
    "no name of a domain": (
        {"deploy_domains": [{}]},
        "missing required arguments: domain_name found in deploy_domains",
    ),
}

NO_PROBLEM = {
    "all is there": {},
    "nothing is pushed": {"deploy_push": False, "deploy_source_environment_id": ""},
    "nothing is verified": {"deploy_verify": "no", "deploy_verify_urls": ["x"], "deploy_verify_attempts": 0},
    "a whole number": {"deploy_release": 20261101},
    "lists as text": {"deploy_verify_urls": "https://a.example,HTTPS://b.example/x", "deploy_file_list": "a,b"},
    "a file that is there": {"deploy_after_tasks": str(ROLE / "tasks" / "main.yml") + ","},
}


def problems(given: dict[str, Any], **waves: Any) -> list[str]:
    return problems_of({**GIVEN, **given}, "shop", options=OPTIONS, waves=waves)


@pytest.mark.parametrize(("given", "said"), PROBLEMS.values(), ids=PROBLEMS)
def test_what_is_wrong_is_told_once(given, said):
    [problem] = problems(given)
    assert problem.startswith(said)
    assert "hush" not in problem


@pytest.mark.parametrize("given", NO_PROBLEM.values(), ids=NO_PROBLEM)
def test_nothing_is_wrong(given):
    assert problems(given) == []


@pytest.mark.parametrize(
    ("waves", "said"),
    [
        ({"sizes": [1, "50%"]}, None),
        ({"sizes": ["one"]}, "deploy_serial has one, which is neither a number of environments nor a percentage"),
        ({"are_in_force": False}, "deploy_serial and deploy_max_fail_percentage apply to all hosts at once"),
    ],
)
def test_waves(waves, said):
    found = problems({}, **waves)
    assert [one[: len(said or "")] for one in found] == ([said] if said else [])


def test_a_rollback_needs_less():
    assert problems_of({"deploy_environment_id": "e", "deploy_notified_user_id": "u"}, "shop") == []
    [first, second, third] = problems_of({"deploy_environment_id": "", "deploy_caches": None}, "shop")
    assert first.startswith("deploy_caches has no value (null).")
    assert second.startswith("shop lacks deploy_environment_id, the id of the environment to roll back (hosting_env")
    assert third.startswith("shop lacks deploy_notified_user_id")


# ---- what is going to be done ---------------------------------------------------------------------------------------

HOST = {
    "environment": "shop",
    "release": "v2",
    "environment_name": "",
    "ignores_lock": False,
    "tasks": [],
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
        ({}, {"skipped": True, "changed": False}, "off"),
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
        "line": "shop: a → b",
    }


DUE = {
    "nothing": ({}, {}, {"is_pushed": False}, False),
    "caches that are not wanted": ({"caches": []}, {"cleared_caches": []}, {"is_pushed": False}, False),
    "a restart that is not wanted": ({"restarts_php": False}, {"php_restart": None}, {"is_pushed": False}, False),
    "caches as text": ({"caches": "site,edge"}, {}, {"is_pushed": False}, False),
    "a release that is a number": (
        {"release": 2, "caches": []},
        {"php_restart": {"release": "2", "state": "finished"}},
        {"is_pushed": False},
        False,
    ),
    "the push": ({}, {}, {"is_pushed": True}, True),
    "no push, but the rest": ({}, {}, {"skipped": True}, True),
    "a push that goes on": ({}, {"state": "in_progress"}, {"is_pushed": False}, True),
    "a push to settle": ({}, {}, {"error": {"kind": "outcome_unknown"}}, True),
    "tasks of one's own": ({"tasks": ["a.yml"]}, {}, {"is_pushed": False}, True),
    "domains": ({"domains": [{"domain_name": "a"}]}, {}, {"is_pushed": False}, True),
    "denied addresses": ({"sets_denied_ips": True}, {}, {"is_pushed": False}, True),
    "the verification": ({"verifies": True}, {}, {"is_pushed": False}, True),
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


@pytest.mark.parametrize(("host", "known", "prediction", "is_due"), DUE.values(), ids=DUE)
def test_what_is_left_to_do(host, known, prediction, is_due):
    assert preflight_of({**HOST, **host}, {**KNOWN, **known}, prediction, LINE)["is_due"] is is_due


SETTINGS = {"push_db": True, "push_files": True, "file_list": [], "verify_urls": [], "rollback": False}


def environment(name: str, push: str = "due", **values: Any) -> dict[str, Any]:
    start = {"environment": name, "there": "v1", "is_live": True, "is_interrupted": False, "line": name}
    return {**start, "push": push, **values}


def test_the_plan_counts():
    plan = plan_of(
        [
            environment("a"),
            environment("b", is_live=False),
            environment("c", "there", there="V0"),
            environment("d", "in progress"),
            environment("e", "in progress", is_interrupted=True),
            environment("f", "unknown", there="backup 7"),
        ],
        SETTINGS,
    )
    assert plan == {
        "environments": 6,
        "due": 2,
        "live_due": 1,
        "there": 1,
        "waiting": 1,
        "interrupted": 1,
        "unknown": ["f"],
        "parts": "the database and all files",
        "releases": ["backup 7 (1)", "V0 (1)", "v1 (4)"],
        "verify_urls": [],
        "goes_back": "no",
        "lines": ["a", "b", "c", "d", "e", "f"],
    }


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        ({}, "the database and all files"),
        ({"push_db": False}, "all files"),
        ({"push_files": False}, "the database"),
        ({"file_list": ["wp-content/a", "b"]}, "the database and wp-content/a, b"),
        ({"file_list": "a,b", "push_db": False}, "a, b"),
    ],
)
def test_what_a_push_brings(settings, parts):
    assert plan_of([], {**SETTINGS, **settings})["parts"] == parts


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
    assert plan_of([], {**SETTINGS, "rollback": rollback}, backups)["goes_back"] == expected


def test_an_address_cannot_steer_a_terminal():
    assert plan_of([], {**SETTINGS, "verify_urls": "https://a\x1b[2J,b"})["verify_urls"] == ["https://a [2J", "b"]


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


@pytest.mark.parametrize(("known", "row"), RELEASES.values(), ids=RELEASES)
def test_the_row_of_an_environment(known, row):
    [made] = releases_of(["shop"], ["id"], [known])
    assert made == {"environment": "shop", "environment_id": "id"} | dict(
        zip(("release", "state", "since", "needs", "lock"), row, strict=True)
    )
