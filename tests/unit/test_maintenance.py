# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role maintain makes of the results of its tasks."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.maintenance import is_spoilt, result_of, summary_of

SETTINGS = {
    "environment": "shop",
    "check_mode": False,
    "check_only": [],
    "unsupported": [],
    "warn_only": [],
    "checks": [],
    "checks_site": True,
    "ignores_lock": False,
    "is_unverified": False,
    "visits": None,
    "backup_max_age": "1d",
    "php_version": None,
    "wordpress_version": None,
    "inventory": {"php_version": None, "wordpress_version": None},
    "declared_php_version": None,
    "declared_dns_records": [],
}


def entry(**values: object) -> dict:
    """What environment says of a part, or of one of several entries of it."""
    nothing = {"changed": False, "differs": False, "before": None, "after": None, "held": [], "failed": False}
    return {**nothing, "msg": None, "error": None, "result": {}, **values}


def kept(**parts: dict) -> dict:
    return {"kept": {"changed": False, "parts": parts}}


def read(name: str, reading: dict) -> dict:
    """What environment_state_info says, if a reading came or failed."""
    return {
        "looked": {"readings": {}, "unread": {}, "unread" if reading.get("failed") else "readings": {name: reading}}
    }


def findings(results: dict, **settings: object) -> list[tuple[str, str, str]]:
    return [
        (one["name"], one["level"], one["text"]) for one in result_of(results, {**SETTINGS, **settings})["findings"]
    ]


def refused(method: str, status: int) -> dict:
    error = {
        "status": status,
        "is_offered": status not in (404, 405, 501),
        "method": method,
        "kind": "not_found" if status == 404 else "service",
    }
    return entry(failed=True, msg="It was refused.", error=error)


@pytest.mark.parametrize("status", [404, 405, 501])
@pytest.mark.parametrize("part", ["sftp_allowlist", "php_version", "dns_records", "plugins"])
def test_what_the_service_has_no_endpoint_for_needs_nobody(part: str, status: int):
    result = result_of(kept(**{part: refused("PUT", status)}), SETTINGS)
    assert [one["level"] for one in result["findings"]] == ["cannot"]
    assert not result["needs_person"]
    assert not result["failed"]


@pytest.mark.parametrize(
    ("part", "result"),
    [
        ("sftp_allowlist", refused("GET", 404)),
        ("denied_ips", refused("PUT", 404)),
        ("php_version", refused("PUT", 400)),
        ("backup", entry(failed=True, msg="Nobody knows why.")),
    ],
)
def test_what_fails_otherwise_needs_somebody(part: str, result: dict):
    become = result_of(kept(**{part: result}), {**SETTINGS, "warn_only": [part]})
    assert become["failed"]
    assert become["needs_person"]
    assert become["findings"][0]["text"] == result["msg"]


def test_what_was_skipped_or_never_came_is_nothing():
    skipped = {"skipped": True, "changed": False}
    result = result_of({"known": skipped, "site": skipped, "looked": skipped, "kept": {"parts": {}}}, SETTINGS)
    assert (result["done"], result["findings"]) == ([], [])


def test_of_several_each_entry_counts():
    one = entry(name="A a.example.com", changed=True, differs=True)
    other = {**refused("PUT", 500), "name": "A b.example.com"}
    result = result_of(kept(dns_records={**entry(changed=True, failed=True), "entries": [one, other]}), SETTINGS)
    assert result["done"] == ["DNS records: A a.example.com"]
    assert [one["text"] for one in result["findings"]] == ["A b.example.com: It was refused."]


def test_a_declaration_that_cannot_be_kept_needs_a_person():
    refusal = {"failed": True, "msg": "denied_ips[0] must be an address. Nothing was sent."}
    result = result_of({"kept": refusal}, SETTINGS)
    assert (result["failed"], result["needs_person"]) == (True, True)
    assert [(one["name"], one["text"]) for one in result["findings"]] == [("declaration", refusal["msg"])]


DIFFERENCES = {
    "a list": (entry(before=["a", "b"], after=["b", "c"]), "The list has a, not declared, and lacks c."),
    "an empty list": (entry(before=[], after=["b"]), "The list is empty, and lacks b."),
    "a value": (entry(before="off", after="lossy"), "It is off instead of lossy."),
    "a version": (entry(before={"version": "8.3"}, after={"version": "8.4"}), "It is 8.3 instead of 8.4."),
    "plugins": (entry(before={"forms": "1"}, after={"forms": "2"}), "forms 1 has the update 2."),
    "a theme": (entry(name="shop", before={"shop": "1"}, after={"shop": "2"}), "shop: It is 1 instead of 2."),
    "a record": (
        entry(
            name="A a.example",
            before={"A a.example": {"ttl": 60, "rdata": ["192.0.2.1"]}},
            after={"A a.example": {"ttl": 90, "rdata": ["192.0.2.2"]}},
        ),
        "A a.example: It has 192.0.2.1 (TTL 60) instead of 192.0.2.2 (TTL 90).",
    ),
}


@pytest.mark.parametrize(("part", "said"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_how_a_part_differs_is_a_sentence(part: dict, said: str):
    part = {**part, "differs": True}
    parts = kept(themes={**part, "entries": [part]} if part.get("name") else part)
    assert findings(parts, check_only=["themes"]) == [("themes", "fail", said)]


@pytest.mark.parametrize(
    ("shown", "oldest", "is_old"),
    [("php8.3", "8.4", True), ("php8.10", "8.9", False), ("8.4.1", "8.4", False), ("php8.4", "8.4", False)],
)
def test_versions_are_compared_as_numbers(shown: str, oldest: str, is_old: bool):
    versions = read("versions", {"environments": [{"hosting_php_version": shown}]})
    assert [one[0] for one in findings(versions, php_version=oldest, checks=["old_php"])] == ["old_php"] * is_old


def test_what_nobody_shows_of_versions_is_told():
    asked = {"php_version": "8.4", "checks": ["old_php"]}
    missing = read("versions", refused("GET", 404))
    assert findings(missing, **asked)[0][:2] == ("old_php", "cannot")
    of_inventory = {"php_version": "php8.1", "wordpress_version": None}
    assert findings(missing, inventory=of_inventory, **asked) == [("old_php", "fail", "PHP 8.1 is older than 8.4.")]
    assert findings(read("versions", refused("GET", 500)), **asked)[0][1] == "fail"


def test_dns_records_are_compared_by_their_canonical_names():
    record = {"type": "A", "name": "Shop.Example.com.", "rdata": ["192.0.2.1"]}
    domains = read("dns_records", {"domains": [{"domain_id": "id", "dns_records": [record]}]})
    declared = [{"type": "a", "name": "shop.example.com"}]
    asked = {"checks": ["unexpected_dns"]}
    assert findings(domains, declared_dns_records=declared, **asked) == []
    assert findings(domains, **asked)[0][2] == "A Shop.Example.com. is not declared: 192.0.2.1."


def test_of_domains_that_cannot_be_read_each_is_named():
    refusals = [{"domain_id": name, "msg": "It was refused.", "error": None} for name in ("one", "two")]
    unread = {"looked": {"readings": {}, "unread": {"dns_records": {**refusals[0], "elements": refusals}}}}
    assert [one[2] for one in findings(unread, checks=["unexpected_dns"])] == [
        "This could not be checked: one: It was refused.",
        "This could not be checked: two: It was refused.",
    ]


def test_what_could_not_be_read_at_all_is_told_by_each_check():
    found = findings({"looked": {"failed": True, "msg": "No key."}}, checks=["visits", "journal"])
    assert found == [(name, "fail", "This could not be checked: No key.") for name in ("visits", "journal")]


def test_outcomes_that_nobody_knows_are_told():
    known = {
        "release": "v2",
        "parts": [{"state": "finished"}],
        "restored_backup": {"backup_id": 7, "state": "unknown", "sent_at": "2026-11-02T00:00:00Z"},
        "php_restart": {"state": "in_progress"},
    }
    [(_name, _level, text)] = findings(read("releases", known), checks=["journal"])
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
    [(name, level, text)] = findings(kept(plugins=entry(held=[HELD])))
    assert (name, level) == ("plugins", "held")
    assert text.startswith("example-forms 2.5.0 is held back, because it broke shop (https://shop.example.com answered")


def test_a_version_that_another_site_tries_first_is_waited_for():
    held = {**HELD, "kind": "php", "name": "php", "version": "8.4", "verdict": "not_known", "reason": ""}
    [(_name, level, text)] = findings(kept(php_version=entry(held=[held])))
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
        result_of(kept(backup=entry(failed=True, msg="\x1b[2JNo.")), {**SETTINGS, "environment": name})
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
    update = entry(differs=True, before={"version": "1"}, after={"version": "2"})
    lock = {"until": "2026-11-30T05:00:00Z", "author": "anna", "group": "live", "reason": "Black Friday"}
    result = result_of({**kept(plugins=update), "locks": [lock]}, SETTINGS)
    [found] = result["findings"]
    assert (found["name"], found["level"]) == ("plugins", "held")
    said = "the environment is locked until 2026-11-30T05:00:00Z by anna (group live): Black Friday."
    assert found["text"].endswith(said)
    assert not result["needs_person"]


def test_updates_of_a_site_that_did_not_work_are_not_made():
    update = entry(differs=True, before={"version": "1"}, after={"version": "2"})
    asked = {"site": {"failed": True, "msg": "It answered 500."}}
    for checks_site, names in ((True, ["plugins", "site"]), (False, ["plugins", "well"])):
        found = findings({**kept(plugins=update), **asked}, checks_site=checks_site)
        assert [(name, level) for name, level, _text in found] == [(name, "fail") for name in names]
        assert found[0][2] == "It is 1 instead of 2. Not updated, because the site did not work before."
    assert findings({**kept(), **asked}, checks_site=False) == []


def test_a_site_that_the_updates_broke_says_which_backup_goes_back():
    update = entry(changed=True, differs=True, result={"php_version": "8.4"})
    made = {"made": {"parts": {"php_version": update}}, "well": {"failed": True, "msg": "It answered 500."}}
    backup = {"update_backup": {"changed": True, "backup": {"id": 7, "tag": "maintenance"}}}
    result = result_of({**kept(php_version=update), **made, **backup}, SETTINGS)
    assert result["done"] == ["PHP version: 8.4", "backup before the updates"]
    [finding] = result["findings"]
    assert finding["text"].endswith("To go back, restore the backup 7 with the tag maintenance.")


SPOILT = {
    "all is well": ({"parts": {"themes": entry(changed=True)}}, {}, False),
    "nobody could ask": ({"parts": {}}, {"skipped": True}, False),
    "the site does not work": ({"parts": {}}, {"failed": True}, True),
    "an update failed": ({"failed": True, "parts": {"themes": refused("PUT", 500)}}, {}, True),
    "one of two failed": (
        {"parts": {"themes": {**entry(failed=True), "entries": [refused("PUT", 404), refused("PUT", 500)]}}},
        {},
        True,
    ),
    "the service has no such endpoint": ({"failed": True, "parts": {"themes": refused("PUT", 405)}}, {}, False),
    "the site has no such theme": ({"failed": True, "parts": {"themes": refused("PUT", 404)}}, {}, False),
    "nothing came of it": ({"failed": True, "msg": "No key."}, {}, True),
}


@pytest.mark.parametrize(("made", "well", "spoilt"), SPOILT.values(), ids=SPOILT)
def test_whether_updates_went_wrong(made: dict, well: dict, spoilt: bool):
    assert is_spoilt(made, well) is spoilt
