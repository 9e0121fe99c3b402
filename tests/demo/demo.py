# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deploys a release twice against the simulator, with the collection installed from its tarball as Galaxy would."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from simulator import Simulator  # noqa: E402

WORK = ROOT / "build" / "demo"
BIN = Path(sys.executable).parent
console = Console(highlight=False, width=max(100, Console().width))


@dataclass
class Run:
    """One run of the playbook: what it reported, and what reached the service."""

    name: str
    status: int
    changed: int
    seconds: float
    requests: list

    @property
    def writes(self):
        return [request for request in self.requests if request.method != "GET"]


def main():
    options = parse_arguments()
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    console.rule("[bold]1. Install the collection")
    install_collection()
    with Simulator(interface_only=options.interface_only, operation_seconds=1, sites=3) as simulator:
        extent = "the 19 documented endpoints only" if options.interface_only else "its companion endpoints too"
        console.print(f"The hosting service is simulated at {simulator.base_url}, with {extent}.")
        environment = playbook_environment(simulator, options.interface_only)
        runs = []
        for number, name in enumerate(("First run", "Second run"), start=2):
            console.rule(f"[bold]{number}. {name}")
            runs.append(deploy(name, simulator, environment))
            if runs[-1].status:
                console.print(f"[red]{name} failed.[/red]")
                return 1
    return summarize(runs)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--interface-only", action="store_true", help="simulate the 19 documented endpoints only")
    return parser.parse_args()


def install_collection():
    """Build the tarball, and install it into a folder of its own."""
    collections = str(WORK / "collections")
    environment = {**os.environ, "ANSIBLE_HOME": str(WORK / "ansible"), "ANSIBLE_COLLECTIONS_PATH": collections}
    galaxy = [BIN / "ansible-galaxy", "collection"]
    subprocess.run([*galaxy, "build", ROOT, "--output-path", WORK, "--force"], check=True, env=environment)
    (tarball,) = WORK.glob("*.tar.gz")
    subprocess.run([*galaxy, "install", tarball, "-p", collections], check=True, env=environment)


def playbook_environment(simulator, interface_only):
    return {
        **os.environ,
        "HOSTING_BASE_URL": simulator.base_url,
        "HOSTING_API_KEY": simulator.api_key,
        "HOSTING_JOURNAL": str(WORK / "journal.db"),
        "HOSTING_COMPANIONS": str(not interface_only).lower(),
        "ANSIBLE_COLLECTIONS_PATH": str(WORK / "collections"),
        "ANSIBLE_HOME": str(WORK / "ansible"),
        "PYTHONPATH": "",
    }


def deploy(name, simulator, environment):
    """Run the deploy playbook, show its output as it comes, and return the Run."""
    command = ["ansible-playbook", "hosting.management.deploy", "-i", "tests/demo/inventory.yml"]
    command += ["-e", "deploy_release=v2.4.1", "-e", "deploy_pause_when_unknown=1"]
    console.print(f"[bold]$ {' '.join(command)}[/bold]\n")
    simulator.clear_requests()
    started = time.monotonic()
    recap = []
    with subprocess.Popen(
        [BIN / command[0], *command[1:]],
        cwd=ROOT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            recap += re.findall(r"^\S+ +: ok=\d+ +changed=(\d+)", line)
    changed = sum(int(count) for count in recap)
    return Run(name, process.returncode, changed, time.monotonic() - started, list(simulator.requests))


def summarize(runs):
    """Show both runs side by side, and return the exit status: 0 if the second run had nothing to do."""
    first, second = runs
    console.rule("[bold]Summary")
    table = Table("", *[run.name for run in runs], show_edge=False)
    table.add_row("changed tasks", *[str(run.changed) for run in runs])
    table.add_row("requests that write", *[str(len(run.writes)) for run in runs])
    table.add_row("requests that read", *[str(len(run.requests) - len(run.writes)) for run in runs])
    table.add_row("seconds", *[f"{run.seconds:.1f}" for run in runs])
    console.print(table)
    console.print("\nThe first run wrote:")
    for request in first.writes:
        console.print(f"  {request.status}  {request.method:<5}{request.path}")
    if first.changed and not second.changed and not second.writes:
        console.print("\n[green]The second run changed nothing and sent no write.[/green]")
        return 0
    console.print("\n[red]This is not as it should be: the second run should have had nothing to do.[/red]")
    return 1


if __name__ == "__main__":
    sys.exit(main())
