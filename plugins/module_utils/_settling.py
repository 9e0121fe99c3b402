# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the journal's rows are about, in the words of users, and how one of unknown outcome is settled.

A request that must not be repeated and whose answer was lost stays unknown until a person says what became of it, with
the module settle. All messages about that take their words from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from ._context import Context
from ._displaced import with_what_is_there
from ._errors import InvalidInput
from ._journal import Entry, NoJournal
from ._progress import FAILED, FINISHED, IN_PROGRESS, SENT, UNKNOWN
from ._progress import NOT_DONE as NOT_CARRIED_OUT
from ._under_way import is_restore
from ._values import iso_of_seconds

DONE, NOT_DONE = "done", "not_done"
PROGRESS_OF = {DONE: FINISHED, NOT_DONE: NOT_CARRIED_OUT}
OUTCOME_OF = {FINISHED: DONE, NOT_CARRIED_OUT: NOT_DONE, FAILED: NOT_DONE}

MOST_LISTED = 10  # requests of unknown outcome that an error names


@dataclass(frozen=True)
class Kind:
    """A kind of request that must not be repeated.

    ``module`` sends it, ``ids`` are the options of settle that make up its subject in the journal, in this order. The
    last one may be missing if there is a name for that, ``unnamed``. ``called`` is what such a request is called within
    a sentence.
    """

    module: str
    ids: tuple[str, ...]
    called: str
    unnamed: str = ""


PUSH, RESTORE, BACKUP, REMOVAL, COMMAND = "push", "restore", "backup", "removal", "command"
KINDS = {
    RESTORE: Kind("env_push", ("environment_id", "backup_id"), "the restore of backup {backup_id}"),
    PUSH: Kind("env_push", ("environment_id", "release"), "the push of {release}", "a push without a release"),
    BACKUP: Kind("manual_backup", ("environment_id", "tag"), "the backup {tag}", "a backup without a tag"),
    REMOVAL: Kind("backup_removal", ("environment_id", "backup_id"), "the removal of backup {backup_id}"),
    COMMAND: Kind(
        "wp_cli",
        ("environment_id", "release"),
        "the WP-CLI command for {release}",
        "a WP-CLI command without a release",
    ),
    "environment": Kind("plain_environment", ("site_id", "display_name"), "the new environment {display_name}"),
    "domain": Kind("site_domain", ("environment_id", "domain_name"), "the change of the domain {domain_name}"),
    "dns_record": Kind("dns_record", ("domain_id", "type", "name"), "the change of the DNS record {type} {name}"),
}
"""What can be of unknown outcome, by what the option ``what`` of settle calls it.

The last id tells which it is; of several that it may be, the first. A restore comes before a push, because it may have
a release, too.
"""

OF_RELEASES = ("env_push", "wp_cli")
"""The modules whose rows tell by themselves which release they are about, and not by their subject."""

NAMING = tuple(dict.fromkeys(name for kind in KINDS.values() for name in kind.ids))
"""The options of settle that name something."""


@dataclass(frozen=True)
class Thing:
    """Something that was asked for: its kind, and the options of settle that name it."""

    what: str
    options: Mapping[str, Any]

    @property
    def kind(self) -> Kind:
        return KINDS[self.what]

    @property
    def name(self) -> str:
        """What it is called within a sentence."""
        name = self.kind.called.format_map(self.options) if self.kind.ids[-1] in self.options else self.kind.unnamed
        is_narrowed = self.what == RESTORE and "release" in self.options
        return f"{name} for {self.options['release']}" if is_narrowed else name

    @property
    def subject(self) -> str:
        """The journal's subject of its rows."""
        # Pushes and restores share one: its rows tell them apart.
        ids = self.kind.ids[:1] if self.kind.module in OF_RELEASES else self.kind.ids
        return "/".join([self.kind.module, *(str(self.options.get(name, "")) for name in ids)])

    def has(self, entry: Entry) -> bool:
        """Tell whether a row of the subject is about it."""
        if self.what in (PUSH, COMMAND):
            return not is_restore(entry) and entry.release == self.options.get("release")
        part = entry.note
        return self.what != RESTORE or (
            part.get("backup_id") == self.options["backup_id"]
            and self.options.get("release") in (None, part.get("release"))
        )


@dataclass(frozen=True)
class Settlement:
    """What became of settling: whether the outcome was unknown, and what it is now, done or not_done."""

    was_unknown: bool
    outcome: str


# ---- what to say ----------------------------------------------------------------------------------------------------


def how_to_settle(subject: str, entry: Entry) -> str:
    """Return the sentence that says how a row of unknown outcome is settled."""
    thing = thing_of(subject, entry)
    return _sentence(thing) if thing else "Look at the service."


def task_that_settles(thing: Thing) -> str:
    """Return the task that says of a thing that it was carried out; it can be pasted into a playbook."""
    options = ", ".join(f"{name}: {_in_yaml(name, value)}" for name, value in thing.options.items())
    return f"hosting.management.settle: {{{options}, outcome: {DONE}}}"


def _in_yaml(name: str, value: object) -> str:
    """Return a value as YAML has it, without the double quotes that Ansible's output would escape."""
    is_plain = isinstance(value, int) or name == "what" or name.endswith("_id")
    return str(value) if is_plain else "'" + str(value).replace("'", "''") + "'"


def thing_of(subject: str, entry: Entry) -> Thing | None:
    """Return what a row of this subject is about, or None when it may be repeated, and need not be settled."""
    module, _separator, ids = subject.partition("/")
    if module == "env_push":
        return _push_or_restore(ids, entry)
    if module == "wp_cli":
        return _thing(COMMAND, {"environment_id": ids, "release": entry.release})
    for what, kind in KINDS.items():
        if kind.module == module:
            return _thing(what, dict(zip(kind.ids, ids.split("/", len(kind.ids) - 1), strict=True)))
    return None


def _push_or_restore(environment_id: str, entry: Entry) -> Thing:
    if is_restore(entry):
        return _thing(RESTORE, {"environment_id": environment_id, "backup_id": entry.note["backup_id"]})
    return _thing(PUSH, {"environment_id": environment_id, "release": entry.release})


def _thing(what: str, options: Mapping[str, Any]) -> Thing:
    given = {name: value for name, value in options.items() if value not in (None, "")}
    return Thing(what, given if _told_by(given) == what else {**given, "what": what})


def _told_by(given: Iterable[str]) -> str | None:
    """Return which of KINDS the names of options tell, or None."""
    return next((what for what, kind in KINDS.items() if kind.ids[-1] in given), None)


def _sentence(thing: Thing) -> str:
    return f"Look at the service, and say what you found: {task_that_settles(thing)} (or not_done)."


# ---- settling -------------------------------------------------------------------------------------------------------


def thing_named(context: Context) -> Thing:
    """Return what the options of settle name. Raises InvalidInput, with what is open, when they do not name one."""
    given = {name: context[name] for name in NAMING if context[name] is not None}
    what = context["what"] or _told_by(given)
    if what is None:
        raise _not_named(context, "The task does not name what is to be settled.")
    kind = KINDS[what]
    missing = set(kind.ids[:-1] if kind.unnamed else kind.ids) - set(given)
    foreign = set(given) - {*kind.ids, *(("release",) if what == RESTORE else ())}
    if missing:
        raise _not_named(context, f"To settle this ({what}), give {' and '.join(sorted(missing))}, too.")
    if foreign:
        raise _not_named(context, f"To settle this ({what}), leave out {' and '.join(sorted(foreign))}.")
    return _thing(what, given)


def settle(context: Context, thing: Thing, outcome: str) -> Settlement:
    """Note in the journal what became of a thing, if its outcome is unknown; what is known stays as it is.

    ``outcome`` is done or not_done. Raises InvalidInput when the journal does not know the thing, or when it goes on.
    """
    if isinstance(context.journal, NoJournal):
        raise InvalidInput(
            "There is no journal (the option journal is empty), so nothing can be settled. Nothing was changed. Give"
            " the journal of the run whose answer was lost."
        )
    subject = (context.client.base_url, thing.subject)
    while True:
        rows = context.journal.read(subject)
        mine = [row for row in rows if thing.has(row)]
        _require_ended(context, thing, rows, mine)
        unknown = [row for row in mine if row.as_known().progress == UNKNOWN]
        if not unknown:
            return _known(context, thing, mine[-1], outcome)
        # A killed run's row still says that the request was sent.
        settled = {row: replace(row, progress=UNKNOWN).with_progress(PROGRESS_OF[outcome]) for row in unknown}
        now = with_what_is_there(settled.get(row, row) for row in rows)
        if context.check_mode or context.journal.replace(subject, rows, now):
            return Settlement(True, outcome)


def result_of(
    context: Context, settlement: Settlement, names: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """Return the module's result; ``names`` are what it calls the outcomes, where that is something else."""
    outcome = names.get(settlement.outcome, settlement.outcome)
    result: dict[str, Any] = {"changed": settlement.was_unknown, "outcome": outcome}
    if context.diff:
        before = "unknown" if settlement.was_unknown else outcome
        result["diff"] = {"before": {"outcome": before}, "after": {"outcome": outcome}}
    return result


def _known(context: Context, thing: Thing, row: Entry, asked: str) -> Settlement:
    known = OUTCOME_OF[row.progress]
    if known != asked:
        was = "was carried out" if known == DONE else "was not carried out"
        context.warn(f"The journal knows already that {thing.name} {was}, so nothing was changed.")
    return Settlement(False, known)


def _require_ended(context: Context, thing: Thing, rows: Iterable[Entry], mine: list[Entry]) -> None:
    if not mine:
        others = {other.name for other in (thing_of(thing.subject, row) for row in rows) if other}
        there = f", only of {', '.join(sorted(others))}" if others else ""
        raise _not_named(
            context, f"The journal knows nothing of {thing.name}{there}. Check the ids, base_url and journal."
        )
    for row in mine:
        if row.as_known().progress == IN_PROGRESS:
            raise InvalidInput(
                f"The service has accepted {thing.name}, and it goes on as operation {row.operation_id}, so its outcome"
                " cannot be settled. Nothing was changed. Run the task again that asked for it, to wait for its end."
            )
        if row.as_known().progress == SENT:
            raise InvalidInput(
                f"A run has sent {thing.name} at {iso_of_seconds(row.sent_at)} and goes on: its answer may still come."
                " Nothing was changed. Settle it when that run has ended without an answer."
            )


def _not_named(context: Context, problem: str) -> InvalidInput:
    return InvalidInput(f"{problem} Nothing was changed. {_what_is_open(context)}")


def _what_is_open(context: Context) -> str:
    """Return the sentences that name what is of unknown outcome, if anything that has the task's ids, only that."""
    found = []
    for module in sorted({kind.module for kind in KINDS.values()}):
        for (_service, subject), row in context.journal.subjects(context.client.base_url, f"{module}/"):
            thing = thing_of(subject, row)
            if thing and row.as_known().progress == UNKNOWN:
                found.append((row.sent_at, thing))
    ids = {context[name] for name in ("environment_id", "site_id", "domain_id") if context.get(name)}
    found = [one for one in found if ids & {str(value) for value in one[1].options.values()}] or found
    if not found:
        return "The journal has nothing of unknown outcome."
    newest = sorted(found, key=lambda one: one[0], reverse=True)[:MOST_LISTED]
    listed = [
        f"{thing.name}, sent at {iso_of_seconds(sent_at)}: {task_that_settles(thing)}" for sent_at, thing in newest
    ]
    more = f" And {len(found) - len(newest)} more." if len(found) > len(newest) else ""
    return f"Of unknown outcome (give done or not_done): {'; '.join(listed)}.{more}"
