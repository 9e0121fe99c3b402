# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role access decides: who is who, whose role is to be set, and whether somebody could lose the last one.

Nothing here asks the service, and nothing raises for what the service has sent.
"""

from __future__ import annotations

from ..module_utils._checks import checked_uuid
from . import plan as plans
from .plain_values import Record, plain
from .results import is_not_offered

ADMINISTRATOR = "company-admin"

TRUST = (
    "To take the administrators of the lists for administrators anyway, set access_trust_administrators: true; then"
    " nothing keeps the company from losing its last one, should the lists be wrong."
)


def key_of(person: object) -> str:
    """Return a person's id or e-mail address as it is compared with others."""
    return str(person).strip().casefold()


def element_of(result: Record) -> Record:
    """Return the element of a loop that a result is about, or nothing when it is about none."""
    return result.get(result.get("ansible_loop_var", "item")) or {}


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
        ids = {key_of(user["email"]): checked_uuid(str(user["id"])) for user in users}
    except (KeyError, TypeError, ValueError):
        return None, "", "The service's list of users has another shape than the documented one."
    return ids | {identifier: identifier for identifier in ids.values()}, "", ""


def _found(users: dict[str, str] | None, person: str) -> str:
    """Return the id of a user, or an empty text for one that the service does not list."""
    key = key_of(person)
    return (users or {}).get(key, "" if users or "@" in key else key)


def _planned(entry: Record, users: dict[str, str] | None, why_not: str, taken: set[str]) -> Record:
    email, user_id = entry.get("email") or "", key_of(entry.get("user_id") or "")
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
    unknown = [element_of(result) for result in known if "is_set" not in result]
    due = unknown + [element_of(result) for result in known if result.get("is_set")]
    return due if all(entry.get("may_be_set", True) for entry in due) else []


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
