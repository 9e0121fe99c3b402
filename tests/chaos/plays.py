# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of ansible-playbook that cost little, can be killed with all that they have started, and have their own clocks.

They are forked from a process that has imported Ansible. Within a run, the tasks that write are processes of their own
as ever; those that only read and decide are done by the run itself, because most of the time would go into forks.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
import time
from contextlib import suppress
from multiprocessing import forkserver
from pathlib import Path
from unittest.mock import patch

import runs

TESTS = Path(__file__).parents[1]
LONGEST_RUN = 120  # seconds
IN_NEED = re.compile(r"NEEDS A PERSON: ([^:\s]+):")

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["chaos.forked"])


def prepare(folder: Path) -> None:
    """Start the process that runs come from, with its home in a folder. Ansible reads its settings only once."""
    surroundings = {
        "HOME": str(folder),
        "ANSIBLE_HOME": str(folder / "ansible"),
        "ANSIBLE_LOCAL_TEMP": str(folder / "ansible" / "tmp"),
        "ANSIBLE_COLLECTIONS_PATH": str(TESTS.parent / "build" / "collections"),
        "ANSIBLE_STDOUT_CALLBACK": "results",
        "ANSIBLE_CALLBACK_PLUGINS": str(Path(__file__).parent / "callback"),
        "ANSIBLE_NOCOLOR": "true",
        "ANSIBLE_FORKS": "4",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(TESTS),
    }
    with patch.dict(os.environ, surroundings):
        forkserver.ensure_running()


class Play:
    """A run of a playbook, in the background."""

    def __init__(self, playbook: str, folder: Path, variables: dict, environment: dict, offset: float = 0) -> None:
        """Start it.

        :param folder: where its inventory is, and where its output and its results go.
        :param environment: what is added to the environment's variables.
        :param offset: seconds that its clock is ahead.
        """
        self.playbook, self.folder, self.offset, self.was_killed = playbook, folder, offset, False
        self.began = time.monotonic()
        self.ended: float | None = None
        arguments = [playbook, "-i", str(folder / "inventory.json"), "-e", json.dumps(variables)]
        self._results = folder / f"results-{time.monotonic_ns()}"
        self._output = self._results.with_suffix(".output")
        environment = {**environment, "RESULTS": str(self._results)}
        self._process = _FORKS.Process(
            target=_play, args=(arguments, str(folder), str(self._output), environment, offset), daemon=False
        )
        self._process.start()

    def wait(self) -> Play:
        """Wait for its end; a run that does not come to it is killed, and has ``status`` None then."""
        self._process.join(LONGEST_RUN)
        if self._process.exitcode is None:
            self.kill()
            self.was_killed = False
        self.ended = self.ended or time.monotonic()
        return self

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    @property
    def status(self) -> int | None:
        """The exit status; None for one that was killed."""
        return self._process.exitcode if (self._process.exitcode or 0) >= 0 else None

    def kill(self) -> None:
        """Kill it with its workers, which are in sessions of their own, as the end of a machine would."""
        if not self._process.is_alive():
            return
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGSTOP)  # it starts no more
        for pid in [self._process.pid, *runs.descendants_of(self._process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.join()
        self.was_killed = True
        self.ended = time.monotonic()

    @property
    def said(self) -> str:
        """All that tasks have to say, in their results, and what went to the terminal."""
        return " ".join([json.dumps(self.results), self.output])

    @property
    def summary(self) -> list[str]:
        """The lines of the summary at the end; none if it did not come to it."""
        shown = [one["result"].get("msg") for one in self.results if one["action"].endswith("debug")]
        lines = [line for msg in shown if isinstance(msg, list) for line in map(str, msg)]
        return lines if any(re.match(r"\d+ environments?: ", line) for line in lines) else []

    @property
    def in_need(self) -> set[str]:
        """The environments of which the summary of a night says that they need a person."""
        return set(IN_NEED.findall("\n".join(self.summary)))

    def fact(self, host: str, name: str) -> dict:
        """A fact that was set for a host, the last time."""
        facts = [one["result"].get("ansible_facts", {}) for one in self.results if one["host"] == host]
        return next((one[name] for one in reversed(facts) if name in one), {})

    @property
    def output(self) -> str:
        """What it has written to the terminal."""
        return self._output.read_text(errors="replace") if self._output.exists() else ""

    @property
    def results(self) -> list[dict]:
        """The results of its tasks, in their order: host, task, failed, ignored, result."""
        text = self._results.read_text() if self._results.exists() else ""
        # A killed process may leave half a line.
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def _play(*arguments) -> None:
    from chaos.forked import play

    play(*arguments)
