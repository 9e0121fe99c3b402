# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role deploy finds out about its ids before it sends anything: whether they name what the user means.

Nothing here asks the service, and nothing raises for what the service has sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .plain_values import Record, plain
from .results import is_not_offered

LIVE = "live"
"""The name that the service gives to the environment that visitors see."""


@dataclass(frozen=True)
class Asked:
    """What a host is to be deployed to and from.

    ``source_id`` is empty when nothing is pushed. ``of_site`` are the environments of the host's site as the service
    lists them, with the variables of the inventory; None when it does not, for the reason ``why_not``. ``is_absent``
    says that it knows no such site, or has no such list. ``of_company`` are the environments of all sites; None when
    they were not asked for, or not shown.
    """

    host: str
    site_id: str
    target_id: str
    source_id: str = ""
    may_push_from_live: bool = False
    of_site: list[Record] | None = None
    why_not: str = ""
    is_absent: bool = False
    of_company: list[Record] | None = None


@dataclass
class Target:
    """A host's line of the plan, and a sentence for each thing that is wrong with its ids.

    ``asks_company`` says that the list of all sites could tell more.
    """

    line: str
    problems: list[str] = field(default_factory=list)
    asks_company: bool = False


def asked_of(settings: Record, listed: Record, company: Record) -> Asked:
    """Return what is asked of a host.

    :param settings: as deployment_settings.settings_of returns it.
    :param listed: what deployment_info has of the host's site; empty where it was not asked.
    :param company: the result of environment_info for all sites.
    """
    is_absent = is_not_offered(listed)
    why_not = "the service does not show the environments of the site"
    if not is_absent:
        why_not = str(listed.get("msg") or "deploy_check_ids is false")
    return Asked(
        settings["environment"],
        _id(settings["site_id"]),
        _id(settings["environment_id"]),
        _id(settings["source_environment_id"]),
        settings["from_live"],
        listed.get("environments"),
        why_not,
        is_absent,
        company.get("environments"),
    )


def targets_of(hosts: list[Record], company: Record | None = None) -> Record:
    """Return the ``problems`` with the ids of all hosts.

    ``asks_company`` says that the list of all sites could tell more. It does not where the hosts ask several services:
    then the list that one of them gets says nothing about the others. ``are_in_doubt`` says that either is so.

    :param hosts: of each what is asked (``settings``) and its environments (``listed``), as for asked_of; empty where a
        host has not got so far.
    :param company: the environments of all sites, if they have been read.
    """
    hosts, company = [one for one in plain(hosts) if one["settings"]], plain(company or {})
    targets = [target_of(asked_of(one["settings"], one["listed"], company)) for one in hosts]
    problems = [*(problem for target in targets for problem in target.problems), *_shared_targets(hosts)]
    is_one_service = len({one["settings"]["base_url"] for one in hosts}) == 1
    asks_company = is_one_service and any(target.asks_company for target in targets)
    return {"problems": problems, "asks_company": asks_company, "are_in_doubt": asks_company or bool(problems)}


def _shared_targets(hosts: list[Record]) -> Iterator[str]:
    """Yield a sentence for each environment that more than one host is: what one is given, another one overwrites."""
    names: dict[tuple[str, str], list[str]] = {}
    for one in hosts:
        settings = one["settings"]
        names.setdefault((settings["base_url"], _id(settings["environment_id"])), []).append(settings["environment"])
    for (_base_url, environment_id), hosts_of_it in names.items():
        if len(hosts_of_it) > 1:
            yield (
                f"{' and '.join(hosts_of_it)} are the same environment, {environment_id} (deploy_environment_id): leave"
                " out all but one."
            )


def target_of(asked: Asked) -> Target:
    """Return the host's line of the plan, and what is wrong with its ids, as far as the service shows it."""
    of_site = asked.of_site
    if of_site is None:
        of_site = [one for one in asked.of_company or [] if _id(one.get("hosting_site_id")) == asked.site_id]
        if not of_site:
            return _target_of_unlisted_site(asked)
    here = {_id(one.get("hosting_environment_id")): one for one in of_site}
    target, source = here.get(asked.target_id), here.get(asked.source_id)
    problems = [
        _misplaced(asked, of_site, name, environment_id)
        for name, environment_id in _ids(asked).items()
        if environment_id not in here
    ]
    if asked.source_id == asked.target_id:
        problems.append(f"{asked.host}: source and target are the same environment, {_named(target, asked.target_id)}.")
    elif source and _is_live(source) and not asked.may_push_from_live:
        problems.append(
            f"{asked.host} would push from live to {_name(target, asked.target_id)}: deploy_source_environment_id is"
            f" {_named(source, asked.source_id)}. Swap the two ids, or say that you mean it: deploy_from_live: true."
        )
    return Target(
        _line(asked, source, target), problems, asks_company=any(one not in here for one in _ids(asked).values())
    )


def _target_of_unlisted_site(asked: Asked) -> Target:
    """Return the same for a site whose environments cannot be read: it may be unknown, or the service lists none."""
    line = f"{_line(asked, None, None)} (not checked: {asked.why_not})"
    if asked.of_company is None or not asked.is_absent:
        return Target(line, asks_company=asked.is_absent)
    elsewhere = [
        f" {name} {environment_id} is {_with_site(found)}."
        for name, environment_id in _ids(asked).items()
        if (found := _found(asked, environment_id))
    ]
    problem = f"{asked.host}: the company of the key has no site {asked.site_id} (deploy_site_id)."
    return Target(line, [problem + "".join(elsewhere)])


def _ids(asked: Asked) -> dict[str, str]:
    """Return the ids of the environments by the names of their variables."""
    ids = {"deploy_environment_id": asked.target_id}
    return {**ids, "deploy_source_environment_id": asked.source_id} if asked.source_id else ids


def _misplaced(asked: Asked, of_site: list[Record], name: str, environment_id: str) -> str:
    """Say of an environment that is not the site's whose it is, or which ones the site has."""
    found = _found(asked, environment_id)
    if found:
        return f"{asked.host}: {name} {environment_id} is {_with_site(found)}, not of the site {asked.site_id}."
    there = ", ".join(_named(one, _id(one.get("hosting_environment_id"))) for one in of_site)
    return (
        f"{asked.host}: the site {asked.site_id} has no environment {environment_id} ({name}). It has:"
        f" {there or 'none'}."
    )


def _found(asked: Asked, environment_id: str) -> Record | None:
    everywhere = asked.of_company or []
    return next((one for one in everywhere if _id(one.get("hosting_environment_id")) == environment_id), None)


def _line(asked: Asked, source: Record | None, target: Record | None) -> str:
    domain = (target or {}).get("hosting_primary_domain")
    start = f"{_name(source, asked.source_id)} → " if asked.source_id else ""
    return f"{asked.host}: {start}{_name(target, asked.target_id)}{f' ({domain})' if domain else ''}"


def _name(environment: Record | None, environment_id: str) -> str:
    """Return what an environment is called; its id where nobody knows."""
    known = environment or {}
    return str(known.get("hosting_environment_name") or known.get("hosting_environment_display_name") or environment_id)


def _named(environment: Record | None, environment_id: str) -> str:
    name = _name(environment, environment_id)
    return name if name == environment_id else f"{name} ({environment_id})"


def _with_site(environment: Record) -> str:
    site = environment.get("hosting_site_name") or "another site"
    return f"{_name(environment, 'an environment')} of the site {site} ({environment.get('hosting_site_id')})"


def _is_live(environment: Record) -> bool:
    return _name(environment, "").strip().lower() == LIVE


def _id(value: object) -> str:
    return str(value or "").strip().lower()
