# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role maintain tells people at the end, line by line."""

from __future__ import annotations

from collections.abc import Iterator

from .plain_values import Record, plain
from .plan import lines_of, paths_of
from .text_table import counted, table

COLUMNS = ["environment", "done", "needs a person", "to know"]
LONGEST_CELL = 110  # characters
LEVELS = {
    "fail": "NEEDS A PERSON",
    "warn": "warning",
    "held": "held back",
    "cannot": "not possible with this service",
}
"""The levels of findings in the order in which they are told, with the words for them."""


def text_of(summary: Record, plan_file: str = "", *, plan_details: bool = False) -> list[str]:
    """Return the lines for people: what was done, or the plan, and each finding once, and then the totals.

    :param summary: what maintenance_summary.summary_of returned.
    :param plan_file: the file that the plan was written to, if there is one.
    :param plan_details: whether each value that the plan adds or removes has a line.
    """
    summary = plain(summary)
    return [
        *_done(summary, plan_details),
        *_findings(summary["notes"]),
        *_where_the_plan_is(summary, plan_file),
        _totals(summary["totals"], summary["check_mode"], summary["key"]),
    ]


def _done(summary: Record, plan_details: bool) -> list[str]:
    if summary["check_mode"]:
        return lines_of(summary["plan"], details=plan_details)
    return table(summary["rows"], COLUMNS, LONGEST_CELL)


def _findings(notes: list[Record]) -> Iterator[str]:
    for level, words in LEVELS.items():
        for one in notes:
            if one["level"] == level:
                yield f"{words}: {one['where']}: {one['title']}: {one['text']}"


def _where_the_plan_is(summary: Record, plan_file: str) -> Iterator[str]:
    if summary["check_mode"] and plan_file:
        yield f"The plan is in {' and '.join(paths_of(plan_file).values())}."


def _totals(totals: Record, check_mode: bool, key: list[Record]) -> str:
    needing, changed = totals["need_a_person"], "would be changed" if check_mode else "changed"
    besides = " (the API key does)" if any(one["level"] == "fail" for one in key) else ""
    said = [
        f"{counted(totals['environments'], 'environment')}: {totals['changed']} {changed}",
        f"{totals['unchanged']} had nothing to do",
        f"{needing} need{'s' if needing == 1 else ''} a person{besides}",
    ]
    if totals["not_reached"]:
        said.append(f"{totals['not_reached']} not reached")
    return f"{', '.join(said)}."
