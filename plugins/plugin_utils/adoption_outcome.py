# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of the role adopt has done, in words."""

from __future__ import annotations

from collections.abc import Iterator

from ..module_utils._text import printable
from .adoption import NOT_SHOWN
from .maintenance_findings import PARTS
from .plain_values import Record, plain

MOST_NAMED = 8


def summary_of(plan: Record, written: Record, compared: Record, *, check_mode: bool = False) -> Record:
    """Return the summary of a run, as documented for the filter adoption_summary.

    :param plan: what adoption_plan returned.
    :param written: the result of variable_files.
    :param compared: for each host, the result of the task environment that compares.
    """
    plan, written, compared = plain(plan), plain(written), plain(compared)
    differs = {host: parts for host, parts in _differing(compared) if parts}
    failed = {host: result["msg"] for host, result in compared.items() if result.get("failed")}
    needs = [f"{one['host']} is not adopted: {one['why']}." for one in plan["not_adopted"]]
    needs += [
        f"{one['variable']} of {one['host']} was changed in the files ({one['declared']}), and at the service"
        f" ({one['found']}). The file is kept."
        for one in plan["conflicts"]
    ]
    if not plan["merges"]:
        needs += [f"{host} differs from its files: {', '.join(map(_word, parts))}." for host, parts in differs.items()]
    needs += [f"{host} could not be compared with its files: {printable(why)}" for host, why in failed.items()]
    return {
        "lines": list(_lines(plan, written, compared, differs, needs, check_mode)),
        "needs": needs,
        "differs": differs,
    }


def _differing(compared: Record) -> Iterator[tuple[str, list[str]]]:
    for host, result in compared.items():
        yield host, [name for name in result.get("differs") or [] if not result["parts"][name]["failed"]]


def _lines(
    plan: Record, written: Record, compared: Record, differs: Record, needs: list[str], check_mode: bool
) -> Iterator[str]:
    paths = written.get("written") or []
    hosts = [path for path in paths if path.startswith("host_vars/")]
    others = [path for path in paths if path not in hosts and not path.startswith(".")]
    would = "would be " if check_mode else ""
    yield f"{_environments(len(plan['hosts']))}, in {plan['folder']}: {_files(len(paths))} {would}written."
    yield from (f"  {path}" for path in others)
    if hosts:
        yield f"  {_files(len(hosts))} of hosts: {_some([path.removeprefix('host_vars/') for path in hosts])}"
    yield from (f"  {path} {would}removed: nothing deviates any more" for path in written.get("removed") or [])
    for text, places in _gaps(plan["gaps"]).items():
        yield f"Not read: {text} ({_some(places)})"
    yield from plan["notes"]
    if compared and not differs and not any(result.get("failed") for result in compared.values()):
        yield f"Compared with the service: nothing differs ({_environments(len(compared))})."
    elif plan["merges"]:
        for host, parts in differs.items():
            yield f"The files of {host} declare something else than the service has: {', '.join(map(_word, parts))}."
    yield from needs


def _gaps(gaps: list[Record]) -> dict[str, list[str]]:
    """Return what was not read, each text once with all the hosts that it is true of."""
    places: dict[str, list[str]] = {}
    for one in gaps:
        why = NOT_SHOWN if one["why"] == NOT_SHOWN else printable(one["why"], 120)
        places.setdefault(f"{one['variable']}, because {why}", []).append(one["host"])
    return places


def _word(part: str) -> str:
    return PARTS.get(part, part)


def _environments(number: int) -> str:
    return f"{number} environment{'' if number == 1 else 's'}"


def _files(number: int) -> str:
    return f"{number} file{'' if number == 1 else 's'}"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"
