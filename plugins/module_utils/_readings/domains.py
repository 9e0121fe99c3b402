# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The domains of an environment (a companion of the interface)."""

from __future__ import annotations

from typing import Any

from .._context import Context
from .._interface import GET_SITE_DOMAINS
from .._sites import domains_in

OPTIONS: dict[str, dict[str, Any]] = {}


def run(context: Context) -> dict[str, Any]:
    """List the domains."""
    answer = context.send(GET_SITE_DOMAINS(env_id=context["environment_id"]))
    return {"domains": list(domains_in(answer).values())}
