# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that runs tasks and can be killed."""

from __future__ import annotations

import multiprocessing
import os
import sys
from functools import cache
from importlib import import_module
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from unittest.mock import patch

from runs.tasks import COLLECTION, import_all, result_of

import_all("modules")
PATIENCE = 120  # seconds; no task waits so long
FINDS_OUT_WITHIN = 1.0  # seconds in which a task learns that a service shows no operations


@cache
def _forks() -> ForkServerContext:
    """Return what makes processes from one that has imported all this: in milliseconds, so many fit in a minute."""
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload([__name__])
    # Without it, the server would find no module, and not say so.
    with patch.dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)):
        forkserver.ensure_running()
    return forks


class EndedError(Exception):
    """The process has ended, or does not answer."""


class Runner:
    """A process that runs the tasks that it is given, one after the other."""

    def __init__(self) -> None:
        self._pipe, other_end = _forks().Pipe()
        self._process = _forks().Process(target=_serve, args=(other_end,), daemon=True)
        self._process.start()
        other_end.close()
        self._receive()  # that it has started

    def begin(self, tasks: list[tuple[str, dict]]) -> None:
        """Let it run tasks, module and options each; do not wait for them."""
        self._pipe.send(tasks)

    def run(self, module: str, options: dict) -> dict:
        """Run a task and return its result."""
        self.begin([(module, options)])
        return self._receive()

    def results(self, count: int) -> list[dict]:
        """Return the results of the tasks that were begun: so many, or those that a killed process had."""
        found = []
        try:
            while len(found) < count:
                found.append(self._receive())
        except EndedError:
            if self._process.exitcode is None:
                raise
        return found

    def kill(self) -> None:
        """Kill it, wherever it is."""
        self._process.kill()
        self._process.join()

    def _receive(self):
        try:
            if self._pipe.poll(PATIENCE):
                return self._pipe.recv()
        except (EOFError, ConnectionResetError):
            self._process.join(PATIENCE)
            raise EndedError("a process has ended") from None
        raise EndedError(f"a process has not answered for {PATIENCE} s")


def _serve(pipe) -> None:
    # Else each case of a service without companions takes many seconds longer.
    import_module(f"{COLLECTION}.module_utils._operations").VISIBLE_AFTER = FINDS_OUT_WITHIN
    pipe.send(None)
    while True:
        try:
            tasks = pipe.recv()
        except (EOFError, ConnectionResetError):
            return
        for name, given in tasks:
            pipe.send(result_of(name, given))
