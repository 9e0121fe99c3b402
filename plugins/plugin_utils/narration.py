# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run has to tell in lines: what happened in which step, hosts with the same folded into one line.

It knows neither Ansible nor a terminal: the callback plugin tells it what happens, and prints the lines that are ready.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..module_utils._text import printable
from .text_table import counted

LONGEST_NOTE = 160  # characters of an error that is ignored
HEADING, CHANGED, DIFF, VALUE, OUTPUT, IGNORED, RESCUED, FAILED, UNREACHABLE, PLAIN = KINDS = (
    "heading",
    "changed",
    "diff",
    "value",  # one of a diff, which is told with the others
    "output",
    "ignored",
    "rescued",
    "failed",
    "unreachable",
    "plain",
)
SHARED = 3
"""So many hosts that change the same way are told of in a line of its own."""

QUIET = ("ok", "skipped", "note")
"""What is told with -v only."""

SAID = "For the reasons above."
SHORTEST_SAID = 30  # characters of an error that is told once only
END_OF_SENTENCE = re.compile(r"(?<=[.!?]) ")

WHOLE = (FAILED, UNREACHABLE)
"""What names all its hosts, and has its text below them."""


@dataclass(frozen=True)
class Step:
    """A task, by its name; ``place`` says in which file it is, when that should be told with its errors."""

    id: str
    name: str
    place: str = ""
    is_once: bool = False


@dataclass(frozen=True)
class Line:
    """A line to print, and its kind, which gives it a colour."""

    text: str
    kind: str = PLAIN


@dataclass
class _Group:
    """Hosts of which the same is to be told."""

    step: Step
    kind: str
    text: str
    since: float
    hosts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Count:
    """What became of a host in the whole run."""

    changed: int = 0
    failed: int = 0
    unreachable: int = 0
    ignored: int = 0
    rescued: int = 0
    ok: int = 0
    skipped: int = 0


class Narrator:
    """Collects what happens, and gives it back as lines. Not safe for threads: its owner has a lock.

    :param hold: the seconds for which something may wait for more hosts of which the same is to be told.
    :param named: so many hosts are named where it is not about errors.
    """

    def __init__(
        self, *, hold: float, named: int, verbosity: int = 0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._hold = hold
        self._named = named
        self._verbosity = verbosity
        self._clock = clock
        self._groups: dict[tuple[str, str, str], _Group] = {}
        self._known_hosts: frozenset[str] = frozenset()
        self._is_left_alone = False
        self._is_check = False
        self._ready: list[Line] = []
        self._play: Line | None = None
        self._play_id: str | None = None
        self._wave = 0
        self._hosts: int | None = None
        self._step: str | None = None
        self._said = ""  # what debug has printed in this play

    # ---- what happens -----------------------------------------------------------------------------------------------

    def play(self, play_id: str, name: str, hosts: Collection[str] | None, *, is_check: bool = False) -> None:
        """A play begins, or its next wave, which is told once something happens in it.

        :param hosts: the names of its hosts, or of those of the wave; None when that is not known.
        """
        self.flush()
        is_new = play_id != self._play_id
        self._said = "" if is_new else self._said
        self._play_id, self._wave, self._is_left_alone = play_id, 1 if is_new else self._wave + 1, False
        self._is_check = is_check
        self._hosts = None if hosts is None else len(hosts)
        self._known_hosts |= frozenset(hosts or ())
        count = "" if self._hosts is None else counted(self._hosts, "host")
        parts = [name, "" if is_new else f"wave {self._wave}", count]
        mark = " [check mode]" if is_check else ""
        self._play, self._step = Line(f"{printable(' · '.join(filter(None, parts)))}{mark}", HEADING), None
        if is_new:
            self._announce_play()

    @property
    def wave(self) -> int:
        """The number of the wave within its play."""
        return self._wave

    def step(self, step: Step) -> None:
        """A task begins. With the strategy free others go on, and what they have done may wait for more."""
        if self._groups and all(group.step.id != step.id for group in self._groups.values()):
            self.flush()

    def tell(self, step: Step, host: str, kind: str, text: str = "") -> None:
        """Something happened on a host. What is told with -v only is forgotten without it."""
        if kind in QUIET and not self._verbosity:
            return
        if kind == OUTPUT:
            self._said += f"{text}\n"
        elif kind == FAILED and not self._verbosity and self._was_said(text):
            text = SAID
        key = (step.id, kind, text)
        group = self._groups.setdefault(key, _Group(step, kind, text, self._clock()))
        if host not in group.hosts:
            group.hosts.append(host)
        if step.is_once and kind == OUTPUT:
            self.flush()

    def _was_said(self, text: str) -> bool:
        """Tell whether the play has printed each sentence of an error, as a summary before it does."""
        sentences = [one.strip() for one in END_OF_SENTENCE.split(text)]
        return len(text) >= SHORTEST_SAID and all(one in self._said for one in sentences)

    def remark(self, text: str, kind: str = PLAIN) -> None:
        """Something happened that belongs to no host."""
        self.flush()
        self._announce_play()
        self._ready.append(Line(text, kind))

    def nobody_left(self) -> None:
        """All hosts have failed, which Ansible may say more than once."""
        if not self._is_left_alone:
            self.remark("  No hosts are left.", FAILED)
        self._is_left_alone = True

    def end(self, counts: dict[str, Count], seconds: float) -> None:
        """The run has ended."""
        self.flush()
        self._step = None
        self._ready += recap(counts, seconds, self._verbosity, is_check=self._is_check)

    # ---- what is told -----------------------------------------------------------------------------------------------

    def flush_due(self) -> None:
        """Let go what has waited long enough."""
        now = self._clock()
        if any(now - group.since >= self._hold for group in self._groups.values()):
            self.flush()

    def flush(self) -> None:
        """Let go all that waits: step by step, and errors last."""
        groups, self._groups = list(self._groups.values()), {}
        for step in dict.fromkeys(group.step for group in groups):
            self._announce_play()
            if step.id != self._step:
                self._step = step.id
                self._ready.append(Line(f"  {step.name}", HEADING))
            own = [group for group in groups if group.step == step]
            for group in own:
                group.hosts.sort()
            values = [group for group in own if group.kind == VALUE]
            if not self._verbosity:
                values = _folded_values(values)
            own = self._merged_changes([group for group in own if group.kind != VALUE]) + _merged_values(values)
            for group in sorted(own, key=lambda one: _place_of(one.kind)):
                self._ready += self._lines(group)

    def drain(self) -> list[Line]:
        """Return the lines that are ready, once."""
        ready, self._ready = self._ready, []
        return ready

    def _announce_play(self) -> None:
        if self._play:
            self._ready.append(self._play)
            self._play = None

    def _merged_changes(self, groups: list[_Group]) -> list[_Group]:
        """Name no items where each host has changed others."""
        changes = [group for group in groups if group.kind == CHANGED]
        if self._verbosity or len(changes) < SHARED:
            return groups
        hosts = sorted({host for group in changes for host in group.hosts})
        whole = replace(changes[0], text="", hosts=hosts)
        return [whole, *(group for group in groups if group.kind != CHANGED)]

    def _lines(self, group: _Group) -> Iterable[Line]:
        lines = group.text.split("\n") if group.text else []
        if group.kind == OUTPUT:
            return self._output(group, lines)
        named = None if group.kind in WHOLE or self._verbosity else self._named
        is_everyone = len(group.hosts) == self._hosts and self._hosts > self._named
        hosts = f"all {self._hosts} hosts" if is_everyone and named else names(group.hosts, named)
        if group.kind in WHOLE:
            place = [f"at {group.step.place}"] if group.step.place else []
            return [
                Line(f"    {group.kind.upper()}: {hosts}", group.kind),
                *(Line(f"      {line}", group.kind) for line in [*lines, *place]),
            ]
        if len(lines) > 1:
            return [
                Line(f"    {group.kind}: {hosts}", group.kind),
                *(Line(f"      {line}", group.kind) for line in lines),
            ]
        return [Line(f"    {group.kind}: {hosts}{_after(group.kind)}{''.join(lines)}".rstrip(" :"), group.kind)]

    def _output(self, group: _Group, lines: Sequence[str]) -> list[Line]:
        """What debug says: whose it is needs no word where it is everyone's."""
        if not self._verbosity:
            lines = folded_rows(lines, self._known_hosts)
        if group.step.is_once or len(group.hosts) == self._hosts:
            return [Line(f"    {line}".rstrip(), OUTPUT) for line in lines]
        hosts = names(group.hosts, None if self._verbosity else self._named)
        if len(lines) == 1:
            return [Line(f"    {hosts}: {lines[0]}", OUTPUT)]
        return [Line(f"    {hosts}:", OUTPUT), *(Line(f"      {line}".rstrip(), OUTPUT) for line in lines)]


def _folded_values(values: list[_Group]) -> list[_Group]:
    """Name one of the changes of a value that many hosts change, each in another way."""
    by_name: dict[str, list[_Group]] = {}
    for group in values:
        if len(group.hosts) < SHARED:
            by_name.setdefault(group.text.partition(": ")[0], []).append(group)
    folded = []
    for name, own in by_name.items():
        hosts = sorted({host for group in own for host in group.hosts})
        if len(hosts) > SHARED and len(own) > 1:
            first = min(own, key=lambda group: group.hosts[0])
            change = first.text.partition(": ")[2]
            text = f"{name}: {len(own)} different changes, such as {first.hosts[0]}: {change}"
            folded.append(replace(first, text=text, hosts=hosts))
            values = [group for group in values if group not in own]
    return [*values, *folded]


def _merged_values(values: list[_Group]) -> list[_Group]:
    """Make diffs of changed values: those that several hosts share, and then what else is changed, host by host."""
    shared = [group for group in values if len(group.hosts) >= SHARED]
    rest: dict[str, list[str]] = {}
    for group in values:
        for host in group.hosts if group not in shared else ():
            rest.setdefault(host, []).append(group.text)
    by_hosts: dict[tuple[str, ...], list[str]] = {}
    for group in shared:
        by_hosts.setdefault(tuple(group.hosts), []).append(group.text)
    alike: dict[tuple[str, ...], list[str]] = {}
    for host, texts in sorted(rest.items()):
        alike.setdefault(tuple(texts), []).append(host)
    pairs = [*by_hosts.items(), *((hosts, texts) for texts, hosts in alike.items())]
    return [replace(values[0], kind=DIFF, text="; ".join(texts), hosts=list(hosts)) for hosts, texts in pairs]


def folded_rows(lines: Sequence[str], hosts: Collection[str]) -> list[str]:
    """Return the lines of a table; rows that differ only in the host's name become one, with the names below it."""
    alike: dict[tuple[int, str], list[int]] = {}
    for place, line in enumerate(lines):
        name, _gap, rest = line.partition("  ")
        if name in hosts:
            # The same width, and the same cells: rows of one table.
            alike.setdefault((len(line) - len(rest.lstrip()), rest.lstrip()), []).append(place)
    folded = {places[0]: places for places in alike.values() if len(places) > SHARED}
    dropped = {place for places in folded.values() for place in places}
    shown: list[str] = []
    for place, line in enumerate(lines):
        if place in folded:
            own = [lines[one].partition("  ")[0] for one in folded[place]]
            rest = line.partition("  ")[2].lstrip()
            shown.append(f"{len(own)} hosts".ljust(len(line) - len(rest)) + rest)
            shown.append(f"  {', '.join(own)}")
        elif place not in dropped:
            shown.append(line)
    return shown


def _place_of(kind: str) -> int:
    return KINDS.index(kind) if kind in KINDS else -1


def _after(kind: str) -> str:
    """What stands between the hosts and what is told of them."""
    return " " if kind in (CHANGED, "ok", "skipped") else ": "


def names(hosts: Sequence[str], limit: int | None) -> str:
    """Return the names of hosts, the first ones only when there are more than ``limit``, and their number."""
    if limit is None or len(hosts) <= limit:
        return ", ".join(hosts) + (f" ({len(hosts)} hosts)" if len(hosts) > 3 else "")
    return f"{', '.join(hosts[:limit])} and {len(hosts) - limit} more ({len(hosts)} hosts)"


def shortened(text: str) -> str:
    """Return the beginning of an error that is ignored, on one line."""
    shown = printable(text, LONGEST_NOTE + 1)
    return shown if len(shown) <= LONGEST_NOTE else f"{shown[: LONGEST_NOTE - 1]}…"


def duration(seconds: float) -> str:
    """Return a duration as a clock shows it: 0:07, 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


def recap(counts: dict[str, Count], seconds: float, verbosity: int = 0, *, is_check: bool = False) -> list[Line]:
    """Return what became of all hosts, or would: one line, and one more for each kind of trouble."""
    if not counts:
        return [Line(f"Nothing was run, in {duration(seconds)}.")]
    changed = [one.changed for one in counts.values() if one.changed]
    made = counted(sum(changed), "change") + (" predicted" if is_check else "")
    changes = f"{made} on {len(changed)} of them" if changed else "nothing changed"
    lines = [Line(f"{counted(len(counts), 'host')} in {duration(seconds)}: {changes}.", CHANGED if changed else "ok")]
    for kind, attribute in ((FAILED, "failed"), (UNREACHABLE, "unreachable")):
        if hosts := _with(counts, attribute):
            lines.append(Line(f"{kind}: {names(hosts, None)}", kind))
    if verbosity:
        lines += [Line(f"  {host}: {_numbers(one)}") for host, one in sorted(counts.items())]
    return lines


def _with(counts: dict[str, Count], attribute: str) -> list[str]:
    return sorted(host for host, one in counts.items() if getattr(one, attribute))


def _numbers(count: Count) -> str:
    shown: Collection[str] = ("ok", "changed", "failed", "unreachable", "skipped", "rescued", "ignored")
    return ", ".join(f"{name} {getattr(count, name)}" for name in shown if getattr(count, name))
