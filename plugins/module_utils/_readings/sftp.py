# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addresses that may use SFTP and SSH (interface section 4.16)."""

from __future__ import annotations

from typing import Any

from .._addresses import sftp_allowlist_in
from .._context import Context
from .._interface import GET_SFTP_ALLOWLIST

OPTIONS: dict[str, dict[str, Any]] = {}


def run(context: Context) -> dict[str, Any]:
    """List the addresses that may use SFTP and SSH."""
    answer = context.send(GET_SFTP_ALLOWLIST(env_id=context["environment_id"]))
    return {"sftp_ip_allowlist": sftp_allowlist_in(answer), "answer": answer.data}
