# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what a task costs, side by side: this collection, an ordinary module, and ansible.builtin.uri.

Every way sends the same request, a PUT that sets a deny list, to the simulator. The rounds are interleaved, and the
fastest one of each way counts. Only ratios within one run mean anything.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import yaml
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from simulator import Simulator  # noqa: E402

WORK = ROOT / "build" / "bench"
ENVIRONMENT_ID = "e0000000-0000-4000-8000-000000000011"
ADDRESSES = ["198.51.100.7", "203.0.113.0/24"]

# The same request, sent in three ways; and a task that sends none, which is what Ansible itself costs.
TASKS = {
    "debug (no request)": {"ansible.builtin.debug": {"msg": "{{ item | default('') }}"}},
    "hosting.management, in-process": {
        "hosting.management.denied_ips": {"environment_id": ENVIRONMENT_ID, "ip_list": ADDRESSES, "force": True},
    },
    "hosting.management, module process": {
        "hosting.management.denied_ips": {"environment_id": ENVIRONMENT_ID, "ip_list": ADDRESSES, "force": True},
        # Only with the connection local does the module run in-process.
        "vars": {"ansible_connection": "bench_local"},
    },
    "ansible.builtin.uri": {
        "ansible.builtin.uri": {
            "url": "{{ lookup('ansible.builtin.env', 'HOSTING_BASE_URL') }}/sites/tools/denied-ips",
            "method": "PUT",
            "headers": {"Authorization": "Bearer {{ lookup('ansible.builtin.env', 'HOSTING_API_KEY') }}"},
            "body_format": "json",
            "body": {"environment_id": ENVIRONMENT_ID, "ip_list": ADDRESSES},
        },
    },
}

# A connection that is local in all but name, so that the collection hands over to the ordinary module.
CONNECTION = """
from ansible.plugins.connection.local import DOCUMENTATION as LOCAL, Connection as Local

DOCUMENTATION = LOCAL.replace("name: local", "name: bench_local")


class Connection(Local):
    transport = "bench_local"
"""


@dataclass
class Cost:
    seconds: float
    megabytes: float


def main():
    options = parse_arguments()
    shutil.rmtree(WORK, ignore_errors=True)
    (WORK / "connection_plugins").mkdir(parents=True)
    (WORK / "connection_plugins" / "bench_local.py").write_text(CONNECTION)
    scenarios = {
        f"{options.items} items in a loop": {"hosts": 1, "loop": list(range(options.items)), "forks": 1},
        f"{options.hosts} hosts, 10 forks": {"hosts": options.hosts, "loop": None, "forks": 10},
    }
    console = Console(highlight=False, width=100)
    with Simulator() as simulator:
        for title, scenario in scenarios.items():
            costs = measure(simulator, scenario, options.rounds)
            console.print(table_of(title, costs))
    return 0


def parse_arguments():
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--items", type=int, default=30, help="items of the loop (%(default)s)")
    parser.add_argument("--hosts", type=int, default=60, help="hosts of the inventory (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the fastest counts (%(default)s)")
    return parser.parse_args()


def measure(simulator, scenario, rounds):
    """Return the least Cost of each way over so many interleaved rounds."""
    costs = {}
    for _round in range(rounds):
        for way, task in TASKS.items():
            cost = run(simulator, scenario, task)
            best = costs.get(way, cost)
            costs[way] = Cost(min(cost.seconds, best.seconds), min(cost.megabytes, best.megabytes))
    return costs


def run(simulator, scenario, task):
    """Run the task as a playbook, and return what that cost."""
    names = [f"host{number}" for number in range(scenario["hosts"])]
    loop = {"loop": scenario["loop"]} if scenario["loop"] else {}
    play = {"hosts": "all", "connection": "local", "gather_facts": False, "tasks": [{**task, **loop}]}
    variables = {"ansible_python_interpreter": sys.executable}
    inventory = {"all": {"hosts": dict.fromkeys(names), "vars": variables}}
    (WORK / "playbook.yml").write_text(yaml.safe_dump([play]))
    (WORK / "inventory.yml").write_text(yaml.safe_dump(inventory))
    command = [Path(sys.executable).with_name("ansible-playbook"), "-i", "inventory.yml", "playbook.yml"]
    started = time.monotonic()
    process = subprocess.Popen(
        [*command, "--forks", str(scenario["forks"])],
        cwd=WORK,
        env=environment(simulator),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    output = process.stdout.read()
    _pid, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"A playbook failed:\n{output}")
    return Cost(time.monotonic() - started, usage.ru_maxrss / 1024)


def environment(simulator):
    return {
        **os.environ,
        "HOSTING_BASE_URL": simulator.base_url,
        "HOSTING_API_KEY": simulator.api_key,
        "HOSTING_COMPANIONS": "false",
        "HOSTING_JOURNAL": str(WORK / "journal.db"),
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "collections"),
        "ANSIBLE_CONNECTION_PLUGINS": str(WORK / "connection_plugins"),
        "ANSIBLE_HOME": str(WORK / "ansible"),
        "ANSIBLE_LOCAL_TEMP": str(WORK / "ansible" / "tmp"),
        "ANSIBLE_REMOTE_TMP": str(WORK / "ansible" / "tmp"),
    }


def table_of(title, costs):
    floor = costs["debug (no request)"].seconds
    own = costs["hosting.management, in-process"].seconds
    table = Table(title, "seconds", "above debug", "in-process is faster by", "peak MiB")
    for way, cost in costs.items():
        ratio = f"{cost.seconds / own:.1f} x" if "debug" not in way else ""
        above = f"{cost.seconds - floor:.2f}"
        table.add_row(way, f"{cost.seconds:.2f}", above, ratio, f"{cost.megabytes:.0f}")
    return table


if __name__ == "__main__":
    sys.exit(main())
