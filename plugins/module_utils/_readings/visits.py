# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The visits of an environment (interface section 4.12)."""

from __future__ import annotations

from typing import Any

from .._analytics import analytics_options, read_analytics
from .._context import Context
from .._interface import GET_VISITS
from .._values import number_of

OPTIONS = analytics_options()


def run(context: Context) -> dict[str, Any]:
    """Count the visits of an environment."""
    answer = read_analytics(context, GET_VISITS)
    series = answer.records("analytics.analytics_response.data")
    try:
        visits = {
            "total": sum(number_of(item["total"]) for item in series),
            "points": [
                {"time": point["key"], "visits": number_of(point["value"])}
                for item in series
                for point in item["dataset"]
            ],
        }
    except (KeyError, TypeError, ValueError):
        raise answer.malformed("analytics.analytics_response.data") from None
    return {"visits": visits, "analytics": answer.at("analytics", dict)}
