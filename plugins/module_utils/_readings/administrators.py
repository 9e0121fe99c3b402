# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an e-mail address belongs to a WordPress administrator (interface section 4.14)."""

from __future__ import annotations

from typing import Any

from .._arguments import Option
from .._checks import checked_email, checked_query_names
from .._context import Context
from .._interface import CHECK_WP_ADMIN_USER

# The interface does not show the name of the query parameter. This is the public service's.
QUERY_NAMES = {"email": "email"}

OPTIONS = {
    "email": Option(checked_email, required=True),
    "query_names": Option(checked_query_names(QUERY_NAMES), type="dict"),
}


def run(context: Context) -> dict[str, Any]:
    """Tell whether there is a WordPress administrator with an e-mail address."""
    names = {**QUERY_NAMES, **(context["query_names"] or {})}
    answer = context.send(
        CHECK_WP_ADMIN_USER(env_id=context["environment_id"], query={names["email"]: context["email"]})
    )
    return {"has_wp_admin_user": answer.at("has_wp_admin_user", bool), "answer": answer.data}
