# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans as files: as JSON, which a run can be held to, and as a page for people who approve it."""

from __future__ import annotations

import json
from pathlib import Path

from . import plan as plans
from .plain_values import Record, plain
from .report.page import rendered
from .report.pieces import Tile

REPORT = Path(__file__).parents[2] / "roles" / "report"
"""The folder of the role whose style the page has."""


def files_of(plan: Record, path: str) -> list[Record]:
    """Return the files to write for a plan, each with ``path`` and ``content``.

    :param path: of the JSON file, or of the page alone.
    :raises ValueError: when it is neither, or is in no folder.
    """
    plan = plain(plan)
    contents = {"json": lambda: f"{json.dumps(plan, indent=1)}\n", "html": lambda: page_of(plan)}
    return [{"path": file, "content": contents[kind]()} for kind, file in plans.paths_of(path).items()]


def page_of(plan: Record) -> str:
    """Return the page of a plan. It loads nothing, and all text of the plan is escaped."""
    totals = plan["totals"]
    tiles = [
        Tile(plan["of"], totals["environments"]),
        Tile("would be changed", totals["changed"]),
        Tile("changes", totals["changes"]),
        Tile("removals, and what cannot be undone", totals["warnings"], level="warn" if totals["warnings"] else ""),
    ]
    return rendered(REPORT, "plan.html.j2", plan=plan, tiles=tiles, groups=plans.groups_of(plan))
