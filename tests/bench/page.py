# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table as part of a page in Markdown, between two lines that mark its place."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .goals import Row

BEGIN, END = "<!-- begin of what `make bench` has measured -->\n", "<!-- end of what `make bench` has measured -->\n"
MARKS = {True: "yes", False: "no", None: "–"}


def write(path: Path, rows: Iterable[Row], notes: Iterable[str]) -> None:
    """Put the rows, and the notes below them, in the place of what stands between the marks of the page."""
    before, _begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _old, _end, after = rest.partition(END)
    if not (_begin and _end):
        raise ValueError(f"{path} has no place for the table: it lacks the line {BEGIN.strip()} or {END.strip()}")
    path.write_text(before + BEGIN + "\n" + _markdown(rows, notes) + "\n" + END + after, encoding="utf-8")


def _markdown(rows: Iterable[Row], notes: Iterable[str]) -> str:
    lines = ["| work | measured | goal | met? |", "|---|---|---|---|"]
    lines += [
        f"| {row.work.strip()} | {row.measured} | {row.goal or '–'} | {MARKS[row.is_met] if row.goal else '–'} |"
        for row in rows
    ]
    return "\n".join([*lines, "", *(f"- {note}" for note in notes)]) + "\n"
