# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the parts of an environment differ from what is declared, from what the module environment returns of them."""

from __future__ import annotations

from typing import Any

from .plain_values import Record

NO_BACKUP = "There is none that is new enough."


def entries_of(kept: Record) -> dict[str, list[Record]]:
    """Return what environment says of each part; of a part that may have several entries, of each of them."""
    return {name: part.get("entries") or [part] for name, part in (kept.get("parts") or {}).items()}


def waiting_in(kept: Record) -> list[Record]:
    """Return the parts, or entries of them, that have sent nothing, because they have to wait."""
    return [one for entries in entries_of(kept).values() for one in entries if one["waits_for"]]


def label_of(entry: Record) -> str:
    """Return which of several entries it is, as the beginning of a text."""
    return f"{entry['name']}: " if entry.get("name") else ""


def details_of(part: str, entry: Record) -> list[str]:
    """Return what of a part was changed; an empty text where its name says all."""
    if part == "plugins":
        return [f"{one['name']} {one['version']}" for one in entry["result"].get("plugins") or []]
    if part == "themes":
        return [f"{entry['name']} {sides_of(entry)[1]}"]
    if part == "php_version":
        return [str(entry["result"].get("php_version"))]
    return [entry["name"] if part == "dns_records" else ""]


def sides_of(entry: Record) -> tuple[Any, Any]:
    """Return the states before and after, of one of several entries without its name."""
    before, after = entry["before"], entry["after"]
    if not entry.get("name"):
        return before, after
    return (before or {}).get(entry["name"]), (after or {}).get(entry["name"])


def difference_of(part: str, entry: Record) -> str:
    """Return how the state of a part, or of one of its entries, differs from the declared one, as a sentence."""
    if part == "backup":
        return NO_BACKUP
    before, after = sides_of(entry)
    label = label_of(entry)
    if isinstance(before, list) and isinstance(after, list):
        return label + _difference_of_lists(before, after)
    if isinstance(before, dict) and isinstance(after, dict) and "rdata" in after:
        return (
            f"{label}It has {listed(before['rdata'])} (TTL {before['ttl']}) instead of {listed(after['rdata'])}"
            f" (TTL {after['ttl']})."
        )
    if isinstance(before, dict) and isinstance(after, dict) and "version" not in after:
        moves = [f"{name} {before.get(name)} has the update {version}" for name, version in after.items()]
        return f"{label}{listed(moves)}."
    return f"{label}It is {_value(before)} instead of {_value(after)}."


def _difference_of_lists(before: list[Any], after: list[Any]) -> str:
    besides = [one for one in before if one not in after]
    lacks = [one for one in after if one not in before]
    if not before:
        return f"The list is empty, and lacks {listed(lacks)}."
    parts = [f"has {listed(besides)}, not declared"] if besides else []
    parts += [f"lacks {listed(lacks)}"] if lacks else []
    return f"The list {', and '.join(parts)}."


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return listed(value.get("rdata") or value.get("version") or list(value.values()))
    return "none" if value is None else str(value)


def listed(values: Any) -> str:
    """Return values in a line."""
    return ", ".join(map(str, values)) if isinstance(values, list) else str(values)
