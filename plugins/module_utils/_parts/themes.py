# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The versions of an environment's themes."""

from __future__ import annotations

from typing import Any

from .._arguments import Constraints
from .._context import Context
from .._convergence import Steps, in_one_go
from .._extensions import Extensions, Updates, check_names, list_themes, update_options
from .._interface import UPDATE_THEME, UPDATE_THEMES

OPTIONS = update_options()
CONSTRAINTS: Constraints = {
    "required_one_of": [["name", "names"]],
    "required_together": [["name", "update_version"]],
    "mutually_exclusive": [["name", "names"], ["name", "exclude"]],
}
RULE = check_names

THEMES = Extensions("site_theme", "theme", read=list_themes, update=UPDATE_THEME, update_several=UPDATE_THEMES)


def steps(context: Context) -> Steps[dict[str, Any]]:
    """Update a theme of an environment to a version (interface section 4.9), or several to their newest."""
    updates = Updates(context, THEMES)
    outcome = yield from updates.settle()
    if context["name"] is None:
        return outcome.result(themes=updates.versions(), held=updates.guard.held)
    theme = outcome.record or {"name": context["name"], "version": context["update_version"]}
    return outcome.result(theme=theme, held=updates.guard.held)


run = in_one_go(steps)
