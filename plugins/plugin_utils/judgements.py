# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role maintain and the report judge alike: the API key, the age of backups, plugins, and open questions.

What follows from it, and in which words, is theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .plain_values import Record

UNKNOWN = "unknown"
"""The state of a request of which nobody knows whether it was carried out."""
OPEN = (UNKNOWN, "sent", "in_progress")
"""The states of requests that the journal has no answer for."""


def is_active(key: Record) -> bool:
    """Tell whether an API key can be used, as far as its status says.

    :param key: the ``api_key`` of api_key_info.
    """
    return key.get("status") == "active"


def expires_soon(days_left: int | None, days: int | None) -> bool:
    """Tell whether an API key is valid for so many days at most.

    :param days_left: None for a key that does not expire.
    :param days: None to not look.
    """
    return days_left is not None and days is not None and days_left <= days


def is_too_old(age: float | None, most: float) -> bool:
    """Tell whether the newest backup is older than it may be, both in the same unit.

    :param age: None where it is not known, or where there is no backup.
    """
    return age is not None and age > most


def vulnerable_of(plugins: Record) -> list[str] | None:
    """Return the names of the vulnerable plugins, or None where the service does not tell.

    :param plugins: the result of plugin_info, or what updating plugins would leave.
    """
    names = plugins.get("vulnerable")
    return None if names is None else [str(name) for name in names]


@dataclass(frozen=True)
class Question:
    """A request that the journal has no answer for."""

    kind: str
    """``push``, ``restore`` or ``restart``"""
    request: Record
    about: Any
    """The release that it is for; of a restore without one, the id of the backup."""

    @property
    def is_unknown(self) -> bool:
        """Whether nobody will learn the outcome from the service any more."""
        return self.request.get("state") == UNKNOWN


def questions_of(known: Record) -> Iterator[Question]:
    """Yield the requests whose outcome is unknown, and those that still go on.

    :param known: what the journal knows of an environment, as release_info returns it.
    """
    restored, restart = known.get("restored_backup") or {}, known.get("php_restart") or {}
    asked = [
        *(Question("push", part, known.get("release")) for part in known.get("parts") or []),
        Question("restore", restored, restored.get("release") or restored.get("backup_id")),
        Question("restart", restart, restart.get("release")),
    ]
    yield from (one for one in asked if one.request.get("state") in OPEN)
