# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The visits of each site this month, against its budget."""

from __future__ import annotations

from collections.abc import Iterator

from ..plain_values import Record
from .part import Fleet, Part
from .pieces import Cell, Section, Table, bars, number_cell
from .words import count, names, number_of, positive


class Usage(Part):
    """The usage of sites, each of which may have many environments."""

    name, title, key = "usage", "Usage of this month", "visits"
    urgency = 30

    def of_fleet(self, fleet: Fleet) -> Record:
        sites: dict[str, Record] = {}
        for host in fleet.hosts:
            if not host.get("site_id"):
                continue
            nothing = {"site_id": host["site_id"], "site_name": None, "visits_this_month": None, "visits_budget": None}
            site = sites.setdefault(host["site_id"], nothing)
            site["site_name"] = site["site_name"] or host.get("site_name") or None
            usage = self.read_of(host)
            if usage and site["visits_this_month"] is None:
                site["visits_this_month"] = number_of(usage["visits"])
            site["visits_budget"] = site["visits_budget"] or positive(host.get("visits_budget"))
        for site in sites.values():
            site["site_name"] = site["site_name"] or site["site_id"]
            used, budget = site["visits_this_month"], site["visits_budget"]
            percent = None if used is None or not budget else round(100 * used / budget, 1)
            site["percent"] = percent
            site["is_near_budget"] = percent is not None and percent >= fleet.limits["budget_percent"]
        return {"sites": list(sites.values())}

    def summary(self, document: Record) -> Record:
        usage = [site["visits_this_month"] for site in document["sites"] if site["visits_this_month"] is not None]
        return {
            "visits_this_month": sum(usage) if usage else None,
            "sites_near_budget": sum(site["is_near_budget"] for site in document["sites"]),
        }

    def attention(self, document: Record) -> Iterator[Record]:
        over = [site for site in document["sites"] if _is_used_up(site)]
        near = [site for site in document["sites"] if site["is_near_budget"] and site not in over]
        if over:
            text = f"{count(len(over), 'site')} used up this month's budget: {names(over, 'site_name')}."
            yield self.note("bad", text)
        if near:
            yield self.note("warn", f"{count(len(near), 'site')} near this month's budget: {names(near, 'site_name')}.")

    def section(self, document: Record) -> Section:
        section = Section(self.name, self.title)
        known = [site for site in document["sites"] if site["visits_this_month"] is not None]
        if not known:
            return section
        ranked = sorted(known, key=lambda one: (-(one["percent"] or 0), -one["visits_this_month"]))
        rows = [(one["site_name"], one["percent"], _is_used_up(one)) for one in ranked if one["percent"] is not None]
        if rows:
            section.charts += bars("Percentage of the budget used", rows, unit=" %", limit=100)
        else:
            rows = [(one["site_name"], one["visits_this_month"], False) for one in ranked]
            section.charts += bars("Sites with the most visits this month", rows)
            section.notes.append("No budget is given: set report_visits_budget for the hosts of a site.")
        table = Table("Usage of each site", ["Site", "Visits this month", "Budget", "Percent", "State"], [])
        for site in ranked:
            numbers = [number_cell(site[name]) for name in ("visits_this_month", "visits_budget", "percent")]
            table.rows.append([Cell(site["site_name"]), *numbers, _state_of(site)])
        section.tables.append(table)
        return section


def _is_used_up(site: Record) -> bool:
    return (site["percent"] or 0) >= 100


def _state_of(site: Record) -> Cell:
    if site["percent"] is None:
        return Cell(None)
    if _is_used_up(site):
        return Cell("used up", "bad")
    return Cell("near the budget", "warn") if site["is_near_budget"] else Cell("within the budget", "good")
