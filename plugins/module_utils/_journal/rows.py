# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of the journal: what was asked for, how far it has come, and whether its sender still waits."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from .._progress import ENDED, FINISHED, IN_PROGRESS, SENT, UNKNOWN
from .senders import clock_of, may_be_alive, this_process

Subject = tuple[str, str]
"""The service's address, and what of the service: the module and the ids."""

LEAST_STEP = 0.001  # seconds between two requests that follow each other, by whatever clocks

BEFORE = "before:"
"""What the key of a row begins with whose place another one has taken."""


@dataclass(frozen=True)
class Entry:
    """One thing that was asked for: a row of the journal. Times are in seconds since the epoch.

    ``wanted`` is a digest: of the value, or of release and part. ``progress`` is one of _progress. After ``answer_by``
    no answer can come. ``sender`` is the process that has sent the request. ``ended_at`` is when it came to be
    finished, failed or unknown. Actions have a ``release``, and a push the ``part`` of it that was sent (JSON).
    ``key`` tells a subject's rows apart: a digest of the part, or an environment's id, or empty.
    """

    wanted: str
    progress: str
    sent_at: float
    answer_by: float
    sender: str
    operation_id: str | None = None
    ended_at: float | None = None
    release: str | None = None
    part: str | None = None
    key: str = ""

    @classmethod
    def sent_now(
        cls,
        wanted: str,
        answer_within: float,
        *,
        key: str = "",
        release: str | None = None,
        part: str | None = None,
        after: Iterable[Entry] = (),
    ) -> Entry:
        """Return the entry of a request that is about to leave; its answer comes within so many seconds, or never.

        It is later than the entries that it comes ``after``, whatever the clocks of those who made them said: their
        order is what decisions go by.
        """
        now = time.time()
        entry = cls(wanted, SENT, now, now + answer_within, this_process(), release=release, part=part, key=key)
        return replace(entry, sent_at=entry.following(after))

    @classmethod
    def noted_now(cls, wanted: str, note: object, *, key: str = "", release: str | None = None) -> Entry:
        """Return the entry of something that is no request, but has to be remembered: a JSON value without secrets."""
        now = time.time()
        part = json.dumps(note, sort_keys=True)
        return cls(wanted, FINISHED, now, now, this_process(), ended_at=now, release=release, part=part, key=key)

    def following(self, others: Iterable[Entry]) -> float:
        """Return the time at which this comes after others, whatever the clocks of those who made them said."""
        return max([self.sent_at, *(other.sent_at + LEAST_STEP for other in others)])

    @property
    def note(self) -> dict[str, Any]:
        """What ``part`` holds as JSON: what of a release was sent, or what else is remembered."""
        return json.loads(self.part) if self.part else {}

    def with_progress(self, progress: str, operation_id: str | None = None) -> Entry:
        """Return the entry of the same request as it stands now; it keeps an operation's id that is not given anew."""
        ended_at = max(time.time(), self.sent_at) if progress in ENDED else None
        return replace(self, progress=progress, operation_id=operation_id or self.operation_id, ended_at=ended_at)

    @property
    def key_of_displaced(self) -> str:
        """The key of the row whose place this one has taken; see _displaced."""
        return f"{BEFORE}{self.key}"

    def answer_may_come(self, now: float | None = None) -> bool:
        """Return True while the run that has sent the request may still be waiting for its answer."""
        now = time.time() if now is None else now
        return self.progress == SENT and now < self.answer_by and may_be_alive(self.sender)

    def is_interrupted(self) -> bool:
        """Return True when this is not known to have ended, and the run that has sent it certainly has."""
        return self.progress in (SENT, IN_PROGRESS) and not may_be_alive(self.sender)

    def is_by_this_clock(self) -> bool:
        """Return True when its times are by the clock of this machine."""
        return clock_of(self.sender) == clock_of(this_process())

    def as_known(self) -> Entry:
        """Return the entry as it stands now: one that is sent and can get no answer any more is unknown."""
        return self if self.progress != SENT or self.answer_may_come() else replace(self, progress=UNKNOWN)

    def is_about(self, other: Entry) -> bool:
        """Tell whether two rows are about one and the same request."""
        names = ("key", "wanted", "sent_at", "sender")
        return all(getattr(self, name) == getattr(other, name) for name in names)


def digest_of(value: object) -> str:
    """Return a digest of a JSON value that does not depend on the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
