# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the variables of the role access ask for, and what is wrong with them: sentences for people."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Any

from ..module_utils._checks import checked_email, checked_uuid
from . import plan as plans
from .access import ADMINISTRATOR, key_of
from .plain_values import Record, plain

GUARD = (
    "access_roles has no company-admin, so the last administrator could be demoted. Add one to the list. (Whether those"
    " of access_other_administrators still are administrators is shown nowhere, so they count only with"
    " access_trust_administrators: true.)"
)


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
    seen = {key_of(other) for other in others}
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
        if key_of(person) in seen:
            yield f"access_roles and access_other_administrators name {person} twice."
        seen.add(key_of(person))
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
    with_role = {key_of(entry.get("email") or "") for entry in roles if isinstance(entry, dict)}
    present = with_role | set(map(key_of, others))
    for email in former:
        if key_of(email) in present:
            yield f"{email} is in access_former_staff, but also has a role."


def _problems_of_policy(policy: list[Any]) -> Iterator[str]:
    for entry in policy:
        try:
            ipaddress.ip_network(str(entry).strip())
        except ValueError as error:
            yield f"access_sftp_policy has an entry that is no address or network (CIDR): {entry!r} ({error})."
