# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the variables of the role maintain ask for, and what is wrong with them: sentences for people."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean

from ..module_utils._checks import checked_duration
from .maintenance import PARTS, READINGS, UPDATES
from .plain_values import Record, plain
from .role_variables import addresses_of, nulls_of, number_of_version, waves_of

ROLE = "maintain"
VERSIONS = ("maintain_php_version", "maintain_check_php_version", "maintain_check_wordpress_version")
AGES = ("maintain_backup_max_age", "maintain_update_backup_max_age", "maintain_check_backup_max_age")
NEED_SITE = ("maintain_check_visits", "maintain_check_php_version", "maintain_check_wordpress_version")
NEED_COMPANIONS = ("sftp_allowlist", "php_version", "dns_records", "plugins")
"""The parts that a service with the documented endpoints only cannot change."""


def settings_of(variables: Record, host: str, *, waves: Record | None = None, check_mode: bool = False) -> Record:
    """Return what the role is asked to do with an environment, and the problems that keep it from doing so.

    :param variables: the role's variables, as the lookup role_variables reads them.
    :param host: the name of the environment.
    :param waves: of the playbook maintain: ``sizes``, and whether they are those that Ansible uses (``are_in_force``).
    :param check_mode: whether nothing is to be changed.
    """
    variables, waves = plain(variables), plain(waves or {})
    problems = [
        *variables["unknown"],
        *(variables["wrong"] or problems_of(variables, host)),
        *waves_of(ROLE, waves.get("sizes") or [], waves.get("are_in_force", True)),
    ]
    # With values of a wrong type, nothing else can be told.
    settings = {} if variables["wrong"] else _settings(variables["typed"], variables["also"], host, check_mode)
    return {"problems": problems, **settings}


def _settings(typed: Record, also: Record, host: str, check_mode: bool) -> Record:
    declared = _declared(typed, also)
    check_only = list(PARTS) if typed["maintain_compare_only"] else typed["maintain_check_only"] or []
    unsupported = [] if _has_companions(also) else list(NEED_COMPANIONS)
    compared = [*check_only, *unsupported]
    updates = [name for name in UPDATES if declared[name] is not None]
    urls = typed["maintain_verify_urls"] or []
    checks = _checks(typed)
    return {
        "declared": declared,
        "compared": compared,
        "compared_first": [*compared, *UPDATES],
        "updates": [name for name in updates if name not in compared],
        "reads_known": typed["maintain_check_site"] or bool(updates),
        "asks": bool(urls) and (typed["maintain_check_site"] or (typed["maintain_verify"] and bool(updates))),
        "judges": bool(urls) and typed["maintain_check_site"],
        "verifies": typed["maintain_verify"] and bool(urls),
        "gather": list(dict.fromkeys(READINGS[name] for name in checks)),
        "result": {
            "environment": host,
            "check_mode": check_mode,
            "check_only": check_only,
            "unsupported": unsupported,
            "warn_only": typed["maintain_warn_only"] or [],
            "checks": checks,
            "checks_site": typed["maintain_check_site"],
            "ignores_lock": typed["maintain_ignore_lock"],
            "is_unverified": typed["maintain_verify"] and not urls,
            "visits": typed["maintain_check_visits"],
            "backup_max_age": typed["maintain_check_backup_max_age"],
            "php_version": typed["maintain_check_php_version"],
            "wordpress_version": typed["maintain_check_wordpress_version"],
            "inventory": {
                "php_version": also["hosting_php_version"] or None,
                "wordpress_version": also["hosting_wordpress_version"] or None,
            },
            "declared_php_version": typed["maintain_php_version"],
            "declared_dns_records": declared["dns_records"] or [],
        },
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
    plugins = {"select": typed["maintain_update_plugins"] or None, "names": typed["maintain_plugin_names"]}
    records = typed["maintain_dns_records"]
    return {
        "backup": None
        if typed["maintain_backup_max_age"] is None
        else {"tag": typed["maintain_backup_tag"], "max_age": typed["maintain_backup_max_age"]},
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
        "plugins": {**plugins, "exclude": typed["maintain_plugin_exceptions"] or None}
        if any(value is not None for value in (typed["maintain_update_plugins"], typed["maintain_plugin_names"]))
        else None,
        "php_version": None
        if typed["maintain_php_version"] is None
        else {
            "version": typed["maintain_php_version"],
            "automatic_updates": typed["maintain_php_automatic_updates"],
        },
    }


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
    if typed["maintain_update_plugins"] not in (None, "updatable", "vulnerable"):
        yield f"maintain_update_plugins must be updatable or vulnerable, not {typed['maintain_update_plugins']}."
    if typed["maintain_primary_domain"] and typed["maintain_primary_domain_id"]:
        yield f"{host} has both maintain_primary_domain and maintain_primary_domain_id: give one of them."
    if typed["maintain_verify"]:
        yield from addresses_of("maintain_verify_urls", typed["maintain_verify_urls"])
    yield from _bad_summary_file(typed["maintain_summary_file"])


def _numbers_for_versions(given: Record) -> Iterator[str]:
    for name in VERSIONS:
        yield from number_of_version(name, given.get(name))
    for theme in given.get("maintain_themes") or []:
        if isinstance(theme, dict):
            yield from number_of_version(
                f"update_version of {theme.get('name')} in maintain_themes", theme.get("update_version")
            )


def _bad_ages(typed: Record) -> Iterator[str]:
    for name in AGES:
        try:
            if typed[name] is not None:
                checked_duration(str(typed[name]))
        except ValueError as error:
            yield f"{name} {error}."


def _bad_summary_file(path: Any) -> Iterator[str]:
    if path:
        real = os.path.realpath(str(path))
        if os.path.isdir(real) or not os.path.isdir(os.path.dirname(real)):
            yield f"maintain_summary_file is {path}, which is a folder, or is in none."
