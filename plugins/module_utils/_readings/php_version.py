# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The PHP version of an environment (a companion of the interface)."""

from __future__ import annotations

from typing import Any

from .._context import Context
from .._environments import automatic_updates_of, php_version_of
from .._sites import shown_environment

OPTIONS: dict[str, dict[str, Any]] = {}


def run(context: Context) -> dict[str, Any]:
    """Tell the PHP version, and whether the service updates it by itself; None for what it does not say."""
    environment = shown_environment(context)
    return {"php_version": php_version_of(environment), "automatic_updates": automatic_updates_of(environment)}
