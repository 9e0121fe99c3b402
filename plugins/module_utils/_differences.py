# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How two states differ, in few words, such as ``denied_ips: +198.51.100.7`` and ``php_version: 8.1 → 8.3``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ._text import printable

LONGEST_VALUE = 60  # characters
LONGEST_LIST = 8  # of what is added to a list, and of what is removed
LONGEST_LINE = 400  # characters of all that differs, before each value gets a line of its own
_MISSING = object()


def differences(before: Any, after: Any, *, whole: bool = False) -> list[str]:
    """Return what differs, each value in a few words, after its name.

    :param whole: do not shorten anything.
    """
    return list(_differences("", before, after, whole))


def told(whose: str, values: list[str]) -> str:
    """Return all that differs as one line that begins with whose it is, or as a line each where it is too long."""
    line = f"{printable(whose)}: {'; '.join(values)}"
    if not values:
        return ""
    return line if len(line) <= LONGEST_LINE else "\n".join([f"{printable(whose)}:", *(f"  {one}" for one in values)])


def _differences(name: str, before: Any, after: Any, whole: bool) -> Iterator[str]:
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys([*before, *after]):
            place = f"{name}.{key}" if name else str(key)
            yield from _differences(place, before.get(key, _MISSING), after.get(key, _MISSING), whole)
        return
    title = f"{printable(name)}: " if name else ""
    if isinstance(before, list) and isinstance(after, list):
        removed = [f"-{_short(item, whole)}" for item in before if item not in after]
        added = [f"+{_short(item, whole)}" for item in after if item not in before]
        yield title + (" ".join([*_few(removed, whole), *_few(added, whole)]) or "in another order")
    elif _is_nothing(before):
        yield f"{title}+{_short(after, whole)}"
    elif _is_nothing(after):
        yield f"{title}-{_short(before, whole)}"
    else:
        yield f"{title}{_short(before, whole)} → {_short(after, whole)}"


def _is_nothing(value: Any) -> bool:
    return value is _MISSING or value is None or value == ""


def _few(items: list[str], whole: bool) -> list[str]:
    if whole or len(items) <= LONGEST_LIST:
        return items
    return [*items[:LONGEST_LIST], f"{items[0][0]}{len(items) - LONGEST_LIST} more"]


def _short(value: Any, whole: bool) -> str:
    if _is_nothing(value):
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    shown = printable(text, len(text))
    return shown if whole or len(shown) <= LONGEST_VALUE else f"{shown[: LONGEST_VALUE - 1]}…"
