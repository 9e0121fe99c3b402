# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role deploy tells people at the end, line by line."""

from __future__ import annotations

from collections.abc import Iterator

from ..module_utils._text import printable
from .plain_values import Record
from .plan import lines_of
from .text_table import counted, folded, table
from .verified_pictures import words_of_pictures

COLUMNS = ["environment", "before", "after", "done", "seconds", "needs"]
LONGEST_CELL = 110  # characters
LONGEST_TEXT = 4000  # characters: the command that settles it comes last
MOST_LEFT = 10  # that are named for --limit


def text_of(summary: Record, left: list[str]) -> list[str]:
    """Return the lines for people: the table, or in check mode the plan, the totals, and what to do next.

    :param summary: what became of all environments, as the JSON file has it.
    :param left: the names of the environments to deploy to again.
    """
    return [
        *_rows(summary),
        _totals(summary["totals"], summary["check_mode"]),
        *_next(left),
        *_logs(summary),
        *_pictures(summary),
        *_unsettled(summary),
    ]


def _rows(summary: Record) -> list[str]:
    if summary["check_mode"]:
        return lines_of(summary["plan"])
    return table(folded([_row(one) for one in summary["environments"]]), COLUMNS, LONGEST_CELL)


def _row(result: Record) -> Record:
    return {
        "environment": result["environment"],
        "before": result["before"] or "-",
        "after": result["after"] or "-",
        "done": ", ".join(result["done"]) or "-",
        "seconds": result["seconds"] if result["done"] or result["problem"] else None,
        "needs": ("rolled back. " if result["rolled_back"] and result["failed"] else "") + result["problem"],
    }


def _totals(totals: Record, check_mode: bool) -> str:
    changed, would_be = ("would be changed", "would be ") if check_mode else ("changed", "")
    said = [
        f"{counted(totals['environments'], 'environment')}: {totals['changed']} {changed}",
        f"{totals['unchanged']} had nothing to do",
        f"{totals['failed']} failed",
    ]
    if totals["rolled_back"]:
        said.append(f"{totals['rolled_back']} {would_be}rolled back")
    if totals["not_reached"]:
        said.append(f"{totals['not_reached']} not reached")
    return f"{', '.join(said)}."


def _next(left: list[str]) -> Iterator[str]:
    if len(left) > MOST_LEFT:
        yield "Fix the cause, then run the same command again: it leaves alone what is done."
    elif left:
        limit = ":".join(left)
        yield f"Fix the cause, then run the same command again; --limit '{limit}' selects those that are left."


def _logs(summary: Record) -> Iterator[str]:
    for one in summary["environments"]:
        if one["log"]:
            yield f"{printable(one['environment'])}: the end of its error log: {' | '.join(one['log'])}"


def _pictures(summary: Record) -> Iterator[str]:
    for one in summary["environments"]:
        for words in words_of_pictures(one["pictures"]):
            yield printable(f"{one['environment']}: {words}")


def _unsettled(summary: Record) -> Iterator[str]:
    for one in summary["environments"]:
        if one["failed"] and one["unsettled"]:
            yield printable(f"{one['environment']}: {one['problem']} {one['advice']}", LONGEST_TEXT)
