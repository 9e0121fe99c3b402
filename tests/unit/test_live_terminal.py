# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture at the end of a terminal, as the terminal gets it."""

from __future__ import annotations

import os
import pty
import re
import select
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.terminal import Screen

PATIENCE = 10  # seconds


class Terminal:
    """A pseudo-terminal that is standard output, and what it got."""

    def __init__(self) -> None:
        self.ours, self.theirs = pty.openpty()
        self.got = ""

    def read_until(self, text: str) -> str:
        deadline = time.monotonic() + PATIENCE
        while text not in self.got and time.monotonic() < deadline:
            self.read()
        assert text in self.got
        return self.got

    def read(self) -> str:
        while select.select([self.ours], [], [], 0.05)[0]:
            self.got += os.read(self.ours, 65536).decode()
        return self.got

    def screen(self) -> list[str]:
        """The lines that the terminal shows, of what it got."""
        shown, place = [""], 0
        for part in re.split(r"(\r|\n|\x1b\[2K|\x1b\[1A)", self.read()):
            if part == "\n":
                place += 1
                shown += [""] * (place + 1 - len(shown))
            elif part == "\x1b[1A":
                place -= 1
            elif part == "\x1b[2K":
                shown[place] = ""
            elif part != "\r":
                shown[place] += part
        return shown


@contextmanager
def at_terminal(draw: Callable[[int], list[str]] = lambda _width: ["first", "picture"]):
    """Give a terminal and the screen on it. Not a fixture: pytest has another standard output for each phase."""
    terminal, before = Terminal(), sys.stdout
    with os.fdopen(terminal.theirs, "w") as stream:
        sys.stdout = stream
        screen = Screen(draw)
        screen.start()
        try:
            terminal.read_until(draw(80)[-1][:3])
            yield terminal, screen
        finally:
            screen.stop()
            sys.stdout = before
    os.close(terminal.ours)


def test_what_is_written_goes_above_the_picture():
    with at_terminal() as (terminal, _screen):
        print("one")
        print("two")
        assert terminal.screen() == ["one", "two", "first", "picture"]


def test_the_end_takes_the_picture_away_and_gives_standard_output_back():
    with at_terminal() as (terminal, screen):
        print("one")
        screen.stop()
        assert type(sys.stdout).__name__ == "TextIOWrapper"
        assert not screen.is_on
        print("two", flush=True)
        assert terminal.screen() == ["one", "two", ""]


def test_the_picture_moves_while_nothing_is_written():
    began = time.monotonic()
    with at_terminal(lambda _width: [f"at {time.monotonic() - began:.1f} s"]) as (terminal, _screen):
        time.sleep(1.7)
        assert len(set(re.findall(r"[\d.]+ s", terminal.read()))) >= 3


def test_a_question_stays_the_last_on_the_screen():
    with at_terminal() as (terminal, screen):
        sys.stdout.write("Really? ")
        screen.refresh()
        assert terminal.screen() == ["Really? ", ""]
        sys.stdout.write("\n")
        assert terminal.screen() == ["Really? ", "first", "picture"]


@pytest.mark.parametrize("wanted", ["buffer", "fileno"])
def test_who_reads_keys_has_the_terminal_alone_until_something_is_written(wanted):
    with at_terminal() as (terminal, screen):
        print("Press a key")
        if wanted == "buffer":
            assert sys.stdout.buffer.fileno() == terminal.theirs
        else:
            assert sys.stdout.fileno() == terminal.theirs
        screen.refresh()
        assert terminal.screen() == ["Press a key", "", ""]
        print("Thanks")
        assert terminal.screen() == ["Press a key", "Thanks", "first", "picture"]


def test_a_process_that_is_forked_writes_as_if_there_were_no_picture():
    with at_terminal():
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.write(writing, type(sys.stdout).__name__.encode())
            os._exit(0)
        os.waitpid(child, 0)
        assert os.read(reading, 100) == b"TextIOWrapper"
        os.close(reading)
        os.close(writing)
        assert type(sys.stdout).__name__ != "TextIOWrapper"
