# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan: what a run would do, environment by environment, as a value to show, to keep in a file, and to hold a run to.

A plan only ever restricts a run. What the run does comes from its variables; a plan says which of it may be done.

A change has a ``part`` and, where there can be several, a ``name``; the states ``before`` and ``after``; a ``text`` for
people, with ``details`` line by line; and ``warnings`` of what it removes, and of what cannot be undone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from ..module_utils._text import printable
from .plain_values import Record, plain
from .text_table import names_of, table

VERSION = 1
LONGEST_VALUE = 100  # characters
MOST_VALUES = 3
COLUMNS = ["would do", "WATCH OUT", "needs a person", "to know"]
LONGEST_CELL = 2000  # characters: a plan that is approved is to be seen whole
ROLES = {"rollback": "deploy"}
"""The roles of playbooks that have other names: variables begin with those."""

ABSENT = "absent"
NOTHING = "–"

UPDATES = {"plugins": "plugin", "themes": "theme"}
LISTS = {"denied_ips": ("denied addresses", "denied"), "sftp_allowlist": ("SFTP allowlist", "allowed")}
WORDS = {
    "image_optimization": "image optimization",
    "primary_domain": "primary domain",
    "php_version": "PHP",
    "domains": "domain",
    "dns_records": "DNS record",
}


def change(part: str, text: str, *, name: str = "", before: Any = None, after: Any = None, **more: Any) -> Record:
    """Return a change; ``more`` are its ``details`` and ``warnings``."""
    return {
        "part": part,
        "name": name,
        "before": before,
        "after": after,
        "text": printable(text),
        "details": [printable(one) for one in more.get("details", ())],
        "warnings": [printable(one) for one in more.get("warnings", ())],
    }


def plan_of(playbook: str, environments: list[Record], made_at: float, *, of: str = "environments") -> Record:
    """Return a plan.

    :param playbook: the playbook that it is of.
    :param environments: for each its name (``environment``), ``environment_id``, ``changes``, what ``needs`` a person,
        what is good ``to_know``, and ``not_seen``: the parts of which nobody knows whether they would change.
    :param made_at: when it was made, in seconds since the epoch.
    :param of: what they are for people, if they are no environments.
    """
    return {
        "plan": playbook,
        "version": VERSION,
        "made_at": datetime.fromtimestamp(made_at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "of": of,
        "totals": {
            "environments": len(environments),
            "changed": sum(bool(one["changes"]) for one in environments),
            "changes": sum(len(one["changes"]) for one in environments),
            "warnings": sum(len(change["warnings"]) for one in environments for change in one["changes"]),
        },
        "environments": environments,
    }


def environment_of(name: str, environment_id: str, changes: list[Record], **more: Any) -> Record:
    """Return an environment of a plan, with ``needs``, ``to_know`` and ``not_seen`` if there are any."""
    return {
        "environment": name,
        "environment_id": environment_id,
        "changes": changes,
        "needs": more.get("needs", []),
        "to_know": more.get("to_know", []),
        "not_seen": more.get("not_seen", []),
    }


# ---- the parts of an environment, as the module environment returns them --------------------------------------------


def changes_of(part: str, entry: Record, *, rewrites_database: bool = False) -> list[Record]:
    """Return the changes of a part, or of one of several entries of it.

    :param entry: what the module environment returns of it, with ``before`` and ``after``.
    :param rewrites_database: whether search and replace follows another primary domain.
    """
    before, after, name = entry["before"], entry["after"], str(entry.get("name") or "")
    states = {"name": name, "before": before, "after": after}
    if part == "backup":
        return [change(part, "backup", **states)]
    if part in LISTS:
        return [_of_list(part, before, after, states)]
    if part in UPDATES:
        moves = {slug: _moved((before or {}).get(slug), version) for slug, version in (after or {}).items()}
        return [
            change(
                part,
                f"{UPDATES[part]} {slug} {move}",
                name=slug,
                before={slug: (before or {}).get(slug)},
                after={slug: (after or {}).get(slug)},
            )
            for slug, move in moves.items()
        ]
    if part == "php_version":
        return [change(part, "; ".join(_of_php(before, after)), **states)]
    if name:
        return [_of_entry(part, name, (before or {}).get(name), (after or {}).get(name), states)]
    warnings = []
    if part == "primary_domain" and rewrites_database:
        warnings.append("CANNOT BE UNDONE: replaces the old domain throughout the database")
    return [change(part, f"{WORDS[part]} {_moved(before, after)}", warnings=warnings, **states)]


def _of_list(part: str, before: Any, after: Any, states: Record) -> Record:
    title, word = LISTS[part]
    after = after if isinstance(after, list) else []
    warnings = []
    if not isinstance(before, list):
        text = f"{title} {NOTHING} → {len(after)}"
        details = [f"= {one}" for one in after]
        warnings.append("REPLACES a list that the service does not show")
    else:
        added, removed = [one for one in after if one not in before], [one for one in before if one not in after]
        counts = [f"+{len(added)}"] * bool(added) + [f"−{len(removed)}"] * bool(removed)
        text = " ".join([title, *(counts or ["in another order"])])
        details = [*(f"+ {one}" for one in added), *(f"− {one}" for one in removed)]
        if removed:
            warnings.append(f"REMOVES {word} {_listed(removed)}")
    if part == "sftp_allowlist" and not after:
        warnings.append("OPENS SFTP and SSH to all addresses")
    return change(part, text, details=details, warnings=warnings, **states)


def _of_php(before: Any, after: Any) -> Iterator[str]:
    before = before if isinstance(before, dict) else {}
    after = after if isinstance(after, dict) else {"version": after}
    if before.get("version") != after.get("version"):
        yield f"PHP {_moved(before.get('version'), after.get('version'))}"
    if "automatic_updates" in after and before.get("automatic_updates") != after["automatic_updates"]:
        yield f"automatic PHP updates {'on' if after['automatic_updates'] else 'off'}"


def _of_entry(part: str, name: str, before: Any, after: Any, states: Record) -> Record:
    """Return the change of a domain or a DNS record."""
    title = f"{WORDS.get(part, part)} {name}"
    if after == ABSENT:
        held = f": {_listed(before['rdata'])}" if isinstance(before, dict) and "rdata" in before else ""
        return change(part, f"{title} removed", warnings=[f"REMOVES {title}{held}"], **states)
    if not isinstance(before, dict) or not isinstance(after, dict):
        values = [f"+ {one}" for one in after.get("rdata", [])] if isinstance(after, dict) else []
        return change(part, f"{title} added", details=values, **states)
    old, new = before.get("rdata") or [], after.get("rdata") or []
    added, removed = [one for one in new if one not in old], [one for one in old if one not in new]
    said = [f"+{len(added)}"] * bool(added) + [f"−{len(removed)}"] * bool(removed)
    if before.get("ttl") != after.get("ttl"):
        said.append(f"TTL {_moved(before.get('ttl'), after.get('ttl'))}")
    details = [*(f"+ {one}" for one in added), *(f"− {one}" for one in removed)]
    warnings = [f"REMOVES {_listed(removed)} from {title}"] if removed else []
    return change(part, f"{title} {' '.join(said)}", details=details, warnings=warnings, **states)


def _moved(before: Any, after: Any) -> str:
    return f"{_value(before)} → {_value(after)}"


def _value(value: Any) -> str:
    return NOTHING if value in (None, "") else printable(str(value), LONGEST_VALUE)


def _listed(values: list[Any]) -> str:
    shown = ", ".join(_value(one) for one in values[:MOST_VALUES])
    return f"{shown} and {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else shown


# ---- deployments ----------------------------------------------------------------------------------------------------


def pushed_parts(push: Record) -> str:
    """Return what a push brings, for people.

    :param push: how it pushes, as deployment_settings.settings_of returns it.
    """
    files = [", ".join(push["file_list"]) or "all files"] if push.get("push_files") else []
    return " and ".join((["the database"] if push.get("push_db") else []) + files)


def push_of(settings: Record) -> Record:
    """Return what a push is about: what must be the same for the same push.

    :param settings: what is asked of the host, as deployment_settings.settings_of returns it.
    """
    push = settings.get("push") or {}
    names = ("push_db", "push_files", "run_search_and_replace", "push_files_option", "file_list")
    return {
        "release": str(settings["release"]),
        "source_environment_id": settings.get("source_environment_id", ""),
        **{name: push.get(name) for name in names},
    }


# ---- for people -----------------------------------------------------------------------------------------------------


def groups_of(plan: Record) -> list[Record]:
    """Return the environments of a plan, those with equal changes as one: ``names`` and, as texts, what they have.

    Those that nothing is done to come last.
    """
    groups: dict[str, Record] = {}
    for one in plan["environments"]:
        said = {
            "changes": [{"text": each["text"], "details": each["details"]} for each in one["changes"]],
            "warnings": list(dict.fromkeys(text for each in one["changes"] for text in each["warnings"])),
            "needs": one["needs"],
            "to_know": one["to_know"],
        }
        groups.setdefault(json.dumps(said), {"names": [], **said})["names"].append(one["environment"])
    return sorted(groups.values(), key=lambda group: not (group["changes"] or group["needs"] or group["to_know"]))


def lines_of(plan: Record, *, details: bool = False) -> list[str]:
    """Return a plan as lines of text: a table with a line for all environments that have equal changes."""
    rows = []
    columns = [plan["of"], *COLUMNS]
    for group in groups_of(plan):
        texts = (
            names_of(group["names"], plan["of"]),
            "; ".join(each["text"] for each in group["changes"]) or "-",
            "; ".join(group["warnings"]),
            ", ".join(group["needs"]),
            ", ".join(group["to_know"]),
        )
        rows.append(dict(zip(columns, texts, strict=True)))
        if details:
            rows += [{"would do": f"└ {line}"} for each in group["changes"] for line in each["details"]]
    return table(rows, columns, LONGEST_CELL)


# ---- files ----------------------------------------------------------------------------------------------------------


def paths_of(path: str) -> dict[str, str]:
    """Return the files that a plan is written to, by what they are: ``json`` has its ``html`` beside it.

    :raises ValueError: with the end of a sentence that begins with the name of the variable.
    """
    real = os.path.realpath(os.path.expanduser(path))
    stem, extension = os.path.splitext(real)
    if extension not in (".json", ".html"):
        raise ValueError(f"is {path}, which ends neither with .json nor with .html")
    if os.path.isdir(real) or not os.path.isdir(os.path.dirname(real)):
        raise ValueError(f"is {path}, which is a folder, or is in none")
    return {"html": real} if extension == ".html" else {"json": real, "html": f"{stem}.html"}


def problems_of_file(role: str, path: Any, check_mode: bool) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with the variable that says where a plan is written to."""
    if not path:
        return
    name = f"{role}_plan_file"
    if not check_mode:
        yield (
            f"{name} is for check mode: add --check to write a plan, or leave it out. To do what a plan holds, give"
            f" {role}_plan."
        )
    try:
        paths_of(str(path))
    except ValueError as error:
        yield f"{name} {error}."


def read(path: str, playbook: str) -> Record:
    """Return the plan in a file.

    :param playbook: the playbook that it has to be of.
    :raises ValueError: with a sentence.
    """
    try:
        with open(os.path.expanduser(path), encoding="utf-8") as file:
            plan = json.load(file)
    except OSError as error:
        raise ValueError(f"The plan {path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise ValueError(
            f"The plan {path} cannot be read, because it is no JSON ({error}). A page that shows a plan cannot be"
            " applied: give the file of the plan itself, which ends with .json."
        ) from error
    if not isinstance(plan, dict) or plan.get("plan") != playbook or plan.get("version") != VERSION:
        raise ValueError(
            f"{path} is no plan of the playbook {playbook} that this version of the collection can read. Make one with"
            f" --check and -e {ROLES.get(playbook, playbook)}_plan_file={path}."
        )
    if not _is_sound(plan):
        raise ValueError(f"{path} is not as a plan was written: a part of it is missing, or has another shape.")
    return plan


def _is_sound(plan: Record) -> bool:
    environments = plan.get("environments")
    if not isinstance(environments, list):
        return False
    return all(
        isinstance(one, dict)
        and isinstance(one.get("environment"), str)
        and isinstance(one.get("not_seen"), list)
        and isinstance(one.get("changes"), list)
        and all(isinstance(each, dict) and {"part", "before", "after"} <= set(each) for each in one["changes"])
        for one in environments
    )


def of_host(plan: Record, host: str, environment_id: str) -> Record:
    """Return what a plan has of an environment.

    :raises ValueError: with a sentence.
    """
    for one in plan["environments"]:
        if one["environment"] == host:
            if one.get("environment_id") not in (environment_id, ""):
                raise ValueError(f"The plan has {host} with another id than {environment_id}. Make a new plan.")
            return one
    raise ValueError(f"The plan has no {host}. Leave it out with --limit, or make a new plan.")


def change_of(environment: Record, part: str) -> Record | None:
    """Return the change of a part that a plan has of an environment, or None if it has none."""
    return next((one for one in environment["changes"] if one["part"] == part), None)


def moves_of(environment: Record, parts: Iterable[str]) -> Record:
    """Return the planned changes of an environment by part, as the module environment takes them.

    :param parts: those that a run is bound by. Of those without a change, None.
    """
    moves: Record = dict.fromkeys(parts)
    for each in plain(environment["changes"]):
        part, states = each["part"], {"before": each["before"], "after": each["after"]}
        if part not in moves:
            continue
        known = moves[part]
        if known and all(isinstance(state, dict) for state in (*known.values(), *states.values())):
            states = {side: {**known[side], **states[side]} for side in states}
        moves[part] = states
    return moves
