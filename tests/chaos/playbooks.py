# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole playbooks that are killed, disturbed and overlap, from controllers with wrong clocks; then the judge looks.

make chaos-playbooks CASES=300 SEED=1. A case is a fleet of two or three environments and a script of nights and
deployments. Then everything is run again, undisturbed, as a careful user would, and the service's own record is judged
by the promises of judge.py.

Each case has a seed of its own, so a case that went wrong can be run alone: make chaos-playbooks CASES=1 SEED=<that
seed> ARGS=--show, which prints what happened. The same things are tried then; what becomes of it depends on the runs'
pace, so it may take a few attempts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import yaml

TESTS = Path(__file__).parents[1]
COLLECTIONS = TESTS.parent / "build" / "collections"
sys.path[:0] = [str(TESTS), str(COLLECTIONS)]

from chaos import judge  # noqa: E402
from chaos.fleet import Fleet  # noqa: E402
from chaos.plays import Play, prepare  # noqa: E402
from postgres import NotInstalled, Server, running  # noqa: E402
from simulator import Simulator  # noqa: E402

JOURNALS = ("sqlite", "postgres")
RELEASES = ("v1", "v2", "v3")
LAST = "v3"  # it always works
MINUTES, DAY = 600, 86400
CLOCKS = (0, 0, 0, 0, -MINUTES, MINUTES, -DAY, DAY)
SECONDS = (0, 0.2, 0.8, 2.5)
BREAKING = (None, None, "plugin example-forms 2.5.0", "plugin example-forms 2.5.0", "theme storefront 4.6.0", "php 8.4")
TRIES = 6
LONGEST_WAIT = 10  # seconds
LONGEST_OPERATION = 3  # seconds
WRITES = {
    "push": ("PUT", r"/sites/[0-9a-f-]+/environments", judge.PUSH),
    "backup": ("POST", r"/sites/environments/[0-9a-f-]+/manual-backups", judge.BACKUP),
    "restore": ("POST", r"/sites/environments/[0-9a-f-]+/backups/restore", judge.RESTORE),
    "plugins": ("PUT", r"/sites/environments/[0-9a-f-]+/plugins/bulk-update", "wp-plugin:bulk-update"),
    "theme": ("PUT", r"/sites/environments/[0-9a-f-]+/themes(/bulk-update)?", "wp-theme:update"),
    "PHP": ("PUT", "/sites/tools/modify-php-version", "php:modify-version"),
}
FAULTS = (
    ("drop_before", {}),
    ("drop_after", {}),
    ("drop_after", {}),
    ("not_json", {}),
    ("status", {"status": 502, "processed": True}),
    ("status", {"status": 503}),
    ("status", {"status": 400}),
    ("fail_operation", {}),
)
NO_ERROR = {"", "check_failed"}
NOT_REACHED = {"failed": True, "error": {"kind": "not reached"}, "problem": ""}
TASK_THAT_SETTLES = re.compile(r"hosting\.management\.settle: (\{[^{}]*\})")


@dataclass
class Wanted:
    """A run of the script: what, when in its step, by which clock, and whether it is killed.

    It is killed ``kill_after`` seconds after its start or, with ``kill_at``, after so many writes of its step.
    """

    playbook: str
    variables: dict
    clock: float = 0
    start: float = 0
    kill_at: int = 0
    kill_after: float | None = None

    def __str__(self) -> str:
        name = " ".join(filter(None, [self.playbook, self.variables.get("deploy_release")]))
        clock = f", clock {self.clock:+} s" if self.clock else ""
        if self.kill_after is None:
            return f"{name}{clock}"
        moment = f"write {self.kill_at}" if self.kill_at else "its start"
        return f"{name}{clock}, killed {self.kill_after:.2f} s after {moment}"


@dataclass
class Verdict:
    """What became of a case."""

    number: int
    journal: str
    counted: Counter = field(default_factory=Counter)
    violations: list[tuple[str, str]] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Case:
    """A case: its fleet, its journal, its script, and what was seen."""

    def __init__(self, simulator: Simulator, folder: Path, journal: str, verdict: Verdict) -> None:
        self.simulator, self.folder, self.journal, self.verdict = simulator, folder, journal, verdict
        self.counted = verdict.counted
        self.chance = random.Random(verdict.number)
        self.began = time.monotonic()
        self.plays: list[tuple[Wanted, Play, dict[str, float]]] = []
        simulator.reset()
        count = self.chance.choice([2, 2, 3])
        self.broken = set(self.chance.sample(RELEASES[:-1], self.chance.choice([0, 1, 1])))
        breaking = self.chance.choice(BREAKING)
        self.updates = self._updates(breaking)
        simulator.settings.breaking = frozenset(filter(None, [breaking]))
        simulator.settings.visible_after = self.chance.choice([0, 0.2])
        fleet = Fleet(simulator, [f"h{number + 1}" for number in range(count)], RELEASES, self.broken)
        self.record = fleet.record
        waits = {
            f"{role}_wait_timeout": self.chance.choice([1, LONGEST_WAIT, LONGEST_WAIT])
            for role in ("deploy", "maintain")
        }
        inventory = {"all": {"hosts": fleet.hosts, "vars": {**fleet.variables, **waits, **self.updates}}}
        (folder / "inventory.json").write_text(json.dumps(inventory))
        self._tell(f"{count} environments, broken: {', '.join(sorted(self.broken)) or 'no release'} and {breaking}")

    def _updates(self, breaking: str | None) -> dict:
        """What nights declare: always plugins, and what breaks sites."""
        wanted: dict = {"maintain_update_plugins": "updatable"}
        if breaking and breaking.startswith("theme"):
            wanted["maintain_themes"] = [{"name": "storefront", "update_version": "4.6.0"}]
        if breaking and breaking.startswith("php"):
            wanted["maintain_php_version"] = "8.4"
        return wanted

    # ---- the script -------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Go through the case, and judge it."""
        for _step in range(self.chance.randint(2, 4)):
            self._step()
        self.simulator.clear_faults()
        self._until_it_ends()
        for _night in range(2):
            self._play(Wanted("maintain", {"maintain_hosts": "all"})).wait()
        self._judge()

    def _step(self) -> None:
        """Up to two runs at once, some killed, with something that goes wrong at the service."""
        self._disturb()
        wanted = [self._any_run() for _run in range(self.chance.choice([1, 1, 2]))]
        for one in wanted[1:]:
            one.start = self.chance.uniform(0, 1.5)
        self.simulator.clear_requests()
        threads = [threading.Thread(target=self._follow, args=(one,)) for one in wanted]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _any_run(self) -> Wanted:
        kind = self.chance.choice(["deploy"] * 5 + ["maintain"] * 4 + ["rollback"])
        variables: dict = {"maintain_hosts": "all"} if kind == "maintain" else {"deploy_hosts": "all"}
        if kind == "deploy":
            variables |= {
                "deploy_release": self.chance.choice(RELEASES),
                "deploy_serial": self.chance.choice([1, "100%"]),
            }
        one = Wanted(kind, variables, self.chance.choice(CLOCKS))
        if self.chance.random() < 0.45:
            one.kill_at = self.chance.choice([0, 1, 2, 2, 3, 3, 4])
            one.kill_after = self.chance.uniform(0, 0.8 if one.kill_at else 4)
        return one

    def _disturb(self) -> None:
        settings = self.simulator.settings
        settings.seconds_by_operation = {kind: self.chance.choice(SECONDS) for _method, _path, kind in WRITES.values()}
        settings.reads_lag = self.chance.choice([0, 0, 0.3])
        self.simulator.clear_faults()
        if self.chance.random() < 0.4:
            (kind, options), what = self.chance.choice(FAULTS), self.chance.choice(list(WRITES))
            method, path, _operation = WRITES[what]
            self.simulator.fault(kind, method, path, **options)
            self.counted["faults"] += 1
            self._tell(f"from here on: {kind} {options or ''} at the next {what}")

    def _follow(self, wanted: Wanted) -> None:
        """Run it to its end, or to where it is killed."""
        time.sleep(wanted.start)
        play = self._play(wanted)
        if wanted.kill_after is not None:
            while play.is_alive and len(self.simulator.writes) < wanted.kill_at:
                time.sleep(0.02)
            deadline = (play.began if not wanted.kill_at else time.monotonic()) + wanted.kill_after
            while play.is_alive and time.monotonic() < deadline:
                time.sleep(0.02)
            play.kill()
            self.counted["kills"] += play.was_killed
        play.wait()
        self._tell(f"end of {wanted}: {'killed' if play.was_killed else play.status}")

    def _play(self, wanted: Wanted) -> Play:
        self.counted["runs"] += 1
        self._tell(f"start of {wanted}")
        environment = {
            "HOSTING_BASE_URL": self.simulator.base_url,
            "HOSTING_API_KEY": self.simulator.api_key,
            "HOSTING_JOURNAL": self.journal,
        }
        broken = self._broken_sites()
        name = f"hosting.management.{wanted.playbook}"
        play = Play(name, self.folder, wanted.variables, environment, wanted.clock)
        self.plays.append((wanted, play, broken))
        return play

    def _broken_sites(self) -> dict[str, float]:
        """The environments whose pages fail, and since when nothing was begun there that changes that."""
        world = self.simulator.state
        return {name: time.monotonic() for name in self.record.names if world.is_broken(self.record.environment(name))}

    def _tell(self, text: str) -> None:
        self.verdict.story.append(f"{time.monotonic() - self.began:6.2f}  {text}")

    # ---- what a careful user does then ------------------------------------------------------------------------------

    def _until_it_ends(self) -> None:
        """Deploy the last release until nothing is left to do for a run; settle what nobody knows."""
        settings = self.simulator.settings
        settings.seconds_by_operation = {
            kind: min(0.2, seconds) for kind, seconds in settings.seconds_by_operation.items()
        }
        settings.reads_lag = 0
        left = dict.fromkeys(self.record.names, "")
        for _try in range(TRIES):
            wanted = Wanted("deploy", {"deploy_hosts": "all", "deploy_release": LAST, "deploy_serial": "100%"})
            play = self._play(wanted).wait()
            results = {name: play.fact(name, "deploy_result") or NOT_REACHED for name in self.record.names}
            left = {name: _error_of(result) for name, result in results.items()}
            self._tell(f"end of {wanted}: {play.status}, {left}")
            if play.status == 0 or set(left.values()) <= NO_ERROR:
                return
            for name in [name for name, kind in left.items() if kind == "outcome_unknown"]:
                self._settle(name, results[name]["problem"])
            time.sleep(0.3)
        self._violated("does not end", f"{LAST} is not deployed after {TRIES} undisturbed runs: {left}")

    def _settle(self, name: str, problem: str) -> None:
        """Do what the message says: look at the environment once nothing goes on there, and record what is seen."""
        self._end_operations()
        self.counted["unknown"] += 1
        told = TASK_THAT_SETTLES.search(problem)
        if told:
            what = yaml.safe_load(told[1])
            self._say(name, self._is_seen(name, what), **what)
        else:
            self._tell(f"{name}: pushed whatever is there")
            self.record.forced.setdefault(name, []).append(time.monotonic())
            variables = {"deploy_hosts": name, "deploy_release": LAST, "deploy_force_push": True}
            self._play(Wanted("deploy", variables)).wait()

    def _is_seen(self, name: str, what: dict) -> bool:
        """Whether the service shows that it has carried out what a message names by the options of settle."""
        there = self.record.environment(name).content
        if "tag" in what:
            return any(
                one.note == what["tag"] and one.content == there for one in self.record.environment(name).backups
            )
        if "backup_id" in what:
            backup = self.record.backup(name, what["backup_id"])
            return backup is not None and backup.content.files == there.files
        return there.files.split(" ")[0] == what["release"]

    def _say(self, name: str, is_done: bool, **what: object) -> None:
        """Say whether the service has carried out what nobody knew of."""
        given = what | {"outcome": "done" if is_done else "not_done"}
        self._tell(f"{name}: settle {given}")
        self._task("settle", name, **given)

    def _end_operations(self) -> None:
        """Wait until nothing goes on."""
        deadline = time.monotonic() + LONGEST_OPERATION
        while self.simulator.state.operations.running and time.monotonic() < deadline:
            time.sleep(0.05)

    def _shown(self, name: str) -> dict:
        return self._task("release_info", name)

    def _task(self, module: str, name: str, **options: object) -> dict:
        from runs.tasks import result_of

        given = {
            "base_url": self.simulator.base_url,
            "api_key": self.simulator.api_key,
            "journal": self.journal,
            "environment_id": self.record.names[name],
            **options,
        }
        result = result_of(module, given)
        if result.get("failed"):
            self._violated("error", f"{name}: {module}: {result['msg']}")
        return result

    # ---- the judgement ----------------------------------------------------------------------------------------------

    def _judge(self) -> None:
        self._end_operations()
        for promise, sentence in judge.violations(self.record):
            self._violated(promise, sentence)
        for name in self.record.names:
            for sentence in judge.journal_is_right(self.record, name, self._shown(name)):
                self._violated("journal", sentence)
        for wanted, play, broken in self.plays:
            self._judge_run(wanted, play, broken)
        for one in sorted(self.simulator.state.operations.by_id.values(), key=lambda one: one.accepted_at):
            name = next((name for name, known in self.record.names.items() if known == one.environment_id), "?")
            took = "-" if one.ended_at is None else f"{one.ended_at - self.began:.2f}"
            what = self.record.called(one) + (f" {one.data}" if one.kind == judge.BACKUP else "")
            installed = f", installed {sorted(one.installed)}" if one.installed else ""
            moment = one.accepted_at - self.began
            self.verdict.story.append(f"{moment:6.2f}  service: {name}: {what}, {one.state} at {took}{installed}")
        self.verdict.story.sort(key=lambda line: float(line[:7]))

    def _judge_run(self, wanted: Wanted, play: Play, broken: dict[str, float]) -> None:
        """What a run has said, whatever became of it."""
        if not play.was_killed and play.status is None:
            self._violated("does not end", f"{wanted} was still there after its time")
        if "Traceback" in play.output:
            self._violated("traceback", f"{wanted}: {play.output[play.output.index('Traceback') :][-300:]!r}")
        for one in play.results:
            error = one["result"].get("error")
            if isinstance(error, dict) and error.get("kind") == "unexpected":
                self._violated("unexpected", f"{wanted}: {one['host']}: {one['task']}: {one['result'].get('msg')}")
        if wanted.playbook == "maintain" and not play.was_killed:
            self._judge_summary(wanted, play, broken)

    def _judge_summary(self, wanted: Wanted, play: Play, broken: dict[str, float]) -> None:
        """Every site that was broken all the time is named as needing a person, if the run came to its summary."""
        if not play.summary:
            if wanted.start == 0 and not self.simulator.faults and play is self.plays[-1][1]:
                self._violated("no summary", f"{wanted} has none: {play.output[-200:]!r}")
            return
        for name, since in broken.items():
            if name not in play.in_need and self._was_left_alone(name, since, play.ended or time.monotonic()):
                self._violated("not named", f"{name} does not work, and the summary of {wanted} does not name it")

    def _was_left_alone(self, name: str, since: float, until: float) -> bool:
        """Whether nothing was under way at an environment that changes how its pages are."""
        changing = self.record.operations(name, judge.PUSH, judge.RESTORE, *judge.UPDATES)
        return not any(one.accepted_at < until and (one.ended_at is None or one.ended_at > since) for one in changing)

    def _violated(self, promise: str, sentence: str) -> None:
        if (promise, sentence) not in self.verdict.violations:
            self.verdict.violations.append((promise, sentence))


def _error_of(result: dict) -> str:
    """The kind of the error with which a deployment to an environment ended, or nothing."""
    return (result["error"].get("kind") or result["problem"]) if result["failed"] else ""


class Workplace:
    """What cases need: simulators that are free, and databases."""

    def __init__(self, stack: ExitStack, simulators: int, journal: str) -> None:
        self.folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True))
        )
        self.journal = journal
        self._server: Server | None = stack.enter_context(running()) if journal != "sqlite" else None
        self._free = [stack.enter_context(Simulator(sites=3)) for _simulator in range(simulators)]
        self._lock = threading.Lock()

    def case(self, number: int) -> Verdict:
        """Run a case to its end."""
        # By the case's own seed, so that it has the same journal when it is run alone.
        kind = JOURNALS[number % 2] if self.journal == "both" else self.journal
        verdict, began = Verdict(number, kind), time.monotonic()
        folder = self.folder / str(number)
        folder.mkdir()
        with self._lock:
            simulator = self._free.pop()
            database = self._server.new_database() if self._server and kind == "postgres" else ""
        location = self._server.address(database) if self._server and database else str(folder / "journal.db")
        try:
            Case(simulator, folder, location, verdict).run()
        finally:
            with self._lock:
                self._free.append(simulator)
        verdict.seconds = time.monotonic() - began
        return verdict


def main() -> int:
    """Run the cases, and say what was found."""
    options = _options()
    # Whoever ends a long run wants to know what it has found, and no server is left behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began, counted, wrong = time.monotonic(), Counter(), []
    with ExitStack() as stack:
        try:
            workplace = Workplace(stack, options.workers, options.journal)
        except NotInstalled:
            sys.exit("PostgreSQL is not installed; --journal sqlite does without it")
        prepare(workplace.folder)
        for verdict in _verdicts(workplace, options):
            counted += verdict.counted + Counter(cases=1)
            counted.update(promise for promise, _sentence in verdict.violations)
            if verdict.violations:
                wrong.append(verdict.number)
            _print(verdict, options)
    seconds = time.monotonic() - began
    found = [f"{counted[name]} {name}" for name in sorted(counted) if name not in ("cases", "runs", "kills", "faults")]
    print(
        f"{counted['cases']} cases, {counted['runs']} runs, {counted['kills']} kills, {counted['faults']} faults,"
        f" seed {options.seed}, {seconds:.0f} s ({seconds / max(1, counted['cases']):.1f} s a case);"
        f" {len(wrong)} cases with violations{': ' if found else ''}{', '.join(found)}"
    )
    return 1 if wrong or counted["cases"] < options.cases else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("make chaos-playbooks")
    parser.add_argument("--cases", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--journal", choices=[*JOURNALS, "both"], default="both")
    parser.add_argument("--workers", type=int, default=2 * (os.cpu_count() or 1), help="cases at once")
    parser.add_argument("--show", action="store_true", help="print what happened in each case")
    return parser.parse_args()


def _verdicts(workplace: Workplace, options: argparse.Namespace) -> Iterator[Verdict]:
    """Yield what becomes of the cases, as they end. Ctrl-C begins no more of them."""
    with ThreadPoolExecutor(options.workers) as pool:
        cases = [pool.submit(workplace.case, number) for number in range(options.seed, options.seed + options.cases)]
        try:
            for done in as_completed(cases):
                yield done.result()
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)


def _print(verdict: Verdict, options: argparse.Namespace) -> None:
    if options.show:
        print(f"case {verdict.number} ({verdict.journal}), {verdict.seconds:.1f} s", *verdict.story, sep="\n")
    for promise, sentence in verdict.violations:
        print(f"case {verdict.number} ({verdict.journal}): {promise}: {sentence}")
    if verdict.violations:
        print(f"    again: make chaos-playbooks CASES=1 SEED={verdict.number} ARGS=--show", flush=True)


if __name__ == "__main__":
    sys.exit(main())
