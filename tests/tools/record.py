# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command in a terminal, and write what it shows as a picture that moves: an SVG that plays in any browser.

    python tests/tools/record.py docs/images/demo.svg --without '^ok: ' -- make demo

Where pictures do not move, or the reader wants less motion, it shows the end.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.ansi import AnsiDecoder
from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 118
LONGEST_PAUSE, LAST_PAUSE = 1.0, 6.0  # seconds
PLAIN = SVG_EXPORT_THEME.foreground_color.hex
CURSOR = re.compile(r"\x1b\[[0-9;?]*[A-HJKSTfhlnsu]")
"""Sequences that move or hide the cursor, or erase; those that colour end with m."""

FILLING = re.compile(r"[ *]*$")
"""The asterisks with which Ansible fills its headings."""

# Rich fills it in. A cover of the terminal's colour hides what is not said yet; it and the lines move by whole lines.
TEMPLATE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 WIDTH HEIGHT" role="img" aria-labelledby="{unique_id}-title">
<!-- Copyright: hosting.management contributors
GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
SPDX-License-Identifier: GPL-3.0-or-later -->
<title id="{unique_id}-title">NAME</title>
<style>
text {{ font: {char_height}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }}
text {{ fill: PLAIN; }}
.page {{ fill: #0d1117; stroke: #3d444d; }}
.cover {{ fill: #0d1117; }}
{styles}
.lines {{ translate: 0 SCROLLEDpx; }}
.cover {{ translate: 0 ENDpx; }}
@media not (prefers-reduced-motion) {{
.lines {{ animation: lines SECONDSs step-end infinite; }}
.cover {{ animation: cover SECONDSs step-end infinite; }}
}}
@keyframes lines {{ SCROLLS }}
@keyframes cover {{ COVERS }}
</style>
<rect class="page" x="1" y="1" width="INNER" height="TALL" rx="8"/>
<svg x="16" y="16" width="{terminal_width}" height="SHOWN" viewBox="0 2 {terminal_width} SHOWN">
<g class="lines">
{backgrounds}
{matrix}
<rect class="cover" width="{terminal_width}" height="{terminal_height}"/>
</g>
</svg>
</svg>
"""


@dataclass
class Line:
    """A line of the terminal, and the second at which it was complete."""

    at: float
    text: Text


def run(command: list[str], columns: int, rows: int) -> Iterator[tuple[float, str]]:
    """Run a command in a terminal of this size; yield its lines as they come. Raises CalledProcessError."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    environment = kept | {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": str(rows)}
    began, unfinished = time.monotonic(), b""
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=its, stderr=its
    ) as process:
        os.close(its)
        while output := _read(ours):
            *lines, unfinished = (unfinished + output).split(b"\n")
            for line in lines:
                yield time.monotonic() - began, line.decode(errors="replace").rstrip("\r")
    os.close(ours)
    if unfinished:
        yield time.monotonic() - began, unfinished.decode(errors="replace")
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other side is closed
        return b""


def recorded(command: list[str], columns: int, rows: int, without: re.Pattern[str] | None) -> list[Line]:
    """The lines that a command shows, in the terminal's width, without long pauses and those lines."""
    decoder, lines = AnsiDecoder(), [Line(0, Text(f"$ {shlex.join(command)}", style="bold"))]
    last, now = 0.0, 0.5
    for at, shown in run(command, columns, rows):
        now += min(at - last, LONGEST_PAUSE)
        last = at
        text = decoder.decode_line(CURSOR.sub("", shown).replace(f"{ROOT}/", ""))
        text = text[: FILLING.search(text.plain).start()]
        if without and without.search(text.plain):
            continue
        lines += [Line(now, part) for part in text.divide(range(columns, len(text), columns))]
    return lines


def drawn(lines: list[Line], name: str, columns: int, rows: int) -> str:
    """The recording as SVG."""
    console = Console(record=True, width=columns, file=open(os.devnull, "w"), force_terminal=True)  # noqa: SIM115
    for line in lines:
        console.print(line.text, no_wrap=True, overflow="ignore", crop=True, highlight=False)
    width, height = 12.2, 24.4  # of a character in Rich's pictures
    seconds = lines[-1].at + LAST_PAUSE
    shown_at = {round(line.at, 1): number for number, line in enumerate(lines, 1)}  # of lines at one time, the last
    steps = [(100 * at / seconds, number) for at, number in shown_at.items()]
    scrolled = [(at, max(0, number - rows) * -height) for at, number in steps]
    values = {
        "WIDTH": f"{columns * width + 32:.0f}",
        "HEIGHT": f"{rows * height + 32:.0f}",
        "INNER": f"{columns * width + 30:.0f}",
        "TALL": f"{rows * height + 30:.0f}",
        "SHOWN": f"{rows * height:.0f}",
        "SCROLLED": f"{scrolled[-1][1]:.1f}",
        "END": f"{len(lines) * height:.1f}",
        "SECONDS": f"{seconds:.1f}",
        "SCROLLS": _keyframes(scrolled),
        "COVERS": _keyframes([(at, number * height) for at, number in steps]),
        "PLAIN": PLAIN,
        "NAME": name.replace("&", "&amp;").replace("<", "&lt;"),
    }
    template = re.sub("|".join(values), lambda word: values[word[0]], TEMPLATE)
    svg = console.export_svg(code_format=template, unique_id="r")
    plain = re.findall(rf"\.(r-r\d+) {{ fill: {PLAIN} }}", svg)
    # Rich says of each text what most of them have in common; without that, the picture has half the size.
    for needless, instead in (
        (r' clip-path="[^"]*"', ""),
        (r"<text[^>]*>\n</text>", ""),
        ("&#160;", " "),
        (rf' class="({"|".join(plain)})"', ""),
    ):
        svg = re.sub(needless, instead, svg)
    return svg


def _keyframes(steps: list[tuple[float, float]]) -> str:
    moves = [step for before, step in zip([(0, None), *steps], steps, strict=False) if step[1] != before[1]]
    return " ".join(f"{at:.1f}% {{{{ translate: 0 {offset:.1f}px }}}}" for at, offset in moves)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=Path, help="the SVG to write")
    parser.add_argument("--rows", type=int, default=30, help="the height of the terminal")
    parser.add_argument("--columns", type=int, default=COLUMNS, help="its width")
    parser.add_argument("--without", type=re.compile, metavar="REGEX", help="lines to leave out")
    parser.add_argument("command", nargs="+", help="what to run, after --")
    options = parser.parse_args()
    try:
        lines = recorded(options.command, options.columns, options.rows, options.without)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"Nothing was recorded: {error}", file=sys.stderr)
        return 1
    svg = drawn(lines, f"Recording of {shlex.join(options.command)}", options.columns, min(options.rows, len(lines)))
    options.picture.write_text(svg)
    print(f"{options.picture}: {len(lines)} lines, {lines[-1].at:.0f} seconds, {len(svg.encode()) / 1000:.0f} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
