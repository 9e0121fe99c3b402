# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role maintain makes of the results of its tasks."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.maintenance import (
    KNOWN,
    goes_on,
    has_more,
    is_spoilt,
    next_of,
    result_of,
    results_of,
    wave_of,
)
from ansible_collections.hosting.management.plugins.plugin_utils.maintenance_findings import LONGEST_LOG, PARTS
from ansible_collections.hosting.management.plugins.plugin_utils.maintenance_summary import summary_of
from ansible_collections.hosting.management.plugins.plugin_utils.maintenance_undo import RELEASE

SETTINGS = {
    "environment": "shop",
    "check_mode": False,
    "check_only": [],
    "unsupported": [],
    "updates": [],
    "warn_only": [],
    "checks": [],
    "checks_site": True,
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
    return {**nothing, "msg": None, "error": None, "result": {}, "waits_for": "", **values}


def kept(**parts: dict) -> dict:
    return {"kept": {"changed": False, "parts": parts}}


def read(name: str, reading: dict) -> dict:
    """What environment_state_info says, if a reading came or failed."""
    return {
        "kept": {
            "parts": {},
            "readings": {},
            "unread": {},
            "unread" if reading.get("failed") else "readings": {name: reading},
        }
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
    result = result_of({"site": skipped, "made": skipped, "kept": {"parts": {}}}, SETTINGS)
    assert (result["done"], result["findings"]) == ([], [])


def test_of_several_each_entry_counts():
    one = entry(name="A a.example.com", changed=True, differs=True)
    other = {**refused("PUT", 500), "name": "A b.example.com"}
    result = result_of(kept(dns_records={**entry(changed=True, failed=True), "entries": [one, other]}), SETTINGS)
    assert result["done"] == ["DNS records: A a.example.com"]
    assert [one["text"] for one in result["findings"]] == ["A b.example.com: It was refused."]


CHANGED = [
    ("plugins", entry(result={"plugins": [{"name": "forms", "version": "2"}]}), "plugins: forms 2"),
    ("themes", entry(name="dawn", before={"dawn": "1"}, after={"dawn": "2"}), "themes: dawn 2"),
    ("php_version", entry(before="8.3", after="8.4", result={"php_version": "8.4"}), "PHP version: 8.4"),
    ("denied_ips", entry(before=[], after=["192.0.2.1"]), "denied addresses"),
    ("backup", entry(), "backup"),
]


@pytest.mark.parametrize(("part", "one", "said"), CHANGED)
def test_what_was_changed_is_told_in_a_few_words(part: str, one: dict, said: str):
    changed = {**one, "changed": True, "differs": True}
    parts = {part: {**changed, "entries": [changed]} if one.get("name") else changed}
    result = result_of({"kept": {"parts": {}}, "made": {"parts": parts}}, SETTINGS)
    assert result["done"] == [said]
    assert result["changed"]
    assert not result["needs_person"]
    assert [one["part"] for one in result["changes"]] == [part] * len(result["changes"])


def test_of_several_changes_each_is_told():
    state = {"ttl": 60, "rdata": ["192.0.2.1"]}
    records = [entry(name=name, changed=True, before={}, after={name: state}) for name in ("A a", "A b")]
    result = result_of(kept(dns_records={**entry(changed=True), "entries": records}), SETTINGS)
    assert result["done"] == ["DNS records: A a, A b"]


@pytest.mark.parametrize("rewrites", [False, True])
def test_a_new_primary_domain_warns_of_what_it_replaces_in_the_database(rewrites: bool):
    domain = entry(changed=True, differs=True, before="a.example", after="b.example")
    result = result_of(kept(primary_domain=domain), {**SETTINGS, "rewrites_database": rewrites})
    assert [len(one["warnings"]) for one in result["changes"]] == [int(rewrites)]


def test_what_the_service_cannot_change_is_told_to_be_changed_by_hand():
    differs = entry(differs=True, before={"version": "8.3"}, after={"version": "8.4"})
    by_hand = "It is 8.3 instead of 8.4. This service cannot change it through its API: change it by hand."
    assert findings(kept(php_version=differs), unsupported=["php_version"]) == [("php_version", "cannot", by_hand)]
    assert findings(kept(php_version=entry()), unsupported=["php_version"]) == []


def test_a_backup_that_is_only_checked_and_not_there_is_told():
    differs = entry(differs=True, before=None, after={"tag": "nightly"})
    found = [("backup", "fail", "There is none that is new enough.")]
    assert findings(kept(backup=differs), check_only=["backup"]) == found


@pytest.mark.parametrize(
    ("rolls_back", "more"), [(False, ""), (True, ", to be restored if the site does not work after them")]
)
def test_a_backup_before_updates_is_a_change_or_a_failure(rolls_back: bool, more: str):
    taken = result_of(
        {"update_backup": {"is_taken": True, "backup": {"id": 7}}}, {**SETTINGS, "rolls_back": rolls_back}
    )
    assert taken["done"] == ["backup before the updates"]
    assert [(one["part"], one["text"]) for one in taken["changes"]] == [
        ("update_backup", f"backup before the updates{more}")
    ]
    failed = {"update_backup": {"failed": True, "msg": "It was refused."}}
    assert findings(failed) == [("update_backup", "fail", "It was refused.")]
    assert findings({"update_backup": {**failed["update_backup"], "skipped": True}}) == []


def test_updates_that_nobody_verifies_or_can_record_are_told():
    assert findings({"made": {"parts": {"themes": entry()}}}, is_unverified=True) == [
        ("well", "warn", "Not verified after the updates: no address is known (maintain_verify_urls).")
    ]
    assert findings({"judged": {"failed": True, "msg": "The journal is full."}}) == [
        ("updates", "fail", "What updates did is not known: The journal is full.")
    ]


def test_a_task_that_failed_in_a_part_is_told_by_that_part_alone():
    failed = {"failed": True, "msg": "It was refused.", "parts": {"denied_ips": refused("PUT", 500)}}
    assert [name for name, _level, _text in findings({"kept": failed})] == ["denied_ips"]


def test_the_id_of_an_environment_is_kept_if_it_is_known():
    assert result_of({}, {**SETTINGS, "environment_id": "e1"})["environment_id"] == "e1"
    assert result_of({}, SETTINGS)["environment_id"] == ""


def test_a_long_text_is_cut():
    [(_name, _level, text)] = findings(kept(backup=entry(failed=True, msg="x" * 2000)))
    assert 900 < len(text) <= 1000


def test_a_declaration_that_cannot_be_kept_needs_a_person():
    refusal = {"failed": True, "msg": "denied_ips[0] must be an address. Nothing was sent."}
    result = result_of({"kept": refusal}, SETTINGS)
    assert (result["failed"], result["needs_person"]) == (True, True)
    assert [(one["name"], one["text"]) for one in result["findings"]] == [("declaration", refusal["msg"])]


DIFFERENCES = {
    "a list": (entry(before=["a", "b"], after=["b", "c"]), "The list has a, not declared, and lacks c."),
    "an empty list": (entry(before=[], after=["b"]), "The list is empty, and lacks b."),
    "a list with more": (entry(before=["a", "b"], after=["b"]), "The list has a, not declared."),
    "a list with less": (entry(before=["b"], after=["b", "c"]), "The list lacks c."),
    "no value": (entry(before=None, after="lossy"), "It is none instead of lossy."),
    "a record that is not there": (
        entry(name="A a.example", before={}, after={"A a.example": {"ttl": 90, "rdata": ["192.0.2.2"]}}),
        "A a.example: It is none instead of 192.0.2.2.",
    ),
    "another object": (entry(before={"is_enabled": True}, after=None), "It is True instead of none."),
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


@pytest.mark.parametrize(
    ("check_mode", "is_updated", "changed", "is_old"),
    [(True, True, True, False), (False, True, True, True), (True, False, True, False), (True, True, False, True)],
)
def test_check_mode_judges_the_version_that_would_be_there(
    check_mode: bool, is_updated: bool, changed: bool, is_old: bool
):
    parts = kept(php_version=entry(changed=changed, after={"version": "8.4"}, result={"php_version": "8.4"}))["kept"]
    shown = {"readings": {"versions": {"environments": [{"hosting_php_version": "8.3"}]}}, "unread": {}}
    results = {"made" if is_updated else "kept": {**parts, **shown}}
    asked = {"check_mode": check_mode, "declared_php_version": "8.4", "php_version": "8.4", "checks": ["old_php"]}
    found = [text for name, _level, text in findings(results, **asked) if name == "old_php"]
    assert found == ["PHP 8.3 is older than 8.4."] * is_old


def test_the_version_of_wordpress_is_checked_too():
    versions = read("versions", {"environments": [{"hosting_wordpress_version": "6.7", "hosting_php_version": "9"}]})
    asked = {"checks": ["old_wordpress"]}
    assert findings(versions, wordpress_version="6.8", **asked) == [
        ("old_wordpress", "fail", "WordPress 6.7 is older than 6.8.")
    ]
    assert findings(versions, wordpress_version="6.7", **asked) == findings(versions, **asked) == []
    unseen = "The service does not show it. The inventory can: hosting_wordpress_version."
    missing = read("versions", refused("GET", 404))
    assert findings(missing, wordpress_version="6.8", **asked) == [("old_wordpress", "cannot", unseen)]


def test_dns_records_are_compared_by_their_canonical_names():
    record = {"type": "A", "name": "Shop.Example.com.", "rdata": ["192.0.2.1"]}
    domains = read("dns_records", {"domains": [{"domain_id": "id", "dns_records": [record]}]})
    declared = [{"type": "a", "name": "shop.example.com"}]
    asked = {"checks": ["unexpected_dns"]}
    assert findings(domains, declared_dns_records=declared, **asked) == []
    assert findings(domains, **asked)[0][2] == "A Shop.Example.com. is not declared: 192.0.2.1."
    for other in ({**declared[0], "type": "AAAA"}, {**declared[0], "name": "www.example.com"}):
        assert len(findings(domains, declared_dns_records=[other], **asked)) == 1


def test_of_domains_that_cannot_be_read_each_is_named():
    refusals = [{"domain_id": name, "msg": "It was refused.", "error": None} for name in ("one", "two")]
    unread = {"kept": {"readings": {}, "unread": {"dns_records": {**refusals[0], "elements": refusals}}}}
    assert [one[2] for one in findings(unread, checks=["unexpected_dns"])] == [
        "This could not be checked: one: It was refused.",
        "This could not be checked: two: It was refused.",
    ]


def test_what_could_not_be_read_at_all_is_told_by_each_check():
    unread = {name: {"msg": "No key.", "error": {}} for name in ("usage", "releases")}
    read_nothing = {"failed": True, "msg": "No key.", "parts": {}, "readings": {}, "unread": unread}
    found = findings({"kept": read_nothing}, checks=["visits", "journal"])
    assert found == [(name, "fail", "This could not be checked: No key.") for name in ("visits", "journal")]


def test_a_task_that_failed_before_it_read_anything_is_told_without_the_checks():
    failed = {"failed": True, "msg": "No key.", "parts": {"denied_ips": refused("PUT", 500)}}
    found = findings({"kept": failed}, checks=["visits", "journal"])
    assert [name for name, _level, _text in found] == ["denied_ips"]


@pytest.mark.parametrize(
    ("visits", "said"), [(None, []), (1000, []), (1001, ["1,001 visits this month are more than 1,000."])]
)
def test_visits_are_told_beyond_the_budget(visits: int | None, said: list[str]):
    found = findings(read("usage", {"visits": visits}), visits=1000, checks=["visits"])
    assert [text for _name, _level, text in found] == said
    assert findings(read("usage", {"visits": None}), visits=0, checks=["visits"]) == []


def backups(*ages: int | None) -> dict:
    """What environment_state_info says of backups of so many seconds."""
    return read("backup", {"backups": [{"age": age, "created_at_iso": f"{age} s ago"} for age in ages]})


@pytest.mark.parametrize(
    ("ages", "said"),
    [
        ((), ["There is no backup."]),
        ((None,), ["There is no backup."]),
        ((3600,), []),
        ((3601,), ["The newest backup is from 3601 s ago, which is older than 1h."]),
        ((9000, 3600), []),
        ((3600, None, 9000), []),
        ((9000, 7200, 8000), ["The newest backup is from 7200 s ago, which is older than 1h."]),
    ],
    ids=str,
)
def test_the_age_of_the_newest_backup_counts(ages: tuple, said: list[str]):
    found = findings(backups(*ages), backup_max_age="1h", checks=["old_backup"])
    assert found == [("old_backup", "fail", text) for text in said]


@pytest.mark.parametrize(("status", "found"), [(404, "cannot"), (500, "fail")])
def test_backups_that_the_service_does_not_show_need_nobody(status: int, found: str):
    [(name, level, text)] = findings(read("backup", refused("GET", status)), checks=["old_backup"])
    assert (name, level) == ("old_backup", found)
    assert text == ("The service does not show it." if status == 404 else "This could not be checked: It was refused.")


def test_a_check_that_no_companion_answers_needs_somebody():
    [(_name, level, _text)] = findings(read("usage", refused("GET", 404)), checks=["visits"])
    assert level == "fail"


@pytest.mark.parametrize(
    "reading", [{}, {"failed": True, "msg": "No key."}, {"error": None, "msg": "No key."}], ids=str
)
def test_what_was_not_read_could_not_be_checked(reading: dict):
    unread = {"kept": {"parts": {}, "readings": {"usage": reading}, "unread": {}}}
    [(name, level, text)] = findings(unread, checks=["visits"])
    assert (name, level) == ("visits", "fail")
    assert text == f"This could not be checked: {reading.get('msg', 'it has no message')}"


def test_what_the_updates_saw_counts_more_than_what_was_there_before():
    later = {"parts": {}, "readings": {"backup": {"backups": [{"age": 60}]}}, "unread": {}}
    assert findings({**backups(), "made": later}, checks=["old_backup"]) == []
    assert len(findings({**backups(), "made": {"parts": {}}}, checks=["old_backup"])) == 1


@pytest.mark.parametrize("check_mode", [False, True])
def test_a_backup_that_the_run_takes_is_not_missing(check_mode: bool):
    asked = {"checks": ["old_backup"], "check_mode": check_mode}
    none = read("backup", {"backups": []})["kept"]
    assert findings({"kept": {**none, "parts": {"backup": entry()}}}, **asked) == [
        ("old_backup", "fail", "There is no backup.")
    ]
    taken = entry(changed=True, differs=True, after=["nightly"])
    assert findings({"kept": {**none, "parts": {"backup": taken}}}, **asked) == []


def test_vulnerable_plugins_say_what_can_be_done():
    listed = [
        {"name": "forms", "version": "1", "is_update_available": True, "update_version": "2"},
        {"name": "seo", "version": "3", "is_update_available": False, "update_version": "3"},
    ]
    found = findings(
        read("plugins", {"vulnerable": ["forms", "seo", "gone"], "plugins": listed}), checks=["vulnerable_plugins"]
    )
    assert found == [
        ("vulnerable_plugins", "fail", text)
        for text in (
            "forms 1 is vulnerable. Update it to 2.",
            "seo 3 is vulnerable, and there is no update: replace or remove it.",
            "gone None is vulnerable, and there is no update: replace or remove it.",
        )
    ]
    assert findings(read("plugins", {"plugins": listed}), checks=["vulnerable_plugins"]) == [
        ("vulnerable_plugins", "cannot", "The service does not tell which plugins are vulnerable.")
    ]


def test_check_mode_tells_which_plugins_stay_vulnerable_after_the_updates():
    listed = [
        {"name": name, "version": "1", "is_update_available": True, "update_version": "2"} for name in ("forms", "seo")
    ]
    reading = {"vulnerable": ["forms", "seo"], "plugins": listed}
    updated = entry(changed=True, differs=True, before={}, after={}, result={"vulnerable": ["seo"]})
    made = {"made": {"parts": {"plugins": updated}, "readings": {"plugins": reading}, "unread": {}}}

    def said(results: dict, **settings: object) -> list[str]:
        found = findings(results, checks=["vulnerable_plugins"], **settings)
        return [text for name, _level, text in found if name == "vulnerable_plugins"]

    as_listed = [f"{name} 1 is vulnerable. Update it to 2." for name in ("forms", "seo")]
    assert said(made, check_mode=True) == ["seo would still be vulnerable."]
    assert said(made) == as_listed
    assert said({"kept": made["made"]}, check_mode=True) == ["seo would still be vulnerable."]


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


def test_a_push_and_a_restart_of_which_nobody_knows_are_told():
    push = {"state": "unknown", "sent_at": "2026-11-01T00:00:00Z"}
    restart = {"state": "unknown", "sent_at": "2026-11-03T00:00:00Z"}
    known = {"release": "v2", "parts": [{"state": "in_progress"}, push], "php_restart": restart}
    said = [
        (
            "It is not known whether release v2 was pushed (2026-11-01T00:00:00Z). Check, and settle it with"
            " hosting.management.settle."
        ),
        "It is not known whether PHP was restarted (2026-11-03T00:00:00Z). Check, and run it again.",
    ]
    assert findings(read("releases", known), checks=["journal"]) == [("journal", "fail", text) for text in said]


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
    assert "because it broke shop (https://shop.example.com answered 500 instead of 200). A newer version" in text
    [(_name, _level, text)] = findings(kept(plugins=entry(held=[{**HELD, "reason": ""}])))
    assert text.startswith("example-forms 2.5.0 is held back, because it broke shop. A newer version")


def test_a_version_that_another_site_tries_first_is_waited_for():
    held = {**HELD, "kind": "php", "name": "php", "version": "8.4", "verdict": "not_known", "reason": ""}
    [(_name, level, text)] = findings(kept(php_version=entry(held=[held])))
    assert (level, text) == ("held", "PHP 8.4 waits until shop, which has it first, is seen to work.")


def test_a_site_that_does_not_work_needs_a_person_and_names_what_was_updated():
    known = {"updates": [HELD, {**HELD, "name": "example-seo", "verdict": "works"}], "has_ended": True}
    asked = {"failed": True, "msg": "It answered 500.", "checks": [{"ok": False}], **known}
    made = result_of({"site": asked}, SETTINGS)
    [finding] = made["findings"]
    assert (finding["name"], finding["level"], made["needs_person"]) == ("site", "fail", True)
    assert "since these updates: example-forms 2.5.0." in finding["text"]
    well = {**result_of({}, SETTINGS), "environment": "blog"}
    totals = summary({**made, "environment": "shop"}, well)["totals"]
    assert totals["unchanged"] == 1, "a site that does not work is never nothing to do"


def test_what_a_site_that_answers_well_keeps_from_all_others_is_told():
    looks = {**HELD, "reason": "The site looks different."}
    asked = {"checks": [{"ok": True}], "updates": [looks, {**HELD, "name": "seo", "verdict": "works"}]}
    [(name, level, text)] = findings({"site": asked})
    assert (name, level) == ("updates", "held")
    assert text.startswith("example-forms 2.5.0 is held back everywhere, because it broke this site (The site looks di")
    again = findings({"site": asked, **kept(plugins=entry(held=[looks]))})
    assert [name for name, _level, _text in again] == ["plugins"]


def test_an_environment_that_needs_a_person_never_had_nothing_to_do():
    refused = {"name": "denied_ips", "level": "fail", "title": "denied addresses", "text": "Make a new plan."}
    well = {**result_of({}, SETTINGS), "environment": "blog"}
    totals = summary({**well, "environment": "shop", "findings": [refused], "needs_person": True}, well)["totals"]
    assert (totals["changed"], totals["unchanged"], totals["need_a_person"]) == (0, 1, 1)


def test_a_site_that_does_not_work_can_be_a_warning():
    settings = {**SETTINGS, "warn_only": ["site"]}
    assert not result_of({"site": {"failed": True, "msg": "It answered 500."}}, settings)["needs_person"]


def test_updates_that_differ_are_due_until_they_are_made():
    differs = {"differs": ["denied_ips", "plugins", "themes"], "parts": {}}
    settings = {**SETTINGS, "updates": ["themes", "plugins", "php_version"]}
    assert result_of({"kept": differs}, settings)["due"] == ["themes", "plugins"]
    assert result_of({"kept": differs}, {**settings, "updates": ["plugins"]})["due"] == ["plugins"]
    assert result_of({"kept": differs, "made": {"parts": {}}}, settings)["due"] == []
    assert result_of({"kept": {"failed": True, "msg": "No key."}}, settings)["due"] == []


def test_an_update_that_goes_on_is_told():
    [(name, level, _text)] = findings({"site": {"updates": [], "has_ended": False}})
    assert (name, level) == ("updates", "warn")


@pytest.mark.parametrize("checks", [[], [{"ok": True}]], ids=["no address", "it works"])
def test_a_site_of_whose_updates_nothing_can_be_recorded_is_none_that_does_not_work(checks: list[dict]):
    asked = {"failed": True, "msg": "The journal is full.", "checks": checks}
    predicted = kept(plugins=entry(differs=True, before={}, after={}))
    told = findings({"site": asked, **predicted})
    assert [(name, level) for name, level, _text in told] == [("plugins", "fail"), ("updates", "fail")]
    assert told[0][2].endswith("Not updated, because it is not known what earlier updates did.")
    assert told[1][2] == "What updates did is not known: The journal is full."


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


def test_a_text_that_an_environment_has_twice_names_it_once():
    record = {"type": "A", "name": "shop.example.com", "rdata": ["192.0.2.1"]}
    zones = [{"domain_id": name, "dns_records": [record]} for name in ("one", "two")]
    result = result_of(read("dns_records", {"domains": zones}), {**SETTINGS, "checks": ["unexpected_dns"]})
    assert len(result["findings"]) == 2
    assert [note["where"] for note in summary(result)["notes"]] == ["shop"]


@pytest.mark.parametrize(("count", "more"), [(8, ""), (9, " and 1 more"), (11, " and 3 more")])
def test_of_many_places_the_first_are_named(count: int, more: str):
    names = [f"shop{number}" for number in range(count)]
    failed = result_of(kept(backup=entry(failed=True, msg="No.")), SETTINGS)
    given = {"key": {}, "key_days": None, "warn_only": [], "check_mode": False}
    made = summary_of([{**failed, "environment": name} for name in names], names, **given)
    assert [note["where"] for note in made["notes"]] == [", ".join(names[:8]) + more]


def test_what_did_not_come_to_its_end_is_told():
    result = summary(result_of({}, SETTINGS))
    assert result["totals"] == {"environments": 2, "changed": 0, "unchanged": 1, "need_a_person": 0, "not_reached": 1}
    assert [row["done"] for row in result["rows"]] == ["-", "not reached"]
    assert [summary(*some)["totals"]["not_reached"] for some in ((), (result_of({}, SETTINGS),))] == [2, 1]
    assert (result["check_mode"], result["plan"], result["needs_person"]) == (False, None, False)
    [reached, other] = result["environments"]
    assert reached.keys() == other.keys()
    assert other == {**reached, "environment": "blog", "is_reached": False, "environment_id": ""}


def test_a_row_has_what_was_done_what_needs_a_person_and_what_is_good_to_know():
    found = [("backup", "fail"), ("plugins", "held"), ("visits", "warn"), ("old_php", "cannot"), ("plugins", "warn")]
    named = [{"name": name, "level": level, "title": name, "text": name} for name, level in found]
    shop = {**result_of({}, SETTINGS), "findings": named, "done": ["one", "two"], "needs_person": True}
    [row, _other] = summary(shop)["rows"]
    told = {"needs a person": "backup", "to know": "plugins, visits, old_php"}
    assert row == {"environment": "shop", "done": "one; two", **told}
    planned = summary(shop, check_mode=True)
    assert planned["rows"][0] == {"environment": "shop", "would do": "one; two", **told}
    [of_shop, of_blog] = planned["plan"]["environments"]
    assert (of_shop["needs"], of_shop["to_know"], of_shop["not_seen"]) == (["backup"], told["to know"].split(", "), [])
    assert (of_blog["needs"], of_blog["to_know"], of_blog["not_seen"]) == (["not reached"], [], list(PARTS))
    assert planned["plan"]["plan"] == "maintain"
    assert (planned["check_mode"], planned["needs_person"]) == (True, True)


def test_a_part_that_was_refused_was_not_seen():
    result = result_of(kept(backup=entry(failed=True, msg="No."), denied_ips=refused("PUT", 500)), SETTINGS)
    assert result["not_seen"] == ["backup", "denied_ips"]
    [planned, _other] = summary(result, check_mode=True)["plan"]["environments"]
    assert planned["not_seen"] == ["backup", "denied_ips"]


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ({}, []),
        ({"msg": "No key."}, ["This could not be checked: No key."]),
        ({"failed": True}, ["This could not be checked: it has no message"]),
        ({"api_key": {"name": "nightly", "status": "expired"}}, ["The API key nightly is expired. Create a new one."]),
        ({"api_key": {"name": "nightly", "status": "active", "expires_in_days": None}}, []),
        (
            {"api_key": {"name": "nightly", "status": "active", "expires_in_days": 3, "expires_at_iso": "2026-11-25"}},
            ["The API key nightly expires on 2026-11-25. Create a new one in time."],
        ),
    ],
    ids=str,
)
def test_what_is_wrong_with_the_key_is_told_for_all(key: dict, said: list[str]):
    made = summary(key=key)
    assert [one["text"] for one in made["key"]] == said
    assert made["notes"] == [{"level": "fail", "title": "API key", "text": text, "where": "all"} for text in said]


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


def test_without_a_browser_for_the_wanted_pictures_nothing_is_updated():
    update = entry(differs=True, before={"version": "1"}, after={"version": "2"})
    taken = {"failed": True, "msg": "There is no browser.", "error": {"kind": "missing_library"}}
    [found, warned] = findings({**kept(plugins=update), "pictures": {"before": taken}})
    assert found[:2] == ("plugins", "fail")
    assert found[2].endswith("Not updated, because no pictures could be taken: There is no browser.")
    assert warned[1] == "warn"


def test_a_page_that_looks_slightly_different_is_told():
    compared = {"to_look_at": ["/ at 400 px"], "differing": [], "greatest": 0.3, "report": "/p/comparison.html"}
    result = result_of({"made": {"parts": {}}, "pictures": {"before": {}, "after": {}, "compared": compared}}, SETTINGS)
    [found] = result["findings"]
    assert (found["level"], found["text"]) == (
        "warn",
        "These pages look slightly different: / at 400 px. See /p/comparison.html.",
    )
    assert result["pictures"]["greatest"] == 0.3


def test_pictures_that_could_not_be_taken_after_the_updates_are_told():
    after = {"failed": True, "msg": "There is no browser.", "error": {"kind": "missing_library"}}
    result = result_of({"made": {"parts": {}}, "pictures": {"before": {}, "after": after}}, SETTINGS)
    problem = "Pictures were not compared: There is no browser."
    assert [(one["level"], one["text"]) for one in result["findings"]] == [("warn", problem)]
    assert result["pictures"]["problem"] == problem


def test_a_site_that_answers_well_and_looks_different_does_not_work():
    look = "The site looks different: / at 400 px (94.00 % differ)."
    well = {"failed": True, "msg": look, "checks": [{"ok": True}], "error": {"kind": "check_failed"}}
    update = entry(changed=True, differs=True, result={"php_version": "8.4"})
    result = result_of({"made": {"parts": {"php_version": update}}, "well": well}, SETTINGS)
    [found] = result["findings"]
    assert (found["name"], found["level"]) == ("well", "fail")
    assert found["text"].startswith(look)


@pytest.mark.parametrize(
    ("kind", "before_updates", "level"),
    [
        ("connection", {"is_taken": False, "backup": {"id": 7, "tag": "maintenance"}}, "warn"),
        ("outcome_unknown", {"is_taken": True, "backup": {"id": 7, "tag": "maintenance"}}, "warn"),
        ("bad_request", {"is_taken": True, "backup": {"id": 7, "tag": "maintenance"}}, "fail"),
        ("connection", {"failed": True, "msg": "No.", "backup": {"tag": "maintenance"}}, "fail"),
        ("connection", {}, "fail"),
    ],
)
def test_nobody_is_called_for_a_backup_that_was_there_before_the_updates(kind, before_updates, level):
    lost = entry(failed=True, msg="It is not known.", error={"kind": kind, "method": "POST"})
    [found, *_more] = findings({**kept(backup=lost), "update_backup": before_updates})
    words = "It is not known. There was a backup before the updates." if level == "warn" else "It is not known."
    assert found == ("backup", level, words)


def test_a_site_that_the_updates_broke_says_which_backup_goes_back():
    update = entry(changed=True, differs=True, result={"php_version": "8.4"})
    made = {"made": {"parts": {"php_version": update}}, "well": {"failed": True, "msg": "It answered 500."}}
    backup = {"update_backup": {"is_taken": True, "backup": {"id": 7, "tag": "maintenance"}}}
    result = result_of({**kept(php_version=update), **made, **backup}, SETTINGS)
    assert result["done"] == ["PHP version: 8.4", "backup before the updates"]
    [finding] = result["findings"]
    assert result["failed"] is True
    assert finding["text"].endswith(
        "To go back, restore the backup 7 with the tag maintenance, such as with hosting.management.rollback -e"
        " deploy_hosts=shop -e deploy_rollback_backup_id=7."
    )


CHOICE = {"backup_id": 7, "tag": "maintenance", "problem": ""}
GONE_BACK = {"choice": CHOICE, "restore": {"changed": True}, "back": {"failed": False}}
WORKED = "It worked before the updates."
TO_GO_BACK = (
    f"{WORKED} To go back, restore the backup 7 with the tag maintenance, such as with hosting.management.rollback"
    " -e deploy_hosts=shop -e deploy_rollback_backup_id=7."
)
ROLLED_BACK = "It was rolled back to backup 7 (maintenance), and the site works again."
WAYS_BACK = {
    "nobody wanted to go back": ({}, {}, TO_GO_BACK),
    "it was restored": (GONE_BACK, {}, f"{WORKED} {ROLLED_BACK} Held back everywhere: forms 2."),
    "it was restored, and there is a log": (
        GONE_BACK,
        {"lines": ["PHP Fatal error", "PHP Warning"]},
        (
            f"{WORKED} {ROLLED_BACK} Held back everywhere: forms 2. The end of its error log: PHP Fatal error | PHP"
            " Warning"
        ),
    ),
    "the restore failed": (
        {"choice": CHOICE, "restore": {"failed": True, "msg": "No way."}},
        {},
        f"{TO_GO_BACK} Rolling it back failed: No way.",
    ),
    "it was left to a person": (
        {"choice": {**CHOICE, "backup_id": None, "problem": "nobody knows"}},
        {},
        f"{TO_GO_BACK} It was not rolled back, because nobody knows.",
    ),
}


@pytest.mark.parametrize(("undo", "log", "said"), WAYS_BACK.values(), ids=WAYS_BACK)
def test_a_site_that_the_updates_broke_says_what_became_of_the_way_back(undo: dict, log: dict, said: str):
    broke = [{"kind": "plugin", "name": "forms", "version": "2", "verdict": "broke_it"}]
    well = {"failed": True, "msg": "It answered 500.", "updates": broke}
    taken = {"is_taken": True, "backup": {"id": 7, "tag": "maintenance"}}
    results = {"made": {"parts": {}}, "well": well, "update_backup": taken, "undo": undo, "log": log}
    assert findings(results) == [("well", "fail", f"It answered 500. {said}")]


def test_a_restore_of_this_run_is_done_and_one_of_an_earlier_run_is_not():
    broken = {"failed": True, "msg": "It answered 500."}
    for changed, done in ((True, ["restored backup 7"]), (False, [])):
        undo = {**GONE_BACK, "restore": {"changed": changed}}
        assert result_of({"made": {"parts": {}}, "well": broken, "undo": undo}, SETTINGS)["done"] == done


def test_a_restore_that_an_earlier_run_had_begun_is_told_as_a_rollback():
    broke = [{"kind": "plugin", "name": "forms", "version": "2", "verdict": "broke_it", "reason": ""}]
    asked = {"failed": False, "checks": [{"ok": True}], "updates": broke}
    result = result_of({"site": asked, "undo": GONE_BACK}, SETTINGS)
    [undone, _held] = result["findings"]
    assert (undone["name"], undone["level"], result["failed"]) == ("undo", "fail", True)
    assert undone["text"] == f"{ROLLED_BACK} Held back everywhere: forms 2."


def test_as_much_of_the_error_log_is_told_as_a_person_needs():
    broken = {"made": {"parts": {}}, "well": {"failed": True, "msg": "It answered 500."}}
    for length, told in ((5000, 5000), (9000, LONGEST_LOG)):
        [(_name, _level, text)] = findings({**broken, "log": {"lines": ["x" * length]}})
        assert told <= len(text) <= LONGEST_LOG


UPDATE = entry(changed=True, differs=True, before={"version": "8.3"}, after={"version": "8.4"})


@pytest.mark.parametrize(
    ("backup", "settings", "is_taken"),
    [
        (entry(differs=True), {"foresees_backup": True}, True),
        (entry(), {"foresees_backup": True}, False),
        (entry(changed=True), {}, False),
        (entry(result={"backup": {"age": 7200}}), {}, True),
        (entry(result={"backup": {"age": 3600}}), {}, False),
        (entry(result={"backup": {"age": 60}}), {}, False),
        (entry(result={"backup": {"tag": "maintenance"}}), {}, True),
        (entry(differs=True), {"update_backup_max_age": None}, False),
    ],
)
def test_the_backup_before_updates_is_predicted_with_them(backup: dict, settings: dict, is_taken: bool):
    settings = {**SETTINGS, "check_mode": True, "update_backup_max_age": "1h", "updates": ["php_version"], **settings}
    updated = result_of(kept(backup=backup, php_version=UPDATE), settings)
    assert ("backup before the updates" in updated["done"]) is is_taken
    assert updated["due"] == []
    compared = result_of(kept(backup=backup, php_version={**UPDATE, "changed": False}), settings)
    assert "backup before the updates" not in compared["done"]


def test_where_no_backup_is_declared_that_before_updates_is_predicted():
    settings = {**SETTINGS, "check_mode": True, "update_backup_max_age": "1h"}
    assert result_of(kept(php_version=UPDATE), settings)["done"][-1] == "backup before the updates"


def test_a_backup_that_cannot_be_predicted_is_the_one_before_the_updates():
    settings = {"check_mode": True, "foresees_backup": True, "update_backup_max_age": "1h"}
    told = findings(kept(backup=refused("GET", 500), php_version=entry(differs=True)), **settings)
    assert [one[:2] for one in told] == [("php_version", "fail"), ("update_backup", "fail")]


@pytest.mark.parametrize(("rolls_back", "is_broken"), [(True, True), (True, False), (False, True)])
def test_a_restore_that_an_earlier_run_has_begun_is_taken_up_where_the_role_may_go_back(
    rolls_back: bool, is_broken: bool
):
    restored = {"backup_id": 7, "release": f"{RELEASE}7", "state": "in_progress"}
    asked = {"failed": is_broken, "checks": [{"ok": not is_broken}], "error": {"kind": "check_failed"}}
    seen = {"parts": {}, "readings": {"releases": {"restored_backup": restored}}, "unread": {}, "site_check": asked}
    result = result_of({"kept": seen}, {**SETTINGS, "rolls_back": rolls_back})
    assert result["is_going_back"] is (rolls_back and is_broken)


def test_the_end_of_the_error_log_is_kept():
    lines = ["PHP Fatal error", "PHP Warning"]
    assert result_of({"log": {"lines": lines}}, SETTINGS)["log"] == lines
    assert result_of({}, SETTINGS)["log"] == []


def test_backups_that_made_room_for_others_are_told_once_whichever_backup_they_made_room_for():
    first, second, third = ({"id": number, "tag": ""} for number in (1, 2, 3))
    declared = entry(changed=True, result={"removed": [first, second]})
    before_updates = {"update_backup": {"changed": True, "removed": [second, third]}}
    result = result_of({**kept(backup=declared), **before_updates}, SETTINGS)
    assert result["removed_backups"] == [first, second, third]
    assert result["done"][-1] == "removed backups: 1, 2, 3"
    change = result["changes"][-1]
    assert (change["part"], change["text"]) == ("backup", "older backups removed")
    assert change["warnings"] == ["REMOVES backup 1, 2, 3"]
    predicted = kept(backup=entry(differs=True, result={"removed": [third]}), php_version=UPDATE)
    settings = {**SETTINGS, "check_mode": True, "foresees_backup": True, "update_backup_max_age": "1h"}
    assert result_of(predicted, settings)["removed_backups"] == [third]
    assert result_of({"update_backup": {"skipped": True, "removed": [third]}}, SETTINGS)["removed_backups"] == []


def test_updates_of_what_was_locked_at_the_last_moment_wait():
    lock = {"until": "2026-11-30T05:00:00Z", "author": "anna", "reason": "Black Friday"}
    update = entry(differs=True, before={"version": "1"}, after={"version": "2"})
    made = {"made": {"parts": {"plugins": update}, "locks": [lock]}, "locks": [lock]}
    result = result_of({**kept(plugins=update), **made}, {**SETTINGS, "is_unverified": True})
    assert [(one["name"], one["level"]) for one in result["findings"]] == [("plugins", "held")]


BROKEN = {"made": {"parts": {}}, "well": {"failed": True, "msg": "It answered 500."}}
TAKEN = {"id": 8, "tag": "nightly"}


@pytest.mark.parametrize(
    ("backup", "advice"),
    [
        ({}, "It worked before the updates."),
        (kept(backup=entry(result={"backup": TAKEN})), "rollback -e deploy_hosts=shop -e deploy_rollback_backup_id=8."),
        (kept(backup=entry(result={})), "It worked before the updates."),
        (
            {"update_backup": {"backup": {"id": None, "tag": "nightly"}}},
            "restore the backup with the tag nightly, such as with hosting.management.rollback -e deploy_hosts=shop.",
        ),
    ],
    ids=["none", "declared", "declared, not shown", "without a number"],
)
def test_the_way_back_names_the_backup_that_there_is(backup: dict, advice: str):
    made = {**backup, **BROKEN}
    if "kept" in backup:  # the backup's own task comes first, and its result stays
        made["made"] = {"parts": backup["kept"]["parts"]}
    [(name, _level, text)] = findings(made)
    assert name == "well"
    assert text.endswith(advice)


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
    "nothing was made": ({}, {}, True),
    "it was locked at the last moment": ({"parts": {}, "locks": [{"reason": "Black Friday"}]}, {}, True),
    "nothing came of it": ({"failed": True, "msg": "No key."}, {}, True),
    "it failed, and no update did": ({"failed": True, "parts": {"themes": entry()}}, {}, False),
}


@pytest.mark.parametrize(("made", "well", "spoilt"), SPOILT.values(), ids=SPOILT)
def test_whether_updates_went_wrong(made: dict, well: dict, spoilt: bool):
    assert is_spoilt(made, well) is spoilt


# ---- what is waited for ---------------------------------------------------------------------------------------------


def under_way(*states: str, waits: bool = False) -> dict:
    """What environment returns that has not waited: operations, and an update that has to wait or not."""
    operations = [{"id": str(number), "state": state} for number, state in enumerate(states)]
    waiting = entry(waits_for="The update goes on." if waits else None)
    return {"parts": {"php_version": {**waiting, "entries": None}}, "operations": operations}


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({}, False),
        (under_way(), False),
        (under_way("finished", "unknown"), False),
        (under_way("finished", "in_progress"), True),
        (under_way(waits=True), True),
        ({"operation": {"id": "a", "state": "in_progress"}}, True),
        ({"operation": {"id": "a", "state": "finished"}}, False),
        ({"failed": True, "msg": "It was refused."}, False),
    ],
)
def test_what_goes_on_is_what_was_begun_or_has_to_wait(result, expected):
    assert goes_on(result) is expected


@pytest.mark.parametrize(
    ("result", "states", "expected"),
    [
        (under_way("in_progress", waits=True), ["finished"], True),
        (under_way("in_progress", waits=True), ["finished", "failed"], True),
        (under_way("in_progress", waits=True), ["failed", "in_progress"], False),
        (under_way("in_progress", waits=True), ["unknown"], False),
        (under_way("in_progress", waits=True), [], False),
        (under_way("in_progress"), ["finished"], False),
        ({}, ["finished"], False),
    ],
)
def test_there_is_more_to_begin_where_all_that_was_in_the_way_has_ended(result, states, expected):
    worst = {"state": states[0]} if states else {}
    ended = {"operation": worst, "operations": [{"state": state} for state in states]} if states else {}
    assert has_more(result, ended) is expected


def test_one_wait_is_for_those_at_which_something_goes_on():
    def settings(name: str, wait_timeout: float) -> dict:
        return {"waiting": {"environment_id": f"e-{name}", "environment": name, "wait_timeout": wait_timeout}}

    environments = [settings("shop", 60), settings("blog", 600), settings("wiki", 5), settings("news", 900), {}]
    results = [under_way("in_progress"), under_way(waits=True), {}, under_way("finished"), under_way("in_progress")]
    assert wave_of(environments, results) == {
        "ids": ["e-shop", "e-blog"],
        "names": {"e-shop": "shop", "e-blog": "blog"},
        "wait_timeout": 600,
    }
    assert wave_of([], []) == {"ids": [], "names": {}, "wait_timeout": 0}
    with pytest.raises(ValueError, match="zip"):
        wave_of(environments, results[:1])


NAMES = {name: f"its_{name}" for name in KNOWN}


def host(name: str = "shop", **known: object) -> dict:
    """The variables of a host at which these tasks have come to an end."""
    settings = {"result": {**SETTINGS, "environment": name, "updates": ["plugins"]}}
    return {"its_settings": settings, **{f"its_{one}": value for one, value in known.items()}}


DUE = {"changed": False, "parts": {}, "differs": ["plugins", "denied_ips"]}


def test_each_host_that_was_looked_at_has_a_result():
    hosts = [host("shop", kept=DUE), host("blog"), {}, {"its_settings": {"problems": ["?"]}, "its_kept": DUE}]
    [one] = results_of(hosts, NAMES)
    assert (one["host"], one["result"]["environment"], one["result"]["due"]) == ("shop", "shop", ["plugins"])


def test_results_come_from_the_variables_that_the_role_names():
    kept = {**DUE, "site_check": {"failed": True, "msg": "It answers 500.", "error": {"kind": "check_failed"}}}
    made = {"changed": True, "parts": {}, "locks": [{"text": "locked by Ann"}]}
    [one] = results_of([host(kept=kept, made=made, log={"lines": ["PHP Fatal error"]})], NAMES)
    assert one["result"]["log"] == ["PHP Fatal error"]
    assert any("It answers 500." in finding["text"] for finding in one["result"]["findings"])


IS_DUE = {
    "it has updates": (DUE, True),
    "something else differs": ({**DUE, "differs": ["denied_ips"]}, False),
    "nothing differs": ({**DUE, "differs": []}, False),
    "its site does not work": ({**DUE, "site_check": {"failed": True, "msg": "?"}}, False),
    "its site works": ({**DUE, "site_check": {"failed": False}}, True),
    "somebody has locked it": ({**DUE, "locks": [{"text": "locked by Ann"}]}, False),
}


@pytest.mark.parametrize(("kept", "is_due"), IS_DUE.values(), ids=IS_DUE)
def test_an_environment_is_due_for_updates_if(kept: dict, is_due: bool):
    [one] = results_of([host(kept=kept)], NAMES)
    assert one["result"]["is_due"] is is_due


HELD_BY = {
    "another one": ("blog", {}, True),
    "nobody": ("", {}, False),
    "itself": ("shop", {}, False),
    "another one, but it has no backup": ("blog", {"failed": True, "msg": "refused"}, False),
}


@pytest.mark.parametrize(("held_by", "update_backup", "is_held"), HELD_BY.values(), ids=HELD_BY)
def test_updates_are_held_back_by(held_by: str, update_backup: dict, is_held: bool):
    kept = {**DUE, "parts": {"plugins": entry(differs=True, after=["2.5.0"])}}
    [one] = results_of([host(kept=kept, held_by=held_by, update_backup=update_backup)], NAMES)
    held = [finding["level"] for finding in one["result"]["findings"] if "blog" in finding["text"]]
    assert held == ["held"] * is_held


@pytest.mark.parametrize("task", ["kept", "made"])
def test_updates_wait_for_a_lock_that_was_met_by(task: str):
    lock = {"group": "all", "environment": None, "reason": "Black Friday", "author": "Ann", "until": None}
    known = {"kept": {**DUE, "parts": {"plugins": entry(differs=True, after=["2.5.0"])}}}
    known[task] = {**known["kept"], "locks": [lock]}
    [one] = results_of([host(**known)], NAMES)
    assert any("Black Friday" in finding["text"] for finding in one["result"]["findings"])


def test_a_result_tells_whether_what_was_begun_goes_on():
    running, ended = (
        {"operations": [{"id": "backups:add-manual-1", "state": one}]} for one in ("in_progress", "finished")
    )
    waiting = {"parts": {"backup": entry(waits_for="a push")}}
    for kept, goes in ((running, True), (ended, False), (waiting, True)):
        [one] = results_of([host(kept={**DUE, **kept})], NAMES)
        assert one["result"]["goes_on"] is goes


NEXT = {
    "nothing is left": ([{}], 100, False, (False, False, False)),
    "one has updates": ([{}, {"is_due": True}], 100, False, (False, False, True)),
    "one goes back": ([{}, {"is_going_back": True}], 100, False, (False, False, True)),
    "check mode updates nothing": ([{"is_due": True}, {"is_going_back": True}], 100, True, (False, False, False)),
    "something goes on": ([{}, {"goes_on": True}], 100, False, (True, False, False)),
    "as many as may fail have": ([{"failed": True}, {}], 50, False, (False, False, False)),
    "one more has failed": ([{"failed": True}, {"failed": True}, {}], 50, False, (False, True, False)),
    "none may fail": ([{"failed": True}, {}], 0, False, (False, True, False)),
    "no host is left": ([], 0, False, (False, False, False)),
}


@pytest.mark.parametrize(("results", "most_failures", "check_mode", "expected"), NEXT.values(), ids=NEXT)
def test_what_comes_next_for_a_wave_when(results: list, most_failures: float, check_mode: bool, expected: tuple):
    comes = next_of(results, most_failures, check_mode)
    assert (comes["waits"], comes["stops"], comes["updates"]) == expected
