# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong on purpose: faults that hit the requests they match."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import Any

# Every kind with its options and their defaults.
KINDS: dict[str, dict[str, Any]] = {
    # `processed`: a gateway answers so after the service has done what was asked for.
    "status": {"status": 503, "headers": {}, "body": None, "processed": False},
    "redirect": {"location": "http://127.0.0.1:9/elsewhere", "status": 302, "processed": False},
    # A bucket of `burst` tokens that is filled `per_minute`; each refusal is a hit, so it wants `times=0`.
    "rate_limit": {"per_minute": 120, "burst": 1, "retry_after": None},
    "echo_key": {"status": 401},
    "drop_before": {},
    "drop_after": {},
    "truncate": {},
    "not_json": {},
    "wrong_shape": {},
    # Before the service does what was asked for, or between that and the answer.
    "delay": {"seconds": 1.0},
    "delay_after": {"seconds": 1.0},
    # A byte of the body, or of all that is sent, each `interval` seconds.
    "drip": {"interval": 0.5},
    "drip_headers": {"interval": 0.5},
    "huge": {"size": 32 * 1024 * 1024},
    "fail_operation": {},
}
WORDS = {
    "status": "answers with this status and body; with processed, after doing what was asked for",
    "redirect": "answers with a redirect",
    "rate_limit": "answers 429 beyond so many requests a minute; give it times 0",
    "echo_key": "answers with an error that repeats the API key",
    "drop_before": "closes the connection before anything is done",
    "drop_after": "does what was asked for, and closes the connection without an answer",
    "truncate": "breaks the answer off",
    "not_json": "answers with a page instead of JSON",
    "wrong_shape": "answers with JSON of another shape",
    "delay": "waits before doing anything",
    "delay_after": "waits before answering",
    "drip": "sends the body byte by byte",
    "drip_headers": "sends all of the answer byte by byte",
    "huge": "answers with a body of this size",
    "fail_operation": "accepts what was asked for, and lets the operation fail",
}
"""What a fault of each kind does to the request that it hits."""

NOT_PROCESSED = frozenset({"status", "redirect", "rate_limit", "echo_key", "drop_before"})


@dataclass
class Fault:
    """A fault for the requests with this method and path; None means any."""

    kind: str
    method: str | None = None
    path: str | None = None
    times: int | None = 1
    options: dict[str, Any] = field(default_factory=dict)
    hits: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown fault {self.kind!r}; known: {', '.join(KINDS)}")
        unknown = self.options.keys() - KINDS[self.kind].keys()
        if unknown:
            raise ValueError(f"unknown options of {self.kind}: {', '.join(sorted(unknown))}")
        self.options = {**KINDS[self.kind], **self.options}
        self._tokens, self._filled = self.options.get("burst"), time.monotonic()
        try:
            re.compile(self.path or "")
        except re.error as error:
            raise ValueError(f"path {self.path!r} is no regular expression: {error}") from error

    @property
    def is_processed(self) -> bool:
        """Whether the service does what the request asks for."""
        return self.kind not in NOT_PROCESSED or self.options.get("processed", False)

    @property
    def is_spent(self) -> bool:
        """Whether it has hit as often as it was meant to; without `times` it never is."""
        return bool(self.times) and self.hits >= self.times

    def matches(self, method: str, path: str) -> bool:
        """Whether a request is meant."""
        return (
            not self.is_spent
            # Reading begins no operation that could fail.
            and not (self.kind == "fail_operation" and method == "GET")
            and (self.method is None or self.method.upper() == method)
            and (self.path is None or re.fullmatch(self.path, path) is not None)
            and not (self.kind == "rate_limit" and self._has_token())
        )

    def _has_token(self) -> bool:
        """Take a token of the bucket; False when there is none."""
        now = time.monotonic()
        filled = self._tokens + (now - self._filled) * self.options["per_minute"] / 60
        self._tokens, self._filled = min(self.options["burst"], filled), now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class Faults(list):
    """The faults that were asked for, oldest first."""

    def take(self, method: str, path: str) -> Fault | None:
        """The first fault that hits this request."""
        fault = next((fault for fault in self if fault.matches(method, path)), None)
        if fault:
            fault.hits += 1
        return fault
