# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How updates come to their verdicts: by waiting for what is under way, and by what is installed now."""

from __future__ import annotations

import time
from functools import cached_property

from ._answers import Record
from ._context import NOT_SHOWN, Context
from ._decision import READS_LAG
from ._environments import php_version_of
from ._errors import HostingError, InvalidInput
from ._extensions import is_missing, list_plugins, list_themes
from ._journal import Entry, Subject, note_progress
from ._operations import SWITCHED_OFF, Operation
from ._progress import FAILED, FINISHED, IN_PROGRESS, SENT, UNKNOWN
from ._sites import environment_of_site
from ._under_way import OVERWRITING, Kind, kind_of
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

    The journal learns how they ended. In check mode and with ``wait: false`` they are looked at once. With
    ``companions: false``, what was accepted counts as done.
    """
    waits = context.wait and not context.check_mode
    deadline = time.monotonic() + (context.wait_timeout if waits else 0)
    while True:
        found = _under_way(context)
        accepted = [one for one in found if one[1].progress == IN_PROGRESS]
        operations = [Operation.resume(entry, waits=context.wait) for _subject, entry in accepted]
        if context.companions:
            context.follow(operations, max(0.0, deadline - time.monotonic()), context.journal)
        else:
            for operation in operations:
                operation.cannot_be_told(SWITCHED_OFF)
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


def ended_trials(context: Context) -> list[Trial]:
    """Return what the journal knows of the updates of the task's environment, or nothing while one of them goes on.

    An update goes on before it becomes a trial, so in this order none is taken to have ended that is yet to begin.
    """
    trials = trials_at(context, context["environment_id"])
    return [] if _under_way(context) else trials


def judge_environment(
    context: Context, verdict: str, reason: str, seen: list[Trial] | None = None, *, by_looks: bool = False
) -> list[Trial]:
    """Judge the updates of the task's environment whose verdict is open, and return those whose verdict is new.

    Nothing is judged while an update goes on: it may show, or not, from one moment to the next. A site that works also
    clears those that broke it, if they are still installed and what was wrong was in its answers. What is not installed
    never took place, or was rolled back: an open one is forgotten, and one that broke the site stays held back. Where
    the answer to an update was lost, an open one may be on its way, and stays open.

    :param seen: the ended trials when somebody looked at the site. If others have come since, such as those of another
        run, nobody knows which of them the site had then, and nothing is judged.
    :param by_looks: whether what is wrong is not in the site's answers.
    """
    trials = ended_trials(context)
    if seen is not None and trials != seen:
        return []
    judged = []
    installed = _Installed(context)
    newest = _newest_change(context)
    if newest == (Kind.UPDATE, FINISHED):
        installed.wait_for(trials)
    for trial in trials:
        is_mended = verdict == WORKS and trial.verdict == BROKE_IT and not trial.by_looks
        if trial.verdict != NOT_KNOWN and not is_mended:
            continue
        if not installed.may_have(trial):
            if trial.verdict == NOT_KNOWN and newest != (Kind.UPDATE, UNKNOWN):
                forget(context, trial)
            continue
        now = judge(context, trial, verdict, reason, by_looks=by_looks)
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


def _newest_change(context: Context) -> tuple[Kind, str] | None:
    """Return the last update, push or restore that the journal knows of the task's environment, and how it stands.

    How long ago that was is not asked for: another controller's clock has told it.
    """
    rows = context.journal.of_environment(context.client.base_url, context["environment_id"])
    changes = [
        (entry.sent_at, kind_of(subject, entry), entry.as_known().progress)
        for subject, entry in rows
        if kind_of(subject, entry) in (*OVERWRITING, Kind.UPDATE)
    ]
    newest = max(changes, key=lambda one: one[0], default=None)
    return newest and newest[1:]


class _Installed:
    """The versions that the task's environment has now, each list read once, and only if it is asked for."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def may_have(self, trial: Trial) -> bool:
        """Tell whether the environment has what was updated, as far as the service shows it."""
        return self.version_of(trial.update) in (None, trial.update.version)

    def wait_for(self, trials: list[Trial]) -> None:
        """Look again until the environment has what nobody has judged, as long as lists may lag behind an update."""
        deadline = time.monotonic() + READS_LAG
        while time.monotonic() < deadline and not all(self.may_have(one) for one in trials if one.verdict == NOT_KNOWN):
            time.sleep(LOOK_AGAIN)
            self.context.forget_looks()
            for name in ("_plugins", "_themes", "_php"):
                self.__dict__.pop(name, None)

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
