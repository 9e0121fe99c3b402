# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table in docs/failures.md: how a story is told there, and how it is read and written."""

from __future__ import annotations

from pathlib import Path

from faults.cases import COLUMN_OF, COLUMNS, Seen, Stories, Story

GUIDE = Path(__file__).parents[2] / "docs" / "failures.md"
BEGIN, END = "<!-- begin of what `make faults` has seen -->\n", "<!-- end of what `make faults` has seen -->\n"
SEPARATOR = "; "

Table = dict[str, list[str]]
"""For each fault, by its name, what happens to the modules of each column."""


def told(story: Story) -> str:
    """A story in a few words. The third run has none: it never sends anything."""
    disturbed, following, _third = story
    return f"`{disturbed.verdict}`, sent {disturbed.sent}, done {disturbed.done}; then {_next(following)}"


def _next(seen: Seen) -> str:
    if seen.sent:
        return "sends"
    if not seen.failed:
        return "nothing to do"
    if seen.verdict != "outcome_unknown":
        return f"fails with `{seen.verdict}`"
    return "looks" if seen.looked else "asks you"


def table_of(stories: Stories) -> Table:
    """The table's rows for what was seen; raises ValueError when modules of one column do not behave alike."""
    table: Table = {}
    for mishap in dict.fromkeys(mishap for mishap, _mode, _module in stories):
        cells: dict[str, dict[str, str]] = {column.title: {} for column in COLUMNS}
        for (one, mode, module), story in stories.items():
            if one is mishap:
                cells[COLUMN_OF[module].title][f"{module}, {mode}"] = told(story)
        for title, texts in cells.items():
            if len(set(texts.values())) != 1:
                raise ValueError(f"{mishap}: the modules of the column {title!r} do not behave alike: {texts}")
        table[mishap.name] = [next(iter(texts.values())) for texts in cells.values()]
    return table


def written(table: Table) -> str:
    """The table in Markdown. Faults with the same consequences share a line."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, cells in table.items():
        alike.setdefault(tuple(cells), []).append(name)
    titles = [f"{column.title}: {', '.join(map(_named, column.modules))}" for column in COLUMNS]
    lines = [["the write meets", *titles], ["---"] * (1 + len(COLUMNS))]
    lines += [[SEPARATOR.join(names), *cells] for cells, names in alike.items()]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).replace("| --- ", "|---").replace("|--- |", "|---|")


def _named(module: str) -> str:
    name, _separator, variant = module.partition("-")
    return f"`{name}` ({variant})" if variant else f"`{name}`"


def in_guide() -> str:
    """The table as the guide has it."""
    return GUIDE.read_text().partition(BEGIN)[2].partition(END)[0].strip("\n") + "\n"


def read(text: str) -> Table:
    """The table that was written like this."""
    table: Table = {}
    for line in text.splitlines()[2:]:
        names, *cells = line.removeprefix("| ").removesuffix(" |").split(" | ")
        table |= dict.fromkeys(names.split(SEPARATOR), cells)
    return table


def put_into_guide(text: str) -> None:
    """Let the guide have this table."""
    before, begin, rest = GUIDE.read_text().partition(BEGIN)
    _old, end, after = rest.partition(END)
    GUIDE.write_text(f"{before}{begin}\n{text}\n{end}{after}")
