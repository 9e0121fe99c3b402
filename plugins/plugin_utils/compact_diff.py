# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The diff of a task in few words, such as ``denied_ips: +198.51.100.7`` and ``php_version: 8.1 → 8.3``."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from ..module_utils._differences import differences
from ..module_utils._text import printable, printable_lines

MISSING = object()


def compact_diff(diff: object, *, whole: bool = False) -> tuple[list[str], list[str]]:
    """Return what a task changes: the values, each in a few words, and the lines of texts, with + and -.

    :param diff: what the result of the task has as its diff.
    :param whole: do not shorten anything.
    """
    values: list[str] = []
    lines: list[str] = []
    for one in diff if isinstance(diff, list) else [diff]:
        if not isinstance(one, Mapping):
            continue
        if isinstance(states := one.get("states"), Mapping):
            values += differences(states.get("before"), states.get("after"), whole=whole)
            continue  # what is prepared says the same
        before, after = one.get("before", MISSING), one.get("after", MISSING)
        if isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
            lines += _compared_texts(one, before, after, whole)
        elif before is not MISSING and after is not MISSING:
            values += differences(before, after, whole=whole)
        lines += _other_lines(one)
    return values, lines


def _other_lines(diff: Mapping[str, Any]) -> list[str]:
    lines = []
    for side in ("src", "dst"):
        if f"{side}_binary" in diff:
            lines.append("a binary file differs")
        if f"{side}_larger" in diff:
            lines.append(f"a file of more than {printable(str(diff[f'{side}_larger']))} bytes differs")
    if "prepared" in diff:
        lines += [line for line in printable_lines(str(diff["prepared"])) if line]
    return lines


def _compared_texts(diff: Mapping[str, Any], before: str, after: str, whole: bool) -> list[str]:
    old, new = printable_lines(before), printable_lines(after)
    changes = list(difflib.unified_diff(old, new, n=3 if whole else 0, lineterm=""))[2:]
    shown = [line for line in changes if whole or line[0] != "@"]
    name = diff.get("after_header") or diff.get("before_header")
    return [*([printable(str(name))] if name and shown else []), *shown]
