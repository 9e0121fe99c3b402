# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the service offers a backup of an environment for download. The section of the backups shows it."""

from __future__ import annotations

from ..plain_values import Record
from .part import Part

FIELDS = ("is_backup_available", "reset_at", "reset_at_iso")


class Downloads(Part):
    """The backup that can be downloaded."""

    name, title, key = "downloads", "Downloadable backup", "is_backup_available"

    def of_environment(self, host: Record, read: Record | None) -> Record:
        return {"downloadable_backup": read and {name: read.get(name) for name in FIELDS}}
