# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the page of a report is made of: sections with notes, charts and tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...module_utils._text import printable
from ..plain_values import Record
from . import charts
from .words import LONGEST_NAME, grouped

MOST_BARS = 10

Bar = tuple[str, float, bool]
"""Label, number, and whether it is a bad one."""


class Tile(NamedTuple):
    """A number at the top of a page, with a line that explains it and its level of urgency."""

    name: str
    value: object
    note: str = ""
    level: str = ""


@dataclass
class Cell:
    """A cell of a table: text or a number, a level of urgency, more lines behind a click, and a picture of the text."""

    value: object
    level: str = ""
    more: list[str] = field(default_factory=list)
    picture: str = ""
    is_number: bool = False


@dataclass
class Table:
    """A table; one that is folded is behind a click."""

    title: str
    columns: list[str]
    rows: list[list[Cell]]
    folded: bool = False

    @property
    def headings(self) -> list[tuple[str, bool]]:
        """The columns, and whether they have numbers."""
        columns = zip(*self.rows, strict=True)
        return [
            (name, any(cell.is_number for cell in cells)) for name, cells in zip(self.columns, columns, strict=True)
        ]


@dataclass
class Chart:
    """A chart: what it shows, the same in words, and how to draw it."""

    title: str
    text: str
    draw: Callable[[], str]
    picture: str = ""


@dataclass
class Section:
    """A part of the page."""

    name: str
    title: str
    charts: list[Chart] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def bars(
    title: str,
    rows: Sequence[Bar],
    unit: str = "",
    limit: float | None = None,
    most: int = MOST_BARS,
) -> list[Chart]:
    """Return a chart of the first rows, which says the same in words; none of fewer than two bars."""
    if len(rows) < 2:
        return []
    shown = [(str(label), number, f"{grouped(number)}{unit}", bad) for label, number, bad in rows[:most]]
    rest = f" and {len(rows) - most:,} more" if len(rows) > most else ""
    words = "; ".join(f"{printable(label, LONGEST_NAME)}: {text}" for label, _number, text, _bad in shown)
    return [Chart(title, f"{words}{rest}.", lambda: charts.bars(shown, limit))]


def host_cell(environment: Record) -> Cell:
    """Return the cell that says which environment a row is about."""
    return Cell(environment["host"])


def number_cell(value: float | None, level: str = "") -> Cell:
    """Return the cell of a number."""
    return Cell(grouped(value), level, is_number=True)


def change_cells(change: Record, what: str) -> list[Cell]:
    """Return the row of the table of changes for a change with ``from`` and ``to``."""
    return [Cell(change["host"]), Cell(what), Cell(change["from"]), Cell(change["to"])]
