# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role access decides: whose role is to be set, and what needs a person.

Nothing here asks the service, and nothing raises for what the service has sent.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Iterator
from typing import Any

from ..module_utils._checks import checked_email, checked_uuid
from ..module_utils._errors import LONGEST_MESSAGE
from ..module_utils._text import printable
from . import plan as plans
from .plain_values import Record, plain
from .results import elements_of, is_not_offered, reading_of

ADMINISTRATOR = "company-admin"

FAILURES, FORMER_STAFF, SFTP = "failures", "former_staff", "sftp"
"""The kinds of what needs a person."""

TRUST = (
    "To take the administrators of the lists for administrators anyway, set access_trust_administrators: true; then"
    " nothing keeps the company from losing its last one, should the lists be wrong."
)
GUARD = (
    "access_roles has no company-admin, so the last administrator could be demoted. Add one to the list. (Whether those"
    " of access_other_administrators still are administrators is shown nowhere, so they count only with"
    " access_trust_administrators: true.)"
)


# ---- before anything is sent ----------------------------------------------------------------------------------------


def problems_of(hosts: dict[str, Record]) -> list[str]:
    """Return a sentence for each thing that cannot be right in what the variables of the hosts say.

    :param hosts: for each host what is asked, as documented for the lookup access_host.
    """
    sentences = [sentence for asked in hosts.values() for sentence in (*asked["unknown"], *asked["wrong"])]
    is_wrong = any(asked["wrong"] for asked in hosts.values())
    # What is of a wrong type says nothing that could be looked at further.
    hosts = {host: asked for host, asked in hosts.items() if not asked["wrong"]}
    first = next(iter(hosts), "")
    for host, asked in hosts.items():
        if not asked["environment_id"] and (asked["former_staff"] or asked["checks_sftp"]):
            sentences.append(
                f"{host} lacks access_environment_id (or hosting_environment_id): a variable of the host, needed for"
                " access_former_staff and access_sftp_policy."
            )
        differing = [name for name, value in asked["company"].items() if value != hosts[first]["company"][name]]
        if differing:
            sentences.append(
                f"{host} has a different value than {first} for {' and '.join(differing)}, which applies to the whole"
                " company: give it with -e, or for all hosts."
            )
        sentences += problems_of_lists(
            asked["company"]["access_roles"],
            asked["company"]["access_other_administrators"],
            asked["former_staff"],
            asked["policy"],
            trusts=asked["company"]["access_trust_administrators"],
        )
    if hosts:
        sentences += _problems_of_plans(hosts[first]["company"], hosts[first].get("check_mode", False))
    is_asked = (one["company"]["access_roles"] or one["former_staff"] or one["checks_sftp"] for one in hosts.values())
    if not is_wrong and not any(is_asked):
        sentences.append("There is nothing to do. Give access_roles, access_former_staff or access_sftp_policy.")
    return list(dict.fromkeys(map(str, sentences)))


def _problems_of_plans(company: Record, check_mode: bool) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with the plan to keep to, or the file of the plan to make."""
    try:
        if company.get("access_plan"):
            plans.read(company["access_plan"], "access")
    except ValueError as error:
        yield str(error)
    yield from plans.problems_of_file("access", company.get("access_plan_file"), check_mode)


def problems_of_lists(
    roles: object, other_administrators: object, former_staff: object, policy: object, *, trusts: bool = False
) -> list[str]:
    """Return a sentence for each thing that cannot be right in the lists of one host.

    :param trusts: whether the other administrators are taken for administrators.
    """
    lists = {
        "access_roles": roles,
        "access_other_administrators": other_administrators,
        "access_former_staff": former_staff,
        "access_sftp_policy": policy,
    }
    no_lists = [f"{name} must be a list." for name, value in lists.items() if not isinstance(value, list)]
    return no_lists or [
        *_problems_of_roles(plain(roles), plain(other_administrators), trusts),
        *_problems_of_people("access_other_administrators", plain(other_administrators), checked_person),
        *_problems_of_people("access_former_staff", plain(former_staff), checked_email),
        *_problems_of_former(plain(former_staff), plain(roles), plain(other_administrators)),
        *_problems_of_policy(plain(policy)),
    ]


def checked_person(value: str) -> str:
    """Return the id or e-mail address of a user; raises ValueError for what is neither."""
    if "@" in value:
        return checked_email(value)
    try:
        return checked_uuid(value)
    except ValueError:
        raise ValueError(f"must have ids (UUID) or e-mail addresses, not {value!r}") from None


def _problems_of_roles(roles: list[Any], others: list[Any], trusts: bool) -> Iterator[str]:
    seen = {_key(other) for other in others}
    for place, entry in enumerate(roles, start=1):
        given = [name for name in ("user_id", "email") if isinstance(entry, dict) and entry.get(name)]
        if len(given) != 1 or not entry.get("role"):
            yield f"Entry {place} of access_roles must have a role, and either user_id or email."
            continue
        person = str(entry[given[0]])
        try:
            (checked_uuid if given == ["user_id"] else checked_email)(person)
        except ValueError as error:
            yield f"Entry {place} of access_roles: {given[0]} {error}."
        if _key(person) in seen:
            yield f"access_roles and access_other_administrators name {person} twice."
        seen.add(_key(person))
    is_guarded = any(isinstance(one, dict) and one.get("role") == ADMINISTRATOR for one in roles)
    is_guarded = is_guarded or bool(others and trusts)
    if roles and not is_guarded:
        yield GUARD


def _problems_of_people(name: str, people: list[Any], check: Any) -> Iterator[str]:
    for person in people:
        try:
            check(str(person))
        except ValueError as error:
            yield f"{name} {error}."


def _problems_of_former(former: list[Any], roles: list[Any], others: list[Any]) -> Iterator[str]:
    present = {_key(entry.get("email") or "") for entry in roles if isinstance(entry, dict)} | set(map(_key, others))
    for email in former:
        if _key(email) in present:
            yield f"{email} is in access_former_staff, but also has a role."


def _problems_of_policy(policy: list[Any]) -> Iterator[str]:
    for entry in policy:
        try:
            ipaddress.ip_network(str(entry).strip())
        except ValueError as error:
            yield f"access_sftp_policy has an entry that is no address or network (CIDR): {entry!r} ({error})."


def _key(person: object) -> str:
    return str(person).strip().casefold()


# ---- who is who -----------------------------------------------------------------------------------------------------


def plan_of(roles: list[Record], other_administrators: list[str], listing: Record, *, planned: str = "") -> Record:
    """Return whose role is to be set: ``roles``, each with its ``user_id`` or a ``problem``, and who else stays.

    ``to_set`` are the roles without a problem, those of the administrators apart from those of ``others``.

    With a plan, an entry without a problem has ``may_be_set``, and all have one where a role is not in the plan.

    :param listing: the result of the task that lists the company's users, or an empty dictionary without one.
    :param planned: the file with the plan that the run is held to, if there is one.
    :raises ValueError: when there is no such plan.
    """
    users, not_shown, problem = _users_in(plain(listing))
    why = problem or not_shown
    taken = {_found(users, other) for other in plain(other_administrators)} - {""}
    planned_roles = []
    for entry in plain(roles):
        planned_roles.append(_planned(entry, users, why, taken))
        taken.add(planned_roles[-1]["user_id"])
    if planned:
        _hold(planned_roles, plans.read(planned, "access"))
    others = [
        {
            "user": other,
            "problem": f"{other} is not a user of the company." if users and not _found(users, other) else "",
        }
        for other in plain(other_administrators)
    ]
    to_set = [entry for entry in planned_roles if not entry["problem"]]
    return {
        "roles": planned_roles,
        "to_set": {
            "administrators": [entry for entry in to_set if entry["role"] == ADMINISTRATOR],
            "others": [entry for entry in to_set if entry["role"] != ADMINISTRATOR],
        },
        "other_administrators": others,
        "users": None if users is None else sorted(email for email in users if "@" in email),
        "user_ids": None if users is None else sorted(set(users.values())),
        "users_not_shown": not_shown,
        "users_problem": problem,
    }


def _users_in(listing: Record) -> tuple[dict[str, str] | None, str, str]:
    """Return the users' ids by e-mail address and by themselves, why they are not shown, and what went wrong."""
    if "error" in listing:
        if is_not_offered(listing):
            return None, "the service does not list the users of the company", ""
        return None, "", str(listing.get("msg", ""))
    if "json" not in listing:
        return None, "the service was not asked for the users of the company (access_list_users)", ""
    try:
        users = [entry["user"] for entry in listing["json"]["company"]["users"]]
        ids = {_key(user["email"]): checked_uuid(str(user["id"])) for user in users}
    except (KeyError, TypeError, ValueError):
        return None, "", "The service's list of users has another shape than the documented one."
    return ids | {identifier: identifier for identifier in ids.values()}, "", ""


def _found(users: dict[str, str] | None, person: str) -> str:
    """Return the id of a user, or an empty text for one that the service does not list."""
    key = _key(person)
    return (users or {}).get(key, "" if users or "@" in key else key)


def _planned(entry: Record, users: dict[str, str] | None, why_not: str, taken: set[str]) -> Record:
    email, user_id = entry.get("email") or "", _key(entry.get("user_id") or "")
    problem = ""
    if email and users is None:
        problem = f"{email} needs a user_id: {why_not or 'the users are not known'}."
    elif email and not _found(users, email):
        problem = f"{email} is not a user of the company. Invite them first."
    identifier = user_id or ("" if problem else _found(users, email))
    if identifier in taken - {""}:
        problem = f"{email or user_id} is on the lists twice, once by id and once by e-mail address."
    return {
        "user": str(entry.get("name") or email or user_id),
        "user_id": identifier,
        "email": email,
        "role": entry["role"],
        "problem": problem,
    }


def _hold(roles: list[Record], plan: Record) -> None:
    """Mark the roles that a plan sets, or give all of them a problem where it does not have them."""
    known = {one["environment_id"]: one for one in plan["environments"]}
    sound = [entry for entry in roles if not entry["problem"]]
    stale = []
    for entry in sound:
        one = known.get(entry["user_id"]) or {}
        entry["may_be_set"] = bool(one.get("changes"))
        if one.get("role") != entry["role"]:
            stale.append(entry["user"])
            entry["problem"] = "The plan does not have it. No role was set. Make a new plan."
    for entry in sound if stale else []:
        entry["problem"] = entry["problem"] or f"It was left alone, because the plan does not fit: {', '.join(stale)}."


def due_of(predicted: list[Record]) -> list[Record]:
    """Return the entries of the plan whose role is to be set now, or of which that is not known.

    There are none where one would be set that the plan, which the run is held to, does not set.

    :param predicted: the results of the task that asks for each of them in check mode.
    """
    known = [result for result in plain(predicted) if not result.get("skipped")]
    unknown = [_element(result) for result in known if "is_set" not in result]
    due = unknown + [_element(result) for result in known if result.get("is_set")]
    return due if all(entry.get("may_be_set", True) for entry in due) else []


# ---- the last administrator -----------------------------------------------------------------------------------------


def guard_of(plan: Record, administrators: list[Record], trusts: bool) -> str:
    """Return why nobody may be given another role than that of an administrator, or an empty text if it may be done.

    The service shows no roles, and what was set earlier may have been changed elsewhere since. So an administrator is
    certain only if this run has made one, and the service lists that user. Everything else is the word of the lists,
    which counts only if the user says so.

    :param plan: what plan_of() returned.
    :param administrators: the results of the tasks that set the administrators.
    :param trusts: whether the lists are taken at their word (access_trust_administrators).
    """
    plan = plain(plan)
    made = {result["company_user"]["user_id"] for result in plain(administrators) if result.get("is_set")}
    others = [other for other in plan["other_administrators"] if not other["problem"]]
    if made & set(plan["user_ids"] or ()) or (trusts and (made or others)):
        return ""
    nobody = "so nobody is given another role: it could be the last administrator who loses it."
    if not made:
        return f"No administrator of access_roles could be set, {nobody}"
    if plan["user_ids"] is None:
        why = plan["users_problem"] or plan["users_not_shown"]
        unseen = f"It is not known whether the administrators of access_roles are users of the company ({why})"
        return f"{unseen}, {nobody} {TRUST}"
    return f"None of the administrators of access_roles is among the users that the service lists, {nobody} {TRUST}"


# ---- afterwards -----------------------------------------------------------------------------------------------------


def summary_of(hosts: list[Record], plan: Record, done: list[Record], *, settings: Record) -> Record:
    """Return what was done and seen, and what needs a person; in check mode, with the ``plan`` of the roles.

    :param hosts: for each host its name (``host``), what was ``asked`` of it, and what was ``read``.
    :param plan: what plan_of() returned.
    :param done: the results of the tasks that set roles, each with the element of the loop that it is about.
    :param settings: ``check_mode``, ``company_id``, ``company_problem``, ``guard`` (what guard_of() returned),
        ``trusts`` and ``fail_on``.
    """
    plan, settings = plain(plan), plain(settings)
    by_user = {_element(result)["user_id"]: result for result in plain(done) if _element(result)}
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


def _element(result: Record) -> Record:
    """Return the element of a loop that a result is about, or nothing when it is about none."""
    return result.get(result.get("ansible_loop_var", "item")) or {}


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
            "is_company_user": None if users is None else _key(email) in users,
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
