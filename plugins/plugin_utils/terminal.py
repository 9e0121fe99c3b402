# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A terminal whose last lines are a picture that moves, while everything else is written above them.

Whatever writes to standard output or standard error meanwhile, such as a warning of Ansible's, is written above the
picture. What ends without a line break, such as a question, stays the last on the screen until its line is complete.
The cursor is never hidden and no mode of the terminal changed, so that even a killed run leaves nothing to restore.
"""

from __future__ import annotations

import atexit
import os
import select
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TextIO

TICK = 0.5  # seconds


class Screen:
    """The picture, from start() to stop().

    :param draw: returns the lines of the picture for a terminal of so many columns. It is called without a lock held.
    :param each_tick: is called before each drawing, without a lock held.
    """

    def __init__(self, draw: Callable[[int], list[str]], each_tick: Callable[[], object] = lambda: None) -> None:
        self._draw = draw
        self._each_tick = each_tick
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._streams: dict[str, TextIO] = {}
        self._descriptor = -1
        self._picture: list[str] = []
        self._shown = 0  # lines of the picture that are on the screen
        self._is_hidden = False
        self._is_line_open = False

    @property
    def is_on(self) -> bool:
        """Whether the picture is shown, or hidden for a moment."""
        return bool(self._streams)

    def start(self) -> None:
        """Show the picture, and keep it up to date."""
        if self.is_on:
            return
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream.isatty():
                stream.flush()
                self._streams[name] = stream
                setattr(sys, name, _Above(self, stream))
        self._descriptor = self._streams["stdout"].fileno()
        self._ended.clear()
        self._is_hidden = False
        _ON.append(self)
        self._thread = threading.Thread(target=self._run, name="fleet picture", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Take the picture away, and give the terminal back."""
        if not self.is_on:
            return
        self._ended.set()
        with self._lock:
            self._erase()
            self.restore()
        if self._thread is not threading.current_thread() and self._thread:
            self._thread.join(TICK * 4)

    def restore(self) -> None:
        """Give standard output and standard error back, without a word to the terminal."""
        for name, stream in self._streams.items():
            if isinstance(getattr(sys, name), _Above):
                setattr(sys, name, stream)
        self._streams = {}
        with suppress(ValueError):
            _ON.remove(self)

    def hide(self) -> None:
        """Take the picture away until something is written, or until show(): somebody is asked something."""
        with self._lock:
            self._is_hidden = True
            self._erase()

    def show(self) -> None:
        """Show a picture that was hidden."""
        self._is_hidden = False

    def refresh(self) -> None:
        """Draw the picture anew."""
        picture = self._draw(_columns(self._descriptor))
        with self._lock:
            if self.is_on and not self._ended.is_set():
                self._picture = picture
                self._write("")

    def write(self, text: str) -> None:
        """Write above the picture."""
        with self._lock:
            self._is_hidden = False
            self._write(text)

    def _write(self, text: str) -> None:
        rest = ""
        if text:
            self._is_line_open = not text.endswith("\n")
        if not self._is_line_open and not self._is_hidden:
            rest = "\n".join(self._picture)
        erasure = self._erasure()
        self._shown = len(self._picture) if rest else 0
        self._put(erasure + text + rest)

    def _erase(self) -> None:
        erasure, self._shown = self._erasure(), 0
        self._put(erasure)

    def _erasure(self) -> str:
        return "\r\x1b[2K" + "\x1b[1A\x1b[2K" * (self._shown - 1) if self._shown else ""

    def _put(self, text: str) -> None:
        """Write past Python's buffers: Ansible guards these with a lock of its own, which may be held by who waits."""
        rest = text.encode(errors="replace")
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except BlockingIOError:
                select.select([], [self._descriptor], [], 1)
            except OSError:  # the terminal is gone
                return

    def _run(self) -> None:
        while not self._ended.is_set():
            self._each_tick()
            self.refresh()
            self._ended.wait(TICK)


class _Above:
    """Standard output or standard error, whose text goes above the picture."""

    def __init__(self, screen: Screen, stream: TextIO) -> None:
        self._screen = screen
        self._stream = stream

    def write(self, text: str) -> int:
        self._screen.write(text)
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        self.write("".join(lines))

    def flush(self) -> None:
        """Nothing waits."""

    @property
    def buffer(self) -> Any:
        """Who wants it reads keys from the terminal, and needs it alone."""
        self._screen.hide()
        return self._stream.buffer

    def fileno(self) -> int:
        """Who wants it asks a question without a word to this object, as input() does."""
        self._screen.hide()
        return self._stream.fileno()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _columns(descriptor: int) -> int:
    try:
        return os.get_terminal_size(descriptor).columns or 80
    except OSError:
        return 80


_ON: list[Screen] = []
"""The screens that are on: a process that is forked has none, and the end takes them away."""


def _leave() -> None:
    while _ON:
        _ON[0].stop()


def _forget() -> None:
    while _ON:
        _ON[0].restore()


atexit.register(_leave)
os.register_at_fork(after_in_child=_forget)
