# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An action in two tasks: one starts it, another one brings it to its end, and between them one wait is for many.

The second one is the module of the first one with the same options and its result. It sends nothing, whatever became
of the operation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from ._context import Context
from ._errors import InvalidInput
from ._operations import Operation
from ._progress import FAILED, FINISHED, IN_PROGRESS, UNKNOWN

Run = Callable[[Context], dict[str, Any]]

NOT_PASSED_ON = ("diff", "error", "exception", "failed", "invocation", "msg", "skip_reason", "skipped", "warnings")
"""What a registered result has besides what its module has returned, or what is said once."""


@dataclass(frozen=True)
class Begun:
    """An operation that an earlier task has started. ``may_wait`` is False where another one has waited in vain."""

    operation: Operation
    may_wait: bool


def in_phases(run: Run) -> Run:
    """Return a module's run() that also brings to its end what an earlier task has started.

    Where that has started nothing that goes on, the result is the earlier one, without a change.
    """

    @wraps(run)
    def run_phase(context: Context) -> dict[str, Any]:
        started = context.started
        if started is None:
            return run(context)
        _check(started, context.get("ended"))
        goes_on = any(one.get("state") == IN_PROGRESS for one in operations_of(started))
        result = run(context) if goes_on and not context.check_mode else {}
        pause_for_unseen(context, operations_of(result))
        earlier = {name: value for name, value in started.items() if name not in NOT_PASSED_ON}
        taken_over = {name: value for name, value in result.items() if name in ("backup", "operation", "operations")}
        return {**earlier, **taken_over, "changed": False}

    return run_phase


def pause_for_unseen(context: Context, operations: Iterable[Mapping[str, Any]]) -> None:
    """Pause for what this run has begun and nobody has waited for, where the service does not show how it ends."""
    waited_for = [one.get("id") for one in operations_of(context.get("ended") or {})]
    unseen = [one for one in operations if one["state"] == UNKNOWN and not one["resumed"]]
    if any(one["id"] not in waited_for for one in unseen):
        context.journal.let_go()
        time.sleep(context["pause_when_unknown"])


def operations_of(started: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the operations in a result, by the names of what they do where there are several."""
    return [*([started["operation"]] if started.get("operation") else []), *(started.get("operations") or [])]


def begun(context: Context, cache: str | None = None) -> Begun | None:
    """Return the operation that the task brings to its end (that of a cache, where there are several), or None."""
    if context.started is None:
        return None
    known = next((one for one in operations_of(context.started) if one.get("cache") == cache), None)
    if known is None:
        return None
    operation = Operation(known.get("id"), resumed=bool(known.get("resumed")))
    of_wait = next((one for one in operations_of(context.get("ended") or {}) if one.get("id") == operation.id), {})
    if of_wait.get("state") in (FINISHED, FAILED):
        operation.state, operation.message = of_wait["state"], of_wait.get("message")
    return Begun(operation, may_wait=of_wait.get("state") != IN_PROGRESS)


def require_result(value: Mapping[str, Any], name: str) -> None:
    """Refuse what is no result of a task that has started an operation."""
    several = value.get("operations") or []
    known = [value.get("operation") or {}, *several] if isinstance(several, list) else [several]
    if not all(isinstance(one, dict) for one in known):
        raise InvalidInput(f"{name} is no result of a task that has started an operation. Nothing was sent.")


def _check(started: Mapping[str, Any], ended: Mapping[str, Any] | None) -> None:
    """Refuse what is no result of such a task, and that of one that has begun nothing."""
    require_result(started, "started")
    require_result(ended or {}, "ended")
    is_over = started.get("failed") and not operations_of(started)
    if not started or started.get("skipped") or is_over:
        raise InvalidInput(
            "started is the result of a task that has failed or was skipped, or is empty, so nobody knows whether there"
            " is anything to wait for. Hand it the registered result of a task that has succeeded. Nothing was sent."
        )
