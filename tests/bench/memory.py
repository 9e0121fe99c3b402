# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory of a process with all its descendants, where what they share counts once."""

from __future__ import annotations

import threading
from contextlib import suppress

import psutil

INTERVAL = 0.02  # seconds


class Sampler:
    """Looks at a process and its descendants again and again. `peak` is the most that was seen, in MiB."""

    def __init__(self, pid: int) -> None:
        self.peak = 0.0
        self._process = psutil.Process(pid)
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)

    def __enter__(self) -> Sampler:
        self._thread.start()
        return self

    def __exit__(self, *_unused: object) -> None:
        self._has_ended.set()
        self._thread.join()

    def _look_on(self) -> None:
        while not self._has_ended.wait(INTERVAL):
            with suppress(psutil.NoSuchProcess):
                family = [self._process, *self._process.children(recursive=True)]
                self.peak = max(self.peak, sum(map(_bytes, family)) / 1024**2)


def _bytes(process: psutil.Process) -> int:
    """The proportional share of a process, or what is its own where the system does not tell shares."""
    with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
        info = process.memory_full_info()
        return getattr(info, "pss", info.uss)
    return 0
