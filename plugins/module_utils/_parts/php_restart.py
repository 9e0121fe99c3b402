# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A restart of the PHP engine of an environment."""

from __future__ import annotations

from typing import Any

from .._arguments import text_option
from .._context import Context
from .._convergence import Steps, in_one_go, taking_once
from .._interface import RESTART_PHP
from .._phases import begun
from .._under_way import Kind, Start

OPTIONS: dict[str, dict[str, Any]] = {"release": text_option(required=False)}


def steps(context: Context) -> Steps[dict[str, Any]]:
    """Restart the PHP engine of an environment (interface section 4.11), once for a release."""
    outcome = yield from taking_once(
        context,
        subject=("php_restart", context["environment_id"]),
        request=RESTART_PHP(body=context.given("environment_id")),
        release=context["release"],
        at_each_run=context["release"] is None,
        # It may start beside all else, and its row comes after theirs: see is_restarted of release_info.
        start=Start(Kind.OTHER, context["environment_id"]),
        begun=begun(context),
    )
    return outcome.result()


run = in_one_go(steps)
