# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a report reads of a host follows from the host's variables, by the role's own specs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ansible.errors import AnsibleLookupError
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.hosting.management.plugins.lookup.report_host import LookupModule
from ansible_collections.hosting.management.plugins.module_utils._gathering import READINGS
from ansible_collections.hosting.management.plugins.plugin_utils.report.document import PARTS, parts_of
from unit.role_hosts import host_of

ROLE = Path(__file__).parents[2] / "roles" / "report"
INVENTORY = {
    "inventory_hostname": "shop",
    "group_names": ["shops"],
    "hosting_site_id": "a1",
    "hosting_site_name": "shop",
    "hosting_environment_id": "e1",
    "hosting_environment_name": "live",
    "hosting_company_id": "c1",
    "hosting_primary_domain_id": "b1",
    "hosting_domains": ["shop.example.com"],
}


def asked_of(**variables: object) -> dict:
    return host_of(LookupModule, ROLE, variables)


def test_the_inventory_says_what_to_read():
    host = asked_of(**INVENTORY)
    assert host["problems"] == []
    assert host["asks"] == {
        "site_id": "a1",
        "environment_id": "e1",
        "company_id": "c1",
        "domain_ids": ["b1"],
        "time_frame": "30_days",
        "gather": [
            *("visits", "networks", "usage", "plugins", "versions"),
            *("backup", "downloads", "sftp_allowlist", "dns_records", "releases"),
        ],
        "compare_with": None,
        "canary": False,
        "query_names": {},
        "environment_name": "shop",
        "groups": ["shops"],
    }


def test_the_inventory_says_what_is_known_before():
    unknown = {"php_version": None, "wordpress_version": None, "primary_domain": None, "is_premium": None}
    assert asked_of(**INVENTORY, report_visits_budget="500")["known"] == {
        **unknown,
        "site_id": "a1",
        "site_name": "shop",
        "environment_id": "e1",
        "environment_name": "live",
        "domains": ["shop.example.com"],
        "visits_budget": 500,
        "error": "",
        "drift": {"declares": False, "planned": None, "problem": ""},
    }


@pytest.mark.parametrize("part", [part for part in PARTS if part != "drift"])
def test_each_part_is_read_under_the_name_that_its_reading_has(part: str):
    (reading,) = asked_of(report_parts=[part])["asks"]["gather"]
    assert reading in READINGS
    found = {"readings": {reading: {"domains": [{"domain_id": "b1"}], "is_read": True}}, "unread": {}}
    assert parts_of(found)[part]


def test_what_comes_as_text_is_taken_in_its_type():
    host = asked_of(report_parts="visits,sftp", report_key_days="90", report_charts="no", report_domain_ids="b1,b2")
    assert host["settings"]["parts"] == ["visits", "sftp"]
    assert host["settings"]["limits"] == {"key_days": 90, "backup_days": 2, "budget_percent": 80}
    assert host["settings"]["charts"] is False
    assert host["asks"]["gather"] == ["visits", "sftp_allowlist"]
    assert host["asks"]["domain_ids"] == ["b1", "b2"]


def test_files_are_absolute_and_none_is_written_without_a_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", "/home/ada")
    files = asked_of(report_html="~/out/../page.html", report_json="data.json")["files"]
    assert files == {"html": "/home/ada/page.html", "json": f"{os.path.realpath(os.curdir)}/data.json"}
    assert asked_of(report_html="", report_json="")["files"] == {"html": "", "json": ""}


def test_a_host_without_an_environment_is_not_read_and_says_why():
    assert asked_of()["known"]["error"] == "The host has neither report_environment_id nor hosting_environment_id."


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"report_visit_budget": 5}, "Did you mean report_visits_budget?"),
        ({"report_key_days": "soon"}, "report_key_days"),
        ({"report_parts": ["visits", "weather"]}, "weather"),
        ({"report_time_frame": "a year"}, "report_time_frame"),
        ({"report_parts": None}, "report_parts has no value (null)."),
        ({"report_html": None}, "report_html has no value (null)."),
    ],
    ids=["misspelled", "type", "part", "time frame", "no parts", "no page"],
)
def test_what_cannot_be_meant_is_told_and_nothing_is_read(variables: dict, words: str):
    host = asked_of(**INVENTORY, **variables)
    (sentence,) = host.pop("problems")
    assert words in sentence
    assert host == {}


def test_what_may_be_missing_may_be_null():
    nulls = ("report_company_id", "report_site_id", "report_domain_ids", "report_previous", "report_query_names")
    host = asked_of(**{**INVENTORY, **dict.fromkeys(nulls), "report_visits_budget": None})
    assert host["problems"] == []
    assert host["asks"]["query_names"] == {}
    assert host["settings"]["previous"] == ""


def test_a_role_without_specs_is_an_error(tmp_path: Path):
    with pytest.raises(AnsibleLookupError, match="has no argument_specs"):
        LookupModule(templar=Templar(loader=DataLoader())).run([str(tmp_path)], variables={})
