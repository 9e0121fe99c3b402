# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API key in use, and when it expires (interface section 4.2)."""

from __future__ import annotations

from typing import Any

from .._context import Context
from .._interface import VALIDATE_KEY
from .._values import iso_of_time, time_of_milliseconds

OPTIONS: dict[str, dict[str, Any]] = {}


def run(context: Context) -> dict[str, Any]:
    """Return the record of the key in use."""
    answer = context.send(VALIDATE_KEY())
    record = {name: answer.at(name, str) for name in ("name", "status", "company")}
    try:
        expiry = _expiry(answer.at("expires_at", (str, int, type(None))), context.client.service_time())
    except (ValueError, OverflowError, OSError):
        raise answer.malformed("expires_at") from None
    return {"api_key": {**record, **expiry}, "answer": answer.data}


def _expiry(milliseconds: str | int | None, now: float) -> dict[str, Any]:
    """Return when the key expires, and in how many days from ``now``, by the service's clock."""
    if milliseconds is None:
        return {"expires_at": None, "expires_at_iso": None, "expires_in_days": None}
    expires_at = time_of_milliseconds(int(milliseconds))
    return {
        "expires_at": str(milliseconds),
        "expires_at_iso": iso_of_time(expires_at),
        "expires_in_days": (expires_at - time_of_milliseconds(1000 * now)).days,
    }
