# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `make bench` makes of its figures. The times themselves are not tested: they depend on the machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import ANY

import pytest

from bench import page
from bench.fleets import VARIABLES, Fleets, Night, visits_of_hosts
from bench.goals import Row, rows_of
from bench.inside import Followed
from bench.measuring import LATE, LOOP, START, Figures, fleet, plays_for
from bench.playbooks import FLOOR, OURS, PROCESS, URI, WAYS, Run
from bench.waves import Limited, Wave, Waves


def runs(**seconds: float) -> dict[str, list[Run]]:
    """Three runs of each way, of which the middle one took so many seconds, of wall clock as of processor."""
    ways = {"floor": FLOOR, "ours": OURS, "process": PROCESS, "uri": URI}
    return {
        ways[way]: [Run(value + more, value + more, 60 + value, 30, 30, 0.1) for more in (5, -0.1, 0)]
        for way, value in seconds.items()
    }


def figures_of(hosts: list[int], **plays: dict[str, list[Run]]) -> Figures:
    all_plays = {play.name: play for play in plays_for("abcdf", 30, hosts, is_full=False)}
    names = {"start": START, "loop": LOOP, "late": LATE}
    measured = {names.get(name, name.replace("_", " ")): ways for name, ways in plays.items()}
    return Figures(3, 30, measured, all_plays)


def told(figures: Figures, letters: str) -> list[tuple[str, bool | None]]:
    """What is measured and whether it is enough, of the rows with a goal."""
    return [(row.measured, row.is_met) for row in rows_of(figures, letters) if row.goal]


@pytest.mark.parametrize(("ours", "expected"), [(1.15, ("89", True)), (1.3, ("36", False))])
def test_an_item_is_judged_by_what_it_takes_beyond_a_task_that_does_nothing(ours: float, expected: tuple[str, bool]):
    loop = runs(floor=1.1, ours=ours + 0.05, process=11, uri=10)
    figures = figures_of([60], start=runs(floor=1), loop=loop)
    assert told(figures, "a") == [expected]
    items = "debug 3.3, ours 6.7" if expected[1] else "debug 3.3, ours 11.7"
    assert next(row.measured for row in rows_of(figures, "a")) == f"{items}, module process 333.3, uri 300.0"


def test_fleets_are_compared_with_the_floor():
    some = runs(floor=2, ours=2.5, process=26, uri=25)
    many = runs(floor=20, ours=27)
    figures = figures_of([60, 800], fleet_of_60=some, fleet_of_800=many)
    assert told(figures, "b") == [("1.25", True), ("10.0", True)]
    assert told(figures, "c") == [
        ("1.35 (27.0 s ÷ 20.0 s), a host adds 8.8 ms", False),
        ("8.3 to 8.8 ms: +5%", True),
    ]


def test_what_was_not_measured_is_neither_met_nor_missed():
    figures = figures_of([60], fleet_of_60=runs(floor=2, ours=2.5, process=26, uri=25))
    assert [is_met for _measured, is_met in told(figures, "c")] == [None, None]


def test_latency_and_memory():
    figures = figures_of([60], start=runs(floor=1), late=runs(ours=2.2, uri=9), loop=runs(ours=2, uri=3))
    assert told(figures, "d") == [("1.20 (1.20 s)", True)]
    figures.memory = {LOOP: {OURS: [90, 99, 100], URI: [110, 100, 120]}}
    assert told(figures, "f") == [("0.90 (99 MiB ÷ 110 MiB)", True)]


@pytest.mark.parametrize(
    ("seconds", "late", "looks", "is_met"),
    [(3, 0.9, 4, True), (3, 1.1, 4, False), (20, 2.9, 4, True), (20, 3.1, 4, False), (20, 0.1, 26, False)],
)
def test_an_end_is_known_soon_and_without_too_many_looks(seconds: float, late: float, looks: int, is_met: bool):
    figures = Figures(1, 30, followed=[Followed(seconds, late, looks, looks)])
    assert [met for _measured, met in told(figures, "g")] == [is_met]


def test_the_table_takes_its_place_in_a_page(tmp_path: Path):
    guide = tmp_path / "speed.md"
    guide.write_text(f"# Speed\n\n{page.BEGIN}old\n{page.END}\nThe rest.\n")
    page.write(guide, [Row("a", "  uri ÷ ours", "61", "≥ 60", True), Row("f", "memory", "0.5")], ["rounds: 3"])
    text = guide.read_text()
    assert "old" not in text
    assert "| uri ÷ ours | 61 | ≥ 60 | yes |\n| memory | 0.5 | – | – |\n\n- rounds: 3\n" in text
    assert text.startswith("# Speed\n")
    assert text.endswith("The rest.\n")
    guide.write_text("# Speed\n")
    with pytest.raises(ValueError, match="no place for the table"):
        page.write(guide, [], [])


def test_slow_ways_stay_with_small_fleets_unless_everything_is_wanted():
    plays = plays_for("c", 30, [60, 800], is_full=False)
    assert [(play.name, play.ways) for play in plays] == [(fleet(60), WAYS), (fleet(800), (FLOOR, OURS))]
    assert all(play.ways == WAYS for play in plays_for("c", 30, [60, 800], is_full=True))


def test_the_journal_is_judged_by_its_median():
    figures = Figures(1, 30, journal={"one": [1.0] * 90 + [9.0] * 10, "other": [1.6] * 100})
    assert told(figures, "e") == [("1.00 ms (95 % within 9.00 ms)", True), ("1.60 ms (95 % within 1.60 ms)", False)]


def nights_of(cpu_a_host: float, hosts: int, requests: int, tasks: float) -> list[Night]:
    run = Run(1, cpu_a_host * hosts, 60, requests * hosts, hosts, 0.1)
    return [Night(run, lines=7 * hosts, visits=tasks)] * 3


def test_a_whole_playbook_is_judged_by_the_host():
    figures = Figures(3, 30)
    for hosts, ours in ((40, 0.2), (60, 0.2), (400, 0.25)):
        ways = {
            FLOOR: nights_of(0.02, hosts, 0, 1),
            URI: nights_of(3.5, hosts, 7, 7),
            OURS: nights_of(ours, hosts, 6, 8),
        }
        figures.whole.append(Fleets(hosts, dict.fromkeys(VARIABLES, ways)))
    assert told(figures, "h") == [
        *[("10.0", False), ("17.5", True), ("8.0", False), ("6.0", True)],
        *[("10.0", False), ("8.0", True)],
        *[("10.0", False), ("8.0", False)],
        *[("1.25", False)] * 3,
    ]


def test_visits_are_counted_from_what_a_run_prints():
    output = """
TASK [Keep the environment] ****
ok: [host1]
changed: [host2 -> localhost]
skipping: [host3]
included: /a/file.yml for host1
fatal: [host4]: FAILED! => {"msg": "ok: no"}

PLAY RECAP ****
host1                      : ok=1    changed=0
"""
    assert visits_of_hosts(output) == 5


def waves_of(*waves: Wave, **others) -> Figures:
    return Figures(3, 30, waves=Waves(list(waves), **others))


QUICK = Wave(40, 10, [90, 45, 44], [13, 13.5, 30], 229)
SLOW = Wave(200, 30, [900], [21], 231)


def test_a_wave_is_compared_with_what_the_service_needs():
    assert told(waves_of(QUICK, SLOW), "i") == [
        ("1.5 (45 s ÷ 30 s)", True),
        ("13.5", True),
        ("229 MiB", True),
        ("10.0 (900 s ÷ 90 s)", False),
        ("21.0", False),
        ("231 MiB", False),
        ("not measured, see --full", None),
    ]


@pytest.mark.parametrize(("by_hand", "expected"), [(360, ("8.0 (360 s ÷ 45 s)", True)), (350, (ANY, False))])
def test_a_wave_is_compared_with_the_same_by_hand(by_hand: float, expected: tuple[str, bool]):
    wave = replace(QUICK, by_hand=[by_hand, by_hand + 100, by_hand - 100])
    assert told(waves_of(wave), "i")[3] == expected


@pytest.mark.parametrize(("megabytes", "expected"), [(250, ("1.09 (250 MiB ÷ 229 MiB)", True)), (253, (ANY, False))])
def test_a_large_wave_takes_hardly_more_memory(megabytes: float, expected: tuple[str, bool]):
    large = Wave(400, 1, [], [], megabytes)
    assert told(waves_of(QUICK, large=large), "i")[3] == expected


@pytest.mark.parametrize(
    ("seconds", "has_failed", "is_met"), [(280, False, True), (290, False, False), (280, True, False)]
)
def test_under_a_limit_a_wave_takes_hardly_longer_than_its_requests(seconds: float, has_failed: bool, is_met: bool):
    limited = Limited(40, seconds, useful=400, refused=90, has_failed=has_failed)
    measured, met = told(waves_of(QUICK, limited=limited), "i")[-1]
    assert met is is_met
    assert f"({seconds} s ÷ 200 s), 400 useful, 90 others" in measured
    assert measured.endswith("failed" if has_failed else "no error")
