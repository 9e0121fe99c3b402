# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the variables of the role maintain ask for, and what is wrong with them: sentences for people."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean

from ..module_utils._checks import checked_duration, checked_keep
from . import plan
from .locks import named
from .maintenance_findings import PARTS, READINGS, UPDATES
from .plain_values import Record, plain
from .role_variables import (
    THE_HOST,
    addresses_of,
    bad_patience,
    found_in,
    nulls_of,
    number_of_version,
    too_small,
    waves_of,
    waves_said_in,
)
from .verified_pictures import pictures_of, problems_of_pictures

ROLE = "maintain"
VERSIONS = ("maintain_php_version", "maintain_check_php_version", "maintain_check_wordpress_version")
AGES = ("maintain_backup_max_age", "maintain_update_backup_max_age", "maintain_check_backup_max_age")
NEED_SITE = ("maintain_check_visits", "maintain_check_php_version", "maintain_check_wordpress_version")
LEAST = {
    "maintain_log_lines": 0,
    "maintain_check_visits": 0,
    "maintain_looks_per_minute": 1,
    "maintain_pause_when_unknown": 0,
}
"""The smallest values of numbers."""

INVENTORY = ("hosting_companions", "hosting_primary_domain_id", "hosting_php_version", "hosting_wordpress_version")
"""The other variables that are read: what the inventory knows of a host, and what the service is."""

PLACE = "\0"
"""What stands for the name of an environment in a sentence that may be true of several."""

IN_PLURAL = {f"{PLACE} lacks ": f"{PLACE} lack ", f"{PLACE} has ": f"{PLACE} have ", " Leave it ": " Leave them "}

NEED_COMPANIONS = ("sftp_allowlist", "php_version", "dns_records", "plugins")
"""The parts that a service with the documented endpoints only cannot change."""


def host_of(role: str | Path, variables: Mapping[str, Any], template: Callable[[Record], Record]) -> Record:
    """Return what the role is asked to do with a host, as documented for the lookup maintain_host.

    :param role: the folder of the role.
    :param variables: all variables of the host, with their templates.
    :param template: returns a dictionary of variables with the values of their templates.
    :raises ValueError: when the role has no argument specs.
    """
    read = found_in(role, variables, template, also=[*INVENTORY, *THE_HOST, *waves_said_in(variables, ROLE)])
    also = read["also"]
    return settings_of(
        read,
        str(also["inventory_hostname"]),
        groups=also["group_names"] or [],
        check_mode=bool(also["ansible_check_mode"]),
    )


def settings_of(variables: Record, host: str, *, groups: Iterable[str] = (), check_mode: bool = False) -> Record:
    """Return what the role is asked to do with an environment, and the problems that keep it from doing so.

    :param variables: the role's variables, as the lookup role_variables reads them; ``also`` has INVENTORY, and what
        waves_of needs, where somebody has said something of waves.
    :param host: the name of the environment.
    :param groups: the groups that the host is in, which a lock may name.
    :param check_mode: whether nothing is to be changed.
    """
    variables = plain(variables)
    problems = [
        *variables["unknown"],
        *(variables["wrong"] or problems_of(variables, host)),
        *waves_of(ROLE, variables["also"]),
    ]
    if variables["wrong"]:
        return {"problems": problems}  # with values of a wrong type, nothing else can be told
    try:
        planned = _planned(variables["typed"], host)
    except ValueError as error:
        planned = None
        problems.append(str(error))
    problems += plan.problems_of_file(ROLE, variables["typed"]["maintain_plan_file"], check_mode)
    return {
        "problems": problems,
        **_settings(variables["typed"], variables["also"], host, list(groups), check_mode, planned),
    }


def problems_of_all(problems: Record) -> str:
    """Return what is wrong for all environments, each sentence once; nothing if all is well.

    :param problems: the sentences that settings_of returned, by the name of the environment.
    """
    places: dict[str, list[str]] = {}
    for host, sentences in plain(problems).items():
        name = re.compile(rf"(?<![\w.-]){re.escape(host)}(?![\w-]|\.\w)")
        for sentence in sentences:
            places.setdefault(name.sub(PLACE, sentence), []).append(host)
    return " ".join(_said_of(sentence, hosts) for sentence, hosts in places.items())


def _said_of(sentence: str, hosts: list[str]) -> str:
    if len(hosts) > 1:
        for one, many in IN_PLURAL.items():
            sentence = sentence.replace(one, many)
    return sentence.replace(PLACE, named(hosts))


def _planned(typed: Record, host: str) -> Record | None:
    """Return what the plan that the run is held to has of the host, or None without one."""
    path = typed["maintain_plan"]
    return plan.of_host(plan.read(path, ROLE), host, str(typed["maintain_environment_id"])) if path else None


def _settings(
    typed: Record, also: Record, host: str, groups: list[str], check_mode: bool, planned: Record | None
) -> Record:
    declared = _declared(typed, also)
    for name in planned["not_seen"] if planned else ():
        declared[name] = None  # nobody has seen what it would do
    check_only = list(PARTS) if typed["maintain_compare_only"] else typed["maintain_check_only"] or []
    unsupported = [] if _has_companions(also) else list(NEED_COMPANIONS)
    compared = [*check_only, *unsupported]
    updates = [name for name in UPDATES if declared[name] is not None]
    made = [name for name in updates if name not in compared]
    bound = [name for name in declared if declared[name] is not None and name not in compared]
    urls = typed["maintain_verify_urls"] or []
    verifies = typed["maintain_verify"] and bool(urls)
    pictures = pictures_of("maintain", typed, str(typed["maintain_environment_id"])) if verifies else {}
    rolls_back = bool(typed["maintain_rollback"] and verifies)
    # What is restored is what this run has taken itself.
    max_age = "1s" if rolls_back else typed["maintain_update_backup_max_age"]
    checks = _checks(typed)
    # In check mode, one task tells of all: also whether there would be a backup before the updates.
    foresees_backup = bool(check_mode and made and typed["maintain_update_backup"] and declared["backup"] is None)
    if foresees_backup:
        declared["backup"] = _backup(typed, max_age)
    given = _given(typed, host, groups, plan.moves_of(planned, bound) if planned else None)
    return {
        "keep": {
            **given,
            "declaration": declared,
            "compare": [*compared, *(["backup"] if foresees_backup else []), *([] if check_mode else UPDATES)],
            "gather": list(
                dict.fromkeys([*(READINGS[name] for name in checks), *(["releases"] if rolls_back else [])])
            ),
            "site_check": _site_check(typed, bool(updates)),
        },
        "make": {**given, **{name: declared[name] for name in UPDATES}, "compare": compared},
        "waiting": {
            "environment_id": str(typed["maintain_environment_id"]).lower(),
            "environment": host,
            "wait_timeout": typed["maintain_wait_timeout"],
        },
        "verifies": verifies,
        "looks": "judge.yml" if not verifies else "ask_with_pictures.yml" if pictures else "ask.yml",
        "pictures": pictures,
        "applies": "apply_with_pictures.yml" if pictures else "apply.yml",
        "rolls_back": rolls_back,
        "update_backup_max_age": max_age,
        "log_lines": (typed["maintain_log_lines"] or 0) if _has_companions(also) else 0,
        "result": {
            "environment": host,
            "environment_id": typed["maintain_environment_id"],
            "check_mode": check_mode,
            "check_only": check_only,
            "unsupported": unsupported,
            "updates": made,
            "warn_only": typed["maintain_warn_only"] or [],
            "checks": checks,
            "checks_site": typed["maintain_check_site"],
            "foresees_backup": foresees_backup,
            "update_backup_max_age": max_age if typed["maintain_update_backup"] else None,
            "rolls_back": rolls_back,
            "is_unverified": typed["maintain_verify"] and not urls,
            "visits": typed["maintain_check_visits"],
            "backup_max_age": typed["maintain_check_backup_max_age"],
            "php_version": typed["maintain_check_php_version"],
            "wordpress_version": typed["maintain_check_wordpress_version"],
            "inventory": {
                "php_version": also["hosting_php_version"] or None,
                "wordpress_version": also["hosting_wordpress_version"] or None,
            },
            "rewrites_database": typed["maintain_run_search_and_replace"],
            "declared_php_version": typed["maintain_php_version"],
            "declared_dns_records": declared["dns_records"] or [],
        },
    }


def _given(typed: Record, host: str, groups: list[str], planned: Record | None) -> Record:
    """Return what the module environment is given each time that it works on the host."""
    return {
        "environment_id": typed["maintain_environment_id"],
        "site_id": typed["maintain_site_id"] or None,
        "environment_name": host,
        "lock_groups": None if typed["maintain_ignore_lock"] else groups,
        "planned": planned,
        "domain_ids": typed["maintain_check_dns_domain_ids"] or [],
        "canary": typed["maintain_canary"],
        "wait_timeout": typed["maintain_wait_timeout"],
    }


def _site_check(typed: Record, has_updates: bool) -> Record | None:
    """Return what is asked of the site at first, as the module environment takes it; None where nothing is."""
    if not typed["maintain_check_site"] and not has_updates:
        return None
    asks = typed["maintain_check_site"] or typed["maintain_verify"]
    return {
        "urls": (typed["maintain_verify_urls"] or []) if asks else [],
        **{
            name: typed[f"maintain_verify_{name}"]
            for name in ("status", "contains", "lacks", "attempts", "pause", "timeout")
        },
        "validate_site_certs": typed["maintain_verify_validate_certs"],
    }


def _has_companions(also: Record) -> bool:
    """Tell whether more may be asked of the service than its interface document has."""
    value = also["hosting_companions"]
    if value is None:
        value = os.environ.get("HOSTING_COMPANIONS") or True
    return bool(boolean(value, strict=False))


def _declared(typed: Record, also: Record) -> Record:
    """Return the parts as the module environment takes them. What is null is left alone."""
    denied = [typed["maintain_denied_ips"], typed["maintain_additional_denied_ips"]]
    domain = {key: typed[f"maintain_primary_{key}"] or None for key in ("domain", "domain_id")}
    records = typed["maintain_dns_records"]
    return {
        "backup": None
        if typed["maintain_backup_max_age"] is None
        else _backup(typed, typed["maintain_backup_max_age"]),
        "denied_ips": None if denied == [None, None] else [address for some in denied for address in some or []],
        "sftp_allowlist": typed["maintain_sftp_allowlist"],
        "image_optimization": typed["maintain_image_optimization"],
        "primary_domain": {
            "domain_name": domain["domain"],
            "domain_id": domain["domain_id"],
            "run_search_and_replace": typed["maintain_run_search_and_replace"],
        }
        if any(typed[f"maintain_primary_{key}"] is not None for key in domain)
        else None,
        "dns_records": None if records is None else [_record(one, also) for one in records],
        "themes": typed["maintain_themes"],
        "plugins": _plugins(typed),
        "php_version": None
        if typed["maintain_php_version"] is None
        else {
            "version": typed["maintain_php_version"],
            "automatic_updates": typed["maintain_php_automatic_updates"],
        },
    }


def _backup(typed: Record, max_age: Any) -> Record:
    keep = typed["maintain_keep_backups"]
    return {"tag": typed["maintain_backup_tag"], "max_age": max_age, **({"keep": keep} if keep else {})}


def _plugins(typed: Record) -> Any:
    """Return the plugins that are updated to their newest versions, and those with a version of their own."""
    pinned = typed["maintain_plugins"]
    newest = {"select": typed["maintain_update_plugins"] or None, "names": typed["maintain_plugin_names"]}
    if all(value is None for value in (typed["maintain_update_plugins"], typed["maintain_plugin_names"])):
        return pinned
    exceptions = [*(typed["maintain_plugin_exceptions"] or []), *(one["name"] for one in pinned or [])]
    updated = {**newest, "exclude": exceptions or None}
    return updated if pinned is None else [updated, *pinned]


def _record(record: Record, also: Record) -> Record:
    """Return a DNS record with its domain, by default that of the host."""
    given = {name: value for name, value in record.items() if value is not None}
    return given if "domain_name" in given else {"domain_id": also["hosting_primary_domain_id"] or None, **given}


def _checks(typed: Record) -> list[str]:
    """Return what is looked at."""
    wanted = {
        "vulnerable_plugins": typed["maintain_check_vulnerable_plugins"],
        "visits": typed["maintain_check_visits"] is not None,
        "old_backup": typed["maintain_check_backup_max_age"] is not None,
        "old_php": typed["maintain_check_php_version"] is not None,
        "old_wordpress": typed["maintain_check_wordpress_version"] is not None,
        "unexpected_dns": bool(typed["maintain_check_dns_domain_ids"]),
        "journal": typed["maintain_check_journal"],
    }
    return [name for name, is_wanted in wanted.items() if is_wanted]


# ---- what is wrong --------------------------------------------------------------------------------------------------


def problems_of(variables: Record, host: str) -> Iterator[str]:
    """Yield a sentence for each value that the role cannot work with.

    :param variables: the role's variables, as the lookup role_variables reads them.
    :param host: the name of the host that they are of.
    """
    typed, given = variables["typed"], variables["given"]
    # Being null switches a check off.
    yield from nulls_of(typed, (name for name in variables["nulls"] if not name.startswith("maintain_check_")))
    if not typed["maintain_environment_id"]:
        yield f"{host} lacks maintain_environment_id (or hosting_environment_id): a variable of the host."
    if not typed["maintain_site_id"]:
        for name in NEED_SITE:
            if typed[name] is not None:
                yield f"{name} needs maintain_site_id (or hosting_site_id) of {host}."
    yield from _numbers_for_versions(given)
    yield from _bad_ages(typed)
    yield from _bad_keep(typed["maintain_keep_backups"])
    yield from too_small(typed, LEAST)
    if typed["maintain_rollback"]:
        yield from _bad_rollback(typed, variables["also"], host)
    if typed["maintain_update_plugins"] not in (None, "updatable", "vulnerable"):
        yield f"maintain_update_plugins must be updatable or vulnerable, not '{typed['maintain_update_plugins']}'."
    if any(not str(one).strip() for one in typed["maintain_plugin_names"] or []):
        yield "maintain_plugin_names has an empty pattern, which no plugin has. Leave the variable out to update all."
    if typed["maintain_primary_domain"] and typed["maintain_primary_domain_id"]:
        yield f"{host} has both maintain_primary_domain and maintain_primary_domain_id: give one of them."
    if typed["maintain_verify"]:
        yield from bad_patience("maintain", typed)
        yield from addresses_of("maintain_verify_urls", typed["maintain_verify_urls"])
        yield from problems_of_pictures("maintain", typed)
        if typed["maintain_verify_pictures"] and not typed["maintain_verify_urls"]:
            yield "maintain_verify_pictures needs maintain_verify_urls: a page that does not work is not looked at."
    yield from _bad_summary_file(typed["maintain_summary_file"])


def _numbers_for_versions(given: Record) -> Iterator[str]:
    for name in VERSIONS:
        yield from number_of_version(name, given.get(name))
    for name in ("maintain_themes", "maintain_plugins"):
        for one in given.get(name) or []:
            if isinstance(one, dict):
                yield from number_of_version(
                    f"update_version of {one.get('name')} in {name}", one.get("update_version")
                )


def _bad_ages(typed: Record) -> Iterator[str]:
    for name in AGES:
        try:
            if typed[name] is not None:
                checked_duration(str(typed[name]))
        except ValueError as error:
            yield f"{name} {error}."


def _bad_keep(keep: Any) -> Iterator[str]:
    try:
        checked_keep(str(keep or ""))
    except ValueError as error:
        yield f"maintain_keep_backups {error}."


def _bad_rollback(typed: Record, also: Record, host: str) -> Iterator[str]:
    if not typed["maintain_update_backup"]:
        yield "maintain_rollback needs maintain_update_backup: there would be nothing to go back to."
    if not typed["maintain_verify"]:
        yield "maintain_rollback needs maintain_verify: nobody would see that a site does not work."
    if not typed["maintain_notified_user_id"]:
        yield f"{host} lacks maintain_notified_user_id (or hosting_notified_user_id), which maintain_rollback needs."
    if not _has_companions(also):
        yield "maintain_rollback needs a service that restores backups, and hosting_companions is false."


def _bad_summary_file(path: Any) -> Iterator[str]:
    if path:
        real = os.path.realpath(str(path))
        if os.path.isdir(real) or not os.path.isdir(os.path.dirname(real)):
            yield f"maintain_summary_file is {path}, which is a folder, or is in none."
