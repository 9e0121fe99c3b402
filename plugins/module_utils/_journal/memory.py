# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No journal: what is remembered ends with the task."""

from __future__ import annotations

from .rows import Entry, Subject


class NoJournal:
    """Remembers nothing beyond the task."""

    def __init__(self) -> None:
        self._rows: dict[Subject, tuple[Entry, ...]] = {}

    def read(self, subject: Subject) -> tuple[Entry, ...]:
        return self._rows.get(subject, ())

    def replace(
        self, subject: Subject, seen: tuple[Entry, ...], now: tuple[Entry, ...], *, durable: bool = True
    ) -> bool:
        self._rows[subject] = now
        return True

    def subjects(self, service: str, prefix: str) -> list[tuple[Subject, Entry]]:
        return [
            (subject, entry)
            for subject, entries in self._rows.items()
            for entry in entries
            if subject[0] == service and subject[1].startswith(prefix)
        ]

    def of_environment(self, service: str, environment_id: str) -> list[tuple[Subject, Entry]]:
        return [
            (subject, entry)
            for subject, entry in self.subjects(service, "")
            if f"/{environment_id}" in subject[1] or entry.key == environment_id
        ]

    def identity(self) -> str:
        return "none"

    def require_writable(self) -> None:
        """There is nothing to write to."""

    def warning(self) -> None:
        """Whoever wants no journal needs no warning."""

    def let_go(self) -> None:
        """Nothing is open."""

    def close(self) -> None:
        """Nothing is open."""
