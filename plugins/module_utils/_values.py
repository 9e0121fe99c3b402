# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as the service sends them, and as playbooks want them: numbers, and times in ISO 8601, UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# The interface shows no format for times that are meant for people. These are tried in turn, after ISO 8601.
_FORMATS_FOR_PEOPLE = (
    "%b %d, %Y, %I:%M %p",
    "%B %d, %Y, %I:%M %p",
    "%b %d, %Y %H:%M",
    "%B %d, %Y %H:%M",
    "%B %d, %Y %H:%M:%S",
    "%d %B %Y, %H:%M",
    "%d %b %Y %H:%M",
    "%d %b %Y %H:%M:%S",
)


def number_of(text):
    """Return a numeric string, or a number, as an int or float. Raises ValueError for anything else."""
    number = float(str(text))
    return int(number) if number.is_integer() else number


def time_of_milliseconds(milliseconds):
    """Return the time that lies so many milliseconds after 1970. Raises ValueError or OverflowError for no time."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def time_of_text(text):
    """Return the time of an ISO 8601 text; without an offset it is taken for UTC. Raises ValueError for no time."""
    time = datetime.fromisoformat(text.strip())
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def iso_of_time(time):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def iso_with_milliseconds(time):
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"


def iso_of_milliseconds(milliseconds):
    return iso_of_time(time_of_milliseconds(milliseconds))


def iso_of_text_for_people(text):
    """Return a human-readable date-time with a UTC suffix in ISO 8601, or None when its format is not known."""
    bare = text.strip().removesuffix("UTC").removesuffix("GMT").strip()
    readers = [
        time_of_text,
        *[lambda value, form=form: datetime.strptime(f"{value} +0000", f"{form} %z") for form in _FORMATS_FOR_PEOPLE],
        parsedate_to_datetime,
    ]
    for read in readers:
        try:
            return iso_of_time(read(bare))
        except (ValueError, TypeError):
            continue
    return None
