# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A deployment to one wave of sites, whose operations take a while: how long it takes, beside what the service needs.

The service needs the time of a backup, of the push after it, and of the restart and the caches after that, which may
go on side by side. Everything beyond is the deployment's own. Each run pushes a release of its own. Next to it runs the
same by hand: what one would write with ``ansible.builtin.uri``, ``until`` and ``retries``.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from simulator import seed

from .playbooks import WORK, environment_of, measured
from .service import Service

FORKS = 5  # Ansible's default
LATENCY = 0.05  # seconds
PHASES = 3  # of operations that come after each other
PER_MINUTE = 120  # requests that public services grant
SIZES, FULL_SIZES = {40: 10.0}, {40: 10.0, 200: 30.0}
"""The seconds that each operation takes, by the number of sites."""

TIMES_LARGER = 10  # how many times as many sites as the smallest wave has the one whose memory is compared with it
BY_HAND_UP_TO = 100  # sites
LOOKS_A_SITE = 6  # a minute, that waves have which cannot be looked at within the default
BY_DEFAULT = 90  # looks a minute

# One start and one wait for each of these. What may go on side by side is started before it is waited for.
STEPS = (("backup",), ("push",), ("restart", "site_cache", "edge_cache"))
RETRIES = 200  # at Ansible's default delay of 5 s


@dataclass(frozen=True)
class Wave:
    """Deployments to so many sites. ``megabytes`` is the most memory that all processes of one had together.

    ``by_hand`` are the seconds of the same without the collection, where that was measured.
    """

    sites: int
    operation_seconds: float
    seconds: list[float]
    requests: list[float]  # a host
    megabytes: float
    by_hand: list[float] = field(default_factory=list)

    @property
    def needed(self) -> float:
        """What the service needs at least, in seconds."""
        return PHASES * self.operation_seconds

    @property
    def share(self) -> float:
        """How many times as long as that it took."""
        return statistics.median(self.seconds) / self.needed

    @property
    def hand_to_ours(self) -> float:
        """How many times as long the same takes by hand."""
        return statistics.median(self.by_hand) / statistics.median(self.seconds)


@dataclass(frozen=True)
class Limited:
    """A deployment to so many sites of a service that takes PER_MINUTE requests a minute, one after another.

    ``useful`` are its requests without those that were refused, and without looks at operations that went on.
    """

    sites: int
    seconds: float
    useful: int
    refused: int
    has_failed: bool

    @property
    def share(self) -> float:
        """How many times as long it took as these requests alone need."""
        return self.seconds / (self.useful / PER_MINUTE * 60)


@dataclass
class Waves:
    """All that was measured, by growing number of sites."""

    waves: list[Wave] = field(default_factory=list)
    large: Wave | None = None  # of which only the memory is known
    limited: Limited | None = None


def measure(
    service: Service, sizes: dict[int, float], rounds: int, is_full: bool, report: Callable[[str], object]
) -> Waves:
    """Deploy to waves of so many sites. ``report`` is called with what comes next."""
    found = Waves()
    for sites, seconds in sorted(sizes.items()):
        service.set(operation_seconds=seconds, latency=LATENCY)
        write_files(service, sites)
        runs, by_hand = [], []
        for number in range(1, rounds + 1):
            report(f"round {number} of {rounds}: a wave of {sites} sites, operations of {seconds:g} s")
            runs.append(measured(service, _command(sites), f"a wave of {sites}")[0])
            if sites <= BY_HAND_UP_TO:
                report(f"round {number} of {rounds}: the same by hand")
                by_hand.append(measured(service, _by_hand(), f"a wave of {sites} by hand")[0].seconds)
        report(f"memory of a wave of {sites} sites")
        requests = [one.requests / sites for one in runs]
        found.waves.append(
            Wave(sites, seconds, [one.seconds for one in runs], requests, _peak(service, sites), by_hand)
        )
    smallest = found.waves[0]
    if is_full:
        sites = largest_wave(sizes)
        report(f"memory of a wave of {sites} sites")
        service.set(operation_seconds=1.0, latency=0.0)
        write_files(service, sites)
        found.large = Wave(sites, 1.0, [], [], _peak(service, sites))
    report(f"a wave of {smallest.sites} sites, with at most {PER_MINUTE} requests a minute")
    service.set(operation_seconds=smallest.operation_seconds, latency=LATENCY)
    write_files(service, smallest.sites)
    found.limited = _limited(service, smallest.sites)
    service.set(operation_seconds=0.0, latency=0.0)
    return found


def largest_wave(sizes: dict[int, float]) -> int:
    """The sites of the wave whose memory is compared with that of the smallest one."""
    return TIMES_LARGER * min(sizes)


def _limited(service: Service, sites: int) -> Limited:
    service.limit(PER_MINUTE)
    run, _output = measured(service, _command(sites), f"a wave of {sites} under a limit", may_fail=True)
    traffic = service.traffic()
    service.limit(None)
    refused = traffic.requests - traffic.useful
    return Limited(sites, run.seconds, traffic.useful, refused, has_failed=run.status != 0)


def _ansible(*arguments: str) -> list[str | Path]:
    return [Path(sys.executable).with_name("ansible-playbook"), "-i", "wave.yml", *arguments, "--forks", str(FORKS)]


def _command(sites: int) -> list[str | Path]:
    variables = {
        "deploy_hosts": "all",
        "deploy_release": uuid.uuid4().hex,
        "deploy_serial": sites,
        "deploy_verify": False,
        "deploy_looks_per_minute": looks_per_minute(sites),
    }
    return _ansible("hosting.management.deploy", "-e", json.dumps(variables))


def looks_per_minute(sites: int) -> int:
    """What the deployment is allowed: the default, unless so many ends cannot be seen in time with that."""
    return BY_DEFAULT if sites <= BY_DEFAULT else LOOKS_A_SITE * sites


def _by_hand() -> list[str | Path]:
    return _ansible("by_hand.yml", "-e", f"tag={uuid.uuid4().hex}")


def _peak(service: Service, sites: int) -> float:
    from .memory import Sampler

    process = subprocess.Popen(
        _command(sites),
        cwd=WORK,
        env=environment_of(service),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with Sampler(process.pid) as sampler:
        process.wait()
    if process.returncode:
        sys.exit(f"The wave of {sites} whose memory was to be measured failed.")
    return sampler.peak


def write_files(service: Service, sites: int) -> None:
    """Write the inventory of a wave, and the playbook of those who do without the collection."""
    hosts = {
        f"host{number}": {
            "hosting_site_id": seed.site_id(number),
            "hosting_environment_id": seed.environment_id(number),
            "deploy_source_environment_id": seed.environment_id(number, seed.STAGING),
        }
        for number in range(1, sites + 1)
    }
    variables = {"ansible_python_interpreter": sys.executable, "ansible_connection": "local"}
    (WORK / "wave.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts, "vars": variables}}))
    tasks = [task for step in STEPS for task in [_start(service, name) for name in step] + _waits(service, step)]
    play = {"hosts": "all", "gather_facts": False, "tasks": tasks}
    (WORK / "by_hand.yml").write_text(yaml.safe_dump([play], sort_keys=False))


def _start(service: Service, name: str) -> dict:
    environment = "{{ hosting_environment_id }}"
    push = {"source_env_id": "{{ deploy_source_environment_id }}", "target_env_id": environment, "push_db": True}
    method, path, body = {
        "backup": ("POST", f"sites/environments/{environment}/manual-backups", {"tag": "{{ tag }}"}),
        "push": ("PUT", "sites/{{ hosting_site_id }}/environments", {**push, "push_files": True}),
        "restart": ("POST", "sites/tools/restart-php", {"environment_id": environment}),
        "site_cache": ("POST", "sites/tools/clear-cache", {"environment_id": environment}),
        "edge_cache": ("POST", "sites/edge-caching/clear", {"environment_id": environment}),
    }[name]
    options = {"method": method, "body_format": "json", "body": body, "status_code": [200, 202]}
    return {"ansible.builtin.uri": _uri(service, path) | options, "register": name}


def _waits(service: Service, step: tuple[str, ...]) -> list[dict]:
    return [
        {
            "ansible.builtin.uri": _uri(service, f"operations/{{{{ {name}.json.operation_id }}}}")
            | {"status_code": [200, 202]},
            "register": "looked",
            "until": "looked.status == 200",
            "retries": RETRIES,
        }
        for name in step
    ]


def _uri(service: Service, path: str) -> dict:
    headers = {"Authorization": f"Bearer {service.api_key}"}
    return {"url": f"{service.base_url}/{path}", "headers": headers, "ca_path": service.ca_path}
