# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What has changed since an earlier report."""

from __future__ import annotations

from ...module_utils._text import printable
from ..plain_values import Record
from .part import LONGEST_REASON, Comparison
from .parts import BY_URGENCY
from .pieces import Cell, Section, Table
from .words import time_of

FORMAT = 1
"""The version of the document's shape. Another one is no basis for a comparison."""


def changes_of(document: Record, previous: object, problem: str) -> Record | None:
    """Return how the document differs from an earlier one, or None when no earlier one was named.

    :param problem: why there is no earlier one although one was named.
    """
    if problem:
        return {"problem": printable(str(problem), LONGEST_REASON)}
    if previous is None:
        return None
    if not isinstance(previous, dict) or previous.get("format") != FORMAT:
        return {"problem": "The earlier file is not the JSON of a report that this version can compare with."}
    try:
        return _differences(document, previous)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return {"problem": "The earlier file is the JSON of a report, but damaged. It cannot be compared with."}


def _differences(document: Record, previous: Record) -> Record:
    now = {one["environment_id"]: one for one in document["environments"] if one["environment_id"]}
    before = {one["environment_id"]: one for one in previous["environments"] if one["environment_id"]}
    both = [(before[identifier], now[identifier]) for identifier in now if identifier in before]
    differences = {
        "since": str(previous["time"]),
        "new_environments": [one["host"] for identifier, one in now.items() if identifier not in before],
        "removed_environments": [str(one["host"]) for identifier, one in before.items() if identifier not in now],
    }
    for part in BY_URGENCY:
        differences |= part.changes(Comparison(previous, document, both))
    return differences


def section_of(changes: Record | None) -> Section:
    """Return the section of the page, an empty one when no earlier report was named."""
    section = Section("changes", "What has changed")
    if changes is None:
        return section
    if "problem" in changes:
        section.notes.append(changes["problem"])
        return section
    section.title = f"What has changed since {time_of(changes['since']) or changes['since']}"
    rows = [
        *([Cell(one), Cell("new environment"), Cell(None), Cell(None)] for one in changes["new_environments"]),
        *(
            [Cell(one), Cell("no longer in the report"), Cell(None), Cell(None)]
            for one in changes["removed_environments"]
        ),
        *(row for part in BY_URGENCY for row in part.changed_rows(changes)),
    ]
    if rows:
        section.tables.append(Table("Changes", ["Environment", "What", "Before", "Now"], rows))
    else:
        section.notes.append("Environments, versions, plugins and releases are the same.")
    for part in BY_URGENCY:
        part.add_changes(changes, section)
    return section
