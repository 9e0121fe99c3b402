# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role access has done and seen, and what needs a person: plain values, as its JSON file has them."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Iterator
from typing import Any

from ..module_utils._errors import LONGEST_MESSAGE
from ..module_utils._text import printable
from . import plan as plans
from .access import ADMINISTRATOR, element_of, key_of
from .plain_values import Record, plain
from .results import elements_of, reading_of

FAILURES, FORMER_STAFF, SFTP = "failures", "former_staff", "sftp"
"""The kinds of what needs a person."""


def summary_of(hosts: list[Record], plan: Record, done: list[Record], *, settings: Record) -> Record:
    """Return what was done and seen, and what needs a person; in check mode, with the ``plan`` of the roles.

    :param hosts: for each host its name (``host``), what was ``asked`` of it, and what was ``read``.
    :param plan: what plan_of() returned.
    :param done: the results of the tasks that set roles, each with the element of the loop that it is about.
    :param settings: ``check_mode``, ``company_id``, ``company_problem``, ``guard`` (what guard_of() returned),
        ``trusts`` and ``fail_on``.
    """
    plan, settings = plain(plan), plain(settings)
    by_user = {element_of(result)["user_id"]: result for result in plain(done) if element_of(result)}
    roles = [_role(entry, by_user.get(entry["user_id"], {}), settings) for entry in plan["roles"]]
    environments = [_environment(plain(host)) for host in hosts]
    former = _former_staff(environments, plan["users"])
    needs = [
        *_needs_of_company(roles, plan, former),
        *(need for environment in environments for need in _needs_of_environment(environment)),
    ]
    for need in needs:
        need["fails"] = need["kind"] in settings["fail_on"]
    return {
        "check_mode": settings["check_mode"],
        "company_id": settings["company_id"],
        "roles": roles,
        "former_staff": former,
        "environments": environments,
        "not_shown": list(_not_shown(roles, plan, former, settings["trusts"])),
        "needs": needs,
        "plan": _plan(roles) if settings["check_mode"] else None,
        "totals": {
            "roles": len(roles),
            "roles_changed": sum(role["changed"] for role in roles),
            "environments": len(environments),
            "administrators_of_former_staff": sum(len(one["administrator_in"]) for one in former),
            "sftp_checked": sum(one["sftp_is_checked"] for one in environments),
            "sftp_against_policy": sum(bool(_against_policy(one)) for one in environments),
            "failures": sum(need["kind"] == FAILURES for need in needs),
        },
    }


def _role(entry: Record, result: Record, settings: Record) -> Record:
    problem, changed = entry["problem"], bool(result.get("changed"))
    if problem:
        state = "failed"
    elif result.get("is_set") and not changed:
        state = "held back"
        problem = "It is due, and the plan does not set it. Nobody was given another role. Make a new plan."
        if entry.get("may_be_set"):
            problem = "It was left alone, because the plan does not fit: another role is due that it does not set."
    elif "company_user" in result:
        state = ("would be set" if settings["check_mode"] else "set") if changed else "set before"
    elif not result or result.get("skipped"):
        state = "held back"
        problem = settings["company_problem"] or settings["guard"]
    else:
        state, problem = "failed", _reason(result)
    return {**entry, "state": state, "changed": changed, "problem": problem}


def _plan(roles: list[Record]) -> Record:
    """Return the plan of the roles, which a run can be held to: those that are set already are in it, too."""
    return plans.plan_of("access", [_of_plan(role) for role in roles], time.time(), of="users")


def _of_plan(role: Record) -> Record:
    changes = []
    if role["changed"]:
        takes = [] if role["role"] == ADMINISTRATOR else ["TAKES any other role, which the service does not show"]
        changes.append(plans.change("role", f"role {role['role']}", after=role["role"], warnings=takes))
    needs = [role["problem"]] if role["problem"] else []
    # What has a problem has no place in a plan that a run can be held to.
    user_id = "" if role["problem"] else role["user_id"]
    one = plans.environment_of(role["user"], user_id, changes, needs=needs)
    return {**one, "role": role["role"]}


def _environment(host: Record) -> Record:
    """Return what is known of an environment; ``former_staff`` says None of an address that could not be asked for."""
    asked, read = host["asked"] or {}, host["read"] or {}
    users, sftp = elements_of(read, "administrators", "users"), reading_of(read, "sftp_allowlist")
    results: dict[str, Record] = {one["email"]: one for one in users if "email" in one}
    why = reading_of(read, "administrators")
    emails = asked.get("former_staff", [])
    allowed = sftp.get("sftp_ip_allowlist")
    failures = [
        f"Whether {email} is a WordPress administrator is not known: {_reason(results.get(email, why))}"
        for email in emails
        if "has_wp_admin_user" not in results.get(email, {})
    ]
    if not asked:
        failures.append("It was not checked, because the host failed earlier.")
    elif asked["checks_sftp"] and allowed is None:
        failures.append(f"The SFTP allowlist is not known: {_reason(sftp)}")
    return {
        "environment": host["host"],
        "environment_id": asked.get("environment_id", ""),
        "former_staff": {email: results.get(email, {}).get("has_wp_admin_user") for email in emails},
        "sftp_is_checked": asked.get("checks_sftp", False),
        "sftp_ip_allowlist": allowed,
        "sftp_outside_policy": outside(allowed or [], asked.get("policy", [])),
        "sftp_is_open": allowed == [],
        "failures": failures,
    }


def _reason(result: Record) -> str:
    return str(result.get("msg") or "the task has no message")


def outside(addresses: list[Any], policy: list[Any]) -> list[str]:
    """Return the addresses and networks that no entry of a policy contains."""
    networks = [ipaddress.ip_network(str(entry).strip()) for entry in policy]
    return [str(address) for address in addresses if not any(_is_within(str(address), one) for one in networks)]


def _is_within(address: str, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    try:
        inner = ipaddress.ip_network(address.strip(), strict=False)
    except ValueError:
        return False
    if isinstance(inner, ipaddress.IPv4Network):
        return isinstance(network, ipaddress.IPv4Network) and inner.subnet_of(network)
    return isinstance(network, ipaddress.IPv6Network) and inner.subnet_of(network)


def _former_staff(environments: list[Record], users: list[str] | None) -> list[Record]:
    emails = list(dict.fromkeys(email for one in environments for email in one["former_staff"]))
    return [
        {
            "email": email,
            "is_company_user": None if users is None else key_of(email) in users,
            "administrator_in": [one["environment"] for one in environments if one["former_staff"].get(email) is True],
            "not_known_in": [one["environment"] for one in environments if one["former_staff"].get(email) is None],
        }
        for email in emails
    ]


def _needs_of_company(roles: list[Record], plan: Record, former: list[Record]) -> Iterator[Record]:
    for role in roles:
        if role["problem"]:
            yield _need(FAILURES, "", f"The role {role['role']} of {role['user']}: {role['problem']}", role["user"])
    for other in plan["other_administrators"]:
        if other["problem"]:
            yield _need(FAILURES, "", f"access_other_administrators: {other['problem']}")
    if plan["users_problem"]:
        yield _need(FAILURES, "", f"The users of the company could not be read: {plan['users_problem']}")
    for one in former:
        if one["is_company_user"]:
            yield _need(FORMER_STAFF, "", f"{one['email']} is still a user of the company.")


def _needs_of_environment(environment: Record) -> Iterator[Record]:
    name = environment["environment"]
    for failure in environment["failures"]:
        yield _need(FAILURES, name, failure)
    for email, is_administrator in environment["former_staff"].items():
        if is_administrator:
            yield _need(FORMER_STAFF, name, f"{email} is still a WordPress administrator.")
    if problem := _against_policy(environment):
        yield _need(SFTP, name, f"{problem}.")


def _against_policy(environment: Record) -> str:
    if environment["sftp_is_open"]:
        return "SFTP and SSH are open to all addresses, because the allowlist is empty"
    if environment["sftp_outside_policy"]:
        return f"The SFTP allowlist has addresses outside the policy: {', '.join(environment['sftp_outside_policy'])}"
    return ""


def _need(kind: str, environment: str, text: str, user: str = "") -> Record:
    """Return what needs a person; ``user`` is whose role it is about."""
    return {"kind": kind, "environment": environment, "user": user, "text": printable(text, LONGEST_MESSAGE)}


def _not_shown(roles: list[Record], plan: Record, former: list[Record], trusts: bool) -> Iterator[str]:
    """Say what nobody can know from what the service shows."""
    if trusts and any(role["changed"] and role["role"] != ADMINISTRATOR for role in roles):
        yield (
            "Roles were set on the word of the lists (access_trust_administrators): that the company still has an"
            " administrator is not guaranteed."
        )
    remembered = sum(role["state"] == "set before" for role in roles)
    if remembered:
        yield (
            f"The service does not show roles: {remembered} of {len(roles)} were already set, according to the journal."
            " Roles that were changed elsewhere since then are not detected; access_assert: true sets all roles again."
        )
    if former and plan["users_not_shown"]:
        yield f"It is not known whether former staff are still users of the company: {plan['users_not_shown']}."
