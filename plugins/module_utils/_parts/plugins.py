# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The versions of an environment's plugins."""

from __future__ import annotations

from typing import Any

from .._arguments import Constraints
from .._context import Context
from .._convergence import Steps, in_one_go
from .._errors import InvalidInput
from .._extensions import Extensions, Records, Updates, check_names, list_plugins, update_options
from .._interface import UPDATE_PLUGIN, UPDATE_PLUGINS

OPTIONS: dict[str, dict[str, Any]] = {
    **update_options(),
    "select": {"type": "str", "choices": ["updatable", "vulnerable"]},
}
CONSTRAINTS: Constraints = {
    "required_one_of": [["name", "names", "select"]],
    "required_together": [["name", "update_version"]],
    "mutually_exclusive": [["name", "names"], ["name", "select"], ["name", "exclude"]],
}
RULE = check_names


def _read(context: Context) -> Records | None:
    answer, path = list_plugins(context)
    return answer.named(path)


PLUGINS = Extensions("site_plugin", "plugin", read=_read, update=UPDATE_PLUGIN, update_several=UPDATE_PLUGINS)


def steps(context: Context) -> Steps[dict[str, Any]]:
    """Update plugins of an environment (companions of the interface)."""
    updates = Updates(context, PLUGINS, _is_vulnerable if context["select"] == "vulnerable" else _is_any)
    outcome = yield from updates.settle()
    return outcome.result(plugins=updates.versions(), vulnerable=_vulnerable(updates), held=updates.guard.held)


run = in_one_go(steps)


def _is_any(_plugin: dict[str, Any]) -> bool:
    return True


def _is_vulnerable(plugin: dict[str, Any]) -> bool:
    if "is_version_vulnerable" not in plugin:
        raise InvalidInput(
            "The service does not tell which plugins are vulnerable, so these cannot be selected. Give names, or"
            " select: updatable. Nothing was sent."
        )
    return bool(plugin["is_version_vulnerable"])


def _vulnerable(updates: Updates) -> list[str] | None:
    """Return the slugs of what is vulnerable after the updates, or None when the service does not tell."""
    if not all("is_version_vulnerable" in plugin for plugin in updates.listed.values()):
        return None
    ahead = updates.before if updates.is_ahead else {}
    return [
        name
        for name, plugin in updates.listed.items()
        if plugin.get("is_update_version_vulnerable" if name in ahead else "is_version_vulnerable")
    ]
