# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role access tells people at the end, line by line."""

from __future__ import annotations

from collections.abc import Iterator

from .plain_values import Record, plain
from .plan import lines_of, paths_of
from .text_table import counted, table

LONGEST_CELL = 110  # characters
TITLE = {True: "WordPress administrator", None: "not known"}


def text_of(summary: Record, plan_file: str = "") -> list[str]:
    """Return the lines for people: tables of what there is anything to say of, the totals, and what needs a person.

    :param summary: what access_outcome.summary_of returned.
    :param plan_file: the file that the plan was written to, if there is one.
    """
    summary = plain(summary)
    blocks = [block for block in _blocks(summary) if block]
    return [
        *(line for block in blocks for line in [*block, ""]),
        *_needs_of_company(summary["needs"]),
        _totals(summary),
        *summary["not_shown"],
        *_where_the_plan_is(summary, plan_file),
        _conclusion(len(summary["needs"])),
    ]


def _blocks(summary: Record) -> Iterator[list[str]]:
    if summary["check_mode"]:
        yield lines_of(summary["plan"]) if summary["roles"] else []
    else:
        roles = [{**one, "needs": one["problem"]} for one in summary["roles"]]
        yield _table(roles, ["user", "role", "state", "needs"])
    yield _table(list(_former_staff(summary)), ["former staff", "environment", "state"])
    needs = [
        {"environment": one["environment"], "needs": one["text"]}
        for one in summary["needs"]
        if one["kind"] == "sftp" or (one["environment"] and one["kind"] == "failures")
    ]
    yield _table(needs, ["environment", "needs"])


def _needs_of_company(needs: list[Record]) -> Iterator[str]:
    """Yield what no table has: it is about no environment, and about the role of nobody."""
    for one in needs:
        if one["kind"] == "failures" and not (one["environment"] or one["user"]):
            yield one["text"]


def _table(rows: list[Record], columns: list[str]) -> list[str]:
    return table(rows, columns, LONGEST_CELL) if rows else []


def _former_staff(summary: Record) -> Iterator[Record]:
    for one in summary["environments"]:
        for email, is_administrator in one["former_staff"].items():
            if is_administrator is not False:
                where = {"environment": one["environment"], "state": TITLE[is_administrator]}
                yield {"former staff": email, **where}
    for one in summary["former_staff"]:
        if one["is_company_user"]:
            yield {"former staff": one["email"], "environment": "(the company)", "state": "user"}


def _totals(summary: Record) -> str:
    totals, former = summary["totals"], summary["former_staff"]
    done = "would be set" if summary["check_mode"] else "set now"
    said = [f"Roles: {totals['roles']}, {totals['roles_changed']} {done}."]
    if former:
        times = counted(totals["administrators_of_former_staff"], "time")
        where = counted(totals["environments"], "environment")
        said.append(f"Former staff: {len(former)}, administrators {times} in {where}.")
    if totals["sftp_checked"]:
        against = f"{totals['sftp_against_policy']} of {totals['sftp_checked']}"
        said.append(f"SFTP allowlists that violate the policy: {against}.")
    return " ".join(said)


def _where_the_plan_is(summary: Record, plan_file: str) -> Iterator[str]:
    if summary["check_mode"] and plan_file:
        yield f"The plan is in {' and '.join(paths_of(plan_file).values())}."


def _conclusion(needs: int) -> str:
    if not needs:
        return "Nothing needs your attention."
    return f"{counted(needs, 'finding')} need{'s' if needs == 1 else ''} your attention (above)."
