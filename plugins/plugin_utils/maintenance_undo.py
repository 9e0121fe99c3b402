# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the role maintain restores the backup from before updates, and what is said of that: pure functions.

It restores only what it has taken itself in the same run, right before updates that a site does not work with. What
nobody knows is a reason to leave the site to a person.
"""

from __future__ import annotations

from typing import Any

from ..module_utils._progress import FINISHED
from ..module_utils._verdicts import BROKE_IT
from .chosen_backup import chosen, none_chosen
from .plain_values import Record, plain
from .results import reading_of, update_named

UPDATES = ("themes", "plugins", "php_version")
"""The parts that are updated."""

RELEASE = "updates since backup"
"""How the name begins that a backup is restored for, by which a later run knows the restore as one of this role."""

STAND = ("release", "state", "sent_at", "restored_backup")
"""What changes in the journal when somebody pushes to an environment, or restores a backup there."""


def undo_of(done: Record, wanted: bool) -> Record:
    """Return the backup to restore: ``backup_id``, ``tag`` and ``release`` (what it is restored for).

    Without one, ``backup_id`` is None, and ``problem`` says why, if there was a reason to restore one.

    :param done: the results of the role's tasks: ``well`` of site_check after the updates, ``kept`` and ``made`` of
        environment, ``update_backup`` of manual_backup, and ``now`` of release_info.
    :param wanted: whether the user wants to go back at all.
    """
    done = plain(done)
    if not wanted:
        return none_chosen()
    if not done.get("well"):
        return under_way(done.get("kept") or {}) or none_chosen()
    if not _is_reason(done["well"]):
        return none_chosen()
    problem = _problem(done)
    if problem:
        return none_chosen(problem)
    backup = done["update_backup"]["backup"]
    return chosen(backup, f"{RELEASE} {backup['id']}")


def under_way(kept: Record) -> Record | None:
    """Return the restore that an earlier run has begun and this one takes up, or None.

    It is one of this role, nothing was pushed since, and the site does not work: the run may have been killed before
    the end of the restore, or before what comes after it. Restored again it is not.
    """
    restored = reading_of(kept, "releases").get("restored_backup") or {}
    release = str(restored.get("release") or "")
    if not release.startswith(RELEASE) or not _is_reason(kept.get("site_check") or {}):
        return None
    return chosen({"id": restored["backup_id"]}, release)


def _is_reason(asked: Record) -> bool:
    """Tell whether the site itself does not work. One that could not be asked says nothing about its updates."""
    return bool(asked.get("failed")) and (asked.get("error") or {}).get("kind") == "check_failed"


def _problem(done: Record) -> str:
    """Return why the backup is not restored, as the rest of a sentence; nothing if it may be."""
    well, kept, made = done["well"], done.get("kept") or {}, done.get("made") or {}
    before = (kept.get("site_check") or {}).get("checks") or []
    changed = [name for name in UPDATES if ((made.get("parts") or {}).get(name) or {}).get("changed")]
    if not before or not all(one["ok"] for one in before):
        return "nobody has seen the site work before the updates"
    if well.get("has_ended") is not True:
        return "it is not known whether an update is still in progress"
    if not changed:
        return "this run has updated nothing"
    if changed == ["php_version"]:
        return "a backup does not bring the PHP version back: declare the one from before with maintain_php_version"
    if not broken_by(well):
        return "the journal could not take down which updates broke it"
    return _problem_of_backup(done, kept) or _problem_of_releases(done, kept)


def _problem_of_backup(done: Record, kept: Record) -> str:
    taken, declared = done.get("update_backup") or {}, (kept.get("parts") or {}).get("backup") or {}
    backup = taken.get("backup") or {}
    if backup.get("id") is None:
        return "the service does not show the backup from before the updates"
    operation = taken.get("operation") or {}
    if not taken.get("is_taken"):
        # The declared backup, which this run has taken a moment before, may be new enough.
        known = ((declared.get("result") or {}).get("backup") or {}).get("id")
        if not declared.get("changed") or known != backup["id"]:
            return "this run has taken no backup right before the updates"
        operation = declared.get("operation") or {}
    return "" if operation.get("state") == FINISHED else "it is not known when the backup was taken"


def _problem_of_releases(done: Record, kept: Record) -> str:
    before, now = reading_of(kept, "releases"), done.get("now") or {}
    if any(not one or one.get("failed") or "error" in one for one in (before, now)):
        return "the journal could not be read"
    if any(before.get(name) != now.get(name) for name in STAND):
        return "somebody has pushed to it or restored a backup since the run began"
    return ""


def broken_by(well: Record) -> list[str]:
    """Return the updates that are remembered as bad, for people.

    :param well: the result of site_check after the updates.
    """
    return [update_named(one) for one in well.get("updates") or [] if one["verdict"] == BROKE_IT]


def said_of(undo: Record, well: Record) -> str:
    """Return what became of the way back, as sentences; nothing where there was none.

    :param undo: the ``choice`` (undo_of), and the results of backup_restore (``restore`` of the task that has begun it,
        ``restored`` of the one that has brought it to its end) and, after it, of site_check (``back``).
    :param well: the result of site_check after the updates.
    """
    choice, restore, back = undo.get("choice") or {}, _restore_of(undo), undo.get("back") or {}
    if choice.get("problem"):
        return f"It was not rolled back, because {choice['problem']}."
    if choice.get("backup_id") is None:
        return ""
    if restore.get("failed"):
        return f"Rolling it back failed: {restore.get('msg') or 'it has no message'}"
    name = f"backup {choice['backup_id']}{_in_brackets(choice.get('tag'))}"
    held = broken_by(well)
    php = [one for one in held if one.startswith("PHP ")]
    sentences = [
        f"It was rolled back to {name}, but the site still does not work: {back.get('msg')}"
        if back.get("failed")
        else f"It was rolled back to {name}, and the site works again.",
        f"{php[0]} stays, because a backup does not have the PHP version." if php else "",
        f"Held back everywhere: {', '.join(held)}." if held else "",
    ]
    return " ".join(filter(None, sentences))


def is_restored(undo: Record) -> bool:
    """Tell whether the backup was restored, by this run or an earlier one."""
    restore = _restore_of(undo)
    return bool(restore) and not restore.get("failed") and not restore.get("skipped")


def _restore_of(undo: Record) -> Record:
    """Return the result of the restore: of the task that has begun it, unless that ended badly."""
    restored = undo.get("restored") or {}
    return restored if restored.get("failed") else undo.get("restore") or {}


def _in_brackets(text: Any) -> str:
    return f" ({text})" if text else ""
