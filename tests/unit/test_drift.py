# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How environments differ from what is declared, and from a plan: what is compared, and what the report makes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible.parsing.dataloader import DataLoader

from ansible_collections.hosting.management.plugins.modules import environment_state_info, site_plugin
from ansible_collections.hosting.management.plugins.plugin_utils import plan
from ansible_collections.hosting.management.plugins.plugin_utils.drift import LONGEST_TEXT, NOT_SHOWN, drift_of
from ansible_collections.hosting.management.plugins.plugin_utils.report.document import parts_of
from ansible_collections.hosting.management.plugins.plugin_utils.report.page import page_of
from simulator import seed
from unit.report_fleet import HOSTILE, document, failed, host
from unit.test_maintenance import entry as made_of
from unit.test_report_variables import ROLE, asked_of

pytest_plugins = ["simulator.fixtures"]

SITE, LIVE = seed.site_id(1), seed.environment_id(1)
INVENTORY = {"inventory_hostname": "shop", "hosting_environment_id": "e1", "hosting_site_id": "a1"}
FORMS = "example-forms"


# ---- what is compared, by the module --------------------------------------------------------------------------------


@pytest.fixture
def compare(controller):
    """A function that compares the environment with a declaration."""

    def compare(declaration, **options):
        ids = {"environment_id": LIVE, "site_id": SITE}
        return controller.run(environment_state_info, **{**ids, "gather": [], "compare_with": declaration, **options})

    return compare


def test_each_declared_part_is_compared_and_nothing_is_sent(simulator, compare):
    simulator.state.environment(LIVE).denied_ips = ["198.51.100.7"]
    found = compare({"denied_ips": ["203.0.113.7"], "php_version": "8.3", "image_optimization": None})
    assert found["differs"] == ["denied_ips"]
    assert set(found["parts"]) == {"denied_ips", "php_version"}
    assert found["parts"]["denied_ips"]["before"] == ["198.51.100.7"]
    assert found["parts"]["denied_ips"]["after"] == ["203.0.113.7"]
    assert not found["changed"]
    assert simulator.writes == []


def test_an_environment_does_not_differ_from_its_own_declaration(compare):
    declaration = compare({}, gather=["denied_ips", "sftp_allowlist", "php_version", "plugins"])["declaration"]
    assert len(declaration) == 4
    assert compare(declaration)["differs"] == []


def test_what_was_read_is_not_asked_for_again_to_compare(simulator, compare):
    declaration = compare({}, gather=["plugins"])["declaration"]
    simulator.clear_requests()
    assert compare(declaration, gather=["plugins"])["differs"] == []
    assert len(simulator.requests) == 1


def test_a_part_that_cannot_be_compared_stops_nothing(simulator, compare):
    simulator.fault("status", method="GET", path=f"/sites/environments/{LIVE}/denied-ips", times=None, status=403)
    missing = {"name": "no-such-plugin", "update_version": "1.0"}
    found = compare({"plugins": [missing], "php_version": "8.1"}, gather=["plugins"])
    assert found["parts"]["plugins"]["failed"]
    assert found["differs"] == ["php_version"]
    assert found["readings"]["plugins"]


def test_what_a_service_does_not_show_is_unknown_and_no_drift(simulator, compare):
    simulator.settings.interface_only = True
    found = compare({"denied_ips": ["203.0.113.7"], "sftp_allowlist": ["203.0.113.8"]})
    drift = drift_of(found, None)
    assert [one["text"] for one in drift["unknown"]] == [NOT_SHOWN]
    assert [one["part"] for one in drift["differs"]] == ["sftp_allowlist"]


def test_an_update_that_waits_for_the_canary_is_no_drift(controller, compare):
    other = {"environment_id": seed.environment_id(2), "site_id": seed.site_id(2)}
    assert controller.run(site_plugin, **other, name=FORMS, update_version="2.5.0", canary=True)["changed"]
    declared = {"plugins": [{"name": FORMS, "update_version": "2.5.0"}]}
    assert compare(declared)["differs"] == ["plugins"]
    assert compare(declared, canary=True)["differs"] == []


def test_without_a_declaration_nothing_is_compared(controller):
    assert "parts" not in controller.run(environment_state_info, environment_id=LIVE, gather=["plugins"])


# ---- what variables ask for -----------------------------------------------------------------------------------------


def asked(**variables):
    return asked_of(**{**INVENTORY, **variables})


def write_plan(folder: Path, *changes: dict, **more) -> str:
    environment = plan.environment_of("shop", "e1", list(changes), **more)
    path = folder / "plan.json"
    path.write_text(json.dumps(plan.plan_of("maintain", [environment], 0)))
    return str(path)


def test_what_the_role_maintain_declares_is_compared():
    host = asked(maintain_denied_ips=["192.0.2.1"], maintain_additional_denied_ips=["192.0.2.2"])
    assert host["asks"]["compare_with"] == {"denied_ips": ["192.0.2.1", "192.0.2.2"]}
    assert host["asks"]["canary"] is True
    assert host["known"]["drift"] == {"declares": True, "planned": None, "problem": ""}
    assert "drift" not in host["asks"]["gather"]


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"maintain_check_visits": 5},
        {"maintain_denied_ips": ["192.0.2.1"], "report_parts": ["visits"]},
        {"maintain_denied_ips": ["192.0.2.1"], "hosting_environment_id": ""},
    ],
)
def test_nothing_is_compared_where_nothing_is_declared_or_asked_for(variables):
    host = asked(**variables)
    assert host["asks"]["compare_with"] is None
    assert host["known"]["drift"] == {"declares": False, "planned": None, "problem": ""}


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"maintain_denid_ips": []}, "maintain_denied_ips"),
        ({"maintain_update_plugins": "all"}, "updatable or vulnerable"),
        ({"maintain_php_version": 8.1}, "quotes"),
        ({"maintain_denied_ips": [], "maintain_check_visits": 5, "hosting_site_id": ""}, "hosting_site_id) of shop."),
    ],
)
def test_mistakes_in_what_is_declared_are_a_gap_of_drift_alone(variables, words):
    found = asked(**variables)
    assert found["problems"] == []
    assert words in found["known"]["drift"]["problem"]
    assert (found["asks"]["compare_with"], found["asks"]["canary"]) == (None, False)


def test_a_value_whose_template_fails_is_a_gap_of_drift_alone(tmp_path):
    (tmp_path / "vars.yml").write_text("maintain_denied_ips: '{{ nowhere_defined }}'")
    variables = DataLoader().load_from_file(str(tmp_path / "vars.yml"), trusted_as_template=True)
    assert "nowhere_defined" in asked(**variables)["known"]["drift"]["problem"]


def test_of_many_mistakes_as_much_is_told_as_one_can_read():
    mistakes = {f"maintain_denied_ips_of_{number}_shops": [] for number in range(20)}
    problem = asked(**mistakes)["known"]["drift"]["problem"]
    assert len(problem) == len("It cannot be compared: ") + LONGEST_TEXT


def test_the_runs_own_plan_and_files_of_maintain_are_not_those_of_the_report():
    found = asked(maintain_denied_ips=[], maintain_plan_file="/nowhere/x", maintain_summary_file="/nowhere/y")
    assert found["known"]["drift"]["problem"] == ""


def test_a_plan_says_what_is_planned(tmp_path):
    path = write_plan(tmp_path, plan.change("denied_ips", "", before=[], after=["192.0.2.1"]), not_seen=["php_version"])
    declared = {
        "maintain_denied_ips": ["192.0.2.1"],
        "maintain_php_version": "8.3",
        "maintain_backup_max_age": "24h",
        "maintain_image_optimization": "lossy",
    }
    found = asked(report_drift_plan=path, **declared)
    assert found["known"]["drift"]["planned"] == {"denied_ips": {"before": [], "after": ["192.0.2.1"]}}
    assert set(found["asks"]["compare_with"]) == {"denied_ips", "image_optimization"}
    assert found["settings"]["has_plan"]


def test_a_plan_that_changes_what_is_not_declared_cannot_be_compared_with(tmp_path):
    path = write_plan(tmp_path, plan.change("denied_ips", "", before=[], after=["192.0.2.1"]))
    assert "denied addresses" in asked(report_drift_plan=path)["known"]["drift"]["problem"]


def test_a_host_that_the_plan_does_not_have_is_a_gap(tmp_path):
    path = write_plan(tmp_path)
    found = asked(report_drift_plan=path, inventory_hostname="blog", maintain_denied_ips=[])
    assert "The plan has no blog" in found["known"]["drift"]["problem"]


def test_a_plan_that_is_none_stops_the_report(tmp_path):
    (tmp_path / "plan.json").write_text("[]")
    (problem,) = asked(report_drift_plan=str(tmp_path / "plan.json"))["problems"]
    assert "is no plan of the playbook maintain" in problem


# ---- what differs ---------------------------------------------------------------------------------------------------


def drift(part, one, planned=None):
    return drift_of({"parts": {part: one}}, planned and {part: planned})


def entry(before, after, **values):
    """What environment says of a part that differs."""
    return made_of(**{"before": before, "after": after, "differs": True, **values})


def several(*entries):
    return {"entries": list(entries)}


PHP = [{"version": "8.1", "automatic_updates": True}, {"version": "8.3", "automatic_updates": True}]
RECORD = [{"A www": {"ttl": 300, "rdata": ["192.0.2.1"]}}, {"A www": {"ttl": 300, "rdata": ["192.0.2.2"]}}]


@pytest.mark.parametrize(
    ("part", "one", "name", "text"),
    [
        (
            "denied_ips",
            entry(["192.0.2.1"], ["192.0.2.2"]),
            "",
            "The list has 192.0.2.1, not declared, and lacks 192.0.2.2.",
        ),
        ("backup", entry(None, "keep"), "", "There is none that is new enough."),
        ("php_version", entry(*PHP), "", "It is 8.1 instead of 8.3."),
        (
            "dns_records",
            several(entry(*RECORD, name="A www")),
            "A www",
            "A www: It has 192.0.2.1 (TTL 300) instead of 192.0.2.2 (TTL 300).",
        ),
        ("plugins", several(entry({FORMS: "2.4"}, {FORMS: "2.5"})), "", f"{FORMS} 2.4 has the update 2.5."),
    ],
)
def test_a_difference_is_told_in_a_sentence(part, one, name, text):
    found = drift(part, one)
    assert [(each["name"], each["text"]) for each in found["differs"]] == [(name, text)]
    assert (found["compared"], found["planned"], found["unknown"]) == ([part], [], [])


def test_what_is_as_declared_is_compared_and_does_not_differ():
    found = drift("denied_ips", entry(["192.0.2.1"], ["192.0.2.1"], differs=False))
    assert found == {"compared": ["denied_ips"], "differs": [], "planned": [], "unknown": []}


@pytest.mark.parametrize(
    ("part", "one", "move", "kind"),
    [
        ("denied_ips", entry(["a", "b"], ["c"]), {"before": ["b", "a"], "after": ["c"]}, "planned"),
        ("denied_ips", entry(["a"], ["d"]), {"before": ["b"], "after": ["a"]}, "planned"),
        ("denied_ips", entry(["x"], ["c"]), {"before": ["a"], "after": ["c"]}, "differs"),
        ("denied_ips", entry(["x"], ["c"]), None, "differs"),
        ("php_version", entry(*PHP), {"before": PHP[0], "after": PHP[1]}, "planned"),
        ("php_version", entry(*PHP), {"before": PHP[1], "after": {"version": "8.4"}}, "differs"),
        # A newer version than the plan's does not make a site drift that is as the plan saw it.
        ("plugins", several(entry({"a": "1"}, {"a": "3"})), {"before": {"a": "1"}, "after": {"a": "2"}}, "planned"),
        # Nor does it matter what has become of another plugin since.
        (
            "plugins",
            several(entry({"a": "1"}, {"a": "2"})),
            {"before": {"a": "1", "b": "1"}, "after": {"a": "2", "b": "2"}},
            "planned",
        ),
        ("plugins", several(entry({"a": "0"}, {"a": "2"})), {"before": {"a": "1"}, "after": {"a": "2"}}, "differs"),
        ("plugins", several(entry({"b": "1"}, {"b": "2"})), {"before": {"a": "1"}, "after": {"a": "2"}}, "differs"),
        (
            "dns_records",
            several(entry(*RECORD, name="A www")),
            {"before": RECORD[0], "after": RECORD[1]},
            "planned",
        ),
    ],
)
def test_a_state_that_the_plan_has_is_no_drift(part, one, move, kind):
    found = drift(part, one, move)
    assert [name for name in ("differs", "planned", "unknown") if found[name]] == [kind]


def test_what_cannot_be_compared_is_unknown_and_no_drift():
    refused = {**entry(None, None, differs=None), "failed": True, "msg": "The service failed.\x1b[31m"}
    (found,) = drift("denied_ips", refused)["unknown"]
    assert found["text"].startswith("The service failed.")
    assert "\x1b" not in found["text"]
    (found,) = drift("denied_ips", {**entry(None, ["a"]), "state_source": "none"})["unknown"]
    assert found["text"] == NOT_SHOWN


def test_a_long_name_and_a_long_text_are_cut():
    refused = {**entry(None, None, differs=None, name="n" * 1000), "failed": True, "msg": "x" * 1000}
    (found,) = drift("dns_records", several(refused))["unknown"]
    assert (found["name"], found["text"]) == ("n" * LONGEST_TEXT, "x" * LONGEST_TEXT)


# ---- what the report makes of it ------------------------------------------------------------------------------------


def compared(number, one_entry=None, *, declares=True, planned=None, name=""):
    parts = {"denied_ips": one_entry} if one_entry else {}
    one = host(number, name=name)
    one["drift"] = {"declares": declares, "planned": planned, "problem": ""}
    read = {"readings": {}, "unread": {}, "parts": parts, "differs": []}
    one["parts"]["drift"] = parts_of(read)["drift"]
    return one


SAME, OTHER = entry(["a"], ["a"], differs=False), entry(["a"], ["b"])


def texts(made):
    return [note["text"] for note in made["attention"] if note["section"] == "drift"]


def test_the_report_counts_and_names_who_has_drifted():
    made = document([compared(1, SAME), compared(2, OTHER), host(3)])
    assert made["summary"]["compared_environments"] == 2
    assert made["summary"]["drifted_environments"] == 1
    assert texts(made) == ["1 environment differs from what is declared: site-2-live."]
    assert [one["drift"] and len(one["drift"]["differs"]) for one in made["environments"]] == [0, 1, None]
    page = page_of(made, ROLE)
    assert "Drift from what is declared" in page
    assert "The list has a, not declared, and lacks b." in page
    assert "1 of 2 compared environments drifted." in page
    assert "Environments that were not compared" in page


def test_a_report_without_anything_declared_says_nothing_of_drift():
    made = document([host(1)])
    assert texts(made) == []
    assert "rift" not in page_of(made, ROLE)


def test_what_is_planned_needs_no_attention():
    move = {"denied_ips": {"before": ["a"], "after": ["b"]}}
    made = document([compared(1, OTHER, planned=move)], has_plan=True)
    assert texts(made) == []
    page = page_of(made, ROLE)
    assert "Planned, and not done yet" in page
    assert "1 environment compared: none has drifted." in page


def test_an_environment_that_could_not_be_read_is_a_gap_only_where_something_is_declared():
    declaring, other = compared(1), compared(2, declares=False)
    for one in (declaring, other):
        one["parts"]["drift"] = parts_of(failed(msg="The service failed."))["drift"]
    made = document([declaring, other])
    assert [(one["subject"], one["part"]) for one in made["not_read"]] == [("site-1-live", "drift")]


def test_a_part_that_failed_is_a_gap_unless_the_service_does_not_have_it():
    error = {"kind": "service", "status": 500, "is_offered": True}
    refused = {**entry(None, None, differs=None), "failed": True, "msg": "The service failed.", "error": error}
    missing = {**refused, "error": {**error, "status": 404, "is_offered": False}}
    made = document([compared(1, refused), compared(2, missing)])
    assert [(one["subject"], one["status"]) for one in made["not_read"]] == [("site-1-live, denied addresses", 500)]
    assert [len(one["drift"]["unknown"]) for one in made["environments"]] == [1, 1]
    assert texts(made) == []


def test_why_a_host_cannot_be_compared_is_a_gap():
    one = compared(1, declares=False)
    one["drift"]["problem"] = "It cannot be compared: maintain_x is unknown."
    made = document([one])
    assert [gap["reason"] for gap in made["not_read"]] == ["It cannot be compared: maintain_x is unknown."]


def test_hostile_values_are_inert():
    made = document([compared(1, entry([HOSTILE], ["b"]), name=HOSTILE)])
    page = page_of(made, ROLE)
    assert "{{ 7*7 }}" in page
    assert "<img" not in page
    assert page.count("<script") == 1
    assert json.loads(json.dumps(made)) == made
