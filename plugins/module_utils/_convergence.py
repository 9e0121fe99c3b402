# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two ways to change anything: converge() brings about a state, once() takes an action once per release.

Both go round by round: remember (the journal), look (the service), plan (what is wanted, given what was seen), decide
(a pure function), act; until there is nothing left to do. The journal is read first: what another run finishes between
our look and our memory must not be taken for missing.

Both are generators within: they yield where there is something to wait for, so that a task with several changes can go
on with the others first. Whoever goes on with a generator that has yielded lets it wait.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from . import _decision
from ._client import Answer
from ._context import NOT_SHOWN, Context
from ._decision import Seen, Sight, Step, Wanted, decide
from ._displaced import claimed, taken_back
from ._errors import (
    CheckFailed,
    HasToWait,
    HostingError,
    InvalidInput,
    JournalError,
    MalformedResponse,
    OperationFailed,
    OperationTimeout,
    OutcomeUnknown,
    ServiceError,
)
from ._interface import Request
from ._journal import Entry, NoJournal, Subject, digest_of, note_progress
from ._operations import NO_ENDPOINT, SHOWS_NONE, Operation, next_look, require_finished
from ._phases import Begun
from ._progress import FAILED, FINISHED, IN_PROGRESS, SENT, UNKNOWN
from ._settling import how_to_settle
from ._under_way import Beside, Start, in_the_way, named

TAKEN = "taken"
"""The observed value of an action that was taken already."""

UNSEEN = "(not shown by the service)"
"""What stands for a state that nobody can see."""

LOST = "The journal was removed, emptied or replaced while this task ran"
NOTED_ANEW = (
    "was sent, which is noted in the journal that is there now. What was sent earlier is not known any more; a journal"
    " that you put back may not know of this request."
)

SHORTEST_LOOK = 0.1  # seconds between two looks at least
LONGEST_DODGE = 0.5  # seconds until those that met in the journal try again

Thing = TypeVar("Thing")
Given = ParamSpec("Given")

Move = tuple[Any, Any]
"""A state before and after a change."""

Steps = Generator[None, None, Thing]
"""What yields where it would wait, and returns a thing in the end."""


def in_one_go(begin: Callable[Given, Steps[Thing]]) -> Callable[Given, Thing]:
    """Return the function that does the same, and waits wherever there is something to wait for."""

    @wraps(begin)
    def to_the_end(*args: Given.args, **kwargs: Given.kwargs) -> Thing:
        steps = begin(*args, **kwargs)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return end.value

    return to_the_end


@dataclass(frozen=True)
class Observed:
    """A state as the service shows it: the value to compare, and the service's own record of it."""

    value: Any
    record: Any = None


@dataclass(frozen=True)
class Foreseen:
    """What a task may do with a state that it has looked at before: this move, or nothing."""

    move: Move | None


def has_move(planned: Move, move: Move) -> bool:
    """Tell whether a planned move has this one: the same, or of values by name some of them.

    A planned state of None is one that could not be foreseen.
    """
    if planned[1] is None:
        return True
    if all(isinstance(state, dict) for state in (*planned, *move)):
        return all(
            planned[1].get(name) == value and planned[0].get(name) == move[0].get(name)
            for name, value in move[1].items()
        )
    return planned == move


@dataclass(frozen=True)
class Plan:
    """What is wanted, given what was seen: a JSON value without secrets, and the request that brings it about.

    The request is None when nothing can be sent because the value is there. ``relative`` says that the value was
    computed from what was seen, as a list to which something is added.
    """

    desired: object
    request: Request | None
    relative: bool = False


@dataclass
class Outcome:
    """What became of a change. ``after`` is the state as the service showed it last, where it was read."""

    changed: bool
    state_source: str
    desired: object
    after: Observed | None = NOT_SHOWN
    operation: Operation | None = None
    diff: dict[str, dict[str, object]] | None = None
    answer: Answer | None = None

    @property
    def record(self) -> Any:
        """The service's record of the state as it is now, or None when it was not read."""
        return self.after.record if self.after else None

    def result(self, **values: object) -> dict[str, Any]:
        """Return the module's result with these values of its own."""
        result: dict[str, Any] = {"changed": self.changed, "state_source": self.state_source, **values}
        if self.operation:
            result["operation"] = self.operation.as_result()
        if self.diff:
            result["diff"] = self.diff
        return result


def not_shown() -> None:
    """The observation of what the service shows nowhere."""
    return NOT_SHOWN


def always(desired: object, request: Request | None) -> Callable[[Observed | None], Plan]:
    """Return the plan that is the same whatever the service shows."""
    return lambda _before: Plan(desired, request)


def always_counts() -> None:
    """The time before which nothing counts that was done, where all counts."""


def converging(
    context: Context,
    *,
    subject: tuple[str, ...],
    plan: Callable[[Observed | None], Plan],
    name: str,
    observe: Callable[[], Observed | None] = not_shown,
    start: Start | None = None,
    prepare: Callable[[], bool] | None = None,
    take: Callable[[], bool] | None = None,
) -> Steps[Outcome]:
    """Bring about a state, and return the Outcome.

    :param subject: what the state belongs to: the module and the ids.
    :param plan: returns the Plan for a state as it was observed; it is asked anew in each round.
    :param name: what the diff calls the value.
    :param observe: returns the state as Observed, or NOT_SHOWN: then the journal says what was last accepted.
    :param start: what the request does to which environment, where it does not start beside everything else there.
    :param prepare: called before the request is noted; it returns False when the plan has to be made anew.
    :param take: called when the journal has the request already, right before it leaves; it returns False when the plan
        has to be made anew.
    """
    return _Change(context, subject, plan, observe, name=name, start=start, prepare=prepare, take=take).settle()


converge = in_one_go(converging)


def taking_once(
    context: Context,
    *,
    subject: tuple[str, ...],
    request: Request,
    release: str | None,
    part: dict[str, Any] | None = None,
    at_each_run: bool = False,
    remembered: bool = True,
    not_before: Callable[[], float | None] = always_counts,
    observe: Callable[[], Observed | None] = not_shown,
    start: Start | None = None,
    prepare: Callable[[], bool] | None = None,
    begun: Begun | None = None,
) -> Steps[Outcome]:
    """Take an action once per release and part, and return the Outcome.

    :param subject: what the action is taken on: the module and the ids.
    :param request: the Request that takes the action.
    :param release: what the action is taken for. Another release of the subject takes its place.
    :param part: what of the release the action concerns, as a JSON object; each part is taken once.
    :param at_each_run: take the action whatever is known of earlier ones.
    :param remembered: whether the journal has a part in it.
    :param not_before: returns a time in seconds since the epoch, or None; what was taken before does not count.
    :param observe: returns Observed(TAKEN) when the service shows that the action was taken already, Observed(None)
        when it shows that it was not, and NOT_SHOWN when it does not show it.
    :param start: what the action does to which environment, where it does not start beside everything else there.
    :param prepare: called before the request is noted; it returns False when the plan has to be made anew. What it
        raises keeps the request from being sent.
    :param begun: what an earlier task has started, to be brought to its end. Then nothing is sent.
    """
    change = _Change(
        context, subject, always(TAKEN, request), observe, not_before=not_before, start=start, prepare=prepare
    )
    change.release = release
    change.part = None if part is None else json.dumps(part, sort_keys=True)
    change.force = change.force or at_each_run
    change.begun = begun
    if not remembered:
        change.journal = NoJournal()
    return change.settle()


once = in_one_go(taking_once)


class _Change:
    """One change of one subject, from the first look to its end."""

    def __init__(
        self,
        context: Context,
        subject: tuple[str, ...],
        plan: Callable[[Observed | None], Plan],
        observe: Callable[[], Observed | None],
        *,
        name: str | None = None,
        not_before: Callable[[], float | None] = always_counts,
        start: Start | None = None,
        prepare: Callable[[], bool] | None = None,
        take: Callable[[], bool] | None = None,
    ) -> None:
        self.context = context
        self.journal = context.journal
        self.subject = (context.client.base_url, "/".join(subject))
        self.make_plan, self.observe = plan, observe
        self.name, self.not_before = name, not_before
        self.start, self.prepare, self.take = start, prepare, take
        self.release: str | None = None
        self.part: str | None = None
        self.force = context.force
        self.begun: Begun | None = None
        self.began = time.monotonic()
        self.deadline = self.began + context.wait_timeout
        self.first_before: Observed | None = NOT_SHOWN
        self.first_source = "none"
        self.answer: Answer | None = None
        self.operation: Operation | None = None
        self.rows: tuple[Entry, ...] = ()
        self.is_first_round = True
        self.has_sent = False
        self.entry: Entry | None = None  # the row that counts
        self.asked: Entry | None = None  # the row of the request that this task has sent, or whose end it awaits
        self.journal_identity: str | None = None

    @property
    def is_state(self) -> bool:
        """Whether this brings about a state, which has a name, rather than taking an action."""
        return self.name is not None

    def settle(self) -> Steps[Outcome]:
        """Go round by round until there is nothing left to do."""
        try:
            outcome = (yield from self._take_up(self.begun)) if self.begun else None
            if outcome:
                return outcome
            while True:
                outcome = yield from self._round()
                if outcome:
                    return outcome
        except HostingError as error:
            raise self._with_what_was_done(self._with_loss_of_journal(error)) from None

    def _take_up(self, begun: Begun) -> Steps[Outcome | None]:
        """Go on with what an earlier task has started as if this one had: it is not sent again, also if it failed."""
        self._require_same_journal()
        self.rows = self.journal.read(self.subject)
        self.plan = self.make_plan(NOT_SHOWN)
        self.operation, self.has_sent = begun.operation, True
        self.wanted = self._wanted()
        entry = self.entry = self._row_of(begun.operation)
        if entry.progress in (FINISHED, FAILED):
            begun.operation.state = entry.progress
        begun.operation.accepted_at = entry.sent_at
        if not begun.may_wait:
            self.deadline = self.began
        return (yield from self._follow())

    def _row_of(self, operation: Operation) -> Entry:
        """Return the row of an operation that was started; where others have taken its place, one that stands for it.

        Raises JournalError when the journal knows nothing of the subject any more.
        """
        row = next((one for one in self.rows if one.operation_id == operation.id and one.progress != SENT), None)
        if row:
            return row
        entry = Entry.sent_now(self.wanted.digest, 0, key=self.wanted.key, release=self.release, part=self.part)
        entry = entry.with_progress(IN_PROGRESS, operation.id)
        if not self.rows and not isinstance(self.journal, NoJournal):
            self._note_anew(entry)
            raise JournalError(f"{LOST}. {self.plan.request} {NOTED_ANEW}")
        return entry

    def _round(self) -> Steps[Outcome | None]:
        """Remember, look, plan, decide, act; return the Outcome of the last round."""
        self._require_same_journal()
        self.rows = self.journal.read(self.subject)
        self.remembered = tuple(entry.as_known() for entry in self.rows)
        self.context.begin_look(afresh=not self.is_first_round)
        self.before = self.observe()
        self.plan = self.make_plan(self.before)
        self.wanted = self._wanted()
        decision = decide(self.wanted, self._seen(), self.remembered, time.time())
        step, self.entry = decision.step, decision.entry
        if self.context.has_recalled and (step is not Step.NOTHING or self._goes_on()):
            self.context.forget_looks()  # what was seen before the journal was read may end in "nothing to do" alone
            return None
        if self.is_first_round:
            self.first_before, self.is_first_round = self.before, False
            self.first_source = "service" if self.before else "journal" if self._rows_of_key() else "none"
        if step is Step.NOTHING:
            return self._nothing()
        if step is Step.ASK_THE_USER:
            raise self._asking_the_user()
        if step is Step.EFFECT_MISSING:
            raise self._effect_missing()
        take = {
            Step.SEND: self._send,
            Step.FOLLOW: self._follow,
            Step.AWAIT_ANSWER: self._await_answer,
            Step.LOOK_AGAIN: self._look_again,
        }[step]
        return (yield from take())

    def _wanted(self) -> Wanted:
        request = self.plan.request
        return Wanted(
            digest=digest_of(self.plan.desired if self.is_state else [self.release, self.part]),
            repeatable=request is None or request.repeatable,
            key="" if self.part is None else digest_of(self.part),
            release=self.release,
            force=self.force and request is not None and not self.has_sent,
            not_before=self.not_before(),
            relative=self.plan.relative,
        )

    def _seen(self) -> Seen:
        shows_operation = self.operation is None or self.operation.state != UNKNOWN
        if self.plan.request is None:
            return Seen(Sight.DESIRED, None, shows_operation, self.has_sent)
        if self.before is NOT_SHOWN:
            return Seen(Sight.NOT_SHOWN, None, shows_operation, self.has_sent)
        sight = Sight.DESIRED if self.before.value == self.plan.desired else Sight.DIFFERENT
        return Seen(sight, digest_of(self.before.value), shows_operation, self.has_sent)

    def _rows_of_key(self) -> list[Entry]:
        return [entry for entry in self.remembered if entry.key == self.wanted.key]

    # ---- one method a step ------------------------------------------------------------------------------------------

    def _nothing(self) -> Outcome:
        if self.operation and self.operation.state != FINISHED and self.before:
            self.operation.state = FINISHED
        if self.entry and self._goes_on():
            if not self.before:
                self._warn_of_lost_sight(self.entry)
            if self.before or self.context.companions:
                self._update(self.entry, FINISHED)
        return self._outcome(self.has_sent, self.before)

    def _goes_on(self) -> bool:
        """Whether the end of what was sent for this is not noted yet."""
        return self.entry is not None and self.entry.progress in (IN_PROGRESS, UNKNOWN)

    def _warn_of_lost_sight(self, entry: Entry) -> None:
        """Say that an accepted operation counts as finished although nobody has seen its end."""
        if not self.context.companions or self.operation is None:
            return
        # Ansible shows the same words once a run: what holds for the service names no operation.
        named = f"operation {self.operation.id}" if self.operation.id else str(self.plan.request)
        accepted = f"The service accepted {named} ({_clock(entry.sent_at)}), and it"
        if self.operation.message in (NO_ENDPOINT, SHOWS_NONE):
            accepted = "What it accepts"
        self.context.warn(
            f"{self.operation.message} {accepted} is taken for done; check that it was carried out. For a service with"
            " the documented endpoints only, set companions: false (or HOSTING_COMPANIONS)."
        )

    def _send(self) -> Steps[Outcome | None]:
        others = self._others()
        if others:
            return (yield from self._give_way(others))
        if self.context.check_mode:
            self.journal.require_writable()  # without it, nothing would be sent
            return self._outcome(True)
        self._require_foreseen()
        if self.prepare and not self.prepare():
            return None
        entry = Entry.sent_now(
            self.wanted.digest,
            self.context.client.longest_send,
            key=self.wanted.key,
            release=self.release,
            part=self.part,
            after=(*self.rows, *(one for _subject, one in self._of_environment())),
        )
        if not self._replace(self.rows, self._claimed(entry)):
            return None
        try:
            self._require_same_journal()
        except JournalError:
            self._take_back(entry)
            raise
        if self._others(entry):
            # Both have noted theirs before they looked at the other's, so that at least one of them sees it.
            self._take_back(entry)
            time.sleep(random.uniform(0, LONGEST_DODGE))  # noqa: S311 (no secret)
            return None
        if not self._is_taken(entry):
            return None
        self.entry = self._request(entry)
        return (yield from self._follow()) if self.operation and self.context.follows else self._outcome(True)

    def _is_taken(self, entry: Entry) -> bool:
        """Take what the request is about, which is noted already; forget it if the plan has to be made anew."""
        try:
            is_taken = self.take is None or self.take()
        except BaseException:
            self._take_back(entry)
            raise
        if not is_taken:
            self._take_back(entry)
        return is_taken

    def _claimed(self, entry: Entry) -> tuple[Entry, ...]:
        """Return the rows with that of a request that is about to leave."""
        if self.wanted.repeatable:
            return (*(one for one in self.rows if one.key != entry.key), entry)
        return claimed(self.rows, entry)

    @property
    def _move(self) -> Move:
        """The state before and after what is sent next."""
        return (self.before.value if self.before else UNSEEN, self.plan.desired)

    def _require_foreseen(self) -> None:
        """Raise where the task was told what to foresee, and this is something else."""
        foreseen: Foreseen | None = self.context.get("foreseen")
        if foreseen is None or not self.is_state or (foreseen.move and has_move(foreseen.move, self._move)):
            return
        raise CheckFailed(
            f"It changed while the task ran, and is not as it was planned any more. {self.plan.request} was not sent."
            " Make a new plan.",
            nothing_done=True,
        )

    def _of_environment(self) -> list[tuple[Subject, Entry]]:
        """Return what the journal knows of the environment, where that matters."""
        if self.start is None:
            return []
        return self.journal.of_environment(self.subject[0], self.start.environment_id)

    def _others(self, own: Entry | None = None) -> list[tuple[Subject, Entry, Beside]]:
        """Return what this request, whose row is ``own`` once it is noted, does not start beside."""
        if self.start is None or self.context.force:
            return []
        others = in_the_way(self.start.kind, self._of_environment(), own)
        # Where operations are not followed, what was accepted counts as done.
        return [one for one in others if self.context.companions or one[1].progress != IN_PROGRESS]

    def _give_way(self, others: list[tuple[Subject, Entry, Beside]]) -> Steps[Outcome | None]:
        """Wait for the ends of what goes on at the environment; raise where nobody knows, or it takes too long."""
        if self.context.check_mode and self.is_state:
            return self._outcome(True)  # what differs is worth knowing, whatever goes on
        subject, entry, _verdict = next((one for one in others if one[2] is Beside.ASKS), others[0])
        if any(verdict is Beside.ASKS for *_row, verdict in others):
            raise OutcomeUnknown(
                f"{named(subject, entry)} was sent at {_clock(entry.sent_at)} and its answer was lost, so it may still"
                f" go on. {self.plan.request} was not sent. {how_to_settle(subject[1], entry)} force: true sends the"
                " request whatever became of that one."
            )
        if self.context.check_mode:
            return self._outcome(True)
        time_left = self._time_left() if self.context.wait else 0.0
        if time_left:
            self.context.report(f"waiting until this has ended: {named(subject, entry)}")
            yield
            time_left = self._time_left()
        if entry.progress == SENT and time_left:
            self._sleep_until_answered(subject, entry)
            return None
        operation = Operation.resume(entry, waits=self.context.wait)
        if entry.progress == IN_PROGRESS:
            self.context.follow([operation], time_left, self.journal)
        if operation.state == IN_PROGRESS:
            error = HasToWait(
                f"{named(subject, entry)} goes on (operation {entry.operation_id or 'not known yet'}). Nothing was"
                " sent. Run again to wait for its end. force: true sends the request whatever goes on."
            )
            error.operation_id = entry.operation_id
            raise error
        # Where the service does not show the operation, it counts as done, as everywhere.
        note_progress(self.journal, subject, entry, FAILED if operation.state == FAILED else FINISHED)
        return None

    def _take_back(self, entry: Entry) -> None:
        """Put the rows back that were there before a request was noted, and leave what others have noted since."""
        while True:
            rows = self.journal.read(self.subject)
            is_mine = any(one.is_about(entry) for one in rows)
            if not is_mine or self._replace(rows, taken_back(rows, entry, self.rows)):
                return

    def _require_same_journal(self) -> None:
        """Raise when another journal is in the place of the one that this task has read or written before."""
        loss = self._loss_of_journal()
        if loss:
            raise JournalError(f"{loss} Look at what your environments have before you run anything else.")

    def _loss_of_journal(self) -> str | None:
        """Return the words for another journal in the place of this task's; it learns of the request that was sent."""
        identity = self.journal.identity()
        if self.journal_identity in (None, identity):
            self.journal_identity = identity
            return None
        if self.asked is None or self.context.check_mode:
            self.journal_identity = identity
            return f"{LOST}, so it is not known any more what was sent earlier. Nothing was sent by this task."
        self._note_anew(self.asked)
        self.journal_identity = self.journal.identity()
        return f"{LOST}. {self.plan.request} {NOTED_ANEW}"

    def _note_anew(self, sent: Entry) -> None:
        """Note in another journal what was sent, unless others have sent the same since."""
        while True:
            rows = self.journal.read(self.subject)
            if any(one.key == sent.key and one.sent_at >= sent.sent_at for one in rows):
                return
            if self.journal.replace(self.subject, rows, (*(one for one in rows if one.key != sent.key), sent)):
                return

    def _with_loss_of_journal(self, error: HostingError) -> HostingError:
        """Return the error with the words for a lost journal, where there is a request that the next one must know."""
        with suppress(JournalError):
            loss = self._loss_of_journal() if self.asked else None
            if loss:
                error.with_advice(loss)
        return error

    def _request(self, entry: Entry) -> Entry:
        """Send the request, keep the journal true to what became of it, and return its row."""
        request = _present(self.plan.request)
        self.asked = entry
        self.context.forget_looks()
        try:
            answer = self.context.client.send(request)
            _require_own_answer(answer)
        except HostingError as error:
            if error.nothing_done:
                self.asked = None
                self._take_back(entry)
                raise
            self._update(entry, UNKNOWN)
            if request.repeatable:
                raise
            raise self._without_answer(entry, error) from error
        except BaseException:
            self._update(entry, UNKNOWN)
            raise
        self.answer, self.has_sent = answer, True
        accepted = _is_accepted(answer)
        if accepted:
            self.operation = Operation(answer.operation_id, message=answer.message, accepted_at=time.time())
        progress = IN_PROGRESS if accepted else FINISHED
        self._update(entry, progress, answer.operation_id)
        return entry.with_progress(progress, answer.operation_id)

    def _without_answer(self, entry: Entry, error: HostingError) -> HostingError:
        """Return the error of a request that must not be repeated and may have been carried out."""
        if isinstance(self.journal, NoJournal):
            advice = "Look at the service, and if it was not carried out, run the task again."
        elif self.before:
            advice = "The next run looks whether the service shows its effect."
        else:
            advice = self._how_to_settle(entry)
        error_class = ServiceError if isinstance(error, ServiceError) else OutcomeUnknown
        return error_class(
            f"{error} This request is never sent twice by itself. {advice}",
            request=self.plan.request,
            status=error.status,
            service_message=error.service_message,
        )

    def _how_to_settle(self, entry: Entry) -> str:
        settle = how_to_settle(self.subject[1], entry)
        return f"{settle} Or, if it was not carried out, run with force: true to send it again."

    def _follow(self) -> Steps[Outcome | None]:
        entry = _present(self.entry)
        if self.operation is None or self.operation.id != entry.operation_id:
            self.operation = Operation.resume(entry, waits=self.context.wait)
        operation, self.asked = self.operation, entry
        waits = self.context.follows and not self.context.check_mode
        if not self.context.companions:
            operation.cannot_be_told("Operations are not followed, because companions are switched off.")
        else:
            if waits:
                yield
            self.context.follow([operation], self._time_left() if waits else 0, self.journal)
        if operation.state == IN_PROGRESS:
            if waits:
                self._require_finished(operation, self.context.wait_timeout)
            return self._outcome(self.has_sent)
        if operation.state in (FINISHED, FAILED):
            self._update(entry, operation.state)
        if operation.state == FAILED:
            if self.has_sent:
                self._require_finished(operation, None)
            if not self.context.check_mode:
                self.operation = None
            else:
                return self._outcome(True)
        elif operation.state == FINISHED and self.context.check_mode:
            return self._outcome(False)
        return None

    def _require_finished(self, operation: Operation, wait_timeout: float | None) -> None:
        """Raise unless the operation has finished; the error says which request it is of."""
        try:
            require_finished([operation], wait_timeout, self._how_to_wait_on())
        except HostingError as error:
            error.request = self.plan.request
            raise

    def _how_to_wait_on(self) -> str:
        if self.operation and self.operation.why_silent:
            return (
                "look at the service whether it was carried out. Running again asks once more; with force: true, it"
                " sends the request anew"
            )
        if isinstance(self.journal, NoJournal) or (not self.is_state and self.release is None and self.force):
            return (
                "wait for it with hosting.management.operation_info, because running this task again would send the"
                " request again"
            )
        return "run again to wait on, or give a larger wait_timeout"

    def _await_answer(self) -> Steps[Outcome | None]:
        sent = _present(self.entry)
        if self.context.check_mode:
            return self._outcome(sent.wanted != self.wanted.digest)
        if self._time_left() <= 0:
            raise OperationTimeout(
                f"Another run has sent a request for the same at {_clock(sent.sent_at)} and has no answer yet. Nothing"
                " was sent by this one. Run again when the other one has ended."
            )
        self.context.report("another run has sent a request for the same: waiting for its answer")
        yield
        self._sleep_until_answered(self.subject, sent)
        return None

    def _sleep_until_answered(self, subject: Subject, sent: Entry) -> None:
        """Wait until another run has its answer or can get none any more, or the time of this task is over."""
        while self._time_left() and sent.answer_may_come() and sent in self.journal.read(subject):
            time.sleep(SHORTEST_LOOK)

    def _look_again(self) -> Steps[Outcome | None]:
        if self.context.check_mode or not self.context.wait:
            return self._without_looking_again()
        if not self._time_left():
            raise self._effect_not_seen(self.entry) if self.entry else self._last_write_not_seen()
        self.context.report(f"waiting for the effect of {self.plan.request} to be seen")
        yield
        self.journal.let_go()  # it opens again by itself; a database has few connections for many waiting tasks
        pause = next_look(time.monotonic() - self.began, max(self.context.poll_interval, SHORTEST_LOOK))
        time.sleep(min(pause, self._time_left()))
        return None

    def _without_looking_again(self) -> Outcome:
        if self.entry is None:
            return self._outcome(True)
        if self.entry.progress == UNKNOWN:
            raise self._effect_not_seen(self.entry)
        return self._outcome(self.has_sent)

    def _effect_not_seen(self, entry: Entry) -> HostingError:
        """Return the error for a request whose effect the service has not shown in the time of this task."""
        if entry.progress == UNKNOWN:
            until = _clock(entry.sent_at + _decision.HORIZON)
            return OutcomeUnknown(
                f"{self.plan.request} was sent at {_clock(entry.sent_at)} and its answer was lost. The service"
                " does not show its effect, and it was not sent again. Run again later: if the effect is not there by"
                f" {until}, the request is sent anew. {self._how_to_settle(entry)}",
                request=self.plan.request,
            )
        named = f" as operation {entry.operation_id}" if entry.operation_id else ""
        error = OperationTimeout(
            f"{self.plan.request} was accepted{named} at {_clock(entry.sent_at)}, and the service does not show"
            " its effect yet. It was not sent again. Run again to look on.",
            request=self.plan.request,
        )
        error.operation_id = entry.operation_id
        return error

    def _last_write_not_seen(self) -> HostingError:
        """Return the error for a value that cannot be computed, because the service shows only an older state."""
        written_at = max(entry.ended_at or 0 for entry in self.remembered if entry.progress == FINISHED)
        nothing = "" if self.has_sent else " Nothing was sent by this run."
        return OperationTimeout(
            f"{self.name} was written at {_clock(written_at)}, and the service does not show that yet.{nothing} Run"
            " again."
        )

    def _effect_missing(self) -> HostingError:
        """Return the error for a request of this task that has ended without its effect."""
        if self.entry:
            self._update(self.entry, FAILED)
        named = f"{self.name} {self.plan.desired}" if self.is_state else "it"
        ended = f"Operation {self.operation.id}" if self.operation else str(self.plan.request)
        error = OperationFailed(
            f"{ended} ended, but the service does not show its effect: {named} is not there. Look at the service for"
            f" the cause, then run again. (The request was {self.plan.request}.)",
            request=self.plan.request,
        )
        error.operation_id = self.operation.id if self.operation else None
        return error

    def _asking_the_user(self) -> HostingError:
        entry = _present(self.entry)
        return OutcomeUnknown(
            f"{self.plan.request} was sent at {_clock(entry.sent_at)} and its answer was lost, so it may or may not"
            f" have been carried out. It was not sent again. {self._how_to_settle(entry)}",
            request=self.plan.request,
        )

    # ---- what the steps share ---------------------------------------------------------------------------------------

    def _time_left(self) -> float:
        return max(0.0, self.deadline - time.monotonic())

    def _replace(self, seen: tuple[Entry, ...], now: tuple[Entry, ...]) -> bool:
        # A power loss may take back what a repeatable request is about, which is then sent again; and how another one
        # ended, which is then asked. It may not take back that one leaves.
        is_leaving = any(entry.progress == SENT for entry in set(now) - set(seen))
        return self.journal.replace(self.subject, seen, now, durable=is_leaving and not self.wanted.repeatable)

    def _update(self, entry: Entry, progress: str, operation_id: str | None = None) -> None:
        """Note how far a request has come, unless another run has noted something else meanwhile."""
        if self.context.check_mode:
            return
        if self.asked and self.asked.is_about(entry):
            self.asked = self.asked.with_progress(progress, operation_id)
        was_accepted = progress != UNKNOWN  # else what was there before may be there still
        if not note_progress(self.journal, self.subject, entry, progress, operation_id, supersedes=was_accepted):
            self._require_same_journal()

    def _with_what_was_done(self, error: HostingError) -> HostingError:
        """Return the error with what was accepted before it, or with the word that nothing was changed."""
        if self.answer is None:
            is_plain = isinstance(error, InvalidInput) and "Nothing was" not in str(error)
            return error.with_advice("Nothing was changed.") if is_plain else error
        operation_id = self.answer.operation_id
        error.nothing_done = False
        error.operation_id = error.operation_id or operation_id
        error.results["changed"] = True
        if (operation_id or str(self.plan.request)) in str(error):
            return error
        named = f" as operation {operation_id}" if operation_id else ""
        return error.with_advice(f"{self.plan.request} was accepted before{named}.")

    def _outcome(self, changed: bool, after: Observed | None = NOT_SHOWN) -> Outcome:
        diff = self._diff(self.name, changed) if self.context.diff and self.name is not None else None
        if changed and self.context.check_mode and self.is_state:
            self.context.predicted = self._move
        return Outcome(changed, self.first_source, self.plan.desired, after, self.operation, diff, self.answer)

    def _diff(self, name: str, changed: bool) -> dict[str, dict[str, object]]:
        if not changed:
            before = self.plan.desired
        else:
            before = self.first_before.value if self.first_before else UNSEEN
        return {"before": {name: before}, "after": {name: self.plan.desired}}


def _present(thing: Thing | None) -> Thing:
    """Return what decide() has made sure of: no step is taken without the row or the request that it is about."""
    if thing is None:
        raise LookupError("a step was taken without what it is about")
    return thing


def _is_accepted(answer: Answer) -> bool:
    return answer.status == 202 or answer.operation_id is not None


def _require_own_answer(answer: Answer) -> None:
    """Raise when the answer is not the service's own: a gateway may say 200 to what it has thrown away."""
    request, name = answer.request, answer.request.endpoint.answers_with
    if answer.outcome >= 400:
        raise ServiceError(
            f"The hosting service answered {request} with {answer.status}, and says in the same answer that its status"
            f" is {answer.outcome} ({answer.message}). Whether anything was done is not known.",
            request=request,
            status=answer.outcome,
            service_message=answer.message,
        )
    if name is None or _is_accepted(answer) or (isinstance(answer.data, dict) and name in answer.data):
        return
    raise MalformedResponse(
        f"The answer to {request} ({answer.status}) has no {name}, as the service's own answer would. Whether anything"
        " was done is not known. Check that base_url is the address of the hosting service's API, and that no proxy"
        " answers in its place.",
        request=request,
        status=answer.status,
    )


def _clock(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
