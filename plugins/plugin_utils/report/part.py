# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each part of a report has to say, and what it says if it does not say otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from ...module_utils._text import printable
from ..plain_values import Record
from .pieces import Cell, Section

LONGEST_REASON = 600  # characters


@dataclass(frozen=True)
class Fleet:
    """What was read of all hosts, and what it is looked at with."""

    hosts: list[Record]
    environments: list[Record]
    limits: Record
    has_plan: bool


@dataclass(frozen=True)
class Comparison:
    """Two documents, and the records of each environment that is in both: the earlier one, and the one of now."""

    before: Record
    now: Record
    both: list[tuple[Record, Record]]


def gap_of(subject: str, part: str, result: Record) -> Record:
    """Return a gap: what was asked for, and why there is none.

    :param result: that of the task that has failed.
    """
    error: Record = result["error"] if isinstance(result.get("error"), dict) else {}
    return {
        "subject": subject,
        "part": part,
        "kind": error.get("kind"),
        "status": error.get("status"),
        "is_offered": error.get("is_offered", True),
        "reason": printable(str(result.get("msg") or "The task gave no reason."), LONGEST_REASON),
    }


class Part:
    """A part of a report.

    A host has its name, its ids, what its variables say, and under ``parts`` the results of its tasks. An environment
    is what the document has of a host, put together from what all parts say of it.
    """

    name: str
    """What ``report_parts`` calls it, and its place on the page."""
    title: str
    """What its section is called."""
    key: str
    """What only a successful reading has."""
    urgency = 100
    """The less, the earlier stands what it says of what needs attention and of what has changed."""
    is_companion = False
    """Whether the documented interface cannot show it."""

    # ---- what was read, and what was not

    def read_of(self, host: Record) -> Record | None:
        """Return what was read of a host, or None."""
        result = host.get("parts", {}).get(self.name)
        return result if isinstance(result, dict) and self.key in result else None

    def of_environment(self, host: Record, read: Record | None) -> Record:
        """Return what the document has of an environment. What was not read, or not asked for, is null."""
        return {}

    def on_day(self, environment: Record, today: date) -> Record:
        """Return what the document has of an environment because of the day that it is."""
        return {}

    def failures(self, host: Record) -> Iterator[Record]:
        """Yield what was asked for and not told. A task that was skipped was not asked for."""
        result = host.get("parts", {}).get(self.name)
        if isinstance(result, dict) and self.key not in result and not result.get("skipped"):
            yield self.unread(host["host"], result)

    def not_told(self, hosts: list[Record]) -> Iterator[Record]:
        """Yield what a reading of this service lacks, as unshown() returns it."""
        yield from ()

    # ---- what it comes to

    def of_fleet(self, fleet: Fleet) -> Record:
        """Return what the document has of all environments together."""
        return {}

    def summary(self, document: Record) -> Record:
        """Return the numbers that it comes to."""
        return {}

    def attention(self, document: Record) -> Iterator[Record]:
        """Yield what somebody should look at, as note() returns it."""
        yield from ()

    def changes(self, compared: Comparison) -> Record:
        """Return what has changed since an earlier report; raise what indexing raises if that one is damaged."""
        return {}

    # ---- the page

    def section(self, document: Record) -> Section:
        """Return its section of the page. An empty one is not shown."""
        return Section(self.name, self.title)

    def changed_rows(self, changes: Record) -> Iterable[list[Cell]]:
        """Return its rows of the table of changes."""
        return ()

    def add_changes(self, changes: Record, section: Section) -> None:
        """Add to the section of changes what is no row of its table."""

    # ---- words

    def unread(self, subject: str, result: Record) -> Record:
        """Return what was asked for and not told, as gap_of() does."""
        return gap_of(subject, self.name, result)

    def unshown(self, reason: str, title: str = "") -> Record:
        """Return what this service does not show."""
        return {"part": self.name, "title": title or self.title, "reason": reason}

    def note(self, level: str, text: str) -> Record:
        """Return what somebody should look at: at once (``bad``), or soon (``warn``)."""
        return {"level": level, "section": self.name, "text": text}
