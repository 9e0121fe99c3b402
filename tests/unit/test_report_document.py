# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the report makes of what was read, and of what was not."""

from __future__ import annotations

import copy
import json

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.report.days import ReportError
from ansible_collections.hosting.management.plugins.plugin_utils.report.document import parts_of
from unit.report_fleet import KEY, PARTS, document, failed, host


def with_part(name: str, result: object, number: int = 1) -> dict:
    one = host(number)
    one["parts"][name] = result
    return one


def attention(made: dict) -> dict[str, str]:
    return {note["section"]: f"{note['level']}: {note['text']}" for note in made["attention"]}


def test_the_fleet_is_added_up():
    made = document([host(1), host(2)])
    first, second = (one["visits"] for one in made["environments"])
    assert made["summary"]["visits"] == first["total"] + second["total"]
    assert [one["visits"] for one in made["visits"]] == [
        a["visits"] + b["visits"] for a, b in zip(first["points"], second["points"], strict=True)
    ]
    assert made["networks"][0] == {"name": "AS64514 Net", "views": 25200, "environments": 2}
    assert made["versions"]["php"] == [
        {"version": "php8.1", "environments": 1},
        {"version": "php8.2", "environments": 1},
    ]


def test_vulnerable_plugins_come_first_with_all_hosts_that_have_them():
    rows = document([host(1), host(4), host(2)])["plugins"]
    assert [(one["name"], one["version"], one["hosts"]) for one in rows[:2]] == [
        ("plugin-0", "0.1", ["site-1-live", "site-4-live"]),
        ("plugin-0", "0.2", ["site-2-live"]),
    ]
    assert not any(one["is_version_vulnerable"] for one in rows[2:])


def test_it_is_json():
    made = document([host(1), with_part("dns", failed(), 2)])
    assert json.loads(json.dumps(made, allow_nan=False)) == made


def test_a_failed_reading_is_a_gap_and_nothing_else_is_missing():
    made = document([host(1), with_part("visits", failed(msg="The service answered 500."), 2)])
    assert [(one["subject"], one["part"], one["reason"]) for one in made["not_read"]] == [
        ("site-2-live", "visits", "The service answered 500.")
    ]
    assert made["environments"][1]["visits"] is None
    assert made["environments"][1]["plugins"]
    assert attention(made)["gaps"] == "warn: 1 reading failed."


@pytest.mark.parametrize("part", sorted(set(PARTS) - {"dns", "drift"}))
def test_each_part_may_fail(part: str):
    made = document([with_part(part, failed()), host(2)])
    assert [(one["subject"], one["part"]) for one in made["not_read"]] == [("site-1-live", part)]


def gap(msg: str, **more: object) -> dict:
    return {"msg": msg, "error": {"kind": "service", "is_offered": True}, **more}


def test_what_one_task_has_read_are_the_parts():
    records = {"dns_records": [], "answer": {}}
    domains = [{"domain_id": "b1", **records}, {"domain_id": "b2", **records}]
    readings = {"visits": {"visits": {}}, "backup": {"backups": []}, "dns_records": {"domains": domains}}
    unread = {
        "sftp_allowlist": gap("No answer."),
        "backup": gap("Something cannot be declared."),
        "dns_records": gap("Gone.", elements=[gap("Gone.", domain_id="b3")]),
    }
    parts = parts_of({"readings": readings, "unread": unread, "declaration": {}, "changed": False})
    assert {name for name, part in parts.items() if part} == {"visits", "backups", "sftp", "dns"}
    assert (parts["visits"], parts["backups"]) == (readings["visits"], readings["backup"])
    assert parts["sftp"]["msg"] == "No answer."
    assert [(one["item"], "dns_records" in one) for one in parts["dns"]["results"]] == [
        ("b1", True),
        ("b2", True),
        ("b3", False),
    ]


def test_a_task_that_has_failed_is_a_gap_in_each_part():
    made = document([{**host(1), "parts": parts_of({"failed": True, **gap("No way.")})}], parts=["visits", "dns"])
    assert [(one["part"], one["reason"]) for one in made["not_read"]] == [("visits", "No way."), ("dns", "No way.")]


@pytest.mark.parametrize("read", [{}, {"skipped": True, "changed": False}], ids=["lost", "skipped"])
def test_what_was_not_read_has_no_parts(read: dict):
    assert not document([{**host(1), "parts": parts_of(read)}])["not_read"]


def test_a_domain_that_cannot_be_read_is_named():
    results = [{"item": "b1", "dns_records": []}, {"item": "b2", **failed()}]
    made = document([with_part("dns", {"results": results})])
    assert [one["subject"] for one in made["not_read"]] == ["site-1-live, domain b2"]
    assert made["environments"][0]["dns"] == [{"domain_id": "b1", "records": []}]


def test_a_host_that_failed_is_one_gap():
    made = document([{"host": "lost", "parts": {}, "error": "The host failed."}, host(1)])
    assert [(one["subject"], one["part"], one["reason"]) for one in made["not_read"]] == [
        ("lost", "all", "The host failed.")
    ]


def test_what_was_not_asked_for_is_no_gap():
    skipped = {"skipped": True, "changed": False}
    made = document([with_part("visits", skipped)], parts=[name for name in PARTS if name != "backups"])
    assert made["not_read"] == []
    assert made["environments"][0]["backups"] is None


def test_endpoints_that_the_service_does_not_have_are_no_gaps():
    hosts = [host(1), host(2)]
    for one in hosts:
        one["parts"]["backups"] = one["parts"]["versions"] = failed(404, "not_found")
    made = document(hosts)
    assert [one["part"] for one in made["not_shown"]] == ["versions", "backups"]
    assert made["not_read"] == []


def test_an_environment_that_alone_is_not_found_is_a_gap():
    made = document([host(1), with_part("backups", failed(404, "not_found"), 2)])
    assert made["not_shown"] == []
    assert [one["part"] for one in made["not_read"]] == ["backups"]


def test_what_the_inventory_says_stands_in_for_versions_that_cannot_be_read():
    one = {**with_part("versions", failed(404)), "php_version": "php7.4", "wordpress_version": ""}
    made = document([one])
    assert made["environments"][0]["php_version"] == "php7.4"
    assert made["environments"][0]["wordpress_version"] is None


def test_a_service_that_does_not_judge_plugins_is_not_taken_for_a_good_one():
    plugins = host(1)["parts"]["plugins"]
    for one in plugins["plugins"]:
        del one["is_version_vulnerable"]
    made = document([with_part("plugins", {**plugins, "vulnerable": None})])
    assert made["summary"]["vulnerable_plugins"] is None
    assert [one["title"] for one in made["not_shown"]] == ["Vulnerable plugins"]


@pytest.mark.parametrize(
    ("expiry", "said"),
    [
        ("2026-11-20T00:00:00Z", "bad: The API key nightly expired 1 day ago."),
        ("2026-11-21T20:00:00Z", "bad: The API key nightly expires today."),
        ("2026-11-28T00:00:00Z", "bad: The API key nightly expires in 7 days."),
        ("2026-12-21T00:00:00Z", "warn: The API key nightly expires in 30 days."),
        ("2026-12-22T00:00:00Z", None),
        (None, None),
    ],
)
def test_a_key_that_expires_needs_attention(expiry: str | None, said: str | None):
    key = {"api_key": {**KEY["api_key"], "expires_at_iso": expiry}}
    found = attention(document([host(1)], key=key)).get("key")
    assert found == said if said is None else found.startswith(said)


def test_backups_that_are_old_or_missing_need_attention():
    bare = with_part("backups", {"backups": []}, 5)
    made = document([host(5), host(2), host(3), bare])  # 0, 2 and 3 days old, and none
    assert [one["backup_age_days"] for one in made["environments"]] == [0, 2, 3, None]
    texts = [note["text"] for note in made["attention"] if note["section"] == "backups"]
    assert texts == [
        "1 environment without any backup: site-5-live.",
        "1 environment whose newest backup is older than 2 days: site-3-live.",
    ]


def test_usage_is_told_once_a_site_and_against_its_budget():
    twin = {**host(9), "host": "staging"}
    made = document([host(7), host(8), host(9), twin, host(10)])
    assert [(one["percent"], one["is_near_budget"]) for one in made["sites"]] == [
        (70.0, False),
        (80.0, True),
        (90.0, True),
        (100.0, True),
    ]
    texts = [note["text"] for note in made["attention"] if note["section"] == "usage"]
    assert texts == [
        "1 site used up this month's budget: site-10.",
        "2 sites near this month's budget: site-8, site-9.",
    ]


def test_questions_that_the_journal_has_no_answer_for_are_asked():
    made = document([host(7)])
    assert made["environments"][0]["open_questions"] == [
        {
            "what": "push",
            "release": "v7",
            "state": "unknown",
            "sent_at": "2026-11-20T10:00:00Z",
            "operation_id": "environments:push-1",
        }
    ]
    assert attention(made)["releases"].startswith("bad: ")


def test_updates_are_told_unless_their_sites_work_with_them():
    made = document([host(9), host(10)])
    assert made["environments"][0]["updates"] == []
    [update] = made["environments"][1]["updates"]
    assert (update["name"], update["version"], update["verdict"]) == ("example-forms", "2.5.0", "broke_it")
    assert "An update broke the site of 1 environment" in str(made["attention"])


def test_locks_are_told_with_reason_author_and_end():
    made = document([host(8), host(9)])
    assert made["environments"][0]["locks"] == []
    [lock] = made["environments"][1]["locks"]
    assert (lock["reason"], lock["author"], lock["until"]) == ("Black Friday", "anna", "2026-11-30T05:00:00Z")
    assert attention(made)["releases"] == "warn: Deployments to 1 environment are locked: site-9-live."


@pytest.mark.parametrize("number", [None, float("nan"), float("inf"), -5, 10**400, True, "many"])
def test_numbers_that_are_none_count_nothing(number: object):
    strange = {"total": number, "points": [{"time": "2026-11-01T00:00:00.000Z", "visits": number}]}
    made = document([with_part("visits", {"visits": strange}), with_part("usage", {"visits": number}, 2)])
    assert made["environments"][0]["visits"]["total"] == 0
    assert made["sites"][1]["visits_this_month"] == 0


def test_a_time_that_is_none_is_refused():
    with pytest.raises(ReportError, match="report_time is 'yesterday'"):
        document([host(1)], time="yesterday")


# ---- what has changed -----------------------------------------------------------------------------------------------


def test_changes_since_an_earlier_report_are_told():
    before = document([host(1), host(2), host(3)])
    hosts = [host(1), host(2), host(4)]
    hosts[0]["parts"]["versions"]["environments"][0]["hosting_php_version"] = "php8.4"
    hosts[0]["parts"]["plugins"]["vulnerable"] = []
    hosts[1]["parts"]["plugins"]["vulnerable"] = ["plugin-0", "plugin-2"]
    hosts[1]["parts"]["plugins"]["plugins"][1]["version"] = "9.0"
    hosts[1]["parts"]["releases"]["release"] = "v9"
    hosts[1]["parts"]["visits"]["visits"]["total"] *= 2
    changes = document(hosts, previous=before)["changes"]
    visits = changes.pop("visits")
    assert changes == {
        "since": before["time"],
        "new_environments": ["site-4-live"],
        "removed_environments": ["site-3-live"],
        "versions": [{"host": "site-1-live", "software": "PHP", "from": "php8.1", "to": "php8.4"}],
        "newly_vulnerable": [{"host": "site-2-live", "plugin": "plugin-2"}],
        "no_longer_vulnerable": [{"host": "site-1-live", "plugin": "plugin-0"}],
        "plugin_updates": [{"host": "site-2-live", "plugin": "plugin-1", "from": "1.2", "to": "9.0"}],
        "releases": [{"host": "site-2-live", "from": "v2", "to": "v9"}],
    }
    assert [one["percent"] for one in visits["environments"]] == [0.0, 100.0]


def test_what_could_not_be_read_has_not_changed():
    before = document([host(1)])
    nothing = {**host(1), "parts": {name: failed() for name in PARTS if name != "dns"}}
    changes = document([nothing], previous=before)["changes"]
    assert [name for name, value in changes.items() if value] == ["since"]


@pytest.mark.parametrize(
    "previous", [[], "text", {}, {"format": 99}, {"format": 1}, {"format": 1, "environments": 3, "time": ""}]
)
def test_what_is_no_earlier_report_is_said_to_be_none(previous: object):
    assert "problem" in document([host(1)], previous=previous)["changes"]


def test_a_damaged_earlier_report_is_said_to_be_damaged():
    previous = copy.deepcopy(document([host(1)]))
    del previous["environments"][0]["plugins"]
    assert "damaged" in document([host(1)], previous=previous)["changes"]["problem"]


def test_without_an_earlier_report_nothing_is_compared():
    assert document([host(1)])["changes"] is None
