# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs as AWX runs them: by ansible-runner, from the project, with the credential in the environment.

Slices share a journal in PostgreSQL that was prepared as the guide says, for an ordinary user. What they did is seen in
ansible-runner's events and in what the service recorded.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader

import runs
from awx.credential import environment
from postgres import PASSWORD
from simulator import Simulator, seed

pytest_plugins = ["unit.postgres"]

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "extensions" / "awx"
BIN = Path(sys.executable).parent
INJECTORS = DataLoader().load_from_file(str(ROOT / "roles" / "awx" / "vars" / "main.yml"))["__awx_credential_type"]
SITES = 4
PATIENCE = 90  # seconds for what a test waits for
ENDLESS = 3600
PUSH, BACK_UP = ("PUT", "environments"), ("POST", "manual-backups")


@dataclass
class Template:
    """A job template: its playbook, the answers to its survey, and how often each environment is written to."""

    playbook: str
    answers: dict[str, Any]
    writes: int
    inventory: str = "live.hosting.yml"
    slices: int = 2


# The simulated service serves the pages of its sites here.
PAGES = {"deploy_verify_urls": ["{{ hosting_pages }}/{{ hosting_environment_id }}"], "deploy_verify_attempts": 1}
DEPLOY = Template("deploy.yml", {"deploy_release": "v1", "deploy_hosts": "environment_live", **PAGES}, writes=5)
NIGHT = {
    "maintain_hosts": "all",
    "maintain_backup_max_age": "1d",
    "maintain_denied_ips": ["198.51.100.7"],
    "maintain_verify_urls": PAGES["deploy_verify_urls"],
    "maintain_verify_attempts": 1,
}
MAINTAIN = Template("maintain.yml", NIGHT, writes=2)
ROLES = [
    {"user_id": seed.user_id(number), "role": role} for number, role in ((1, "company-admin"), (2, "company-billing"))
]
ACCESS = Template("access.yml", {"access_hosts": "all", "access_roles": ROLES}, 0, "company.hosting.yml", slices=1)
TEMPLATES = [
    DEPLOY,
    MAINTAIN,
    Template("report.yml", {"report_charts": False}, writes=0, inventory="company.hosting.yml", slices=1),
]


@dataclass
class Job:
    """A job, once it has ended."""

    status: str
    events: list[dict[str, Any]]
    output: str
    folder: Path

    @classmethod
    def of(cls, folder: Path) -> Job:
        """Read what ansible-runner has kept of a job in its folder."""
        kept = folder / "artifacts" / folder.name
        # A job that is cancelled leaves what it had begun to tell, without a number.
        files = [file for file in (kept / "job_events").glob("*.json") if not file.name.endswith("-partial.json")]
        events = [json.loads(file.read_text()) for file in files]
        events.sort(key=lambda event: event["counter"])
        return cls((kept / "status").read_text(), events, (kept / "stdout").read_text(), folder)

    def results(self) -> Iterator[dict[str, Any]]:
        """What tasks returned that went well."""
        for event in self.events:
            if event["event"] == "runner_on_ok":
                yield event["event_data"]["res"]

    @property
    def changed(self) -> dict[str, int]:
        """How many tasks changed something on each host."""
        [stats] = [event["event_data"] for event in self.events if event["event"] == "playbook_on_stats"]
        return {host: stats["changed"].get(host, 0) for host in stats["processed"]}


@dataclass
class Awx:
    """What of AWX has a part in jobs: it keeps the inventory and the credential, and starts ansible-runner."""

    scratch: Path
    simulator: Simulator
    inputs: dict[str, str]
    jobs: list[Job] = field(default_factory=list)
    number: int = 0

    def credential(self) -> dict[str, str]:
        return environment(INJECTORS["injectors"], self.inputs)

    def inventory(self, file: str) -> dict[str, Any]:
        """What an update of the inventory brings, by the inventory plugin."""
        done = subprocess.run(
            [BIN / "ansible-inventory", "--inventory", PROJECT / file, "--list", "--export"],
            env={**self.surroundings(self.scratch), **self.credential()},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    def environments(self, file: str) -> dict[str, str]:
        """The hosts of an inventory, and the ids of their environments."""
        found = self.inventory(file)["_meta"]["hostvars"]
        # So Ansible marks a text that may not be a template.
        return {host: one["hosting_environment_id"]["__ansible_unsafe"] for host, one in found.items()}

    @staticmethod
    def surroundings(folder: Path) -> dict[str, str]:
        return {
            "HOME": str(folder),
            # A job has a terminal, and its processes are known by their environment.
            "PATH": runs.search_path(f"{BIN}:/usr/bin:/bin", is_forked=False),
            "LC_ALL": "C.UTF-8",
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "collections"),
            "XDG_STATE_HOME": "",
        }

    def launch(self, template: Template, cancel_when: Callable[[], bool] = lambda: False, copies: int = 1) -> list[Job]:
        """Run all slices of a template at once, and return them when they have ended."""
        inventory = self.inventory(template.inventory)
        hosts = sorted(inventory["_meta"]["hostvars"])
        started = []
        for number in list(range(template.slices)) * copies:
            self.number += 1
            folder = self.scratch / str(self.number)
            self._prepare(folder, template, _slice(inventory, hosts[number :: template.slices]))
            started.append((folder, self._start(folder, template.playbook)))
        is_cancelled = False
        deadline = time.monotonic() + PATIENCE + 10
        while any(process.poll() is None for _folder, process in started):
            assert time.monotonic() < deadline
            if not is_cancelled and cancel_when():
                is_cancelled = True
                for _folder, process in started:
                    process.terminate()
            time.sleep(0.1)
        jobs = []
        for folder, _process in started:
            _end_what_is_left_of(folder)
            jobs.append(Job.of(folder))
        self.jobs += jobs
        return jobs

    def _prepare(self, folder: Path, template: Template, inventory: dict[str, Any]) -> None:
        """Lay out the folder of a job as AWX does: a copy of the project, its settings, the inventory as a script."""
        shutil.copytree(PROJECT, folder / "project")
        for name in ("inventory", "env"):
            (folder / name).mkdir()
        script = folder / "inventory" / "hosts"
        script.write_text(f"#! /usr/bin/env python3\nprint({json.dumps(inventory)!r})\n")
        script.chmod(0o700)
        settings = {
            "envvars": {
                **self.surroundings(folder),
                **self.credential(),
                "AWX_PRIVATE_DATA_DIR": str(folder),
                "JOB_ID": folder.name,
            },
            "extravars": {**template.answers, "hosting_pages": f"{self.simulator.control_url}/sites"},
            "settings": {"pexpect_timeout": 0.2, "job_timeout": PATIENCE},
        }
        for name, values in settings.items():
            (folder / "env" / name).write_text(json.dumps(values))

    def _start(self, folder: Path, playbook: str) -> subprocess.Popen[bytes]:
        """Start a job in a process of its own: ansible-runner forks, and this process has the simulator's threads."""
        return subprocess.Popen(
            [
                *(BIN / "ansible-runner", "run", folder, "--quiet", "--ident", folder.name),
                *("--playbook", playbook, "--inventory", folder / "inventory" / "hosts"),
            ],
            env=self.surroundings(folder),
            stdin=subprocess.DEVNULL,
        )

    def no_secret_is_shown(self) -> bool:
        """Whether neither output nor events nor other results of jobs have the key or the password."""
        secrets = (self.inputs["api_key"], PASSWORD)
        results = [file for job in self.jobs for file in (job.folder / "artifacts").rglob("*") if file.is_file()]
        texts = [file.read_text() for file in results if file.name != "command"] + [job.output for job in self.jobs]
        return len(results) > len(self.jobs) and not any(secret in text for secret in secrets for text in texts)

    def writes(self) -> Counter[str]:
        """How often the service was asked to change each environment."""
        return Counter(_environment_of(one) for one in self.simulator.writes)

    def backups(self) -> Counter[str]:
        """How often a backup of each environment was begun."""
        found = [one for one in self.simulator.writes if (one.method, one.path.rpartition("/")[2]) == BACK_UP]
        return Counter(_environment_of(one) for one in found)

    def pushes(self) -> Counter[str]:
        """How often each environment was pushed to."""
        found = [one for one in self.simulator.writes if (one.method, one.path.rpartition("/")[2]) == PUSH]
        return Counter(one.body["target_env_id"] for one in found)


def _end_what_is_left_of(folder: Path) -> None:
    """End a job's processes, as its container would: ansible-core's workers survive a job that is cancelled."""
    mark = f"AWX_PRIVATE_DATA_DIR={folder}\0".encode()
    for surroundings in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in surroundings.read_bytes():
                os.kill(int(surroundings.parent.name), signal.SIGKILL)


def _waited_for(result: dict[str, Any]) -> set[str]:
    """The ids of the operations that a wait for all environments has followed."""
    waits = [one.get("environments") or {} for one in result.get("results") or [] if isinstance(one, dict)]
    return {operation["id"] for wait in waits for one in wait.values() for operation in one["operations"]}


def _slice(inventory: dict[str, Any], hosts: list[str]) -> dict[str, Any]:
    """Those hosts of an inventory, with their groups."""
    variables = inventory["_meta"]["hostvars"]
    kept = {
        name: {**group, "hosts": [host for host in group["hosts"] if host in hosts]} if "hosts" in group else group
        for name, group in inventory.items()
        if name != "_meta"
    }
    return {**kept, "_meta": {"hostvars": {host: variables[host] for host in hosts}}}


def _environment_of(request: Any) -> str:
    """The environment that a request is about, which is in its body or its path."""
    body = request.body or {}
    named = [body[name] for name in ("target_env_id", "environment_id", "env_id") if name in body]
    return named[0] if named else request.path.split("/environments/")[1].split("/")[0]


@pytest.fixture
def awx(postgres_server) -> Iterator[Awx]:
    """AWX with a credential whose journal is in a database, where its user may make no table."""
    database, owner, user = postgres_server.new_database(), postgres_server.new_user(), postgres_server.new_user()
    postgres_server.execute(f"alter database {database} owner to {owner}")
    postgres_server.execute("revoke create on schema public from public", database)
    server = f"127.0.0.1:{postgres_server.port}/{database}"
    # ansible-core makes sockets below the folder of a job, whose names must be short.
    with tempfile.TemporaryDirectory(prefix="awx-") as scratch, Simulator(sites=SITES) as simulator:
        runs.run(
            *("hosting.management.journal_setup", "-e", f"hosting_journal=postgresql://{owner}@{server}"),
            *("-e", f"journal_user={user}"),
            env={**Awx.surroundings(Path(scratch)), "PGPASSWORD": PASSWORD},
            check=True,
        )
        inputs = {
            "base_url": simulator.base_url,
            "api_key": simulator.api_key,
            "journal": f"postgresql://{user}@{server}",
            "journal_password": PASSWORD,
        }
        yield Awx(Path(scratch), simulator, inputs)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda one: one.playbook)
def test_slices_at_once_do_everything_once_and_a_second_launch_nothing(template: Template, awx: Awx):
    ids = awx.environments(template.inventory)
    first = awx.launch(template)
    assert [job.status for job in first] == ["successful"] * template.slices, "".join(job.output for job in first)
    assert sorted(host for job in first for host in job.changed) == sorted(ids)
    assert awx.writes() == (dict.fromkeys(ids.values(), template.writes) if template.writes else {})
    awx.simulator.clear_requests()
    second = awx.launch(template)
    assert [job.status for job in second] == ["successful"] * template.slices
    assert awx.writes() == {}
    if template.writes:
        assert {count for job in second for count in job.changed.values()} == {0}
    assert "The journal" not in "".join(job.output for job in awx.jobs)
    assert awx.no_secret_is_shown()


# Whether a later job waits for the same operation, or sees in the service what came of it.
CANCELLED = {
    "push": (Template(DEPLOY.playbook, {**DEPLOY.answers, "deploy_backup": False}, writes=4), Awx.pushes, True),
    "backup": (MAINTAIN, Awx.backups, False),
}


@pytest.mark.parametrize(("template", "counted", "is_resumed"), CANCELLED.values(), ids=CANCELLED)
def test_jobs_that_are_cancelled_while_they_wait_do_nothing_twice_when_they_are_launched_again(
    template: Template, counted: Callable[[Awx], Counter[str]], is_resumed: bool, awx: Awx
):
    awx.simulator.settings.operation_seconds = ENDLESS
    cancelled = awx.launch(template, lambda: counted(awx).total() >= template.slices)
    assert [job.status for job in cancelled] == ["canceled", "canceled"]
    begun = len(counted(awx))
    assert begun >= template.slices
    cut_off = [operation.id for operation in awx.simulator.state.operations.running]
    awx.simulator.settings.operation_seconds = 0
    for operation in awx.simulator.state.operations.running:
        operation.ends_at = time.monotonic()
    again = awx.launch(template)
    assert [job.status for job in again] == ["successful", "successful"], "".join(job.output for job in again)
    assert set(counted(awx).values()) == {1}
    assert counted(awx).keys() == set(awx.environments(template.inventory).values())
    resumed = {found for job in again for one in job.results() for found in _waited_for(one)}
    assert len(resumed & set(cut_off)) == (begun if is_resumed else 0)
    assert awx.no_secret_is_shown()


@runs.as_users_do()
def test_roles_are_set_by_the_first_job_and_the_next_one_sends_no_write(awx: Awx):
    for sent in (len(ROLES), 0):
        awx.simulator.clear_requests()
        [job] = awx.launch(ACCESS)
        assert job.status == "successful"
        assert len(awx.simulator.writes) == sent
    assert awx.no_secret_is_shown()


def test_the_same_job_twice_at_once_pushes_once(awx: Awx):
    whole = Template(DEPLOY.playbook, {**DEPLOY.answers, "deploy_serial": "100%"}, writes=5, slices=1)
    jobs = awx.launch(whole, copies=2)
    assert [job.status for job in jobs] == ["successful", "successful"]
    assert len(awx.pushes()) == SITES
    assert set(awx.pushes().values()) == {1}


def test_without_a_database_a_job_warns_that_the_next_one_will_not_know_of_it(awx: Awx):
    awx.inputs |= {"journal": "", "journal_password": ""}
    whole = Template(DEPLOY.playbook, DEPLOY.answers, writes=5, slices=1)
    for pushes in (1, 2):
        [job] = awx.launch(whole)
        assert job.status == "successful"
        [warning] = [text for text in job.output.split("[WARNING]: ")[1:] if text.startswith("The journal")]
        assert "the next job will not know" in " ".join(warning.split())
        assert set(awx.pushes().values()) == {pushes}
