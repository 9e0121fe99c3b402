# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role report tells people once the report is written, line by line."""

from __future__ import annotations

from ...module_utils._text import printable
from ..plain_values import Record, plain

MOST_GAPS = 20  # that are named


def text_of(document: Record, files: list[str], *, check_mode: bool = False) -> list[str]:
    """Return the lines for people: where the report is, what needs attention, and what is missing.

    :param document: what the report has, as its JSON file does.
    :param files: where it was written to; empty ones were not wanted.
    """
    document = plain(document)
    summary, gaps = document["summary"], document["not_read"]
    lines = [
        f"{document['title']}: environments: {summary['environments']}, sites: {summary['sites']}",
        *(f"{'would be written' if check_mode else 'written'}: {path}" for path in files if path),
        *(f"{'URGENT' if one['level'] == 'bad' else 'soon'}: {one['text']}" for one in document["attention"]),
        *(f"not shown: {one['title']}. {one['reason']}" for one in document["not_shown"]),
        *(f"not read: {one['part']} of {one['subject']}: {one['reason']}" for one in gaps[:MOST_GAPS]),
    ]
    if len(gaps) > MOST_GAPS:
        lines.append(f"not read: {len(gaps) - MOST_GAPS} more, which the report lists")
    if document["charts"] == "missing":
        lines.append(
            "no charts: matplotlib is not installed where Ansible runs. Install it with pip install matplotlib."
        )
    return [printable(line) for line in lines]
