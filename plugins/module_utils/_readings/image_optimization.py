# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the images of an environment are optimized (a companion of the interface)."""

from __future__ import annotations

from typing import Any

from .._context import Context
from .._sites import shown_environment

OPTIONS: dict[str, dict[str, Any]] = {}


def run(context: Context) -> dict[str, Any]:
    """Tell how images are optimized; None where the service does not say."""
    return {"image_optimization_type": shown_environment(context).get("image_optimization_type")}
