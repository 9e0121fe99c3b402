# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the journal knows of the releases of an environment.

Pushes to an environment and restores of its backups share a subject of the journal: what is put into the environment
takes the place of what was there before. So a release is pushed again after a backup was restored, and the other way
round. A restore's row has the backup in its part.
"""

from __future__ import annotations

import time
from typing import Any

from ._context import Context
from ._decision import HORIZON
from ._errors import OperationTimeout, OutcomeUnknown
from ._journal import Entry, Subject
from ._operations import Operation
from ._progress import IN_PROGRESS, UNKNOWN
from ._settling import how_to_settle, is_restore, named, part_of, state_of
from ._values import iso_of_seconds


def push_subject(context: Context) -> Subject:
    """Return the journal's subject of the pushes to the task's environment."""
    return (context.client.base_url, f"env_push/{_target_of(context)}")


def _target_of(context: Context) -> str:
    return context["target_env_id"] if "target_env_id" in context else context["environment_id"]


def pushes_of(context: Context) -> tuple[Entry, ...]:
    """Return what the journal knows of the pushes to the task's environment, and of restores, oldest first."""
    return context.journal.read(push_subject(context))


def release_of_restore(backup_id: int, release: str | None) -> str | None:
    """Return what a restore is in place of a release: it is none that was pushed, also when that has its name."""
    return None if release is None else f"backup {backup_id} restored for {release}"


def require_settled(context: Context, part: dict[str, Any]) -> None:
    """Raise an error while anything but ``part`` is being put into the task's environment, or may have been."""
    for entry in pushes_of(context):
        if part_of(entry) == part:
            continue
        if state_of(entry) == UNKNOWN:
            raise OutcomeUnknown(_beside_unknown(context, entry))
        # Where the service does not show the operation, it counts as done, as everywhere.
        if state_of(entry) == IN_PROGRESS and _goes_on(context, entry):
            error = OperationTimeout(
                f"{_named(entry)} goes on (operation {entry.operation_id}). Nothing was sent. Run again when it has"
                " ended: hosting.management.operation_info waits for it. force: true restores the backup now."
            )
            error.operation_id = entry.operation_id
            raise error


def await_restore(context: Context) -> None:
    """Wait for a restore that goes on, since it would overwrite what a push brings. Raise when it does not end.

    One whose answer was lost is waited for as long as it may still go on.
    """
    rows = pushes_of(context)
    newest = rows[-1] if rows else None
    if newest is None or not is_restore(newest) or context.check_mode:
        return
    if state_of(newest) == UNKNOWN and time.time() - newest.sent_at <= HORIZON:
        raise OutcomeUnknown(_beside_unknown(context, newest, "pushes"))
    if state_of(newest) == IN_PROGRESS and _goes_on(context, newest, context.wait_timeout if context.wait else 0):
        error = OperationTimeout(
            f"{_named(newest)} goes on (operation {newest.operation_id}). Nothing was sent. Run again to wait for its"
            " end. force: true pushes now."
        )
        error.operation_id = newest.operation_id
        raise error


def _beside_unknown(context: Context, entry: Entry, does: str = "restores the backup") -> str:
    return (
        f"{_named(entry)} was sent at {iso_of_seconds(entry.sent_at)} and its answer was lost, so it may still go on."
        f" Nothing was sent. {how_to_settle(_target_of(context), entry)} force: true {does} whatever became of it."
    )


def _named(entry: Entry) -> str:
    return named(entry)[0].upper() + named(entry)[1:]


def _goes_on(context: Context, entry: Entry, wait_timeout: float = 0) -> bool:
    """Tell whether an operation goes on after so many seconds. The service is asked whatever ``companions`` says."""
    operation = Operation(entry.operation_id, accepted_at=entry.sent_at, resumed=True)
    context.follow([operation], wait_timeout, context.journal)
    return operation.state == IN_PROGRESS


def restarts_of(context: Context) -> tuple[Entry, ...]:
    """Return what the journal knows of the PHP restarts of the task's environment, oldest first."""
    return context.journal.read((context.client.base_url, f"php_restart/{context['environment_id']}"))


def as_result(entry: Entry) -> dict[str, Any]:
    """Return how a request stands and when it was sent, as a module's result."""
    return {
        "state": state_of(entry),
        "sent_at": iso_of_seconds(entry.sent_at),
        "ended_at": None if entry.ended_at is None else iso_of_seconds(entry.ended_at),
        "operation_id": entry.operation_id,
    }
