# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API key of the run: whether it is active, and when it expires."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from ..judgements import expires_soon, is_active
from ..plain_values import Record
from .days import days_since
from .part import Part
from .pieces import Cell, Section, Table, number_cell
from .words import count, time_of

URGENT_DAYS = 7


class ApiKey(Part):
    """The API key, which is always looked at."""

    name, title, key = "key", "API key", "api_key"
    urgency = 10

    def of_run(self, result: Record, today: date) -> Record | None:
        """Return what the document has of the key.

        :param result: that of api_key_info.
        """
        record = result.get(self.key)
        if not record:
            return None
        days = days_since(record.get("expires_at_iso"), today)
        known = {name: record.get(name) for name in ("name", "status", "expires_at_iso")}
        return {**known, "expires_in_days": None if days is None else -days}

    def attention(self, document: Record) -> Iterator[Record]:
        key = document["api_key"]
        if not key:
            return
        days = key["expires_in_days"]
        if not is_active(key):
            yield self.note("bad", f"The API key {key['name']} is {key['status']}.")
        if expires_soon(days, document["limits"]["key_days"]):
            level = "bad" if days <= URGENT_DAYS else "warn"
            yield self.note(level, f"The API key {key['name']} {_expiry(days)}. Create a new one in time.")

    def section(self, document: Record) -> Section:
        key = document["api_key"]
        if not key:
            return Section(self.name, self.title)
        state = Cell(key["status"], "" if is_active(key) else "bad")
        left = _days_left(key["expires_in_days"], document["limits"]["key_days"])
        row = [Cell(key["name"]), state, Cell(time_of(key["expires_at_iso"])), left]
        table = Table("The API key", ["Name", "Status", "Expires", "Days left"], [row])
        return Section(self.name, self.title, tables=[table])


def _expiry(days: int) -> str:
    if days < 0:
        return f"expired {count(-days, 'day')} ago"
    return f"expires in {count(days, 'day')}" if days else "expires today"


def _days_left(days: int | None, limit: int) -> Cell:
    if days is None:
        return Cell("does not expire")
    return number_cell(days, "bad" if days <= URGENT_DAYS else "warn" if expires_soon(days, limit) else "")
