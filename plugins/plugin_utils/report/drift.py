# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How environments differ from what is declared, or from a plan."""

from __future__ import annotations

from collections.abc import Iterator

from ..drift import drift_of, failed_of
from ..plain_values import Record
from ..results import is_not_offered
from .part import Fleet, Part
from .pieces import Cell, Section, Table, host_cell
from .variables import DRIFT
from .words import count, names

KINDS = {
    "differs": ("How environments differ", "Difference", "warn"),
    "planned": ("Planned, and not done yet", "Difference", ""),
    "unknown": ("What could not be compared", "Reason", ""),
}


class Drift(Part):
    """What the role maintain would bring back."""

    name, title, key = DRIFT, "Drift", "differs"
    urgency = 50

    def of_environment(self, host: Record, read: Record | None) -> Record:
        asked = host.get(self.name) or {}
        return {"drift": drift_of(read, asked.get("planned")) if read and asked.get("declares") else None}

    def failures(self, host: Record) -> Iterator[Record]:
        """Yield what was to be compared and could not be, where something is declared that the service offers."""
        asked, result = host.get(self.name) or {}, host.get("parts", {}).get(self.name)
        if asked.get("problem"):
            yield self.unread(host["host"], {"msg": asked["problem"]})
        elif asked.get("declares") and result and not result.get("skipped"):
            if self.key not in result:
                yield self.unread(host["host"], result)
            for title, entry in failed_of(result):
                if not is_not_offered(entry):
                    yield self.unread(f"{host['host']}, {title}", entry)

    def of_fleet(self, fleet: Fleet) -> Record:
        return {"drift_from": "the plan" if fleet.has_plan else "what is declared"}

    def summary(self, document: Record) -> Record:
        return {
            "compared_environments": sum(bool(one["drift"]) for one in document["environments"]),
            "drifted_environments": len(_drifted(document)),
        }

    def attention(self, document: Record) -> Iterator[Record]:
        drifted = _drifted(document)
        if drifted:
            number = len(drifted)
            what = "1 environment differs" if number == 1 else f"{number:,} environments differ"
            yield self.note("warn", f"{what} from {document['drift_from']}: {names(drifted)}.")

    def section(self, document: Record) -> Section:
        section = Section(self.name, f"{self.title} from {document['drift_from']}")
        compared = [one for one in document["environments"] if one["drift"]]
        if not compared:
            return section
        for kind, (title, column, level) in KINDS.items():
            rows = [
                [host_cell(one), Cell(found["title"], level), Cell(found["text"])]
                for one in compared
                for found in one["drift"][kind]
            ]
            if rows:
                section.tables.append(Table(title, ["Environment", "Part", column], rows))
        drifted = document["summary"]["drifted_environments"]
        if drifted:
            section.notes.append(
                f"{drifted:,} of {count(len(compared), 'compared environment')} drifted. The playbook"
                " hosting.management.maintain with --check shows what would bring them back."
            )
        else:
            section.notes.append(f"{count(len(compared), 'environment')} compared: none has drifted.")
        others = [[host_cell(one)] for one in document["environments"] if not one["drift"]]
        if others:
            section.tables.append(Table("Environments that were not compared", ["Environment"], others, folded=True))
        return section


def _drifted(document: Record) -> list[Record]:
    return [one for one in document["environments"] if one["drift"] and one["drift"]["differs"]]
