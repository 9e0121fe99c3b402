# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the next downloadable backup is available (interface section 4.15)."""

from __future__ import annotations

from typing import Any

from .._context import Context
from .._interface import GET_NEXT_DOWNLOADABLE_BACKUP
from .._values import iso_of_text_for_people

OPTIONS: dict[str, dict[str, Any]] = {}


def run(context: Context) -> dict[str, Any]:
    """Tell when the next downloadable backup is available."""
    answer = context.send(GET_NEXT_DOWNLOADABLE_BACKUP(env_id=context["environment_id"]))
    reset_at = answer.at("reset_at", (str, type(None)))
    return {
        "is_backup_available": answer.at("is_backup_available", bool),
        "reset_at": reset_at,
        "reset_at_iso": reset_at and iso_of_text_for_people(reset_at),
        "answer": answer.data,
    }
