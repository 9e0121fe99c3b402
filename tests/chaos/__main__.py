# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kills, lost answers and parallel runs at random, until success; then the simulator's own record is counted.

make chaos CASES=1000 SEED=7. A case starts one to eight processes that do the same tasks, lets faults happen, and
kills some of the processes. Then it does what users do: run again, and where the collection says that an outcome is
unknown, sooner or later look at the service and settle it. In the end the service must have done everything exactly
once, and a last run must send no write.

Each case has a seed of its own, so a case that went wrong can be run alone: make chaos CASES=1 SEED=<that seed>. The
same things are tried then; what the processes make of it depends on their pace, so it may take a few attempts.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parents[1]
PLACES = [str(TESTS.parent / "build" / "collections"), str(TESTS)]
sys.path[:0] = PLACES
# For the process that the runners come from.
os.environ["PYTHONPATH"] = os.pathsep.join([*PLACES, *filter(None, [os.environ.get("PYTHONPATH")])])

from chaos.runner import EndedError, Runner  # noqa: E402
from postgres import NotInstalled, Server, running  # noqa: E402
from simulator import Simulator, seed  # noqa: E402
from simulator.state import World  # noqa: E402

LIVE, STAGING, SITE = seed.environment_id(1), seed.environment_id(1, seed.STAGING), seed.site_id(1)
USER = seed.user_id(3)
TRIES = 40
MOST_PROCESSES = 8
LONGEST_REQUEST = 0.4  # seconds that a request may be under way
ADDRESSES = [f"192.0.2.{number + 1}" for number in range(MOST_PROCESSES)]
JOURNALS = ("sqlite", "postgres")
NEVER = ("invalid_input", "journal", "missing_library", "operation_failed", "unexpected")
"""Kinds of errors that nothing in here is a reason for."""


@dataclass(frozen=True)
class Job:
    """What runs do, and how often the service's record says that it was done.

    ``operation`` is how the ids of its operations begin, if it starts any. A request that is ``repeatable`` may be
    carried out once more for each answer that was lost.
    """

    module: str
    method: str
    options: dict
    done: Callable[[World], int]
    operation: str | None = None
    repeatable: bool = False

    def accepted(self, world: World) -> int:
        """How often the service has accepted it: what it has accepted must neither be lost nor sent again."""
        if self.operation is None:
            return self.done(world)
        return sum(one.startswith(self.operation) for one in world.operations.by_id)


def live(world: World):
    return world.environments[LIVE]


def adding(address: str) -> Job:
    """Add an address to the list that others add to at the same time."""
    options = {"environment_id": LIVE, "ip_list": [address], "exclusive": False}
    return Job("denied_ips", "PUT", options, lambda world: live(world).denied_ips.count(address), repeatable=True)


PUSH = Job(
    "env_push",
    "PUT",
    {"site_id": SITE, "source_env_id": STAGING, "target_env_id": LIVE, "release": "v1"},
    lambda world: len(live(world).pushes),
    "environments:push-",
)
BACKUP = Job(
    "manual_backup",
    "POST",
    {"environment_id": LIVE, "tag": "v1"},
    lambda world: sum(backup.note == "v1" for backup in live(world).backups),
    "backups:add-manual-",
)
DOMAIN = Job(
    "site_domain",
    "POST",
    {"environment_id": LIVE, "domain_name": "new.example.com"},
    lambda world: sum(domain.name == "new.example.com" for domain in live(world).domains),
    "sites:add-domain-",
)
ENVIRONMENT = Job(
    "plain_environment",
    "POST",
    {"site_id": SITE, "display_name": "Ground"},
    lambda world: sum(one.display_name == "Ground" for one in world.environments.values()),
    "environment:clone-",
)
RESTART = Job(
    "php_restart",
    "POST",
    {"environment_id": LIVE, "release": "v1"},
    lambda world: live(world).php_restarts,
    "php:restart-",
    repeatable=True,
)
ROLE = Job(
    "company_user_role",
    "POST",
    {"company_id": seed.COMPANY_ID, "user_id": USER, "role": "company-developer"},
    lambda world: int(world.company.users[USER].role == "company-developer"),
    "company:set-company-user-capabilities-",
    repeatable=True,
)
DENIED = [adding(address) for address in ADDRESSES]
# Nothing can be added to a list that is not shown; users are told to give the whole.
WHOLE_LIST = Job(
    "denied_ips",
    "PUT",
    {"environment_id": LIVE, "ip_list": ADDRESSES},
    lambda world: int(set(live(world).denied_ips) == set(ADDRESSES)),
    repeatable=True,
)
JOBS = (PUSH, DENIED, BACKUP, RESTART, DOMAIN, ROLE, ENVIRONMENT)
SERVICES = ("whole", "whole", "whole", "interface only", "interface only, not known")
FAULTS = [
    ("drop_before", {}),
    ("drop_after", {}),
    ("not_json", {}),
    ("truncate", {}),
    ("delay", {"seconds": LONGEST_REQUEST}),
    ("status", {"status": 502, "processed": True}),
    *(("status", {"status": status}) for status in (400, 401, 408, 409, 429, 500, 502, 503)),
]


class WrongError(Exception):
    """The collection has broken a promise."""


class Case:
    """One case: its world, its journal, and what was counted."""

    def __init__(self, simulator: Simulator, journal: str, number: int, counted: Counter) -> None:
        self.simulator, self.journal, self.counted = simulator, journal, counted
        self.chance = random.Random(number)
        self.service = self.chance.choice(SERVICES)
        self.companions = self.service != "interface only"
        others = self.chance.sample([job for job in JOBS if job != JOBS[number % len(JOBS)]], 2)
        self.jobs = [JOBS[number % len(JOBS)], *others][: self.chance.randint(1, 3)]
        self.kills = self.forced = 0

    def jobs_of(self, process: int) -> list[Job]:
        """What one of the processes does, in its own order."""
        shown = self.service == "whole"
        jobs = [job if job != DENIED else DENIED[process] if shown else WHOLE_LIST for job in self.jobs]
        return self.chance.sample(jobs, len(jobs))

    def options(self, job: Job, **more: object) -> dict:
        return {
            "base_url": self.simulator.base_url,
            "api_key": self.simulator.api_key,
            "journal": self.journal,
            "companions": self.companions,
            "timeout": 3,
            "retries": 1,
            "poll_interval": 0.05,
            "wait_timeout": 2,
            **job.options,
            **more,
        }

    def run(self) -> None:
        """Go through the case, or raise WrongError."""
        self.simulator.reset()
        settings = self.simulator.settings
        settings.operation_seconds = self.chance.choice([0, 0.2, 0.6])
        settings.visible_after = self.chance.choice([0, 0.1])
        settings.reads_lag = self.chance.choice([0, 0.3, 1])
        settings.interface_only = self.service != "whole"
        self.add_faults()
        jobs = self.in_parallel([self.jobs_of(process) for process in range(self.chance.randint(1, MOST_PROCESSES))])
        runner = Runner()
        try:
            for job in jobs:
                self.until_done(runner, job)
            self.end_operations()
            self.count(jobs)
            self.last_runs(runner, jobs)
        finally:
            runner.kill()

    def add_faults(self) -> None:
        methods = [one.method for job in self.jobs for one in (job if job == DENIED else [job])]
        # A killed run's request that is still under way takes the service back to an old list, when it arrives; no
        # journal can prevent that. Whoever was killed for it has to run again.
        faults = [fault for fault in FAULTS if not (DENIED in self.jobs and fault[0] == "delay")]
        for _fault in range(self.chance.randint(0, 3)):
            kind, options = self.chance.choice(faults)
            method = self.chance.choice([self.chance.choice(methods)] * 3 + ["GET"])
            self.simulator.fault(kind, method, times=self.chance.randint(1, 3), **options)
            self.counted["faults"] += 1

    def in_parallel(self, shares: list[list[Job]]) -> list[Job]:
        """Start processes at once, and kill some of them at random moments; return all that they had to do."""
        runners = [Runner() for _share in shares]
        try:
            results = self.results_of(runners, shares)
        finally:
            for runner in runners:
                runner.kill()
        for job in [job for job, result in results if self.judged(job, result)]:
            if not job.accepted(self.simulator.state):
                self.is_lost(job, "although a run has reported success")
        return list({id(job): job for share in shares for job in share}.values())

    def results_of(self, runners: list[Runner], shares: list[list[Job]]) -> list[tuple[Job, dict]]:
        """Let them begin, kill some, and return what the others, and those before their end, have said."""
        for runner, share in zip(runners, shares, strict=True):
            runner.begin([(job.module, self.options(job)) for job in share])
            self.counted["runs"] += len(share)
        longest = 0.8 * len(self.jobs)
        doomed = [(self.chance.uniform(0, longest), runner) for runner in runners if self.chance.random() < 0.5]
        began = time.monotonic()
        for moment, runner in sorted(doomed, key=lambda one: one[0]):
            time.sleep(max(0, began + moment - time.monotonic()))
            runner.kill()
            self.kills += 1
        self.counted["kills"] += self.kills
        results = []
        for runner, share in zip(runners, shares, strict=True):
            results += zip(share, runner.results(len(share)), strict=False)
        return results

    def judged(self, job: Job, result: dict) -> bool:
        """Tell whether a run succeeded; its error may not be one that should never be."""
        if not result.get("failed"):
            return True
        if result["error"]["kind"] in NEVER:
            raise WrongError(f"{job.module} failed: {result['msg']}")
        return False

    def until_done(self, runner: Runner, job: Job) -> None:
        """Run again as a careful user would, until a run succeeds."""
        more: dict = {}
        for _try in range(TRIES):
            result = runner.run(job.module, self.options(job, **more))
            self.counted["runs"] += 1
            more = {}
            if self.judged(job, result):
                return
            if result["error"]["kind"] != "outcome_unknown":
                continue
            self.counted["unknown"] += 1
            if self.chance.random() < 0.5:
                continue  # a schedule looks at nothing
            time.sleep(LONGEST_REQUEST)  # nobody looks so fast that a killed run's request is still under way
            self.end_operations()
            if job.done(self.simulator.state):
                self.settle(runner, job)
            else:
                more = {"force": True}
                self.forced += 1
        raise WrongError(f"{job.module}: no success after {TRIES} runs: {result['msg']}")

    def settle(self, runner: Runner, job: Job) -> None:
        """Say that it was done. Where the service shows it, the next run sees for itself."""
        if job == PUSH:
            settled = {"environment_id": LIVE, "release": "v1", "outcome": "pushed"}
            runner.run("push_outcome", {**self.options(job), **settled})
        else:
            self.companions = True
            self.simulator.settings.interface_only = False

    def end_operations(self) -> None:
        """Let everything that the service has accepted come to its end."""
        for operation in self.simulator.state.operations.by_id.values():
            operation.ends_at = 0
        _settled = self.simulator.state  # reading it lets everything that is due take effect

    def count(self, jobs: list[Job]) -> None:
        """Compare what was done with what was wanted."""
        world = self.simulator.state
        losing = [
            one for one in self.simulator.faults if one.is_processed and one.kind != "delay" and one.method != "GET"
        ]
        lost_answers = sum(fault.hits for fault in losing)
        for job in jobs:
            done, accepted = job.done(world), job.accepted(world)
            if not done:
                self.is_lost(job, "in the end")
            allowed = 1 + lost_answers + self.kills + self.forced if job.repeatable else 1
            if max(done, accepted) > allowed:
                self.counted["duplicates"] += 1
                raise WrongError(f"{job.module}: accepted {accepted} times and done {done} times, allowed {allowed}")

    def is_lost(self, job: Job, when: str) -> None:
        self.counted["lost"] += 1
        raise WrongError(f"{job.module} {job.options}: not done {when}")

    def last_runs(self, runner: Runner, jobs: list[Job]) -> None:
        """Run everything once more: there must be nothing left to do."""
        self.simulator.clear_faults()
        self.simulator.clear_requests()
        for job in jobs:
            result = runner.run(job.module, self.options(job))
            self.counted["runs"] += 1
            if result.get("failed") or result["changed"] or self.simulator.writes:
                raise WrongError(f"the last run of {job.module} changed something or failed: {result}")


def main() -> int:
    parser = argparse.ArgumentParser("make chaos")
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--journal", choices=[*JOURNALS, "both"], default="both")
    options = parser.parse_args()
    # Whoever ends a long run wants to know what it has found, and no server is left behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    counted: Counter = Counter()
    wrong = []
    with ExitStack() as stack:
        simulator = stack.enter_context(Simulator(sites=1))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = None
        if options.journal != "sqlite":
            try:
                server = stack.enter_context(running())
            except NotInstalled:
                parser.error("PostgreSQL is not installed; --journal sqlite does without it")
        for number in range(options.seed, options.seed + options.cases):
            # By the case's own seed, so that it has the same journal when it is run alone.
            kind = JOURNALS[number % 2] if options.journal == "both" else options.journal
            journal = new_journal(kind, folder / f"{number}.db", server)
            try:
                Case(simulator, journal, number, counted).run()
            except KeyboardInterrupt:
                break
            except (WrongError, EndedError) as error:
                wrong.append(number)
                print(f"case {number} ({kind}): {error}; again: make chaos CASES=1 SEED={number}", flush=True)
            counted["cases"] += 1
    print(
        f"{counted['cases']} cases, {counted['runs']} runs, {counted['kills']} kills, {counted['faults']} faults,"
        f" {counted['unknown']} outcomes unknown, duplicates {counted['duplicates']}, lost {counted['lost']},"
        f" seed {options.seed}" + (f", {len(wrong)} WRONG" if wrong else "")
    )
    return 1 if wrong or counted["cases"] < options.cases else 0


def new_journal(kind: str, file: Path, server: Server | None) -> str:
    """Return the location of a journal that nobody has used."""
    return server.address(server.new_database()) if kind == "postgres" else str(file)


if __name__ == "__main__":
    sys.exit(main())
