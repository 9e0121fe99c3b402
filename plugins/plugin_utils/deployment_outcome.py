# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of the environments that the role deploy has gone through: plain values, as its JSON file has them."""

from __future__ import annotations

from ..module_utils._progress import FAILED, FINISHED, IN_PROGRESS, SENT, UNKNOWN
from .deployment import PUSH, VERIFY, name_of
from .plain_values import Record, plain

STEPS = {
    "backup": "backup",
    "push": "push",
    "domains": "domains",
    "denied_ips": "denied addresses",
    "restore": "restore",
    "restart": "PHP restart",
    "caches": "caches",
}
"""The results that count as done when they have changed something, with the words for them."""

IN_DOUBT = ("outcome_unknown", "timeout", "connection", "service", "malformed_response", "unexpected")
"""The kinds of errors after which nobody knows whether a push was carried out."""

WORDS = {IN_PROGRESS: " (accepted)", SENT: " (being sent)", UNKNOWN: " (unknown)", FAILED: " (failed)"}
FORCED_BY = {PUSH: "deploy_force_push", "restore": "deploy_force_restore"}
"""The variables that are the option ``force`` of a step's task, which the messages of modules speak of."""


def result_of(results: Record, settings: Record, began: float, now: float) -> Record:
    """Return what became of one environment, as ``deploy_result`` has it.

    :param results: what the tasks have registered: those of STEPS, the release ``before`` and ``now`` (release_info),
        the ``failure`` (see deployment.goes_back), the backup that was ``chosen``, and ``return``: how going back to it
        went. What never came is missing, or empty.
    :param settings: ``environment``, ``release``, ``backup_tag``, ``check_mode``, ``takes_backup`` (whether it was
        wanted) and ``verifies`` (whether the site was to be asked) count, of what settings_of returns.
    :param began: when the deployment to the environment began, in seconds since the epoch.
    :param now: the time, in seconds since the epoch.
    """
    return _Environment(plain(results), plain(settings)).result(now - began)


def there(known: Record) -> str:
    """Return what an environment has, and how that stands, in a few words; nothing if that is not known."""
    return name_of(known) + WORDS.get(str((known.get("restored_backup") or known).get("state") or ""), "")


class _Environment:
    def __init__(self, results: Record, settings: Record) -> None:
        def of(name: str) -> Record:
            return results.get(name) or {}

        self.results, self.settings = results, settings
        self.before, self.now, self.failure, self.back = of("before"), of("now"), of("failure"), of("return")
        self.backup = of("backup").get("backup") or {}
        self.has_pushed, self.chosen = _is_changed(of("push")), of("chosen")
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

    def result(self, seconds: float) -> Record:
        done = [words for name, words in STEPS.items() if _is_changed(self.results.get(name) or {})]
        failed = bool(self.failure) or "problem" in self.back
        is_predicted = self.settings["check_mode"] and self.has_pushed
        return {
            "environment": self.settings["environment"],
            "release": self.release,
            "before": there(self.before),
            "after": self.release if is_predicted else there(self.now),
            "done": done,
            "changed": bool(done),
            "seconds": round(seconds, 1),
            "failed": failed,
            "rolled_back": "backup_id" in self.back,
            "backup": self.backup,
            "error": self.error,
            "unsettled": self.is_unsettled,
            "problem": self.problem() if failed else "",
            "advice": self.advice() if failed else "",
        }

    def problem(self) -> str:
        """Return what is wrong."""
        if not self.failure:
            return f"It is back at backup {self.back['backup_id']}, but the site does not work: {self.back['problem']}"
        text = self.failure["msg"]
        if self.step == VERIFY and self.kind == "check_failed":
            return f"The site does not work: {text}"
        if self.step != PUSH:
            return f"Failed at '{self.failure['task']}': {text}"
        if self.kind == "operation_failed":
            return f"The push of {self.release} failed on its way, so parts of it may be there: {text}"
        if self.goes_on:
            return f"{self.release} is still being pushed: {text}"
        if self._is_in_doubt():
            return f"It is not known whether {self.release} was pushed: {text}"
        return f"{self.release} was not pushed: {text}"

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
            return "Put the journal back, or find out what the environment has, before you run anything against it."
        if self.chosen.get("problem"):
            return ""
        if self.step == PUSH and self.goes_on and self.kind != "operation_failed":
            return "Do not restore a backup before the push has ended. Run again to wait for its end."
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
                f"To go back, restore the backup with the tag {tag}{details}, such as with hosting.management.rollback."
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
    """Return what became of all environments: the ``summary``, as the JSON file has it; the ``rows`` of the table that
    people read; and ``left``, the names of the environments to deploy to again.

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
    }
    return {
        "summary": summary,
        "rows": [_row(one, check_mode) for one in environments],
        "left": [one["environment"] for one in (*failed, *waiting)],
    }


def _not_reached(host: str) -> Record:
    return {
        "environment": host,
        "before": "",
        "after": "",
        "done": [],
        "changed": False,
        "seconds": None,
        "failed": None,
        "rolled_back": False,
        "problem": "not reached",
        "advice": "",
        "error": {},
        "unsettled": False,
    }


def _row(result: Record, check_mode: bool) -> Record:
    """Return an environment's line of the table that people read."""
    return {
        "environment": result["environment"],
        "before": result["before"] or "-",
        "after": result["after"] or "-",
        "would do" if check_mode else "done": ", ".join(result["done"]) or "-",
        "seconds": result["seconds"],
        "needs": ("rolled back. " if result["rolled_back"] and result["failed"] else "") + result["problem"],
    }
