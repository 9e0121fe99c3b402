# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kills, lost answers and parallel runs at random, until success; then the simulator's own record is counted.

make chaos CASES=1000 SEED=7. A case starts one to eight processes that do the same task, lets faults happen, and
kills some of the processes. Then it does what users do: run again, and where the collection says that an outcome is
unknown, sooner or later look at the service and settle it. In the end the service must have done everything exactly
once, and a last run must send no write.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "build" / "collections")]

from simulator import Simulator, seed  # noqa: E402

LIVE, STAGING, SITE = seed.environment_id(1), seed.environment_id(1, seed.STAGING), seed.site_id(1)
COLLECTION = "ansible_collections.hosting.management.plugins"
TRIES = 40

RUN = f"""
import json, sys
from importlib import import_module
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from {COLLECTION}.module_utils._context import Context
from {COLLECTION}.module_utils._entry import perform

for name in ("env_push", "manual_backup", "plain_environment", "push_outcome", "site_domain"):
    import_module("{COLLECTION}.modules." + name)
print("ready", flush=True)
for line in sys.stdin:
    name, given = json.loads(line)
    module = import_module("{COLLECTION}.modules." + name)
    known = {{option: value for option, value in given.items() if option in module.SPEC.options}}
    params = ArgumentSpecValidator(module.SPEC.options, **module.SPEC.constraints).validate(known).validated_parameters
    print(json.dumps(perform(module.SPEC, module.run, Context(params), params), default=str), flush=True)
"""


@dataclass(frozen=True)
class Job:
    """A task that all runs of a case do, and how often the simulator's record says that it was done."""

    module: str
    options: dict
    count: Callable[[Simulator], int]


def environment(simulator: Simulator):
    return simulator.state.environment(LIVE)


JOBS = [
    Job(
        "env_push",
        {"site_id": SITE, "source_env_id": STAGING, "target_env_id": LIVE, "release": "v1"},
        lambda simulator: len(environment(simulator).pushes),
    ),
    Job(
        "manual_backup",
        {"environment_id": LIVE, "tag": "v1"},
        lambda simulator: sum(backup.note == "v1" for backup in environment(simulator).backups),
    ),
    Job(
        "site_domain",
        {"environment_id": LIVE, "domain_name": "new.example.com"},
        lambda simulator: sum(domain.name == "new.example.com" for domain in environment(simulator).domains),
    ),
    Job(
        "plain_environment",
        {"site_id": SITE, "display_name": "Ground"},
        lambda simulator: sum(one.display_name == "Ground" for one in simulator.state.environments.values()),
    ),
]
FAULTS = [
    ("drop_before", {}),
    ("drop_after", {}),
    ("not_json", {}),
    ("truncate", {}),
    ("delay", {"seconds": 0.4}),
    *(("status", {"status": status}) for status in (400, 401, 408, 409, 429, 500, 502, 503)),
]


class Case:
    """One case: its world, its journal, and what was counted."""

    def __init__(self, simulator: Simulator, folder: Path, chance: random.Random, counted: Counter) -> None:
        self.simulator, self.chance, self.counted = simulator, chance, counted
        self.job = chance.choice(JOBS)
        self.companions = chance.random() < 0.7
        self.journal = str(folder / "journal.db")

    def options(self, **more: object) -> dict:
        return {
            "base_url": self.simulator.base_url,
            "api_key": self.simulator.api_key,
            "journal": self.journal,
            "companions": self.companions,
            "timeout": 3,
            "retries": 1,
            "poll_interval": 0.05,
            "wait_timeout": 2,
            **self.job.options,
            **more,
        }

    def run(self) -> str:
        """Go through the case; return an empty text, or what is wrong."""
        self.simulator.reset()
        self.simulator.settings.operation_seconds = self.chance.choice([0, 0.2, 0.6])
        self.simulator.settings.visible_after = self.chance.choice([0, 0.1])
        self.simulator.settings.interface_only = not self.companions
        for _fault in range(self.chance.randint(0, 3)):
            kind, options = self.chance.choice(FAULTS)
            method = self.chance.choice(["PUT" if self.job.module == "env_push" else "POST"] * 3 + ["GET"])
            self.simulator.fault(kind, method, times=self.chance.randint(1, 3), **options)
            self.counted["faults"] += 1
        self.in_parallel()
        return self.until_done()

    def in_parallel(self) -> None:
        """Start some processes at once, and kill some of them at random moments."""
        processes = [Runner() for _run in range(self.chance.randint(1, 8))]
        for process in processes:
            process.await_start()
        for process in processes:
            process.begin(self.job.module, self.options())
            self.counted["runs"] += 1
        doomed = [(self.chance.uniform(0, 0.8), process) for process in processes if self.chance.random() < 0.5]
        began = time.monotonic()
        for moment, process in sorted(doomed, key=lambda one: one[0]):
            time.sleep(max(0, began + moment - time.monotonic()))
            process.kill()
            self.counted["kills"] += 1
        survivors = [process for process in processes if process not in [one for _moment, one in doomed]]
        for process in survivors:
            process.end()

    def until_done(self) -> str:
        """Run again as a careful user would, until a run succeeds and the next one has nothing to do."""
        runner = Runner()
        runner.await_start()
        try:
            more: dict = {}
            for _try in range(TRIES):
                result = runner.run(self.job.module, self.options(**more))
                self.counted["runs"] += 1
                more = {}
                if not result.get("failed"):
                    break
                if result["error"]["kind"] in ("outcome_unknown", "service"):
                    self.counted["unknown"] += 1
                    if self.chance.random() < 0.5:
                        continue  # a schedule looks at nothing
                    self.end_operations()
                    if self.job.count(self.simulator):
                        self.settle(runner)
                    else:
                        more = {"force": True}
            else:
                return f"no success after {TRIES} runs: {result['msg']}"
            self.end_operations()
            done = self.job.count(self.simulator)
            self.simulator.clear_faults()
            self.simulator.clear_requests()
            last = runner.run(self.job.module, self.options())
            if last.get("failed") or last["changed"] or self.simulator.writes:
                return f"the last run changed something or failed: {last}"
            if done != 1:
                self.counted["duplicates" if done > 1 else "lost"] += 1
                return f"{self.job.module} was done {done} times"
            return ""
        finally:
            runner.kill()

    def settle(self, runner: Runner) -> None:
        """Say that it was done. Where the service shows it, the next run sees for itself."""
        if self.job.module == "env_push":
            settled = {"environment_id": LIVE, "release": "v1", "outcome": "pushed"}
            runner.run("push_outcome", {**self.options(), **settled})
        elif not self.companions:
            self.companions = True
            self.simulator.settings.interface_only = False

    def end_operations(self) -> None:
        """Let everything that the service has accepted come to its end."""
        for operation in self.simulator.state.operations.by_id.values():
            operation.ends_at = 0
        _settled = self.simulator.state  # reading it lets everything that is due take effect


class Runner:
    """A process that runs tasks."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def await_start(self) -> None:
        assert self.process.stdout.readline() == "ready\n"

    def begin(self, module: str, options: dict) -> None:
        self.process.stdin.write(json.dumps([module, options]) + "\n")
        self.process.stdin.flush()

    def run(self, module: str, options: dict) -> dict:
        self.begin(module, options)
        return json.loads(self.process.stdout.readline())

    def end(self) -> None:
        self.process.communicate()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def main() -> int:
    parser = argparse.ArgumentParser("make chaos")
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    import_module(f"{COLLECTION}.modules.env_push")
    print(f"seed {options.seed}", flush=True)
    counted: Counter = Counter()
    wrong = []
    with Simulator(sites=1) as simulator, tempfile.TemporaryDirectory() as folder:
        for number in range(options.cases):
            chance = random.Random(f"{options.seed} {number}")
            place = Path(folder, str(number))
            place.mkdir()
            complaint = Case(simulator, place, chance, counted).run()
            if complaint:
                wrong.append(complaint)
                print(f"case {number}: {complaint}", flush=True)
    print(
        f"{options.cases} cases, {counted['runs']} runs, {counted['kills']} kills, {counted['faults']} faults,"
        f" {counted['unknown']} outcomes unknown, duplicates {counted['duplicates']}, lost {counted['lost']}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
