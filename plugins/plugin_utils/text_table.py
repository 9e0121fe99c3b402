# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables for people who read a terminal or a log."""

from __future__ import annotations

from typing import Any

from ..module_utils._text import printable
from .plain_values import Record

LONGEST_UNFOLDED = 10  # rows
MOST_NAMES = 3
LONGEST_NAME = 100  # characters


def table(rows: list[Record], columns: list[str], widest: int = 60) -> list[str]:
    """Return the rows as lines with aligned columns."""
    cells = [[_cell(row.get(column), widest) for column in columns] for row in rows]
    shown = [place for place in range(len(columns)) if any(row[place] for row in cells)]
    lines = [[columns[place] for place in shown], *([row[place] for place in shown] for row in cells)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]


def folded(rows: list[Record], name: str = "environment", of: str = "environments") -> list[Record]:
    """Return the rows of a long table with those in one that differ in their names only, and in numbers.

    :param name: the column of the names.
    :param of: what they are for people.
    """
    if len(rows) <= LONGEST_UNFOLDED:
        return rows
    groups: dict[str, list[Record]] = {}
    for row in rows:
        alike = [[key, value] for key, value in row.items() if key != name and not _is_number(value)]
        groups.setdefault(repr(alike), []).append(row)
    return [{**_ranges(group), name: names_of([str(row[name]) for row in group], of)} for group in groups.values()]


def names_of(names: list[str], of: str) -> str:
    """Return names in a line; of many, their number and the first ones."""
    shown = ", ".join(printable(name, LONGEST_NAME) for name in names[:MOST_NAMES])
    return shown if len(names) <= MOST_NAMES else f"{len(names)} {of}: {shown}, …"


def counted(number: int, noun: str) -> str:
    """Return the number with its noun, such as 1 host, 2 hosts."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _ranges(group: list[Record]) -> Record:
    """Return a row of the values of a group, with the least and the greatest of numbers."""
    row = dict(group[0])
    for column in row:
        numbers = [one[column] for one in group if _is_number(one.get(column))]
        if numbers and min(numbers) != max(numbers):
            row[column] = f"{min(numbers)} to {max(numbers)}"
    return row


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: Any, widest: int) -> str:
    text = "" if value is None else printable(str(value), widest + 1)
    return text if len(text) <= widest else f"{text[: widest - 1]}…"
