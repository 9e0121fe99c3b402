# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of an environment that the role maintain has gone through: plain values, as its JSON file has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..module_utils._phases import operations_of
from ..module_utils._progress import FAILED, FINISHED, IN_PROGRESS
from .maintenance_checks import Checked
from .maintenance_declared import Declared
from .maintenance_findings import CHECKS, PARTS
from .maintenance_undo import under_way
from .part_differences import entries_of, waiting_in
from .plain_values import Record, plain
from .results import is_not_offered

KNOWN = (
    *("settings", "kept", "update_backup", "made", "well", "judged", "log"),
    *("pictures", "pictures_after", "compared", "undo", "restore", "restored", "back", "held_by"),
)
"""What is known of a host: what is asked of it, what its tasks have registered, and which host holds it back."""


def results_of(hosts: Iterable[Mapping[str, Any]], names: Record) -> list[Record]:
    """Return the ``host`` and the ``result`` (result_of) of each environment that has been looked at.

    :param hosts: the variables of each host.
    :param names: which of them has what of KNOWN; one that is not there yet, or is empty, has not come so far:
        ``settings`` is what the lookup maintain_host has returned, ``held_by`` the name of the host whose updates went
        wrong, and the others are as in result_of.
    """
    every = [{one: plain(host.get(names[one]) or {}) for one in KNOWN} for host in hosts]
    return [_result_of_host(known) for known in every if "result" in known["settings"] and known["kept"]]


def _result_of_host(known: Record) -> Record:
    settings = known["settings"]["result"]
    host, kept = settings["environment"], known["kept"]
    holds = known["held_by"] not in ({}, host) and not known["update_backup"].get("failed")
    done = {
        **{name: known[name] for name in ("kept", "update_backup", "made", "well", "judged", "log")},
        "site": kept.get("site_check") or {},
        "locks": (known["made"] or kept).get("locks") or [],
        "held_by": known["held_by"] if holds else "",
        "pictures": {"before": known["pictures"], "after": known["pictures_after"], "compared": known["compared"]},
        "undo": {"choice": known["undo"], **{name: known[name] for name in ("restore", "restored", "back")}},
    }
    return {"host": host, "result": result_of(done, settings)}


def next_of(results: Iterable[Record], most_failures: float, check_mode: bool) -> Record:
    """Return what comes next for the environments of a wave: whether it ``waits``, ``stops`` the run or ``updates``.

    :param results: those of result_of, of each environment of the wave; empty where one was not looked at.
    :param most_failures: the percentage of environments that may fail before no other wave is begun.
    """
    known = plain(list(results))
    failed = sum(bool(one.get("failed")) for one in known)
    return {
        "waits": any(one.get("goes_on") for one in known),
        "stops": bool(known) and failed * 100 / len(known) > most_failures,
        "updates": not check_mode and any(one.get("is_due") or one.get("is_going_back") for one in known),
    }


def result_of(done: Record, settings: Record) -> Record:
    """Return what became of one environment.

    :param done: the results of the role's tasks: ``site`` and ``well`` of site_check (before and after updates),
        ``kept`` and, where there were updates, ``made`` of environment, ``judged`` of update_verdict, and
        ``update_backup`` of manual_backup, ``log`` of site_log_info, ``pictures`` (of site_snapshot ``before`` and
        ``after`` the updates, and ``compared``, of site_compare), and ``undo`` (maintenance_undo.said_of); and what
        updates wait for, ``locks`` and ``held_by``, the name of an environment.
    :param settings: what the tasks were asked for: ``result`` of the lookup maintain_host.
    """
    return _Maintained(plain(done), plain(settings)).result()


def goes_on(result: Record) -> bool:
    """Tell whether a task has begun what had not ended when it did, or has left something that has to wait.

    :param result: that of environment, manual_backup or backup_restore.
    """
    result = plain(result)
    return bool(waiting_in(result)) or any(one.get("state") == IN_PROGRESS for one in operations_of(result))


def has_more(result: Record, ended: Record) -> bool:
    """Tell whether there is something left to begin at an environment now that what was in its way has ended.

    :param result: that of environment, which has not waited.
    :param ended: what operation_wait has returned for the environment since.
    """
    states = [one.get("state") for one in operations_of(plain(ended))]
    return bool(waiting_in(plain(result)) and states) and all(one in (FINISHED, FAILED) for one in states)


def wave_of(settings: list[Record], results: list[Record]) -> Record:
    """Return what one task waits for: ``ids`` of environments, their ``names`` by id, and ``wait_timeout``.

    :param settings: what the lookup maintain_host has returned for each environment of a wave.
    :param results: what became of the same task of each, in the same order.
    """
    pairs = zip(plain(settings), plain(results), strict=True)
    waiting = [one["waiting"] for one, result in pairs if one and result and goes_on(result)]
    return {
        "ids": [one["environment_id"] for one in waiting],
        "names": {one["environment_id"]: one["environment"] for one in waiting},
        "wait_timeout": max((one["wait_timeout"] for one in waiting), default=0),
    }


def is_spoilt(made: Record, well: Record) -> bool:
    """Tell whether updates went wrong or were not made, so that no other environment may follow.

    What this service or this site does not have at all says nothing of the updates.

    :param made: the result of environment.
    :param well: the result of site_check after it.
    """
    made, well = plain(made), plain(well)
    if not made or made.get("locks") or well.get("failed"):
        return True
    failed = [one for entries in entries_of(made).values() for one in entries if one["failed"]]
    if not failed:
        return bool(made.get("failed") and not made.get("parts"))
    return not all(is_not_offered(one) or one["error"]["kind"] in ("invalid_input", "not_found") for one in failed)


class _Maintained(Declared, Checked):
    """One environment, from the results of the tasks to what became of it."""

    def result(self) -> Record:
        for name in PARTS:
            self._part(name)
        self._steps()
        for name in CHECKS:
            self._check(name)
        return {
            "environment": self.settings["environment"],
            "environment_id": self.settings.get("environment_id", ""),
            "is_reached": True,
            "done": self.done,
            "due": self._due(),
            "is_due": self._is_due(),
            "goes_on": goes_on(self._of("kept")),
            "is_going_back": bool(self.settings.get("rolls_back") and under_way(self._of("kept"))),
            "removed_backups": self._removed(),
            "log": self._of("log").get("lines") or [],
            "pictures": self.pictures,
            "changed": bool(self.done),
            "changes": self.changes,
            "not_seen": self.not_seen,
            "failed": self.failed,
            "needs_person": any(one["level"] == "fail" for one in self.findings),
            "findings": self.findings,
        }

    def _is_due(self) -> bool:
        """Tell whether updates are to be made in this run: there are some, the site works, and nobody has locked it."""
        kept = self._of("kept")
        differs = set(kept.get("differs") or []).intersection(self.settings["updates"])
        return bool(differs and not kept.get("locks") and not self._of("site").get("failed"))

    def _due(self) -> list[str]:
        """Return the parts that have updates to make still."""
        differs = [] if self.is_updated else self._of("kept").get("differs") or []
        return [name for name in self.settings["updates"] if name in differs]
