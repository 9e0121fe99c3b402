# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs playbooks on a small fleet against the simulator, and shows what they promise.

Deployments: a killed run, a second run, a release that does not work. With --pictures, nights with an update that loses
the layout of a site, though its pages answer 200.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from simulator import Simulator, seed  # noqa: E402
from simulator.state import Content  # noqa: E402

WORK = ROOT / "build" / "demo"
BIN = Path(sys.executable).parent
SITES = 3
console = Console(highlight=False, width=max(100, Console().width))


@dataclass
class Run:
    """One run of the playbook: what it reported, and what reached the service."""

    name: str
    expected: str
    status: int
    changed: int
    seconds: float
    requests: list

    @property
    def writes(self):
        return [request for request in self.requests if request.method != "GET"]

    @property
    def pushes(self):
        return [one for one in self.writes if one.method == "PUT" and one.path.endswith("/environments")]


class Demo:
    """The fleet, the service, and the runs so far."""

    def __init__(self, simulator, environment):
        self.simulator = simulator
        self.environment = environment
        self.runs = []

    def deploy(self, name, expected, release, *arguments, kill_after_pushes=None):
        """Run the deploy playbook, show its output as it comes, and remember the Run."""
        extra = ["-e", "deploy_hosts=live", "-e", f"deploy_release={release}", *arguments]
        return self._run("deploy", name, expected, extra, kill_after_pushes)

    def maintain(self, name, expected):
        """Run the maintain playbook, show its output as it comes, and remember the Run."""
        return self._run("maintain", name, expected, ["-e", "maintain_hosts=live"])

    def _run(self, playbook, name, expected, extra, kill_after_pushes=None):
        console.rule(f"[bold]{len(self.runs) + 2}. {name}")
        console.print(f"[dim]{expected}[/dim]")
        command = ["ansible-playbook", f"hosting.management.{playbook}", "-i", "tests/demo/inventory.yml", *extra]
        # Not wrapped, so that it can be copied.
        console.print(f"[bold]$ {escape(shlex.join(command))}[/bold]\n", soft_wrap=True)
        self.simulator.clear_requests()
        run = Run(name, expected, 0, 0, time.monotonic(), [])
        with subprocess.Popen(
            [BIN / command[0], *command[1:]],
            cwd=ROOT,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            if kill_after_pushes:
                threading.Thread(target=self._kill_amid_pushes, args=(process, run, kill_after_pushes)).start()
            for line in process.stdout:
                print(line, end="", flush=True)
                recap = re.sub(r"\x1b\[[0-9;]*m", "", line)
                run.changed += sum(map(int, re.findall(r"^\d+ hosts? in [\d:]+: (\d+) changes? on ", recap)))
        if process.returncode == -signal.SIGKILL:
            console.print("\n[bold red]kill -9[/bold red] – while environments are being pushed\n")
        run.status = process.returncode
        run.seconds = time.monotonic() - run.seconds
        run.requests = list(self.simulator.requests)
        self.runs.append(run)
        return run

    def _kill_amid_pushes(self, process, run, number):
        """Kill the run once it has sent so many pushes. What it prints comes later."""
        while process.poll() is None:
            run.requests = list(self.simulator.requests)
            if len(run.pushes) >= number:
                os.killpg(process.pid, signal.SIGKILL)
                return
            time.sleep(0.02)

    def stage(self, files):
        """Put files into all staging environments. With the word broken in them, a site does not work."""
        for number in range(1, SITES + 1):
            environment = self.simulator.state.environment(seed.environment_id(number, seed.STAGING))
            environment.content = Content(files, "database")


def main():
    options = parse_arguments()
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    console.rule("[bold]1. Install the collection")
    install_collection()
    with Simulator(interface_only=options.interface_only, operation_seconds=0.8, sites=SITES) as simulator:
        extent = "the 19 documented endpoints only" if options.interface_only else "its companion endpoints too"
        console.print(f"The hosting service is simulated at {simulator.base_url}, with {extent}.")
        environment = playbook_environment(simulator, options.interface_only)
        console.print("To run its commands yourself meanwhile, in another terminal, in this folder:")
        console.print(f"export PATH={escape(shlex.quote(str(BIN)))}:$PATH", soft_wrap=True)
        for name in sorted(environment):
            if environment[name] != os.environ.get(name):
                console.print(f"export {name}={escape(shlex.quote(environment[name]))}", soft_wrap=True)
        demo = Demo(simulator, environment)
        return tell_of_pictures(demo) if options.pictures else tell(demo, can_restore=not options.interface_only)


def tell(demo, can_restore):
    """Run the demo's story, and return the exit status: 0 if all went as announced."""
    demo.stage("files of v2.4.0")
    killed = demo.deploy(
        "A run that is killed",
        "One environment is deployed, then the others; the run dies while they are pushed.",
        "v2.4.0",
        kill_after_pushes=3,
    )
    taken_up = demo.deploy(
        "The same command again", "It waits for the pushes that go on, and pushes nothing twice.", "v2.4.0"
    )
    second = demo.deploy("Once more", "Nothing is left to do: no change, no write.", "v2.4.0")
    demo.stage("broken files of v2.5.0")
    rollback = ["-e", "deploy_rollback=true"] if can_restore else []
    broken = demo.deploy(
        "A release that does not work",
        "The first environment fails its verification"
        + (", goes back to its backup," if can_restore else " (this service cannot restore),")
        + " and no other one is touched.",
        "v2.5.0",
        *rollback,
    )
    first = demo.simulator.state.environment(seed.environment_id(1)).content.files
    pushed = [one.path for one in killed.pushes + taken_up.pushes]
    return summarize(
        demo.runs,
        {
            "Nothing was pushed twice": len(pushed) == len(set(pushed)) == SITES and taken_up.status == 0,
            "The run without news changed nothing and sent no write": not second.changed and not second.writes,
            "The release that does not work reached one environment": len(broken.pushes) == 1 and broken.status != 0,
            **({"That environment is back at v2.4.0": first == "files of v2.4.0"} if can_restore else {}),
        },
    )


def tell_of_pictures(demo):
    """Run the story of an update that loses the layout, and return the exit status: 0 if all went as announced."""
    state = demo.simulator.state
    sites = [state.environment(seed.environment_id(number)) for number in range(1, SITES + 1)]
    demo.simulator.settings.collapsing = frozenset({"plugin example-forms 2.5.0"})
    before = {site.plugins[0].version for site in sites}
    night = demo.maintain(
        "An update that loses the layout",
        "The pages of the first site answer 200 after it, but look different. The site goes back to its backup.",
    )
    updates = [one for one in night.writes if one.path.endswith("/plugins/bulk-update")]
    next_night = demo.maintain("The next night", "The update is remembered: it is held back everywhere.")
    reports = sorted(WORK.glob("pictures/*/comparison.html"))
    console.print(f"Before, after and difference: {reports[0] if reports else 'there is no page'}\n", soft_wrap=True)
    return summarize(
        demo.runs,
        {
            "The update reached one site": len(updates) == 1 and night.status != 0,
            "That site is as it was before": {site.plugins[0].version for site in sites} == before,
            "The next night, the update went nowhere": not any("plugins" in one.path for one in next_night.writes),
            "A page shows before, after and difference": len(reports) == 1,
        },
    )


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    story = parser.add_mutually_exclusive_group()
    story.add_argument("--interface-only", action="store_true", help="simulate the 19 documented endpoints only")
    story.add_argument("--pictures", action="store_true", help="show what pictures of pages find; needs Chromium")
    return parser.parse_args()


def install_collection():
    """Build the tarball, and install it into a folder of its own."""
    collections = str(WORK / "collections")
    # What is importable already would count as installed.
    environment = {
        **os.environ,
        "ANSIBLE_HOME": str(WORK / "ansible"),
        "ANSIBLE_COLLECTIONS_PATH": collections,
        "PYTHONPATH": "",
        "ANSIBLE_GALAXY_DISPLAY_PROGRESS": "false",  # its wheel would leave strokes in a recording
    }
    galaxy = [BIN / "ansible-galaxy", "collection"]
    subprocess.run([*galaxy, "build", ROOT, "--output-path", WORK, "--force"], check=True, env=environment)
    (tarball,) = WORK.glob("*.tar.gz")
    subprocess.run([*galaxy, "install", tarball, "-p", collections], check=True, env=environment)


def playbook_environment(simulator, interface_only):
    return {
        **os.environ,
        **({"ANSIBLE_FORCE_COLOR": "true"} if console.is_terminal else {}),
        "ANSIBLE_STDOUT_CALLBACK": "hosting.management.fleet",
        "HOSTING_BASE_URL": simulator.base_url,
        "HOSTING_API_KEY": simulator.api_key,
        "HOSTING_JOURNAL": str(WORK / "journal.db"),
        "HOSTING_COMPANIONS": str(not interface_only).lower(),
        "DEMO_SITES": f"{simulator.base_url.removesuffix('/v2')}/_simulator/sites",
        "ANSIBLE_COLLECTIONS_PATH": str(WORK / "collections"),
        "ANSIBLE_HOME": str(WORK / "ansible"),
        "PYTHONPATH": "",
    }


def summarize(runs, promises):
    """Show the runs side by side and what was promised of them, and return the exit status."""
    console.rule("[bold]Summary")
    table = Table("", *[run.name for run in runs], show_edge=False)
    table.add_row("exit status", *[str(run.status) if run.status >= 0 else "killed" for run in runs])
    table.add_row("changed tasks", *[str(run.changed) if run.status >= 0 else "?" for run in runs])
    table.add_row("requests that write", *[str(len(run.writes)) for run in runs])
    table.add_row("of these, pushes", *[str(len(run.pushes)) for run in runs])
    table.add_row("requests that read", *[str(len(run.requests) - len(run.writes)) for run in runs])
    table.add_row("seconds", *[f"{run.seconds:.1f}" for run in runs])
    console.print(table)
    console.print()
    for promise, is_kept in promises.items():
        console.print(f"[green]✓ {promise}.[/green]" if is_kept else f"[red]✗ Not kept: {promise}.[/red]")
    return 0 if all(promises.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
