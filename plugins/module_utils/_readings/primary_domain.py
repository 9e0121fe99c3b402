# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The primary domain of an environment (a companion of the interface)."""

from __future__ import annotations

from typing import Any

from .._context import Context
from .._sites import shown_environment

OPTIONS: dict[str, dict[str, Any]] = {}


def run(context: Context) -> dict[str, Any]:
    """Tell the primary domain, with its id and its name; None where there is none."""
    primary = shown_environment(context).get("primaryDomain")
    if not isinstance(primary, dict):
        return {"primary_domain": None}
    return {"primary_domain": {name: primary.get(name) for name in ("id", "name")}}
