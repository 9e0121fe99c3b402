# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role access decides: which lists cannot be right, who is who, and what is outside of a policy."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.hosting.management.plugins.lookup.access_host import LookupModule
from ansible_collections.hosting.management.plugins.plugin_utils.access import due_of, guard_of, plan_of
from ansible_collections.hosting.management.plugins.plugin_utils.access_lists import problems_of, problems_of_lists
from ansible_collections.hosting.management.plugins.plugin_utils.access_outcome import outside, summary_of
from ansible_collections.hosting.management.plugins.plugin_utils.plan import lines_of
from ansible_collections.hosting.management.plugins.plugin_utils.plan_page import files_of
from unit.role_hosts import host_of

ADA = "d0000000-0000-4000-8000-000000000001"
BEN = "d0000000-0000-4000-8000-000000000002"
ADMIN = {"user_id": ADA, "role": "company-admin"}
DEVELOPER = {"email": "ben@example.com", "role": "company-developer"}
USERS = {
    "json": {
        "company": {
            "users": [
                {"user": {"id": ADA, "email": "ada@example.com"}},
                {"user": {"id": BEN.upper(), "email": "Ben@example.com"}},
            ]
        }
    }
}


def problems(roles=(), others=(), former=(), policy=(), trusts=False):
    return problems_of_lists(list(roles), list(others), list(former), list(policy), trusts=trusts)


@pytest.mark.parametrize(
    "lists",
    [
        {},
        {"roles": [ADMIN, DEVELOPER]},
        {"roles": [DEVELOPER], "others": [ADA], "trusts": True},
        {"roles": [ADMIN], "others": ["root@example.com"], "former": ["gone@example.com"]},
        {"policy": ["192.0.2.7", "198.51.100.0/24", "2001:db8::/32"]},
    ],
    ids=str,
)
def test_lists_that_can_be_right(lists):
    assert problems(**lists) == []


@pytest.mark.parametrize(
    ("lists", "words"),
    [
        ({"roles": [DEVELOPER]}, "access_roles has no company-admin"),
        ({"roles": [DEVELOPER], "others": [ADA]}, "they count only with access_trust_administrators: true"),
        ({"roles": [DEVELOPER], "trusts": True}, "access_roles has no company-admin"),
        ({"roles": [{"role": "company-admin"}]}, "Entry 1 of access_roles must have a role, and either"),
        ({"roles": [{**ADMIN, "email": "ada@example.com"}]}, "Entry 1 of access_roles must have a role, and either"),
        ({"roles": [ADMIN, "ada"]}, "Entry 2 of access_roles must have"),
        ({"roles": [{**ADMIN, "user_id": "ada"}]}, "Entry 1 of access_roles: user_id must be a UUID"),
        ({"roles": [ADMIN, {**DEVELOPER, "email": "ben"}]}, "Entry 2 of access_roles: email must be an e-mail"),
        ({"roles": [ADMIN, {**DEVELOPER, "user_id": ADA.upper(), "email": ""}]}, f"name {ADA.upper()} twice"),
        ({"roles": [DEVELOPER], "others": ["BEN@example.com"], "trusts": True}, "name ben@example.com twice"),
        ({"others": ["ada"]}, "access_other_administrators must have ids (UUID) or e-mail addresses, not 'ada'"),
        ({"former": ["ada"]}, "access_former_staff must be an e-mail address, not 'ada'"),
        ({"roles": [ADMIN, DEVELOPER], "former": ["Ben@example.com"]}, "Ben@example.com is in access_former_staff"),
        ({"others": ["ada@example.com"], "former": ["ada@example.com"]}, "but also has a role"),
        ({"policy": ["192.0.2.7/24"]}, "access_sftp_policy has an entry that is no address or network"),
    ],
    ids=str,
)
def test_lists_that_cannot_be_right(lists, words):
    [sentence] = problems(**lists)
    assert words in sentence


def asked(**values):
    company = {"access_roles": [ADMIN], "access_other_administrators": [], "access_trust_administrators": False}
    nothing = {"environment_id": "", "former_staff": [], "checks_sftp": False, "policy": [], "company": company}
    return {**nothing, "unknown": [], "wrong": [], **values}


def test_hosts_are_checked_together():
    other = {"access_roles": [], "access_other_administrators": [ADA], "access_trust_administrators": False}
    hosts = {
        "shop": asked(unknown=["The variable access_role is unknown."]),
        "blog": asked(unknown=["The variable access_role is unknown."], checks_sftp=True, company=other),
    }
    misspelled, lacking, differing = problems_of(hosts)
    assert misspelled == "The variable access_role is unknown."
    assert lacking.startswith("blog lacks access_environment_id (or hosting_environment_id)")
    assert differing.startswith("blog has a different value than shop for access_roles and access_other_administrators")
    assert problems_of({"shop": asked(), "blog": asked()}) == []
    assert problems_of({"shop": asked(company={**other, "access_other_administrators": []})})[0].startswith(
        "There is nothing"
    )


def test_what_is_of_a_wrong_type_is_told_once_and_the_rest_of_that_host_is_not_looked_at():
    wrong = {"wrong": ["access_roles has no value (null)."], "checks_sftp": True}
    wrong["company"] = {"access_roles": None, "access_other_administrators": None, "access_trust_administrators": None}
    hosts = {"shop": asked(**wrong), "blog": asked(**wrong), "news": asked(checks_sftp=True)}
    told, lacking = problems_of(hosts)
    assert told == "access_roles has no value (null)."
    assert lacking.startswith("news lacks access_environment_id")
    del hosts["news"]
    assert problems_of(hosts) == [told]


ROLE = Path(__file__).parents[2] / "roles" / "access"


def looked_up(**variables):
    return host_of(LookupModule, ROLE, {"access_list_users": True, **variables})


def test_a_host_asks_in_the_types_of_the_role():
    found = looked_up(
        hosting_environment_id="e1",
        hosting_company_id="c1",
        access_roles=[ADMIN],
        access_former_staff="gone@example.com,left@example.com",
        access_trust_administrators="yes",
    )
    assert found.pop("company") == {
        "access_company_id": "c1",
        "access_roles": [{**dict.fromkeys(("user_id", "email", "name")), **ADMIN}],
        "access_other_administrators": [],
        "access_assert": False,
        "access_trust_administrators": True,
        "access_plan": "",
        "access_plan_file": "",
    }
    assert found == {
        "unknown": [],
        "wrong": [],
        "check_mode": False,
        "environment_id": "e1",
        "former_staff": ["gone@example.com", "left@example.com"],
        "query_names": {},
        "checks_sftp": False,
        "policy": [],
        "gather": ["administrators"],
    }


def test_an_empty_policy_is_one_and_none_is_none():
    assert looked_up(access_sftp_policy=[])["gather"] == ["sftp_allowlist"]
    assert looked_up()["gather"] == []


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"access_roles": [{**ADMIN, "role": "owner"}]}, "value of role must be one of"),
        ({"access_wait_timeout": "long"}, "access_wait_timeout"),
        ({"access_report": None}, "access_report has no value (null)."),
        ({"access_roles": None}, "access_roles has no value (null)."),
    ],
    ids=["role", "type", "null", "null list"],
)
def test_a_host_with_a_value_that_cannot_be_meant_says_so(variables, words):
    found = looked_up(**variables)
    (sentence,) = found["wrong"]
    assert words in sentence
    assert problems_of({"shop": found}) == [sentence]


def test_a_misspelled_variable_of_a_host_is_found():
    (sentence,) = looked_up(access_rolls=[])["unknown"]
    assert "Did you mean access_roles?" in sentence


def test_what_is_due_is_what_would_be_set_and_what_nobody_knows():
    def predicted(name, **result):
        return {"ansible_loop_var": "one", "one": {"user": name}, **result}

    results = [
        predicted("set before", is_set=False),
        predicted("to be set", is_set=True),
        predicted("unknown", msg="It broke."),
        predicted("skipped", skipped=True),
    ]
    assert due_of(results) == [{"user": "unknown"}, {"user": "to be set"}]


def test_a_text_is_no_list():
    assert problems_of_lists("ada", [], "gone@example.com", []) == [
        "access_roles must be a list.",
        "access_former_staff must be a list.",
    ]


def test_administrators_are_set_apart_from_the_others_and_who_has_a_problem_is_not():
    plan = plan_of([DEVELOPER, ADMIN, {**DEVELOPER, "email": "new@example.com"}], [], USERS)
    assert [bool(one["problem"]) for one in plan["roles"]] == [False, False, True]
    assert plan["to_set"] == {"administrators": [plan["roles"][1]], "others": [plan["roles"][0]]}


def test_addresses_become_ids_whatever_their_case():
    plan = plan_of([ADMIN, {**DEVELOPER, "email": "BEN@example.com"}], [], USERS)
    assert [(one["user_id"], one["problem"]) for one in plan["roles"]] == [(ADA, ""), (BEN, "")]
    assert plan["users"] == ["ada@example.com", "ben@example.com"]


@pytest.mark.parametrize(
    ("roles", "others"),
    [([ADMIN, {**DEVELOPER, "email": "ada@example.com"}], []), ([{**DEVELOPER, "email": "ada@example.com"}], [ADA])],
    ids=["roles", "others"],
)
def test_one_user_by_id_and_by_address_is_found_out(roles, others):
    problem = plan_of(roles, others, USERS)["roles"][-1]["problem"]
    assert problem == "ada@example.com is on the lists twice, once by id and once by e-mail address."


def test_who_is_not_in_the_company_gets_no_role_and_is_no_administrator():
    plan = plan_of([{**DEVELOPER, "email": "new@example.com"}], ["old@example.com", BEN], USERS)
    assert plan["roles"][0]["problem"] == "new@example.com is not a user of the company. Invite them first."
    assert [one["problem"] for one in plan["other_administrators"]] == [
        "old@example.com is not a user of the company.",
        "",
    ]


@pytest.mark.parametrize(
    ("listing", "why", "is_failure"),
    [
        ({"skipped": True}, "was not asked for the users of the company (access_list_users)", False),
        ({"error": {"is_offered": False}, "msg": "x"}, "the service does not list the users of the company", False),
        ({"error": {"is_offered": True}, "msg": "It broke."}, "It broke.", True),
        ({"json": {"company": {"users": [{"id": ADA}]}}}, "has another shape", True),
    ],
    ids=str,
)
def test_without_a_list_of_users_an_address_needs_an_id_and_an_id_does_not(listing, why, is_failure):
    plan = plan_of([ADMIN, DEVELOPER], ["root@example.com"], listing)
    assert [one["user_id"] for one in plan["roles"]] == [ADA, ""]
    assert plan["roles"][1]["problem"].startswith("ben@example.com needs a user_id: ")
    assert why in plan["roles"][1]["problem"]
    assert bool(plan["users_problem"]) == is_failure
    assert plan["users"] is None
    assert plan["other_administrators"] == [{"user": "root@example.com", "problem": ""}]


NOBODY = "d0000000-0000-4000-8000-00000000ffff"
MADE, BEFORE = True, False
SEEN, NOT_SHOWN, FAILED = USERS, {"skipped": True}, {"error": {"is_offered": True}, "msg": "It broke."}


@pytest.mark.parametrize(
    ("administrators", "others", "listing", "trusts", "why"),
    [
        ({ADA: MADE}, [], SEEN, False, ""),
        ({ADA: MADE, NOBODY: MADE}, [], SEEN, False, ""),
        ({ADA: BEFORE}, [], SEEN, False, "No administrator of access_roles could be set"),
        ({ADA: None}, [], SEEN, False, "No administrator of access_roles could be set"),
        ({ADA: None}, [], SEEN, True, "No administrator of access_roles could be set"),
        ({NOBODY: MADE}, [], SEEN, False, "None of the administrators of access_roles is among the users"),
        ({NOBODY: MADE}, [], SEEN, True, ""),
        ({ADA: MADE}, [], NOT_SHOWN, False, "was not asked for the users of the company (access_list_users)"),
        ({ADA: MADE}, [], NOT_SHOWN, True, ""),
        ({ADA: MADE}, [], FAILED, False, "It broke."),
        ({}, [BEN], SEEN, False, "No administrator of access_roles could be set"),
        ({}, [BEN], SEEN, True, ""),
        ({}, [NOBODY], SEEN, True, "No administrator of access_roles could be set"),
        ({}, [NOBODY], NOT_SHOWN, False, "No administrator of access_roles could be set"),
        ({}, [NOBODY], NOT_SHOWN, True, ""),
        ({ADA: BEFORE}, [BEN], SEEN, False, "No administrator of access_roles could be set"),
        ({}, [], SEEN, True, "No administrator of access_roles could be set"),
    ],
)
def test_nobody_loses_a_role_unless_an_administrator_was_made_and_is_seen(administrators, others, listing, trusts, why):
    """An administrator of the list was made now, was one before as the journal has it, or could not be set (None)."""
    results = [
        {"msg": "x"} if is_set is None else {"company_user": {"user_id": user}, "is_set": is_set}
        for user, is_set in administrators.items()
    ]
    told = guard_of(plan_of([], others, listing), results, trusts)
    assert (told == "") == (why == "")
    assert why in told


def test_what_is_outside_of_a_policy():
    allowed = ["198.51.100.7", "198.51.100.0/25", "198.51.0.0/16", "192.0.2.1", "2001:db8::1", "2001:db9::1", "host"]
    assert outside(allowed, ["198.51.100.0/24", "2001:db8::/32"]) == [
        "198.51.0.0/16",
        "192.0.2.1",
        "2001:db9::1",
        "host",
    ]
    assert outside(allowed[:1], []) == allowed[:1]
    assert outside(allowed[3:4], ["192.0.2.1"]) == []


def test_a_host_that_failed_before_and_a_task_that_crashed_are_failures():
    seen = {"environment_id": "e", "former_staff": ["gone@example.com"], "checks_sftp": True, "policy": []}
    hosts = [
        {"host": "lost", "asked": {}, "read": {}},
        {"host": "away", "asked": seen, "read": {"msg": "Unreachable."}},
    ]
    plan = plan_of([ADMIN], [], {})
    settings = {
        "check_mode": False,
        "company_id": "c",
        "company_problem": "",
        "guard": "",
        "trusts": False,
        "fail_on": [],
    }
    crashed = [{"ansible_loop_var": "user", "user": plan["roles"][0], "msg": "MODULE FAILURE"}]
    summary = summary_of(hosts, plan, crashed, settings=settings)
    assert [(one["environment"], one["text"]) for one in summary["needs"]] == [
        ("", f"The role company-admin of {ADA}: MODULE FAILURE"),
        ("lost", "It was not checked, because the host failed earlier."),
        ("away", "Whether gone@example.com is a WordPress administrator is not known: Unreachable."),
        ("away", "The SFTP allowlist is not known: Unreachable."),
    ]


def test_what_could_be_read_is_told_beside_what_could_not():
    emails = ["gone@example.com", "left@example.com"]
    asked = {"environment_id": "e", "former_staff": emails, "checks_sftp": True, "policy": ["192.0.2.0/24"]}
    failed = {"msg": "It broke.", "error": {"is_offered": True}}
    read = {
        "readings": {
            "administrators": {"users": [{"email": emails[0], "has_wp_admin_user": True}]},
            "sftp_allowlist": {"sftp_ip_allowlist": ["198.51.100.7"]},
        },
        "unread": {"administrators": {**failed, "elements": [{"email": emails[1], **failed}]}},
    }
    settings = dict.fromkeys(("check_mode", "company_id", "company_problem", "guard", "trusts"), "")
    hosts = [{"host": "shop", "asked": asked, "read": read}]
    summary = summary_of(hosts, plan_of([], [], {}), [], settings={**settings, "fail_on": []})
    assert [one["text"] for one in summary["needs"]] == [
        f"Whether {emails[1]} is a WordPress administrator is not known: It broke.",
        f"{emails[0]} is still a WordPress administrator.",
        "The SFTP allowlist has addresses outside the policy: 198.51.100.7.",
    ]


# ---- plans ----------------------------------------------------------------------------------------------------------


CARL = "d0000000-0000-4000-8000-000000000003"
ROLES = [ADMIN, {"user_id": BEN, "role": "company-developer"}, {"user_id": CARL, "role": "company-billing"}]


def predicted(entry, is_set=True, **values):
    """The result of the task that asks whether a role is due."""
    loop = {"ansible_loop_var": "user", "user": entry}
    return {"company_user": {}, "is_set": is_set, "changed": False, **loop, **values}


@pytest.fixture
def written(tmp_path):
    """A function that writes the plan of these roles, of which some are due, and returns its path."""

    def write(roles, due):
        found = plan_of(roles, [], {})
        done = [predicted(one, one["user_id"] in due, changed=one["user_id"] in due) for one in found["roles"]]
        summary = summary_of([], found, done, settings=SETTINGS_OF_CHECK)
        (file, page) = files_of(summary["plan"], str(tmp_path / "access.json"))
        (tmp_path / "access.json").write_text(file["content"])
        assert "TAKES any other role" in page["content"]
        return str(tmp_path / "access.json"), summary["plan"]

    return write


SETTINGS_OF_CHECK = {
    "check_mode": True,
    "company_id": "c",
    "company_problem": "",
    "guard": "",
    "trusts": False,
    "fail_on": [],
}


def test_a_plan_has_a_line_for_the_roles_that_are_alike(written):
    _path, plan = written(ROLES, [BEN, CARL])
    lines = [line.split("  ")[0] for line in lines_of(plan)]
    assert lines == ["users", BEN, CARL, ADA]
    assert "role company-developer" in lines_of(plan)[1]
    assert "TAKES any other role, which the service does not show" in lines_of(plan)[1]


def test_what_is_planned_is_set(written):
    path, _plan = written(ROLES, [BEN])
    found = plan_of(ROLES, [], {}, planned=path)
    assert [entry["problem"] for entry in found["roles"]] == ["", "", ""]
    ben, carl = found["to_set"]["others"]
    assert due_of([predicted(ben), predicted(carl, is_set=False)]) == [ben]


def test_a_role_that_the_plan_does_not_have_stops_all(written):
    path, _plan = written(ROLES, [BEN])
    other = [ADMIN, {"user_id": BEN, "role": "company-billing"}, ROLES[2]]
    found = plan_of(other, [], {}, planned=path)
    assert found["to_set"] == {"administrators": [], "others": []}
    assert [entry["problem"] for entry in found["roles"]] == [
        f"It was left alone, because the plan does not fit: {BEN}.",
        "The plan does not have it. No role was set. Make a new plan.",
        f"It was left alone, because the plan does not fit: {BEN}.",
    ]


def test_a_role_that_is_due_and_not_planned_keeps_all_from_losing_theirs(written):
    path, _plan = written(ROLES, [BEN])
    found = plan_of(ROLES, [], {}, planned=path)
    ben, carl = found["to_set"]["others"]
    results = [predicted(ben), predicted(carl)]
    assert due_of(results) == []
    summary = summary_of([], found, results, settings={**SETTINGS_OF_CHECK, "check_mode": False})
    states = {role["user"]: (role["state"], role["problem"]) for role in summary["roles"]}
    assert states[BEN][0] == states[CARL][0] == "held back"
    assert states[BEN][1].startswith("It was left alone, because the plan does not fit")
    assert states[CARL][1].startswith("It is due, and the plan does not set it.")
    assert summary["plan"] is None


def test_a_plan_that_cannot_be_read_and_a_file_that_cannot_be_written_are_told(tmp_path):
    company = {**asked()["company"], "access_plan": str(tmp_path / "none.json"), "access_plan_file": "plan.txt"}
    unread, no_check_mode, no_file = problems_of({"shop": asked(company=company)})
    assert "none.json cannot be read" in unread
    assert no_check_mode.startswith("access_plan_file is for check mode")
    assert no_file == "access_plan_file is plan.txt, which ends neither with .json nor with .html."
