# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates that are remembered: which environment was updated to which version, and whether its site works with it.

An update is a version of a plugin, a theme or PHP. The journal has a subject for each update, and in it a row for each
environment, so that of many runs exactly one can be the first to try it. What broke one site is held back everywhere
until somebody says otherwise; a newer version is a new update.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any

from ._context import Context
from ._journal import Entry, Subject, digest_of
from ._text import printable
from ._values import iso_of_seconds

PLUGIN, THEME, PHP = "plugin", "theme", "php"
KINDS = (PLUGIN, THEME, PHP)

WORKS, BROKE_IT, NOT_KNOWN = "works", "broke_it", "not_known"
"""The verdicts: the site works with the update, does not, or nobody has looked since."""

PREFIX = "update/"


@dataclass(frozen=True)
class Update:
    """A version of a plugin, a theme or PHP (whose name is php)."""

    kind: str
    name: str
    version: str

    def __str__(self) -> str:
        return f"PHP {self.version}" if self.kind == PHP else f"{self.name} {self.version}"


@dataclass(frozen=True)
class Trial:
    """What is remembered of an update at one environment. ``updated_at`` is in seconds since the epoch.

    ``by_looks`` is whether somebody has seen what the answers of the site do not tell, so that these clear nothing.
    """

    update: Update
    environment_id: str
    environment: str
    previous_version: str | None = None
    verdict: str = NOT_KNOWN
    reason: str = ""
    updated_at: float = 0
    by_looks: bool = False

    def as_result(self) -> dict[str, Any]:
        """Return this as a module's result."""
        return {
            "kind": self.update.kind,
            "name": self.update.name,
            "version": self.update.version,
            "previous_version": self.previous_version,
            "verdict": self.verdict,
            "reason": self.reason,
            "environment_id": self.environment_id,
            "environment": self.environment,
            "updated_at": iso_of_seconds(self.updated_at),
        }


class Standing(Enum):
    """What becomes of an update at an environment."""

    MAY = auto()  # it works elsewhere, or was begun here
    FIRST = auto()  # nobody has tried it: this environment goes first
    WAITS = auto()  # another environment goes first, and its verdict is open
    HELD = auto()  # it broke a site


def standing(environment_id: str, trials: Iterable[Trial]) -> tuple[Standing, Trial | None]:
    """Say what becomes of an update at an environment, given its trials everywhere, and because of which. Pure."""
    trials = tuple(trials)
    broken = next((one for one in trials if one.verdict == BROKE_IT), None)
    if broken:
        return Standing.HELD, broken
    if any(one.verdict == WORKS or one.environment_id == environment_id for one in trials):
        return Standing.MAY, None
    return (Standing.WAITS, trials[0]) if trials else (Standing.FIRST, None)


@dataclass
class Guard:
    """What a task may update at its environment, and what it leaves out.

    With ``canary`` (an option of the task), an update goes to a second environment only when it works in a first one.
    Without, everything may go. Both are remembered.
    """

    context: Context
    kind: str
    held: list[dict[str, Any]] = field(default_factory=list)
    taken: list[Trial] = field(default_factory=list)

    def lets(self, name: str, version: str | None) -> bool:
        """Tell whether the environment may be updated so, as far as the journal knows now; note it when not."""
        if version is None or not self.context["canary"]:
            return True
        update = Update(self.kind, name, version)
        verdict, because = standing(self._environment_id, trials_of(self.context, update))
        if because is None:
            return True
        self._hold(update, verdict, because)
        return False

    def take(self, versions: Mapping[str, tuple[str | None, str | None]]) -> set[str]:
        """Note that the environment is updated; return the names of what another run has taken or judged meanwhile.

        ``versions`` are those before and those wanted, by name.
        """
        lost = set()
        for name, (previous, version) in versions.items():
            if version is not None and not self._take(Update(self.kind, name, version), previous):
                lost.add(name)
        return lost

    def withdraw(self) -> None:
        """Forget what was noted, because the request was refused or never left: nothing was updated.

        What another run has noted in its place since stays.
        """
        for trial in self.taken:
            forget(self.context, trial)
        self.taken.clear()

    @property
    def _environment_id(self) -> str:
        return self.context["environment_id"]

    def _hold(self, update: Update, verdict: Standing, because: Trial) -> None:
        reason = BROKE_IT if verdict is Standing.HELD else NOT_KNOWN
        self.held.append({**because.as_result(), "previous_version": None, "verdict": reason})

    def _take(self, update: Update, previous: str | None) -> bool:
        subject = subject_of(self.context, update)
        name = self.context["environment_name"] or self._environment_id
        new = Trial(update, self._environment_id, printable(name), previous)
        while True:
            rows = self.context.journal.read(subject)
            verdict, because = standing(self._environment_id, map(_trial, rows))
            if because is not None and self.context["canary"]:
                self._hold(update, verdict, because)
                return False
            others = tuple(row for row in rows if row.key != self._environment_id)
            entry = _entry(new, others)
            if self.context.journal.replace(subject, rows, (*others, entry)):
                if len(others) == len(rows):
                    self.taken.append(_trial(entry))
                return True


def canary_options() -> dict[str, dict[str, Any]]:
    """The options of what updates, as in the documentation fragment canary."""
    return {"canary": {"type": "bool", "default": False}, "environment_name": {"type": "str"}}


def subject_of(context: Context, update: Update) -> Subject:
    """Return the journal's subject of an update."""
    return (context.client.base_url, f"{PREFIX}{update.kind}/{update.name}/{update.version}")


def trials_of(context: Context, update: Update) -> list[Trial]:
    """Return what the journal knows of an update, everywhere, oldest first."""
    return [_trial(row) for row in context.journal.read(subject_of(context, update))]


def trials_at(context: Context, environment_id: str) -> list[Trial]:
    """Return what the journal knows of the updates of an environment, oldest first."""
    rows = context.journal.of_environment(context.client.base_url, environment_id)
    return [_trial(row) for (_service, subject), row in rows if subject.startswith(PREFIX)]


def judge(context: Context, trial: Trial, verdict: str, reason: str = "", *, by_looks: bool = False) -> Trial | None:
    """Note a verdict and its reason, and return the trial as it is then, or None when both were known already."""
    now = replace(trial, verdict=verdict, reason=printable(reason), by_looks=by_looks)
    known: list[Trial | None] = []

    def with_verdict(before: Trial | None) -> Trial:
        known[:] = [before]
        return now

    if not context.check_mode:
        _change(context, trial.update, trial.environment_id, with_verdict)
    before = known[0] if known else next(iter(_at(context, trial)), None)
    return None if before and (before.verdict, before.reason) == (now.verdict, now.reason) else now


def forget(context: Context, trial: Trial) -> None:
    """Forget an update that never took place, unless somebody has noted something else of it since."""
    if not context.check_mode:
        _change(context, trial.update, trial.environment_id, lambda known: None if known == trial else known)


def _at(context: Context, trial: Trial) -> list[Trial]:
    return [one for one in trials_of(context, trial.update) if one.environment_id == trial.environment_id]


def _change(
    context: Context, update: Update, environment_id: str, change: Callable[[Trial | None], Trial | None]
) -> None:
    """Put what ``change`` returns (None removes it) in place of an environment's trial."""
    subject = subject_of(context, update)
    while True:
        rows = context.journal.read(subject)
        others = tuple(row for row in rows if row.key != environment_id)
        known = next((_trial(row) for row in rows if row.key == environment_id), None)
        trial = change(known)
        if trial == known or context.journal.replace(
            subject, rows, others if trial is None else (*others, _entry(trial, ()))
        ):
            return


def _trial(row: Entry) -> Trial:
    note = row.note
    update = Update(note["kind"], note["name"], note["version"])
    return Trial(
        update,
        row.key,
        note["environment"],
        note["previous_version"],
        note["verdict"],
        note["reason"],
        row.sent_at,
        bool(note.get("by_looks")),
    )


def _entry(trial: Trial, others: Iterable[Entry]) -> Entry:
    note = {
        "kind": trial.update.kind,
        "name": trial.update.name,
        "version": trial.update.version,
        "environment": trial.environment,
        "previous_version": trial.previous_version,
        "verdict": trial.verdict,
        "reason": trial.reason,
        **({"by_looks": True} if trial.by_looks else {}),
    }
    entry = Entry.noted_now(digest_of(note), note, key=trial.environment_id)
    return replace(entry, sent_at=trial.updated_at or entry.following(others))
