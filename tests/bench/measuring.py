# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured for which row of the table, in interleaved rounds."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

from . import fleets, inside, waves
from .playbooks import FLOOR, OURS, PROCESS, URI, WAYS, Play, Run, peak_of_all, run
from .service import Service

ITEMS = 30
HOSTS = 60  # of the fleet that others are compared with
SLOW_WAYS_UP_TO = 100  # hosts: beyond, a module process for each takes minutes
FULL_HOSTS = (50, HOSTS, 100, 200, 400, 800)
LATE_ITEMS, LATENCY = 20, 0.05
OPERATIONS, FULL_OPERATIONS = (3, 8, 20), (3, 8, 20, 60)  # seconds

JOURNAL_TASKS = {"that may be repeated": True, "that must not be": False}  # what is sent, and whether it may

START, LOOP, LATE = "start-up", "loop", "latency"
SHORT = {FLOOR: "debug", OURS: "ours", PROCESS: "module process", URI: "uri"}
ROWS = {
    "a": "an item of a loop",
    "b": "a fleet",
    "c": "larger fleets",
    "d": "a loop with latency",
    "e": "the journal",
    "f": "memory",
    "g": "the ends of operations",
    "h": "whole playbooks",
    "i": "a deployment to a wave",
}


@dataclass
class Figures:
    """All that was measured: runs by play and way, and what was measured without playbooks."""

    rounds: int
    items: int
    runs: dict[str, dict[str, list[Run]]] = field(default_factory=dict)
    plays: dict[str, Play] = field(default_factory=dict)
    memory: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    journal: dict[str, list[float]] = field(default_factory=dict)
    followed: list[inside.Followed] = field(default_factory=list)
    whole: list[fleets.Fleets] = field(default_factory=list)  # by growing number of hosts
    waves: waves.Waves = field(default_factory=waves.Waves)

    def median(self, play: str, way: str, name: str) -> float | None:
        """The median of a field of the runs, or None where there are none."""
        runs = self.runs.get(play, {}).get(way)
        return statistics.median(getattr(one, name) for one in runs) if runs else None

    def above_start(self, play: str, way: str, name: str) -> float | None:
        """The median without what ansible-playbook itself takes to start and end."""
        value = self.median(play, way, name)
        return None if value is None else value - self.median(START, FLOOR, name)

    def an_item(self, way: str) -> float | None:
        """The processor time of an item of the loop, in milliseconds."""
        value = self.above_start(LOOP, way, "cpu_seconds")
        return None if value is None else value / self.items * 1000

    def to_floor(self, hosts: int, way: str) -> float:
        """How many times as long as the floor a fleet takes."""
        return self.median(fleet(hosts), way, "seconds") / self.median(fleet(hosts), FLOOR, "seconds")

    def a_host(self, hosts: int, way: str) -> float:
        """What a host of a fleet adds to the floor, in milliseconds."""
        above = self.median(fleet(hosts), way, "seconds") - self.median(fleet(hosts), FLOOR, "seconds")
        return above / hosts * 1000

    @property
    def fleets(self) -> list[int]:
        """The numbers of hosts that were measured."""
        return sorted(play.hosts for play in self.plays.values() if play.name.startswith("fleet"))

    @property
    def base_fleet(self) -> int | None:
        """The number of hosts that others are compared with."""
        fleets = self.fleets
        return HOSTS if HOSTS in fleets else min(fleets, default=None)


def fleet(hosts: int) -> str:
    return f"fleet of {hosts}"


def plays_for(rows: str, items: int, hosts: list[int], is_full: bool) -> list[Play]:
    """The playbooks that these rows need."""
    plays = []
    if set(rows) & set("ad"):
        plays.append(Play(START, ways=(FLOOR,)))
    if "a" in rows or ("f" in rows and "b" not in rows):
        plays.append(Play(LOOP, items=items))
    if "d" in rows:
        plays.append(Play(LATE, items=LATE_ITEMS, latency=LATENCY, ways=(OURS, URI)))
    if set(rows) & set("bc"):
        for number in hosts:
            ways = WAYS if is_full or number <= SLOW_WAYS_UP_TO else (FLOOR, OURS)
            plays.append(Play(fleet(number), hosts=number, ways=ways))
    return plays


def measure(
    service: Service,
    rows: str,
    plays: list[Play],
    rounds: int,
    items: int,
    hosts: int,
    sizes: dict[int, float],
    is_full: bool,
    report: Callable[[str], object],
) -> Figures:
    """Measure everything. ``report`` is called with what comes next.

    ``hosts`` are those of whole playbooks, ``sizes`` the seconds that operations take by the sites of a wave.
    """
    figures = Figures(rounds, items, plays={play.name: play for play in plays})
    for number in range(1, rounds + 1):
        for play in plays:
            for way in play.ways:
                report(f"round {number} of {rounds}: {play.name}, {way}")
                figures.runs.setdefault(play.name, {}).setdefault(way, []).append(run(service, play, way))
                if "f" in rows and play.name in (LOOP, fleet(HOSTS)) and way in (OURS, URI):
                    peak = peak_of_all(service, play, way)
                    figures.memory.setdefault(play.name, {}).setdefault(way, []).append(peak)
    if "e" in rows:
        report("the journal")
        for _round in range(rounds):
            for kind, is_repeatable in JOURNAL_TASKS.items():
                figures.journal.setdefault(kind, []).extend(inside.journal_milliseconds(is_repeatable))
    if "g" in rows:
        lengths = FULL_OPERATIONS if is_full else OPERATIONS
        report(f"operations of {', '.join(map(str, lengths))} s, side by side")
        figures.followed = inside.follow_operations(service, list(lengths))
    if "h" in rows:
        sizes = {fleets.SMALL, hosts, fleets.LARGE} if is_full else {hosts}
        for size in sorted(sizes):
            ways = fleets.WAYS if size == hosts else (OURS,)  # of the others, only what a host costs counts
            figures.whole.append(fleets.measure(service, size, rounds, report, ways))
    if "i" in rows:
        figures.waves = waves.measure(service, sizes, rounds, is_full, report)
    return figures
