# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the variables of the role deploy ask for, and what is wrong with them, row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.errors import AnsibleError
from ansible.template import trust_as_template

from ansible_collections.hosting.management.plugins.lookup.deploy_host import LookupModule
from ansible_collections.hosting.management.plugins.plugin_utils.deployment_outcome import result_of, summary_of
from ansible_collections.hosting.management.plugins.plugin_utils.deployment_settings import (
    problems_of,
    problems_of_lock,
    settings_of,
)
from ansible_collections.hosting.management.plugins.plugin_utils.plan_page import files_of
from ansible_collections.hosting.management.plugins.plugin_utils.role_variables import checked, options_of
from unit.role_hosts import host_of

ROLE = Path(__file__).parents[2] / "roles" / "deploy"
OPTIONS = options_of(ROLE, "main")
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
HOST = {
    "inventory_hostname": "shop",
    "group_names": ["shops"],
    "ansible_check_mode": False,
    "ansible_play_name": "Deploy in waves of 20",
    "hosting_environment_id": "e1",
    "hosting_source_environment_id": "f1",
    "hosting_site_id": "s1",
    "hosting_notified_user_id": "u1",
    "hosting_companions": True,
    "deploy_release": "v2",
}
ALSO = {
    "inventory_hostname": "shop",
    "ansible_check_mode": False,
    "ansible_play_name": "Deploy in waves of 1",
    "group_names": ["shops"],
    "hosting_base_url": None,
    "hosting_cdn_cache_id": None,
    "hosting_environment_name": None,
    "has_waves": False,
}


def settings(
    given: dict[str, Any], *, unknown: tuple[str, ...] = (), only: bool = False, **also: Any
) -> dict[str, Any]:
    given = given if only else {**GIVEN, **given}
    options = {name: OPTIONS[name] for name in given} if only else OPTIONS
    found = checked(given, options)
    read = {"typed": found.typed, "given": given, "wrong": found.wrong, "unknown": list(unknown)}
    return settings_of({**read, "also": {**ALSO, **also}}, rolls_back_only=only)


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
    "a list": ({"deploy_release": ["v2"]}, "deploy_release is ['v2'], which is no text. Write a text"),
    "two lines": ({"deploy_release": "v2\nv3"}, "deploy_release must be on one line, and have no control characters"),
    "a blank at the end": (
        {"deploy_release": "v2 "},
        "deploy_release must not begin or end with blanks or line breaks",
    ),
    "a word that YAML takes for true": ({"deploy_release": True}, "deploy_release is True, which is no text."),
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
    "no page": ({"deploy_verify_pictures": ["shop.example.com"]}, "deploy_verify_pictures "),
    "no attempts": ({"deploy_verify_attempts": "0"}, "deploy_verify_attempts must be 1 or more, deploy_verify_pause 0"),
    "no patience": ({"deploy_verify_pause": -1}, "deploy_verify_attempts must be 1 or more, deploy_verify_pause 0"),
    "no time": ({"deploy_verify_timeout": 0}, "deploy_verify_attempts must be 1 or more, deploy_verify_pause 0"),
    "no list": ({"deploy_set_denied_ips": True}, "deploy_set_denied_ips needs deploy_denied_ips, the addresses."),
    "no address to deny": (
        {"deploy_set_denied_ips": True, "deploy_denied_ips": ["x"]},
        "deploy_denied_ips has an entry",
    ),
    "no domain": (
        {"deploy_ensure_domains": True, "deploy_domains": [{"domain_name": "a b"}]},
        "deploy_domains: domain_name ",
    ),
    "no command": (
        {"deploy_wp_cli": ["core update-db", "wp "]},
        "Command 2 of deploy_wp_cli must be a command of WP-CLI",
    ),
    "no number to keep": ({"deploy_keep_backups": "0"}, "deploy_keep_backups must be a number of backups from 1, such"),
    "looks without a number": ({"deploy_looks_per_minute": None}, "deploy_looks_per_minute has no value (null)."),
    "no looks": ({"deploy_looks_per_minute": 0}, "deploy_looks_per_minute must be 1 or more."),
    "no pause": ({"deploy_pause_when_unknown": -1}, "deploy_pause_when_unknown must be 0 or more."),
    "no number of lines": ({"deploy_log_lines": -1}, "deploy_log_lines must be 0 or more."),
    "no folder": ({"deploy_summary_file": "nowhere/a.json"}, "deploy_summary_file is nowhere/a.json, and "),
    "a folder of that name": ({"deploy_summary_file": "."}, "deploy_summary_file is ., and "),
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


def test_a_login_in_an_address_is_in_no_fact():
    """Facts are shown with -v."""
    assert "hush" not in str(settings({"deploy_verify_urls": "https://me:hush@a.example"}))


def test_a_secret_in_a_command_is_in_no_fact():
    assert "hush" not in str(settings({"deploy_wp_cli": ["user update 1 --user_pass=hush"]}))


NO_PROBLEM = {
    "all is there": {},
    "nothing is pushed": {"deploy_push": False, "deploy_source_environment_id": ""},
    "nothing is verified": {"deploy_verify": "no", "deploy_verify_urls": ["x"], "deploy_verify_attempts": 0},
    "a whole number": {"deploy_release": 20261101},
    "lists as text": {"deploy_verify_urls": "https://a.example,HTTPS://b.example/x", "deploy_file_list": "a,b"},
    "a file that is there": {"deploy_after_tasks": str(ROLE / "tasks" / "main.yml") + ","},
}


@pytest.mark.parametrize(("given", "said"), PROBLEMS.values(), ids=PROBLEMS)
def test_what_is_wrong_is_told_once(given, said):
    found = settings(given)
    assert len(found["problems"] + found["lacks"]) == 1
    problem = problems_of([found])
    assert problem.startswith(said)
    assert "hush" not in problem


@pytest.mark.parametrize("given", NO_PROBLEM.values(), ids=NO_PROBLEM)
def test_nothing_is_wrong(given):
    assert problems_of([settings(given)]) == ""


@pytest.mark.parametrize(
    ("also", "said"),
    [
        ({"__deploy_serial": [1, "50%"]}, ""),
        ({"__deploy_serial": ["one"]}, "deploy_serial has one, which is neither a number of environments nor a per"),
        ({"__deploy_waves": "1"}, ""),
        ({"__deploy_waves": "5"}, "deploy_serial and deploy_max_fail_percentage apply to all hosts at once"),
    ],
)
def test_waves(also, said):
    problem = problems_of([settings({}, **also)])
    assert problem.startswith(said)
    assert bool(problem) == bool(said)


def test_what_is_wrong_with_several_hosts_is_told_once():
    unknown = ("The variable deploy_relase is unknown.",)
    hosts = [
        settings({"deploy_release": "", "deploy_site_id": "" if name == "c" else "s"}, unknown=unknown)
        | {"environment": name}
        for name in "abcdefghij"
    ]
    assert problems_of([{}, *hosts]) == (
        "The variable deploy_relase is unknown. a, b, c, d, e, f, g, h and 2 more lack deploy_release, the name of the"
        " release (-e deploy_release=v1.2.3). c lacks deploy_site_id, the id of its site (hosting_site_id in the"
        " inventory)."
    )


def test_a_wrong_type_is_told_with_unknown_names_and_nothing_else():
    found = settings({"deploy_push": "fales", "deploy_release": ""}, unknown=("No such name.",))
    assert found["problems"][0] == "No such name."
    assert len(found["problems"]) == 2
    assert found["lacks"] == []


def test_a_rollback_needs_less():
    given = {"deploy_environment_id": "e", "deploy_notified_user_id": "u"}
    assert problems_of([settings(given, only=True)]) == ""
    found = settings({"deploy_environment_id": "", "deploy_notified_user_id": "", "deploy_caches": None}, only=True)
    [problem] = found["problems"]
    assert problem.startswith("deploy_caches has no value (null).")
    first, second = found["lacks"]
    assert first.startswith("deploy_environment_id, the id of the environment to roll back (hosting_env")
    assert second.startswith("deploy_notified_user_id")


# ---- what is asked --------------------------------------------------------------------------------------------------

ASKED = {
    "a text": ({"deploy_release": 20261101}, {"release": "20261101"}),
    "yes and no": ({"deploy_backup": "no", "deploy_push": "yes"}, {"takes_backup": False, "pushes": True}),
    "lists as text": (
        {"deploy_before_tasks": f"{ROLE}/tasks/main.yml,", "deploy_caches": "site,edge", "deploy_clear_caches": True},
        {"before_tasks": [f"{ROLE}/tasks/main.yml"], "caches": ["site", "edge"], "clears_caches": True},
    ),
    "caches that are not cleared": ({"deploy_clear_caches": "no"}, {"caches": [], "clears_caches": False}),
    "no push": ({"deploy_push": False}, {"pushes": False, "source_environment_id": ""}),
    "some files": (
        {"deploy_push_files": True, "deploy_file_list": "a,b", "deploy_push_files_option": "SPECIFIC_FILES"},
        {
            "push": {
                "push_db": True,
                "push_files": True,
                "run_search_and_replace": True,
                "push_files_option": "SPECIFIC_FILES",
                "file_list": ["a", "b"],
                "force": False,
            }
        },
    ),
    "no files": (
        {"deploy_push_files": False, "deploy_file_list": ["a"], "deploy_push_files_option": "SPECIFIC_FILES"},
        {
            "push": {
                "push_db": True,
                "push_files": False,
                "run_search_and_replace": True,
                "push_files_option": None,
                "file_list": [],
                "force": False,
            }
        },
    ),
    "the age of a backup": ({"deploy_backup_max_age": "7200"}, {"backup_max_age": 7200}),
    "no age at all": ({"deploy_backup_max_age": 0}, {"backup_max_age": 1}),
    "a forced push is backed up anew": (
        {"deploy_backup_max_age": 7200, "deploy_force_push": True},
        {"backup_max_age": 1},
    ),
    "domains": (
        {"deploy_domains": [{"domain_name": "a.example"}], "deploy_ensure_domains": True},
        {"domains": [{"domain_name": "a.example"}]},
    ),
    "domains that are not added": (
        {"deploy_domains": [{"domain_name": "a.example"}], "deploy_ensure_domains": False},
        {"domains": []},
    ),
    "no address to verify": ({"deploy_verify": True}, {"verifies": False, "verify": True, "verify_urls": []}),
    "addresses to verify": (
        {"deploy_verify_urls": "https://a.example"},
        {"verifies": True, "verify_urls": ["https://a.example"]},
    ),
    "addresses that are not verified": (
        {"deploy_verify": False, "deploy_verify_urls": ["https://a.example"]},
        {"verifies": False, "verify": False, "verify_urls": []},
    ),
    "how long to wait": ({"deploy_wait_timeout": "30"}, {"wait_timeout": 30}),
}


@pytest.mark.parametrize(("given", "asked"), ASKED.values(), ids=ASKED)
def test_what_is_asked(given, asked):
    found = settings({"deploy_push_db": True, "deploy_run_search_and_replace": True, **given})
    assert found["problems"] == []
    assert {name: found[name] for name in asked} == asked


@pytest.mark.parametrize(
    ("given", "has_waves", "confirms"),
    [
        ({}, False, False),
        ({}, True, None),
        ({"deploy_confirm": "yes"}, False, True),
        ({"deploy_confirm": False}, True, False),
    ],
)
def test_who_may_be_asked(given, has_waves, confirms):
    assert settings(given, has_waves=has_waves)["confirms"] is confirms


def asked_of(rolls_back_only: bool = False, **values) -> dict[str, Any]:
    return host_of(LookupModule, ROLE, {**HOST, **values}, rolls_back_only=rolls_back_only)


def test_what_modules_are_given_comes_from_the_variables_of_the_host():
    asked = asked_of(deploy_push_files_option="ALL_FILES", deploy_keep_backups="5")
    assert (asked["problems"], asked["lacks"]) == ([], [])
    patience = {"wait_timeout": asked["wait_timeout"]}
    assert asked["options"] == {
        "deployment_info": {**asked["reads"], "site_id": "s1", "compare_with": {}},
        "manual_backup": {
            "environment_id": "e1",
            "tag": asked["backup_tag"],
            "release": "v2",
            "max_age": asked["backup_max_age"],
            "keep": "5",
            **patience,
        },
        "env_push": {
            "site_id": "s1",
            "source_env_id": "f1",
            "target_env_id": "e1",
            "push_db": True,
            "push_files": True,
            "run_search_and_replace": asked["push"]["run_search_and_replace"],
            "push_files_option": "ALL_FILES",
            "release": "v2",
            "requires_backup": True,
            "force": False,
            **patience,
        },
        "environment": {"environment_id": "e1", "site_id": "s1", "environment_name": "shop", **patience},
    }
    assert asked["wait_timeout"] > 0
    assert asked_of(deploy_check_ids=False)["options"]["deployment_info"]["site_id"] is None


def test_a_rollback_reads_only_what_it_needs():
    needless = {"deploy_source_environment_id": trust_as_template("{{ nowhere }}"), "deploy_release": "v1"}
    asked = asked_of(rolls_back_only=True, **needless)
    assert (asked["problems"], asked["lacks"], asked["playbook"]) == ([], [], "rollback")
    with pytest.raises(AnsibleError, match="nowhere"):
        asked_of(**needless)


def test_the_playbook_asks_for_confirmation_and_says_its_waves():
    playbook = {"__deploy_serial": "{{ [deploy_serial] }}", "__deploy_waves": "{{ deploy_serial }}"}
    playbook = {name: trust_as_template(text) for name, text in playbook.items()}
    # Nobody has said anything of waves: what the playbook makes of that is not asked.
    assert (asked_of(**playbook)["confirms"], asked_of(**playbook)["waves"]) == (None, [1, "100%"])
    assert asked_of()["confirms"] is False
    assert asked_of(**playbook, deploy_serial=20)["waves"] == [20]
    (sentence,) = asked_of(**playbook, deploy_serial=3)["problems"]
    assert "give them with -e" in sentence


def test_waves_of_the_plan():
    assert settings({})["waves"] == [1, "100%"]
    found = settings({"deploy_max_fail_percentage": "12.5"}, __deploy_serial=[2])
    assert (found["waves"], found["may_fail"]) == ([2], 12.5)


# ---- locks ----------------------------------------------------------------------------------------------------------

GROUPS = {"all": ["shop"], "environment_live": ["shop"]}
UUID = "e0000000-0000-4000-8000-000000000011"
LOCKS = {
    "nothing": ({}, "deploy_lock_group or deploy_lock_environment is missing: say what to lock"),
    "a group": ({"deploy_lock_group": "environment_live"}, ""),
    "no such group": (
        {"deploy_lock_group": "live"},
        "The inventory has no group live. Groups are: all, environment_live.",
    ),
    "no such group any more": ({"deploy_lock_group": "live", "deploy_lock_state": "absent"}, ""),
    "a host": ({"deploy_lock_environment": "shop"}, ""),
    "an id": ({"deploy_lock_environment": UUID}, ""),
    "neither": (
        {"deploy_lock_environment": "sho"},
        "deploy_lock_environment must be a host of the inventory or the id of an environment, and sho is neither.",
    ),
    "a wrong type": (
        {"deploy_lock_group": "all", "deploy_lock_override": "x"},
        "argument 'deploy_lock_override' is of type str",
    ),
}


@pytest.mark.parametrize(("given", "said"), LOCKS.values(), ids=LOCKS)
def test_what_is_to_be_locked(given, said):
    found = checked({"deploy_lock_state": "present", **given}, OPTIONS)
    read = {"typed": found.typed, "wrong": found.wrong, "unknown": [], "also": {"_raw_params": None}}
    problem = " ".join(problems_of_lock(read, GROUPS))
    assert problem.startswith(said)
    assert bool(problem) == bool(said)


def test_a_value_that_was_cut_off_is_told():
    read = {"typed": {"deploy_lock_group": "all"}, "wrong": [], "unknown": [], "also": {"_raw_params": "Friday"}}
    [problem] = problems_of_lock(read, GROUPS)
    assert problem.startswith("Friday was cut off at a blank.")


# ---- plans ----------------------------------------------------------------------------------------------------------


ASKED = {
    "deploy_push_db": True,
    "deploy_push_files": True,
    "deploy_domains": [{"domain_name": "New.example.org"}, {"domain_name": "there.example.org"}],
    "deploy_ensure_domains": True,
    "deploy_denied_ips": ["198.51.100.7/32", "192.0.2.1"],
    "deploy_set_denied_ips": True,
}
ENVIRONMENT = {
    "before": {"release": "v1", "state": "finished"},
    "push": {"changed": True},
    "parts": {
        "parts": {
            "domains": {
                "changed": True,
                "entries": [
                    {"changed": True, "name": "New.example.org", "before": {}, "after": {"New.example.org": "present"}},
                    {"changed": False, "name": "there.example.org", "before": {}, "after": {}},
                ],
            },
            "denied_ips": {"changed": True, "before": [], "after": ["192.0.2.1", "198.51.100.7"]},
        },
    },
}


@pytest.fixture
def planned(tmp_path):
    """The plan of a deployment to shop, in a file."""
    asked = settings(ASKED, ansible_check_mode=True)
    summary = summary_of([result_of(ENVIRONMENT, asked, 0, 0)], ["shop"], ["shop"], "shop", asked)["summary"]
    (file, _page) = files_of(summary["plan"], str(tmp_path / "plan.json"))
    (tmp_path / "plan.json").write_text(file["content"])
    return str(tmp_path / "plan.json")


def test_a_run_is_held_to_its_plan(planned):
    held = settings({**ASKED, "deploy_plan": planned})
    assert held["problems"] == []
    assert held["domains"] == [{"domain_name": "New.example.org"}]
    assert held["sets_denied_ips"]
    push = next(one for one in held["planned"]["changes"] if one["part"] == "push")
    assert (push["before"], push["after"]["release"], push["after"]["source_environment_id"]) == ("v1", "v2", "f")
    assert settings(ASKED)["planned"] is None


OTHERWISE = {
    "another release": ({"deploy_release": "v3"}, "has another push"),
    "another source": ({"deploy_source_environment_id": "g"}, "has another push"),
    "other parts": ({"deploy_push_db": False}, "has another push"),
    "other addresses": ({"deploy_denied_ips": ["192.0.2.1"]}, "has other denied addresses"),
    "another environment": ({"deploy_environment_id": "h"}, "has shop with another id"),
    "no plan": ({"deploy_plan": "nowhere.json"}, "The plan nowhere.json cannot be read"),
    "a file without check mode": ({"deploy_plan_file": "a.json"}, "deploy_plan_file is for check mode"),
}


@pytest.mark.parametrize(("given", "said"), OTHERWISE.values(), ids=OTHERWISE)
def test_what_is_asked_otherwise_than_planned_is_a_problem(given, said, planned):
    [problem] = settings({**ASKED, "deploy_plan": planned, **given})["problems"]
    assert said in problem


def test_a_plan_of_a_deployment_is_none_of_a_rollback(planned):
    given = {"deploy_environment_id": "e", "deploy_notified_user_id": "u", "deploy_plan": planned}
    [problem] = settings(given, only=True)["problems"]
    assert "is no plan of the playbook rollback" in problem
    assert "-e deploy_plan_file=" in problem
