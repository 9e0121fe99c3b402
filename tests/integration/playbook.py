# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs playbooks against the simulator: processes of ansible-playbook, whose every task can be looked at."""

from __future__ import annotations

import configparser
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

import runs
from simulator import Simulator
from simulator.traffic import RecordedRequest

ROOT = Path(__file__).parents[2]
PLUGINS = Path(__file__).parent / "plugins"
COLLECTION = "hosting.management"

IN_PROCESS = "controller"  # a host with the connection local, whose tasks run inside the controller's process
MODULE_PROCESS = "elsewhere"  # a host with another connection, whose tasks are ordinary module processes
MODES = (IN_PROCESS, MODULE_PROCESS)

LONGEST_RUN = 240  # seconds


def in_chunks(items: list[Any], size: int) -> list[list[Any]]:
    """Return the items in lists of that size: a playbook costs CPU time before its first task."""
    return [items[start : start + size] for start in range(0, len(items), size)]


@dataclass
class Step:
    """A task. ``before`` is called when all tasks before it have ended; ``keywords`` are the task's own keywords."""

    module: str
    options: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    before: Callable[[], object] | None = None
    keywords: dict[str, Any] = field(default_factory=dict)

    def task(self, number: int) -> dict[str, Any]:
        """The step as a playbook has it."""
        module = self.module if "." in self.module else f"{COLLECTION}.{self.module}"
        name = f"{number}: {self.name or self.module}"
        return {"name": name, module: self.options, "ignore_errors": True, **self.keywords}


@dataclass
class Done:
    """What became of a step on a host, and the requests that the service got from its start to its end."""

    name: str
    host: str
    result: dict[str, Any]
    requests: list[RecordedRequest]

    @property
    def failed(self) -> bool:
        return bool(self.result.get("failed"))

    @property
    def changed(self) -> bool:
        assert not self.failed, f"{self.name} failed: {self.result.get('msg')}"
        return self.result["changed"]

    @property
    def error(self) -> dict[str, Any]:
        assert self.failed, f"{self.name} did not fail: {self.result}"
        return self.result["error"]

    @property
    def msg(self) -> str:
        return self.result["msg"]

    @property
    def writes(self) -> list[RecordedRequest]:
        return [request for request in self.requests if request.method != "GET"]

    @property
    def reads(self) -> list[RecordedRequest]:
        return [request for request in self.requests if request.method == "GET"]


@dataclass
class Run:
    """A run of ansible-playbook, with its results in the order in which they came."""

    done: list[Done] = field(default_factory=list)
    stdout: str = ""
    stderr: str = ""
    status: int | None = None

    def __iter__(self):
        return iter(self.done)

    def __getitem__(self, index):
        return self.done[index]

    def __len__(self):
        return len(self.done)

    def by_step(self) -> list[list[Done]]:
        """The results of each step, for plays with several hosts."""
        steps: dict[str, list[Done]] = {}
        for done in self.done:
            steps.setdefault(done.name, []).append(done)
        return list(steps.values())

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


class Ansible:
    """ansible-playbook with a home, a configuration and a journal of its own.

    ``defaults`` are the module_defaults of the collection's action group, ``hosts`` the inventory with its variables.
    ``scratch`` must have a short name: ansible-core puts a socket there.
    """

    def __init__(self, folder: Path, scratch: Path, simulator: Simulator) -> None:
        self.folder = folder
        self.scratch = scratch
        self.simulator = simulator
        self.journal = folder / "journal.db"
        self.defaults: dict[str, Any] = {
            "base_url": simulator.base_url,
            "api_key": simulator.api_key,
            "journal": str(self.journal),
            "retries": 0,
        }
        self.hosts: dict[str, dict[str, Any]] = {
            IN_PROCESS: {"ansible_connection": "local"},
            MODULE_PROCESS: {"ansible_connection": "elsewhere"},
        }
        self.variables: dict[str, Any] = {"ansible_python_interpreter": sys.executable}
        self.environment = {
            "HOME": str(folder / "home"),
            "XDG_STATE_HOME": str(folder / "home" / "state"),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
            "LC_ALL": "C.UTF-8",
            "TMPDIR": str(scratch),
            # Ansible takes the home for this one from the user database.
            "ANSIBLE_ASYNC_DIR": str(scratch / "async"),
        }

    def forget(self) -> None:
        """Delete the journal."""
        for file in self.folder.glob("journal.db*"):
            file.unlink()

    def run(
        self,
        *steps: Step,
        hosts: str = IN_PROCESS,
        arguments: Iterable[str] = (),
        play: dict[str, Any] | None = None,
        kill_when: Callable[[], bool] | None = None,
    ) -> Run:
        """Run the steps as one play; with ``kill_when``, until that is true."""
        tasks = [step.task(number) for number, step in enumerate(steps)]
        self._write(tasks, hosts, play or {})
        run, ended = Run(), threading.Event()
        with (
            (self.folder / "stdout").open("w") as stdout,
            (self.folder / "stderr").open("w") as stderr,
            _Talk() as talk,
        ):
            process = subprocess.Popen(
                runs.command("playbook.yml", *arguments, is_forked=kill_when is None),
                cwd=self.folder,
                env=self.environment | talk.environment,
                pass_fds=talk.descriptors,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
            guard = threading.Thread(target=_guard, args=(process, ended, kill_when))
            guard.start()
            try:
                self._attend(talk, dict(zip((task["name"] for task in tasks), steps, strict=True)), run)
                run.status = process.wait()
            finally:
                ended.set()
                guard.join()
                _kill(process)
        run.stdout = (self.folder / "stdout").read_text(errors="replace")
        run.stderr = (self.folder / "stderr").read_text(errors="replace")
        if not kill_when:
            assert len({done.name for done in run}) == len(steps), f"the play ended early:\n{run.output}"
        return run

    def _attend(self, talk: _Talk, steps: dict[str, Step], run: Run) -> None:
        position = 0
        for event in talk.events():
            if event["event"] == "start":
                before = steps[event["task"]].before
                if before:
                    before()
                position = len(self.simulator.requests)
                talk.answer()
            else:
                requests = self.simulator.requests[position:]
                run.done.append(Done(event["task"], event["host"], _visible(event["result"]), requests))

    def _write(self, tasks: list[dict], hosts: str, play: dict[str, Any]) -> None:
        (self.folder / "home").mkdir(exist_ok=True)
        whole_play = {
            "hosts": hosts,
            "gather_facts": False,
            "module_defaults": {f"group/{COLLECTION}.all": self.defaults},
            "tasks": tasks,
            **play,
        }
        (self.folder / "playbook.yml").write_text(yaml.safe_dump([whole_play], sort_keys=False))
        inventory = {"all": {"hosts": self.hosts, "vars": self.variables}}
        (self.folder / "hosts.yml").write_text(yaml.safe_dump(inventory))
        configuration = configparser.ConfigParser(interpolation=None)
        configuration["defaults"] = {
            "inventory": self.folder / "hosts.yml",
            "home": self.folder / "home" / "ansible",
            "local_tmp": self.scratch / "local",
            "remote_tmp": self.scratch / "remote",
            "collections_path": ROOT / "build" / "collections",
            "callback_plugins": PLUGINS / "callback",
            "connection_plugins": PLUGINS / "connection",
            "become_plugins": PLUGINS / "become",
            "retry_files_enabled": False,
            "nocolor": True,
        }
        with (self.folder / "ansible.cfg").open("w") as file:
            configuration.write(file)


class _Talk:
    """Two pipes between the test and the callback plugin."""

    def __enter__(self) -> _Talk:
        self._events_from, events_to = os.pipe()
        answers_from, self._answers_to = os.pipe()
        self.descriptors = (events_to, answers_from)
        self.environment = {"EVENTS_TO": str(events_to), "ANSWERS_FROM": str(answers_from)}
        return self

    def __exit__(self, *_exception) -> None:
        self._close(*self.descriptors, self._answers_to)

    def events(self) -> Iterable[dict[str, Any]]:
        """Yield the events until ansible-playbook has ended."""
        self._close(*self.descriptors)
        self.descriptors = ()
        with os.fdopen(self._events_from) as lines:
            for line in lines:
                # A killed process may leave half a line.
                if line.endswith("\n"):
                    yield json.loads(line)

    def answer(self) -> None:
        """Let the playbook go on."""
        with suppress(BrokenPipeError):
            os.write(self._answers_to, b"\n")

    @staticmethod
    def _close(*descriptors: int) -> None:
        for descriptor in descriptors:
            os.close(descriptor)


def _guard(process: subprocess.Popen, ended: threading.Event, kill_when: Callable[[], bool] | None) -> None:
    """Kill a run when its time has come, or when it takes too long."""
    if kill_when is None:
        ended.wait(LONGEST_RUN)
    else:
        for _unused in range(LONGEST_RUN * 50):
            if ended.wait(0.02) or kill_when():
                break
    if not ended.is_set():
        _kill(process)


def _kill(process: subprocess.Popen) -> None:
    """Kill a run, if it goes on, with all its workers, which are in sessions of their own, as a machine's end would."""
    if process.poll() is not None:
        return
    doomed = runs.descendants_of(process.pid)
    process.kill()
    for pid in doomed:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _visible(result: dict[str, Any]) -> dict[str, Any]:
    """A result as a playbook sees it."""
    return {name: value for name, value in result.items() if not name.startswith("_ansible_")}
