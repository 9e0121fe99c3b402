# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The backups of each environment, and how old the newest ones are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from ..judgements import is_too_old
from ..plain_values import Record
from .days import days_since
from .part import Part
from .pieces import Bar, Cell, Section, Table, bars, host_cell, number_cell
from .words import count, names, time_of

FIELDS = ("id", "name", "tag", "type", "created_at_iso")
AGES = ((0, "today"), (1, "1 day"), (2, "2 to 3 days"), (4, "4 to 7 days"), (8, "8 to 14 days"), (15, "over 14 days"))


class Backups(Part):
    """The backups that there are. When one can be downloaded stands beside them."""

    name, title, key = "backups", "Backups", "backups"
    urgency = 40
    is_companion = True

    def of_environment(self, host: Record, read: Record | None) -> Record:
        return {"backups": read and [{name: one.get(name) for name in FIELDS} for one in read["backups"]]}

    def on_day(self, environment: Record, today: date) -> Record:
        newest = max((one["created_at_iso"] for one in environment["backups"] or []), default=None)
        return {"newest_backup": newest, "backup_age_days": days_since(newest, today)}

    def summary(self, document: Record) -> Record:
        environments = document["environments"]
        ages = [one["backup_age_days"] for one in environments if one["backup_age_days"] is not None]
        return {
            "oldest_backup_days": max(ages, default=None),
            "environments_without_backup": sum(_has_none(one) for one in environments),
        }

    def attention(self, document: Record) -> Iterator[Record]:
        environments, limit = document["environments"], document["limits"]["backup_days"]
        bare = [one for one in environments if _has_none(one)]
        old = [one for one in environments if is_too_old(one["backup_age_days"], limit)]
        if bare:
            yield self.note("bad", f"{count(len(bare), 'environment')} without any backup: {names(bare)}.")
        if old:
            text = f"{count(len(old), 'environment')} whose newest backup is older than {count(limit, 'day')}"
            yield self.note("warn", f"{text}: {names(old)}.")

    def section(self, document: Record) -> Section:
        section = Section(self.name, self.title)
        shown = [one for one in document["environments"] if one["backups"] is not None or one["downloadable_backup"]]
        if not shown:
            return section
        listed = [one for one in shown if one["backups"] is not None]
        if listed:
            section.charts += bars("Environments by the age of their newest backup", _ages(listed), most=len(AGES) + 1)
        columns = ["Environment", "Age in days", "Newest", "Type", "Label", "Backups", "Download"]
        table = Table("Backups of each environment", columns, [])
        for one in sorted(shown, key=_age, reverse=True):
            backups: list[Record] = one["backups"] or []
            newest = max(backups, key=lambda backup: backup["created_at_iso"], default=Record())
            table.rows.append(
                [
                    host_cell(one),
                    _age_cell(one, document["limits"]["backup_days"]),
                    Cell(time_of(newest.get("created_at_iso"))),
                    *(Cell(newest.get(name)) for name in ("type", "tag")),
                    number_cell(None if one["backups"] is None else len(one["backups"])),
                    _download(one["downloadable_backup"]),
                ]
            )
        section.tables.append(table)
        return section


def _has_none(environment: Record) -> bool:
    """Tell whether an environment has no backup at all; of one whose backups were not read, nobody knows."""
    return environment["backups"] == []


def _download(told: Record | None) -> Cell:
    if told is None:
        return Cell(None)
    when = time_of(told["reset_at_iso"]) or told["reset_at"]
    return Cell("available" if told["is_backup_available"] else f"from {when}" if when else "not yet")


def _age(environment: Record) -> float:
    """Return the age for sorting: no backup at all is the oldest, and what is not known the youngest."""
    if _has_none(environment):
        return float("inf")
    return -1 if environment["backup_age_days"] is None else environment["backup_age_days"]


def _age_cell(environment: Record, limit: float) -> Cell:
    if _has_none(environment):
        return Cell("no backup", "bad")
    age = environment["backup_age_days"]
    return number_cell(age, "warn" if is_too_old(age, limit) else "")


def _ages(environments: list[Record]) -> list[Bar]:
    """Return the bars of a histogram of ages."""
    counts = dict.fromkeys([text for _days, text in AGES], 0)
    for one in environments:
        if one["backup_age_days"] is not None:
            counts[next(text for days, text in reversed(AGES) if one["backup_age_days"] >= days or days == 0)] += 1
    rows = [(text, number, False) for text, number in counts.items()]
    return [*rows, ("no backup", sum(map(_has_none, environments)), True)]
