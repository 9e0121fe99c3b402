# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plausible analytics figures, the same for the same environment and times (the interface document, section 2.5)."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime, timedelta

TIME_SPANS = {
    "24_hours": (24, timedelta(hours=1)),
    "7_days": (7, timedelta(days=1)),
    "30_days": (30, timedelta(days=1)),
    "60_days": (60, timedelta(days=1)),
}
MOST_POINTS = 400
ASNS = ("AS64496 Example Transit", "AS64497 Example Mobile", "AS64498 Example Cable", "AS64499 Example Cloud")


def times_until(end: datetime, time_span: str) -> list[datetime]:
    """The times of a time span's data points, oldest first."""
    count, step = TIME_SPANS[time_span]
    last = end.replace(minute=0, second=0, microsecond=0)
    if step == timedelta(days=1):
        last = last.replace(hour=0)
    return [last - step * back for back in reversed(range(count))]


def days_between(start: datetime, end: datetime) -> list[datetime]:
    """Every day from start to end."""
    days = min((end - start).days + 1, MOST_POINTS)
    return [start + timedelta(days=day) for day in range(days)]


def visits(environment_id: str, times: list[datetime]) -> dict:
    """The visits shape."""
    values = [100 + figure(environment_id, moment) % 400 for moment in times]
    dataset = [{"key": timestamp(moment), "value": str(value)} for moment, value in zip(times, values, strict=True)]
    return {"key": "uniqueip", "data": [{"name": "Unique visits", "total": sum(values), "dataset": dataset}]}


def top_asns(environment_id: str, times: list[datetime]) -> dict:
    """The top-ASN shape, most views first."""
    views = sorted((len(times) * (50 + figure(environment_id, name) % 900) for name in ASNS), reverse=True)
    return {
        "key": "asns",
        "data": [{"name": name, "views": str(count)} for name, count in zip(ASNS, views, strict=True)],
    }


def figure(*parts: object) -> int:
    """A number that looks random and is always the same for the same parts."""
    return zlib.crc32("|".join(map(str, parts)).encode())


def timestamp(moment: datetime) -> str:
    """ISO 8601, UTC, milliseconds."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
