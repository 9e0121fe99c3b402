# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the variables of the role deploy ask for, and what is missing or cannot be meant. Nothing is sent."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..module_utils._checks import checked_addresses, checked_domain_name, checked_keep, checked_wp_command
from ..module_utils._dns import canonical_name
from ..module_utils._text import without_login
from . import plan as plans
from .locks import named
from .plain_values import Record, plain
from .role_variables import (
    THE_HOST,
    addresses_of,
    bad_patience,
    found_in,
    listed,
    nulls_of,
    number_of_version,
    too_small,
    waves_of,
    waves_said_in,
)
from .verified_pictures import pictures_of, problems_of_pictures

LEAST = {"deploy_log_lines": 0, "deploy_looks_per_minute": 1, "deploy_pause_when_unknown": 0}
"""The smallest values of numbers."""

RELEASE = ("deploy_release", "the name of the release", "-e deploy_release=v1.2.3")
SITE = ("deploy_site_id", "the id of its site", "hosting_site_id in the inventory")
TARGET = (
    "deploy_environment_id",
    "the id of the environment to deploy to",
    "hosting_environment_id in the inventory",
)
SOURCE = (
    "deploy_source_environment_id",
    "the id of the environment to push from",
    "hosting_source_environment_id in the inventory; nothing is pushed with deploy_push: false",
)
NOTIFIED = (
    "deploy_notified_user_id",
    "the id of the user of the company whom the service tells when a rollback has ended",
    "-e deploy_notified_user_id=..., or hosting_notified_user_id in the inventory",
)
ROLLED_BACK = (
    "deploy_environment_id",
    "the id of the environment to roll back",
    "hosting_environment_id in the inventory",
)
HOOKS = ("deploy_before_tasks", "deploy_after_push_tasks", "deploy_after_tasks")
FIRST_ONE = [1, "100%"]
"""The waves where nothing is said of them."""

INVENTORY = ("hosting_base_url", "hosting_cdn_cache_id", "hosting_environment_name")
"""The other variables that are read."""

OF_ROLLBACK = (
    *("deploy_environment_id", "deploy_site_id", "deploy_notified_user_id", "deploy_release", "deploy_backup"),
    *("deploy_backup_tag", "deploy_restart_php", "deploy_clear_caches", "deploy_caches", "deploy_verify"),
    *("deploy_verify_urls", "deploy_ignore_lock", "deploy_pause_when_unknown", "deploy_wait_timeout", "deploy_report"),
    *("deploy_summary_file", "deploy_plan_file", "deploy_plan"),
)
"""The variables of the playbook rollback, and no others: what a release is pushed from may depend on its name, which a
rollback does without."""

UUID_LIKE = re.compile("[0-9A-Fa-f-]{36}$")


def host_of(
    role: str | Path,
    variables: Mapping[str, Any],
    template: Callable[[Record], Record],
    *,
    rolls_back_only: bool = False,
) -> Record:
    """Return what is asked of a host, as documented for the lookup deploy_host.

    :param role: the folder of the role.
    :param variables: all variables of the host, with their templates.
    :param template: returns a dictionary of variables with the values of their templates.
    :param rolls_back_only: whether it is about the playbook rollback, which needs less.
    :raises ValueError: when the role has no argument specs.
    """
    also = [*INVENTORY, *THE_HOST, *waves_said_in(variables, "deploy")]
    read = found_in(role, variables, template, only=OF_ROLLBACK if rolls_back_only else None, also=also)
    read["also"]["has_waves"] = "__deploy_waves" in variables
    return settings_of(read, rolls_back_only=rolls_back_only)


def settings_of(read: Record, *, rolls_back_only: bool = False) -> Record:
    """Return what is asked of a host: plain facts, so that no task has to find out more than their names.

    ``problems`` has a sentence for each thing that is wrong, and ``lacks`` what is missing, with the way to give it.
    Where a variable has a wrong type, nothing else is known or told.

    :param read: what the lookup role_variables returns; ``also`` has ``inventory_hostname``, ``ansible_check_mode``,
        ``ansible_play_name``, ``group_names``, ``hosting_base_url``, ``hosting_cdn_cache_id``,
        ``hosting_environment_name``, and ``has_waves``: whether it is the playbook deploy. Its ``__deploy_serial`` and
        ``__deploy_waves`` are there only where somebody has said something of waves.
    :param rolls_back_only: whether it is about the playbook rollback, which needs less.
    """
    read = plain(read)
    values, given, also = read["typed"], read["given"], read["also"]
    start = {"environment": str(also["inventory_hostname"]), "check_mode": bool(also["ansible_check_mode"])}
    if read["wrong"]:
        return {**start, "problems": [*read["unknown"], *read["wrong"]], "lacks": []}
    required = [ROLLED_BACK, NOTIFIED] if rolls_back_only else _required(values)
    problems = [*read["unknown"], *nulls_of(given, given), *_unwritable(given.get("deploy_summary_file"))]
    if not rolls_back_only:
        problems += [*_contradictions(given, values), *waves_of("deploy", also), *_no_files(values)]
    problems += plans.problems_of_file("deploy", values.get("deploy_plan_file"), bool(also["ansible_check_mode"]))
    settings = {
        **start,
        "playbook": "rollback" if rolls_back_only else "deploy",
        "planned": None,
        "problems": problems,
        "lacks": _lacking(given, required),
        **_target_of(values, also),
        **_steps_of(values),
        **_plan_of(values, also),
    }
    settings["reads"] = {
        "environment_id": settings["environment_id"],
        "push": _foreseen_of(settings),
        "groups": listed(also["group_names"]),
    }
    if values.get("deploy_plan"):
        settings = _held_to_plan(settings, values)
    denied = {"denied_ips": listed(values.get("deploy_denied_ips"))} if settings["sets_denied_ips"] else {}
    settings["declaration"] = {**({"domains": settings["domains"]} if settings["domains"] else {}), **denied}
    return {**settings, "options": _options_of(settings, values)}


def _options_of(settings: Record, values: Record) -> Record:
    """Return the options of modules by the names of these: a task then has one template instead of one an option."""
    target = {"environment_id": settings["environment_id"]}
    patience = {"wait_timeout": settings["wait_timeout"]}
    return {
        "deployment_info": {
            **settings["reads"],
            "site_id": settings["site_id"] if settings["checks_ids"] else None,
            "compare_with": settings["declaration"],
        },
        "manual_backup": {
            **target,
            "tag": settings["backup_tag"],
            "release": settings["release"],
            "max_age": settings["backup_max_age"],
            "keep": values.get("deploy_keep_backups") or None,
            **patience,
        },
        "env_push": {
            **(settings["reads"]["push"] or {}),
            "target_env_id": settings["environment_id"],
            "requires_backup": settings["takes_backup"],
            **patience,
        },
        "environment": {
            **target,
            "site_id": settings["site_id"] or None,
            "environment_name": settings["environment"],
            **patience,
        },
    }


def _foreseen_of(settings: Record) -> Record | None:
    """Return the push as deployment_info takes it, or None where nothing is pushed."""
    if not settings["pushes"]:
        return None
    ids = {
        "site_id": settings["site_id"],
        "source_env_id": settings["source_environment_id"],
        "release": settings["release"],
    }
    return {**ids, **{name: value for name, value in settings["push"].items() if value not in (None, [])}}


def _held_to_plan(settings: Record, values: Record) -> Record:
    """Return what is asked of a host without what its plan does not have, or with the problems of the plan."""
    try:
        plan = plans.read(values["deploy_plan"], settings["playbook"])
        planned = plans.of_host(plan, settings["environment"], settings["environment_id"])
    except ValueError as error:
        return {**settings, "problems": [*settings["problems"], str(error)]}
    domains = [canonical_name(str(one.get("name"))) for one in planned["changes"] if one["part"] == "domains"]
    denied = plans.change_of(planned, "denied_ips")
    return {
        **settings,
        "planned": planned,
        "problems": [*settings["problems"], *_unplanned(planned, settings, values)],
        "domains": [one for one in settings["domains"] if canonical_name(str(one.get("domain_name"))) in domains],
        "sets_denied_ips": settings["sets_denied_ips"] and denied is not None,
    }


def _unplanned(planned: Record, settings: Record, values: Record) -> Iterator[str]:
    """Yield a sentence for each thing that is asked otherwise than when the plan was made."""
    host, push = settings["environment"], plans.change_of(planned, "push")
    if push and push["after"] != plans.push_of(settings):
        yield f"The plan of {host} has another push: of another release, from elsewhere, or of other parts."
    denied = plans.change_of(planned, "denied_ips")
    if denied and settings["sets_denied_ips"] and denied["after"] != _canonical(values.get("deploy_denied_ips")):
        yield f"The plan of {host} has other denied addresses than deploy_denied_ips."


def _canonical(addresses: Any) -> Any:
    """Return addresses as the service shows them, and what are none as they are."""
    try:
        return checked_addresses(addresses or [])
    except (TypeError, ValueError, AttributeError):
        return addresses


def _target_of(values: Record, also: Record) -> Record:
    """Return where a release goes to and comes from."""
    pushes = bool(values.get("deploy_push"))
    return {
        "base_url": str(also["hosting_base_url"] or ""),
        "environment_name": str(also["hosting_environment_name"] or ""),
        "cdn_cache_id": str(also["hosting_cdn_cache_id"] or ""),
        "site_id": _text(values, "site_id"),
        "environment_id": _text(values, "environment_id"),
        "source_environment_id": _text(values, "source_environment_id") if pushes else "",
        "from_live": bool(values.get("deploy_from_live")),
        "release": _text(values, "release"),
        "ignores_lock": bool(values.get("deploy_ignore_lock")),
    }


def _steps_of(values: Record) -> Record:
    """Return which steps are wanted, and how, as far as that is not passed on as it is."""
    pushes_files, files = bool(values.get("deploy_push_files")), listed(values.get("deploy_file_list"))
    is_forced, max_age = values.get("deploy_force_push"), values.get("deploy_backup_max_age") or 0
    clears, verify_urls = values.get("deploy_clear_caches"), listed(values.get("deploy_verify_urls"))
    return {
        "checks_key": bool(values.get("deploy_check_key")),
        "key_valid_days": values.get("deploy_key_valid_days"),
        "checks_ids": bool(values.get("deploy_check_ids")),
        **{name.removeprefix("deploy_"): listed(values.get(name)) for name in HOOKS},
        "takes_backup": bool(values.get("deploy_backup")),
        "backup_tag": _text(values, "backup_tag"),
        # A push that is forced overwrites what is there now, whatever was kept before the release came.
        "backup_max_age": 1 if is_forced else max(max_age, 1),
        "pushes": bool(values.get("deploy_push")),
        "push": {
            "push_db": bool(values.get("deploy_push_db")),
            "push_files": pushes_files,
            "run_search_and_replace": bool(values.get("deploy_run_search_and_replace")),
            "push_files_option": values.get("deploy_push_files_option") if pushes_files else None,
            "file_list": files if pushes_files else [],
            "force": bool(is_forced),
        },
        "domains": _domains(values) if values.get("deploy_ensure_domains") else [],
        "sets_denied_ips": bool(values.get("deploy_set_denied_ips")),
        "runs_after_push": bool(_commands(values) or listed(values.get("deploy_after_push_tasks"))),
        "wp_cli": len(_commands(values)),  # facts are shown with -v, and a command may hold a secret
        "log_lines": values.get("deploy_log_lines") or 0,
        "restarts_php": bool(values.get("deploy_restart_php")),
        "caches": listed(values.get("deploy_caches")) if clears else [],
        "clears_caches": bool(clears),
        "verifies": bool(values.get("deploy_verify") and verify_urls),
        "site": _site_of(values, verify_urls),
        "pictures": pictures_of("deploy", values, _text(values, "environment_id"))
        if values.get("deploy_verify")
        else {},
        "rolls_back": bool(values.get("deploy_rollback")),
        "rollback_within": float(values.get("deploy_rollback_within") or 0),
        "wait_timeout": values.get("deploy_wait_timeout") or 0,
        "pause_when_unknown": values.get("deploy_pause_when_unknown") or 0,
    }


def _site_of(values: Record, urls: list[str]) -> Record:
    """Return what site_check asks of a site, as far as the variables say it."""
    names = {"validate_site_certs": "validate_certs"}
    options = ("status", "contains", "lacks", "attempts", "pause", "timeout", "validate_site_certs")
    asked = {name: values.get(f"deploy_verify_{names.get(name, name)}") for name in options}
    # Facts are shown with -v; addresses with a login are refused.
    return {
        "urls": [without_login(url) for url in urls],
        **{name: value for name, value in asked.items() if value is not None},
    }


def _plan_of(values: Record, also: Record) -> Record:
    """Return what only the plan, the question at a terminal and the summary speak of."""
    wanted, urls = values.get("deploy_confirm"), listed(values.get("deploy_verify_urls"))
    return {
        "verify": bool(values.get("deploy_verify")),
        # Facts are shown with -v.
        "verify_urls": [without_login(url) for url in urls] if values.get("deploy_verify") else [],
        "waves": also.get("__deploy_serial") or FIRST_ONE,
        "may_fail": values.get("deploy_max_fail_percentage") or 0,
        # A play of one's own asks nothing by default.
        "confirms": (None if also["has_waves"] else False) if wanted is None else wanted,
        "reports": bool(values.get("deploy_report")),
    }


def _text(values: Record, name: str) -> str:
    return str(values.get(f"deploy_{name}") or "")


def _commands(values: Record) -> list[str]:
    return [one for one in values.get("deploy_wp_cli") or [] if one]


def _domains(values: Record) -> list[Record]:
    return [{name: one[name] for name in one if one[name] is not None} for one in values.get("deploy_domains") or []]


# ---- what is wrong --------------------------------------------------------------------------------------------------


def problems_of(hosts: Iterable[Record]) -> str:
    """Return what is wrong with the variables of all hosts, each sentence once; nothing if all is well.

    :param hosts: what settings_of returned for each. It is empty for a host that has not got so far.
    """
    hosts = [one for one in plain(list(hosts)) if one]
    lacking: dict[str, list[str]] = {}
    for one in hosts:
        for what in one["lacks"]:
            lacking.setdefault(what, []).append(one["environment"])
    told = dict.fromkeys(sentence for one in hosts for sentence in one["problems"])
    missing = [f"{named(names)} {'lacks' if len(names) == 1 else 'lack'} {what}." for what, names in lacking.items()]
    return " ".join([*told, *missing])


def _required(values: Record) -> list[tuple[str, str, str]]:
    required = [RELEASE, SITE, TARGET]
    if values.get("deploy_push"):
        required.append(SOURCE)
    if values.get("deploy_rollback"):
        name, what, how = NOTIFIED
        required.append((name, what, f"{how}; nothing is rolled back with deploy_rollback: false"))
    return required


def _lacking(given: Record, required: list[tuple[str, str, str]]) -> list[str]:
    return [
        f"{name}, {what} ({how})"
        for name, what, how in required
        if given.get(name, "") is not None and not str(given.get(name, "")).strip()
    ]


def _contradictions(given: Record, values: Record) -> Iterator[str]:
    yield from number_of_version("deploy_release", given.get("deploy_release"))
    if values.get("deploy_rollback") and not values.get("deploy_backup"):
        yield "deploy_rollback needs deploy_backup: there would be nothing to go back to."
    if values.get("deploy_rollback") and not values.get("deploy_push"):
        yield "deploy_rollback needs deploy_push: there would be nothing to go back from."
    if values.get("deploy_verify"):
        yield from addresses_of("deploy_verify_urls", values.get("deploy_verify_urls"))
        yield from bad_patience("deploy", values)
        yield from problems_of_pictures("deploy", values)
    yield from _bad_commands(values)
    try:
        checked_keep(str(values.get("deploy_keep_backups") or ""))
    except ValueError as error:
        yield f"deploy_keep_backups {error}."
    yield from too_small(values, LEAST)
    if values.get("deploy_set_denied_ips") and "deploy_denied_ips" not in given:
        yield "deploy_set_denied_ips needs deploy_denied_ips, the addresses."
    yield from _bad_parts(values)


def _bad_parts(values: Record) -> Iterator[str]:
    """Yield a sentence for denied addresses and for each domain that cannot be."""
    try:
        checked_addresses(listed(values.get("deploy_denied_ips")) if values.get("deploy_set_denied_ips") else [])
    except ValueError as error:
        yield f"deploy_denied_ips {error}."
    for one in _domains(values) if values.get("deploy_ensure_domains") else []:
        try:
            checked_domain_name(str(one.get("domain_name")))
        except ValueError as error:
            yield f"deploy_domains: domain_name {error}."


def _bad_commands(values: Record) -> Iterator[str]:
    for number, command in enumerate(values.get("deploy_wp_cli") or [], start=1):
        try:
            checked_wp_command(command)
        except ValueError as error:
            yield f"Command {number} of deploy_wp_cli {error}."


def _no_files(values: Record) -> Iterator[str]:
    for name in HOOKS:
        for file in listed(values.get(name)):
            if not os.path.isfile(os.path.realpath(file)):
                yield (
                    f"{name} has {file}, and there is no such file. A relative path begins at the folder that"
                    " ansible-playbook runs in."
                )


def _unwritable(path: str | None) -> Iterator[str]:
    # Told before anything is done, and not after the deployment of the first wave.
    if not path:
        return
    real = os.path.realpath(os.path.expanduser(path))
    folder = os.path.dirname(real)
    if os.path.isdir(real) or not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        yield (
            f"deploy_summary_file is {path}, and {folder} is no folder that can be written in, or has a folder of that"
            " name."
        )


# ---- the playbook deploy_lock ---------------------------------------------------------------------------------------


def problems_of_lock(read: Record, groups: dict[str, list[str]]) -> list[str]:
    """Return a sentence for each thing that is wrong with the variables of a lock.

    :param read: what the lookup role_variables returns; ``also`` has ``_raw_params``.
    :param groups: the hosts of the inventory by their groups.
    """
    read, groups = plain(read), plain(groups)
    return [*read["unknown"], *read["wrong"], *(_problems_of_lock(read["typed"], read["also"], groups))]


def _problems_of_lock(values: Record, also: Record, groups: dict[str, list[str]]) -> Iterator[str]:
    group, environment = _text(values, "lock_group"), _text(values, "lock_environment")
    if not group and not environment:
        yield (
            "deploy_lock_group or deploy_lock_environment is missing: say what to lock, such as -e"
            " deploy_lock_group=environment_live."
        )
    if groups.get("all") and group and group not in groups and values.get("deploy_lock_state") == "present":
        yield f"The inventory has no group {group}. Groups are: {', '.join(sorted(groups))}."
    if environment and environment not in groups.get("all", []) and not UUID_LIKE.match(environment):
        yield (
            "deploy_lock_environment must be a host of the inventory or the id of an environment, and"
            f" {environment} is neither."
        )
    if also.get("_raw_params"):  # what Ansible makes of -e 'name=two words'
        yield (
            f"{also['_raw_params']} was cut off at a blank. Put a value with blanks into quotes within the quotes, such"
            """ as -e 'deploy_lock_reason="Black Friday"'."""
        )
