# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role maintain makes of the results of its tasks."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.maintenance import result_of, summary_of

SETTINGS = {
    "environment": "shop",
    "check_mode": False,
    "check_only": [],
    "unsupported": [],
    "warn_only": [],
    "is_updated": False,
    "held_by": "",
    "is_unverified": False,
    "visits": None,
    "backup_max_age": "1d",
    "php_version": None,
    "wordpress_version": None,
    "inventory": {"php_version": None, "wordpress_version": None},
    "declared_php_version": None,
    "declared_dns_records": [],
}


def findings(results: dict, **settings: object) -> list[tuple[str, str, str]]:
    return [
        (one["name"], one["level"], one["text"]) for one in result_of(results, {**SETTINGS, **settings})["findings"]
    ]


def refused(method: str, status: int) -> dict:
    error = {"status": status, "is_offered": status not in (404, 405, 501), "method": method}
    return {"failed": True, "msg": "It was refused.", "error": error}


@pytest.mark.parametrize("status", [404, 405, 501])
@pytest.mark.parametrize("part", ["sftp_allowlist", "php_version", "dns_records", "plugins"])
def test_what_the_service_has_no_endpoint_for_needs_nobody(part: str, status: int):
    result = result_of({part: refused("PUT", status)}, {**SETTINGS, "is_updated": True})
    assert [one["level"] for one in result["findings"]] == ["cannot"]
    assert not result["needs_person"]
    assert not result["failed"]


@pytest.mark.parametrize(
    ("part", "result"),
    [
        ("sftp_allowlist", refused("GET", 404)),
        ("denied_ips", refused("PUT", 404)),
        ("php_version", refused("PUT", 400)),
        ("backup", {"failed": True, "msg": "A variable is undefined."}),
    ],
)
def test_what_fails_otherwise_needs_somebody(part: str, result: dict):
    become = result_of({part: result}, {**SETTINGS, "warn_only": [part]})
    assert become["failed"]
    assert become["needs_person"]
    assert become["findings"][0]["text"] == result["msg"]


def test_what_was_skipped_or_never_came_is_nothing():
    result = result_of({"backup": {"skipped": True}, "dns_records": {"results": [], "skipped": True}}, SETTINGS)
    assert (result["done"], result["findings"]) == ([], [])


def test_of_a_loop_each_element_counts():
    item = {"type": "A", "name": "a.example.com"}
    other = {"type": "A", "name": "b.example.com"}
    results = [{"item": item, "changed": True}, {"item": other, **refused("PUT", 500)}]
    result = result_of({"dns_records": {"results": results, "failed": True, "changed": True}}, SETTINGS)
    assert result["done"] == ["DNS records: A a.example.com"]
    assert [one["text"] for one in result["findings"]] == ["A b.example.com: It was refused."]


@pytest.mark.parametrize(
    ("shown", "oldest", "is_old"),
    [("php8.3", "8.4", True), ("php8.10", "8.9", False), ("8.4.1", "8.4", False), ("php8.4", "8.4", False)],
)
def test_versions_are_compared_as_numbers(shown: str, oldest: str, is_old: bool):
    read = {"environments": [{"hosting_php_version": shown}]}
    assert [one[0] for one in findings({"versions": read}, php_version=oldest)] == ["old_php"] * is_old


def test_what_nobody_shows_of_versions_is_told():
    assert findings({"versions": refused("GET", 404)}, php_version="8.4")[0][:2] == ("old_php", "cannot")
    of_inventory = {"php_version": "php8.1", "wordpress_version": None}
    found = findings({"versions": refused("GET", 404)}, php_version="8.4", inventory=of_inventory)
    assert found == [("old_php", "fail", "PHP 8.1 is older than 8.4.")]
    assert findings({"versions": refused("GET", 500)}, php_version="8.4")[0][1] == "fail"


def test_dns_records_are_compared_by_their_canonical_names():
    read = {"item": "id", "dns_records": [{"type": "A", "name": "Shop.Example.com.", "rdata": ["192.0.2.1"]}]}
    declared = [{"type": "a", "name": "shop.example.com"}]
    assert findings({"unexpected_dns": {"results": [read]}}, declared_dns_records=declared) == []
    assert findings({"unexpected_dns": {"results": [read]}})[0][2] == "A Shop.Example.com. is not declared: 192.0.2.1."


def test_outcomes_that_nobody_knows_are_told():
    known = {
        "release": "v2",
        "parts": [{"state": "finished"}],
        "restored_backup": {"backup_id": 7, "state": "unknown", "sent_at": "2026-11-02T00:00:00Z"},
        "php_restart": {"state": "in_progress"},
    }
    [(_name, _level, text)] = findings({"journal": known})
    assert text.startswith("It is not known whether backup 7 was restored (2026-11-02T00:00:00Z).")
    assert "hosting.management.settle" in text


HELD = {
    "kind": "plugin",
    "name": "example-forms",
    "version": "2.5.0",
    "verdict": "broke_it",
    "reason": "https://shop.example.com answered 500 instead of 200.",
    "environment": "shop",
}


def test_a_version_that_broke_another_site_is_told_as_held_back():
    [(name, level, text)] = findings({"plugins": {"held": [HELD]}})
    assert (name, level) == ("plugins", "held")
    assert text.startswith("example-forms 2.5.0 is held back, because it broke shop (https://shop.example.com answered")


def test_a_version_that_another_site_tries_first_is_waited_for():
    held = {**HELD, "kind": "php", "name": "php", "version": "8.4", "verdict": "not_known", "reason": ""}
    [(_name, level, text)] = findings({"php_version": {"held": [held]}})
    assert (level, text) == ("held", "PHP 8.4 waits until shop, which has it first, is seen to work.")


def test_a_site_that_does_not_work_needs_a_person_and_names_what_was_updated():
    asked = {"failed": True, "msg": "It answered 500."}
    known = {"updates": [HELD, {**HELD, "name": "example-seo", "verdict": "works"}], "has_ended": True}
    made = result_of({"site": asked, "known": known}, SETTINGS)
    [finding] = made["findings"]
    assert (finding["name"], finding["level"], made["needs_person"]) == ("site", "fail", True)
    assert "since these updates: example-forms 2.5.0." in finding["text"]
    totals = summary({**made, "environment": "shop"}, {**made, "environment": "blog", "findings": []})["totals"]
    assert totals["unchanged"] == 1, "a site that does not work is never nothing to do"


def test_a_site_that_does_not_work_can_be_a_warning():
    settings = {**SETTINGS, "warn_only": ["site"]}
    assert not result_of({"site": {"failed": True, "msg": "It answered 500."}}, settings)["needs_person"]


def test_an_update_that_goes_on_is_told():
    [(name, level, _text)] = findings({"known": {"updates": [], "has_ended": False}})
    assert (name, level) == ("updates", "warn")


def summary(*results: dict, **settings: object) -> dict:
    given = {"key": {}, "key_days": 14, "warn_only": [], "check_mode": False, **settings}
    return summary_of(list(results), ["shop", "blog"], **given)


def test_a_text_is_told_once_with_all_its_places_and_cannot_steer_a_terminal():
    both = [
        result_of({"backup": {"failed": True, "msg": "\x1b[2JNo."}}, {**SETTINGS, "environment": name})
        for name in ("shop", "blog")
    ]
    (note,) = summary(*both)["notes"]
    assert note["where"] == "shop, blog"
    assert "\x1b" not in note["text"]


def test_what_did_not_come_to_its_end_is_told():
    result = summary(result_of({}, SETTINGS))
    assert result["totals"]["not_reached"] == 1
    assert result["rows"][1]["done"] == "not reached"


@pytest.mark.parametrize(("days", "level"), [(13, ["fail"]), (14, ["fail"]), (15, []), (None, [])], ids=str)
def test_a_key_that_expires_soon_is_told_once(days: int | None, level: list[str]):
    key = {"api_key": {"name": "nightly", "status": "active", "expires_in_days": days, "expires_at_iso": "soon"}}
    assert [one["level"] for one in summary(key=key)["key"]] == level
    assert summary(key=key)["needs_person"] == bool(level)
    assert not summary(key=key, warn_only=["key"])["needs_person"]
    assert summary(key=key, key_days=None)["key"] == []


def test_updates_of_a_locked_environment_wait_with_the_reason():
    update = {"changed": True, "diff": {"before": {"version": "1"}, "after": {"version": "2"}}}
    lock = {"until": "2026-11-30T05:00:00Z", "author": "anna", "group": "live", "reason": "Black Friday"}
    result = result_of({"plugins": update}, {**SETTINGS, "locks": [lock]})
    [found] = result["findings"]
    assert (found["name"], found["level"]) == ("plugins", "held")
    said = "the environment is locked until 2026-11-30T05:00:00Z by anna (group live): Black Friday."
    assert found["text"].endswith(said)
    assert not result["needs_person"]
