# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addresses that are denied access to an environment (a companion of the interface)."""

from __future__ import annotations

from typing import Any

from .._addresses import denied_ips_in
from .._context import Context
from .._interface import GET_DENIED_IPS

OPTIONS: dict[str, dict[str, Any]] = {}


def run(context: Context) -> dict[str, Any]:
    """List the denied addresses."""
    return {"denied_ips": denied_ips_in(context.send(GET_DENIED_IPS(query=context.given("environment_id"))))}
