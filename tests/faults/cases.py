# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The faults that a write can meet, the modules that send one, and what is seen when the two come together."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from integration.playbook import IN_PROCESS, MODES, Ansible, Done, Step, in_chunks
from integration.table import Row, row_of
from runs.tasks import Tasks
from simulator import Simulator

PATIENCE = 0.2  # seconds in which the later runs look for an effect that may never come
ONE_AT_A_TIME = Lock()  # FastAPI silences warnings while it builds an application, in a way that threads disturb
CHUNK = 3  # faults in one playbook


@dataclass(frozen=True, eq=False)
class Mishap:
    """A fault of the simulator under the name that the guide has for it. ``task`` are options of the disturbed run.

    ``settings`` are how the service behaves, in all three runs; without a ``kind``, that is all. ``in_operation`` says
    that it concerns what happens after a write was accepted as an operation.
    """

    name: str
    kind: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    times: int | None = 1
    task: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    in_operation: bool = False

    def concerns(self, module: str) -> bool:
        """Whether it can happen to a module: not all of them begin operations."""
        return not self.in_operation or row_of(module).change.waits

    def __str__(self) -> str:
        return self.name


AFTER_THE_WORK = {"processed": True}

MISHAPS = [
    Mishap("connection lost before the work", "drop_before"),
    Mishap("connection lost after the work", "drop_after"),
    Mishap("connection lost after the work, each time", "drop_after", times=None),
    # Longer than the test takes: the answer must not come while later runs are counted.
    Mishap("no answer in time, after the work", "delay_after", {"seconds": 60}, task={"timeout": 1}),
    Mishap("answer cut off", "truncate"),
    Mishap("answer is no JSON", "not_json"),
    Mishap("202 without an operation", "status", {"status": 202, "body": {}, **AFTER_THE_WORK}),
    Mishap("200 of a gateway", "status", {"status": 200, "body": {}}),
    Mishap("500", "status", {"status": 500}),
    Mishap("502 after the work", "status", {"status": 502, **AFTER_THE_WORK}),
    Mishap("408", "status", {"status": 408}),
    Mishap("408 after the work", "status", {"status": 408, **AFTER_THE_WORK}),
    Mishap("redirect (302)", "redirect"),
    Mishap("redirect (302) after the work", "redirect", AFTER_THE_WORK),
    Mishap("429", "status", {"status": 429}),
    Mishap("429 with Retry-After", "status", {"status": 429, "headers": {"Retry-After": "1"}}),
    Mishap("400", "status", {"status": 400}),
    Mishap("401", "status", {"status": 401}),
    Mishap("200 whose body says 500", "status", {"status": 200, "body": {"message": "Error", "status": 500}}),
    Mishap("operation that shows late", settings={"visible_after": 1}),
    Mishap("no endpoint that shows operations", settings={"operations": "absent"}),
    Mishap("operation that ends well, by the body of a 200", settings={"operations": "body"}),
    Mishap(
        "operation that fails, by the body of a 200",
        "fail_operation",
        settings={"operations": "body"},
        in_operation=True,
    ),
    Mishap(
        "operation that fails, where any unknown one gets a 500",
        "fail_operation",
        task={"wait_timeout": 1},
        settings={"unknown_operation": 500},
        in_operation=True,
    ),
]
QUICK = [mishap for mishap in MISHAPS if not mishap.in_operation]
# It takes seconds until an operation is known to have failed.
CHUNKS = [
    *in_chunks(QUICK, CHUNK),
    *([mishap] for mishap in MISHAPS if mishap.in_operation),
]


@dataclass(frozen=True)
class Column:
    """Modules that behave alike: whether their write may be repeated, and whether the service shows its effect."""

    title: str
    modules: tuple[str, ...]
    repeatable: bool


COLUMNS = [
    Column(
        "may be repeated, shown",
        (
            "denied_ips",
            "environment",
            "image_optimization",
            "php_version",
            "primary_domain",
            "sftp_allowlist",
            "site_plugin",
            "site_theme",
        ),
        True,
    ),
    Column("may be repeated, not shown", ("cache_clear", "company_user_role", "php_restart"), True),
    Column(
        "never repeated, shown",
        ("dns_record", "manual_backup", "manual_backup-absent", "plain_environment", "site_domain"),
        False,
    ),
    Column("never repeated, not shown", ("backup_restore", "env_push", "wp_cli"), False),
]
COLUMN_OF = {module: column for column in COLUMNS for module in column.modules}

IN_BOTH_WAYS = ("php_version", "denied_ips", "php_restart", "site_domain", "env_push")
"""Modules that meet each fault as module processes, too: those cost ten times as much.

There is one of each column that begins operations, and one that begins none. That every module does as a module process
what it does in-process is in tests/integration: test_changing_modules.py.
"""


def modules_of(mishap: Mishap, mode: str) -> list[str]:
    """The modules that meet a fault in this way of running."""
    modules = COLUMN_OF if mode == IN_PROCESS else IN_BOTH_WAYS
    return [module for module in modules if mishap.concerns(module)]


@dataclass(frozen=True)
class Seen:
    """What a run did and said.

    ``sent`` and ``done`` count the writes that reached the service and those that it carried out, ``looked`` says
    whether the run read anything, ``verdict`` is "ok", "changed" or the kind of the error.
    """

    sent: int
    done: int
    looked: bool
    verdict: str
    message: str = field(compare=False)

    @classmethod
    def of(cls, done: Done) -> Seen:
        """What is seen of a task that has ended."""
        verdict = done.error["kind"] if done.failed else "changed" if done.changed else "ok"
        carried_out = sum(write.carried_out for write in done.writes)
        return cls(len(done.writes), carried_out, bool(done.reads), verdict, done.result.get("msg", ""))

    @property
    def failed(self) -> bool:
        return self.verdict not in ("ok", "changed")


Story = tuple[Seen, Seen, Seen]
"""The disturbed run, the next one, and the one after that."""

Stories = dict[tuple[Mishap, str, str], Story]
"""The story of each fault, way of running, and module."""


def observe(mishaps: Iterable[Mishap]) -> Stories:
    """Let the modules meet these faults in both ways of running, side by side: much of it is waiting."""
    mishaps = list(mishaps)
    with ThreadPoolExecutor() as pool:
        first, second = pool.map(partial(_observe, mishaps), MODES)
    return first | second


def _observe(mishaps: list[Mishap], mode: str) -> Stories:
    keys = [(mishap, mode, module) for mishap in mishaps for module in modules_of(mishap, mode)]
    with ONE_AT_A_TIME:
        service = Simulator()
    with (
        service as simulator,
        tempfile.TemporaryDirectory(prefix="hosting-", ignore_cleanup_errors=True) as folder,
        tempfile.TemporaryDirectory(prefix="hosting-", ignore_cleanup_errors=True) as scratch,
    ):
        ansible = Ansible(Path(folder), Path(scratch), simulator)
        ansible.defaults["retries"] = 1
        steps = [step for key in keys for step in _steps(*key, ansible)]
        run = iter(_without_ansible(steps, ansible) if mode == IN_PROCESS else ansible.run(*steps))
        return {key: (Seen.of(next(run)), Seen.of(next(run)), Seen.of(next(run))) for key in keys}


def _without_ansible(steps: list[Step], ansible: Ansible) -> Iterator[Done]:
    """Run the steps as tasks of no playbook: of those that run in-process, there are more than a thousand."""
    with Tasks() as tasks:
        for step in steps:
            if step.before:
                step.before()
            position = len(ansible.simulator.requests)
            result = tasks.run(step.module, {**ansible.defaults, **step.options})
            yield Done(step.name, IN_PROCESS, result, ansible.simulator.requests[position:])


def _steps(mishap: Mishap, mode: str, module: str, ansible: Ansible) -> list[Step]:
    row = row_of(module)
    first, later = _running(mode, ansible), _running(IN_PROCESS, ansible)
    # A module process takes ten times as long, and its next run has news only where something is left to settle.
    second = later if COLUMN_OF[module].repeatable else first
    patience = {"wait_timeout": PATIENCE} if row.change.waits else {}
    return [
        row.step(str(mishap), partial(_begin, mishap, row, ansible), first, **mishap.task),
        row.step("next run", ansible.simulator.clear_faults, second, **patience),
        row.step("third run", None, later, **patience),
    ]


def _running(mode: str, ansible: Ansible) -> dict[str, Any]:
    """The keywords that make a task run in this way, whatever the others of its play do."""
    return {"vars": {"ansible_pipelining": True, **ansible.hosts[mode]}}


def _begin(mishap: Mishap, row: Row, ansible: Ansible) -> None:
    ansible.simulator.reset()
    ansible.forget()
    if row.groundwork:
        row.groundwork(ansible.simulator, ansible.journal)
    for name, value in mishap.settings.items():
        setattr(ansible.simulator.settings, name, value)
    if mishap.kind:
        ansible.simulator.fault(mishap.kind, row.method, re.escape(row.path), mishap.times, **mishap.options)
