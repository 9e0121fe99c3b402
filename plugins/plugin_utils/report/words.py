# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers, names and times as a report has them for people."""

from __future__ import annotations

from typing import Any

from ...module_utils._text import printable
from ..plain_values import Record

LARGEST_NUMBER = 1e15  # more visits than this are no visits, and no chart could show them
LONGEST_NAME = 60  # characters


def number_of(value: object) -> float:
    """Return a number of the service, or 0 for what is none and for what cannot be true."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < LARGEST_NUMBER:
        return 0
    return value


def positive(value: Any) -> float | None:
    """Return a number that may have come as text, or None for what is none and for what cannot be true."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    if not 0 < number < LARGEST_NUMBER:
        return None
    return int(number) if number.is_integer() else number


def count(number: int, noun: str) -> str:
    """Return the number with its noun, such as 1 site, 2,000 sites."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def grouped(value: float | None) -> str | None:
    """Return a number with commas between its thousands."""
    if value is None:
        return None
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"


def names(things: list[Record], name: str = "host") -> str:
    """Return the names of things in a line; of many, the first and how many there are besides."""
    return listed([str(one[name]) for one in things])


def listed(texts: list[str], most: int = 5) -> str:
    """Return texts in a line; of many, the first and how many there are besides."""
    shown = ", ".join(printable(text, LONGEST_NAME) for text in texts[:most])
    return f"{shown} and {len(texts) - most:,} more" if len(texts) > most else shown


def time_of(text: str | None) -> str | None:
    """Return a time of ISO 8601 as people read it."""
    return f"{text[:10]} {text[11:16]} UTC" if text and text.endswith("Z") and text[10:11] == "T" else text


def short_time(time: str) -> str:
    """Return a time as an axis has it: the hour within a day, else month and day."""
    return time[5:10] if time[11:16] in ("00:00", "") else time[11:16]


def day_of(time: str) -> str:
    """Return a time as a text has it: without the hour where it is midnight."""
    return time[:10] if time[11:16] in ("00:00", "") else time_of(time) or time
