# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change as values that nobody writes to: what is asked for, what a round has seen, what was done so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from .._answers import Answer
from .._context import NOT_SHOWN, Context
from .._decision import Decision, Seen, Sight, Step, Wanted
from .._errors import HostingError
from .._interface import Request
from .._journal import Entry, digest_of
from .._operations import Operation
from .._phases import Begun
from .._progress import IN_PROGRESS, UNKNOWN
from .._under_way import Start
from . import messages
from .ledger import Ledger
from .values import UNSEEN, Move, Observed, Outcome, Plan


@dataclass(frozen=True)
class Change:
    """What is asked for: see converging() and taking_once(). A state has a ``name``, and an action has none."""

    context: Context
    ledger: Ledger
    plan: Callable[[Observed | None], Plan]
    observe: Callable[[], Observed | None]
    not_before: Callable[[], float | None]
    force: bool
    name: str | None = None
    release: str | None = None
    part: str | None = None
    start: Start | None = None
    prepare: Callable[[], bool] | None = None
    take: Callable[[], bool] | None = None
    begun: Begun | None = None
    began: float = field(default_factory=time.monotonic)

    @property
    def is_state(self) -> bool:
        """Whether this brings about a state, rather than taking an action."""
        return self.name is not None

    @property
    def time_left(self) -> float:
        """The seconds that are left to wait in."""
        may_wait = self.begun is None or self.begun.may_wait
        deadline = self.began + (self.context.wait_timeout if may_wait else 0)
        return max(0.0, deadline - time.monotonic())

    def wanted(self, plan: Plan, done: Done) -> Wanted:
        """Return what is asked for, in the words of decide()."""
        return Wanted(
            digest=digest_of(plan.desired if self.is_state else [self.release, self.part]),
            repeatable=plan.request is None or plan.request.repeatable,
            key="" if self.part is None else digest_of(self.part),
            release=self.release,
            force=self.force and plan.request is not None and not done.has_sent,
            not_before=self.not_before(),
            relative=plan.relative,
        )


@dataclass(frozen=True)
class Round:
    """What a round has seen, and what follows from it.

    ``rows`` are those of the journal, ``remembered`` the same as they were known then, ``before`` is the state. The
    ``decision`` is about one of the rows.
    """

    rows: tuple[Entry, ...]
    remembered: tuple[Entry, ...]
    before: Observed | None
    plan: Plan
    wanted: Wanted
    decision: Decision

    @property
    def step(self) -> Step:
        """What is done next."""
        return self.decision.step

    @property
    def entry(self) -> Entry:
        """The row that the step is about. decide() has made sure that there is one, where this is asked for."""
        if self.decision.entry is None:
            raise LookupError("a step was taken without the row that it is about")
        return self.decision.entry

    @property
    def request(self) -> Request:
        """The request that is planned. Without one, there is nothing to do."""
        if self.plan.request is None:
            raise LookupError("a step was taken without the request that it is about")
        return self.plan.request

    @property
    def goes_on(self) -> bool:
        """Whether the end of what was sent for this is not noted yet."""
        entry = self.decision.entry
        return entry is not None and entry.progress in (IN_PROGRESS, UNKNOWN)

    @property
    def move(self) -> Move:
        """The state before and after what is sent next."""
        return (self.before.value if self.before else UNSEEN, self.plan.desired)

    @property
    def source(self) -> str:
        """Where the state before was seen."""
        if self.before:
            return "service"
        return "journal" if any(one.key == self.wanted.key for one in self.remembered) else "none"

    def following(self, entry: Entry) -> Round:
        """Return the round that goes on with the operation of this row."""
        return replace(self, decision=Decision(Step.FOLLOW, entry))


@dataclass(frozen=True)
class Done:
    """What was done so far.

    ``first`` is the first round, which has seen what was there before all of it. ``answered`` is the round whose
    request has just been answered, with its row, which is to be noted.
    """

    first: Round | None = None
    has_sent: bool = False
    answered: Round | None = None
    answer: Answer | None = None
    operation: Operation | None = None


def seen(plan: Plan, before: Observed | None, done: Done) -> Seen:
    """Return what the service shows, in the words of decide()."""
    shows_operation = done.operation is None or done.operation.state != UNKNOWN
    if plan.request is None:
        return Seen(Sight.DESIRED, None, shows_operation, done.has_sent)
    if before is NOT_SHOWN:
        return Seen(Sight.NOT_SHOWN, None, shows_operation, done.has_sent)
    sight = Sight.DESIRED if before.value == plan.desired else Sight.DIFFERENT
    return Seen(sight, digest_of(before.value), shows_operation, done.has_sent)


def outcome(change: Change, round_: Round, done: Done, *, changed: bool, after: Observed | None = NOT_SHOWN) -> Outcome:
    """Return what became of the change, as the last round knows it."""
    context, desired = change.context, round_.plan.desired
    if changed and context.check_mode and change.is_state:
        context.predicted = round_.move
    diff = None
    if context.diff and change.name is not None:
        first = done.first.before if done.first else NOT_SHOWN
        before = desired if not changed else first.value if first else UNSEEN
        diff = {"before": {change.name: before}, "after": {change.name: desired}}
    source = done.first.source if done.first else "none"
    return Outcome(changed, source, desired, after, done.operation, diff, done.answer)


@contextmanager
def telling(change: Change, done: Done) -> Iterator[None]:
    """Let an error say what was done before it, and whether the journal was lost meanwhile."""
    try:
        yield
    except HostingError as error:
        raise messages.with_what_was_done(change.ledger.told_of_loss(error), done.answer) from None
