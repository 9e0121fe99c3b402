# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the result of a task says to a person: its error, its output, its items. Never more than that of a secret."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..module_utils._text import printable, printable_lines

HIDDEN = "The output is hidden: the task has no_log."
LONGEST_ITEM = 60  # characters
MOST_ITEMS = 5  # that are named
MOST_LINES = 20  # of what a failed command has written
_OF_DEBUG = {"changed", "failed", "skipped", "msg", "invocation", "warnings", "deprecations", "exception", "item"}


def is_hidden(result: Mapping[str, Any]) -> bool:
    """Tell whether nothing of the result may be shown."""
    return bool(result.get("_ansible_no_log")) or "censored" in result


def error_text(result: Mapping[str, Any], *, whole: bool = False) -> str:
    """Return what a failed task says: its message, and what a command has written, of which ``whole`` is all."""
    if is_hidden(result):
        return HIDDEN
    lines = _trimmed(printable_lines(_text(result.get("msg")))) or ["It failed without a message."]
    for name in ("stderr", "module_stderr", "stdout", "module_stdout"):
        written = _trimmed(printable_lines(_text(result.get(name))))
        # stdout is what a command says where it has said nothing else.
        if written and written != lines:
            lines += written if whole else written[-MOST_LINES:]
            break
    return "\n".join(lines)


def output_text(result: Mapping[str, Any]) -> str:
    """Return what a debug task prints, line by line: its msg, or its variable with its name."""
    if is_hidden(result):
        return HIDDEN
    if "msg" in result:
        return "\n".join(_lines(result["msg"]))
    shown = {
        name: value
        for name, value in result.items()
        if not name.startswith(("_", "ansible_")) and name not in _OF_DEBUG
    }
    return "\n".join(line for name, value in shown.items() for line in _named(name, value))


def item_text(result: Mapping[str, Any]) -> str:
    """Return the name of a loop's item. What is more than a word may contain what nobody should see."""
    if is_hidden(result):
        return ""
    label = result.get("_ansible_item_label", result.get("item"))
    if isinstance(label, bool) or not isinstance(label, str | int | float):
        return ""
    return printable(str(label), LONGEST_ITEM)


def items_text(items: Iterable[str]) -> str:
    """Return the items that were changed, in brackets."""
    given = list(items)
    if not given:
        return ""
    named = [item for item in given if item]
    if len(named) < len(given) or len(named) > MOST_ITEMS:
        return f"({len(given)} item{'' if len(given) == 1 else 's'})"
    return f"({', '.join(named)})"


def _named(name: str, value: Any) -> list[str]:
    lines = _lines(value)
    return (
        [f"{printable(name)}: {lines[0]}"]
        if len(lines) == 1
        else [f"{printable(name)}:", *(f"  {one}" for one in lines)]
    )


def _lines(value: Any) -> list[str]:
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return [line for item in value for line in printable_lines(str(item))] or [""]
    if isinstance(value, str):
        return printable_lines(value.removesuffix("\n"))
    return printable_lines(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _trimmed(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines
