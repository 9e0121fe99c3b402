# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The versions of PHP and WordPress, and what else the service shows of an environment itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..plain_values import Record
from .part import Comparison, Fleet, Part
from .pieces import Cell, Section, Table, bars, change_cells, host_cell

SOFTWARE = {"php": "PHP", "wordpress": "WordPress"}


class Versions(Part):
    """What environments run. The inventory may know it where the service does not show it."""

    name, title, key = "versions", "PHP and WordPress versions", "environments"
    urgency = 15
    is_companion = True

    def known_of(self, host: Record, read: Record | None) -> Record:
        """Return what an environment runs and is reached by: as the service just told, else as the inventory says."""
        names = ("php_version", "wordpress_version", "primary_domain", "domains", "is_premium")
        shown = read["environments"][0] if read and read["environments"] else {}
        known = {name: shown.get(f"hosting_{name}", host.get(name)) for name in names}
        known["domains"] = [str(one) for one in known["domains"]] if isinstance(known["domains"], list) else []
        return {name: None if value == "" else value for name, value in known.items()}

    def of_fleet(self, fleet: Fleet) -> Record:
        return {"versions": {name: _counted(fleet.environments, f"{name}_version") for name in SOFTWARE}}

    def changes(self, compared: Comparison) -> Record:
        return {"versions": [one for pair in compared.both for one in _changed(*pair)]}

    def section(self, document: Record) -> Section:
        section = Section(self.name, self.title)
        for name, title in SOFTWARE.items():
            found = document["versions"][name]
            rows = [(one["version"], one["environments"], False) for one in found]
            section.charts += bars(f"Environments by {title} version", rows)
        known = [one for one in document["environments"] if one["php_version"] or one["wordpress_version"]]
        if known:
            columns = ["Environment", "Site", "PHP", "WordPress", "Primary domain"]
            names = ("site_name", "php_version", "wordpress_version", "primary_domain")
            cells = [[host_cell(one), *(Cell(one[name]) for name in names)] for one in known]
            section.tables.append(Table("Versions of each environment", columns, cells))
        return section

    def changed_rows(self, changes: Record) -> list[list[Cell]]:
        return [change_cells(one, one["software"]) for one in changes["versions"]]


def _counted(environments: list[Record], name: str) -> list[Record]:
    counts = Counter(str(one[name]) for one in environments if one[name])
    rows = [{"version": version, "environments": number} for version, number in counts.items()]
    return sorted(rows, key=lambda row: (-row["environments"], row["version"]))


def _changed(was: Record, now: Record) -> Iterator[Record]:
    for software, title in SOFTWARE.items():
        name = f"{software}_version"
        if was[name] and now[name] and was[name] != now[name]:
            yield {"host": now["host"], "software": title, "from": str(was[name]), "to": now[name]}
