# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The visits of each environment, and of all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from markupsafe import Markup

from ..plain_values import Record
from . import charts
from .part import Comparison, Fleet, Part
from .pieces import MOST_BARS, Cell, Chart, Section, Table, bars, host_cell, number_cell
from .words import count, day_of, grouped, number_of, short_time

FEWEST_ROWS = 6  # of the bars that a line is as high as


class Visits(Part):
    """The visits in the time frame of the report."""

    name, title, key = "visits", "Visits", "visits"
    urgency = 80

    def of_environment(self, host: Record, read: Record | None) -> Record:
        return {"visits": read and _counted(read["visits"])}

    def of_fleet(self, fleet: Fleet) -> Record:
        return {"visits": _over_time(fleet.environments)}

    def summary(self, document: Record) -> Record:
        counted = [one["visits"]["total"] for one in document["environments"] if one["visits"]]
        return {"visits": sum(counted) if counted else None}

    def changes(self, compared: Comparison) -> Record:
        is_alike = compared.before["time_frame"] == compared.now["time_frame"]
        return {"visits": _moves(compared.both) if is_alike else None}

    def section(self, document: Record) -> Section:
        section = Section(self.name, self.title)
        counted = [one for one in document["environments"] if one["visits"]]
        if not counted:
            return section
        points = document["visits"]
        if points:
            text = _course([point["visits"] for point in points], [day_of(point["time"]) for point in points])
            title = f"Visits of {count(len(counted), 'environment')} together"
            pairs = [(short_time(point["time"]), point["visits"]) for point in points]
            height = min(max(len(counted), FEWEST_ROWS), MOST_BARS)
            section.charts.append(Chart(title, text, lambda: charts.lines(pairs, height)))
        ranked = sorted(counted, key=lambda one: (-one["visits"]["total"], one["host"]))
        section.charts += bars(
            "Environments with the most visits", [(one["host"], one["visits"]["total"], False) for one in ranked]
        )
        section.tables.append(_by_environment(ranked, draws=document["charts"] == "drawn"))
        section.tables.append(_by_time(points, ranked))
        return section

    def add_changes(self, changes: Record, section: Section) -> None:
        visits = changes["visits"]
        if not visits:
            return
        total = visits["total"]
        moved = "" if total["percent"] is None else f" ({total['percent']:+g} %)"
        section.notes.append(f"Visits: {grouped(total['to'])}, before {grouped(total['from'])}{moved}.")
        rows = [
            [host_cell(one), *(number_cell(one[name]) for name in ("from", "to", "percent"))]
            for one in visits["environments"]
        ]
        columns = ["Environment", "Before", "Now", "Percent"]
        section.tables.append(Table("Visits before and now", columns, rows, folded=True))


def _counted(read: Record) -> Record:
    points = [{"time": str(point["time"]), "visits": number_of(point["visits"])} for point in read["points"]]
    return {"total": number_of(read["total"]), "points": sorted(points, key=lambda point: point["time"])}


def _over_time(environments: list[Record]) -> list[Record]:
    """Return the visits of all environments together at each time."""
    total: Counter[str] = Counter()
    for one in environments:
        for point in (one["visits"] or {"points": []})["points"]:
            total[point["time"]] += point["visits"]
    return [{"time": time, "visits": total[time]} for time in sorted(total)]


def _moves(both: Iterable[tuple[Record, Record]]) -> Record | None:
    """Return how the visits of those environments have changed whose visits both reports know."""
    rows = [
        {"host": now["host"], **_moved(number_of(was["visits"]["total"]), now["visits"]["total"])}
        for was, now in both
        if was["visits"] and now["visits"]
    ]
    if not rows:
        return None
    total = _moved(sum(row["from"] for row in rows), sum(row["to"] for row in rows))
    return {"total": total, "environments": rows}


def _moved(before: float, after: float) -> Record:
    return {"from": before, "to": after, "percent": round(100 * (after - before) / before, 1) if before else None}


def _by_environment(ranked: list[Record], *, draws: bool) -> Table:
    series = [[point["visits"] for point in one["visits"]["points"]] for one in ranked]
    drawn = charts.sparklines([one or [0] for one in series]) if draws else [""] * len(ranked)
    table = Table("Visits of each environment", ["Environment", "Course", "Visits", "Highest", "Site"], [])
    for one, values, line in zip(ranked, series, drawn, strict=True):
        course = Cell(_course(values), picture=Markup(line))  # noqa: S704 - escaped by what draws it
        numbers = (one["visits"]["total"], max(values, default=None))
        table.rows.append([host_cell(one), course, *map(number_cell, numbers), Cell(one["site_name"])])
    return table


def _by_time(points: list[Record], environments: list[Record]) -> Table:
    times = [point["time"] for point in points]
    table = Table("Visits at each time", ["Environment", *map(short_time, times)], [], folded=True)
    total = {point["time"]: point["visits"] for point in points}
    table.rows.append([Cell("All together"), *(number_cell(total[time]) for time in times)])
    for one in environments:
        visits = {point["time"]: point["visits"] for point in one["visits"]["points"]}
        table.rows.append([host_cell(one), *(number_cell(visits.get(time)) for time in times)])
    return table


def _course(values: list[float], times: list[str] | None = None) -> str:
    """Return in words how numbers went, at which times if they are given."""
    if not values:
        return "nothing was counted"
    least, most = min(values), max(values)
    if least == most:
        return f"always {grouped(most)}"
    when = {number: f" ({times[values.index(number)]})" if times else "" for number in (least, most)}
    ends = f"from {grouped(values[0])} to {grouped(values[-1])}"
    return f"{ends}, at least {grouped(least)}{when[least]}, at most {grouped(most)}{when[most]}"
