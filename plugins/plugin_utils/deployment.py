# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role deploy decides: pure functions of what its tasks have registered."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ..module_utils._progress import FAILED, FINISHED, UNKNOWN
from .chosen_backup import chosen, none_chosen
from .plain_values import Record, plain
from .plan import change_of

BACKUP, PUSH, AFTER_PUSH, WP_CLI, VERIFY, PICTURES = "backup", "push", "after_push", "wp_cli", "verify", "pictures"
"""The steps whose failures mean something, as the tasks say themselves, whatever they are called."""

NAME_ONE = "Name one with -e deploy_rollback_backup_id=ID; hosting.management.backup_info lists them."


def name_of(known: Record) -> str:
    """Return what an environment has, in the words of people: its release, or the backup that was restored since.

    :param known: the result of release_info. Nothing is returned where that knows nothing.
    """
    restored = known.get("restored_backup")
    return f"backup {restored['backup_id']}" if restored else str(known.get("release") or "")


def rollback_choice(
    known: Record,
    backups: list[Record],
    environment: str,
    release: Any = "",
    backup_id: Any = None,
    planned: Record | None = None,
) -> Record:
    """Return which backup takes an environment back to where it was before its release.

    :param known: the result of release_info.
    :param backups: the backups that the service shows.
    :param environment: what messages call the environment.
    :param release: the release that the user wants to undo; empty means the one that is there.
    :param backup_id: the backup that the user has named, if any.
    :param planned: what the plan of the playbook rollback, which the run is held to, has of the environment.
    :returns: ``backup_id``, ``tag`` and ``release`` (what it is restored for); or ``backup_id`` None and ``problem``.
    """
    known = plain(known)
    choice = _rollback_choice(known, plain(backups), environment, release, backup_id)
    restore = change_of(plain(planned), "restore") if planned else None
    if not planned or choice["problem"] or _is_planned(choice, restore, known):
        return choice
    saw = f"the restore of backup {restore['after']} over {restore['before']}" if restore else "no restore"
    return none_chosen(
        f"{environment} has {name_of(known) or 'no known release'}, to be replaced by backup"
        f" {choice['backup_id']}, and the plan has {saw}. Nothing was done. Make a new plan."
    )


def _is_planned(choice: Record, restore: Record | None, known: Record) -> bool:
    """Tell whether a plan has the restore of a backup; one that was restored already needs none."""
    restored = (known.get("restored_backup") or {}).get("backup_id")
    if str(restored) == str(choice["backup_id"]):
        return True
    return bool(restore and str(restore["after"]) == str(choice["backup_id"]) and restore["before"] == name_of(known))


def _rollback_choice(known: Record, backups: list[Record], environment: str, release: Any, backup_id: Any) -> Record:
    listed = {str(one.get("id")): one for one in backups}
    restored = known.get("restored_backup")
    there: str | None = restored["release"] if restored else known.get("release")
    wanted = str(release or "")
    if backup_id not in (None, ""):
        if str(backup_id) not in listed:
            return none_chosen(
                f"{environment} has no backup {backup_id}; hosting.management.backup_info lists those that it has."
                " Nothing was done."
            )
        return chosen(listed[str(backup_id)], there or f"rollback to {backup_id}")
    if restored:
        backup = listed.get(str(restored["backup_id"]), {"id": restored["backup_id"]})
        return chosen(backup, there or f"rollback to {restored['backup_id']}")
    if there is None:
        return none_chosen(
            f"The journal knows no release of {environment}, so it is not known which backup was taken before it."
            f" {NAME_ONE} Nothing was done."
        )
    if wanted and wanted != there:
        return none_chosen(
            f"{environment} has {there}, and deploy_release is {wanted}. Going back is for the release that is there:"
            f" leave deploy_release out, or set it to {there}. Nothing was done."
        )
    return _before(known.get("backup"), listed, environment, there)


def goes_back(
    failure: Record, known: Record, push: Record, *, release: Any, wanted: bool, within: float, now: float
) -> bool:
    """Tell whether a failure is a reason to restore the backup from before a release.

    It is one only where the release is there, and its push has ended. What failed before the push, and a site that
    could not be asked, says nothing about the release.

    :param failure: what failed: the ``step`` (empty for most), the name of the ``task``, its ``msg`` and ``error``.
    :param known: what release_info returns now.
    :param push: the result of this run's push.
    :param release: the release that is deployed.
    :param wanted: whether the user wants to go back at all.
    :param within: for how many seconds after the push of an earlier run.
    :param now: the time, in seconds since the epoch.
    """
    return bool(
        wanted
        and _is_reason(failure)
        and str(known.get("release") or "") == str(release)
        and (known.get("state") in (FINISHED, FAILED) or (push.get("operation") or {}).get("state") == UNKNOWN)
        and (push.get("changed") or now - _seconds(known.get("sent_at")) <= within)
    )


def _is_reason(failure: Record) -> bool:
    kind = failure["error"].get("kind")
    return {
        PUSH: kind == "operation_failed",
        AFTER_PUSH: True,
        WP_CLI: kind == "operation_failed",
        VERIFY: kind == "check_failed",
        PICTURES: kind == "check_failed",
    }.get(failure["step"], False)


def _seconds(sent_at: str | None) -> float:
    """Return a time of the journal in seconds since the epoch; one that is not known is long ago."""
    return datetime.fromisoformat(sent_at).timestamp() if sent_at else 0.0


def _before(backup: Record | None, listed: dict[str, Record], environment: str, release: str) -> Record:
    """Return the choice of the backup on record, which was taken before the release."""
    if backup is None:
        return none_chosen(
            f"The journal has no backup of {environment} from before the push of {release}. {NAME_ONE} Nothing was"
            " restored."
        )
    name = f"The backup {backup['tag']} of {environment}"
    if backup["id"] is not None:
        name += f" (id {backup['id']})"
    if backup["problem"]:
        return none_chosen(f"{name} cannot undo {release}: {backup['problem']}. {NAME_ONE} Nothing was restored.")
    if str(backup["id"]) not in listed:
        return none_chosen(
            f"{name} was taken before {release}, and the service does not have it any more. {NAME_ONE} Nothing was"
            " restored."
        )
    return chosen(listed[str(backup["id"])], release)
