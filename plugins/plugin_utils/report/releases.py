# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the journal knows of environments: releases, open questions, updates that do harm, and locks."""

from __future__ import annotations

from collections.abc import Iterator

from ..judgements import Question, questions_of
from ..plain_values import Record
from .part import Comparison, Part
from .pieces import Cell, Section, Table, change_cells, host_cell
from .words import count, names, time_of

LOCK_FIELDS = ("environment_id", "group", "reason", "author", "since", "until")
UPDATE_FIELDS = ("kind", "name", "version", "previous_version", "verdict", "reason", "updated_at")
REQUESTS = {"push": "push", "restore": "restore of a backup", "restart": "restart of PHP"}
STATES = {"unknown": "unknown", "sent": "no answer yet", "in_progress": "in progress"}
VERDICTS = {"broke_it": ("broke the site", "bad"), "not_known": ("not known yet", "warn")}


class Releases(Part):
    """The release of each environment, and what somebody has to settle, to judge or to wait for."""

    name, title, key = "releases", "Releases and open questions", "parts"
    urgency = 60

    def of_environment(self, host: Record, read: Record | None) -> Record:
        known = read or {}
        return {
            "release": read and {name: read.get(name) for name in ("release", "state", "sent_at")},
            "open_questions": [_question(one) for one in questions_of(known)],
            "updates": list(_updates_to_know(known)),
            "locks": [{name: one.get(name) for name in LOCK_FIELDS} for one in known.get("locks") or []],
        }

    def summary(self, document: Record) -> Record:
        return {"open_questions": sum(len(one["open_questions"]) for one in document["environments"])}

    def attention(self, document: Record) -> Iterator[Record]:
        environments = document["environments"]
        unknown = [one for one in environments if any(asked["state"] == "unknown" for asked in one["open_questions"])]
        if unknown:
            where = count(len(unknown), "environment")
            yield self.note("bad", f"It is not known how a request ended in {where}: {names(unknown)}.")
        broken = [one for one in environments if any(update["verdict"] == "broke_it" for update in one["updates"])]
        if broken:
            where = count(len(broken), "environment")
            text = f"An update broke the site of {where}, and is held back everywhere: {names(broken)}."
            yield self.note("bad", text)
        locked = [one for one in environments if one["locks"]]
        if locked:
            text = f"Deployments to {count(len(locked), 'environment')} are locked: {names(locked)}."
            yield self.note("warn", text)

    def changes(self, compared: Comparison) -> Record:
        return {"releases": [one for pair in compared.both for one in _changed(*pair)]}

    def section(self, document: Record) -> Section:
        section = Section(self.name, self.title)
        environments: list[Record] = document["environments"]
        if questions := [row for one in environments for row in _rows_of_questions(one)]:
            columns = ["Environment", "Request", "Release", "Outcome", "Sent"]
            section.tables.append(Table("Open questions of the journal", columns, questions))
            section.notes.append("hosting.management.settle settles what is of unknown outcome.")
        if updates := [row for one in environments for row in _rows_of_updates(one)]:
            columns = ["Environment", "Update", "Version", "Verdict", "Reason", "Updated"]
            section.tables.append(Table("Updates that a site is not known to work with", columns, updates))
            section.notes.append("hosting.management.update_verdict says whether a site works with an update.")
        if locks := [row for one in environments for row in _rows_of_locks(one)]:
            columns = ["Environment", "Until", "Author", "Reason", "Locked"]
            section.tables.append(Table("Locks against deployments", columns, locks))
        if released := [_row_of_release(one) for one in environments if one["release"] and one["release"]["state"]]:
            section.tables.append(Table("Releases", ["Environment", "Release", "State", "Pushed"], released))
        elif any(one["release"] for one in environments):
            section.notes.append("The journal knows of no release.")
        return section

    def changed_rows(self, changes: Record) -> list[list[Cell]]:
        return [change_cells(one, "release") for one in changes["releases"]]


def _question(asked: Question) -> Record:
    told = {name: asked.request.get(name) for name in ("state", "sent_at", "operation_id")}
    return {"what": REQUESTS[asked.kind], "release": asked.about, **told}


def _updates_to_know(known: Record) -> Iterator[Record]:
    """Yield the remembered updates that a site is not known to work with."""
    for one in known.get("updates") or []:
        if one.get("verdict") != "works":
            yield {name: one.get(name) for name in UPDATE_FIELDS}


def _changed(was: Record, now: Record) -> Iterator[Record]:
    old, new = ((one["release"] or {}).get("release") for one in (was, now))
    if new and old != new:
        yield {"host": now["host"], "from": old and str(old), "to": new}


def _rows_of_questions(environment: Record) -> Iterator[list[Cell]]:
    for asked in environment["open_questions"]:
        state = asked["state"]
        outcome = Cell(STATES.get(state, state), "bad" if state == "unknown" else "warn")
        cells = [Cell(asked["what"]), Cell(asked["release"]), outcome, Cell(time_of(asked["sent_at"]))]
        yield [host_cell(environment), *cells]


def _rows_of_updates(environment: Record) -> Iterator[list[Cell]]:
    for update in environment["updates"]:
        yield [
            host_cell(environment),
            Cell("PHP" if update["kind"] == "php" else update["name"]),
            Cell(update["version"]),
            Cell(*VERDICTS.get(update["verdict"], (update["verdict"],))),
            Cell(update["reason"] or None),
            Cell(time_of(update["updated_at"])),
        ]


def _rows_of_locks(environment: Record) -> Iterator[list[Cell]]:
    for lock in environment["locks"]:
        values = (time_of(lock["until"]), lock["author"], lock["reason"], lock["group"] or "this environment")
        yield [host_cell(environment), *map(Cell, values)]


def _row_of_release(environment: Record) -> list[Cell]:
    release = environment["release"]
    return [host_cell(environment), *map(Cell, (release["release"], release["state"], time_of(release["sent_at"])))]
