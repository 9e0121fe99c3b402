# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role maintain says of variables that it cannot work with, before it sends anything."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template

from ansible_collections.hosting.management.plugins.lookup.maintain_host import LookupModule as MaintainHost
from ansible_collections.hosting.management.plugins.lookup.role_variables import LookupModule
from ansible_collections.hosting.management.plugins.plugin_utils.maintenance_variables import (
    INVENTORY,
    problems_of_all,
    settings_of,
)
from unit.role_hosts import host_of

ROLE = Path(__file__).resolve().parents[2] / "roles" / "maintain"
GOOD = {
    "inventory_hostname": "shop",
    "maintain_environment_id": "e0000000-0000-4000-8000-000000000011",
    "maintain_site_id": "a0000000-0000-4000-8000-000000000001",
}

HOST = {
    "inventory_hostname": "shop",
    "group_names": ["shops"],
    "ansible_check_mode": False,
    "ansible_play_name": "Maintain",
    "hosting_environment_id": "e1",
    "hosting_site_id": "s1",
}
ALSO = [*INVENTORY, "ansible_play_name", "__maintain_serial", "__maintain_waves"]


def settings(check_mode: bool = False, **values) -> dict:
    defaults = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text())
    plain = {name: value for name, value in defaults.items() if "{{" not in str(value)}
    lookup = LookupModule(templar=Templar(loader=DataLoader()))
    (read,) = lookup.run([str(ROLE)], variables={**plain, "maintain_verify_urls": [], **GOOD, **values}, also=ALSO)
    return settings_of(read, "shop", check_mode=check_mode)


def asked_of(**values) -> dict:
    return host_of(MaintainHost, ROLE, {**HOST, **values})


def problems(**values) -> list[str]:
    return settings(**values)["problems"]


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"maintain_backup_max_age": 3600, "maintain_check_backup_max_age": "7d"},
        {"maintain_php_version": "8.4", "maintain_themes": [{"name": "a", "update_version": "1.10"}]},
        {"maintain_verify_urls": "https://a.example,https://b.example/shop"},
        {"maintain_verify_urls": ["not checked"], "maintain_verify": "false"},
        {"maintain_check_visits": None, "maintain_site_id": ""},
        {"maintain_summary_file": "summary.json"},
    ],
)
def test_what_the_role_can_work_with_is_no_problem(values):
    assert problems(**values) == []


SEEN = {name: ["https://a.example"] for name in ("maintain_verify_urls", "maintain_verify_pictures")}

PROBLEMS = {
    "no environment": ({"maintain_environment_id": ""}, "shop lacks maintain_environment_id"),
    "nothing to go back to": (
        {"maintain_rollback": True, "maintain_notified_user_id": "u", "maintain_update_backup": False},
        "maintain_rollback needs maintain_update_backup: there would be nothing to go back to.",
    ),
    "nobody looks": (
        {"maintain_rollback": True, "maintain_notified_user_id": "u", "maintain_verify": False},
        "maintain_rollback needs maintain_verify: nobody would see that a site does not work.",
    ),
    "nobody to be told": (
        {"maintain_rollback": True},
        "shop lacks maintain_notified_user_id (or hosting_notified_user",
    ),
    "no service to restore it": (
        {"maintain_rollback": True, "maintain_notified_user_id": "u", "hosting_companions": False},
        "maintain_rollback needs a service that restores backups, and hosting_companions is false.",
    ),
    "no number to keep": ({"maintain_keep_backups": "few"}, "maintain_keep_backups must be a number of backups from 1"),
    "an empty pattern": (
        {"maintain_update_plugins": "updatable", "maintain_plugin_names": [""]},
        "maintain_plugin_names has an empty pattern, which no plugin has. Leave the variable out to update all.",
    ),
    "no choice": (
        {"maintain_update_plugins": ""},
        "maintain_update_plugins must be updatable or vulnerable, not ''.",
    ),
    "no looks": ({"maintain_looks_per_minute": 0}, "maintain_looks_per_minute must be 1 or more."),
    "no attempts": (
        {"maintain_verify_attempts": 0},
        "maintain_verify_attempts must be 1 or more, maintain_verify_pause 0 or more, and maintain_verify_timeout",
    ),
    "no pause": ({"maintain_pause_when_unknown": -1}, "maintain_pause_when_unknown must be 0 or more."),
    "no number of visits": (
        {"maintain_check_visits": -1, "maintain_site_id": "a0000000-0000-4000-8000-000000000001"},
        "maintain_check_visits must be 0 or more.",
    ),
    "no number of lines": ({"maintain_log_lines": -1}, "maintain_log_lines must be 0 or more."),
    "null": ({"maintain_canary": None}, "maintain_canary has no value (null)."),
    "no site": (
        {"maintain_site_id": "", "maintain_check_visits": 9},
        "maintain_check_visits needs maintain_site_id (or hosting_site_id) of shop.",
    ),
    "a number for a version": ({"maintain_php_version": 8.4}, "maintain_php_version is the number 8.4. Write it in"),
    "a number in a theme": (
        {"maintain_themes": [{"name": "storefront", "update_version": 1.1}]},
        "update_version of storefront in maintain_themes is the number 1.1. Write it in",
    ),
    "an age": ({"maintain_backup_max_age": "soon"}, "maintain_backup_max_age must be a duration such as 3600, 15m"),
    "updates": (
        {"maintain_update_plugins": "all"},
        "maintain_update_plugins must be updatable or vulnerable, not 'all'.",
    ),
    "two names for a domain": (
        {"maintain_primary_domain": "a.example", "maintain_primary_domain_id": "x"},
        "shop has both maintain_primary_domain and maintain_primary_domain_id",
    ),
    "an address": ({"maintain_verify_urls": ["shop.example"]}, "maintain_verify_urls has shop.example, which is not"),
    "a width": (
        {**SEEN, "maintain_verify_widths": [1]},
        "maintain_verify_widths must have widths from 200 to 4000 pixels",
    ),
    "pictures of a site that nobody asks": (
        {"maintain_verify_pictures": ["https://a.example"], "maintain_verify_urls": []},
        "maintain_verify_pictures needs maintain_verify_urls",
    ),
    "a file in no folder": (
        {"maintain_summary_file": "/nowhere/summary.json"},
        "maintain_summary_file is /nowhere/summary",
    ),
    "a folder": ({"maintain_summary_file": "/"}, "maintain_summary_file is /, which is a folder"),
    "a wave": (
        {"__maintain_serial": [2, "half"]},
        "maintain_serial has half, which is neither a number of environments",
    ),
    "a type": ({"maintain_verify_attempts": "often"}, "maintain_verify_attempts"),
    "a choice": ({"maintain_warn_only": ["everything"]}, "maintain_warn_only"),
    "a record": ({"maintain_dns_records": [{"type": "A"}]}, "name"),
}


@pytest.mark.parametrize(("values", "said"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_problem_is_told_in_a_sentence(values, said):
    (sentence,) = problems(**values)
    assert said in sentence
    assert sentence.endswith(".")


def test_what_is_wrong_with_many_environments_is_said_once():
    sites = [f"site{number:02}" for number in range(1, 41)]
    lacking = {site: [f"The plan has no {site}. Leave it out.", "It is wrong."] for site in sites}
    first = ", ".join(sites[:8])
    assert problems_of_all(lacking) == f"The plan has no {first} and 32 more. Leave them out. It is wrong."
    two = {name: [f"{name} lacks maintain_{name}_id: a variable."] for name in ("site", "a.b")}
    assert problems_of_all(two) == " ".join(sentence for [sentence] in two.values())
    both = {name: [f"{name} lacks maintain_site_id: a variable of {name}."] for name in ("site", "a.b")}
    assert problems_of_all(both) == "site, a.b lack maintain_site_id: a variable of site, a.b."
    assert problems_of_all({"a": [], "b": []}) == ""


def test_a_login_in_an_address_is_not_shown():
    (sentence,) = problems(maintain_verify_urls=["https://anna:secret@shop.example"])
    assert "secret" not in sentence


def test_what_a_task_is_given_comes_from_the_variables_of_the_host():
    given = {
        "environment_id": "e1",
        "site_id": "s1",
        "environment_name": "shop",
        "lock_groups": ["shops"],
        "planned": None,
        "domain_ids": [],
        "canary": True,
        "wait_timeout": 600.0,
    }
    host = asked_of(maintain_php_version="8.4")
    assert host["problems"] == []
    assert {name: host["keep"][name] for name in given} == given
    assert host["make"] == {
        **given,
        "themes": None,
        "plugins": None,
        "php_version": {"version": "8.4", "automatic_updates": None},
        "compare": [],
    }
    assert host["result"]["check_mode"] is False
    assert asked_of(ansible_check_mode=True)["result"]["check_mode"] is True
    other = asked_of(maintain_ignore_lock=True, maintain_canary=False, hosting_site_id="", maintain_wait_timeout="60")
    assert (other["keep"]["lock_groups"], other["keep"]["canary"], other["keep"]["site_id"]) == (None, False, None)
    assert other["make"]["wait_timeout"] == 60


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, ""),
        ({"maintain_serial": "10%"}, ""),
        ({"maintain_serial": "5"}, "maintain_serial and maintain_max_fail_percentage apply to all hosts at once"),
        ({"maintain_max_fail_percentage": 5}, "maintain_serial and maintain_max_fail_percentage apply to all hosts"),
        ({"maintain_serial": "some"}, "maintain_serial has some, which is neither a number of environments nor"),
        ({"maintain_serial": "5", "__maintain_waves": None}, ""),
    ],
    ids=["nothing", "as the play", "other size", "other share", "no size", "play of one's own"],
)
def test_waves_are_those_of_the_play(values, said):
    playbook = {
        "__maintain_serial": "{{ [maintain_serial | default('100%')] }}",
        "__maintain_waves": "{{ maintain_serial | default('10%') }}, {{ maintain_max_fail_percentage | default(0) }} %",
        "ansible_play_name": f"Check, in waves of {'some' if values.get('maintain_serial') == 'some' else '10%'}, 0 %",
    }
    playbook = {name: trust_as_template(text) for name, text in playbook.items()}
    own = {name: value for name, value in {**playbook, **values}.items() if value is not None}
    found = asked_of(**own)["problems"]
    assert len(found) == bool(said)
    assert said in "".join(found)


def test_waves_of_the_inventory_have_no_effect():
    (sentence,) = problems(__maintain_serial=[1], __maintain_waves="1", ansible_play_name="Maintain, in waves of 5")
    assert "give them with -e" in sentence


def test_what_is_not_declared_is_left_alone():
    assert set(settings()["keep"]["declaration"].values()) == {None}
    assert settings()["keep"]["gather"] == ["releases"]


DECLARED = {
    "backup": ({"maintain_backup_max_age": "1d"}, {"tag": "maintenance", "max_age": "1d"}),
    "denied_ips": (
        {"maintain_denied_ips": "192.0.2.1", "maintain_additional_denied_ips": ["192.0.2.2"]},
        ["192.0.2.1", "192.0.2.2"],
    ),
    "sftp_allowlist": ({"maintain_sftp_allowlist": []}, []),
    "primary_domain": (
        {"maintain_primary_domain_id": "x"},
        {"domain_name": None, "domain_id": "x", "run_search_and_replace": False},
    ),
    "themes": (
        {"maintain_themes": [{"name": "shop", "update_version": "1.10"}]},
        [{"name": "shop", "update_version": "1.10"}],
    ),
    "plugins": (
        {"maintain_update_plugins": "vulnerable", "maintain_plugin_exceptions": ["forms"]},
        {"select": "vulnerable", "names": None, "exclude": ["forms"]},
    ),
    "php_version": ({"maintain_php_version": "8.4"}, {"version": "8.4", "automatic_updates": None}),
}


@pytest.mark.parametrize(("part", "values", "taken"), [(part, *case) for part, case in DECLARED.items()], ids=DECLARED)
def test_a_part_is_as_the_module_takes_it(part: str, values: dict, taken: object):
    assert settings(**values)["keep"]["declaration"] == {**settings()["keep"]["declaration"], part: taken}


def test_denied_addresses_of_one_list_are_enough():
    assert settings(maintain_additional_denied_ips="192.0.2.2")["keep"]["declaration"]["denied_ips"] == ["192.0.2.2"]
    assert settings(maintain_denied_ips=[])["keep"]["declaration"]["denied_ips"] == []


def test_records_without_a_domain_are_those_of_the_primary_domain():
    records = [{"type": "A", "name": "a.example"}, {"type": "A", "name": "b.example", "domain_name": "b.example"}]
    records.append({"type": "A", "name": "c.example", "domain_id": "c"})
    declared = settings(maintain_dns_records=records, hosting_primary_domain_id="own")["keep"]["declaration"][
        "dns_records"
    ]
    assert [(one.get("domain_id"), one.get("domain_name")) for one in declared] == [
        ("own", None),
        (None, "b.example"),
        ("c", None),
    ]
    assert "ttl" not in declared[0]


@pytest.mark.parametrize(
    ("values", "compared", "updates"),
    [
        ({}, [], ["themes", "php_version"]),
        ({"maintain_check_only": "themes"}, ["themes"], ["php_version"]),
        ({"hosting_companions": "false"}, ["sftp_allowlist", "php_version", "dns_records", "plugins"], ["themes"]),
    ],
)
def test_what_is_compared_only_is_not_updated(values: dict, compared: list, updates: list):
    declared = {"maintain_themes": [{"name": "shop", "update_version": "2"}], "maintain_php_version": "8.4"}
    found = settings(**declared, **values)
    assert (found["make"]["compare"], sorted(found["result"]["updates"])) == (compared, sorted(updates))
    assert set(found["keep"]["compare"]) == {*compared, "themes", "plugins", "php_version"}


@pytest.mark.parametrize(
    ("values", "is_foreseen"),
    [
        ({"maintain_php_version": "8.4"}, True),
        ({}, False),
        ({"maintain_php_version": "8.4", "maintain_update_backup": False}, False),
        ({"maintain_php_version": "8.4", "maintain_check_only": ["php_version"]}, False),
        ({"maintain_php_version": "8.4", "maintain_backup_max_age": "1d"}, False),
    ],
)
def test_check_mode_predicts_updates_and_the_backup_before_them_in_one_task(values: dict, is_foreseen: bool):
    found = settings(check_mode=True, **values)
    assert found["keep"]["compare"] == [*found["make"]["compare"], *["backup"] * is_foreseen]
    if is_foreseen:
        assert found["keep"]["declaration"]["backup"] == {"tag": "maintenance", "max_age": "1h"}
    assert found["result"]["foresees_backup"] is is_foreseen


def test_all_can_be_compared_only():
    found = settings(maintain_compare_only="true", maintain_php_version="8.4", maintain_check_only=["themes"])
    assert found["result"]["updates"] == []
    assert set(found["keep"]["declaration"]) == set(found["make"]["compare"]) == set(found["result"]["check_only"])


def test_the_environment_variable_counts_where_the_inventory_says_nothing(monkeypatch):
    monkeypatch.setenv("HOSTING_COMPANIONS", "false")
    assert "plugins" in settings()["make"]["compare"]
    assert settings(hosting_companions=True)["make"]["compare"] == []


URLS = {"maintain_verify_urls": ["https://shop.example"]}


@pytest.mark.parametrize(
    ("values", "begins", "asks", "verifies"),
    [
        ({}, True, False, False),
        (URLS, True, True, True),
        ({**URLS, "maintain_check_site": False}, False, False, True),
        ({**URLS, "maintain_check_site": False, "maintain_php_version": "8.4"}, True, True, True),
        ({**URLS, "maintain_verify": False}, True, True, False),
        ({"maintain_check_site": False, "maintain_php_version": "8.4"}, True, False, False),
    ],
)
def test_when_the_site_is_asked(values: dict, begins: bool, asks: bool, verifies: bool):
    found = settings(**values)
    asked = found["keep"]["site_check"]
    assert [asked is not None, bool(asked and asked["urls"]), found["verifies"]] == [begins, asks, verifies]
    assert found["looks"] == ("ask.yml" if verifies else "judge.yml")
    assert found["result"]["is_unverified"] is (not verifies and values.get("maintain_verify", True))


def test_what_is_looked_at_is_read_once():
    wanted = {"maintain_check_php_version": "8.3", "maintain_check_wordpress_version": "6.5"}
    found = settings(**wanted, maintain_check_dns_domain_ids="d", maintain_check_journal=False)
    assert found["keep"]["gather"] == ["versions", "dns_records"]
    assert found["result"]["checks"] == ["old_php", "old_wordpress", "unexpected_dns"]


def test_with_a_wrong_type_there_is_nothing_but_the_problems():
    assert set(settings(maintain_verify_attempts="often")) == {"problems"}


PINNED = [{"name": "example-forms", "update_version": "2.4.1"}]


@pytest.mark.parametrize(
    ("values", "declared"),
    [
        ({}, None),
        ({"maintain_plugins": PINNED}, PINNED),
        (
            {"maintain_plugins": PINNED, "maintain_update_plugins": "updatable", "maintain_plugin_exceptions": ["a*"]},
            [{"select": "updatable", "names": None, "exclude": ["a*", "example-forms"]}, *PINNED],
        ),
        (
            {"maintain_update_plugins": "vulnerable"},
            {"select": "vulnerable", "names": None, "exclude": None},
        ),
    ],
)
def test_plugins_with_versions_of_their_own_are_not_updated_to_the_newest(values: dict, declared):
    assert settings(**values)["keep"]["declaration"]["plugins"] == declared


def test_the_version_of_a_plugin_is_no_number():
    [problem] = problems(maintain_plugins=[{"name": "example-forms", "update_version": 2.1}])
    assert problem.startswith("update_version of example-forms in maintain_plugins is the number 2.1.")
