# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of what is declared for an environment, of its updates, and of the way back from them."""

from __future__ import annotations

from ..module_utils._backup_removals import NO_ROOM, words_for
from ..module_utils._checks import checked_duration
from . import plan
from .locks import text_of
from .maintenance_environment import Environment, does_not_work
from .maintenance_findings import LONGEST_LOG, PARTS, STEPS, UPDATES, finding_of, graded, in_brackets, message_of
from .maintenance_undo import is_restored, said_of
from .part_differences import details_of, difference_of, label_of
from .plain_values import Record
from .results import IN_DOUBT, end_of_log, is_not_offered, update_named
from .verified_pictures import words_of_pictures

COMPANION_WRITES = ("sftp_allowlist", "php_version", "dns_records", "plugins")
HOW_TO_MAKE_ROOM = "The variable maintain_keep_backups makes room before each new one."
BY_HAND = "This service cannot change it through its API: change it by hand."


class Declared(Environment):
    """What is declared."""

    def _part(self, name: str) -> None:
        changed = []
        for entry in self.parts.get(name, []):
            if entry["failed"]:
                self.not_seen = list(dict.fromkeys([*self.not_seen, name]))
                self._refused(name, entry)
            elif name in self.settings["check_only"]:
                if entry["differs"]:
                    text = difference_of(name, entry)
                    self.findings.append(graded(name, text, self.settings["warn_only"]))
            elif name in self.settings["unsupported"]:
                if entry["differs"]:
                    self._find(name, "cannot", f"{difference_of(name, entry)} {BY_HAND}")
            elif name in UPDATES and not self.is_updated:
                self._left_out(name, entry)
            elif entry["changed"]:
                changed += details_of(name, entry)
                rewrites = bool(self.settings.get("rewrites_database"))
                self.changes += plan.changes_of(name, entry, rewrites_database=rewrites)
            self._held(name, entry)
        if changed:
            self.done.append(f"{PARTS[name]}{': ' if any(changed) else ''}{', '.join(filter(None, changed))}")

    def _held(self, name: str, entry: Record) -> None:
        """Note what an update left out because of what it did, or may do, to another site."""
        for held in entry["held"]:
            if held["verdict"] == "broke_it":
                text = (
                    f"{update_named(held)} is held back, because it broke {held['environment']}"
                    f"{in_brackets(held['reason'])}. A newer version will be tried. If this one works after all, say"
                    " so with hosting.management.update_verdict."
                )
            else:
                text = f"{update_named(held)} waits until {held['environment']}, which has it first, is seen to work."
            self._find(name, "held", text)

    def _refused(self, name: str, entry: Record) -> None:
        is_write = (entry.get("error") or {}).get("method") != "GET"
        if name in COMPANION_WRITES and is_write and is_not_offered(entry):
            self._find(name, "cannot", f"{label_of(entry)}{BY_HAND}")
        elif name == "backup" and (entry.get("error") or {}).get("kind") in IN_DOUBT and self._is_backed_up():
            text = f"{_with_room(message_of(entry))} There was a backup before the updates."
            self._find(name, "warn", text)
        else:
            self._fail(name, f"{label_of(entry)}{_with_room(message_of(entry))}")

    def _is_backed_up(self) -> bool:
        """Tell whether there was a backup before the updates, taken by this run or found."""
        backup = self._of("update_backup")
        return bool(backup.get("backup")) and not backup.get("failed")

    def _left_out(self, name: str, entry: Record) -> None:
        """Note the updates that were predicted, and not made."""
        if not entry["differs"]:
            return
        what = difference_of(name, entry)
        if self.locks:
            what_for = "; ".join(map(text_of, self.locks))
            self._find(name, "held", f"{what} It waits, because the environment is {what_for}.")
        elif self.results.get("held_by"):
            canary = self.results["held_by"]
            self._find(name, "held", f"{what} It waits until {canary}, which goes first, is seen to work with it.")
        elif does_not_work(self._of("site")):
            self._fail(name, f"{what} Not updated, because the site did not work before.")
        elif self.no_pictures.get("failed"):
            self._fail(name, f"{what} Not updated, because no pictures could be taken: {message_of(self.no_pictures)}")
        elif self._of("site").get("failed"):
            self._fail(name, f"{what} Not updated, because it is not known what earlier updates did.")
        else:
            self._fail(name, f"{what} Not updated, because there is no backup.")

    def _steps(self) -> None:
        for name, task in (("declaration", "kept"), ("updates", "made")):
            result = self._of(task)
            # Where nothing is declared, each check says why it could not look.
            if result.get("failed") and not result.get("parts") and not {"readings", "site_check"} & set(result):
                self._fail(name, message_of(result))
        self._backups()
        self._site_after()

    def _backups(self) -> None:
        """Note the backup before the updates, and what was removed to make room."""
        backup = self._of("update_backup")
        if failed := [one for one in (backup, self.foreseen_backup or {}) if one.get("failed")]:
            self._fail("update_backup", _with_room(message_of(failed[0])))
        elif backup.get("is_taken") or self._would_back_up():
            back = ", to be restored if the site does not work after them" if self.settings.get("rolls_back") else ""
            self.done.append(STEPS["update_backup"])
            self.changes.append(plan.change("update_backup", f"{STEPS['update_backup']}{back}"))
        if removed := ", ".join(map(words_for, self._removed())):
            self.done.append(f"removed backups: {removed}")
            self.changes.append(plan.change("backup", "older backups removed", warnings=[f"REMOVES backup {removed}"]))

    def _site_after(self) -> None:
        """Note what was seen of the site after updates, also of earlier runs, and what became of the way back."""
        site, well, judged = self._of("site"), self._of("well"), self._of("judged")
        backup = self._of("update_backup")
        for result in (site, well, judged):
            if result.get("failed") and (result is judged or not does_not_work(result)):
                self._find("updates", "fail", f"What updates did is not known: {message_of(result)}")
        if site.get("has_ended") is False:
            self._find(
                "updates", "warn", "An earlier update goes on, so nobody can tell yet whether the site works with it."
            )
        for words in words_of_pictures(self.pictures):
            self._find("well", "warn", words)
        undo = self._of("undo")
        if is_restored(undo) and undo["restore"].get("changed"):
            self.done.append(f"restored backup {undo['choice']['backup_id']}")
        if does_not_work(well):
            self.failed = True
            self.findings.append(finding_of("well", "fail", self._after(well, undo, backup), LONGEST_LOG))
        elif said := said_of(undo, site):
            self._fail("undo", said)
        elif self.is_updated and self.settings["is_unverified"]:
            self._find("well", "warn", "Not verified after the updates: no address is known (maintain_verify_urls).")

    def _after(self, well: Record, undo: Record, backup: Record) -> str:
        """Return what is wrong after the updates, what became of the way back, and the end of the error log."""
        said, log = said_of(undo, well), self._of("log")
        how = "It worked before the updates." if is_restored(undo) else self._how_to_go_back(backup)
        return " ".join(filter(None, [message_of(well), how, said, end_of_log(log)]))

    def _would_back_up(self) -> bool:
        """Tell whether there would be a backup before the predicted updates, besides the declared one."""
        oldest = self.settings.get("update_backup_max_age")
        if not self.is_predicted or oldest is None:
            return False
        if self.foreseen_backup:
            return bool(self.foreseen_backup["differs"])
        declared = self._only("backup")
        age = (declared.get("result", {}).get("backup") or {}).get("age")
        return not declared.get("changed") and (age is None or age > checked_duration(str(oldest)))

    def _how_to_go_back(self, result: Record) -> str:
        backup = result.get("backup") or self._only("backup").get("result", {}).get("backup") or {}
        if not backup:
            return "It worked before the updates."
        known = backup.get("id")
        number, how = (f" {known}", f" -e deploy_rollback_backup_id={known}") if known else ("", "")
        return (
            f"It worked before the updates. To go back, restore the backup{number} with the tag {backup.get('tag')},"
            f" such as with hosting.management.rollback -e deploy_hosts={self.settings['environment']}{how}."
        )


def _with_room(text: str) -> str:
    """Return why a backup failed, and where the service has no room for it, the variable that makes some."""
    return text.replace(NO_ROOM, f"{NO_ROOM} {HOW_TO_MAKE_ROOM}")
