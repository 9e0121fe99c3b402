# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of all environments that the role maintain has gone through, and of its plan."""

from __future__ import annotations

import time
from collections.abc import Iterator

from . import plan
from .judgements import expires_soon, is_active
from .maintenance_findings import PARTS, UPDATES, graded, message_of
from .plain_values import Record, plain
from .text_table import folded
from .verified_pictures import of_pictures


def summary_of(
    results: list[Record],
    hosts: list[str],
    *,
    key: Record,
    key_days: int | None,
    warn_only: list[str],
    check_mode: bool,
    has_canary: bool = False,
) -> Record:
    """Return what became of all environments; in check mode, with the ``plan``.

    :param results: those of the environments that came to their end.
    :param hosts: the names of all environments, in their order.
    :param key: the result of api_key_info.
    :param key_days: for how many days the key must be valid still; None does not look.
    :param has_canary: whether one environment is updated before the others.
    """
    known = {one["environment"]: one for one in plain(results)}
    environments = [known.get(str(host)) or _not_reached(str(host)) for host in hosts]
    keys = [graded("key", text, warn_only) for text in _problems_of_key(plain(key), key_days)]
    needing = [one for one in environments if one["needs_person"]]
    return {
        "check_mode": bool(check_mode),
        "needs_person": bool(needing) or any(one["level"] == "fail" for one in keys),
        "key": keys,
        "totals": {
            "environments": len(environments),
            "changed": sum(one["changed"] for one in environments),
            "unchanged": sum(not (one["changed"] or one["needs_person"]) and one["is_reached"] for one in environments),
            "need_a_person": len(needing),
            "not_reached": sum(not one["is_reached"] for one in environments),
        },
        "environments": environments,
        "rows": folded([_row(one, check_mode) for one in environments]),
        "notes": _notes(environments, keys),
        "plan": _plan(environments, _canary_of(environments) if has_canary else "") if check_mode else None,
    }


def _problems_of_key(result: Record, days: int | None) -> Iterator[str]:
    key = result.get("api_key")
    if not key:
        if result:
            yield f"This could not be checked: {message_of(result)}"
        return
    if not is_active(key):
        yield f"The API key {key.get('name')} is {key.get('status')}. Create a new one."
    elif expires_soon(key.get("expires_in_days"), None if days is None else int(days)):
        yield f"The API key {key.get('name')} expires on {key.get('expires_at_iso')}. Create a new one in time."


def _not_reached(host: str) -> Record:
    return {
        "environment": host,
        "environment_id": "",
        "is_reached": False,
        "done": [],
        "due": [],
        "is_due": False,
        "goes_on": False,
        "is_going_back": False,
        "removed_backups": [],
        "pictures": of_pictures({}, {}),
        "log": [],
        "changed": False,
        "changes": [],
        "not_seen": [],
        "failed": False,
        "needs_person": False,
        "findings": [],
    }


def _row(one: Record, check_mode: bool) -> Record:
    return {
        "environment": one["environment"],
        "would do" if check_mode else "done": "; ".join(one["done"]) or ("-" if one["is_reached"] else "not reached"),
        "needs a person": ", ".join(_titles(one, "fail")),
        "to know": ", ".join(_titles(one, "warn", "held", "cannot")),
    }


def _titles(one: Record, *levels: str) -> list[str]:
    """Return what an environment's findings of some levels are called."""
    return list(dict.fromkeys(finding["title"] for finding in one["findings"] if finding["level"] in levels))


def _canary_of(environments: list[Record]) -> str:
    """Return the name of the environment that would be updated first: one whose site can be asked, if there is any."""
    updated = [one for one in environments if any(each["part"] in UPDATES for each in one["changes"])]
    asked = [one for one in updated if not any(each["name"] == "well" for each in one["findings"])]
    return next((str(one["environment"]) for one in (*asked, *updated)), "")


def _plan(environments: list[Record], canary: str) -> Record:
    return plan.plan_of(
        "maintain",
        [
            plan.environment_of(
                one["environment"],
                one["environment_id"],
                [
                    {**each, "text": f"{each['text']} (canary)"}
                    if one["environment"] == canary and each["part"] in UPDATES
                    else each
                    for each in one["changes"]
                ],
                needs=_titles(one, "fail") + ([] if one["is_reached"] else ["not reached"]),
                to_know=_titles(one, "warn", "held", "cannot"),
                not_seen=one["not_seen"] if one["is_reached"] else list(PARTS),
            )
            for one in environments
        ],
        time.time(),
    )


def _notes(environments: list[Record], keys: list[Record]) -> list[Record]:
    """Return what was found, each text once with all the environments that it is true of."""
    notes: dict[tuple[str, str, str], list[str]] = {}
    for finding in keys:
        notes[finding["level"], finding["title"], finding["text"]] = ["all"]
    for one in environments:
        for finding in one["findings"]:
            places = notes.setdefault((finding["level"], finding["title"], finding["text"]), [])
            if one["environment"] not in places:
                places.append(one["environment"])
    return [
        {"level": level, "title": title, "text": text, "where": _places(hosts)}
        for (level, title, text), hosts in notes.items()
    ]


def _places(hosts: list[str], most: int = 8) -> str:
    more = f" and {len(hosts) - most} more" if len(hosts) > most else ""
    return f"{', '.join(hosts[:most])}{more}"
