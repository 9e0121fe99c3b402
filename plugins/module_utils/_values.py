# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as the service sends them, and as playbooks want them: numbers, and times in ISO 8601, UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# The interface shows no format for times that are meant for people. These are understood, besides ISO 8601 and that of
# e-mail. The months are named here, because those of strptime are in the language of whoever runs the playbook.
_FULL_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(:(?P<second>\d{2}))?(\s*(?P<half>[ap])\.?m\.?)?"
_FOR_PEOPLE = re.compile(
    r"((?P<month>[a-z]{3,9})\.?\s+(?P<day>\d{1,2})|(?P<day2>\d{1,2})\s+(?P<month2>[a-z]{3,9})\.?)"
    rf",?\s+(?P<year>\d{{4}})(,?\s+(at\s+)?{_CLOCK})?",
    re.IGNORECASE,
)


def number_of(text: object) -> float:
    """Return a numeric string, or a number, as an int or float. Raises ValueError for anything else."""
    number = float(str(text))
    return int(number) if number.is_integer() else number


def time_of_milliseconds(milliseconds: float) -> datetime:
    """Return the time that lies so many milliseconds after 1970. Raises ValueError or OverflowError for no time."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def time_of_text(text: str) -> datetime:
    """Return the time of an ISO 8601 text; without an offset it is taken for UTC. Raises ValueError for no time."""
    time = datetime.fromisoformat(text.strip())
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def iso_of_time(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def iso_with_milliseconds(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"


def iso_of_milliseconds(milliseconds: float) -> str:
    return iso_of_time(time_of_milliseconds(milliseconds))


def iso_of_seconds(seconds: float) -> str:
    return iso_of_milliseconds(1000 * seconds)


def iso_of_text_for_people(text: str) -> str | None:
    """Return a human-readable date-time with a UTC suffix in ISO 8601, or None when its format is not known."""
    bare = text.strip().removesuffix("UTC").removesuffix("GMT").strip()
    for read in (time_of_text, _time_for_people, _time_of_email):
        try:
            return iso_of_time(read(bare))
        except (ValueError, TypeError):
            continue
    return None


def _time_of_email(text: str) -> datetime:
    """Return the time of a text as e-mail has it. Raises ValueError for any other, also with a half of the day."""
    if re.search(r"[ap]\.?m\.?$", text, re.IGNORECASE):
        raise ValueError(text)
    time = parsedate_to_datetime(text)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _time_for_people(text: str) -> datetime:
    """Return the time of a text such as ``Nov 27, 2026 1:12 PM``. Raises ValueError for any other."""
    found = _FOR_PEOPLE.fullmatch(text)
    if not found:
        raise ValueError(text)
    month = _month_of(found["month"] or found["month2"])
    hour, half = int(found["hour"] or 0), (found["half"] or "").lower()
    if half and not 1 <= hour <= 12:
        raise ValueError(text)
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    day, year = int(found["day"] or found["day2"]), int(found["year"])
    return datetime(year, month, day, hour, int(found["minute"] or 0), int(found["second"] or 0), tzinfo=UTC)


def _month_of(name: str) -> int:
    full = next((one for one in _FULL_MONTHS if one.startswith(name.lower())), None)
    if full is None:
        raise ValueError(name)
    return _FULL_MONTHS.index(full) + 1
