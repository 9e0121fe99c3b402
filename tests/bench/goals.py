# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of the table: what was measured, and whether that is what we want."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from .fleets import DEPLOY, MAINTAIN, REPORT
from .measuring import HOSTS, LATE, LATE_ITEMS, LATENCY, SHORT, Figures, fleet
from .playbooks import FLOOR, OURS, URI, WAYS
from .waves import FORKS, PER_MINUTE, TIMES_LARGER

LARGEST_FLEET = 800
LOOKS_A_MINUTE = 25
WHOLE = {MAINTAIN: (9, 16, 7, 6), DEPLOY: (8, None, 8, None), REPORT: (6, None, 4, None)}
"""Of each whole playbook the most in debug tasks, the least that uri takes more, the most tasks and requests a host."""


@dataclass(frozen=True)
class Row:
    """A row of the table. `is_met` is None where nothing was measured that could tell, and without a goal."""

    letter: str
    work: str
    measured: str
    goal: str = ""
    is_met: bool | None = None


def rows_of(figures: Figures, letters: str) -> list[Row]:
    """The rows with these letters."""
    makers = {
        "a": _loop,
        "b": _fleet,
        "c": _fleets,
        "d": _latency,
        "e": _journal,
        "f": _memory,
        "g": _operations,
        "h": _whole,
        "i": _waves,
    }
    return [row for letter in letters for row in makers[letter](figures)]


def _loop(figures: Figures) -> list[Row]:
    """What Ansible itself takes for an item is no way's merit or fault, so the goal is about what comes on top."""
    floor, ours, uri = (figures.an_item(way) for way in (FLOOR, OURS, URI))
    each = [f"{SHORT[way]} {figures.an_item(way):.1f}" for way in WAYS]
    ratio = (uri - floor) / (ours - floor)
    return [
        Row("a", f"CPU of an item, loop of {figures.items}, in ms", ", ".join(each)),
        Row("a", "  uri ÷ ours", f"{uri / ours:.0f}"),
        Row("a", "  uri ÷ ours, each beyond debug", f"{ratio:.0f}", "≥ 60", ratio >= 60),
    ]


def _fleet(figures: Figures) -> list[Row]:
    hosts = figures.base_fleet
    seconds = {way: figures.median(fleet(hosts), way, "seconds") for way in WAYS}
    each = [f"{SHORT[way]} {value:.1f}" for way, value in seconds.items() if value is not None]
    to_floor = figures.to_floor(hosts, OURS)
    rows = [
        Row("b", f"{hosts} hosts, 10 forks, in s", ", ".join(each)),
        Row("b", "  ours ÷ debug", f"{to_floor:.2f}", *_at_most(to_floor, 1.3)),
    ]
    if seconds[URI] is not None:
        ratio = seconds[URI] / seconds[OURS]
        rows.append(Row("b", "  uri ÷ ours", f"{ratio:.1f}", "≥ 9", ratio >= 9))
    return rows


def _fleets(figures: Figures) -> list[Row]:
    base, fleets = figures.base_fleet, figures.fleets
    rows = []
    for hosts in fleets:
        ratio, added = figures.to_floor(hosts, OURS), figures.a_host(hosts, OURS)
        seconds = [figures.median(fleet(hosts), way, "seconds") for way in (FLOOR, OURS)]
        measured = f"{ratio:.2f} ({seconds[1]:.1f} s ÷ {seconds[0]:.1f} s), a host adds {added:.1f} ms"
        goal = _at_most(ratio, 1.3) if hosts == LARGEST_FLEET else ()
        rows.append(Row("c", f"{hosts} hosts, ours ÷ debug", measured, *goal))
    if LARGEST_FLEET not in fleets:
        rows.append(Row("c", f"{LARGEST_FLEET} hosts, ours ÷ debug", "not measured, see --full", "≤ 1.3"))
    work, goal = f"  a host adds, from {HOSTS} hosts on", "grows ≤ 10 %"
    if len(fleets) == 1:
        return [*rows, Row("c", work, "not measured, see --full", goal)]
    first, last = figures.a_host(base, OURS), figures.a_host(fleets[-1], OURS)
    growth = last / first - 1
    return [*rows, Row("c", work, f"{first:.1f} to {last:.1f} ms: {growth:+.0%}", goal, growth <= 0.1)]


def _latency(figures: Figures) -> list[Row]:
    rows = []
    for way in (OURS, URI):
        seconds = figures.above_start(LATE, way, "seconds")
        ratio = seconds / (LATE_ITEMS * LATENCY)
        work = f"loop of {LATE_ITEMS} at {LATENCY * 1000:.0f} ms, {SHORT[way]} ÷ latency"
        rows.append(Row("d", work, f"{ratio:.2f} ({seconds:.2f} s)", *(_at_most(ratio, 1.3) if way == OURS else ())))
    return rows


def _journal(figures: Figures) -> list[Row]:
    rows = []
    for kind, taken in figures.journal.items():
        median, slow = statistics.median(taken), statistics.quantiles(taken, n=20)[-1]
        measured = f"{median:.2f} ms (95 % within {slow:.2f} ms)"
        rows.append(Row("e", f"journal, of a request {kind}", measured, *_at_most(median, 1.5, " ms")))
    return rows


def _memory(figures: Figures) -> list[Row]:
    rows = []
    for play, ways in figures.memory.items():
        ours, uri = (statistics.median(ways[way]) for way in (OURS, URI))
        measured = f"{ours / uri:.2f} ({ours:.0f} MiB ÷ {uri:.0f} MiB)"
        rows.append(Row("f", f"memory of all processes, {play}, ours ÷ uri", measured, *_at_most(ours / uri, 1.0)))
        ours, uri = (figures.median(play, way, "megabytes") for way in (OURS, URI))
        rows.append(Row("f", "  of the largest process", f"{ours / uri:.2f} ({ours:.0f} MiB ÷ {uri:.0f} MiB)"))
    return rows


def _operations(figures: Figures) -> list[Row]:
    rows = []
    for one in figures.followed:
        measured = f"{one.late:.1f} s ({one.share:.0%}), {one.looks} looks, {one.looks_a_minute}/min"
        is_met = (one.late <= 1 or one.share <= 0.15) and one.looks_a_minute <= LOOKS_A_MINUTE
        goal = f"≤ 1 s or 15 %, ≤ {LOOKS_A_MINUTE}/min"
        rows.append(Row("g", f"an operation of {one.seconds:g} s, known late by", measured, goal, is_met))
    return rows


def _whole(figures: Figures) -> list[Row]:
    rows = []
    middle = figures.whole[len(figures.whole) // 2]
    for playbook, (to_debug, uri_to, visits, requests) in WHOLE.items():
        floor, ours, uri = (middle.a_host(playbook, way) for way in (FLOOR, OURS, URI))
        measured = f"debug {floor * 1000:.0f}, ours {ours * 1000:.0f}, uri {uri * 1000:.0f}"
        rows.append(Row("h", f"{playbook}, nothing to do, CPU a host of {middle.hosts}, in ms", measured))
        rows.append(Row("h", "  ours ÷ debug", f"{ours / floor:.1f}", *_at_most(ours / floor, to_debug)))
        is_met = uri / ours >= uri_to if uri_to else None
        rows.append(Row("h", "  uri ÷ ours", f"{uri / ours:.1f}", f"≥ {uri_to}" if uri_to else "", is_met))
        tasks = middle.median(playbook, OURS, lambda night: night.visits)
        rows.append(Row("h", "  tasks a host, skipped ones included", f"{tasks:.1f}", *_at_most(tasks, visits)))
        sent = middle.median(playbook, OURS, lambda night: night.run.requests / middle.hosts)
        rows.append(Row("h", "  requests a host", f"{sent:.1f}", *(_at_most(sent, requests) if requests else ())))
        lines = middle.median(playbook, OURS, lambda night: night.lines / middle.hosts)
        rows.append(Row("h", "  lines printed a host", f"{lines:.1f}"))
    if len(figures.whole) > 1:
        small, large = figures.whole[0], figures.whole[-1]
        for playbook in WHOLE:
            growth = large.a_host(playbook, OURS) / small.a_host(playbook, OURS)
            work = f"{playbook}, CPU a host, {large.hosts} ÷ {small.hosts} hosts"
            rows.append(Row("h", work, f"{growth:.2f}", *_at_most(growth, 1.15)))
    return rows


def _waves(figures: Figures) -> list[Row]:
    rows = []
    for one in figures.waves.waves:
        work = f"a wave of {one.sites} sites, {FORKS} forks, operations of {one.operation_seconds:g} s"
        seconds = statistics.median(one.seconds)
        measured = f"{one.share:.1f} ({seconds:.0f} s ÷ {one.needed:.0f} s)"
        rows.append(Row("i", f"{work}, ours ÷ what the service needs", measured, *_at_most(one.share, 1.6)))
        requests = statistics.median(one.requests)
        rows.append(Row("i", "  requests a host", f"{requests:.1f}", *_at_most(requests, 20)))
        goal = _at_most(one.megabytes, 230, " MiB")
        rows.append(Row("i", "  memory of all processes", f"{one.megabytes:.0f} MiB", *goal))
        if one.by_hand:
            ratio = one.hand_to_ours
            measured = f"{ratio:.1f} ({statistics.median(one.by_hand):.0f} s ÷ {seconds:.0f} s)"
            rows.append(Row("i", "  by hand (uri, until and retries) ÷ ours", measured, "≥ 8", ratio >= 8))
    return [*rows, *_memory_of_waves(figures), *_limited_wave(figures)]


def _memory_of_waves(figures: Figures) -> list[Row]:
    small, large = figures.waves.waves[0], figures.waves.large
    work = f"memory of all processes, wave of {TIMES_LARGER * small.sites} ÷ {small.sites} sites"
    if large is None:
        return [Row("i", work, "not measured, see --full", "≤ 1.1")]
    growth = large.megabytes / small.megabytes
    measured = f"{growth:.2f} ({large.megabytes:.0f} MiB ÷ {small.megabytes:.0f} MiB)"
    return [Row("i", work, measured, *_at_most(growth, 1.1))]


def _limited_wave(figures: Figures) -> list[Row]:
    one = figures.waves.limited
    if one is None:
        return []
    work = f"a wave of {one.sites} sites, {PER_MINUTE} requests a minute, ours ÷ what its useful requests need"
    needed = one.useful / PER_MINUTE * 60
    measured = f"{one.share:.1f} ({one.seconds:.0f} s ÷ {needed:.0f} s)"
    outcome = "failed" if one.has_failed else "no error"
    said = f"{measured}, {one.useful} useful, {one.refused} others, {outcome}"
    return [Row("i", work, said, "≤ 1.4, no error", one.share <= 1.4 and not one.has_failed)]


def _at_most(value: float, limit: float, unit: str = "") -> tuple[str, bool]:
    return f"≤ {limit:g}{unit}", value <= limit
