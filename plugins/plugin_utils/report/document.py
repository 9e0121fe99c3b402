# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes one document of what the role report has read: plain values, as its JSON file has them.

Nothing here asks the service, and nothing raises for what the service has sent: what cannot be used is listed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..plain_values import Record, plain
from ..results import elements_of, reading_of
from .changes import FORMAT, changes_of
from .days import day_of_report
from .part import Fleet, gap_of
from .parts import API_KEY, BY_URGENCY, PARTS, SECTIONS, VERSIONS
from .variables import DRIFT, READINGS

NO_ENDPOINT = (
    "The service has no endpoint for it beyond the documented interface, or none that the key's user may read."
)


def document_of(
    hosts: list[Record],
    key: Record,
    *,
    time: str,
    time_frame: str,
    title: str,
    parts: list[str],
    limits: Record,
    charts: str,
    previous: object = None,
    previous_problem: str = "",
    has_plan: bool = False,
) -> Record:
    """Return the document of a report.

    :param hosts: for each host its name, its ids, what its variables say, and under ``parts`` the results of its tasks.
    :param key: the result of api_key_info.
    :param time: the time of the report, ISO 8601.
    :param limits: ``key_days``, ``backup_days`` and ``budget_percent``.
    :param charts: ``drawn``, ``missing`` (the library) or ``off``.
    :param previous: the document of an earlier report, or None.
    :param previous_problem: why there is none although one was named.
    :param has_plan: whether drift is what differs from a plan.
    :raises ReportError: for a time that is none.
    """
    hosts, key = plain(hosts), plain(key) or {}
    today = day_of_report(time)
    failures = [] if API_KEY.key in key else [API_KEY.unread("the API key", key)]
    for host in hosts:
        failures += _failures_of(host, parts)
    not_shown, failures = _apart(failures, hosts, parts)
    environments = [_environment(host, parts) for host in hosts]
    for environment in environments:
        for part in PARTS.values():
            environment.update(part.on_day(environment, today))
    document: Record = {
        "format": FORMAT,
        "title": str(title),
        "time": str(time),
        "time_frame": str(time_frame),
        "limits": plain(limits),
        "charts": charts,
        "api_key": API_KEY.of_run(key, today),
    }
    for part in PARTS.values():
        document.update(part.of_fleet(Fleet(hosts, environments, limits, has_plan)))
    document.update(environments=environments, not_read=failures, not_shown=not_shown)
    document["summary"] = _summary(document)
    document["changes"] = changes_of(document, plain(previous), previous_problem)
    notes = [note for part in BY_URGENCY for note in part.attention(document)]
    document["attention"] = sorted(notes, key=lambda note: note["level"] != "bad")
    return document


def parts_of(read: Record) -> Record:
    """Return the result of each part from that of environment_state_info, or of a task that has failed instead."""
    read = plain(read)
    parts = {name: reading_of(read, READINGS.get(name, name)) or None for name in PARTS}
    domains = elements_of(read, READINGS["dns"], "domains")
    drift = read if PARTS[DRIFT].key in read or "readings" not in read else None
    return {**parts, "dns": {"results": [{**one, "item": one.get("domain_id")} for one in domains]}, DRIFT: drift}


def _environment(host: Record, parts: list[str]) -> Record:
    """Return all that is known of a host. A part that was not read is null."""
    read = {name: part.read_of(host) for name, part in PARTS.items() if name in parts}
    environment = {
        "host": host["host"],
        **{name: host.get(name) or None for name in ("site_id", "site_name", "environment_id", "environment_name")},
        **VERSIONS.known_of(host, read.get(VERSIONS.name)),
    }
    for name, part in PARTS.items():
        environment.update(part.of_environment(host, read.get(name)))
    return environment


def _failures_of(host: Record, parts: list[str]) -> Iterator[Record]:
    """Yield what was asked for and not told."""
    if host.get("error"):
        yield gap_of(host["host"], "all", {"msg": host["error"]})
        return
    for name, part in PARTS.items():
        if name in parts:
            yield from part.failures(host)


def _apart(failures: list[Record], hosts: list[Record], parts: list[str]) -> tuple[list[Record], list[Record]]:
    """Return what the service does not have at all, and the failures without that."""
    not_shown = []
    for name, part in PARTS.items():
        offered = [one["is_offered"] for one in failures if one["part"] == name and part.is_companion]
        if offered and not any(offered) and not any(part.read_of(host) for host in hosts):
            not_shown.append(part.unshown(NO_ENDPOINT))
    missing = {one["part"] for one in not_shown}
    for name, part in PARTS.items():
        if name in parts:
            not_shown += part.not_told(hosts)
    return not_shown, [one for one in failures if one["part"] not in missing]


def _summary(document: Record) -> Record:
    """Return the numbers of all parts, after how much they are about."""
    summary: Record = {"sites": len(document["sites"]), "environments": len(document["environments"])}
    for part in SECTIONS:
        summary.update(part.summary(document))
    return summary
