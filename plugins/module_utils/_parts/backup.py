# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A backup of an environment."""

from __future__ import annotations

from typing import Any

from .._analytics import checked_time
from .._arguments import Option, text_option
from .._checks import checked_duration
from .._context import Context
from .._convergence import Steps, always_counts, in_one_go, not_shown, taking_once
from .._interface import ADD_MANUAL_BACKUP
from .._manual_backups import wanted_backup
from .._under_way import Kind, Start

OPTIONS: dict[str, dict[str, Any]] = {
    "tag": text_option(required=False),
    "max_age": Option(checked_duration),
    "newer_than": Option(checked_time),
    "release": text_option(required=False),
}
CONSTRAINTS: dict[str, Any] = {
    "mutually_exclusive": [["max_age", "newer_than"], ["release", "newer_than"]],
    "required_by": {"release": ["tag"]},
}


def steps(context: Context) -> Steps[dict[str, Any]]:
    """Take a backup of an environment (interface section 4.10)."""
    wanted = wanted_backup(context)
    outcome = yield from taking_once(
        context,
        subject=("manual_backup", context["environment_id"], context["tag"] or ""),
        request=ADD_MANUAL_BACKUP(env_id=context["environment_id"], body=context.given("tag")),
        release=context["tag"],
        at_each_run=wanted is None,
        not_before=wanted.not_before if wanted else always_counts,
        observe=wanted.observe if wanted else not_shown,
        start=Start(Kind.BACKUP, context["environment_id"]),
    )
    return outcome.result(backup=outcome.record or {"tag": context["tag"]})


run = in_one_go(steps)
