# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks that send the most requests to an environment (interface section 4.13)."""

from __future__ import annotations

from typing import Any

from .._analytics import analytics_options, read_analytics
from .._context import Context
from .._interface import GET_TOP_ASNS
from .._values import number_of

OPTIONS = analytics_options()


def run(context: Context) -> dict[str, Any]:
    """Tell which networks send the most requests to an environment."""
    answer = read_analytics(context, GET_TOP_ASNS)
    try:
        asns = [
            {"name": item["name"], "views": number_of(item["views"])}
            for item in answer.records("analytics.analytics_response.data")
        ]
    except (KeyError, ValueError):
        raise answer.malformed("analytics.analytics_response.data") from None
    return {
        "asns": sorted(asns, key=lambda asn: asn["views"], reverse=True),
        "analytics": answer.at("analytics", dict),
    }
