# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plugins of an environment (interface section 4.5, whose GET carries a body)."""

from __future__ import annotations

from typing import Any

from .._answers import Answer, Record
from .._arguments import optional_text_option
from .._context import Context
from .._extensions import PLUGINS_OF_COMPANION, has_update, list_plugins

OPTIONS = {"status": optional_text_option(), "column": optional_text_option()}


def run(context: Context) -> dict[str, Any]:
    """List the plugins of an environment."""
    answer, path = list_plugins(context, **context.given("status", "column"))
    plugins = answer.records(path)
    if path == PLUGINS_OF_COMPANION:
        context.warn("The service does not tell which plugins are vulnerable, so vulnerable is null.")
        return _result(answer, [plugin for plugin in plugins if _is_wanted(context, plugin)], None, None)
    vulnerable = [plugin.get("name") for plugin in plugins if plugin.get("is_version_vulnerable")]
    return _result(answer, plugins, vulnerable, answer.at("environment.plugins.last_updated_at", (str, type(None))))


def _result(
    answer: Answer, plugins: list[Record], vulnerable: list[Any] | None, last_updated_at: str | None
) -> dict[str, Any]:
    plugins = [{**plugin, "is_update_available": has_update(plugin)} for plugin in plugins]
    return {
        "plugins": plugins,
        "vulnerable": vulnerable,
        "updatable": [plugin.get("name") for plugin in plugins if plugin["is_update_available"]],
        "last_updated_at": last_updated_at,
        "answer": answer.data,
    }


def _is_wanted(context: Context, plugin: Record) -> bool:
    """Tell whether the service would list a plugin, by the two values that are known from the interface."""
    if context["status"] not in (None, plugin.get("status")):
        return False
    return context["column"] != "updatesAvailable" or has_update(plugin)
