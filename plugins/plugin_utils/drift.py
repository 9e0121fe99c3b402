# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How environments differ from what the variables of the role maintain declare, or from a plan of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError

from ..module_utils._text import printable
from . import plan
from .maintenance_findings import PARTS
from .maintenance_variables import INVENTORY, settings_of
from .part_differences import difference_of, entries_of
from .plain_values import Record
from .role_variables import found_in

BY_NAME = ("themes", "plugins", "dns_records")
"""The parts whose states are values by name."""

LONGEST_TEXT = 600  # characters
NOT_SHOWN = "The service does not show it, and the journal does not know it."


def asked_of(
    role: str | Path,
    variables: Mapping[str, Any],
    template: Callable[[Record], Record],
    *,
    host: Record,
    made_plan: Record | None,
) -> Record:
    """Return what a host is compared with.

    :param role: the folder of the role maintain.
    :param variables: all variables of the host, with their templates.
    :param template: returns a dictionary of variables with the values of their templates.
    :param host: its ``name``, ``environment_id`` and ``site_id``.
    :param made_plan: the plan of the role maintain that it is compared with, if there is one.
    :return: ``declared``, as the module environment takes it, or None if nothing is; ``canary``, whether a version goes
        to one environment first; ``planned``, the changes of the plan by part, or None; ``problem``, a sentence that
        says why the host cannot be compared, or empty.
    """
    asked: Record = {"declared": None, "canary": False, "planned": None, "problem": ""}
    # Its own variables of a plan and of files are for its own runs.
    own = {
        "maintain_environment_id": host["environment_id"],
        "maintain_site_id": host["site_id"],
        "maintain_verify_urls": [],
        "maintain_plan": "",
        "maintain_plan_file": "",
        "maintain_summary_file": "",
    }
    try:
        found = found_in(role, {**variables, **own}, template, also=INVENTORY)
        settings = settings_of(found, host["name"])
        if settings["problems"]:
            raise ValueError(" ".join(settings["problems"]))
        declared = {name: value for name, value in settings["keep"]["declaration"].items() if value is not None}
        if made_plan:
            planned = plan.of_host(made_plan, host["name"], host["environment_id"])
            asked["planned"] = _moves(planned, declared)
            left_out = {*planned["not_seen"], "backup"}  # a backup is due by the clock, whatever was planned
            declared = {name: value for name, value in declared.items() if name not in left_out}
    except (AnsibleError, ValueError) as error:
        return {**asked, "problem": f"It cannot be compared: {printable(str(error), LONGEST_TEXT)}"}
    return {**asked, "declared": declared or None, "canary": bool(found["typed"]["maintain_canary"])}


def _moves(planned: Record, declared: Record) -> Record:
    """Return the changes of a plan by part; raise ValueError if something that it changes is not declared."""
    moves = plan.moves_of(planned, PARTS)
    missing = [PARTS[name] for name, move in moves.items() if move and name not in declared]
    if missing:
        raise ValueError(
            f"the plan changes {', '.join(missing)}, which no variable of the host declares. Run with the variables"
            " that the plan was made with."
        )
    return {name: move for name, move in moves.items() if move}


def drift_of(read: Record, planned: Record | None) -> Record:
    """Return how an environment differs.

    :param read: what environment_state_info returns with ``compare_with``, as plain values.
    :param planned: the changes of a plan by part, or None without a plan.
    :return: the names of the parts that were ``compared``, and what of them ``differs``, is ``planned`` and not done
        yet, and is ``unknown``: for each ``part``, its ``title``, ``name`` where there can be several, and ``text``.
    """
    drift: Record = {"compared": [], "differs": [], "planned": [], "unknown": []}
    entries = entries_of(read)
    for part, title in PARTS.items():
        for entry in entries.get(part, []):
            drift["compared"] = list(dict.fromkeys([*drift["compared"], part]))
            found = _state_of(part, entry, planned)
            if found:
                kind, text = found
                name = printable(str(entry.get("name") or ""), LONGEST_TEXT)
                drift[kind].append({"part": part, "title": title, "name": name, "text": printable(text, LONGEST_TEXT)})
    return drift


def failed_of(read: Record) -> Iterator[tuple[str, Record]]:
    """Yield what could not be compared because something went wrong: the title of the part, and what became of it."""
    entries = entries_of(read)
    for part, title in PARTS.items():
        yield from ((title, entry) for entry in entries.get(part, []) if entry.get("failed"))


def _state_of(part: str, entry: Record, planned: Record | None) -> tuple[str, str] | None:
    """Return which of the lists an entry of a part belongs to, and in which words; None where it is as declared."""
    if entry.get("failed"):
        return "unknown", str(entry.get("msg") or NOT_SHOWN)
    if not entry.get("differs"):
        return None
    if entry.get("state_source") == "none":
        return "unknown", NOT_SHOWN
    is_planned = _has_state((planned or {}).get(part), part, entry)
    return "planned" if is_planned else "differs", difference_of(part, entry)


def _has_state(move: Record | None, part: str, entry: Record) -> bool:
    """Tell whether a plan has the state that an entry of a part is in, as the one before or the one after."""
    if not move:
        return False
    if part not in BY_NAME:
        return any(_as_set(entry["before"]) == _as_set(move[side]) for side in ("before", "after"))
    now = entry["before"] or {}
    sides = [move["before"] or {}, move["after"] or {}]
    return all(
        name in sides[1] and any(now.get(name) == side.get(name) for side in sides) for name in entry["after"] or {}
    )


def _as_set(state: Any) -> Any:
    """Return a state to compare: the order of addresses says nothing."""
    return sorted(map(str, state)) if isinstance(state, list) else state
