# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures as a chart: what an item of a loop costs, and how long fleets take."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot

from .measuring import Figures, fleet
from .playbooks import FLOOR, OURS, PROCESS, TITLES, URI

COLOURS = {FLOOR: "#8a8f98", OURS: "#0b7a4b", PROCESS: "#c77700", URI: "#b3261e"}
NOTICE = (
    "<!-- Copyright: hosting.management contributors\n"
    "GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)\n"
    "SPDX-License-Identifier: GPL-3.0-or-later -->\n"
)
STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "figure.facecolor": "white",  # readable on a dark page, too
    "axes.facecolor": "white",
    "svg.fonttype": "none",  # text as text: smaller, and it can be searched
    "svg.hashsalt": "hosting.management",
}


def draw(figures: Figures, path: Path) -> None:
    """Write the chart as SVG."""
    with mpl.rc_context(STYLE):
        figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
        _bars(left, figures)
        _lines(right, figures)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
    first, rest = path.read_text(encoding="utf-8").split("\n", 1)
    # Trailing blanks in a file that is kept with the sources would be found fault with.
    lines = [line.rstrip() for line in rest.splitlines()]
    path.write_text(f"{first}\n{NOTICE}" + "\n".join(lines) + "\n", encoding="utf-8")


def _bars(axes, figures: Figures) -> None:
    # What noise has made less than nothing has no place on a logarithmic axis.
    costs = {way: max(figures.an_item(way), 0.1) for way in (URI, PROCESS, OURS, FLOOR)}
    bars = axes.barh(
        [TITLES[way].replace(", ", ",\n") for way in costs], list(costs.values()), color=[COLOURS[way] for way in costs]
    )
    axes.bar_label(bars, [f"{cost:.1f} ms" if cost < 10 else f"{cost:.0f} ms" for cost in costs.values()], padding=4)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlim(min(costs.values()) / 3, max(costs.values()) * 4)
    axes.set_xlabel("milliseconds, logarithmic")
    axes.set_title("Processor time of a request in a loop")
    axes.invert_yaxis()


def _lines(axes, figures: Figures) -> None:
    for way in (URI, PROCESS, OURS, FLOOR):
        points = [(hosts, figures.median(fleet(hosts), way, "seconds")) for hosts in figures.fleets]
        points = [(hosts, seconds) for hosts, seconds in points if seconds is not None]
        if points:
            axes.plot(*zip(*points, strict=True), marker="o", markersize=4, color=COLOURS[way], label=TITLES[way])
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("hosts, with 10 forks")
    axes.set_ylabel("seconds")
    axes.set_title("Time of a task for a fleet")
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=9)
