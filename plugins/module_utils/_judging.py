# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How updates come to their verdicts: by waiting for what is under way, and by what is installed now."""

from __future__ import annotations

import time
from functools import cached_property

from ._client import Record
from ._context import NOT_SHOWN, Context
from ._environments import php_version_of
from ._errors import HostingError, InvalidInput
from ._extensions import is_missing, list_plugins, list_themes
from ._journal import Entry, Subject, note_progress
from ._operations import Operation
from ._progress import FAILED, FINISHED, IN_PROGRESS, SENT
from ._sites import environment_of_site
from ._under_way import Kind, kind_of
from ._verdicts import (
    BROKE_IT,
    NOT_KNOWN,
    PHP,
    PLUGIN,
    WORKS,
    Trial,
    Update,
    forget,
    judge,
    trials_at,
    trials_of,
)

LOOK_AGAIN = 0.2  # seconds between two looks at the answer that another run waits for


def await_updates(context: Context) -> bool:
    """Wait for the updates that are under way at the task's environment; return whether all have ended.

    The journal learns how they ended. In check mode and with ``wait: false`` they are looked at once.
    """
    waits = context.wait and not context.check_mode
    deadline = time.monotonic() + (context.wait_timeout if waits else 0)
    while True:
        found = _under_way(context)
        accepted = [one for one in found if one[1].progress == IN_PROGRESS]
        operations = [
            Operation(entry.operation_id, accepted_at=entry.sent_at, resumed=True) for _subject, entry in accepted
        ]
        context.follow(operations, max(0.0, deadline - time.monotonic()), context.journal)
        for (subject, entry), operation in zip(accepted, operations, strict=True):
            if operation.state != IN_PROGRESS and not context.check_mode:
                state = FAILED if operation.state == FAILED else FINISHED
                note_progress(context.journal, subject, entry, state, supersedes=True)
        goes_on = len(accepted) < len(found) or any(one.state == IN_PROGRESS for one in operations)
        if not goes_on or time.monotonic() >= deadline:
            return not goes_on
        time.sleep(LOOK_AGAIN)


def _under_way(context: Context) -> list[tuple[Subject, Entry]]:
    """Return the journal's rows of the updates that go on at the task's environment."""
    rows = context.journal.of_environment(context.client.base_url, context["environment_id"])
    return [
        (subject, entry)
        for subject, entry in rows
        if kind_of(subject, entry) is Kind.UPDATE and entry.as_known().progress in (SENT, IN_PROGRESS)
    ]


def judge_environment(context: Context, verdict: str, reason: str) -> list[Trial]:
    """Judge the updates of the task's environment whose verdict is open, and return those whose verdict is new.

    Nothing is judged while an update goes on: it may show, or not, from one moment to the next. A site that works also
    clears those that broke it, if they are still installed. What is not installed never took place, or was rolled back:
    an open one is forgotten, and one that broke the site stays held back.
    """
    if _under_way(context):
        return []
    installed = _Installed(context)
    judged = []
    for trial in trials_at(context, context["environment_id"]):
        if trial.verdict != NOT_KNOWN and not (verdict == WORKS and trial.verdict == BROKE_IT):
            continue
        version = installed.version_of(trial.update)
        if version not in (None, trial.update.version):
            if trial.verdict == NOT_KNOWN:
                forget(context, trial)
            continue
        now = judge(context, trial, verdict, reason)
        if now:
            judged.append(now)
    return judged


def judge_update(context: Context, update: Update, verdict: str, reason: str) -> list[Trial]:
    """Judge one update at the task's environment, or wherever it was made if the task names none."""
    trials = trials_of(context, update)
    environment_id = context["environment_id"]
    if environment_id is not None:
        mine = [one for one in trials if one.environment_id == environment_id]
        trials = mine or [Trial(update, environment_id, environment_id, updated_at=time.time())]
    elif not trials:
        raise InvalidInput(
            f"The journal knows no environment that was updated to {update}. Nothing was changed. Check kind, name,"
            " version, base_url and journal. To hold back what nobody has yet, give the environment_id of any one"
            " environment: the verdict counts for all."
        )
    return [now for now in (judge(context, trial, verdict, reason) for trial in trials) if now]


class _Installed:
    """The versions that the task's environment has now, each list read once, and only if it is asked for."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def version_of(self, update: Update) -> str | None:
        """Return the installed version, an empty text for what is not installed, None where nobody shows it."""
        if update.kind == PHP:
            return self._php
        listed = self._plugins if update.kind == PLUGIN else self._themes
        if listed is NOT_SHOWN:
            return None
        return str(listed.get(update.name, {}).get("version") or "")

    @cached_property
    def _plugins(self) -> dict[str, Record] | None:
        try:
            answer, path = list_plugins(self.context)
        except HostingError as error:
            if is_missing(error):
                return NOT_SHOWN
            raise
        return answer.named(path)

    @cached_property
    def _themes(self) -> dict[str, Record] | None:
        return list_themes(self.context)

    @cached_property
    def _php(self) -> str | None:
        environment = environment_of_site(self.context)
        return None if environment is NOT_SHOWN else php_version_of(environment)
