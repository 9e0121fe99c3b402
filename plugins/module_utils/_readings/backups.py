# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The backups of an environment (a companion of the interface)."""

from __future__ import annotations

from typing import Any

from .._arguments import optional_text_option
from .._backups import backups_of
from .._context import Context

OPTIONS = {"type": optional_text_option(), "tag": optional_text_option()}


def run(context: Context) -> dict[str, Any]:
    """List the backups of an environment."""
    backups = backups_of(context)
    # The service has dated its backups, so their age is told by its clock.
    now = context.client.service_time()
    return {"backups": [{**one, "age": max(0, int(now - one["created_at"] / 1000))} for one in backups]}
