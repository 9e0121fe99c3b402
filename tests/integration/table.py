# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules, a row each: the request that each of them sends, and how those behave that change something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, SqliteJournal, digest_of
from integration.playbook import Step
from simulator import Simulator, seed
from simulator.state import Backup, epoch_milliseconds

COMPANY, USER = seed.COMPANY_ID, seed.user_id(2)
SITE, LIVE, STAGING = seed.site_id(1), seed.environment_id(1), seed.environment_id(1, seed.STAGING)
DOMAIN, WWW_DOMAIN = seed.domain_id(1), seed.domain_id(1, seed.LIVE_WWW)
UNKNOWN = "00000000-0000-4000-8000-000000000000"

READ = (400, 401, 404, 500)
OPERATION = (400, 401, 500)
PLAIN = (401, 500)


@dataclass(frozen=True)
class Change:
    """How a module changes something.

    ``other`` are the options that ask for something else, ``other_body`` is what is then sent. ``replaces`` says that
    the other value takes the place of the first one, ``shown`` that a companion shows the state, ``waits`` that the
    service accepts an operation. ``after`` is what the diff shows after the change, and ``after_unshown`` what it shows
    instead where the service does not show the state. ``repeatable`` is False when the service refuses the same
    request once it was carried out.
    """

    other: dict[str, Any]
    other_body: dict[str, Any] | None
    replaces: bool = True
    shown: bool = True
    waits: bool = True
    after: dict[str, Any] | None = None
    after_unshown: dict[str, Any] | None = None
    repeatable: bool = True


@dataclass(frozen=True)
class Row:
    """A module with options, the documented request that it then sends, and the errors documented for that.

    ``unknown`` are options that name something that does not exist. ``body`` is None when there is none, or when only
    the service can tell it. ``variant`` tells several rows of one module apart. ``is_companion`` says that a service
    with the documented endpoints only does not have this one. ``groundwork`` brings about what the request needs to be
    sent at all, at the service and in a journal.
    """

    module: str
    options: dict[str, Any]
    method: str
    path: str
    body: dict[str, Any] | None = None
    query: dict[str, str] = field(default_factory=dict)
    errors: tuple[int, ...] = PLAIN
    unknown: dict[str, Any] | None = None
    change: Change | None = None
    variant: str = ""
    is_companion: bool = False
    groundwork: Callable[[Simulator, Path], None] | None = None

    def __str__(self) -> str:
        return f"{self.module}-{self.variant}" if self.variant else self.module

    def step(self, name: str = "", /, before=None, keywords=None, **options) -> Step:
        """The module as a task, with further options."""
        speed = {"poll_interval": 0.05} if self.change and self.change.waits else {}
        return Step(self.module, {**self.options, **speed, **options}, name, before, keywords or {})


TAKEN_BACKUP = 101


def with_taken_backups(simulator: Simulator, path: Path) -> None:
    """Give the environment two backups that the journal at this path knows as taken by this collection."""
    backups = simulator.state.environment(LIVE).backups
    journal = SqliteJournal(str(path))
    subject = (simulator.base_url, f"taken_backups/{LIVE}")
    rows = journal.read(subject)
    for number, tag in ((TAKEN_BACKUP, "before-v0"), (TAKEN_BACKUP + 1, "before-v1")):
        backups.append(Backup(number, f"backup-{number}", tag, "manual", epoch_milliseconds() + number))
        key = digest_of(tag)
        now = (*rows, Entry.noted_now(key, {"ids": [number], "before": None}, key=key, release=tag))
        assert journal.replace(subject, rows, now)
        rows = journal.read(subject)
    journal.close()


ROWS = [
    Row(
        "company_user_role",
        {"company_id": COMPANY, "user_id": USER, "role": "company-billing"},
        "POST",
        f"/company/{COMPANY}/users/company-capabilities",
        {"user_id": USER, "role": "company-billing"},
        errors=(401, 404, 500),
        unknown={"user_id": UNKNOWN},
        change=Change(
            {"role": "company-admin"},
            {"user_id": USER, "role": "company-admin"},
            shown=False,
            after={"role": "company-billing"},
        ),
    ),
    Row("api_key_info", {}, "GET", "/validate"),
    Row(
        "site_domain",
        {"environment_id": LIVE, "domain_name": "new.example.com", "is_wildcardless": True, "setup_type": "quick"},
        "POST",
        f"/sites/environments/{LIVE}/domains",
        {"domain_name": "new.example.com", "is_wildcardless": True, "setup_type": "quick"},
        errors=OPERATION,
        unknown={"environment_id": UNKNOWN},
        change=Change(
            {"domain_name": "other.example.com"},
            {"domain_name": "other.example.com", "is_wildcardless": True, "setup_type": "quick"},
            replaces=False,
            after={"new.example.com": "present"},
            repeatable=False,
        ),
    ),
    Row(
        "site_domain",
        {"environment_id": LIVE, "domain_name": "WWW.shop.example.com.", "state": "absent"},
        "DELETE",
        f"/sites/environments/{LIVE}/domains",
        errors=OPERATION,
        change=Change({"domain_name": "new.example.com", "state": "absent"}, None),
        variant="absent",
    ),
    Row(
        "denied_ips",
        {"environment_id": LIVE, "ip_list": ["2001:DB8::1", "203.0.113.0/24", "198.51.100.7", "198.51.100.7/32"]},
        "PUT",
        "/sites/tools/denied-ips",
        {"environment_id": LIVE, "ip_list": ["198.51.100.7", "203.0.113.0/24", "2001:db8::1"]},
        unknown={"environment_id": UNKNOWN},
        change=Change(
            {"ip_list": []},
            {"environment_id": LIVE, "ip_list": []},
            waits=False,
            after={"denied_ips": ["198.51.100.7", "203.0.113.0/24", "2001:db8::1"]},
        ),
    ),
    Row(
        "plugin_info",
        {"environment_id": LIVE, "status": "active", "column": "updatesAvailable"},
        "GET",
        f"/sites/environments/{LIVE}/wp-plugins",
        {"status": "active", "column": "updatesAvailable"},
        errors=(401, 404, 500),
        unknown={"environment_id": UNKNOWN},
    ),
    Row(
        "primary_domain",
        {"environment_id": LIVE, "domain_id": WWW_DOMAIN, "site_id": SITE, "run_search_and_replace": True},
        "PUT",
        f"/sites/environments/{LIVE}/change-primary-domain",
        {"domain_id": WWW_DOMAIN, "run_search_and_replace": True},
        errors=OPERATION,
        unknown={"environment_id": UNKNOWN, "site_id": None},
        change=Change(
            {"domain_id": DOMAIN},
            {"domain_id": DOMAIN, "run_search_and_replace": True},
            after={"primary_domain": "www.shop.example.com"},
            after_unshown={"primary_domain": WWW_DOMAIN},
        ),
    ),
    Row(
        "primary_domain",
        {"environment_id": LIVE, "domain_id": WWW_DOMAIN},
        "PUT",
        f"/sites/environments/{LIVE}/change-primary-domain",
        {"domain_id": WWW_DOMAIN, "run_search_and_replace": False},
        errors=OPERATION,
        change=Change({"domain_id": DOMAIN}, {"domain_id": DOMAIN, "run_search_and_replace": False}, shown=False),
        variant="without site_id",
    ),
    Row(
        "image_optimization",
        {"environment_id": LIVE, "image_optimization_type": "lossy", "site_id": SITE},
        "PUT",
        "/sites/cdn/image-optimization",
        {"environment_id": LIVE, "image_optimization_type": "lossy"},
        unknown={"environment_id": UNKNOWN, "site_id": None},
        change=Change(
            {"image_optimization_type": "lossless"},
            {"environment_id": LIVE, "image_optimization_type": "lossless"},
            after={"image_optimization_type": "lossy"},
        ),
    ),
    Row(
        "image_optimization",
        {"environment_id": LIVE, "image_optimization_type": "lossy"},
        "PUT",
        "/sites/cdn/image-optimization",
        {"environment_id": LIVE, "image_optimization_type": "lossy"},
        change=Change(
            {"image_optimization_type": "off"},
            {"environment_id": LIVE, "image_optimization_type": "off"},
            shown=False,
        ),
        variant="without site_id",
    ),
    Row(
        "plain_environment",
        {"site_id": SITE, "display_name": "Testing ground", "is_premium": False},
        "POST",
        f"/sites/{SITE}/environments/plain",
        {"display_name": "Testing ground", "is_premium": False},
        errors=OPERATION,
        unknown={"site_id": UNKNOWN},
        change=Change(
            {"display_name": "Another ground"},
            {"display_name": "Another ground", "is_premium": False},
            replaces=False,
            after={"display_name": "Testing ground"},
        ),
    ),
    Row(
        "site_theme",
        {"environment_id": LIVE, "name": "storefront", "update_version": "4.6.0"},
        "PUT",
        f"/sites/environments/{LIVE}/themes",
        {"name": "storefront", "update_version": "4.6.0"},
        errors=OPERATION,
        unknown={"environment_id": UNKNOWN},
        change=Change(
            {"update_version": "4.7.0"},
            {"name": "storefront", "update_version": "4.7.0"},
            after={"version": "4.6.0"},
        ),
    ),
    Row(
        "manual_backup",
        {"environment_id": LIVE, "tag": "before-v2"},
        "POST",
        f"/sites/environments/{LIVE}/manual-backups",
        {"tag": "before-v2"},
        errors=OPERATION,
        unknown={"environment_id": UNKNOWN},
        change=Change({"tag": "before-v3"}, {"tag": "before-v3"}, replaces=False),
    ),
    Row(
        "manual_backup",
        {"environment_id": LIVE, "state": "absent", "backup_id": TAKEN_BACKUP},
        "DELETE",
        f"/sites/environments/backups/{TAKEN_BACKUP}",
        errors=READ,
        change=Change({"state": "absent", "backup_id": 99}, None, after={"backups": {}}),
        variant="absent",
        is_companion=True,
        groundwork=with_taken_backups,
    ),
    Row(
        "php_restart",
        {"environment_id": LIVE, "release": "v2"},
        "POST",
        "/sites/tools/restart-php",
        {"environment_id": LIVE},
        unknown={"environment_id": UNKNOWN},
        change=Change({"release": "v3"}, {"environment_id": LIVE}, shown=False),
    ),
    Row(
        "visits_info",
        {"environment_id": LIVE, "time_frame": "7_days", "company_id": COMPANY},
        "GET",
        f"/sites/environments/{LIVE}/analytics/visits",
        query={"time_span": "7_days", "company_id": COMPANY},
        errors=READ,
        unknown={"environment_id": UNKNOWN},
    ),
    Row(
        "top_asns_info",
        {"environment_id": LIVE, "company_id": COMPANY, "start": date(2026, 1, 1), "end": "2026-01-03T12:00:00+01:00"},
        "GET",
        f"/sites/environments/{LIVE}/analytics/top-asns",
        query={"company_id": COMPANY, "from": "2026-01-01T00:00:00.000Z", "to": "2026-01-03T11:00:00.000Z"},
        errors=READ,
        unknown={"environment_id": UNKNOWN},
    ),
    Row(
        "wp_admin_user_info",
        {"environment_id": LIVE, "email": "admin@example.com"},
        "GET",
        f"/sites/environments/{LIVE}/wpa-user-exists",
        query={"email": "admin@example.com"},
        errors=READ,
        unknown={"environment_id": UNKNOWN},
    ),
    Row(
        "downloadable_backup_info",
        {"environment_id": LIVE},
        "GET",
        f"/sites/environments/{LIVE}/next-downloadable-backup-available",
        errors=(401, 404, 500),
        unknown={"environment_id": UNKNOWN},
    ),
    Row(
        "sftp_allowlist_info",
        {"environment_id": LIVE},
        "GET",
        f"/sites/environments/{LIVE}/ssh/get-allowed-ips",
        errors=READ,
        unknown={"environment_id": UNKNOWN},
    ),
    Row(
        "dns_record_info",
        {"domain_id": DOMAIN},
        "GET",
        f"/domains/{DOMAIN}/dns-records",
        unknown={"domain_id": UNKNOWN},
    ),
    Row(
        "visits_usage_info",
        {"site_id": SITE},
        "GET",
        f"/sites/{SITE}/usage/visits/this-month",
        errors=READ,
        unknown={"site_id": UNKNOWN},
    ),
    Row(
        "env_push",
        {
            "site_id": SITE,
            "source_env_id": STAGING,
            "target_env_id": LIVE,
            "push_db": True,
            "push_files": True,
            "push_files_option": "SPECIFIC_FILES",
            "file_list": ["wp-content/themes", "./robots.txt"],
            "release": "v2",
        },
        "PUT",
        f"/sites/{SITE}/environments",
        {
            "source_env_id": STAGING,
            "target_env_id": LIVE,
            "push_db": True,
            "push_files": True,
            "run_search_and_replace": True,
            "push_files_option": "SPECIFIC_FILES",
            "file_list": ["wp-content/themes", "./robots.txt"],
        },
        errors=OPERATION,
        unknown={"site_id": UNKNOWN},
        change=Change(
            {"release": "v3", "push_files_option": "ALL_FILES", "file_list": []},
            {
                "source_env_id": STAGING,
                "target_env_id": LIVE,
                "push_db": True,
                "push_files": True,
                "run_search_and_replace": True,
                "push_files_option": "ALL_FILES",
                "file_list": [],
            },
            shown=False,
        ),
    ),
    # The parts of an environment in one task: here with one, and in unit/test_environment.py with all.
    Row(
        "environment",
        {"environment_id": LIVE, "site_id": SITE, "image_optimization": "lossy"},
        "PUT",
        "/sites/cdn/image-optimization",
        {"environment_id": LIVE, "image_optimization_type": "lossy"},
        unknown={"environment_id": UNKNOWN, "site_id": None},
        change=Change(
            {"image_optimization": {"image_optimization_type": "lossless"}},
            {"environment_id": LIVE, "image_optimization_type": "lossless"},
            after={"image_optimization": "lossy"},
        ),
    ),
    # Companions, and the way to send whatever has no module.
    Row(
        "environment_info",
        {"site_id": SITE, "environment_id": LIVE},
        "GET",
        f"/sites/{SITE}/environments",
        errors=READ,
        unknown={"site_id": UNKNOWN},
        is_companion=True,
    ),
    Row(
        "backup_restore",
        {"environment_id": LIVE, "backup_id": 1, "notified_user_id": USER, "release": "v2"},
        "POST",
        f"/sites/environments/{LIVE}/backups/restore",
        {"backup_id": 1, "notified_user_id": USER},
        errors=READ,
        unknown={"environment_id": UNKNOWN},
        change=Change({"release": "v3"}, {"backup_id": 1, "notified_user_id": USER}, shown=False),
        is_companion=True,
    ),
    Row(
        "cache_clear",
        {"environment_id": LIVE, "release": "v2"},
        "POST",
        "/sites/tools/clear-cache",
        {"environment_id": LIVE},
        errors=OPERATION,
        unknown={"environment_id": UNKNOWN},
        change=Change({"release": "v3"}, {"environment_id": LIVE}, shown=False),
        is_companion=True,
    ),
    Row(
        "cache_clear",
        {"environment_id": LIVE, "caches": ["edge"], "url": "https://shop.example.com/new", "release": "v2"},
        "POST",
        "/sites/edge-caching/clear",
        {"environment_id": LIVE, "url": "https://shop.example.com/new"},
        change=Change(
            {"release": "v3", "clear_subdirectories": True},
            {"environment_id": LIVE, "url": "https://shop.example.com/new", "clear_subdirectories": True},
            shown=False,
        ),
        variant="edge",
        is_companion=True,
    ),
    Row(
        "cache_clear",
        {"environment_id": LIVE, "caches": ["cdn"], "site_id": SITE, "release": "v2"},
        "POST",
        "/sites/cdn/clear-cache",
        {"environment_id": LIVE, "cdn_cache_id": "cdn-11"},
        change=Change({"release": "v3"}, {"environment_id": LIVE, "cdn_cache_id": "cdn-11"}, shown=False),
        variant="cdn",
        is_companion=True,
    ),
    Row(
        "wp_cli",
        {"environment_id": LIVE, "command": "core update-db", "release": "v2"},
        "POST",
        f"/sites/environments/{LIVE}/run-wp-cli-command",
        {"wp_command": "wp core update-db"},
        errors=READ,
        unknown={"environment_id": UNKNOWN},
        change=Change(
            {"release": "v3", "command": "wp cron event run --due-now"},
            {"wp_command": "wp cron event run --due-now"},
            shown=False,
        ),
        is_companion=True,
    ),
    Row(
        "dns_record",
        {"domain_id": DOMAIN, "type": "a", "name": "Shop.example.com.", "values": ["192.0.2.20"], "ttl": 300},
        "PUT",
        f"/domains/{DOMAIN}/dns-records",
        errors=OPERATION,
        change=Change(
            {"ttl": 600},
            None,
            after={"dns_record": {"ttl": 300, "rdata": ["192.0.2.20"]}},
        ),
        is_companion=True,
    ),
    Row(
        "dns_record",
        {"domain_name": "shop.example.com", "type": "AAAA", "name": "shop.example.com", "state": "absent"},
        "DELETE",
        f"/domains/{DOMAIN}/dns-records",
        {"type": "AAAA", "name": "shop.example.com"},
        errors=OPERATION,
        change=Change({"type": "TXT"}, None, after={"dns_record": "absent"}),
        variant="absent",
        is_companion=True,
    ),
    Row(
        "php_version",
        {"environment_id": LIVE, "version": "php8.4", "site_id": SITE},
        "PUT",
        "/sites/tools/modify-php-version",
        {"environment_id": LIVE, "php_version": "8.4"},
        errors=OPERATION,
        unknown={"environment_id": UNKNOWN, "site_id": None},
        change=Change(
            {"version": "8.2"}, {"environment_id": LIVE, "php_version": "8.2"}, after={"php": {"version": "8.4"}}
        ),
        is_companion=True,
    ),
    Row(
        "php_version",
        {"environment_id": LIVE, "version": "8.4", "automatic_updates": False},
        "PUT",
        "/sites/tools/modify-php-version",
        {"environment_id": LIVE, "php_version": "8.4", "is_opt_out_from_automatic_php_update": True},
        errors=OPERATION,
        change=Change(
            {"automatic_updates": True},
            {"environment_id": LIVE, "php_version": "8.4", "is_opt_out_from_automatic_php_update": False},
            shown=False,
        ),
        variant="without site_id",
        is_companion=True,
    ),
    Row(
        "sftp_allowlist",
        {"environment_id": LIVE, "ip_allowlist": ["2001:DB8::20", "203.0.113.0/24", "198.51.100.20/32"]},
        "POST",
        f"/sites/environments/{LIVE}/ssh/set-allowed-ips",
        {"ip_allowlist": ["198.51.100.20", "203.0.113.0/24", "2001:db8::20"]},
        errors=OPERATION,
        change=Change(
            {"ip_allowlist": []},
            {"ip_allowlist": []},
            waits=False,
            after={"sftp_ip_allowlist": ["198.51.100.20", "203.0.113.0/24", "2001:db8::20"]},
        ),
        is_companion=True,
    ),
    Row(
        "site_plugin",
        {"environment_id": LIVE, "name": "example-forms", "update_version": "2.5.0"},
        "PUT",
        f"/sites/environments/{LIVE}/plugins",
        {"name": "example-forms", "update_version": "2.5.0"},
        errors=OPERATION,
        change=Change(
            {"update_version": "2.6.0"},
            {"name": "example-forms", "update_version": "2.6.0"},
            after={"version": "2.5.0"},
        ),
        is_companion=True,
    ),
    Row(
        "backup_info",
        {"environment_id": LIVE, "type": "automatic"},
        "GET",
        f"/sites/environments/{LIVE}/backups",
        errors=READ,
        unknown={"environment_id": UNKNOWN},
        is_companion=True,
    ),
    Row(
        "site_log_info",
        {"environment_id": LIVE, "lines": 5},
        "GET",
        f"/sites/environments/{LIVE}/logs",
        query={"file_name": "error", "lines": "5"},
        errors=READ,
        unknown={"environment_id": UNKNOWN},
        is_companion=True,
    ),
    Row(
        "environment_state_info",
        {"environment_id": LIVE, "gather": ["sftp_allowlist"]},
        "GET",
        f"/sites/environments/{LIVE}/ssh/get-allowed-ips",
        errors=(401,),  # what else cannot be read is no failure
    ),
    Row(
        "environment_state_info",
        {
            "environment_id": LIVE,
            "gather": ["visits", "releases"],
            "time_frame": "7_days",
            "company_id": COMPANY,
            "groups": ["shops"],
        },
        "GET",
        f"/sites/environments/{LIVE}/analytics/visits",
        query={"time_span": "7_days", "company_id": COMPANY},
        variant="several",
    ),
    Row(
        "deployment_info",
        {"environment_id": LIVE, "site_id": SITE},
        "GET",
        f"/sites/{SITE}/environments",
        errors=(401,),  # environments that are not listed are no failure,
    ),
    Row("operation_info", {"operation_ids": [f"php:restart-{UNKNOWN}"]}, "GET", f"/operations/php:restart-{UNKNOWN}"),
    Row("api_request", {"method": "GET", "path": "/validate"}, "GET", "/validate"),
]

WITHOUT_REQUESTS = {
    "deploy_lock",
    "journal_setup",
    "operation_wait",
    "push_outcome",
    "release_info",
    "settle",
    "site_check",
    "site_compare",
    "site_snapshot",
    "update_info",
    "update_verdict",
    "variable_files",
}
"""Modules that send nothing to the service: test_releases.py, test_adoption.py and others have their tests."""

CHANGING = [row for row in ROWS if row.change]
READING = [row for row in ROWS if not row.change]


def rows_of_modules() -> list[Row]:
    """One row of each module."""
    return [row for row in ROWS if not row.variant]


def row_of(module: str) -> Row:
    """The first row of a module, or the one of a variant of it, such as manual_backup-absent."""
    return next(row for row in ROWS if module in (row.module, str(row)))
