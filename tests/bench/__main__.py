# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what tasks cost: this collection, in-process and as a module process, and ansible.builtin.uri.

Every way sends the same requests to a simulator with TLS, and trusts a bundle of the usual size. The rounds are
interleaved, and medians count. Only ratios within one run mean anything. Nothing is judged: the exit status is 0.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import ssl
import statistics
import sys
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from . import fleets, goals, measuring, page, waves
from .measuring import FULL_HOSTS, FULL_OPERATIONS, HOSTS, ITEMS, ROWS, START, Figures
from .playbooks import FLOOR, ROOT, prepare
from .service import Service

BUSY = 0.5  # from this share of the time on, the simulator may be what is measured


def main() -> int:
    """Measure, and show the table."""
    options = _options()
    console = Console(highlight=False, width=120)
    load = os.getloadavg()[0]
    plays = measuring.plays_for(options.only, options.items, options.hosts, options.full)
    prepare()
    hosts = options.hosts[0] if len(options.hosts) == 1 else HOSTS
    largest = fleets.LARGE if options.full else hosts
    sizes = options.waves or (waves.FULL_SIZES if options.full else waves.SIZES)
    in_waves = max(*sizes, waves.largest_wave(sizes) if options.full else 0) if "i" in options.only else 0
    sites = max([len(FULL_OPERATIONS), largest, in_waves, *(play.requests for play in plays)])
    with Service(sites) as service, Console(stderr=True).status("") as status:
        figures = measuring.measure(
            service, options.only, plays, options.rounds, options.items, hosts, sizes, options.full, status.update
        )
    rows = goals.rows_of(figures, options.only)
    surroundings = {**_surroundings(), "load average at the start": f"{load:.1f}"}
    notes = _notes(figures, surroundings)
    console.print(_table(rows))
    for line in [*notes, _verdict(rows)]:
        console.print(line, soft_wrap=True)
    if options.json:
        content = {"rows": rows, "figures": figures, "surroundings": surroundings}
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(content, default=asdict, indent=1, ensure_ascii=False) + "\n")
    if options.page:
        page.write(options.page, rows, notes)
    if options.chart:
        from .chart import draw

        draw(figures, options.chart)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("make bench ARGS=...", description=__doc__)
    rows = ", ".join(f"{letter} {what}" for letter, what in ROWS.items())
    parser.add_argument("--rounds", type=_positive, default=3, help="rounds, whose median counts (%(default)s)")
    parser.add_argument("--only", type=_letters, default="".join(ROWS), help=f"some rows only, as in a,e: {rows}")
    parser.add_argument("--hosts", type=_numbers, help=f"numbers of hosts of fleets, as in 60,200 ({HOSTS})")
    of_waves = "sites of waves and seconds of their operations, as in 4:2,8:2 (40:10, with --full also 200:30)"
    parser.add_argument("--waves", type=_sizes, help=of_waves)
    parser.add_argument("--items", type=_positive, default=ITEMS, help="items of the loop (%(default)s)")
    full = f"all fleets ({', '.join(map(str, FULL_HOSTS))} hosts) in all ways, and a longer operation; takes an hour"
    parser.add_argument("--full", action="store_true", help=full)
    parser.add_argument("--json", type=_path, metavar="FILE", help="write all figures to this file")
    parser.add_argument("--page", type=_path, metavar="FILE", help="put the table into this page, docs/speed.md")
    parser.add_argument("--chart", type=_path, metavar="FILE", help="draw them, as SVG; needs the rows a and b")
    options = parser.parse_args()
    options.hosts = options.hosts or (list(FULL_HOSTS) if options.full else [HOSTS])
    if options.chart and not ("a" in options.only and set("bc") & set(options.only)):
        parser.error("--chart needs the rows a and b")
    return options


def _positive(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return int(text)


def _numbers(text: str) -> list[int]:
    return sorted({_positive(part) for part in text.split(",")})


def _sizes(text: str) -> dict[int, float]:
    pairs = [part.partition(":") for part in text.split(",")]
    return {_positive(sites): float(_positive(seconds)) for sites, _colon, seconds in pairs}


def _letters(text: str) -> str:
    letters = set(text.replace(",", ""))
    if not letters or letters - ROWS.keys():
        raise argparse.ArgumentTypeError(f"{text} is not some of {','.join(ROWS)}")
    return "".join(sorted(letters))


def _path(text: str) -> Path:
    """A path, seen from the top of the checkout."""
    return ROOT / text


def _table(rows: list[goals.Row]) -> Table:
    table = Table("", "work", "measured", "goal", "met?")
    before = None
    for row in rows:
        if before not in (None, row.letter):
            table.add_section()
        before = row.letter
        table.add_row(row.letter, row.work, row.measured, row.goal, page.MARKS[row.is_met] if row.goal else "")
    return table


def _surroundings() -> dict[str, str]:
    return {
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
        "versions": f"Python {platform.python_version()}, ansible-core {version('ansible-core')},"
        f" requests {version('requests')}, {ssl.OPENSSL_VERSION}",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _notes(figures: Figures, surroundings: dict[str, str]) -> list[str]:
    notes = [f"{name}: {text}" for name, text in surroundings.items()]
    notes.append(f"rounds: {figures.rounds}, interleaved; medians; TLS with a bundle of certifi's size")
    if START in figures.runs:
        seconds, cpu = (figures.median(START, FLOOR, name) for name in ("seconds", "cpu_seconds"))
        notes.append(f"start-up of ansible-playbook, taken off in a and d: {seconds:.2f} s, of them {cpu:.2f} s of CPU")
    runs = [run for ways in figures.runs.values() for way, runs in ways.items() if way != FLOOR for run in runs]
    if runs:
        shares = [one.simulator_cpu_seconds / one.seconds for one in runs]
        together = sum(one.simulator_cpu_seconds for one in runs) / sum(one.seconds for one in runs)
        each = statistics.median(one.simulator_cpu_seconds / one.requests for one in runs) * 1000
        doubt = ", so it may be the bottleneck" if max(shares) > BUSY else ""
        notes.append(
            f"the simulator was busy for {together:.0%} of the time, for {max(shares):.0%} in one run{doubt}"
            f" ({each:.1f} ms of CPU a request, in a process of its own)"
        )
        notes.append(f"TLS connections a request: {_connections(figures)}")
    return notes


def _connections(figures: Figures) -> str:
    """For loops: the hosts of a fleet have nothing to share."""
    shares = []
    for play, ways in figures.runs.items():
        for way, runs in ways.items():
            if way != FLOOR and figures.plays[play].items:
                share = sum(one.connections for one in runs) / sum(one.requests for one in runs)
                shares.append(f"{play}, {measuring.SHORT[way]} {share:.2f}")
    return "; ".join(shares) or "not measured"


def _verdict(rows: list[goals.Row]) -> str:
    missed = [f"{row.letter} ({row.work.strip()})" for row in rows if row.is_met is False]
    unknown = [f"{row.letter} ({row.work.strip()})" for row in rows if row.goal and row.is_met is None]
    parts = [f"goals not met: {', '.join(missed)}" if missed else "all measured goals are met"]
    if unknown:
        parts.append(f"not measured: {', '.join(unknown)}")
    return "; ".join(parts)


if __name__ == "__main__":
    sys.exit(main())
