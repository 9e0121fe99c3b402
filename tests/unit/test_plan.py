# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan says of each part, how it is shown, kept and read, and what a run that is held to it may do."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils import plan, plan_page
from ansible_collections.hosting.management.plugins.plugin_utils.maintenance import result_of
from ansible_collections.hosting.management.plugins.plugin_utils.maintenance_summary import summary_of
from unit.test_maintenance import SETTINGS, entry, kept, refused
from unit.test_maintenance_variables import GOOD, settings

ID = GOOD["maintain_environment_id"]
RECORD = {"ttl": 300, "rdata": ["192.0.2.1"]}
LONG = [f"192.0.2.{number}" for number in range(1, 6)]

CHANGES = {
    "added": ("denied_ips", {"before": ["a"], "after": ["a", "b"]}, "denied addresses +1", []),
    "added and removed": (
        "denied_ips",
        {"before": ["a", "b", "c"], "after": ["d", "e"]},
        "denied addresses +2 −3",
        ["REMOVES denied a, b, c"],
    ),
    "many removed": (
        "sftp_allowlist",
        {"before": LONG, "after": LONG[:1]},
        "SFTP allowlist −4",
        ["REMOVES allowed 192.0.2.2, 192.0.2.3, 192.0.2.4 and 1 more"],
    ),
    "opened": (
        "sftp_allowlist",
        {"before": ["a"], "after": []},
        "SFTP allowlist −1",
        ["REMOVES allowed a", "OPENS SFTP and SSH to all addresses"],
    ),
    "not shown": (
        "denied_ips",
        {"before": "(not shown by the service)", "after": ["a"]},
        "denied addresses – → 1",
        ["REPLACES a list that the service does not show"],
    ),
    "value": ("image_optimization", {"before": "off", "after": "lossy"}, "image optimization off → lossy", []),
    "from nothing": ("primary_domain", {"before": None, "after": "a.example"}, "primary domain – → a.example", []),
    "PHP": ("php_version", {"before": {"version": "8.1"}, "after": {"version": "8.3"}}, "PHP 8.1 → 8.3", []),
    "automatic updates": (
        "php_version",
        {
            "before": {"version": "8.3", "automatic_updates": True},
            "after": {"version": "8.3", "automatic_updates": False},
        },
        "automatic PHP updates off",
        [],
    ),
    "automatic updates on": (
        "php_version",
        {"before": {"version": "8.3"}, "after": {"version": "8.3", "automatic_updates": True}},
        "automatic PHP updates on",
        [],
    ),
    "PHP, with the same automatic updates": (
        "php_version",
        {
            "before": {"version": "8.1", "automatic_updates": True},
            "after": {"version": "8.3", "automatic_updates": True},
        },
        "PHP 8.1 → 8.3",
        [],
    ),
    "PHP that is not shown": (
        "php_version",
        {"before": "(not shown by the service)", "after": "8.3"},
        "PHP – → 8.3",
        [],
    ),
    "nothing is left": ("denied_ips", {"before": ["a"], "after": None}, "denied addresses −1", ["REMOVES denied a"]),
    "a long value": ("primary_domain", {"before": "a", "after": "b" * 101}, f"primary domain a → {'b' * 100}", []),
    "backup": ("backup", {"before": None, "after": "night"}, "backup", []),
    "theme": ("themes", {"name": "shop", "before": {"shop": "1"}, "after": {"shop": "2"}}, "theme shop 1 → 2", []),
    "record added": (
        "dns_records",
        {"name": "A a.example", "before": {"A a.example": "absent"}, "after": {"A a.example": RECORD}},
        "DNS record A a.example added",
        [],
    ),
    "record removed": (
        "dns_records",
        {"name": "A a.example", "before": {"A a.example": RECORD}, "after": {"A a.example": "absent"}},
        "DNS record A a.example removed",
        ["REMOVES DNS record A a.example: 192.0.2.1"],
    ),
    "record removed whose values are not shown": (
        "dns_records",
        {"name": "A a.example", "before": {"A a.example": {"ttl": 300}}, "after": {"A a.example": "absent"}},
        "DNS record A a.example removed",
        ["REMOVES DNS record A a.example"],
    ),
    "record with one more value": (
        "dns_records",
        {
            "name": "A a.example",
            "before": {"A a.example": RECORD},
            "after": {"A a.example": {**RECORD, "rdata": [*RECORD["rdata"], "192.0.2.2"]}},
        },
        "DNS record A a.example +1",
        [],
    ),
    "record changed": (
        "dns_records",
        {
            "name": "A a.example",
            "before": {"A a.example": RECORD},
            "after": {"A a.example": {"ttl": 3600, "rdata": ["192.0.2.2"]}},
        },
        "DNS record A a.example +1 −1 TTL 300 → 3600",
        ["REMOVES 192.0.2.1 from DNS record A a.example"],
    ),
    "domain added": (
        "domains",
        {"name": "a.example", "before": {"a.example": "absent"}, "after": {"a.example": "present"}},
        "domain a.example added",
        [],
    ),
    "what has no word of its own": (
        "others",
        {"name": "a.example", "before": {"a.example": "absent"}, "after": {"a.example": {"ttl": 60}}},
        "others a.example added",
        [],
    ),
    "domain": (
        "domains",
        {"name": "a.example", "before": {"a.example": "present"}, "after": {"a.example": "absent"}},
        "domain a.example removed",
        ["REMOVES domain a.example"],
    ),
}


@pytest.mark.parametrize(("part", "states", "text", "warnings"), CHANGES.values(), ids=CHANGES)
def test_what_a_change_says(part: str, states: dict, text: str, warnings: list[str]):
    (one,) = plan.changes_of(part, entry(changed=True, **states))
    assert (one["text"], one["warnings"]) == (text, warnings)
    assert (one["before"], one["after"]) == (states["before"], states["after"])
    assert one["part"] == part


def test_each_plugin_is_a_change_and_each_address_a_detail():
    moves = entry(before={"forms": "1", "seo": "3"}, after={"forms": "2", "seo": "4"})
    assert [one["text"] for one in plan.changes_of("plugins", moves)] == ["plugin forms 1 → 2", "plugin seo 3 → 4"]
    assert [one["name"] for one in plan.changes_of("plugins", moves)] == ["forms", "seo"]
    (one,) = plan.changes_of("denied_ips", entry(before=["a"], after=["b"]))
    assert one["details"] == ["+ b", "− a"]


@pytest.mark.parametrize(
    ("before", "after", "details"),
    [
        ("absent", RECORD, ["+ 192.0.2.1"]),
        ("absent", {"ttl": 60}, []),
        (RECORD, {"ttl": 300, "rdata": ["192.0.2.2"]}, ["+ 192.0.2.2", "− 192.0.2.1"]),
        (RECORD, "absent", []),
    ],
)
def test_each_value_of_a_record_is_a_detail(before, after, details):
    name = "A a.example"
    (one,) = plan.changes_of("dns_records", entry(name=name, before={name: before}, after={name: after}))
    assert one["details"] == details


@pytest.mark.parametrize(
    ("push", "words"),
    [
        ({"push_db": True, "push_files": True, "file_list": []}, "the database and all files"),
        ({"push_db": False, "push_files": True, "file_list": ["a.php", "b.php"]}, "a.php, b.php"),
        ({"push_db": True, "push_files": False, "file_list": ["a.php"]}, "the database"),
        ({}, ""),
    ],
)
def test_what_a_push_brings(push, words):
    assert plan.pushed_parts(push) == words


def test_a_push_is_the_same_that_is_about_the_same():
    push = {
        "push_db": True,
        "push_files": False,
        "run_search_and_replace": True,
        "push_files_option": None,
        "file_list": [],
    }
    asked = {"release": 7, "source_environment_id": "e1", "push": {**push, "force": True}}
    assert plan.push_of(asked) == {"release": "7", "source_environment_id": "e1", **push}
    assert plan.push_of({"release": "v1"}) == {
        "release": "v1",
        "source_environment_id": "",
        **dict.fromkeys(push),
    }


def test_an_environment_of_a_plan_has_lists_also_where_there_is_nothing():
    start = {"environment": "shop", "environment_id": ID, "changes": []}
    empty = {"needs": [], "to_know": [], "not_seen": []}
    assert plan.environment_of("shop", ID, []) == start | empty
    more = {"needs": ["a"], "to_know": ["b"], "not_seen": ["c"]}
    assert plan.environment_of("shop", ID, [], **more) == start | more


def test_the_change_of_a_part_is_found():
    changes = [plan.change("backup", "backup"), plan.change("push", "push")]
    planned = plan.environment_of("shop", ID, changes)
    assert plan.change_of(planned, "push") == changes[1]
    assert plan.change_of(planned, "restore") is None


def test_changes_of_parts_that_do_not_bind_are_passed_over():
    changes = [plan.change("backup", "backup"), plan.change("plugins", "", before={"a": "1"}, after={"a": "2"})]
    moves = plan.moves_of(plan.environment_of("shop", ID, changes), ["plugins", "themes"])
    assert moves == {"plugins": {"before": {"a": "1"}, "after": {"a": "2"}}, "themes": None}


def test_a_long_change_is_shown_whole():
    text = "x" * 299
    made = plan.plan_of("maintain", [plan.environment_of("shop", ID, [plan.change("push", text)])], 0)
    assert text in "\n".join(plan.lines_of(made))


def test_search_and_replace_cannot_be_undone():
    states = entry(before="a.example", after="b.example")
    (one,) = plan.changes_of("primary_domain", states, rewrites_database=True)
    assert one["warnings"] == ["CANNOT BE UNDONE: replaces the old domain throughout the database"]


def changed(**states: object) -> dict:
    return entry(changed=True, differs=True, **states)


def fleet(*parts: dict, check_mode: bool = True) -> dict:
    """The summary of a fleet with these results of the module environment."""
    hosts = [f"shop{number:02}" for number in range(1, len(parts) + 1)]
    results = [
        result_of(kept(**of_host), {**SETTINGS, "environment": host, "environment_id": ID, "check_mode": True})
        for host, of_host in zip(hosts, parts, strict=True)
    ]
    return summary_of(
        results,
        [*hosts, "lost"],
        key={"api_key": {"status": "active"}},
        key_days=None,
        warn_only=[],
        check_mode=check_mode,
    )


FLEET = (
    {"denied_ips": changed(before=["x", "y", "z"], after=["a", "b"]), "image_optimization": entry()},
    *({"denied_ips": changed(before=[f"own{number}"], after=[f"own{number}", "a"])} for number in range(5)),
    {"denied_ips": entry()},
    {"denied_ips": {**refused("GET", 500), "name": None}},
)


def test_environments_with_equal_changes_are_one_line():
    lines = plan.lines_of(fleet(*FLEET)["plan"])
    assert [re.split(" {2,}", line) for line in lines] == [
        ["environments", "would do", "WATCH OUT", "needs a person"],
        ["shop01", "denied addresses +2 −3", "REMOVES denied x, y, z"],
        ["5 environments: shop02, shop03, shop04, …", "denied addresses +1"],
        ["shop08", "-", "denied addresses"],
        ["lost", "-", "not reached"],
        ["shop07", "-"],
    ]


def test_details_are_shown_on_demand():
    lines = plan.lines_of(fleet(*FLEET)["plan"], details=True)
    assert [line.strip() for line in lines[2:7]] == ["└ + a", "└ + b", "└ − x", "└ − y", "└ − z"]


def test_the_canary_is_named():
    update = {"php_version": changed(before={"version": "8.1"}, after={"version": "8.3"})}
    made = [
        result_of({"made": {"parts": update}}, {**SETTINGS, "environment": host, "environment_id": ID})
        for host in ("a", "b")
    ]
    options = {"key": {}, "key_days": None, "warn_only": [], "check_mode": True}

    def texts(*results: dict, **canary: bool) -> list[str]:
        summary = summary_of(list(results), ["a", "b"], **options, **canary)
        return [each["text"] for one in summary["plan"]["environments"] for each in one["changes"]]

    assert texts(*made, has_canary=True) == ["PHP 8.1 → 8.3 (canary)", "PHP 8.1 → 8.3"]
    assert texts(*made, has_canary=False) == texts(*made) == ["PHP 8.1 → 8.3"] * 2
    assert texts(has_canary=True) == []
    # A site that can be asked goes before one that nobody can look at.
    unseen = {**made[0], "findings": [{"name": "well", "title": "site", "level": "warn", "text": "Not verified."}]}
    assert texts(unseen, made[1], has_canary=True) == ["PHP 8.1 → 8.3", "PHP 8.1 → 8.3 (canary)"]


def test_a_run_that_changes_something_has_no_plan():
    assert fleet(*FLEET, check_mode=False)["plan"] is None


# ---- files ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    """A function that writes the plan of a fleet, and returns its path."""

    def write(*parts: dict):
        path = tmp_path / "plan.json"
        for one in plan_page.files_of(fleet(*parts)["plan"], str(path)):
            with open(one["path"], "w") as stream:
                stream.write(one["content"])
        return path

    return write


def test_a_plan_has_a_page_beside_it_and_can_be_read_again(file):
    path = file(*FLEET)
    assert [one.name for one in sorted(path.parent.iterdir())] == ["plan.html", "plan.json"]
    read = plan.read(str(path), "maintain")
    assert read["totals"] == {"environments": 9, "changed": 6, "changes": 6, "warnings": 1}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", read["made_at"])
    page = path.with_suffix(".html").read_text()
    assert "<summary>5 environments</summary>" in page
    assert "REMOVES denied x, y, z" in page


def test_a_page_alone_is_chosen_by_its_name(tmp_path):
    (only,) = plan_page.files_of(fleet(*FLEET)["plan"], str(tmp_path / "plan.html"))
    assert only["path"].endswith("plan.html")


HOSTILE = "</td><script>alert(1)</script>\x1b[2J\u202e{{ 7 * 7 }}"


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)


def test_what_the_service_says_is_inert():
    records = changed(
        name=f"TXT {HOSTILE}",
        before={f"TXT {HOSTILE}": {"ttl": 60, "rdata": [HOSTILE]}},
        after={f"TXT {HOSTILE}": "absent"},
    )
    plugins = changed(before={HOSTILE: HOSTILE}, after={HOSTILE: HOSTILE * 20})
    made = fleet({"dns_records": records, "themes": {**plugins, "name": HOSTILE}})["plan"]
    lines = "\n".join(plan.lines_of(made, details=True))
    assert not set(lines) & {"\x1b", "\u202e"}
    assert len(lines.splitlines()) == 3
    page = plan_page.page_of(made)
    assert Tags(page).tags.count("script") == 1
    assert not set(page) & {"\x1b", "\u202e"}
    assert "{{ 7 * 7 }}" in page
    (written, _page) = plan_page.files_of(made, "/tmp/plan.json")
    assert written["content"].isascii()
    assert "\x1b" not in written["content"]


BAD_PLANS = {
    "no JSON": ("{", "cannot be read"),
    "the page of a plan": ("<!doctype html>", "give the file of the plan itself, which ends with .json."),
    "a list": ("[]", "is no plan of the playbook maintain"),
    "another playbook's": ({"plan": "access"}, "is no plan of the playbook maintain"),
    "another version": ({"version": 99}, "is no plan of the playbook maintain"),
    "no environments": ({"environments": None}, "is not as a plan was written"),
    "no changes": ({"environments": [{"environment": "shop"}]}, "is not as a plan was written"),
    "half a change": (
        {"environments": [{"environment": "shop", "not_seen": [], "changes": [{"part": "backup"}]}]},
        "is not as a plan was written",
    ),
    "no such host": ({"environments": []}, "The plan has no shop. Leave it out with --limit"),
    "another id": (
        {"environments": [{"environment": "shop", "environment_id": "x", "not_seen": [], "changes": []}]},
        f"The plan has shop with another id than {ID}",
    ),
}


@pytest.mark.parametrize(("content", "said"), BAD_PLANS.values(), ids=BAD_PLANS)
def test_a_plan_that_does_not_belong_to_the_run_is_refused(content, said: str, tmp_path):
    path = tmp_path / "plan.json"
    whole = {"plan": "maintain", "version": plan.VERSION, "environments": []}
    path.write_text(json.dumps({**whole, **content}) if isinstance(content, dict) else content)
    (problem,) = settings(maintain_plan=str(path))["problems"]
    assert said in problem


@pytest.mark.parametrize(("playbook", "role"), [("rollback", "deploy"), ("maintain", "maintain")])
def test_a_plan_of_another_playbook_says_how_to_make_one(playbook, role, tmp_path):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"plan": "access"}))
    with pytest.raises(ValueError, match=rf"Make one with --check and -e {role}_plan_file={path}\."):
        plan.read(str(path), playbook)


def test_a_plan_needs_no_more_than_what_a_run_is_held_to(tmp_path):
    changes = [{"part": "denied_ips", "before": ["ä"], "after": []}]
    path = tmp_path / "plan.json"
    least = {"environment": "shop", "not_seen": [], "changes": changes}
    path.write_text(
        json.dumps({"plan": "maintain", "version": plan.VERSION, "environments": [least]}, ensure_ascii=False),
        encoding="utf-8",
    )
    assert plan.read(str(path), "maintain")["environments"] == [least]


def test_a_plan_that_is_not_there_is_named_once(tmp_path):
    path = str(tmp_path / "plan.json")
    (problem,) = settings(maintain_plan=path)["problems"]
    assert problem == f"The plan {path} cannot be read: No such file or directory."


BAD_FILES = {
    "no plan without check mode": ("plan.json", False, "maintain_plan_file is for check mode"),
    "another kind of file": ("plan.yml", True, "ends neither with .json nor with .html"),
    "in no folder": ("/no/such/folder/plan.json", True, "which is a folder, or is in none"),
}


@pytest.mark.parametrize(("path", "check_mode", "said"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_file_that_no_plan_can_be_written_to_is_refused(path: str, check_mode: bool, said: str):
    (problem,) = settings(maintain_plan_file=path, check_mode=check_mode)["problems"]
    assert said in problem


# ---- a run that is held to a plan -----------------------------------------------------------------------------------


def test_a_plan_says_what_each_declared_part_may_become(tmp_path):
    moves = {
        "denied_ips": changed(before=["x"], after=["a"]),
        "plugins": changed(before={"forms": "1", "seo": "3"}, after={"forms": "2", "seo": "4"}),
        "image_optimization": refused("GET", 500),
    }
    result = result_of({"made": {"parts": moves}}, {**SETTINGS, "environment": "shop", "environment_id": ID})
    options = {"key": {}, "key_days": None, "warn_only": [], "check_mode": True}
    (written, _page) = plan_page.files_of(
        summary_of([result], ["shop"], **options)["plan"], str(tmp_path / "plan.json")
    )
    (tmp_path / "plan.json").write_text(written["content"])
    declared = {
        "maintain_denied_ips": ["a"],
        "maintain_update_plugins": "updatable",
        "maintain_image_optimization": "lossy",
        "maintain_php_version": "8.4",
        "maintain_sftp_allowlist": ["a"],
        "maintain_check_only": ["sftp_allowlist"],
    }
    asked = settings(maintain_plan=str(tmp_path / "plan.json"), **declared)
    assert asked["problems"] == []
    assert (
        asked["keep"]["planned"]
        == asked["make"]["planned"]
        == {
            "denied_ips": {"before": ["x"], "after": ["a"]},
            "plugins": {"before": {"forms": "1", "seo": "3"}, "after": {"forms": "2", "seo": "4"}},
            "php_version": None,
        }
    )
    assert asked["keep"]["declaration"]["image_optimization"] is None  # nobody has seen what it would do
    assert settings(**declared)["keep"]["planned"] is None
