# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Accepted operations: what happens between a 202 and its effect (the interface document, sections 2.1 and 3)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from .errors import RefusalError


@dataclass
class Operation:
    """One accepted change: its effect shows when `ends_at` has passed. All times are those of time.monotonic().

    `kind` is how its id begins, `environment_id` the environment that it changes, and `asked` the request's body.
    `ended_at` is when it took effect or failed, and `installed` the software that it brought (see Settings.breaking).
    """

    id: str
    effect: Callable[[], dict | None]
    ends_at: float
    visible_at: float
    fails: bool = False
    state: str = "in progress"
    data: dict | None = None
    kind: str = ""
    environment_id: str | None = None
    asked: dict = field(default_factory=dict)
    accepted_at: float = field(default_factory=time.monotonic)
    ended_at: float | None = None
    installed: frozenset[str] = frozenset()

    def is_under_way(self, moment: float) -> bool:
        """Whether it was accepted before that moment, and had not ended."""
        return self.accepted_at < moment and (self.ended_at is None or moment < self.ended_at)

    def settle(self, now: float) -> None:
        """End the operation when its time has come: "finished" with the effect, "failed" without."""
        if self.state != "in progress" or now < self.ends_at:
            return
        try:
            if not self.fails:
                self.data = self.effect()
        except RefusalError:
            self.fails = True
        self.state = "failed" if self.fails else "finished"
        # It was made to end at once where its time is from before its beginning.
        self.ended_at = self.ends_at if self.ends_at >= self.accepted_at else now


@dataclass
class Operations:
    """All operations since the start, by id, oldest first."""

    by_id: dict[str, Operation] = field(default_factory=dict)
    running: list[Operation] = field(default_factory=list)

    def accept(
        self,
        kind: str,
        effect: Callable,
        seconds: float,
        visible_after: float,
        fails: bool,
        environment_id: str | None = None,
        asked: dict | None = None,
    ) -> Operation:
        """Begin an operation that takes `seconds` and can be looked up after `visible_after`."""
        now = time.monotonic()
        operation = Operation(f"{kind}-{uuid.uuid4()}", effect, now + seconds, now + visible_after, fails)
        operation.kind, operation.environment_id, operation.asked = kind, environment_id, asked or {}
        operation.accepted_at = now
        self.by_id[operation.id] = operation
        self.running.append(operation)
        return operation

    def settle(self, before_effect: Callable[[float], object]) -> None:
        """Let everything that is due take effect, in the order in which it ends.

        `before_effect` is called before each of them, with its time.
        """
        now = time.monotonic()
        for operation in sorted(self.running, key=lambda one: one.ends_at):
            if operation.ends_at <= now:
                before_effect(operation.ends_at)
            operation.settle(now)
        self.running = [operation for operation in self.running if operation.state == "in progress"]

    def visible(self, operation_id: str) -> Operation | None:
        """The operation, or None as long as the service does not show it."""
        operation = self.by_id.get(operation_id)
        return operation if operation and time.monotonic() >= operation.visible_at else None
