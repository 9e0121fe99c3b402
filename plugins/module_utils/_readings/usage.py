# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The visits of a site in this month (interface section 4.18)."""

from __future__ import annotations

from typing import Any

from .._context import Context
from .._interface import GET_VISITS_USAGE
from .._values import number_of

OPTIONS: dict[str, dict[str, Any]] = {}


def run(context: Context) -> dict[str, Any]:
    """Count the visits of a site in this month."""
    answer = context.send(GET_VISITS_USAGE(site_id=context["site_id"]))
    try:
        visits = number_of(answer.at("site.this_month_usage.visits", (int, float, str)))
    except ValueError:
        raise answer.malformed("site.this_month_usage.visits") from None
    return {"visits": visits, "answer": answer.data}
