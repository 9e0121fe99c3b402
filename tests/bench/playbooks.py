# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same request in several ways, as a task of a playbook; and what running that takes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from simulator import seed

from .service import Service

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "bench"
LAUNCHER = Path(__file__).with_name("launcher.py")
ADDRESSES = ["198.51.100.7", "203.0.113.0/24"]

FLOOR, OURS, PROCESS, URI = WAYS = ("debug", "in-process", "module process", "uri")
TITLES = {
    FLOOR: "ansible.builtin.debug, no request",
    OURS: "hosting.management, in-process",
    PROCESS: "hosting.management, module process",
    URI: "ansible.builtin.uri",
}

# A connection that is local in all but name: only with `local` does the collection run its modules in-process.
CONNECTION = """
from ansible.plugins.connection.local import DOCUMENTATION as LOCAL, Connection as Local

DOCUMENTATION = LOCAL.replace("name: local", "name: bench_local")


class Connection(Local):
    transport = "bench_local"
"""


@dataclass(frozen=True)
class Play:
    """One task, for so many hosts and, if there are any, items; each sends its request to an environment of its own."""

    name: str
    hosts: int = 1
    items: int = 0
    latency: float = 0.0
    ways: tuple[str, ...] = WAYS
    forks: int = 10

    @property
    def requests(self) -> int:
        return self.hosts * (self.items or 1)


@dataclass(frozen=True)
class Run:
    """What a run of ansible-playbook took, with all its processes. `megabytes` is the largest one's peak.

    `status` is its exit status, which is 0 where nothing has failed.
    """

    seconds: float
    cpu_seconds: float
    megabytes: float
    requests: int
    connections: int
    simulator_cpu_seconds: float
    status: int = 0


def prepare() -> None:
    """Make an empty folder to work in."""
    shutil.rmtree(WORK, ignore_errors=True)
    (WORK / "connection_plugins").mkdir(parents=True)
    (WORK / "connection_plugins" / "bench_local.py").write_text(CONNECTION)


def peak_of_all(service: Service, play: Play, way: str) -> float:
    """Run a playbook, and return the most memory that all its processes had together, in MiB.

    To look at it slows a run down, so this is a run of its own.
    """
    from .memory import Sampler

    _write(service, play, way)
    process = subprocess.Popen(
        [*_command(play)], cwd=WORK, env=environment_of(service), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    with Sampler(process.pid) as sampler:
        process.wait()
    return sampler.peak


def _command(play: Play) -> list[str | Path]:
    playbook = Path(sys.executable).with_name("ansible-playbook")
    return [playbook, "-i", "inventory.yml", "playbook.yml", "--forks", str(play.forks)]


def run(service: Service, play: Play, way: str) -> Run:
    """Run a playbook, and return what that took. A run that did not do what it should ends everything."""
    _write(service, play, way)
    service.set(latency=play.latency)
    taken, said = measured(service, _command(play), way)
    service.set(latency=0.0)
    if taken.requests != (0 if way == FLOOR else play.requests):
        sys.exit(f"The playbook for {way} sent {taken.requests} requests, not {play.requests}:\n{said[-3000:]}")
    return taken


def measured(service: Service, command: list[str | Path], title: str, *, may_fail: bool = False) -> tuple[Run, str]:
    """Run a command, and return what that took and what it printed. One that fails and must not ends everything."""
    service.clear()
    done = subprocess.run(
        [sys.executable, "-I", "-S", LAUNCHER, "taken.json", *command],
        cwd=WORK,
        env=environment_of(service),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    traffic = service.traffic()
    if done.returncode and not may_fail:
        sys.exit(f"The playbook for {title} failed:\n{done.stdout[-3000:]}")
    taken = Run(
        **json.loads((WORK / "taken.json").read_text()),
        requests=traffic.requests,
        connections=traffic.connections,
        simulator_cpu_seconds=traffic.cpu_seconds,
        status=done.returncode,
    )
    return taken, done.stdout


def _write(service: Service, play: Play, way: str) -> None:
    hosts = {f"host{number}": {"own_id": seed.environment_id(number)} for number in range(1, play.hosts + 1)}
    variables = {"ansible_python_interpreter": sys.executable}
    task = _task(service, way, "{{ item }}" if play.items else "{{ own_id }}")
    if play.items:
        task["loop"] = [seed.environment_id(number) for number in range(1, play.items + 1)]
    content = {"hosts": "all", "connection": "local", "gather_facts": False, "tasks": [task]}
    (WORK / "playbook.yml").write_text(yaml.safe_dump([content]))
    (WORK / "inventory.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts, "vars": variables}}))


def _task(service: Service, way: str, environment_id: str) -> dict:
    if way == FLOOR:
        return {"ansible.builtin.debug": {"msg": environment_id}}
    if way == URI:
        return {
            "ansible.builtin.uri": {
                "url": f"{service.base_url}/sites/tools/denied-ips",
                "method": "PUT",
                "headers": {"Authorization": f"Bearer {service.api_key}"},
                "body_format": "json",
                "body": {"environment_id": environment_id, "ip_list": ADDRESSES},
                "ca_path": service.ca_path,
            }
        }
    task = {
        "hosting.management.denied_ips": {
            "environment_id": environment_id,
            "ip_list": ADDRESSES,
            # So that it sends what uri sends: one PUT, and nothing before it.
            "companions": False,
            "force": True,
        }
    }
    return task | ({"vars": {"ansible_connection": "bench_local"}} if way == PROCESS else {})


def environment_of(service: Service) -> dict[str, str]:
    """The bundle comes the way certifi's own does, without an option."""
    left_out = ("PYTHONPATH", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "CURL_CA_BUNDLE")
    kept = {name: value for name, value in os.environ.items() if name.upper() not in left_out}
    return kept | {
        "HOSTING_BASE_URL": service.base_url,
        "HOSTING_API_KEY": service.api_key,
        "HOSTING_JOURNAL": str(WORK / "journal.db"),
        "REQUESTS_CA_BUNDLE": service.ca_path,
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "collections"),
        "ANSIBLE_CONNECTION_PLUGINS": str(WORK / "connection_plugins"),
        "ANSIBLE_HOME": str(WORK / "ansible"),
        "ANSIBLE_LOCAL_TEMP": str(WORK / "ansible" / "tmp"),
        "ANSIBLE_REMOTE_TMP": str(WORK / "ansible" / "tmp"),
    }
