# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was looked at in an environment without changing it, and which problems that shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..module_utils._checks import checked_duration
from ..module_utils._dns import canonical_name
from .judgements import is_too_old, questions_of, vulnerable_of
from .maintenance_environment import Environment, does_not_work
from .maintenance_findings import READINGS, UPDATES, graded, in_brackets, message_of
from .part_differences import listed
from .plain_values import Record
from .results import elements_of, is_not_offered, reading_of, update_named

COMPANION_READS = ("old_backup",)


class Checked(Environment):
    """What is looked at."""

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
                self._fail("well", f"{message_of(asked)} Nothing was updated.")
        else:
            text = f"{message_of(asked)}{self._suspects()}"
            self.findings.append(graded("site", text, self.settings["warn_only"]))

    def _held_because_of_this_site(self, asked: Record) -> None:
        """Note what stays held back everywhere though the site answers well, if no update of its own says so."""
        held = [one for entries in self.parts.values() for entry in entries for one in entry["held"]]
        known = {(one["kind"], one["name"], one["version"]) for one in held}
        for one in asked.get("updates") or []:
            if one["verdict"] == "broke_it" and (one["kind"], one["name"], one["version"]) not in known:
                text = (
                    f"{update_named(one)} is held back everywhere, because it broke this site"
                    f"{in_brackets(one['reason'])}. If it works after all, say so with"
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
                text = f"This could not be checked: {domain}{message_of(item)}"
                self.findings.append(graded(name, text, self.settings["warn_only"]))
            return
        for text in getattr(self, f"_problems_of_{name}")(item):
            self.findings.append(graded(name, text, self.settings["warn_only"]))

    def _suspects(self) -> str:
        """Return the sentence that names the updates since which the site does not work, if there are any."""
        updates = self._of("site").get("updates") or []
        names = [update_named(one) for one in updates if one["verdict"] != "works"]
        if not names:
            return ""
        return (
            f" It has not been seen to work since these updates: {listed(names)}. They are held back everywhere until"
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
        if _is_unread(read) and not is_not_offered(read):
            yield f"This could not be checked: {message_of(read)}"
            return
        shown = (read.get("environments") or [{}])[0].get(f"hosting_{variable}")
        version = ahead or shown or self.settings["inventory"][variable]
        if not _numbers(version):
            self._find(name, "cannot", f"The service does not show it. The inventory can: hosting_{variable}.")
        elif _numbers(version) < _numbers(wanted):
            yield f"{title} {str(version).removeprefix('php')} is older than {wanted}."

    def _problems_of_unexpected_dns(self, read: Record) -> Iterator[str]:
        declared = {_name_of(record) for record in self.settings["declared_dns_records"]}
        for record in read.get("dns_records") or []:
            if _name_of(record) not in declared:
                yield f"{record.get('type')} {record.get('name')} is not declared: {listed(record.get('rdata'))}."

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


def _is_unread(reading: Record) -> bool:
    """Tell whether it says why there is no reading. A task that Ansible itself has failed has no ``error``."""
    return not reading or "error" in reading or bool(reading.get("failed"))


def _numbers(version: Any) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", str(version or ""))]


def _name_of(record: Record) -> tuple[str, str]:
    return str(record.get("type")).upper(), canonical_name(str(record.get("name")))
