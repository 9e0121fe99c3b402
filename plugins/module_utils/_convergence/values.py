# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a change speaks of: states, the moves between them, plans, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._answers import Answer
from .._context import NOT_SHOWN
from .._interface import Request
from .._operations import Operation

TAKEN = "taken"
"""The observed value of an action that was taken already."""

UNSEEN = "(not shown by the service)"
"""What stands for a state that nobody can see."""

Move = tuple[Any, Any]
"""A state before and after a change."""


@dataclass(frozen=True)
class Observed:
    """A state as the service shows it: the value to compare, and the service's own record of it."""

    value: Any
    record: Any = None


@dataclass(frozen=True)
class Foreseen:
    """What a task may do with a state that it has looked at before: this move, or nothing."""

    move: Move | None


def has_move(planned: Move, move: Move) -> bool:
    """Tell whether a planned move has this one: the same, or of values by name some of them.

    A planned state of None is one that could not be foreseen.
    """
    if planned[1] is None:
        return True
    if all(isinstance(state, dict) for state in (*planned, *move)):
        return all(
            planned[1].get(name) == value and planned[0].get(name) == move[0].get(name)
            for name, value in move[1].items()
        )
    return planned == move


@dataclass(frozen=True)
class Plan:
    """What is wanted, given what was seen: a JSON value without secrets, and the request that brings it about.

    The request is None when nothing can be sent because the value is there. ``relative`` says that the value was
    computed from what was seen, as a list to which something is added.
    """

    desired: object
    request: Request | None
    relative: bool = False


@dataclass
class Outcome:
    """What became of a change. ``after`` is the state as the service showed it last, where it was read."""

    changed: bool
    state_source: str
    desired: object
    after: Observed | None = NOT_SHOWN
    operation: Operation | None = None
    diff: dict[str, dict[str, object]] | None = None
    answer: Answer | None = None

    @property
    def record(self) -> Any:
        """The service's record of the state as it is now, or None when it was not read."""
        return self.after.record if self.after else None

    def result(self, **values: object) -> dict[str, Any]:
        """Return the module's result with these values of its own."""
        result: dict[str, Any] = {"changed": self.changed, "state_source": self.state_source, **values}
        if self.operation:
            result["operation"] = self.operation.as_result()
        if self.diff:
            result["diff"] = self.diff
        return result


def not_shown() -> None:
    """The observation of what the service shows nowhere."""
    return NOT_SHOWN


def always(desired: object, request: Request | None) -> Callable[[Observed | None], Plan]:
    """Return the plan that is the same whatever the service shows."""
    return lambda _before: Plan(desired, request)


def always_counts() -> None:
    """The time before which nothing counts that was done, where all counts."""
