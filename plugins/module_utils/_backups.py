# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The backups of an environment, as the service shows them (a companion of the interface)."""

from __future__ import annotations

from ._answers import Answer, Record
from ._context import Context
from ._interface import GET_BACKUPS
from ._values import iso_of_milliseconds


def backups_of(context: Context) -> list[Record]:
    """Return the backups of the task's environment that have its tag and type, if it gives any, newest first."""
    answer = context.send(GET_BACKUPS(env_id=context["environment_id"]))
    backups = [as_result(answer, backup) for backup in answer.records("environment.backups")]
    if not all(isinstance(backup.get("id"), int) for backup in backups):
        raise answer.malformed("environment.backups.id")
    wanted = {name: context[name] for name in ("tag", "type") if context.get(name)}
    found = [one for one in backups if all(one.get(name) == value for name, value in wanted.items())]
    return sorted(found, key=lambda backup: (backup["created_at"], backup["id"]), reverse=True)


def manual_backups_of(answer: Answer) -> list[Record]:
    """Return the manual backups of an answer, each of which has an id."""
    backups = [one for one in answer.records("environment.backups") if is_manual(one)]
    if not all(isinstance(one.get("id"), int) for one in backups):
        raise answer.malformed("environment.backups.id")
    return backups


def is_manual(backup: Record) -> bool:
    """Tell whether a backup was taken on demand, at a time that the service tells."""
    return backup.get("type") == "manual" and isinstance(backup.get("created_at"), (int, float))


def as_result(answer: Answer, backup: Record) -> Record:
    """Return a backup of an answer as a module's result: with its tag, and its time in ISO 8601."""
    try:
        return {**backup, "tag": backup.get("note"), "created_at_iso": iso_of_milliseconds(backup["created_at"])}
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        raise answer.malformed("environment.backups.created_at") from None
