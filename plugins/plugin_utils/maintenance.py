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
import time
from collections.abc import Iterator
from typing import Any

from ..module_utils._backup_removals import NO_ROOM, words_for
from ..module_utils._checks import checked_duration
from ..module_utils._dns import canonical_name
from ..module_utils._text import printable
from . import plan
from .judgements import expires_soon, is_active, is_too_old, questions_of, vulnerable_of
from .locks import text_of
from .maintenance_undo import is_restored, said_of, under_way
from .plain_values import Record, plain
from .results import elements_of, end_of_log, is_not_offered, reading_of, update_named
from .text_table import folded
from .verified_pictures import of_pictures, words_of_pictures

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

STEPS = {
    "declaration": "declared state",
    "update_backup": "backup before the updates",
    "well": "site",
    "updates": "updates",
    "undo": "rollback",
}
"""What belongs to no part alone."""

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

READINGS = {
    "vulnerable_plugins": "plugins",
    "visits": "usage",
    "old_backup": "backup",
    "old_php": "versions",
    "old_wordpress": "versions",
    "unexpected_dns": "dns_records",
    "journal": "releases",
}
"""What each check looks at, by the names of environment_state_info."""

UPDATES = ("themes", "plugins", "php_version")
COMPANION_WRITES = ("sftp_allowlist", "php_version", "dns_records", "plugins")
COMPANION_READS = ("old_backup",)
NO_BACKUP = "There is none that is new enough."
LONGEST_TEXT = 1000  # characters
LONGEST_LOG = 6000  # characters
HOW_TO_MAKE_ROOM = "The variable maintain_keep_backups makes room before each new one."
BY_HAND = "This service cannot change it through its API: change it by hand."


def result_of(done: Record, settings: Record) -> Record:
    """Return what became of one environment.

    :param done: the results of the role's tasks: ``site`` and ``well`` of site_check (before and after updates),
        ``kept`` and, where there were updates, ``made`` of environment, ``judged`` of update_verdict, and
        ``update_backup`` of manual_backup, ``log`` of site_log_info, ``pictures`` (of site_snapshot ``before`` and
        ``after`` the updates, and ``compared``, of site_compare), and ``undo`` (maintenance_undo.said_of); and what
        updates wait for, ``locks`` and ``held_by``, the name of an environment.
    :param settings: what the tasks were asked for: ``result`` of maintenance_settings.
    """
    return _Environment(plain(done), plain(settings)).result()


def does_not_work(asked: Record) -> bool:
    """Tell whether a task that has asked a site failed for the site, and not for what it was to record of it.

    :param asked: the result of site_check, as plain values.
    """
    checks, is_of_site = asked.get("checks"), (asked.get("error") or {}).get("kind") == "check_failed"
    return bool(asked.get("failed")) and (checks is None or is_of_site or any(not one["ok"] for one in checks))


def is_spoilt(made: Record, well: Record) -> bool:
    """Tell whether updates went wrong or were not made, so that no other environment may follow.

    What this service or this site does not have at all says nothing of the updates.

    :param made: the result of environment.
    :param well: the result of site_check after it.
    """
    made, well = plain(made), plain(well)
    if not made or made.get("locks") or well.get("failed"):
        return True
    failed = [one for entries in entries_of(made).values() for one in entries if one["failed"]]
    if not failed:
        return bool(made.get("failed") and not made.get("parts"))
    return not all(is_not_offered(one) or one["error"]["kind"] in ("invalid_input", "not_found") for one in failed)


def summary_of(
    results: list[Record],
    hosts: list[str],
    *,
    key: Record,
    key_days: int | None,
    warn_only: list[str],
    check_mode: bool,
    has_canary: bool = False,
) -> Record:
    """Return what became of all environments; in check mode, with the ``plan``.

    :param results: those of the environments that came to their end.
    :param hosts: the names of all environments, in their order.
    :param key: the result of api_key_info.
    :param key_days: for how many days the key must be valid still; None does not look.
    :param has_canary: whether one environment is updated before the others.
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
            "unchanged": sum(not (one["changed"] or one["needs_person"]) and one["is_reached"] for one in environments),
            "need_a_person": len(needing),
            "not_reached": sum(not one["is_reached"] for one in environments),
        },
        "environments": environments,
        "rows": folded([_row(one, check_mode) for one in environments]),
        "notes": _notes(environments, keys),
        "plan": _plan(environments, _canary_of(environments) if has_canary else "") if check_mode else None,
    }


class _Environment:
    """One environment, from the results of the tasks to what became of it."""

    def __init__(self, results: Record, settings: Record) -> None:
        self.results, self.settings = results, settings
        self.parts = {**entries_of(self._of("kept")), **entries_of(self._of("made"))}
        # In check mode, one task predicts all; it changes no backup that is not declared.
        self.foreseen_backup = self.parts.pop("backup")[0] if self._foresees_backup() else None
        self.locks = self.results.get("locks") or []
        taken = self._of("pictures")
        before, after, compared = (taken.get(name) or {} for name in ("before", "after", "compared"))
        self.no_pictures = {} if self._of("made") else before
        self.pictures = of_pictures(before, compared, after)
        changes = [entry["changed"] for name in UPDATES for entry in self.parts.get(name, [])]
        self.is_predicted = bool(settings["check_mode"] and not self._of("made") and any(changes))
        self.is_updated = self.is_predicted or bool(self._of("made") and not self.locks)
        self.done: list[str] = []
        self.changes: list[Record] = []
        self.not_seen: list[str] = []
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
            "environment_id": self.settings.get("environment_id", ""),
            "is_reached": True,
            "done": self.done,
            "due": self._due(),
            "is_going_back": bool(self.settings.get("rolls_back") and under_way(self._of("kept"))),
            "removed_backups": self._removed(),
            "log": self._of("log").get("lines") or [],
            "pictures": self.pictures,
            "changed": bool(self.done),
            "changes": self.changes,
            "not_seen": self.not_seen,
            "failed": self.failed,
            "needs_person": any(one["level"] == "fail" for one in self.findings),
            "findings": self.findings,
        }

    def _due(self) -> list[str]:
        """Return the parts that have updates to make still."""
        differs = [] if self.is_updated else self._of("kept").get("differs") or []
        return [name for name in self.settings["updates"] if name in differs]

    def _foresees_backup(self) -> bool:
        return bool(self.settings.get("foresees_backup") and "backup" in self.parts)

    def _of(self, task: str) -> Record:
        """Return the result of a task, empty where it was skipped or never came."""
        result = self.results.get(task) or {}
        return {} if result.get("skipped") else result

    def _only(self, part: str) -> Record:
        """Return what became of a part that there is one of, empty where it is not declared."""
        return (self.parts.get(part) or [{}])[0]

    def _find(self, name: str, level: str, text: str) -> None:
        self.findings.append(_finding(name, level, text))

    def _fail(self, name: str, text: str) -> None:
        """Note that a part could not be brought about."""
        self.failed = True
        self._find(name, "fail", text)

    def _removed(self) -> list[Record]:
        """Return the backups that made room for others."""
        results = [self._only("backup").get("result") or {}, self.foreseen_backup or {}, self._of("update_backup")]
        removed = [one for result in results for one in (result.get("result") or result).get("removed") or []]
        return list({one["id"]: one for one in removed}.values())

    # ---- what is declared -------------------------------------------------------------------------------------------

    def _part(self, name: str) -> None:
        changed = []
        for entry in self.parts.get(name, []):
            if entry["failed"]:
                self.not_seen = list(dict.fromkeys([*self.not_seen, name]))
                self._refused(name, entry)
            elif name in self.settings["check_only"]:
                if entry["differs"]:
                    text = difference_of(name, entry)
                    self.findings.append(_graded(name, text, self.settings["warn_only"]))
            elif name in self.settings["unsupported"]:
                if entry["differs"]:
                    self._find(name, "cannot", f"{difference_of(name, entry)} {BY_HAND}")
            elif name in UPDATES and not self.is_updated:
                self._left_out(name, entry)
            elif entry["changed"]:
                changed += _details(name, entry)
                rewrites = bool(self.settings.get("rewrites_database"))
                self.changes += plan.changes_of(name, entry, rewrites_database=rewrites)
            self._held(name, entry)
        if changed:
            self.done.append(f"{PARTS[name]}{': ' if any(changed) else ''}{', '.join(filter(None, changed))}")

    def _held(self, name: str, entry: Record) -> None:
        """Note what an update left out because of what it did, or may do, to another site."""
        for held in entry["held"]:
            if held["verdict"] == "broke_it":
                text = (
                    f"{update_named(held)} is held back, because it broke {held['environment']}"
                    f"{_in_brackets(held['reason'])}. A newer version will be tried. If this one works after all, say"
                    " so with hosting.management.update_verdict."
                )
            else:
                text = f"{update_named(held)} waits until {held['environment']}, which has it first, is seen to work."
            self._find(name, "held", text)

    def _refused(self, name: str, entry: Record) -> None:
        is_write = (entry.get("error") or {}).get("method") != "GET"
        if name in COMPANION_WRITES and is_write and is_not_offered(entry):
            self._find(name, "cannot", f"{_label(entry)}{BY_HAND}")
        else:
            self._fail(name, f"{_label(entry)}{_with_room(_message(entry))}")

    def _left_out(self, name: str, entry: Record) -> None:
        """Note the updates that were predicted, and not made."""
        if not entry["differs"]:
            return
        what = difference_of(name, entry)
        if self.locks:
            what_for = "; ".join(map(text_of, self.locks))
            self._find(name, "held", f"{what} It waits, because the environment is {what_for}.")
        elif self.results.get("held_by"):
            self._find(name, "held", f"{what} It waits until {self.results['held_by']}, which goes first, works.")
        elif does_not_work(self._of("site")):
            self._fail(name, f"{what} Not updated, because the site did not work before.")
        elif self.no_pictures.get("failed"):
            self._fail(name, f"{what} Not updated, because no pictures could be taken: {_message(self.no_pictures)}")
        elif self._of("site").get("failed"):
            self._fail(name, f"{what} Not updated, because it is not known what earlier updates did.")
        else:
            self._fail(name, f"{what} Not updated, because there is no backup.")

    def _steps(self) -> None:
        for name, task in (("declaration", "kept"), ("updates", "made")):
            result = self._of(task)
            # Where nothing is declared, each check says why it could not look.
            if result.get("failed") and not result.get("parts") and not {"readings", "site_check"} & set(result):
                self._fail(name, _message(result))
        self._backups()
        self._site_after()

    def _backups(self) -> None:
        """Note the backup before the updates, and what was removed to make room."""
        backup = self._of("update_backup")
        if failed := [one for one in (backup, self.foreseen_backup or {}) if one.get("failed")]:
            self._fail("update_backup", _with_room(_message(failed[0])))
        elif backup.get("changed") or self._would_back_up():
            back = ", to be restored if the site does not work after them" if self.settings.get("rolls_back") else ""
            self.done.append(STEPS["update_backup"])
            self.changes.append(plan.change("update_backup", f"{STEPS['update_backup']}{back}"))
        if removed := ", ".join(map(words_for, self._removed())):
            self.done.append(f"removed backups: {removed}")
            self.changes.append(plan.change("backup", "older backups removed", warnings=[f"REMOVES backup {removed}"]))

    def _site_after(self) -> None:
        """Note what was seen of the site after updates, also of earlier runs, and what became of the way back."""
        site, well, judged = self._of("site"), self._of("well"), self._of("judged")
        backup = self._of("update_backup")
        for result in (site, well, judged):
            if result.get("failed") and (result is judged or not does_not_work(result)):
                self._find("updates", "fail", f"What updates did is not known: {_message(result)}")
        if site.get("has_ended") is False:
            self._find(
                "updates", "warn", "An earlier update goes on, so nobody can tell yet whether the site works with it."
            )
        for words in words_of_pictures(self.pictures):
            self._find("well", "warn", words)
        undo = self._of("undo")
        if is_restored(undo) and undo["restore"].get("changed"):
            self.done.append(f"restored backup {undo['choice']['backup_id']}")
        if does_not_work(well):
            self.failed = True
            self.findings.append(_finding("well", "fail", self._after(well, undo, backup), LONGEST_LOG))
        elif said := said_of(undo, site):
            self._fail("undo", said)
        elif self.is_updated and self.settings["is_unverified"]:
            self._find("well", "warn", "Not verified after the updates: no address is known (maintain_verify_urls).")

    def _after(self, well: Record, undo: Record, backup: Record) -> str:
        """Return what is wrong after the updates, what became of the way back, and the end of the error log."""
        said, log = said_of(undo, well), self._of("log")
        how = "It worked before the updates." if is_restored(undo) else self._how_to_go_back(backup)
        return " ".join(filter(None, [_message(well), how, said, end_of_log(log)]))

    def _would_back_up(self) -> bool:
        """Tell whether there would be a backup before the predicted updates, besides the declared one."""
        oldest = self.settings.get("update_backup_max_age")
        if not self.is_predicted or oldest is None:
            return False
        if self.foreseen_backup:
            return bool(self.foreseen_backup["differs"])
        declared = self._only("backup")
        age = (declared.get("result", {}).get("backup") or {}).get("age")
        return not declared.get("changed") and (age is None or age > checked_duration(str(oldest)))

    def _how_to_go_back(self, result: Record) -> str:
        backup = result.get("backup") or self._only("backup").get("result", {}).get("backup") or {}
        if not backup:
            return "It worked before the updates."
        known = backup.get("id")
        number, how = (f" {known}", f" -e deploy_rollback_backup_id={known}") if known else ("", "")
        return (
            f"It worked before the updates. To go back, restore the backup{number} with the tag {backup.get('tag')},"
            f" such as with hosting.management.rollback{how}."
        )

    # ---- what is looked at ------------------------------------------------------------------------------------------

    def _check(self, name: str) -> None:
        if name == "site":
            self._site()
        elif name in self.settings["checks"]:
            for item in self._looked(READINGS[name]):
                self._look(name, item)

    def _site(self) -> None:
        asked = self._of("site")
        if not does_not_work(asked):
            self._held_because_of_this_site(asked)
            return
        if not self.settings["checks_site"]:
            if any(entry["differs"] for name in UPDATES for entry in self.parts.get(name, [])):
                self._fail("well", f"{_message(asked)} Nothing was updated.")
        else:
            text = f"{_message(asked)}{self._suspects()}"
            self.findings.append(_graded("site", text, self.settings["warn_only"]))

    def _held_because_of_this_site(self, asked: Record) -> None:
        """Note what stays held back everywhere though the site answers well, if no update of its own says so."""
        held = [one for entries in self.parts.values() for entry in entries for one in entry["held"]]
        known = {(one["kind"], one["name"], one["version"]) for one in held}
        for one in asked.get("updates") or []:
            if one["verdict"] == "broke_it" and (one["kind"], one["name"], one["version"]) not in known:
                text = (
                    f"{update_named(one)} is held back everywhere, because it broke this site"
                    f"{_in_brackets(one['reason'])}. If it works after all, say so with"
                    " hosting.management.update_verdict."
                )
                self._find("updates", "held", text)

    def _looked(self, reading: str) -> list[Record]:
        """Return what was read, and what could not be; of each domain for itself."""
        made, kept = self._of("made"), self._of("kept")
        looked = made if "readings" in made else kept
        if reading == "dns_records" and "readings" in looked:
            return elements_of(looked, reading, "domains")
        return [reading_of(looked, reading)] if "readings" in looked else []

    def _look(self, name: str, item: Record) -> None:
        if _is_unread(item) and name not in ("old_php", "old_wordpress"):
            if name in COMPANION_READS and is_not_offered(item):
                self._find(name, "cannot", "The service does not show it.")
            else:
                domain = f"{item['domain_id']}: " if item.get("domain_id") else ""
                text = f"This could not be checked: {domain}{_message(item)}"
                self.findings.append(_graded(name, text, self.settings["warn_only"]))
            return
        for text in getattr(self, f"_problems_of_{name}")(item):
            self.findings.append(_graded(name, text, self.settings["warn_only"]))

    def _suspects(self) -> str:
        """Return the sentence that names the updates since which the site does not work, if there are any."""
        updates = self._of("site").get("updates") or []
        names = [update_named(one) for one in updates if one["verdict"] != "works"]
        if not names:
            return ""
        return (
            f" It has not been seen to work since these updates: {_listed(names)}. They are held back everywhere until"
            " it works, or you say otherwise with hosting.management.update_verdict. To go back, restore a backup from"
            " before them with hosting.management.rollback and -e deploy_rollback_backup_id=ID:"
            " hosting.management.backup_info lists those that there are."
        )

    def _problems_of_vulnerable_plugins(self, listed: Record) -> Iterator[str]:
        predicted = self._only("plugins")
        is_ahead = self.settings["check_mode"] and self.is_updated and predicted.get("changed")
        names = vulnerable_of(predicted["result"] if is_ahead else listed)
        if names is None:
            self._find("vulnerable_plugins", "cannot", "The service does not tell which plugins are vulnerable.")
            return
        plugins = {str(one.get("name")): one for one in listed.get("plugins") or []}
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
        if self._only("backup").get("changed"):
            return  # in check mode it is not there yet
        backups = [one for one in listed.get("backups") or [] if one.get("age") is not None]
        if not backups:
            yield "There is no backup."
            return
        newest = min(backups, key=lambda one: one["age"])
        oldest = self.settings["backup_max_age"]
        if is_too_old(newest["age"], checked_duration(str(oldest))):
            yield f"The newest backup is from {newest['created_at_iso']}, which is older than {oldest}."

    def _problems_of_old_php(self, read: Record) -> Iterator[str]:
        declared = self.settings["declared_php_version"]
        would_be = self.settings["check_mode"] and self.is_updated and self._only("php_version").get("changed")
        yield from self._old("old_php", "PHP", "php_version", read, declared if would_be else None)

    def _problems_of_old_wordpress(self, read: Record) -> Iterator[str]:
        yield from self._old("old_wordpress", "WordPress", "wordpress_version", read)

    def _old(self, name: str, title: str, variable: str, read: Record, ahead: str | None = None) -> Iterator[str]:
        wanted = self.settings[variable]
        if wanted is None:
            return
        failed = _is_unread(read)
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
        settle = "Check, and settle it with hosting.management.settle."
        for asked in questions_of(known):
            sent_at = asked.request.get("sent_at")
            if not asked.is_unknown:
                continue
            if asked.kind == "push":
                yield f"It is not known whether release {asked.about} was pushed ({sent_at}). {settle}"
            elif asked.kind == "restore":
                backup = asked.request.get("backup_id")
                yield f"It is not known whether backup {backup} was restored ({sent_at}). {settle}"
            else:
                yield f"It is not known whether PHP was restarted ({sent_at}). Check, and run it again."


# ---- findings -------------------------------------------------------------------------------------------------------


def _in_brackets(text: str) -> str:
    return f" ({text.rstrip('.')})" if text else ""


def _finding(name: str, level: str, text: str, longest: int = LONGEST_TEXT) -> Record:
    title = (PARTS | STEPS | CHECKS)[name]
    return {"name": name, "title": title, "level": level, "text": printable(text, longest)}


def _with_room(text: str) -> str:
    """Return why a backup failed, and where the service has no room for it, the variable that makes some."""
    return text.replace(NO_ROOM, f"{NO_ROOM} {HOW_TO_MAKE_ROOM}")


def _graded(name: str, text: str, warn_only: list[str]) -> Record:
    return _finding(name, "warn" if name in warn_only else "fail", text)


def _problems_of_key(result: Record, days: int | None) -> Iterator[str]:
    key = result.get("api_key")
    if not key:
        if result:
            yield f"This could not be checked: {_message(result)}"
        return
    if not is_active(key):
        yield f"The API key {key.get('name')} is {key.get('status')}. Create a new one."
    elif expires_soon(key.get("expires_in_days"), None if days is None else int(days)):
        yield f"The API key {key.get('name')} expires on {key.get('expires_at_iso')}. Create a new one in time."


# ---- results of tasks -----------------------------------------------------------------------------------------------


def entries_of(kept: Record) -> dict[str, list[Record]]:
    """Return what environment says of each part; of a part that may have several entries, of each of them."""
    return {name: part.get("entries") or [part] for name, part in (kept.get("parts") or {}).items()}


def _is_unread(reading: Record) -> bool:
    """Tell whether it says why there is no reading. A task that Ansible itself has failed has no ``error``."""
    return not reading or "error" in reading or bool(reading.get("failed"))


def _message(result: Record) -> str:
    return str(result.get("msg") or "it has no message")


def _label(entry: Record) -> str:
    """Return which of several entries it is, as the beginning of a text."""
    return f"{entry['name']}: " if entry.get("name") else ""


def _details(part: str, entry: Record) -> list[str]:
    """Return what of a part was changed; an empty text where its name says all."""
    if part == "plugins":
        return [f"{one['name']} {one['version']}" for one in entry["result"].get("plugins") or []]
    if part == "themes":
        return [f"{entry['name']} {_sides(entry)[1]}"]
    if part == "php_version":
        return [str(entry["result"].get("php_version"))]
    return [entry["name"] if part == "dns_records" else ""]


def _sides(entry: Record) -> tuple[Any, Any]:
    """Return the states before and after, of one of several entries without its name."""
    before, after = entry["before"], entry["after"]
    if not entry.get("name"):
        return before, after
    return (before or {}).get(entry["name"]), (after or {}).get(entry["name"])


def difference_of(part: str, entry: Record) -> str:
    """Return how the state of a part, or of one of its entries, differs from the declared one, as a sentence."""
    if part == "backup":
        return NO_BACKUP
    before, after = _sides(entry)
    label = _label(entry)
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
        "environment_id": "",
        "is_reached": False,
        "done": [],
        "due": [],
        "is_going_back": False,
        "removed_backups": [],
        "pictures": of_pictures({}, {}),
        "log": [],
        "changed": False,
        "changes": [],
        "not_seen": [],
        "failed": False,
        "needs_person": False,
        "findings": [],
    }


def _row(one: Record, check_mode: bool) -> Record:
    return {
        "environment": one["environment"],
        "would do" if check_mode else "done": "; ".join(one["done"]) or ("-" if one["is_reached"] else "not reached"),
        "needs a person": ", ".join(_titles(one, "fail")),
        "to know": ", ".join(_titles(one, "warn", "held", "cannot")),
    }


def _titles(one: Record, *levels: str) -> list[str]:
    """Return what an environment's findings of some levels are called."""
    return list(dict.fromkeys(finding["title"] for finding in one["findings"] if finding["level"] in levels))


def _canary_of(environments: list[Record]) -> str:
    """Return the name of the environment that would be updated first: one whose site can be asked, if there is any."""
    updated = [one for one in environments if any(each["part"] in UPDATES for each in one["changes"])]
    asked = [one for one in updated if not any(each["name"] == "well" for each in one["findings"])]
    return next((str(one["environment"]) for one in (*asked, *updated)), "")


def _plan(environments: list[Record], canary: str) -> Record:
    return plan.plan_of(
        "maintain",
        [
            plan.environment_of(
                one["environment"],
                one["environment_id"],
                [
                    {**each, "text": f"{each['text']} (canary)"}
                    if one["environment"] == canary and each["part"] in UPDATES
                    else each
                    for each in one["changes"]
                ],
                needs=_titles(one, "fail") + ([] if one["is_reached"] else ["not reached"]),
                to_know=_titles(one, "warn", "held", "cannot"),
                not_seen=one["not_seen"] if one["is_reached"] else list(PARTS),
            )
            for one in environments
        ],
        time.time(),
    )


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
