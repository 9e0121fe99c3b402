# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of those who have access, line by line."""

from __future__ import annotations

from typing import Any

from ansible_collections.hosting.management.plugins.plugin_utils.access_text import text_of

TOTALS = {
    "roles": 0,
    "roles_changed": 0,
    "environments": 1,
    "administrators_of_former_staff": 0,
    "sftp_checked": 0,
    "sftp_against_policy": 0,
}
EMPTY: dict[str, Any] = {
    "check_mode": False,
    "roles": [],
    "former_staff": [],
    "environments": [],
    "needs": [],
    "not_shown": [],
    "plan": None,
    "totals": TOTALS,
}
FAILED = "The role company-admin of Ada: It broke."


def need(kind: str, text: str, environment: str = "", user: str = "") -> dict[str, Any]:
    return {"kind": kind, "environment": environment, "user": user, "text": text}


def test_what_has_nothing_to_say_of_has_no_table():
    assert text_of(EMPTY) == ["Roles: 0, 0 set now.", "Nothing needs your attention."]


def test_a_role_that_failed_is_told_in_its_row_alone():
    roles = [{"user": "Ada", "role": "company-admin", "state": "failed", "problem": "It broke."}]
    needs = [need("failures", FAILED, user="Ada"), need("failures", "The users could not be read.")]
    assert text_of({**EMPTY, "roles": roles, "needs": needs}) == [
        "user  role           state   needs",
        "Ada   company-admin  failed  It broke.",
        "",
        "The users could not be read.",
        "Roles: 0, 0 set now.",
        "2 findings need your attention (above).",
    ]


def test_former_staff_and_networks_have_tables_of_their_own():
    environments = [
        {"environment": "shop", "former_staff": {"a@example.com": True, "b@example.com": False}},
        {"environment": "blog", "former_staff": {"a@example.com": None}},
    ]
    former = [
        {"email": "a@example.com", "is_company_user": True},
        {"email": "b@example.com", "is_company_user": None},
    ]
    totals = {**TOTALS, "administrators_of_former_staff": 1, "sftp_checked": 2, "sftp_against_policy": 1}
    needs = [need("sftp", "SFTP and SSH are open.", "shop"), need("former_staff", "They are there.", "shop")]
    summary = {**EMPTY, "environments": environments, "former_staff": former, "needs": needs, "totals": totals}
    assert text_of({**summary, "not_shown": ["Nobody knows."]}) == [
        "former staff   environment    state",
        "a@example.com  shop           WordPress administrator",
        "a@example.com  blog           not known",
        "a@example.com  (the company)  user",
        "",
        "environment  needs",
        "shop         SFTP and SSH are open.",
        "",
        (
            "Roles: 0, 0 set now. Former staff: 2, administrators 1 time in 1 environment."
            " SFTP allowlists that violate the policy: 1 of 2."
        ),
        "Nobody knows.",
        "2 findings need your attention (above).",
    ]


def test_a_plan_says_where_it_is(tmp_path):
    plan = {"of": "users", "totals": {"environments": 0}, "environments": []}
    lines = text_of({**EMPTY, "check_mode": True, "plan": plan}, str(tmp_path / "plan.json"))
    assert lines[0] == "Roles: 0, 0 would be set."
    assert lines[1] == f"The plan is in {tmp_path}/plan.json and {tmp_path}/plan.html."
