# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may start at an environment while what is under way there: a table, and who waits for what by it.

It holds for any run and any release. A backup taken while a push goes on holds half of the one and half of the other
state; a push beside a restore leaves whichever ends last. The table is that of docs/idempotence.md, and its rows are
the tests of this file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

from ._journal import Entry, Subject
from ._progress import FAILED, FINISHED, NOT_DONE, UNKNOWN


class Kind(Enum):
    """What a request does to an environment."""

    BACKUP = auto()
    PUSH = auto()
    RESTORE = auto()
    UPDATE = auto()  # of plugins, themes or PHP
    REMOVAL = auto()  # of a backup
    COMMAND = auto()  # of WP-CLI
    OTHER = auto()  # restarts, caches, lists, domains


OVERWRITING = (Kind.PUSH, Kind.RESTORE)
"""What replaces all that an environment contains."""

_KINDS = {
    "env_push": Kind.PUSH,
    "manual_backup": Kind.BACKUP,
    "site_plugin": Kind.UPDATE,
    "site_theme": Kind.UPDATE,
    "php_version": Kind.UPDATE,
    "backup_removal": Kind.REMOVAL,
    "wp_cli": Kind.COMMAND,
}


class Beside(Enum):
    """What becomes of a request beside another one."""

    MAY = auto()  # it may start
    WAITS = auto()  # it waits for the other's end
    ASKS = auto()  # nobody can tell whether the other goes on: the user says


@dataclass(frozen=True)
class Start:
    """What is to be started, and where."""

    kind: Kind
    environment_id: str


def beside(starting: Kind, under_way: Kind, progress: str) -> Beside:
    """Say whether a request may start beside another one that has come so far (one of _progress). Pure."""
    if Kind.OTHER in (starting, under_way) or progress in (FINISHED, FAILED, NOT_DONE):
        return Beside.MAY
    if starting is under_way is Kind.REMOVAL:
        return Beside.MAY  # several backups are removed at once
    if progress == UNKNOWN:
        return Beside.ASKS if under_way in OVERWRITING else Beside.MAY
    return Beside.WAITS


def is_restore(entry: Entry) -> bool:
    """Tell whether a row of the pushes is about the restore of a backup. They share a subject of the journal."""
    return "backup_id" in entry.note


def kind_of(subject: Subject, entry: Entry) -> Kind:
    """Return what the request of a journal's row does to its environment."""
    kind = _KINDS.get(subject[1].partition("/")[0], Kind.OTHER)
    return Kind.RESTORE if kind is Kind.PUSH and is_restore(entry) else kind


def in_the_way(
    starting: Kind, remembered: Iterable[tuple[Subject, Entry]], own: Entry | None = None
) -> list[tuple[Subject, Entry, Beside]]:
    """Return those rows of an environment that a request does not start beside, each with what becomes of it.

    ``own`` is the row of the request itself, when it is noted already.
    """
    found: list[tuple[Subject, Entry, Beside]] = []
    for subject, entry in remembered:
        known = entry.as_known()
        verdict = beside(starting, kind_of(subject, entry), known.progress)
        if verdict is not Beside.MAY and not (own and entry.is_about(own)):
            found.append((subject, known, verdict))
    return found


def named(subject: Subject, entry: Entry) -> str:
    """Return the words for what a row is about, as the beginning of a sentence."""
    kind = kind_of(subject, entry)
    if kind is Kind.RESTORE:
        return f"The restore of backup {entry.note['backup_id']}"
    if kind is Kind.PUSH:
        return f"The push of {entry.release}" if entry.release else "A push without a release"
    if kind is Kind.BACKUP:
        return f"The backup {entry.release}" if entry.release else "A backup"
    if kind is Kind.REMOVAL:
        return f"The removal of backup {subject[1].rpartition('/')[2]}"
    if kind is Kind.COMMAND:
        return f"The WP-CLI command for {entry.release}" if entry.release else "A WP-CLI command"
    return {"site_plugin": "An update of plugins", "site_theme": "An update of themes"}.get(
        subject[1].partition("/")[0], "A change of the PHP version"
    )
