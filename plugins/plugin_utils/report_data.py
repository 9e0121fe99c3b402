# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes one document of what the role report has read: plain values, as its JSON file has them.

Nothing here asks the service, and nothing raises for what the service has sent: what cannot be used is listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from ..module_utils._text import printable
from ..module_utils._values import time_of_text
from .drift import drift_of, failed_of
from .plain_values import Record, plain
from .report_variables import DRIFT, READINGS
from .results import elements_of, is_not_offered, reading_of

FORMAT = 1
"""The version of the document's shape. Another one is no basis for a comparison."""

LONGEST_REASON = 600  # characters

PARTS = {
    "visits": ("visits", "Visits"),
    "networks": ("asns", "Networks"),
    "usage": ("visits", "Usage of this month"),
    "plugins": ("plugins", "Plugins"),
    "versions": ("environments", "PHP and WordPress versions"),
    "backups": ("backups", "Backups"),
    "downloads": ("is_backup_available", "Downloadable backup"),
    "sftp": ("sftp_ip_allowlist", "SFTP allowlist"),
    "dns": ("dns_records", "DNS records"),
    "releases": ("parts", "Releases"),
    "drift": ("differs", "Drift"),
}
"""For each part the key that only a successful reading has, and the words for people."""

COMPANIONS = ("versions", "backups")
"""Parts that the documented interface cannot show."""

PLUGIN_FIELDS = (
    *("name", "title", "status", "version", "update_version", "is_update_available"),
    *("is_version_vulnerable", "is_update_version_vulnerable", "auto_update_type"),
)
LOCK_FIELDS = ("environment_id", "group", "reason", "author", "since", "until")
UPDATE_FIELDS = ("kind", "name", "version", "previous_version", "verdict", "reason", "updated_at")
BACKUP_FIELDS = ("id", "name", "tag", "type", "created_at_iso")
NO_ENDPOINT = (
    "The service has no endpoint for it beyond the documented interface, or none that the key's user may read."
)
LARGEST_NUMBER = 1e15  # more visits than this are no visits, and no chart could show them


class ReportError(Exception):
    """The document cannot be made, for a reason that the user can do something about."""


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
    today = _day_of(time)
    failures = [] if "api_key" in key else [_unread("the API key", "key", key)]
    for host in hosts:
        failures += _failures_of(host, parts)
    not_shown, failures = _apart(failures, hosts, parts)
    environments = [_environment(host, parts) for host in hosts]
    for environment in environments:
        _add_age(environment, today)
    document = {
        "format": FORMAT,
        "title": str(title),
        "time": str(time),
        "time_frame": str(time_frame),
        "limits": plain(limits),
        "charts": charts,
        "api_key": _key(key, today),
        "visits": _visits_over_time(environments),
        "networks": _networks(environments),
        "sites": _sites(hosts, limits["budget_percent"]),
        "plugins": _plugins(environments),
        "versions": {name: _versions_of(environments, f"{name}_version") for name in ("php", "wordpress")},
        "drift_from": "the plan" if has_plan else "what is declared",
        "environments": environments,
        "not_read": failures,
        "not_shown": not_shown,
    }
    document["summary"] = _summary(document)
    document["changes"] = _changes(document, plain(previous), previous_problem)
    document["attention"] = _attention(document)
    return document


def parts_of(read: Record) -> Record:
    """Return the result of each part from that of environment_state_info, or of a task that has failed instead."""
    read = plain(read)
    parts = {name: reading_of(read, READINGS.get(name, name)) or None for name in PARTS}
    domains = elements_of(read, READINGS["dns"], "domains")
    drift = read if PARTS["drift"][0] in read or "readings" not in read else None
    return {**parts, "dns": {"results": [{**one, "item": one.get("domain_id")} for one in domains]}, "drift": drift}


def days_since(time: object, today: date) -> int | None:
    """Return how many days lie between the day of a time and today, or None when it is no time."""
    try:
        return (today - time_of_text(str(time)).date()).days
    except (ValueError, OverflowError):
        return None


def _day_of(time: str) -> date:
    try:
        return time_of_text(str(time)).date()
    except (ValueError, OverflowError):
        given = printable(str(time), 60)
        raise ReportError(f"report_time is {given!r}, which is not a date or time in ISO 8601.") from None


def _number(value: object) -> float:
    """Return a number of the service, or 0 for what is none and for what cannot be true."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < LARGEST_NUMBER:
        return 0
    return value


# ---- what was read --------------------------------------------------------------------------------------------------


def _environment(host: Record, parts: list[str]) -> Record:
    """Return all that is known of a host. A part that was not read is null."""
    found = {name: _part(host, name) for name in PARTS if name in parts}
    visits, plugins, sftp, backups = (found.get(name) for name in ("visits", "plugins", "sftp", "backups"))
    download, networks, releases = found.get("downloads"), found.get("networks"), found.get("releases")
    return {
        "host": host["host"],
        **{name: host.get(name) or None for name in ("site_id", "site_name", "environment_id", "environment_name")},
        **_known(host, found.get("versions")),
        "visits": visits and _visits(visits["visits"]),
        "networks": networks
        and [{"name": str(one["name"]), "views": _number(one["views"])} for one in networks["asns"]],
        "plugins": plugins and [_plugin(one) for one in plugins["plugins"]],
        "vulnerable_plugins": _vulnerable(plugins),
        "plugins_seen_at": plugins and plugins.get("last_updated_at"),
        "backups": backups and [{name: one.get(name) for name in BACKUP_FIELDS} for one in backups["backups"]],
        "downloadable_backup": download
        and {name: download.get(name) for name in ("is_backup_available", "reset_at", "reset_at_iso")},
        "sftp_allowlist": sftp and [str(address) for address in sftp["sftp_ip_allowlist"]],
        "dns": _dns(host) if "dns" in parts else None,
        "release": releases and {name: releases.get(name) for name in ("release", "state", "sent_at")},
        "open_questions": list(_open_questions(releases or {})),
        "updates": list(_updates_to_know(releases or {})),
        "locks": [{name: one.get(name) for name in LOCK_FIELDS} for one in (releases or {}).get("locks") or []],
        "drift": _drift(host, found.get("drift")),
    }


def _drift(host: Record, read: Record | None) -> Record | None:
    """Return how an environment differs from what is declared, or None where nothing was compared."""
    asked = host.get("drift") or {}
    return drift_of(read, asked.get("planned")) if read and asked.get("declares") else None


def _known(host: Record, read: Record | None) -> Record:
    """Return what an environment runs and is reached by: as the service just told, else as the inventory says."""
    names = ("php_version", "wordpress_version", "primary_domain", "domains", "is_premium")
    shown = read["environments"][0] if read and read["environments"] else {}
    known = {name: shown.get(f"hosting_{name}", host.get(name)) for name in names}
    known["domains"] = [str(one) for one in known["domains"]] if isinstance(known["domains"], list) else []
    return {name: None if value == "" else value for name, value in known.items()}


def _visits(read: Record) -> Record:
    points = [{"time": str(point["time"]), "visits": _number(point["visits"])} for point in read["points"]]
    return {"total": _number(read["total"]), "points": sorted(points, key=lambda point: point["time"])}


def _plugin(read: Record) -> Record:
    judged = ("is_version_vulnerable", "is_update_version_vulnerable")
    verdicts = {name: read[name] if isinstance(read.get(name), bool) else None for name in judged}
    return {**{name: read.get(name) for name in PLUGIN_FIELDS}, **verdicts}


def _vulnerable(plugins: Record | None) -> list[str] | None:
    if not plugins or plugins.get("vulnerable") is None:
        return None
    return [str(name) for name in plugins["vulnerable"]]


def _part(host: Record, name: str) -> Record | None:
    result = host.get("parts", {}).get(name)
    return result if isinstance(result, dict) and PARTS[name][0] in result else None


def _dns(host: Record) -> list[Record] | None:
    names = ("type", "name", "ttl", "rdata")
    return [
        {"domain_id": one.get("item"), "records": [{name: record.get(name) for name in names} for record in records]}
        for one in _dns_results(host)
        if "dns_records" in one
        for records in [one["dns_records"]]
    ] or None


def _dns_results(host: Record) -> list[Record]:
    result = host.get("parts", {}).get("dns")
    return (result.get("results") or []) if isinstance(result, dict) else []


def _updates_to_know(releases: Record) -> Iterator[Record]:
    """Return the remembered updates that a site is not known to work with."""
    for one in releases.get("updates") or []:
        if one.get("verdict") != "works":
            yield {name: one.get(name) for name in UPDATE_FIELDS}


def _open_questions(releases: Record) -> Iterator[Record]:
    """Yield what the journal has no answer for: requests whose outcome is unknown, and those that still go on."""
    requests = [("push", releases.get("release"), one) for one in releases.get("parts") or []]
    restored, restart = releases.get("restored_backup"), releases.get("php_restart")
    if restored:
        requests.append(("restore of a backup", restored.get("release") or restored.get("backup_id"), restored))
    if restart:
        requests.append(("restart of PHP", restart.get("release"), restart))
    for what, release, request in requests:
        if request.get("state") in ("unknown", "sent", "in_progress"):
            yield {
                "what": what,
                "release": release,
                **{name: request.get(name) for name in ("state", "sent_at", "operation_id")},
            }


def _key(result: Record, today: date) -> Record | None:
    record = result.get("api_key")
    if not record:
        return None
    names = ("name", "status", "expires_at_iso")
    days = days_since(record.get("expires_at_iso"), today)
    return {**{name: record.get(name) for name in names}, "expires_in_days": None if days is None else -days}


def _sites(hosts: list[Record], warn_percent: float) -> list[Record]:
    """Return the usage of each site, which may have many hosts, against its budget."""
    sites: dict[str, Record] = {}
    for host in hosts:
        if not host.get("site_id"):
            continue
        site = sites.setdefault(
            host["site_id"],
            {"site_id": host["site_id"], "site_name": None, "visits_this_month": None, "visits_budget": None},
        )
        site["site_name"] = site["site_name"] or host.get("site_name") or None
        usage = _part(host, "usage")
        if usage and site["visits_this_month"] is None:
            site["visits_this_month"] = _number(usage["visits"])
        site["visits_budget"] = site["visits_budget"] or _positive(host.get("visits_budget"))
    for site in sites.values():
        site["site_name"] = site["site_name"] or site["site_id"]
        used, budget = site["visits_this_month"], site["visits_budget"]
        site["percent"] = None if used is None or not budget else round(100 * used / budget, 1)
        site["is_near_budget"] = site["percent"] is not None and site["percent"] >= warn_percent
    return list(sites.values())


def _positive(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    if not 0 < number < LARGEST_NUMBER:
        return None
    return int(number) if number.is_integer() else number


def _add_age(environment: Record, today: date) -> None:
    times = [one["created_at_iso"] for one in environment["backups"] or []]
    environment["newest_backup"] = max(times, default=None)
    environment["backup_age_days"] = days_since(environment["newest_backup"], today)


# ---- what the fleet has in common -----------------------------------------------------------------------------------


def _visits_over_time(environments: list[Record]) -> list[Record]:
    """Return the visits of all environments together at each time."""
    total: Counter[str] = Counter()
    for one in environments:
        for point in (one["visits"] or {"points": []})["points"]:
            total[point["time"]] += point["visits"]
    return [{"time": time, "visits": total[time]} for time in sorted(total)]


def _networks(environments: list[Record]) -> list[Record]:
    """Return the networks that ask most, with the environments that they ask."""
    views: Counter[str] = Counter()
    places: dict[str, set[str]] = {}
    for one in environments:
        for network in one["networks"] or []:
            views[network["name"]] += network["views"]
            places.setdefault(network["name"], set()).add(one["host"])
    rows = [{"name": name, "views": count, "environments": len(places[name])} for name, count in views.items()]
    return sorted(rows, key=lambda row: (-row["views"], row["name"]))


def _plugins(environments: list[Record]) -> list[Record]:
    """Return each version of each plugin with the hosts that have it, the vulnerable first."""
    names = ("name", "title", "version", "update_version", "is_version_vulnerable", "is_update_version_vulnerable")
    found: dict[str, Record] = {}
    for one in environments:
        for plugin in one["plugins"] or []:
            row = {name: plugin[name] for name in names}
            row = found.setdefault(str(list(row.values())), {**row, "hosts": []})
            row["hosts"].append(one["host"])
    return sorted(
        found.values(),
        key=lambda row: (
            not row["is_version_vulnerable"],
            not row["update_version"],
            str(row["name"]),
            -len(row["hosts"]),
        ),
    )


def _versions_of(environments: list[Record], name: str) -> list[Record]:
    counts = Counter(str(one[name]) for one in environments if one[name])
    rows = [{"version": version, "environments": count} for version, count in counts.items()]
    return sorted(rows, key=lambda row: (-row["environments"], row["version"]))


# ---- what was not ---------------------------------------------------------------------------------------------------


def _failures_of(host: Record, parts: list[str]) -> Iterator[Record]:
    """Yield what was asked for and not told. A task that was skipped was not asked for."""
    if host.get("error"):
        yield _unread(host["host"], "all", {"msg": host["error"]})
        return
    for name in PARTS:
        if name not in parts:
            continue
        result = host.get("parts", {}).get(name)
        if name == DRIFT:
            yield from _failures_of_drift(host, result)
            continue
        asked = _dns_results(host) if name == "dns" else [result]
        for one in asked:
            if isinstance(one, dict) and PARTS[name][0] not in one and not one.get("skipped"):
                subject = f"{host['host']}, domain {one['item']}" if one.get("item") else host["host"]
                yield _unread(subject, name, one)


def _failures_of_drift(host: Record, result: Record | None) -> Iterator[Record]:
    """Yield what was to be compared and could not be, where something is declared that the service offers."""
    asked = host.get("drift") or {}
    if asked.get("problem"):
        yield _unread(host["host"], DRIFT, {"msg": asked["problem"]})
    elif asked.get("declares") and result and not result.get("skipped"):
        if PARTS[DRIFT][0] not in result:
            yield _unread(host["host"], DRIFT, result)
        for title, entry in failed_of(result):
            if not is_not_offered(entry):
                yield _unread(f"{host['host']}, {title}", DRIFT, entry)


def _unread(subject: str, part: str, result: Record) -> Record:
    error: Record = result["error"] if isinstance(result.get("error"), dict) else {}
    return {
        "subject": subject,
        "part": part,
        "kind": error.get("kind"),
        "status": error.get("status"),
        "is_offered": error.get("is_offered", True),
        "reason": printable(str(result.get("msg") or "The task gave no reason."), LONGEST_REASON),
    }


def _apart(failures: list[Record], hosts: list[Record], parts: list[str]) -> tuple[list[Record], list[Record]]:
    """Return what the service does not have at all, and the failures without that."""
    not_shown = []
    for name in COMPANIONS:
        offered = [one["is_offered"] for one in failures if one["part"] == name]
        read = any(_part(host, name) for host in hosts)
        if offered and not read and not any(offered):
            not_shown.append(_unshown(name, NO_ENDPOINT))
    missing = {one["part"] for one in not_shown}
    if "plugins" in parts:
        listed = [part for host in hosts if (part := _part(host, "plugins"))]
        silent = [part for part in listed if part.get("vulnerable") is None]
        if silent:
            where = "any environment" if len(silent) == len(listed) else f"{len(silent)} of {len(listed)} environments"
            not_shown.append(
                _unshown(
                    "plugins", f"The service does not tell which are vulnerable, for {where}.", "Vulnerable plugins"
                )
            )
    return not_shown, [one for one in failures if one["part"] not in missing]


def _unshown(part: str, reason: str, title: str = "") -> Record:
    return {"part": part, "title": title or PARTS[part][1], "reason": reason}


# ---- what it comes to -----------------------------------------------------------------------------------------------


def _summary(document: Record) -> Record:
    environments = document["environments"]
    counted = [one["visits"]["total"] for one in environments if one["visits"]]
    ages = [one["backup_age_days"] for one in environments if one["backup_age_days"] is not None]
    judged = [one["vulnerable_plugins"] for one in environments if one["vulnerable_plugins"] is not None]
    usage = [site["visits_this_month"] for site in document["sites"] if site["visits_this_month"] is not None]
    return {
        "sites": len(document["sites"]),
        "environments": len(environments),
        "visits": sum(counted) if counted else None,
        "visits_this_month": sum(usage) if usage else None,
        "sites_near_budget": sum(site["is_near_budget"] for site in document["sites"]),
        "environments_with_vulnerable_plugins": sum(bool(one) for one in judged) if judged else None,
        "vulnerable_plugins": len({name for one in judged for name in one}) if judged else None,
        "oldest_backup_days": max(ages, default=None),
        "environments_without_backup": sum(one["backups"] == [] for one in environments),
        "open_questions": sum(len(one["open_questions"]) for one in environments),
        "compared_environments": sum(bool(one["drift"]) for one in environments),
        "drifted_environments": sum(bool(one["drift"] and one["drift"]["differs"]) for one in environments),
        "not_read": len(document["not_read"]),
    }


def _attention(document: Record) -> list[Record]:
    """Return what somebody should look at, the most urgent first."""
    found = [
        *_attention_to_key(document["api_key"], document["limits"]["key_days"]),
        *_attention_to_plugins(document["environments"]),
        *_attention_to_usage(document["sites"]),
        *_attention_to_backups(document["environments"], document["limits"]["backup_days"]),
        *_attention_to_drift(document["environments"], document["drift_from"]),
        *_attention_to_the_rest(document["environments"]),
    ]
    if document["not_read"]:
        found.append(_note("warn", "gaps", f"{_count(len(document['not_read']), 'reading')} failed."))
    return sorted(found, key=lambda note: note["level"] != "bad")


def _attention_to_key(key: Record | None, limit: int) -> Iterator[Record]:
    if key and key["status"] != "active":
        yield _note("bad", "key", f"The API key {key['name']} is {key['status']}.")
    if key and key["expires_in_days"] is not None and key["expires_in_days"] <= limit:
        days = key["expires_in_days"]
        level = "bad" if days <= 7 else "warn"
        yield _note(level, "key", f"The API key {key['name']} {_expiry(days)}. Create a new one in time.")


def _attention_to_plugins(environments: list[Record]) -> Iterator[Record]:
    vulnerable = Counter(name for one in environments for name in set(one["vulnerable_plugins"] or []))
    if vulnerable:
        places = sum(bool(one["vulnerable_plugins"]) for one in environments)
        names = _listed([name for name, _times in sorted(vulnerable.items(), key=lambda item: (-item[1], item[0]))])
        text = f"{_count(len(vulnerable), 'vulnerable plugin')} in {_count(places, 'environment')}: {names}."
        yield _note("bad", "plugins", text)


def _attention_to_usage(sites: list[Record]) -> Iterator[Record]:
    over = [site for site in sites if (site["percent"] or 0) >= 100]
    near = [site for site in sites if site["is_near_budget"] and site not in over]
    if over:
        yield _note("bad", "usage", f"{_count(len(over), 'site')} used up this month's budget: {_names(over)}.")
    if near:
        yield _note("warn", "usage", f"{_count(len(near), 'site')} near this month's budget: {_names(near)}.")


def _attention_to_backups(environments: list[Record], limit: int) -> Iterator[Record]:
    bare = [one for one in environments if one["backups"] == []]
    old = [one for one in environments if (one["backup_age_days"] or 0) > limit]
    if bare:
        yield _note("bad", "backups", f"{_count(len(bare), 'environment')} without any backup: {_names(bare, 'host')}.")
    if old:
        text = f"{_count(len(old), 'environment')} whose newest backup is older than {_count(limit, 'day')}"
        yield _note("warn", "backups", f"{text}: {_names(old, 'host')}.")


def _attention_to_drift(environments: list[Record], drift_from: str) -> Iterator[Record]:
    compared = [one for one in environments if one["drift"]]
    drifted = [one for one in compared if one["drift"]["differs"]]
    if drifted:
        text = f"{_drifted(len(drifted))} from {drift_from}: {_names(drifted, 'host')}."
        yield _note("warn", DRIFT, text)


def _drifted(number: int) -> str:
    return "1 environment differs" if number == 1 else f"{number:,} environments differ"


def _attention_to_the_rest(environments: list[Record]) -> Iterator[Record]:
    unknown = [one for one in environments if any(q["state"] == "unknown" for q in one["open_questions"])]
    if unknown:
        text = (
            f"It is not known how a request ended in {_count(len(unknown), 'environment')}: {_names(unknown, 'host')}."
        )
        yield _note("bad", "releases", text)
    broken = [one for one in environments if any(update["verdict"] == "broke_it" for update in one["updates"])]
    if broken:
        text = (
            f"An update broke the site of {_count(len(broken), 'environment')}, and is held back everywhere:"
            f" {_names(broken, 'host')}."
        )
        yield _note("bad", "releases", text)
    locked = [one for one in environments if one["locks"]]
    if locked:
        text = f"Deployments to {_count(len(locked), 'environment')} are locked: {_names(locked, 'host')}."
        yield _note("warn", "releases", text)
    opened = [one for one in environments if one["sftp_allowlist"] == []]
    if opened:
        text = (
            f"SFTP and SSH are open to all addresses in {_count(len(opened), 'environment')}: {_names(opened, 'host')}."
        )
        yield _note("warn", "sftp", text)


def _note(level: str, section: str, text: str) -> Record:
    return {"level": level, "section": section, "text": text}


def _expiry(days: int) -> str:
    if days < 0:
        return f"expired {_count(-days, 'day')} ago"
    return f"expires in {_count(days, 'day')}" if days else "expires today"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _names(things: list[Record], name: str = "site_name") -> str:
    return _listed([str(one[name]) for one in things])


def _listed(names: list[str], most: int = 5) -> str:
    shown = ", ".join(printable(name, 60) for name in names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


# ---- what has changed since -----------------------------------------------------------------------------------------


def _changes(document: Record, previous: object, problem: str) -> Record | None:
    """Return how the document differs from an earlier one, or None when no earlier one was named."""
    if problem:
        return {"problem": printable(str(problem), LONGEST_REASON)}
    if previous is None:
        return None
    if not isinstance(previous, dict) or previous.get("format") != FORMAT:
        return {"problem": "The earlier file is not the JSON of a report that this version can compare with."}
    try:
        return _differences(document, previous)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return {"problem": "The earlier file is the JSON of a report, but damaged. It cannot be compared with."}


def _differences(document: Record, previous: Record) -> Record:
    now = {one["environment_id"]: one for one in document["environments"] if one["environment_id"]}
    before = {one["environment_id"]: one for one in previous["environments"] if one["environment_id"]}
    both = [(before[identifier], now[identifier]) for identifier in now if identifier in before]
    return {
        "since": str(previous["time"]),
        "new_environments": [one["host"] for identifier, one in now.items() if identifier not in before],
        "removed_environments": [str(one["host"]) for identifier, one in before.items() if identifier not in now],
        "versions": [one for pair in both for one in _version_changes(*pair)],
        "newly_vulnerable": [one for was, new in both for one in _vulnerable_changes(was, new, new["host"])],
        "no_longer_vulnerable": [one for was, new in both for one in _vulnerable_changes(new, was, new["host"])],
        "plugin_updates": [one for pair in both for one in _plugin_changes(*pair)],
        "releases": [one for pair in both for one in _release_changes(*pair)],
        "visits": _visit_changes(both) if previous["time_frame"] == document["time_frame"] else None,
    }


def _version_changes(was: Record, new: Record) -> Iterator[Record]:
    for name, software in (("php_version", "PHP"), ("wordpress_version", "WordPress")):
        if was[name] and new[name] and was[name] != new[name]:
            yield {"host": new["host"], "software": software, "from": str(was[name]), "to": new[name]}


def _vulnerable_changes(less: Record, more: Record, host: str) -> Iterator[Record]:
    """Yield the plugins that are vulnerable in one state of an environment and not in the other."""
    if less["vulnerable_plugins"] is not None and more["vulnerable_plugins"] is not None:
        for name in more["vulnerable_plugins"]:
            if name not in less["vulnerable_plugins"]:
                yield {"host": host, "plugin": str(name)}


def _plugin_changes(was: Record, new: Record) -> Iterator[Record]:
    before = {plugin["name"]: plugin["version"] for plugin in was["plugins"] or []}
    for plugin in new["plugins"] or []:
        old = before.get(plugin["name"])
        if old and old != plugin["version"]:
            yield {"host": new["host"], "plugin": plugin["name"], "from": str(old), "to": plugin["version"]}


def _release_changes(was: Record, new: Record) -> Iterator[Record]:
    old, newer = ((one["release"] or {}).get("release") for one in (was, new))
    if newer and old != newer:
        yield {"host": new["host"], "from": old and str(old), "to": newer}


def _visit_changes(both: Iterable[tuple[Record, Record]]) -> Record | None:
    """Return how the visits of those environments have changed whose visits both reports know."""
    rows = [
        {"host": new["host"], **_moved(_number(was["visits"]["total"]), new["visits"]["total"])}
        for was, new in both
        if was["visits"] and new["visits"]
    ]
    if not rows:
        return None
    total = _moved(sum(row["from"] for row in rows), sum(row["to"] for row in rows))
    return {"total": total, "environments": rows}


def _moved(before: float, after: float) -> Record:
    return {"from": before, "to": after, "percent": round(100 * (after - before) / before, 1) if before else None}
