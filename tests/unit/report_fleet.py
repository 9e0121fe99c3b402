# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A made-up fleet as the role report has read it, of any size and with any names."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from ansible_collections.hosting.management.plugins.plugin_utils.report.document import PARTS, document_of

TIME = "2026-11-21T06:00:00Z"
TODAY = date(2026, 11, 21)
KEY = {"api_key": {"name": "nightly", "status": "active", "expires_at_iso": "2027-02-01T00:00:00Z"}}
LIMITS = {"key_days": 30, "backup_days": 2, "budget_percent": 80}

HOSTILE = (
    """</script><script>document.title='owned'</script><img src=//x.example onerror=alert(1)> "'`{{ 7*7 }} $\\frac{"""
)


def host(number: int = 1, *, name: str = "", days: int = 30, plugins: int = 4) -> dict[str, Any]:
    """A host with all that can be read of it; ``name`` stands wherever the service sends text."""
    text = name or f"site-{number}"
    return {
        "host": f"{text}-live",
        "site_id": f"a0000000-0000-4000-8000-{number:012d}",
        "site_name": text,
        "environment_id": f"e0000000-0000-4000-8000-{number:012d}",
        "environment_name": name or "live",
        "visits_budget": 10000,
        "parts": {
            "visits": {"visits": visits(number, days)},
            "networks": {
                "asns": [{"name": name or f"AS{64500 + one} Net", "views": 900 * one} for one in range(1, 15)]
            },
            "usage": {"visits": 1000 * number},
            "plugins": {
                "plugins": [plugin(one, number, name) for one in range(plugins)],
                "vulnerable": [name or "plugin-0"],
                "last_updated_at": "2026-11-20T00:00:00.000Z",
            },
            "versions": {"environments": [versions(number, name)]},
            "backups": {"backups": [backup(number * 10 + age, age + number % 5, name) for age in range(5)]},
            "downloads": {"is_backup_available": False, "reset_at": name or "soon", "reset_at_iso": None},
            "sftp": {"sftp_ip_allowlist": [name or "198.51.100.7"]},
            "dns": {"results": [{"item": "b", "dns_records": [dns_record(text, kind, name) for kind in ("A", "TXT")]}]},
            "releases": releases(number, name),
        },
    }


def visits(number: int, days: int) -> dict[str, Any]:
    counts = [100 + (number * 37 + day * day * 13) % 400 for day in range(days)]
    times = [f"{TODAY - timedelta(days=days - day)}T00:00:00.000Z" for day in range(days)]
    points = [{"time": time, "visits": count} for time, count in zip(times, counts, strict=True)]
    return {"total": sum(counts), "points": points}


def plugin(which: int, number: int, name: str) -> dict[str, Any]:
    return {
        "name": name or f"plugin-{which}",
        "title": name or f"Plugin {which}",
        "status": "active",
        "version": name or f"{which}.{number % 3}",
        "update_version": name or ("9.0" if which % 2 else ""),
        "is_update_available": bool(which % 2),
        "is_version_vulnerable": which == 0,
        "is_update_version_vulnerable": which == 1,
        "auto_update_type": name,
    }


def versions(number: int, name: str) -> dict[str, Any]:
    return {
        "hosting_php_version": name or f"php8.{number % 4}",
        "hosting_wordpress_version": name or f"6.{number % 3}",
        "hosting_primary_domain": name or f"site-{number}.example.com",
        "hosting_domains": [name or f"site-{number}.example.com"],
        "hosting_is_premium": False,
    }


def backup(identifier: int, age: int, name: str) -> dict[str, Any]:
    time = f"{TODAY - timedelta(days=age)}T03:00:00Z"
    return {"id": identifier, "name": name, "tag": name or "nightly", "type": name or "manual", "created_at_iso": time}


def dns_record(name: str, kind: str, value: str) -> dict[str, Any]:
    return {"type": kind, "name": name, "ttl": 300, "rdata": [value or "192.0.2.10"]}


def releases(number: int, name: str) -> dict[str, Any]:
    state = "unknown" if number % 7 == 0 else "finished"
    push = {"state": state, "sent_at": "2026-11-20T10:00:00Z", "operation_id": name or "environments:push-1"}
    release = {"release": name or f"v{number}", "state": state, "sent_at": push["sent_at"]}
    lock = {
        "group": "live",
        "reason": name or "Black Friday",
        "author": name or "anna",
        "until": "2026-11-30T05:00:00Z",
    }
    locks = [lock] if name or number == 9 else []
    update = {
        "kind": "plugin",
        "name": name or "example-forms",
        "version": name or "2.5.0",
        "previous_version": name or "2.4.1",
        "verdict": "broke_it" if name or number == 10 else "works",
        "reason": name or "It answered 500",
        "updated_at": "2026-11-20T10:00:00Z",
    }
    nothing = {"restored_backup": None, "php_restart": None}
    return {**release, "parts": [push], **nothing, "locks": locks, "updates": [update]}


def failed(status: int | None = 500, kind: str = "service", msg: str = "The service failed.") -> dict[str, Any]:
    """The result of a task that failed."""
    return {"msg": msg, "error": {"kind": kind, "status": status, "is_offered": status != 404}, "failed": False}


def document(hosts: list[dict], **options: Any) -> dict[str, Any]:
    """The document of a report on the hosts."""
    settings = {"title": "Fleet", "time": TIME, "time_frame": "30_days", "charts": "drawn", "limits": LIMITS}
    return document_of(hosts, options.pop("key", KEY), **{**settings, "parts": list(PARTS), **options})
