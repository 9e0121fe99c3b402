# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the journal knows of the releases of an environment."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from ._context import Context
from ._journal import Entry
from ._progress import SENT, UNKNOWN
from ._values import iso_of_time


def push_subject(context: Context) -> tuple[str, str]:
    """Return the journal's subject of the pushes to the task's environment."""
    return (context.client.base_url, f"env_push/{context['environment_id']}")


def pushes_of(context: Context) -> tuple[Entry, ...]:
    """Return what the journal knows of the pushes to the task's environment, oldest first."""
    return context.journal.read(push_subject(context))


def restarts_of(context: Context) -> tuple[Entry, ...]:
    """Return what the journal knows of the PHP restarts of the task's environment, oldest first."""
    return context.journal.read((context.client.base_url, f"php_restart/{context['environment_id']}"))


def state_of(entry: Entry) -> str:
    """Return how a request stands: one that is sent and can get no answer any more is unknown."""
    return UNKNOWN if entry.progress == SENT and not entry.answer_may_come() else entry.progress


def part_of(entry: Entry) -> dict:
    """Return what of a release a push brought, as the options of env_push."""
    return json.loads(entry.part) if entry.part else {}


def as_result(entry: Entry) -> dict:
    """Return how a request stands and when it was sent, as a module's result."""
    return {
        "state": state_of(entry),
        "sent_at": _iso(entry.sent_at),
        "ended_at": None if entry.ended_at is None else _iso(entry.ended_at),
        "operation_id": entry.operation_id,
    }


def _iso(seconds: float) -> str:
    return iso_of_time(datetime.fromtimestamp(seconds, UTC))
