# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The themes of an environment (a companion of the interface)."""

from __future__ import annotations

from typing import Any

from .._context import Context
from .._extensions import has_update, themes_in
from .._interface import GET_THEMES

OPTIONS: dict[str, dict[str, Any]] = {}


def run(context: Context) -> dict[str, Any]:
    """List the themes."""
    answer = context.send(GET_THEMES(env_id=context["environment_id"]))
    themes = themes_in(answer).values()
    return {"themes": [{**theme, "is_update_available": has_update(theme)} for theme in themes]}
