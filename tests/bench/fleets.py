# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole playbooks for a fleet where there is nothing to do, which is what most nights are.

Each runs once unmeasured, so that all is as it is declared. ``ansible.builtin.uri`` then does what the second run has
read, a task each, and a ``debug`` task shows what Ansible itself costs.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from simulator import seed

from .playbooks import FLOOR, OURS, URI, WORK, Run, measured
from .service import Service

SMALL, HOSTS, LARGE = 40, 60, 400
FORKS = 10

WAYS = (FLOOR, URI, OURS)

MAINTAIN, DEPLOY, REPORT = "maintain", "deploy", "report"
VARIABLES = {
    MAINTAIN: {
        "maintain_hosts": "all",
        "maintain_backup_max_age": "1d",
        "maintain_denied_ips": ["198.51.100.7", "203.0.113.0/24"],
        "maintain_sftp_allowlist": ["198.51.100.0/24"],
        "maintain_image_optimization": "lossless",
        "maintain_php_version": "8.4",
        "maintain_primary_domain_id": "{{ hosting_primary_domain_id }}",
        "maintain_update_plugins": "updatable",
        "maintain_verify": False,
        "maintain_check_vulnerable_plugins": False,
        "maintain_warn_only": ["key"],
        "maintain_looks_per_minute": 6000,  # the first runs are not measured, and should not take an hour
    },
    DEPLOY: {
        "deploy_hosts": "all",
        "deploy_release": "v1",
        "deploy_verify": False,
        "deploy_looks_per_minute": 6000,
    },
    REPORT: {
        "report_hosts": "all",
        "report_html": str(WORK / "report.html"),
        "report_json": str(WORK / "report.json"),
        "report_charts": False,
    },
}
"""What each playbook is asked for: of maintain, seven parts."""

Reads = list[tuple[str, object]]
"""Addresses that are read, without the beginning that all have, and bodies that go with them."""


@dataclass(frozen=True)
class Night:
    """A run of a playbook for a fleet."""

    run: Run
    lines: int  # that it printed
    visits: float  # of a host by a task, one that is skipped included


@dataclass
class Fleets:
    """All runs of whole playbooks, by playbook and way."""

    hosts: int
    nights: dict[str, dict[str, list[Night]]] = field(default_factory=dict)

    def median(self, playbook: str, way: str, value: Callable[[Night], float]) -> float:
        """The median of what is asked of each run."""
        values = sorted(value(one) for one in self.nights[playbook][way])
        return values[len(values) // 2]

    def a_host(self, playbook: str, way: str) -> float:
        """The processor time of all processes, by host, in seconds."""
        return self.median(playbook, way, lambda night: night.run.cpu_seconds) / self.hosts


def measure(
    service: Service, hosts: int, rounds: int, report: Callable[[str], object], ways: Sequence[str] = WAYS
) -> Fleets:
    """Run all playbooks in these ways, in interleaved rounds. ``report`` is called with what comes next."""
    fleets = Fleets(hosts)
    _write_inventory(hosts)
    reads: dict[str, Reads] = {}
    for playbook in VARIABLES:
        report(f"{playbook}, {hosts} hosts, until there is nothing to do")
        for _run in range(2):
            _run_ours(service, playbook, hosts)
        reads[playbook] = service.reads()
    for number in range(1, rounds + 1):
        for playbook in VARIABLES:
            for way in ways:
                report(f"round {number} of {rounds}: {playbook}, {way}")
                if way == OURS:
                    night = _run_ours(service, playbook, hosts)
                else:
                    _write_other(service, way, hosts, reads[playbook])
                    night = _night(service, [_ansible(), "-i", "others.yml", "other.yml"], hosts, f"{playbook}, {way}")
                fleets.nights.setdefault(playbook, {}).setdefault(way, []).append(night)
    return fleets


def visits_of_hosts(output: str) -> int:
    """How many times a task has come to a host, or has skipped it, as the output of a run shows it."""
    visited = re.findall(r"^(?:ok|changed|skipping|fatal): \[", output, re.MULTILINE)
    included = re.findall(r"^included: .* for (.*)$", output, re.MULTILINE)
    return len(visited) + sum(len(hosts.split(",")) for hosts in included)


def _run_ours(service: Service, playbook: str, hosts: int) -> Night:
    (WORK / "variables.json").write_text(json.dumps(VARIABLES[playbook]))
    command = [_ansible(), "-i", "fleet.yml", f"hosting.management.{playbook}", "-e", "@variables.json"]
    return _night(service, command, hosts, playbook)


def _night(service: Service, command: list[str | Path], hosts: int, title: str) -> Night:
    taken, output = measured(service, [*command, "--forks", str(FORKS)], title)
    return Night(taken, len(output.splitlines()), visits_of_hosts(output) / hosts)


def _ansible() -> Path:
    return Path(sys.executable).with_name("ansible-playbook")


def _write_inventory(hosts: int) -> None:
    fleet = {
        f"host{number}": {
            "hosting_site_id": seed.site_id(number),
            "hosting_environment_id": seed.environment_id(number),
            "deploy_source_environment_id": seed.environment_id(number, seed.STAGING),
            "hosting_primary_domain_id": seed.domain_id(number),
        }
        for number in range(1, hosts + 1)
    }
    _write("fleet.yml", {"all": {"hosts": fleet, "vars": {"ansible_python_interpreter": sys.executable}}})


def _write_other(service: Service, way: str, hosts: int, reads: Reads) -> None:
    """Write a playbook with the same reads in tasks of ansible.builtin.uri, or with one debug task."""
    by_host = {f"host{number}": _reads_of(number, reads) for number in range(1, hosts + 1)}
    variables = {"ansible_python_interpreter": sys.executable, "ansible_connection": "local"}
    fleet = {name: {"reads": [list(one) for one in own]} for name, own in by_host.items()}
    _write("others.yml", {"all": {"hosts": fleet, "vars": variables}})
    tasks = [{"ansible.builtin.debug": {"msg": "{{ inventory_hostname }}"}}]
    if way == URI:
        headers = {"Authorization": f"Bearer {service.api_key}"}
        tasks = [
            {
                "ansible.builtin.uri": {
                    "url": f"{service.base_url}{{{{ reads[{place}][0] }}}}",
                    "headers": headers,
                    "body": f"{{{{ omit if reads[{place}][1] is none else reads[{place}][1] }}}}",
                    "body_format": f"{{{{ 'raw' if reads[{place}][1] is none else 'json' }}}}",
                    "ca_path": service.ca_path,
                }
            }
            for place in range(Counter(map(len, by_host.values())).most_common(1)[0][0])
        ]
    _write("other.yml", [{"hosts": "all", "gather_facts": False, "tasks": tasks}])


def _reads_of(number: int, reads: Reads) -> Reads:
    """The reads that belong to the environment or the site of a host."""
    ids = (seed.environment_id(number), seed.site_id(number))
    return [one for one in reads if any(an_id in one[0] for an_id in ids)]


def _write(name: str, content: object) -> None:
    (WORK / name).write_text(yaml.safe_dump(content))
