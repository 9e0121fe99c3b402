# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the journal knows of the releases of an environment.

Pushes to an environment and restores of its backups share a subject of the journal: what is put into the environment
takes the place of what was there before. So a release is pushed again after a backup was restored, and the other way
round. A restore's row has the backup in its part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ._context import Context
from ._displaced import is_displaced
from ._journal import Entry, Subject
from ._progress import FAILED, FINISHED, NOT_DONE
from ._values import iso_of_seconds


def push_subject(context: Context) -> Subject:
    """Return the journal's subject of the pushes to the task's environment."""
    return (context.client.base_url, f"env_push/{_target_of(context)}")


def _target_of(context: Context) -> str:
    return context["target_env_id"] if "target_env_id" in context else context["environment_id"]


def pushes_of(context: Context) -> tuple[Entry, ...]:
    """Return what the journal knows of the pushes to the task's environment, and of restores, oldest first."""
    rows = context.journal.read(push_subject(context))
    return tuple(row for row in rows if row.progress != NOT_DONE and not is_displaced(row))


def release_of_restore(backup_id: int, release: str | None) -> str | None:
    """Return what a restore is in place of a release: it is none that was pushed, also when that has its name."""
    return None if release is None else f"backup {backup_id} restored for {release}"


def restarts_of(context: Context) -> tuple[Entry, ...]:
    """Return what the journal knows of the PHP restarts of the task's environment, oldest first."""
    return context.journal.read((context.client.base_url, f"php_restart/{context['environment_id']}"))


def is_restarted(push: Entry | None, restarts: Sequence[Entry]) -> bool | None:
    """Tell whether PHP was restarted after a push, by the order of the journal; None without a push.

    A restart that failed is none. One whose outcome is unknown counts, because its own task settles that.
    """
    if push is None:
        return None
    return any(one.sent_at > push.sent_at and one.progress != FAILED for one in restarts)


def cleared_caches(push: Entry | None, clears: Iterable[tuple[Subject, Entry]]) -> list[str]:
    """Return the names of the caches that were cleared as a whole for a push, after it, by the order of the journal."""
    return sorted(
        subject[1].rpartition("/")[2]
        for subject, one in clears
        if push
        and one.release == push.release
        and one.sent_at > push.sent_at
        and one.progress == FINISHED
        and not one.note.get("url")
    )


def clears_of(context: Context) -> list[tuple[Subject, Entry]]:
    """Return what the journal knows of the caches of the task's environment that were cleared."""
    return context.journal.subjects(context.client.base_url, f"cache_clear/{context['environment_id']}/")


def as_result(entry: Entry) -> dict[str, Any]:
    """Return how a request stands and when it was sent, as a module's result."""
    return {
        "state": entry.as_known().progress,
        "sent_at": iso_of_seconds(entry.sent_at),
        "ended_at": None if entry.ended_at is None else iso_of_seconds(entry.ended_at),
        "operation_id": entry.operation_id,
    }
