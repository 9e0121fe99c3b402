# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The backup that takes an environment back, as the roles deploy and maintain choose it."""

from __future__ import annotations

from .plain_values import Record


def chosen(backup: Record, release: str) -> Record:
    """Return the choice of a backup, which is restored for this release."""
    return {"backup_id": backup["id"], "tag": backup.get("tag") or "", "release": release, "problem": ""}


def none_chosen(problem: str = "") -> Record:
    """Return that no backup is restored, and why, if there was a reason to restore one."""
    return {"backup_id": None, "tag": "", "release": "", "problem": problem}
