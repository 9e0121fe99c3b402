# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of the environments that the role deploy has gone through: plain values, as its JSON file has them."""

from __future__ import annotations

import time
from datetime import datetime

from ..module_utils._backup_removals import NO_ROOM, words_for
from ..module_utils._progress import FAILED, FINISHED, IN_PROGRESS, SENT, UNKNOWN
from . import plan as plans
from .deployment import AFTER_PUSH, BACKUP, PICTURES, PUSH, VERIFY, name_of
from .deployment_text import text_of
from .plain_values import Record, plain
from .results import IN_DOUBT, end_of_log
from .verified_pictures import of_pictures

STEPS = {
    "backup": "backup",
    "push": "push",
    "domains": "domains",
    "denied_ips": "denied addresses",
    "wp_cli": "WP-CLI",
    "restore": "restore",
    "restart": "PHP restart",
    "caches": "caches",
}
"""The results that count as done when they have changed something, with the words for them."""

PARTS_OF = {"restart": "php_restart"}
"""The parts of an environment that have other names than their steps."""

WORDS = {IN_PROGRESS: " (accepted)", SENT: " (being sent)", UNKNOWN: " (unknown)", FAILED: " (failed)"}
HOW_TO_MAKE_ROOM = "The variable deploy_keep_backups makes room before each new one."
WAIT_ON = "Run again to wait for its end, with a larger deploy_wait_timeout if it takes that long."
FORCED_BY = {PUSH: "deploy_force_push", "restore": "deploy_force_restore"}
"""The variables that are the option ``force`` of a step's task, which the messages of modules speak of."""


def result_of(results: Record, settings: Record, began: float, now: float) -> Record:
    """Return what became of one environment, as ``deploy_result`` has it.

    :param results: what the tasks have registered: those of STEPS (as ``kept`` and ``parts``, results of environment,
        what is a part of it), the release ``before`` and ``now`` (release_info; empty where nothing but this run's
        push has changed it), the ``ends`` that were waited for (operation_wait), the ``failure`` (see
        deployment.goes_back), the backup that was ``chosen``, and ``return``: how going back to it went, and the end
        of the site's error ``log``. What never came is missing, or empty.
    :param settings: ``environment``, ``release``, ``backup_tag``, ``check_mode``, ``takes_backup`` (whether it was
        wanted) and ``verifies`` (whether the site was to be asked) count, of what settings_of returns.
    :param began: when the deployment to the environment began, in seconds since the epoch.
    :param now: the time, in seconds since the epoch.
    """
    return _Environment(plain(results), plain(settings)).result(now - began)


def end_of_push(push: Record, ends: list[Record]) -> Record:
    """Return the operation of this run's push, as the wait for all has seen its end; nothing where it has not.

    :param push: the result of env_push.
    :param ends: the operations that were waited for, as operation_wait returns them.
    """
    if not push.get("changed"):
        return {}
    pushed = (push.get("operation") or {}).get("id")
    return next((one for one in ends if pushed and one["id"] == pushed), {})


def there(known: Record) -> str:
    """Return what an environment has, and how that stands, in a few words; nothing if that is not known."""
    return name_of(known) + WORDS.get(str((known.get("restored_backup") or known).get("state") or ""), "")


class _Environment:
    def __init__(self, results: Record, settings: Record) -> None:
        def of(name: str) -> Record:
            return results.get(name) or {}

        self.results, self.settings = results, settings
        self.before, self.failure, self.back = of("before"), of("failure"), of("return")
        self.backup = of("backup").get("backup") or {}
        self.has_pushed, self.chosen = _is_changed(of("push")), of("chosen")
        self.end_of_push = end_of_push(of("push"), results.get("ends") or [])
        self.now = of("now") or {**self.before, **self._pushed()}
        self.error: Record = self.failure.get("error") or {}
        self.kind: str = self.error.get("kind") or ""
        self.step: str = self.failure.get("step") or ""
        self.release = str(
            settings["release"]
            or self.back.get("release")
            or self.before.get("release")
            or (self.before.get("restored_backup") or {}).get("release")
            or ""
        )
        # What another request left open, such as the restore of a backup, is not about this one: that was not sent.
        self.is_open_before = self.kind in ("outcome_unknown", "operation_timeout") and not self.error.get("method")
        self.is_unsettled = "outcome_unknown" in (self.kind, self.back.get("kind"))
        self.goes_on = not self.is_open_before and bool(
            self.error.get("operation_id") or self.kind == "operation_timeout"
        )

    def _pushed(self) -> Record:
        """Return what is there since the push, where the wait for all has seen that it ended well."""
        if self.end_of_push.get("state") != FINISHED:
            return {}
        return {"release": self.settings["release"], "state": FINISHED, "restored_backup": None}

    def result(self, seconds: float) -> Record:
        done_steps = [name for name in STEPS if self._is_done(name)]
        done = [f"{STEPS[name]}{self._more(name)}" for name in done_steps]
        if (removed := self._words_of_removed()) and "backup" not in done_steps:
            done.append(f"removed backups: {removed}")
        failed = bool(self.failure) or "problem" in self.back
        is_predicted = self.settings["check_mode"] and self.has_pushed
        return {
            "environment": self.settings["environment"],
            "environment_id": self.settings.get("environment_id", ""),
            "release": self.release,
            "before": there(self.before),
            "after": self.release if is_predicted else there(self.now),
            "done": done,
            "changed": bool(done),
            "changes": [one for name in done_steps for one in self._changes(name)],
            "seconds": round(seconds, 1),
            "push_seconds": self._push_seconds(),
            "failed": failed,
            "rolled_back": "backup_id" in self.back,
            "backup": self.backup,
            "removed_backups": self._removed(),
            "log": self._result("log").get("lines") or [],
            "pictures": of_pictures(self._result("pictures_before"), self._result("compared")),
            "error": self.error,
            "unsettled": self.is_unsettled,
            "problem": self.problem() if failed else "",
            "advice": f"{self.advice()} {end_of_log(self._result('log'))}".strip() if failed else "",
        }

    def _result(self, step: str) -> Record:
        name = PARTS_OF.get(step, step)
        kept = [((self.results.get(one) or {}).get("parts") or {}).get(name) for one in ("kept", "parts")]
        return next((one for one in kept if one), None) or self.results.get(step) or {}

    def _is_done(self, step: str) -> bool:
        """Tell whether a step has changed something. A backup that has begun is none before its end."""
        return _is_changed(self._result(step)) and not (step == "backup" and self.step == BACKUP)

    def _removed(self) -> list[Record]:
        """Return the backups that made room for this run's."""
        return self._result("backup").get("removed") or []

    def _words_of_removed(self) -> str:
        return ", ".join(map(words_for, self._removed()))

    def _more(self, step: str) -> str:
        """Return what else belongs to a step that has changed something."""
        removed = self._words_of_removed() if step == "backup" else ""
        return f" (removed: {removed})" if removed else ""

    def _changes(self, step: str) -> list[Record]:
        """Return what a step has changed, for a plan."""
        there = name_of(self.before)
        arrow = f"{there or plans.NOTHING} →"
        if step == "push":
            settings = self.settings
            what = plans.pushed_parts(settings.get("push") or {})
            kept = f"kept in the backup {self._tag()}"
            lost = "CANNOT BE UNDONE: there is no backup"
            warning = f"OVERWRITES {what} ({kept})" if settings["takes_backup"] else f"OVERWRITES {what}. {lost}"
            after = plans.push_of(settings)
            return [plans.change("push", f"push {arrow} {self.release}", before=there, after=after, warnings=[warning])]
        if step == "restore":
            backup_id, tag = self.chosen.get("backup_id"), self.chosen.get("tag") or "without a tag"
            text = f"restore {arrow} backup {backup_id} ({tag})"
            warning = "OVERWRITES the database and all files. CANNOT BE UNDONE: what came since the backup is lost"
            return [plans.change("restore", text, before=there, after=backup_id, warnings=[warning])]
        if step in ("domains", "denied_ips"):
            part = self._result(step)
            entries = [one for one in part.get("entries", [part]) if _is_changed(one)]
            return [change for one in entries for change in plans.changes_of(step, one)]
        if step == "wp_cli":
            commands = [one.get("command") or "" for one in self._result(step).get("results") or [] if _is_changed(one)]
            return [plans.change(step, one, name=one, after=one) for one in commands]
        text = f"backup {self._tag()}" if step == "backup" else STEPS[step]
        warnings = [f"REMOVES backup {words_for(one)}" for one in self._removed()] if step == "backup" else []
        return [plans.change(step, text, warnings=warnings)]

    def _push_seconds(self) -> float | None:
        """Return how long this run's push took, as the wait for all or the journal has it, or None."""
        if self.end_of_push.get("state") == FINISHED:
            return self.end_of_push.get("seconds")
        sent_at, ended_at = self.now.get("sent_at"), self.now.get("ended_at")
        is_of_push = self.has_pushed and not self.settings["check_mode"] and self.now.get("release") == self.release
        if not is_of_push or self.now.get("state") not in (FINISHED, FAILED) or not sent_at or not ended_at:
            return None
        return (datetime.fromisoformat(ended_at) - datetime.fromisoformat(sent_at)).total_seconds()

    def problem(self) -> str:
        """Return what is wrong."""
        if not self.failure:
            return f"It is back at backup {self.back['backup_id']}, but the site does not work: {self.back['problem']}"
        text = self.failure["msg"].replace(NO_ROOM, f"{NO_ROOM} {HOW_TO_MAKE_ROOM}")
        if self.step == VERIFY and self.kind == "check_failed":
            return f"The site does not work: {text}"
        if (self.step == PICTURES and self.kind == "check_failed") or self.step == AFTER_PUSH:
            return text
        if self.step == BACKUP:
            return f"{self._state_of_backup()}, so nothing was pushed: {text}"
        if self.step != PUSH:
            return f"Failed at '{self.failure['task']}': {text}"
        if self.kind == "operation_failed":
            return f"The push of {self.release} failed on its way, so parts of it may be there: {text}"
        if self.goes_on:
            return f"{self.release} is still being pushed: {text}"
        if self._is_in_doubt():
            return f"It is not known whether {self.release} was pushed: {text}"
        return f"{self.release} was not pushed: {text}"

    def _state_of_backup(self) -> str:
        """Return what is known of the backup that had begun, and did not come to its end for the push."""
        if self.kind == "operation_timeout":
            return f"The backup {self._tag()} is still being taken"
        if self.kind in (*IN_DOUBT, "journal"):
            return f"It is not known whether the backup {self._tag()} was taken"
        return f"The backup {self._tag()} was not taken"

    def _is_in_doubt(self) -> bool:
        # Where the journal failed after the push was sent, it has no record of how that ended.
        return not self.is_open_before and (self.kind in IN_DOUBT or (self.kind == "journal" and self.has_pushed))

    def advice(self) -> str:
        """Return what to do next, as far as the problem does not say so."""
        back, tag = self.back, self._tag()
        if "backup_id" in back:
            return self._advice_after_going_back() if self.failure else self._advice_at_failure(tag)
        if back.get("failed"):
            start = f"Rolling it back failed, too: {back['msg']}"
            if self.is_unsettled:
                return f"{start} When it is settled, run hosting.management.rollback.{self._force('restore')}"
            return f"{start} Restore {tag} by hand, or run hosting.management.rollback."
        return self._advice_at_failure(tag)

    def _advice_after_going_back(self) -> str:
        start = f"It was rolled back to backup {self.back['backup_id']} ({self.back['tag']})"
        if "problem" in self.back:
            return f"{start}, but the site still does not work: {self.back['problem']}"
        return f"{start}, and the site works again." if self.settings["verifies"] else f"{start}."

    def _advice_at_failure(self, tag: str) -> str:
        if self.kind == "journal":
            return (
                "Mend the journal (free space, let it be written, or put it back), then run again. If it is lost, find"
                " out what the environment has before you run anything against it."
            )
        if self.chosen.get("problem"):
            return ""
        if self.step == PUSH and self.goes_on and self.kind != "operation_failed":
            return f"Do not restore a backup before the push has ended. {WAIT_ON}"
        if self.step == BACKUP and self.kind == "operation_timeout":
            return WAIT_ON
        if self.is_unsettled:
            return f"When it is settled, run again.{self._force(self.step)}"
        if not self.settings["takes_backup"]:
            return "No backup was taken by this run, because deploy_backup is false."
        is_there = (self.now.get("release") or "") == self.release
        if is_there and self.now.get("state") in (FINISHED, FAILED, UNKNOWN, IN_PROGRESS):
            details = ""
            if self.backup.get("id") is not None:
                details = f" (id {self.backup['id']}, taken {self.backup['created_at_iso']})"
            return (
                f"To go back, restore the backup with the tag {tag}{details}, such as with hosting.management.rollback"
                f" -e deploy_hosts={self.settings['environment']}."
            )
        return f"Fix the cause, then run again.{self._force(self.step) if self.is_open_before else ''}"

    def _force(self, step: str) -> str:
        """Return by which variable of the role a step is forced: its message names the option of the module."""
        return f" To force it, set {FORCED_BY[step]}: true." if step in FORCED_BY else ""

    def _tag(self) -> str:
        ours = self.settings["backup_tag"] if str(self.settings["release"]) else f"before-{self.release}"
        return str(self.backup.get("tag") or ours)


def _is_changed(result: Record) -> bool:
    return bool(result.get("changed"))


def summary_of(results: list[Record], hosts: list[str], wave: list[str], last: str, settings: Record) -> Record:
    """Return what became of all environments: the ``summary``, as the JSON file has it, and the ``text`` for people.

    :param results: those of the environments that came to their end.
    :param hosts: the names of all environments, in their order.
    :param wave: the names of those that are deployed just now.
    :param last: the name of the environment that is deployed last.
    :param settings: ``release``, ``check_mode``, and the percentage of a wave that may fail (``may_fail``) without
        stopping the next.
    """
    check_mode = settings["check_mode"]
    known = {one["environment"]: one for one in plain(results)}
    environments = [known.get(str(host)) or _not_reached(str(host)) for host in hosts]
    failed = [one for one in environments if one["failed"]]
    waiting = [one for one in environments if one["failed"] is None]
    failed_now = [host for host in wave if (known.get(str(host)) or {}).get("failed")]
    stops = len(failed_now) * 100 > settings["may_fail"] * len(wave) or len(failed_now) == len(wave)
    summary = {
        "release": str(settings["release"]),
        "check_mode": bool(check_mode),
        "totals": {
            "environments": len(environments),
            "changed": sum(one["changed"] for one in environments),
            "unchanged": sum(not one["changed"] and one["failed"] is False for one in environments),
            "failed": len(failed),
            "rolled_back": sum(one["rolled_back"] and "restore" in one["done"] for one in environments),
            "not_reached": len(waiting),
        },
        "environments": environments,
        "is_complete": stops or (not waiting and last in wave),
        "plan": _plan(environments, settings.get("playbook", "deploy")) if check_mode else None,
    }
    return {"summary": summary, "text": text_of(summary, [one["environment"] for one in (*failed, *waiting)])}


def _plan(environments: list[Record], playbook: str) -> Record:
    planned = [
        plans.environment_of(
            one["environment"],
            one["environment_id"],
            one["changes"],
            needs=[one["problem"]] if one["problem"] else [],
        )
        for one in environments
    ]
    return plans.plan_of(playbook, planned, time.time())


def _not_reached(host: str) -> Record:
    return {
        "environment": host,
        "environment_id": "",
        "before": "",
        "after": "",
        "done": [],
        "changed": False,
        "changes": [],
        "seconds": None,
        "push_seconds": None,
        "failed": None,
        "rolled_back": False,
        "problem": "not reached",
        "advice": "",
        "error": {},
        "unsettled": False,
        "removed_backups": [],
        "log": [],
        "pictures": of_pictures({}, {}),
    }
