# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of the environments that the role maintain has gone through: plain values, as its JSON file has them.

A finding has a ``name`` (of the part or check), a ``title`` and a ``text`` for people, and a ``level``: ``fail`` needs
a person and makes the run fail, ``warn`` does not, ``held`` waits for the canary or the end of a lock, ``cannot`` is
what the service has no endpoint for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..module_utils._checks import checked_duration
from ..module_utils._dns import canonical_name
from ..module_utils._text import printable
from .locks import text_of
from .plain_values import Record, plain
from .results import is_not_offered

PARTS = {
    "plugins": "plugins",
    "themes": "themes",
    "php_version": "PHP version",
    "backup": "backup",
    "denied_ips": "denied addresses",
    "sftp_allowlist": "SFTP allowlist",
    "image_optimization": "image optimization",
    "primary_domain": "primary domain",
    "dns_records": "DNS records",
}
"""What is declared, what people most want to know first, with the words for them."""

STEPS = {"update_backup": "backup before the updates", "well": "site", "updates": "updates"}
"""What belongs to updates."""

CHECKS = {
    "key": "API key",
    "site": "site",
    "vulnerable_plugins": "vulnerable plugins",
    "visits": "visits",
    "old_backup": "old backup",
    "old_php": "old PHP",
    "old_wordpress": "old WordPress",
    "unexpected_dns": "unexpected DNS records",
    "journal": "unknown outcome",
}
"""What is only looked at."""

UPDATES = ("themes", "plugins", "php_version")
COMPANION_WRITES = ("sftp_allowlist", "php_version", "dns_records", "plugins")
COMPANION_READS = ("old_backup",)
LONGEST_TEXT = 1000  # characters
BY_HAND = "This service cannot change it through its API: change it by hand."


def result_of(results: Record, settings: Record) -> Record:
    """Return what became of one environment.

    :param results: what the tasks have registered, by the names of PARTS, STEPS and CHECKS (``versions`` for the age of
        PHP and of WordPress).
    :param settings: what they were asked for; the role's ``__maintain_settings``.
    """
    return _Environment(plain(results), plain(settings)).result()


def summary_of(
    results: list[Record],
    hosts: list[str],
    *,
    key: Record,
    key_days: int | None,
    warn_only: list[str],
    check_mode: bool,
) -> Record:
    """Return what became of all environments.

    :param results: those of the environments that came to their end.
    :param hosts: the names of all environments, in their order.
    :param key: the result of api_key_info.
    :param key_days: for how many days the key must be valid still; None does not look.
    """
    known = {one["environment"]: one for one in plain(results)}
    environments = [known.get(str(host)) or _not_reached(str(host)) for host in hosts]
    keys = [_graded("key", text, warn_only) for text in _problems_of_key(plain(key), key_days)]
    needing = [one for one in environments if one["needs_person"]]
    return {
        "check_mode": bool(check_mode),
        "needs_person": bool(needing) or any(one["level"] == "fail" for one in keys),
        "key": keys,
        "totals": {
            "environments": len(environments),
            "changed": sum(one["changed"] for one in environments),
            "unchanged": sum(not one["changed"] and one["is_reached"] and _works(one) for one in environments),
            "need_a_person": len(needing),
            "not_reached": sum(not one["is_reached"] for one in environments),
        },
        "environments": environments,
        "rows": [_row(one, check_mode) for one in environments],
        "notes": _notes(environments, keys),
    }


class _Environment:
    """One environment, from what the tasks have registered to what became of it."""

    def __init__(self, results: Record, settings: Record) -> None:
        self.results, self.settings = results, settings
        self.done: list[str] = []
        self.findings: list[Record] = []
        self.failed = False

    def result(self) -> Record:
        for name in PARTS:
            self._part(name)
        self._steps()
        for name in CHECKS:
            self._check(name)
        return {
            "environment": self.settings["environment"],
            "is_reached": True,
            "done": self.done,
            "changed": bool(self.done),
            "failed": self.failed,
            "needs_person": any(one["level"] == "fail" for one in self.findings),
            "findings": self.findings,
        }

    def _find(self, name: str, level: str, text: str) -> None:
        self.findings.append(_finding(name, level, text))

    def _fail(self, name: str, text: str) -> None:
        """Note that a part could not be brought about."""
        self.failed = True
        self._find(name, "fail", text)

    # ---- what is declared -------------------------------------------------------------------------------------------

    def _part(self, name: str) -> None:
        changed = []
        for item in _items(self.results.get(name)):
            if item.get("failed"):
                self._refused(name, item)
            elif name in self.settings["check_only"]:
                if _differs(item):
                    self.findings.append(_graded(name, _difference(item), self.settings["warn_only"]))
            elif name in self.settings["unsupported"]:
                if _differs(item):
                    self._find(name, "cannot", f"{_difference(item)} {BY_HAND}")
            elif name in UPDATES and not self.settings["is_updated"]:
                self._left_out(name, item)
            elif item.get("changed"):
                changed += _details(name, item)
            self._held(name, item)
        if changed:
            self.done.append(f"{PARTS[name]}{': ' if any(changed) else ''}{', '.join(filter(None, changed))}")

    def _held(self, name: str, item: Record) -> None:
        """Note what an update left out because of what it did, or may do, to another site."""
        for held in item.get("held") or []:
            if held["verdict"] == "broke_it":
                text = (
                    f"{_update(held)} is held back, because it broke {held['environment']}"
                    f"{_in_brackets(held['reason'])}. A newer version will be tried. If this one works after all, say"
                    " so with hosting.management.update_verdict."
                )
            else:
                text = f"{_update(held)} waits until {held['environment']}, which has it first, is seen to work."
            self._find(name, "held", text)

    def _refused(self, name: str, item: Record) -> None:
        label = _label(item)
        is_write = (item.get("error") or {}).get("method") != "GET"
        if name in COMPANION_WRITES and is_write and is_not_offered(item):
            self._find(name, "cannot", f"{label}{BY_HAND}")
        else:
            self._fail(name, f"{label}{_message(item)}")

    def _left_out(self, name: str, item: Record) -> None:
        """Note the updates that were predicted, and not made."""
        if not _differs(item):
            return
        what = _difference(item)
        if self.settings.get("locks"):
            locks = "; ".join(map(text_of, self.settings["locks"]))
            self._find(name, "held", f"{what} It waits, because the environment is {locks}.")
        elif self.settings["held_by"]:
            self._find(name, "held", f"{what} It waits until {self.settings['held_by']}, which goes first, works.")
        elif any((self.results.get(one) or {}).get("failed") for one in ("well", "site")):
            self._fail(name, f"{what} Not updated, because the site did not work before.")
        else:
            self._fail(name, f"{what} Not updated, because there is no backup.")

    def _steps(self) -> None:
        backup, well = (self.results.get(name) or {} for name in ("update_backup", "well"))
        if backup.get("failed"):
            self._fail("update_backup", _message(backup))
        elif backup.get("changed"):
            self.done.append(STEPS["update_backup"])
        known, judged = (self.results.get(name) or {} for name in ("known", "judged"))
        for result in (known, judged):
            if result.get("failed"):
                self._find("updates", "fail", f"What earlier updates did is not known: {_message(result)}")
        if known.get("has_ended") is False:
            self._find(
                "updates", "warn", "An earlier update goes on, so nobody can tell yet whether the site works with it."
            )
        if well.get("failed") and (self.settings["is_updated"] or not self.results.get("site")):
            self._fail("well", f"{_message(well)} {self._how_to_go_back(backup)}")
        elif self.settings["is_updated"] and self.settings["is_unverified"]:
            self._find("well", "warn", "Not verified after the updates: no address is known (maintain_verify_urls).")

    def _how_to_go_back(self, result: Record) -> str:
        if not self.settings["is_updated"]:
            return "Nothing was updated."
        backup = result.get("backup") or (self.results.get("backup") or {}).get("backup") or {}
        number = f" {backup['id']}" if backup.get("id") else ""
        restore = f" To go back, restore the backup{number} with the tag {backup.get('tag')}." if backup else ""
        return f"It worked before the updates.{restore}"

    # ---- what is looked at ------------------------------------------------------------------------------------------

    def _check(self, name: str) -> None:
        reading = self.results.get("versions" if name in ("old_php", "old_wordpress") else name)
        for item in _items(reading):
            if item.get("failed") and name not in ("old_php", "old_wordpress"):
                if name == "site":
                    text = f"{_message(item)}{self._suspects()}"
                    self.findings.append(_graded(name, text, self.settings["warn_only"]))
                elif name in COMPANION_READS and is_not_offered(item):
                    self._find(name, "cannot", "The service does not show it.")
                else:
                    text = f"This could not be checked: {_label(item)}{_message(item)}"
                    self.findings.append(_graded(name, text, self.settings["warn_only"]))
                continue
            for text in getattr(self, f"_problems_of_{name}")(item):
                self.findings.append(_graded(name, text, self.settings["warn_only"]))

    def _suspects(self) -> str:
        """Return the sentence that names the updates since which the site does not work, if there are any."""
        updates = (self.results.get("known") or {}).get("updates") or []
        names = [_update(one) for one in updates if one["verdict"] != "works"]
        if not names:
            return ""
        return (
            f" It has not been seen to work since these updates: {_listed(names)}. They are held back everywhere until"
            " it works, or you say otherwise with hosting.management.update_verdict. To go back, restore a backup from"
            " before them: hosting.management.backup_info lists those that there are."
        )

    def _problems_of_site(self, asked: Record) -> Iterator[str]:
        """Nothing: a site that works is none, and one that does not has failed to be read."""
        return iter(())

    def _problems_of_vulnerable_plugins(self, listed: Record) -> Iterator[str]:
        predicted = self.results.get("plugins") or {}
        is_ahead = self.settings["check_mode"] and self.settings["is_updated"] and predicted.get("changed")
        names = (predicted if is_ahead else listed).get("vulnerable")
        if names is None:
            self._find("vulnerable_plugins", "cannot", "The service does not tell which plugins are vulnerable.")
            return
        plugins = {one.get("name"): one for one in listed.get("plugins") or []}
        for name in names:
            plugin = plugins.get(name) or {}
            newer = plugin.get("update_version") if plugin.get("is_update_available") else None
            if is_ahead:
                yield f"{name} would still be vulnerable."
            elif newer:
                yield f"{name} {plugin.get('version')} is vulnerable. Update it to {newer}."
            else:
                yield f"{name} {plugin.get('version')} is vulnerable, and there is no update: replace or remove it."

    def _problems_of_visits(self, usage: Record) -> Iterator[str]:
        budget = float(self.settings["visits"])
        if (usage.get("visits") or 0) > budget:
            yield f"{usage['visits']:,} visits this month are more than {budget:,.0f}."

    def _problems_of_old_backup(self, listed: Record) -> Iterator[str]:
        if (self.results.get("backup") or {}).get("changed"):
            return  # in check mode it is not there yet
        backups = [one for one in listed.get("backups") or [] if one.get("age") is not None]
        if not backups:
            yield "There is no backup."
            return
        newest = min(backups, key=lambda one: one["age"])
        if newest["age"] > checked_duration(str(self.settings["backup_max_age"])):
            oldest = self.settings["backup_max_age"]
            yield f"The newest backup is from {newest['created_at_iso']}, which is older than {oldest}."

    def _problems_of_old_php(self, read: Record) -> Iterator[str]:
        declared = self.settings["declared_php_version"]
        would_be = self.settings["check_mode"] and (self.results.get("php_version") or {}).get("changed")
        yield from self._old("old_php", "PHP", "php_version", read, declared if would_be else None)

    def _problems_of_old_wordpress(self, read: Record) -> Iterator[str]:
        yield from self._old("old_wordpress", "WordPress", "wordpress_version", read)

    def _old(self, name: str, title: str, variable: str, read: Record, ahead: str | None = None) -> Iterator[str]:
        wanted = self.settings[variable]
        if wanted is None:
            return
        failed = read.get("failed")
        if failed and not is_not_offered(read):
            yield f"This could not be checked: {_message(read)}"
            return
        shown = None if failed else (read.get("environments") or [{}])[0].get(f"hosting_{variable}")
        version = ahead or shown or self.settings["inventory"][variable]
        if not _numbers(version):
            self._find(name, "cannot", f"The service does not show it. The inventory can: hosting_{variable}.")
        elif _numbers(version) < _numbers(wanted):
            yield f"{title} {str(version).removeprefix('php')} is older than {wanted}."

    def _problems_of_unexpected_dns(self, read: Record) -> Iterator[str]:
        declared = {_name_of(record) for record in self.settings["declared_dns_records"]}
        for record in read.get("dns_records") or []:
            if _name_of(record) not in declared:
                yield f"{record.get('type')} {record.get('name')} is not declared: {_listed(record.get('rdata'))}."

    def _problems_of_journal(self, known: Record) -> Iterator[str]:
        for part in known.get("parts") or []:
            if part.get("state") == "unknown":
                yield (
                    f"It is not known whether release {known.get('release')} was pushed ({part.get('sent_at')})."
                    " Check, and settle it with hosting.management.settle."
                )
        restored, restart = known.get("restored_backup") or {}, known.get("php_restart") or {}
        if restored.get("state") == "unknown":
            yield (
                f"It is not known whether backup {restored.get('backup_id')} was restored ({restored.get('sent_at')})."
                " Check, and settle it with hosting.management.settle."
            )
        if restart.get("state") == "unknown":
            yield f"It is not known whether PHP was restarted ({restart.get('sent_at')}). Check, and run it again."


# ---- findings -------------------------------------------------------------------------------------------------------


def _works(environment: Record) -> bool:
    """Tell whether nothing was found of a site that does not work."""
    return not any(one["name"] in ("site", "well") and one["level"] == "fail" for one in environment["findings"])


def _update(one: Record) -> str:
    return f"PHP {one['version']}" if one["kind"] == "php" else f"{one['name']} {one['version']}"


def _in_brackets(text: str) -> str:
    return f" ({text.rstrip('.')})" if text else ""


def _finding(name: str, level: str, text: str) -> Record:
    title = (PARTS | STEPS | CHECKS)[name]
    return {"name": name, "title": title, "level": level, "text": printable(text, LONGEST_TEXT)}


def _graded(name: str, text: str, warn_only: list[str]) -> Record:
    return _finding(name, "warn" if name in warn_only else "fail", text)


def _problems_of_key(result: Record, days: int | None) -> Iterator[str]:
    key = result.get("api_key")
    if not key:
        if result:
            yield f"This could not be checked: {_message(result)}"
        return
    left = key.get("expires_in_days")
    if key.get("status") != "active":
        yield f"The API key {key.get('name')} is {key.get('status')}. Create a new one."
    elif days is not None and left is not None and left <= int(days):
        yield f"The API key {key.get('name')} expires on {key.get('expires_at_iso')}. Create a new one in time."


# ---- results of tasks -----------------------------------------------------------------------------------------------


def _items(result: Record | None) -> list[Record]:
    """Return the results of a task, which may be those of a loop, without what was skipped."""
    if not result:
        return []
    items = result.get("results") or [result]
    return [item for item in items if not item.get("skipped")]


def _message(result: Record) -> str:
    return str(result.get("msg") or "it has no message")


def _label(item: Record) -> str:
    """Return which element of a loop a result is about, as the beginning of a text."""
    element = _element(item)
    if isinstance(element, dict):
        return f"{' '.join(filter(None, (element.get('type'), element.get('name'))))}: "
    return f"{element}: " if element else ""


def _element(item: Record) -> Any:
    return item.get(item.get("ansible_loop_var", "item"))


def _details(name: str, item: Record) -> list[str]:
    """Return what of a part was changed; an empty text where its name says all."""
    if name == "plugins":
        return [f"{one['name']} {one['version']}" for one in item.get("plugins") or []]
    if name == "themes":
        theme = _element(item) or {}
        return [f"{theme.get('name')} {theme.get('update_version')}"]
    if name == "php_version":
        return [str(item.get("php_version"))]
    if name == "dns_records":
        return [_label(item).removesuffix(": ")]
    return [""]


def _differs(item: Record) -> bool:
    diff = item.get("diff") or {}
    return diff.get("before") != diff.get("after")


def _difference(item: Record) -> str:
    """Return how the state differs from the declared one, as a sentence."""
    (before,) = item["diff"]["before"].values()
    (after,) = item["diff"]["after"].values()
    label = _label(item)
    if isinstance(before, list) and isinstance(after, list):
        return label + _difference_of_lists(before, after)
    if isinstance(before, dict) and isinstance(after, dict) and "rdata" in after:
        return (
            f"{label}It has {_listed(before['rdata'])} (TTL {before['ttl']}) instead of {_listed(after['rdata'])}"
            f" (TTL {after['ttl']})."
        )
    if isinstance(before, dict) and isinstance(after, dict) and "version" not in after:
        moves = [f"{name} {before.get(name)} has the update {version}" for name, version in after.items()]
        return f"{label}{_listed(moves)}."
    return f"{label}It is {_value(before)} instead of {_value(after)}."


def _difference_of_lists(before: list[Any], after: list[Any]) -> str:
    besides = [one for one in before if one not in after]
    lacks = [one for one in after if one not in before]
    if not before:
        return f"The list is empty, and lacks {_listed(lacks)}."
    parts = [f"has {_listed(besides)}, not declared"] if besides else []
    parts += [f"lacks {_listed(lacks)}"] if lacks else []
    return f"The list {', and '.join(parts)}."


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return _listed(value.get("rdata") or value.get("version") or list(value.values()))
    return "none" if value is None else str(value)


def _listed(values: Any) -> str:
    return ", ".join(map(str, values)) if isinstance(values, list) else str(values)


def _numbers(version: Any) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", str(version or ""))]


def _name_of(record: Record) -> tuple[str, str]:
    return str(record.get("type")).upper(), canonical_name(str(record.get("name")))


# ---- all environments -----------------------------------------------------------------------------------------------


def _not_reached(host: str) -> Record:
    return {
        "environment": host,
        "is_reached": False,
        "done": [],
        "changed": False,
        "failed": False,
        "needs_person": False,
        "findings": [],
    }


def _row(one: Record, check_mode: bool) -> Record:
    def titles(*levels: str) -> str:
        found = [finding["title"] for finding in one["findings"] if finding["level"] in levels]
        return ", ".join(dict.fromkeys(found))

    return {
        "environment": one["environment"],
        "would do" if check_mode else "done": "; ".join(one["done"]) or ("-" if one["is_reached"] else "not reached"),
        "needs a person": titles("fail"),
        "to know": titles("warn", "held", "cannot"),
    }


def _notes(environments: list[Record], keys: list[Record]) -> list[Record]:
    """Return what was found, each text once with all the environments that it is true of."""
    notes: dict[tuple[str, str, str], list[str]] = {}
    for finding in keys:
        notes[finding["level"], finding["title"], finding["text"]] = ["all"]
    for one in environments:
        for finding in one["findings"]:
            places = notes.setdefault((finding["level"], finding["title"], finding["text"]), [])
            if one["environment"] not in places:
                places.append(one["environment"])
    return [
        {"level": level, "title": title, "text": text, "where": _places(hosts)}
        for (level, title, text), hosts in notes.items()
    ]


def _places(hosts: list[str], most: int = 8) -> str:
    more = f" and {len(hosts) - most} more" if len(hosts) > most else ""
    return f"{', '.join(hosts[:most])}{more}"
