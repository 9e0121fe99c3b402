# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose turn it is to be looked at, among many operations with one budget of looks.

Pure: nothing here asks the service or the clock.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._journal import Entry, Subject
from ._operations import FAILING_INTERVAL, Operation, next_look
from ._progress import FINISHED, IN_PROGRESS
from ._under_way import Kind, kind_of

SIDE_BY_SIDE, MOST_SIDE_BY_SIDE = 4, 8  # looks at the same time: what was started together also ends together
LOOKS_OF_EACH = 150  # a minute: who may look more often may take more looks at the same time
MINUTE = 60.0  # seconds
GRANTED = 120.0  # a minute, by public services: what is tried first once a service says that there are too many
FEWEST_LOOKS = 6  # a minute, however often the service says that it is too busy
SLOWER, FASTER = 0.7, 1.05  # what becomes of the looks a minute when it says so, and with each answer since
SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 15.0  # seconds without a look after an answer that says nothing
LOOKS_ALONE = 25  # a minute, at most, that it takes to see the end of a single operation in time
MOST_FOR_FIRST = (
    0.125  # of the budget, for the first of each sort: the sooner its end is seen, the sooner all others are
)
LEAST_FOR_ROUNDS = 0.25  # of the budget, for those that are not expected to end now
NEARLY = 0.97  # of the expected time: who was looked at then has had the look that was due
MOST_MISSES = 3  # operations in a row that went on beyond the expected time, after which nothing is expected
CLOSELY = 1.0  # seconds, or
CLOSELY_FOR_LONG = 0.05  # of the time that operations take, to which it is known well enough
FEWEST_IN_TURN, FEWEST_OF_ALL = 3, 0.05  # have to have ended before it is known that they end as they began
MOST_OUT_OF_TURN = 0.1  # of those that began before others that have ended
OVERDUE = 1.1  # times as long as the longest so far
WORTH_IT = 1.0  # second that the next task can begin sooner

_WORDS = {"php_restart": "restart", "cache_clear": "caches"}
KINDS = ("backup", "push", "restore", "update", "removal", "command", "restart", "caches", "other")
"""What operations can be waited for."""


def kind_named(subject: Subject, entry: Entry) -> str:
    """Return which of KINDS the request of a journal's row is."""
    kind = kind_of(subject, entry)
    return _WORDS.get(_word(subject), "other") if kind is Kind.OTHER else kind.name.lower()


def _word(subject: Subject) -> str:
    return subject[1].partition("/")[0]


Sort = tuple[str, str]
"""What operations take about as long as each other: a kind, and which cache."""


def sort_of(subject: Subject, entry: Entry) -> Sort:
    """Return which operations the one of a journal's row takes about as long as."""
    words = subject[1].split("/")
    return (kind_named(subject, entry), words[-1] if words[0] == "cache_clear" else "")


@dataclass(eq=False)
class Followed:
    """An operation that is followed. Times are in seconds of time.monotonic().

    ``looked`` is when it was looked at last, and ``went_on`` how old it was when the service last said that it goes on.
    """

    subject: Subject
    entry: Entry
    environment_id: str
    operation: Operation
    began: float
    looked: float | None = None
    went_on: float = 0.0
    ended: float | None = None
    sort: Sort = field(init=False)

    def __post_init__(self) -> None:
        self.sort = sort_of(self.subject, self.entry)

    def age(self, now: float) -> float:
        return now - self.began

    @property
    def goes_on(self) -> bool:
        return self.operation.state == IN_PROGRESS and not self.operation.is_given_up

    def as_result(self, now: float) -> dict[str, Any]:
        ended = now if self.ended is None else self.ended
        return {**self.operation.as_result(), "seconds": round(ended - self.began, 1)}


@dataclass
class Budget:
    """So many looks within any minute.

    They may come at once, until the service says that it is too busy (429). From then on they come one by one, and more
    rarely each time it says so again; each answer lets them come a little sooner. ``is_limited`` tells whether it has
    said so. Times are in seconds of time.monotonic(), which the caller tells.
    """

    most: float
    rate: float = 0.0
    is_limited: bool = False
    _taken: deque[float] = field(default_factory=deque)
    _not_before: float = 0.0
    _pause: float = 0.0

    def __post_init__(self) -> None:
        self.rate = self.most

    @property
    def side_by_side(self) -> int:
        """How many looks are taken at the same time at most."""
        return min(MOST_SIDE_BY_SIDE, max(SIDE_BY_SIDE, int(self.most / LOOKS_OF_EACH)))

    def used(self, now: float) -> int:
        """Return how many looks there were within the last minute."""
        while self._taken and self._taken[0] <= now - MINUTE:
            self._taken.popleft()
        return len(self._taken)

    def free_at(self, now: float, most: float | None = None) -> float:
        """Return when the next look is free, where so many of a minute (by default all) may be used."""
        most = max(1, int(self.rate if most is None else most))
        used = self.used(now)
        return max(self._not_before, now if used < most else self._taken[used - most] + MINUTE)

    def take(self, now: float) -> None:
        self._taken.append(now)
        if self.is_limited:
            self._not_before = max(self._not_before, now + MINUTE / self.rate)

    def hear(self) -> None:
        """Take in an answer that was given as it should be."""
        self._pause = 0.0
        self.rate = min(self.most, self.rate * FASTER)

    def slow_down(self, now: float, told: float | None = None) -> None:
        """Take in that there are too many requests, and to come back after so many seconds, where the service says so.

        Refusals in a row say the same thing once: the pauses grow, and the rate stays.
        """
        if not self.is_limited:
            self.rate = min(self.rate, GRANTED)
        elif not self._pause:
            self.rate = max(min(FEWEST_LOOKS, self.most), self.rate * SLOWER)
        self.is_limited = True
        self.pause(now, told)

    def pause(self, now: float, told: float | None = None) -> None:
        """Pause after an answer that says nothing, the longer the more of them there were in a row."""
        self._pause = min(LONGEST_PAUSE, max(2 * self._pause, SHORTEST_PAUSE))
        pause = (told or 0.0) + self._pause * random.uniform(0.75, 1)  # noqa: S311 (no secret)
        self._not_before = max(self._not_before, now + pause)


@dataclass
class Length:
    """How many seconds operations of a sort take: more than ``least``, and ``most`` if the last was no exception."""

    least: float
    most: float

    def expected(self, has_room: bool) -> float:
        """Return how old one is to be looked at: when it has ended, or, to know that better, when it may have.

        :param has_room: whether there are looks to spare for those that go on by then.
        """
        is_vague = self.most - self.least > max(CLOSELY, CLOSELY_FOR_LONG * self.most)
        return (self.least + self.most) / 2 if is_vague and has_room else self.most

    def note_end(self, went_on: float, ended: float) -> None:
        """Take in how old one was when it was last seen to go on, 0 if it never was, and when it was seen to end."""
        if not went_on and ended >= self.most:
            return
        self.least = max(went_on, self.least) if self.least < ended else went_on
        self.most = ended

    def note_going_on(self, age: float) -> bool:
        """Take in that one goes on at an age, and return whether it should have ended by then."""
        is_late = age >= NEARLY * self.most
        if not is_late:
            self.least = max(self.least, age)
        return is_late


class Turns:
    """Whose turn it is to be looked at. Pure: the caller tells the time.

    The oldest operation of each sort is looked at as often as if it were alone, and more often the more there are like
    it, if the budget allows. By the time that the last one took to end, or that such operations took before as the
    journal knows it, the others are expected to end, and are looked at then. Where that one's end was seen late, some
    are looked at before, which tells it better. What of the budget is not needed for that goes to the rest in turn,
    because some end otherwise.
    """

    def __init__(self, budget: Budget, took: Mapping[Sort, float], poll_interval: float) -> None:
        self._budget, self._poll_interval = budget, poll_interval
        self._lengths = {sort: Length(seconds, seconds) for sort, seconds in took.items()}
        self._misses: dict[Sort, int] = {}
        self._last_round = 0.0

    def heard(self, one: Followed, now: float) -> None:
        """Take in what a look has shown."""
        if not one.goes_on:
            one.ended = now
        if one.operation.state == FINISHED:
            known = self._lengths.setdefault(one.sort, Length(0.0, one.age(now)))
            known.note_end(one.went_on, one.age(now))
            self._misses[one.sort] = 0
        elif one.goes_on:
            one.went_on = one.age(now)
            if one.sort in self._lengths and self._lengths[one.sort].note_going_on(one.went_on):
                self._misses[one.sort] = self._misses.get(one.sort, 0) + 1

    def expected(self, sort: Sort, has_room: bool = False) -> float | None:
        """Return how old an operation is to be looked at, as far as is known how long they take, or None."""
        if sort not in self._lengths or self._misses.get(sort, 0) >= MOST_MISSES:
            return None
        return self._lengths[sort].expected(has_room)

    def take(
        self, pending: Sequence[Followed], now: float, waited: float, most: int | None = None
    ) -> tuple[list[Followed], float]:
        """Take the looks that are due out of the budget, but so many at most, which are then taken at the same time.

        Return at which ones to look, and when there is one at the earliest.
        """
        taken: list[Followed] = []
        while len(taken) < (most or self._budget.side_by_side):
            one, at = self.next(pending, now, waited, taken)
            if one is None:
                return taken, at
            self._budget.take(now)
            taken.append(one)
        return taken, now

    def next(
        self, pending: Sequence[Followed], now: float, waited: float, taken: Collection[Followed] = ()
    ) -> tuple[Followed | None, float]:
        """Return which one of those that go on to look at now, or None, and when there is one at the earliest.

        They are in the order of their beginnings. Those that are ``taken`` are about to be looked at anyway.
        """
        began = now - waited
        scouts = {one.sort: one for one in reversed(pending)}  # the first of each sort
        alike = Counter(one.sort for one in pending)
        has_room = self._budget.rate - self._budget.used(now) >= 2 * len(pending)
        expected = {sort: self.expected(sort, has_room) for sort in scouts}
        soonest, found = now + MINUTE, None
        longest_ago, other = now + MINUTE, None
        for one in pending:
            if one in taken:
                continue
            if one.operation.seems_failed:
                at: float | None = (one.looked or now) + FAILING_INTERVAL
            elif scouts[one.sort] is one:
                at = self._again(one, began, alike[one.sort], len(scouts))
                at = min(at, _expected_end(one, expected[one.sort]) or at)
            else:
                at = _expected_end(one, expected[one.sort])
            if at is None:
                looked = one.began if one.looked is None else one.looked
                if looked < longest_ago:
                    longest_ago, other = looked, one
            elif at < soonest:
                soonest, found = at, one
        soonest = max(soonest, self._budget.free_at(now))
        if other and soonest > now:
            most = max(LEAST_FOR_ROUNDS * self._budget.rate, self._budget.rate - len(pending))
            again = longest_ago + next_look(longest_ago - began, self._poll_interval)
            at = max(self._last_round + MINUTE / most, again, self._budget.free_at(now, most))
            if at < soonest:
                soonest, found = at, other
                self._last_round = now if at <= now else self._last_round
        return (found if soonest <= now else None), soonest

    def _again(self, one: Followed, began: float, alike: int, scouts: int) -> float:
        """Return when to look at the oldest of so many operations of a sort, by when it was looked at last."""
        if one.looked is None:
            return one.began + self._poll_interval
        alone = next_look(one.looked - began, self._poll_interval)
        often = max(self._poll_interval, MINUTE / (MOST_FOR_FIRST * self._budget.rate), alone / alike)
        rarer = max(1.0, scouts * LOOKS_ALONE / self._budget.rate)
        return one.looked + rarer * min(alone, often)


def end_in_turn(following: Sequence[Followed], now: float) -> bool:
    """Tell whether operations end as they began, one after another, and some are still going on.

    Who goes through those in the order of their beginnings, and no faster than they were begun, finds each of them
    ended, or about to end.

    :param following: of one sort, in the order of their beginnings.
    """
    ended = [one for one in following if one.ended is not None and one.operation.state == FINISHED]
    left = [one for one in following if one.goes_on]
    if not left or len(ended) < max(FEWEST_IN_TURN, FEWEST_OF_ALL * len(following)):
        return False
    longest = max(one.age(one.ended) for one in ended if one.ended is not None)
    last = max(one.began for one in ended)
    out_of_turn = [one for one in left if one.began < last]
    return (
        len({one.sort for one in following}) == 1
        and len(out_of_turn) <= MOST_OUT_OF_TURN * len(ended)
        and all(one.age(now) <= OVERDUE * longest for one in left)
        and left[-1].began + longest - now > WORTH_IT
    )


def _expected_end(one: Followed, expected: float | None) -> float | None:
    """Return when an operation is expected to end; None where nobody knows, or it was looked at then."""
    if expected is None or (one.looked is not None and one.age(one.looked) >= NEARLY * expected):
        return None
    return one.began + expected
