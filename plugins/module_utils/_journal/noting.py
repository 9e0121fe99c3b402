# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a request has come: a note in its row, beside whatever others note meanwhile."""

from __future__ import annotations

from .opening import Journal
from .rows import Entry, Subject


def note_progress(
    journal: Journal,
    subject: Subject,
    entry: Entry,
    progress: str,
    operation_id: str | None = None,
    *,
    supersedes: bool = False,
) -> bool:
    """Note how far a request has come; False when it is not in the journal any more.

    With ``supersedes``, what was sent before it of other releases, and what it has taken the place of, no longer
    counts: the subject has this one now.
    """
    while True:
        rows = journal.read(subject)
        mine = next((one for one in rows if one.is_about(entry)), None)
        if mine is None:
            return False
        others = tuple(one for one in rows if one is not mine)
        if supersedes:
            others = tuple(
                one
                for one in others
                if one.sent_at > entry.sent_at or (one.release == entry.release and one.key != entry.key_of_displaced)
            )
        is_known = mine.progress == progress and operation_id in (None, mine.operation_id)
        now = mine if is_known else mine.with_progress(progress, operation_id)
        if journal.replace(subject, rows, (*others, now), durable=False):
            return True
