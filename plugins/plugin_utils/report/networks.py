# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks that ask most."""

from __future__ import annotations

from collections import Counter

from ..plain_values import Record
from .part import Fleet, Part
from .pieces import Cell, Section, Table, bars, number_cell
from .words import number_of


class Networks(Part):
    """The networks that requests come from, with the environments that they ask."""

    name, title, key = "networks", "Networks with the most requests", "asns"

    def of_environment(self, host: Record, read: Record | None) -> Record:
        named = read and [{"name": str(one["name"]), "views": number_of(one["views"])} for one in read["asns"]]
        return {"networks": named}

    def of_fleet(self, fleet: Fleet) -> Record:
        views: Counter[str] = Counter()
        places: dict[str, set[str]] = {}
        for one in fleet.environments:
            for network in one["networks"] or []:
                views[network["name"]] += network["views"]
                places.setdefault(network["name"], set()).add(one["host"])
        rows = [{"name": name, "views": number, "environments": len(places[name])} for name, number in views.items()]
        return {"networks": sorted(rows, key=lambda row: (-row["views"], row["name"]))}

    def section(self, document: Record) -> Section:
        section = Section(self.name, self.title)
        networks = document["networks"]
        if networks:
            section.charts += bars("Requests by network", [(one["name"], one["views"], False) for one in networks])
            rows = [
                [Cell(one["name"]), number_cell(one["views"]), number_cell(one["environments"])] for one in networks
            ]
            section.tables.append(Table("Requests by network", ["Network", "Requests", "Environments"], rows))
        return section
