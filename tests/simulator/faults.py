# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong on purpose: faults that hit the requests they match."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

# Every kind with its options and their defaults.
KINDS: dict[str, dict[str, Any]] = {
    "status": {"status": 503, "headers": {}, "body": None},
    "redirect": {"location": "http://127.0.0.1:9/elsewhere", "status": 302},
    "echo_key": {"status": 401},
    "drop_before": {},
    "drop_after": {},
    "truncate": {},
    "not_json": {},
    "wrong_shape": {},
    "delay": {"seconds": 1.0},
    "huge": {"size": 32 * 1024 * 1024},
    "fail_operation": {},
}
NOT_PROCESSED = frozenset({"status", "redirect", "echo_key", "drop_before"})


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
        try:
            re.compile(self.path or "")
        except re.error as error:
            raise ValueError(f"path {self.path!r} is no regular expression: {error}") from error

    @property
    def is_processed(self) -> bool:
        """Whether the service does what the request asks for."""
        return self.kind not in NOT_PROCESSED

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
        )


class Faults(list):
    """The faults that were asked for, oldest first."""

    def take(self, method: str, path: str) -> Fault | None:
        """The first fault that hits this request."""
        fault = next((fault for fault in self if fault.matches(method, path)), None)
        if fault:
            fault.hits += 1
        return fault
