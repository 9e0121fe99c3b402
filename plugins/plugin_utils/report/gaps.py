# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is missing in a report: what could not be read, what the service does not show, and charts."""

from __future__ import annotations

from collections.abc import Iterator

from ..plain_values import Record
from .part import Part
from .pieces import Cell, Section, Table
from .words import count


class Gaps(Part):
    """What is missing, from all parts together."""

    name, title = "gaps", "What is missing here"
    urgency = 90

    def summary(self, document: Record) -> Record:
        return {"not_read": len(document["not_read"])}

    def attention(self, document: Record) -> Iterator[Record]:
        if document["not_read"]:
            yield self.note("warn", f"{count(len(document['not_read']), 'reading')} failed.")

    def section(self, document: Record) -> Section:
        section = Section(self.name, self.title)
        if document["charts"] == "missing":
            section.notes.append(
                "There are no charts, because matplotlib is not installed where Ansible runs: pip install matplotlib."
                " Each chart's numbers are in its table."
            )
        if document["not_shown"]:
            rows = [[Cell(one["title"]), Cell(one["reason"])] for one in document["not_shown"]]
            section.tables.append(Table("What this service does not show", ["Part", "Reason"], rows))
        alike: dict[tuple[str, str], list[str]] = {}
        for one in document["not_read"]:
            alike.setdefault((one["part"], one["reason"]), []).append(one["subject"])
        rows = []
        for (part, reason), subjects in alike.items():
            subject = Cell(subjects[0]) if len(subjects) == 1 else Cell(f"{len(subjects)} times", more=subjects)
            rows.append([subject, Cell(part), Cell(reason)])
        if rows:
            section.tables.append(Table("What could not be read", ["Where", "Part", "Reason"], rows))
        return section
