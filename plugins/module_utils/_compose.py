# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An environment as one value: its parts, and keep(), which brings all that are declared about in one task.

The parts take turns: each goes on until there is something to wait for, and waits when its turn comes again. So the
operations of one environment that do not depend on each other are under way side by side.

With ``started``, the result of an earlier task, what that one has begun is brought to its end, and never sent again;
what it has not begun is kept as without it.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ._context import Context
from ._convergence import Foreseen, Move, Steps, has_move
from ._declared_parts import NAMES, OF_TASK, PARTS, Part, declared_in, entries_of
from ._differences import differences, told
from ._errors import CheckFailed, HasToWait, HostingError, InvalidInput, UnexpectedError
from ._phases import operations_of
from ._progress import FAILED, FINISHED, IN_PROGRESS
from ._text import printable


def keep(context: Context) -> dict[str, Any]:
    """Bring about the declared parts of the task's environment, and return the task's result.

    A part that fails stops no other, apart from updates, which are not made after a backup that was to be taken first
    and was not. The result is a failure when any part failed.
    """
    turns = _turns(context) if context["planned"] is None else _turns_as_planned(context, context["planned"])
    _take(turns)
    parts = _parts(context, turns)
    result: dict[str, Any] = {
        "changed": any(turn.changed for turn in turns),
        "parts": parts,
        "differs": [name for name, part in parts.items() if part["differs"]],
        "state_source": _only(part["state_source"] for part in parts.values() if part["state_source"]),
        "operations": [{"part": turn.part.name, **turn.operation} for turn in turns if turn.operation],
    }
    if context.diff:
        new = [turn for turn in turns if not turn.earlier]
        of_new = {turn.part.name for turn in new}
        told_before = [turn.part.name for turn in turns if turn.part.name not in of_new]
        states = _states(_parts(context, new), [*(context["compare"] or ()), *told_before])
        values = differences(states["before"], states["after"], whole=True)
        whose = context["environment_name"] or context["environment_id"]
        result["diff"] = {"prepared": told(whose, values), "states": states}
    failed = [turn for turn in turns if turn.failure]
    if failed:
        result.update(failed[0].unforeseen, failed=True, msg="\n".join(turn.message for turn in failed))
        result["error"] = {**failed[0].failure["error"], "part": failed[0].part.name}
    return result


def compare(context: Context, declaration: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return how the task's environment differs from a declaration: ``parts`` and ``differs``, as keep() returns them.

    Nothing is changed, and a part that fails is no failure of the task. Without a declaration, there is nothing to say.
    """
    if declaration is None:
        return {}
    options = {**dict.fromkeys(NAMES), "declaration": declaration, "compare": list(NAMES), "planned": None}
    kept = keep(context.narrowed(options, check_mode=True, diff=False))
    return {name: kept[name] for name in ("parts", "differs")}


def _take(turns: list[_Turn]) -> None:
    """Let them take turns to their ends."""
    while any(not turn.has_ended for turn in turns):
        for turn in turns:
            turn.go_on()


def _turns_as_planned(context: Context, planned: Mapping[str, Any]) -> list[_Turn]:
    """Return the turns that do what is planned; all have ended, and nothing was changed, where the plan is stale.

    All parts are looked at before any is changed, and may then do what was foreseen, or nothing.
    """
    first = _turns(context, check_mode=True)
    _take(first)
    if _refused(first, planned) or context.check_mode:
        return first
    return _turns(context, foreseen=first)


def _refused(turns: list[_Turn], planned: Mapping[str, Any]) -> bool:
    """Let all fail that would change something if one of them would change what is not planned; tell whether so."""
    # A backup changes no site, and is due by the clock. What is only compared may be planned for a later task.
    bound = [turn for turn in turns if not turn.earlier and (turn.part.name in planned or not turn.is_compared)]
    due = [turn for turn in bound if turn.would_change]
    problems = {turn: turn.problem_with(planned) for turn in due if turn.part.name != "backup"}
    unplanned = [turn for turn, problem in problems.items() if problem]
    for turn in due if unplanned else []:
        names = ", ".join(dict.fromkeys(one.place for one in unplanned))
        problem = problems.get(turn) or f"It was left alone, because the plan does not fit: {names}."
        turn.refuse(f"{problem} Nothing was changed at this environment. Make a new plan.")
    return bool(unplanned)


def _turns(context: Context, *, check_mode: bool = False, foreseen: list[_Turn] | None = None) -> list[_Turn]:
    """Return a turn for each declared part, or for each of several of it.

    :param foreseen: the turns that have predicted what these may do. What has failed there is not tried again.
    """
    turns: list[_Turn] = []
    compared = context["compare"] or []
    for part in PARTS:
        declared = declared_in(context, part)
        if declared is None:
            continue
        many = declared if isinstance(declared, list) else [declared]
        for number, one in enumerate(many):
            before = foreseen[len(turns)] if foreseen else None
            if before and (before.failure or before.earlier):
                turns.append(before)
                continue
            limits = {"foreseen": Foreseen(before.context.predicted)} if before else {}
            earlier = _earlier(context, part, number, one)
            of_part = context.narrowed(
                {
                    **{name: value for name, value in one.items() if value is not None or name not in OF_TASK},
                    **limits,
                    "started": earlier,
                    "wait": context.wait or _is_known(context, earlier),
                },
                check_mode=context.check_mode or (not earlier and (check_mode or part.name in compared)),
                diff=True,
            )
            place = f"{part.name}[{number}]" if isinstance(declared, list) and len(many) > 1 else part.name
            after = [turn for turn in turns if turn.part.name in part.after]
            turns.append(_Turn(part, place, of_part, after, is_compared=part.name in compared, earlier=earlier))
    return turns


def _earlier(context: Context, part: Part, number: int, one: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what an earlier task has said of one of a part, where it has begun it or has failed to; or None."""
    entries = entries_of((context.started or {}).get("parts", {}).get(part.name))
    said = entries[number] if number < len(entries) else None
    if said is None or (part.label and said.get("name") != part.label(one)):
        return None
    return None if said["waits_for"] else said


def _goes_on(said: Mapping[str, Any]) -> bool:
    return any(one.get("state") == IN_PROGRESS for one in operations_of(said))


def _is_known(context: Context, earlier: Mapping[str, Any] | None) -> bool:
    """Tell whether one wait for many has seen the end of what an earlier task has begun, or has waited in vain."""
    states = {one.get("id"): one.get("state") for one in operations_of(context.get("ended") or {})}
    begun = operations_of(earlier or {})
    return bool(begun) and all(states.get(one.get("id")) in (FINISHED, FAILED, IN_PROGRESS) for one in begun)


@dataclass(eq=False)
class _Turn:
    """A part, or one of several of a part, on its way from its declaration to its result."""

    part: Part
    place: str
    context: Context
    after: list[_Turn]
    is_compared: bool
    result: dict[str, Any] | None = None
    failure: dict[str, Any] = field(default_factory=dict)  # with msg and error
    waits_for: str | None = None  # why nothing was sent, where the task does not wait
    unforeseen: dict[str, Any] = field(default_factory=dict)  # the traceback of a bug
    earlier: dict[str, Any] | None = None  # what the task said of it that has begun it, or has failed to
    _steps: Steps[dict[str, Any]] | None = None
    _missed: _Turn | None = None  # the backup that was not taken before

    def __post_init__(self) -> None:
        """Take over what has come to its end in an earlier task."""
        if self.earlier and (self.context.check_mode or not _goes_on(self.earlier)):
            self.result = {name: self.earlier[name] for name in ("changed", "operation")}
            if self.earlier["failed"]:
                self.failure = {name: self.earlier[name] for name in ("msg", "error")}

    @property
    def has_ended(self) -> bool:
        return self.result is not None

    @property
    def message(self) -> str:
        return f"{self.place}: {self.failure['msg']}"

    @property
    def operation(self) -> dict[str, Any] | None:
        return (self.result or {}).get("operation")

    @property
    def is_under_way(self) -> bool:
        return self.operation is not None and self.operation["state"] == IN_PROGRESS

    @property
    def label(self) -> str | None:
        return self.part.label(self.context) if self.part.label else None

    def go_on(self) -> None:
        """Go on until there is something to wait for; wait for it when it is this one's turn again."""
        if self.has_ended or not (self.earlier or all(turn.has_ended for turn in self.after)):
            return
        try:
            next(self._steps or self._begin())
        except StopIteration as end:
            self._end(end.value)
        except HasToWait as error:
            if self.context.wait:
                self._fail(error)
            else:
                self._wait(error)
        except InvalidInput as error:
            if self.context.has_recalled:
                self.context.begin_look(afresh=True)
                self._begin()  # it was refused for what was read before; so it looks for itself
            elif any(turn.part.name == "domains" and turn.is_under_way for turn in self.after):
                self._wait(error)
            else:
                self._fail(error)
        except HostingError as error:
            self._fail(error)
        except Exception as error:  # noqa: BLE001 a bug of ours in one part is no reason to leave the others
            self.unforeseen = {"exception": traceback.format_exc()}
            self._fail(UnexpectedError.of(error))

    def _begin(self) -> Steps[dict[str, Any]]:
        backups = [] if self.earlier else [turn for turn in self.after if turn.part.name == "backup"]
        self._missed = next((turn for turn in backups if turn.was_not_done), None)
        if self._missed:
            self.context = self.context.narrowed({}, check_mode=True)
        if self.context.check_mode:
            to_come = [turn.label for turn in self.after if turn.context.check_mode and turn.would_change]
            self.context = self.context.narrowed({"to_come": to_come})
        self._steps = self.part.steps(self.context)
        return self._steps

    @property
    def was_not_done(self) -> bool:
        """Whether this has failed, or waits for something that the task does not wait for."""
        return bool(self.failure or self.waits_for)

    def _end(self, result: dict[str, Any]) -> None:
        self.result = result
        if not self._missed or not result["changed"] or self.is_compared:
            return
        result["changed"] = False
        text = "It was not updated, because the backup that comes before updates was not taken. Nothing was sent."
        if self._missed.failure:
            self.failure = {"msg": text, "error": self._missed.failure["error"]}
        else:
            self.waits_for = text

    def _wait(self, error: HostingError) -> None:
        self.waits_for = error.as_result()["msg"]
        self.result = {"changed": False}

    def _fail(self, error: HostingError) -> None:
        failure = error.as_result()
        self.failure = {"msg": failure.pop("msg"), "error": failure.pop("error")}
        self.result = {"changed": False, **failure}

    @property
    def would_change(self) -> bool | None:
        """Whether the environment differs from what is declared, or did before; None when that is not known."""
        if self.earlier:
            return self.earlier["differs"]
        if self.waits_for or (self._missed and self.failure):
            return True
        result = self.result or {}
        return True if result.get("changed") else None if self.failure else False

    def problem_with(self, planned: Mapping[str, Any]) -> str:
        """Return why what this would change is not what is planned; an empty text where it is."""
        plan, move = planned.get(self.part.name), (self.side("before"), self.side("after"))
        if plan is None:
            return "It would be changed, and the plan has no change of it."
        wanted: Move = (plan["before"], plan["after"])
        if has_move(wanted, move):
            return ""
        if has_move((move[0], wanted[1]), move):
            return f"The state is another than the plan saw: {_quoted(move[0])}, not {_quoted(wanted[0])}."
        return f"It would become another than the plan has: {_quoted(move[1])}, not {_quoted(wanted[1])}."

    def refuse(self, problem: str) -> None:
        """Let this fail, before anything was changed."""
        self._fail(CheckFailed(problem, nothing_done=True))

    @property
    def changed(self) -> bool:
        """Whether this task has changed it."""
        return bool(self.result and self.result["changed"] and not self.is_compared and not self.earlier)

    def side(self, name: str) -> Any:
        """Return the state before or after, by label where there can be several; None when it is not known."""
        result = self.result or {}
        if self.part.name == "backup":
            tag = self.context["tag"] or "(without a tag)"
            return None if self.was_not_done or (name == "before" and result["changed"]) else tag
        values = result.get("diff", {}).get(name)
        if not values:
            return None
        value = next(iter(values.values()))
        return value if self.label is None else {self.label: value}

    def as_result(self) -> dict[str, Any]:
        """Return what the task's result has about this."""
        own = {"changed", "failed", "state_source", "operation", "held", "diff"}
        result = self.result or {}
        if self.earlier:
            return {
                **self.earlier,
                "operation": result.get("operation"),
                "failed": bool(self.failure),
                "msg": self.failure.get("msg"),
                "error": self.failure.get("error"),
                "result": {
                    **self.earlier["result"],
                    **{name: value for name, value in result.items() if name not in own},
                },
            }
        return {
            "changed": self.changed,
            "differs": self.would_change,
            "before": self.side("before"),
            "after": self.side("after"),
            "state_source": result.get("state_source"),
            "operation": result.get("operation"),
            "held": result.get("held", []),
            "waits_for": self.waits_for,
            "failed": bool(self.failure),
            "msg": self.failure.get("msg"),
            "error": self.failure.get("error"),
            "result": {name: value for name, value in result.items() if name not in own},
        }


def _parts(context: Context, turns: list[_Turn]) -> dict[str, dict[str, Any]]:
    """Return what the task's result has about each part that is declared, as far as these turns go."""
    own = {part.name: [turn for turn in turns if turn.part is part] for part in PARTS}
    return {
        part.name: _of_part(part, own[part.name])
        for part in PARTS
        if own[part.name] or (part.label and declared_in(context, part) is not None)
    }


def _of_part(part: Part, turns: list[_Turn]) -> dict[str, Any]:
    """Return what the task's result has about a part; where there can be several, about all of them and about each."""
    if part.label is None:
        return turns[0].as_result()
    items = [{"name": turn.label, **turn.as_result()} for turn in turns]
    failed = [turn for turn in turns if turn.failure]
    return {
        "changed": any(one["changed"] for one in items),
        "differs": _any_of(one["differs"] for one in items),
        "before": _merged(one["before"] for one in items),
        "after": _merged(one["after"] for one in items),
        "state_source": _only(one["state_source"] for one in items),
        "operation": _only(one["operation"] for one in items if one["operation"]),
        "held": [held for one in items for held in one["held"]],
        "waits_for": next((one["waits_for"] for one in items if one["waits_for"]), None),
        "failed": bool(failed),
        "msg": "\n".join(turn.message for turn in failed) or None,
        "error": failed[0].failure["error"] if failed else None,
        "entries": items,
    }


def _states(parts: Mapping[str, dict[str, Any]], compared: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the states before and after, by part, of those that have not failed and are not compared only."""
    shown = {name: part for name, part in parts.items() if not part["failed"] and name not in compared}
    return {side: {name: part[side] for name, part in shown.items()} for side in ("before", "after")}


def _quoted(state: Any) -> str:
    """Return a state as a part of a sentence."""
    return printable(json.dumps(state, ensure_ascii=False, sort_keys=True))


def _any_of(values: Iterable[bool | None]) -> bool | None:
    known = list(values)
    return True if True in known else None if None in known else False


def _only(values: Iterable[Any]) -> Any:
    """Return the value that all have, or None."""
    first, *others = list(values) or [None]
    return first if all(one == first for one in others) else None


def _merged(states: Iterable[Any]) -> dict[str, Any]:
    return {name: value for state in states if isinstance(state, dict) for name, value in state.items()}
