# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of an environment that the role maintain has gone through: plain values, as its JSON file has them."""

from __future__ import annotations

from .maintenance_checks import Checked
from .maintenance_declared import Declared
from .maintenance_findings import CHECKS, PARTS
from .maintenance_undo import under_way
from .part_differences import entries_of
from .plain_values import Record, plain
from .results import is_not_offered


def result_of(done: Record, settings: Record) -> Record:
    """Return what became of one environment.

    :param done: the results of the role's tasks: ``site`` and ``well`` of site_check (before and after updates),
        ``kept`` and, where there were updates, ``made`` of environment, ``judged`` of update_verdict, and
        ``update_backup`` of manual_backup, ``log`` of site_log_info, ``pictures`` (of site_snapshot ``before`` and
        ``after`` the updates, and ``compared``, of site_compare), and ``undo`` (maintenance_undo.said_of); and what
        updates wait for, ``locks`` and ``held_by``, the name of an environment.
    :param settings: what the tasks were asked for: ``result`` of maintenance_settings.
    """
    return _Maintained(plain(done), plain(settings)).result()


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

    def _due(self) -> list[str]:
        """Return the parts that have updates to make still."""
        differs = [] if self.is_updated else self._of("kept").get("differs") or []
        return [name for name in self.settings["updates"] if name in differs]
