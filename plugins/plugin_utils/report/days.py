# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The day of a report, and how long ago other days are."""

from __future__ import annotations

from datetime import date

from ...module_utils._text import printable
from ...module_utils._values import time_of_text


class ReportError(Exception):
    """The document cannot be made, for a reason that the user can do something about."""


def day_of_report(time: str) -> date:
    """Return the day of a time that the user has given; raise ReportError for one that is none."""
    try:
        return time_of_text(str(time)).date()
    except (ValueError, OverflowError):
        given = printable(str(time), 60)
        raise ReportError(f"report_time is {given!r}, which is not a date or time in ISO 8601.") from None


def days_since(time: object, today: date) -> int | None:
    """Return how many days lie between the day of a time and today, or None when it is no time."""
    try:
        return (today - time_of_text(str(time)).date()).days
    except (ValueError, OverflowError):
        return None
