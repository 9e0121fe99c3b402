# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One environment of the role maintain: the results of its tasks, and what is collected of them."""

from __future__ import annotations

from .maintenance_findings import UPDATES, finding_of
from .part_differences import entries_of
from .plain_values import Record
from .verified_pictures import of_pictures


def does_not_work(asked: Record) -> bool:
    """Tell whether a task that has asked a site failed for the site, and not for what it was to record of it.

    :param asked: the result of site_check, as plain values.
    """
    checks, is_of_site = asked.get("checks"), (asked.get("error") or {}).get("kind") == "check_failed"
    return bool(asked.get("failed")) and (checks is None or is_of_site or any(not one["ok"] for one in checks))


class Environment:
    """One environment, with the results of its tasks."""

    def __init__(self, results: Record, settings: Record) -> None:
        self.results, self.settings = results, settings
        self.parts = {**entries_of(self._of("kept")), **entries_of(self._of("made"))}
        # In check mode, one task predicts all; it changes no backup that is not declared.
        self.foreseen_backup = self.parts.pop("backup")[0] if self._foresees_backup() else None
        self.locks = self.results.get("locks") or []
        taken = self._of("pictures")
        before, after, compared = (taken.get(name) or {} for name in ("before", "after", "compared"))
        self.no_pictures = {} if self._of("made") else before
        self.pictures = of_pictures(before, compared, after)
        changes = [entry["changed"] for name in UPDATES for entry in self.parts.get(name, [])]
        self.is_predicted = bool(settings["check_mode"] and not self._of("made") and any(changes))
        self.is_updated = self.is_predicted or bool(self._of("made") and not self.locks)
        self.done: list[str] = []
        self.changes: list[Record] = []
        self.not_seen: list[str] = []
        self.findings: list[Record] = []
        self.failed = False

    def _foresees_backup(self) -> bool:
        return bool(self.settings.get("foresees_backup") and "backup" in self.parts)

    def _of(self, task: str) -> Record:
        """Return the result of a task, empty where it was skipped or never came."""
        result = self.results.get(task) or {}
        return {} if result.get("skipped") else result

    def _only(self, part: str) -> Record:
        """Return what became of a part that there is one of, empty where it is not declared."""
        return (self.parts.get(part) or [{}])[0]

    def _find(self, name: str, level: str, text: str) -> None:
        self.findings.append(finding_of(name, level, text))

    def _fail(self, name: str, text: str) -> None:
        """Note that a part could not be brought about."""
        self.failed = True
        self._find(name, "fail", text)

    def _removed(self) -> list[Record]:
        """Return the backups that made room for others."""
        results = [self._only("backup").get("result") or {}, self.foreseen_backup or {}, self._of("update_backup")]
        removed = [one for result in results for one in (result.get("result") or result).get("removed") or []]
        return list({one["id"]: one for one in removed}.values())
