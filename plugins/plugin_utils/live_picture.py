# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a wave is, as a few lines for a terminal: a bar, how many of how many in which step, and the slowest host.

Rich draws it in colour where it is installed; without it, the same is drawn with plain characters.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field

from ..module_utils._text import columns_of, printable
from .narration import duration

try:
    from rich.console import Console
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text
except ImportError:
    HAS_RICH = False
else:
    HAS_RICH = True

BAR = 30  # columns
NARROWEST = 20  # columns of a terminal in which anything is drawn


@dataclass
class Progress:
    """What goes on, in seconds of one clock. Not safe for threads: its owner has a lock."""

    began: float
    play: str = ""
    wave: int = 1
    total: int | None = None
    step: str = ""
    step_name: str = ""
    running: dict[tuple[str, str], float] = field(default_factory=dict)
    done: dict[str, set[str]] = field(default_factory=dict)
    retries: dict[tuple[str, str], str] = field(default_factory=dict)

    def begin_play(self, name: str, wave: int, total: int | None) -> None:
        """A play begins, or its next wave."""
        self.play, self.wave, self.total = name, wave, total
        self.step = self.step_name = ""
        self._forget()

    def begin_step(self, step: str, name: str, total: int | None) -> None:
        """A task begins on so many hosts. Others may go on, with the strategy free."""
        if not self.running:
            self._forget()
        self.step, self.step_name, self.total = step, name, total

    def begin_host(self, step: str, host: str, now: float) -> None:
        """A task begins on a host."""
        self.running[step, host] = now

    def retry(self, step: str, host: str, text: str) -> None:
        """A task is about to be tried again on a host."""
        self.retries[step, host] = text

    def end_host(self, step: str, host: str) -> None:
        """A task has ended on a host."""
        self.running.pop((step, host), None)
        self.retries.pop((step, host), None)
        self.done.setdefault(step, set()).add(host)

    def _forget(self) -> None:
        self.running.clear()
        self.retries.clear()
        self.done.clear()

    def count(self) -> tuple[int, int]:
        """Return how many hosts have done the step, of how many."""
        done = len(self.done.get(self.step, ()))
        going = sum(1 for step, _host in self.running if step == self.step)
        return done, max(done + going, self.total or 0)

    def slowest(self, now: float) -> str:
        """Return who has been busy longest, and how long; empty when nobody is."""
        if not self.running:
            return ""
        (step, host), since = min(self.running.items(), key=lambda one: one[1])
        retried = self.retries.get((step, host))
        return f"{host} {duration(now - since)}{f' ({retried})' if retried else ''}"


def drawn(progress: Progress, now: float, width: int, *, with_rich: bool) -> list[str]:
    """Return the lines of the picture, none of which is wider than the terminal."""
    if width < NARROWEST:
        return []
    wave = f" · wave {progress.wave}" if progress.wave > 1 else ""
    title = f"{printable(progress.play)}{wave}" if progress.play else "Starting"
    done, total = progress.count()
    facts = [f"{done} of {total}", printable(progress.step_name)] if progress.step_name else []
    if slowest := progress.slowest(now):
        facts.append(f"slowest: {slowest}")
    elapsed = duration(now - progress.began)
    share = done / total if total else 0.0
    return (_rich if with_rich and HAS_RICH else _plain)(title, elapsed, share, facts, width)


def _plain(title: str, elapsed: str, share: float, facts: list[str], width: int) -> list[str]:
    filled = round(share * BAR)
    lines = [f"{elapsed}  {title}"]
    if facts:
        lines.append(f"[{'#' * filled}{'-' * (BAR - filled)}]  {'  '.join(facts)}")
    return [_cropped(line, width) for line in lines]


def _cropped(line: str, width: int) -> str:
    taken, used = "", 0
    for character in line:
        used += columns_of(character)
        if used >= width:
            break
        taken += character
    return taken


def _rich(title: str, elapsed: str, share: float, facts: list[str], width: int) -> list[str]:
    console = Console(
        file=io.StringIO(),
        width=width - 1,
        height=4,
        force_terminal=True,
        color_system="standard",
        legacy_windows=False,
    )
    grid = Table.grid(padding=(0, 2))
    first = Text(elapsed, style="cyan").append(f"  {title}", style="bold")
    with console.capture() as capture:
        console.print(first, overflow="ellipsis", no_wrap=True)
        if facts:
            for _column in range(len(facts) + 1):
                grid.add_column(no_wrap=True, overflow="ellipsis")
            progress_bar = ProgressBar(total=1.0, completed=share, width=min(BAR, width // 3))
            styles = ("green", "", "yellow")
            grid.add_row(progress_bar, *(Text(fact, style=style) for fact, style in zip(facts, styles, strict=False)))
            console.print(grid)
    return capture.get().splitlines()
