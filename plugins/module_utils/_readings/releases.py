# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the journal knows of the releases of an environment. Nothing is sent to the service."""

from __future__ import annotations

from typing import Any

from .._context import Context
from .._locks import locks_in_force, locks_on
from .._release_backups import recorded
from .._releases import as_result, cleared_caches, clears_of, is_restarted, pushes_of, restarts_of
from .._under_way import is_restore
from .._verdicts import trials_at

OPTIONS: dict[str, dict[str, Any]] = {"groups": {"type": "list", "elements": "str", "default": []}}


def run(context: Context) -> dict[str, Any]:
    """Tell which release an environment was given, from the journal."""
    rows = pushes_of(context)
    restored = rows[-1] if rows and is_restore(rows[-1]) else None
    pushes = [] if restored else [row for row in rows if not is_restore(row)]
    newest = pushes[-1] if pushes else None
    restarts = restarts_of(context)
    locks = locks_on(locks_in_force(context), context["environment_id"], context["groups"])
    return {
        "release": newest and newest.release,
        "state": newest and as_result(newest)["state"],
        "sent_at": newest and as_result(newest)["sent_at"],
        "is_interrupted": bool(newest and newest.is_interrupted()),
        "is_restarted": is_restarted(newest, restarts),
        "cleared_caches": cleared_caches(newest, clears_of(context)) if newest else [],
        "parts": [{**push.note, **as_result(push)} for push in pushes if newest and push.release == newest.release],
        "backup": newest and newest.release and _backup_before(context, newest.release),
        "updates": [trial.as_result() for trial in trials_at(context, context["environment_id"])],
        "restored_backup": restored and {**restored.note, **as_result(restored)},
        "php_restart": {"release": restarts[-1].release, **as_result(restarts[-1])} if restarts else None,
        "locks": [lock.as_result() for lock in locks],
    }


def _backup_before(context: Context, release: str) -> dict[str, Any] | None:
    """Return the backup that was taken before a release, or None."""
    backup = recorded(context, context["environment_id"], release)
    if backup is None:
        return None
    remembered = context.journal.of_environment(context.client.base_url, context["environment_id"])
    return {"id": backup.backup_id, "tag": backup.tag, "problem": backup.problem(remembered)}
