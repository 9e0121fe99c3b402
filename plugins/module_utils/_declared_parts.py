# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts by which an environment is declared, the options that they take, and what contradicts itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ._arguments import ModuleSpec, Nested, change_options
from ._context import Context
from ._convergence import Steps
from ._errors import InvalidInput
from ._parts import (
    backup,
    caches,
    denied_ips,
    dns_records,
    domains,
    image_optimization,
    php_restart,
    php_version,
    plugins,
    primary_domain,
    sftp_allowlist,
    themes,
)
from ._text import printable

UPDATES = ("themes", "plugins", "php_version")
"""What may break a site."""

OF_TASK = ("canary", "environment_name", "force")
"""Options of a part that are those of the task, unless the part gives them."""

OF_EACH = {
    *("changed", "differs", "before", "after", "state_source", "operation"),
    *("held", "waits_for", "failed", "msg", "error", "result"),
}
"""What a result says of each part, or of each of several of a part."""

Label = Callable[[Mapping[str, Any]], "str | None"]


@dataclass(frozen=True)
class Part:
    """A part of an environment. It begins when those before it have ended whose names are in ``after``.

    ``option`` is the one that declares it. ``label`` tells one of several from the others, where there can be several.
    """

    name: str
    option: Nested
    steps: Callable[[Context], Steps[dict[str, Any]]]
    after: tuple[str, ...] = ()
    label: Label | None = None


def _part(
    name: str,
    module: ModuleType,
    alone: str | None,
    *,
    after: tuple[str, ...] = (),
    label: Label | None = None,
    is_action: bool = False,
    **constraints: Any,
) -> Part:
    known = {**module.OPTIONS, **(change_options() if is_action else {})}
    options = {key: {"type": option["type"]} if key in OF_TASK else option for key, option in known.items()}
    spec = ModuleSpec(
        options,
        rule=getattr(module, "RULE", None),
        needs_service=False,
        **{**getattr(module, "CONSTRAINTS", {}), **constraints},
    )
    return Part(name, Nested(spec, alone, several=label is not None), module.steps, after, label)


# What overwrites nothing may begin at once. Updates wait for the backup, and for each other, by _under_way's table.
PARTS = (
    _part("backup", backup, "tag", required_one_of=[["tag", "max_age", "newer_than"]]),
    _part("denied_ips", denied_ips, "ip_list"),
    _part("sftp_allowlist", sftp_allowlist, "ip_allowlist"),
    _part("image_optimization", image_optimization, "image_optimization_type"),
    _part("domains", domains, "domain_name", label=lambda one: str(one["domain_name"])),
    _part("primary_domain", primary_domain, "domain_name", after=("domains",)),
    _part("dns_records", dns_records, None, label=lambda one: f"{one['type']} {one['name']}"),
    _part("themes", themes, None, after=("backup", "themes"), label=lambda one: one["name"]),
    _part("plugins", plugins, "select", after=("backup", "themes", "plugins"), label=lambda one: one["name"]),
    _part("php_version", php_version, "version", after=("backup", "themes", "plugins")),
    _part("php_restart", php_restart, "release", after=UPDATES, is_action=True),
    _part("caches", caches, "cache", after=UPDATES, is_action=True, label=lambda one: str(one["cache"])),
)
NAMES = tuple(part.name for part in PARTS)


def part_options() -> dict[str, dict[str, Any]]:
    """The options that declare the parts of an environment, and say which of them are compared only."""
    return {
        **{part.name: part.option for part in PARTS},
        "declaration": declaration_option(),
        "compare": {"type": "list", "elements": "str", "choices": list(NAMES)},
        "planned": {"type": "dict"},
    }


def declaration_option() -> Nested:
    """The option that declares all parts of an environment as one dictionary."""
    return Nested(ModuleSpec({part.name: part.option for part in PARTS}, needs_service=False))


def check_parts(params: dict[str, Any]) -> None:
    """Refuse parts that contradict themselves, a plan that is none, and the result of another module."""
    _check_planned(params)
    _check_started(params)
    for part in PARTS:
        _check_entries(part, declared_in(params, part) or [])


def _check_entries(part: Part, entries: Any) -> None:
    """Refuse two entries for one thing: the one that comes last would undo the other in each run."""
    if part.label is None:
        return
    places: dict[tuple[str | None, ...], int] = {}
    for number, one in enumerate(entries):
        name = part.label(one)
        only_adds = one.get("exclusive") is False and one.get("state") == "present"
        if name is None or only_adds:
            continue
        key = (name.lower(), one.get("domain_id") or one.get("domain_name"))
        if key in places:
            raise InvalidInput(
                f"{part.name}[{places[key]}] and {part.name}[{number}] are both about {name}, so they would undo each"
                " other. Leave one of them out. Nothing was sent."
            )
        places[key] = number


def _check_planned(params: dict[str, Any]) -> None:
    """Refuse a plan that is none: with an unknown part, or with a change that lacks a state."""
    for name, move in (params["planned"] or {}).items():
        if name not in NAMES:
            raise InvalidInput(
                f"planned has {printable(name)!r}, which is no part of an environment. Nothing was sent."
            )
        if move is not None and (not isinstance(move, dict) or not {"before", "after"} <= set(move)):
            raise InvalidInput(f"planned.{name} must be null, or a dictionary with before and after. Nothing was sent.")


def _check_started(params: dict[str, Any]) -> None:
    """Refuse the result of a task that has kept no environment."""
    parts = (params["started"] or {}).get("parts", {})
    known = list(parts.values()) if isinstance(parts, dict) else [parts]
    entries = [one for part in known for one in entries_of(part)]
    if not all(isinstance(one, dict) and one.keys() >= OF_EACH for one in entries):
        raise InvalidInput("started is no result of a task that has kept an environment. Nothing was sent.")


def entries_of(part: Any) -> list[Any]:
    """Return what a result says of each of several of a part, or of the part alone."""
    entries = part.get("entries") if isinstance(part, dict) else None
    return entries if isinstance(entries, list) else [part]


def declared_in(params: Mapping[str, Any], part: Part) -> Any:
    """Return what the task declares of a part, by the part's own option or within the declaration."""
    declared = params[part.name]
    return (params["declaration"] or {}).get(part.name) if declared is None else declared
