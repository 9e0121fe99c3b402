# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stops deployments for a while: locks, which the journal keeps, so that all of its controllers see them.

A lock is a row under a subject of its own: that of an environment's id, or of a group's name. It ends by the clock of
the controller that asks. The journal removes the row later, as it removes all old rows.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from ._checks import checked_duration
from ._context import Context
from ._errors import InvalidInput
from ._journal import Entry, Subject, digest_of
from ._progress import FINISHED
from ._text import printable
from ._values import iso_of_time

PREFIX = "deploy_lock/"
ALL = "all"
"""Ansible's group of all hosts."""

LONGEST_REASON = 200  # characters
LONGEST_DAYS = 366  # of a lock; the journal keeps a row for longer
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ON_CLOCK = re.compile(r"(?:(?P<day>[a-z]{3,9})\s+)?(?P<hour>\d{1,2}):(?P<minute>\d{2})", re.IGNORECASE)


@dataclass(frozen=True)
class Lock:
    """A lock. ``kind`` is environment or group, ``name`` its id or name; times are in seconds since the epoch.

    ``given`` is the end as the user has written it, with the time zone: an end such as 3h is another time at each run.
    """

    kind: str
    name: str
    reason: str
    author: str
    since: float
    until: float
    given: str

    def is_like(self, other: Lock) -> bool:
        """Tell whether two locks of one scope mean the same, whoever has set them, and whenever."""
        return self.reason == other.reason and (self.given == other.given or self.until == other.until)

    def as_result(self) -> dict[str, Any]:
        """Return the lock as modules show it."""
        return {
            "environment_id": self.name if self.kind == "environment" else None,
            "group": self.name if self.kind == "group" else None,
            "reason": self.reason,
            "author": self.author,
            "since": _iso(self.since),
            "until": _iso(self.until),
        }


def subject_of(context: Context, kind: str, name: str) -> Subject:
    """Return the journal's subject of the lock of an environment or a group."""
    return (context.client.base_url, f"{PREFIX}{kind}/{name}")


def entry_of(lock: Lock) -> Entry:
    """Return the journal's row of a lock."""
    values = {name: getattr(lock, name) for name in ("reason", "author", "until", "given")}
    return Entry.sent_now(digest_of(values), 0, part=json.dumps(values)).with_progress(FINISHED)


def lock_of(subject: Subject, entry: Entry) -> Lock:
    """Return the lock that a row is. Whoever can write to the journal may have written it: its texts are cleaned."""
    kind, _slash, name = subject[1].removeprefix(PREFIX).partition("/")
    values = json.loads(entry.part or "{}")
    return Lock(
        kind=kind,
        name=printable(name),
        reason=printable(str(values.get("reason", "")), LONGEST_REASON),
        author=printable(str(values.get("author", "")), LONGEST_REASON),
        since=entry.sent_at,
        until=float(values.get("until", 0)),
        given=str(values.get("given", "")),
    )


def locks_in_force(context: Context, now: float | None = None) -> list[Lock]:
    """Return all locks of the service that have not ended, those that end first at the front."""
    now = time.time() if now is None else now
    found = [lock_of(*row) for row in context.journal.subjects(context.client.base_url, PREFIX)]
    return sorted((lock for lock in found if lock.until > now), key=lambda lock: (lock.until, lock.kind, lock.name))


def locks_on(locks: Iterable[Lock], environment_id: str, groups: Iterable[str]) -> list[Lock]:
    """Return those locks that stop deployments to an environment that belongs to these groups."""
    scopes = {("environment", environment_id), ("group", ALL), *(("group", group) for group in groups)}
    return [lock for lock in locks if (lock.kind, lock.name) in scopes]


# ---- when a lock ends -----------------------------------------------------------------------------------------------


def zone_of(name: str) -> tzinfo:
    """Return the time zone of this name. Raises InvalidInput where there is none."""
    if name == "UTC":
        return UTC  # also on a machine without a database of time zones
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        raise InvalidInput(
            f"time_zone must be a time zone such as Europe/Berlin that this machine knows, not {name!r}. Nothing was"
            " changed."
        ) from None


def end_of(text: str, zone: tzinfo, now: float) -> float:
    """Return when a lock ends whose end is told as ``text``, in seconds since the epoch.

    It may be a duration with a unit (3h), a time of the day or of the week in ``zone`` (18:00, Monday 06:00), or a date
    or time in ISO 8601, in ``zone`` where it has no offset. Raises InvalidInput for anything else, and for an end that
    is over or too far away.
    """
    try:
        end = _end_of(text.strip(), datetime.fromtimestamp(now, zone)).timestamp()
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"until must be a duration with a unit (3h, 2d), a time of the day or the week in quotes ('18:00', 'Monday"
            f" 06:00'), or a date or time in ISO 8601 (2026-11-30T06:00+01:00), not {printable(text, 60)!r}. Nothing"
            " was changed."
        ) from None
    if end <= now:
        raise InvalidInput(
            f"until is {_iso(end)}, and that is over: it is {_iso(now)}. Nothing was changed. Give an end to come."
        )
    if end > now + LONGEST_DAYS * 86400:
        raise InvalidInput(f"until is {_iso(end)}: a lock must end within {LONGEST_DAYS} days. Nothing was changed.")
    return end


def _end_of(text: str, now: datetime) -> datetime:
    """Return the end, which may be over. Raises ValueError or OverflowError for what is no time."""
    if text.isdigit():
        raise ValueError("YAML makes such a number of a bare 18:00")
    clock = _ON_CLOCK.fullmatch(text)
    if clock:
        return _next(now, clock["day"], int(clock["hour"]), int(clock["minute"]))
    try:
        # In UTC, because a day has other than 24 hours where a time zone changes its offset.
        return now.astimezone(UTC) + timedelta(seconds=checked_duration(text))
    except ValueError:
        end = datetime.fromisoformat(text)
    return end.replace(tzinfo=now.tzinfo) if end.tzinfo is None else end


def _next(now: datetime, day: str | None, hour: int, minute: int) -> datetime:
    """Return the next time that the clock shows this, on this day of the week if one is named."""
    number = None if day is None else _day_of_week(day)
    for ahead in range(8):
        end = (now + timedelta(days=ahead)).replace(hour=hour, minute=minute, second=0, microsecond=0, fold=0)
        if end.timestamp() > now.timestamp() and number in (None, end.weekday()):
            return end
    raise ValueError(f"{hour}:{minute}")


def _day_of_week(word: str) -> int:
    """Return the number of a day that is named in full or by three letters. Raises ValueError for another word."""
    return [name[: len(word)] if len(word) == 3 else name for name in _DAYS].index(word.lower())


def _iso(seconds: float) -> str:
    return iso_of_time(datetime.fromtimestamp(seconds, UTC))
