# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The deploy role and playbook, run as users run them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from simulator import seed

pytest_plugins = ["simulator.fixtures"]

COLLECTIONS = str(Path(__file__).parents[2] / "build" / "collections")
HOSTS = {
    name: {
        "hosting_site_id": seed.site_id(number),
        "hosting_environment_id": seed.environment_id(number, seed.LIVE),
        "hosting_source_environment_id": seed.environment_id(number, seed.STAGING),
    }
    for number, name in enumerate(("shop", "blog"), start=1)
}
SITES = r"/sites/[0-9a-f-]{36}"
WRITES = {
    "backup": ("POST", r"/sites/environments/[0-9a-f-]{36}/manual-backups"),
    "push": ("PUT", rf"{SITES}/environments"),
    "domain": ("POST", r"/sites/environments/[0-9a-f-]{36}/domains"),
    "denied IPs": ("PUT", "/sites/tools/denied-ips"),
    "restart": ("POST", "/sites/tools/restart-php"),
}


class Deployment:
    """The deploy playbook in front of the simulator."""

    def __init__(self, folder, simulator, environment):
        self.folder = folder
        self.simulator = simulator
        self.journal = folder / "journal.db"
        self.environment = {
            **environment,
            "ANSIBLE_COLLECTIONS_PATH": COLLECTIONS,
            "HOSTING_BASE_URL": simulator.base_url,
            "HOSTING_API_KEY": simulator.api_key,
            "HOSTING_JOURNAL": str(self.journal),
        }
        self.variables = {
            "deploy_domains": [{"domain_name": "{{ inventory_hostname }}.example.org"}],
            "deploy_denied_ips": ["198.51.100.7"],
            "deploy_pause_when_unknown": 0,
        }
        self.hosts = HOSTS

    def run(self, *arguments, release="v1", **variables):
        """Deploy, and return the finished process; its requests are those in the simulator's log."""
        inventory = {"all": {"hosts": self.hosts, "vars": {**self.variables, **variables}}}
        (self.folder / "inventory.yml").write_text(yaml.safe_dump(inventory))
        self.simulator.clear_requests()
        extra = ["-e", f"deploy_release={release}"] if release else []
        return subprocess.run(
            [Path(sys.executable).parent / "ansible-playbook", "hosting.management.deploy", *extra, *arguments],
            cwd=self.folder,
            env={**self.environment, "ANSIBLE_INVENTORY": "inventory.yml"},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def changes(self, *arguments, **options):
        """Deploy, which must go well, and return the number of changed tasks."""
        done = self.run(*arguments, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return sum(map(int, re.findall(r"changed=(\d+)", done.stdout)))

    def written(self):
        """Return how many writes of each kind the last run sent."""
        names = [
            next(
                name for name, (method, path) in WRITES.items() if one.method == method and re.fullmatch(path, one.path)
            )
            for one in self.simulator.writes
        ]
        return {name: names.count(name) for name in WRITES if name in names}


@pytest.fixture
def deployment(tmp_path, simulator, ansible):
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir(exist_ok=True)
    return Deployment(tmp_path, simulator, ansible.environment)


@pytest.fixture(params=["with companions", "documented endpoints only"])
def either_service(request, deployment, simulator):
    if request.param == "documented endpoints only":
        simulator.settings.interface_only = True
        deployment.environment["HOSTING_COMPANIONS"] = "false"
    return deployment


def test_the_first_run_changes_and_the_second_sends_no_write(either_service):
    assert either_service.changes() == 10
    assert either_service.written() == dict.fromkeys(WRITES, 2)
    assert either_service.changes() == 0
    assert either_service.written() == {}


def test_without_the_journal_only_what_the_service_does_not_show_is_done_again(deployment):
    deployment.changes()
    for file in deployment.folder.glob("journal.db*"):
        file.unlink()
    assert deployment.changes() == 4
    assert deployment.written() == {"push": 2, "restart": 2}


def test_another_release_is_backed_up_pushed_and_restarted_for(deployment):
    deployment.changes()
    assert deployment.changes(release="v2") == 6
    assert deployment.written() == {"backup": 2, "push": 2, "restart": 2}


def test_check_mode_predicts_and_writes_nothing(deployment):
    assert deployment.changes("--check", "--diff") == 10
    assert deployment.written() == {}
    assert not deployment.journal.exists()


def test_limit_and_serial_apply_to_environments(deployment):
    assert deployment.changes("--limit", "blog") == 5
    assert deployment.changes("-e", "deploy_serial=1") == 5


@pytest.mark.parametrize(
    ("switch", "left_out"),
    [
        ("deploy_backup", "backup"),
        ("deploy_push", "push"),
        ("deploy_ensure_domains", "domain"),
        ("deploy_set_denied_ips", "denied IPs"),
        ("deploy_restart_php", "restart"),
    ],
)
def test_each_step_can_be_switched_off(deployment, switch, left_out):
    deployment.changes("--limit", "shop", **{switch: False})
    assert deployment.written() == {name: 1 for name in WRITES if name != left_out}


def test_the_key_check_can_be_switched_off(deployment, simulator):
    deployment.changes("--limit", "shop", deploy_check_key=False)
    assert "/validate" not in [request.path for request in simulator.requests]


def test_a_key_that_expires_soon_stops_everything(deployment):
    done = deployment.run(deploy_key_valid_days=365)
    assert done.returncode
    assert "Create a new key" in done.stdout
    assert deployment.written() == {}


def test_a_failed_push_says_which_backup_to_go_back_to(deployment, simulator):
    simulator.fault("fail_operation", method="PUT", path=rf"{SITES}/environments")
    done = deployment.run("--limit", "shop")
    assert done.returncode
    (backup,) = [one for one in simulator.state.environment(seed.environment_id(1)).backups if one.type == "manual"]
    assert f"restore the backup with the tag before-v1 (id {backup.id}, taken" in done.stdout
    assert deployment.written() == {"backup": 1, "push": 1}
    assert deployment.changes("--limit", "shop") == 4


def test_a_failed_push_without_a_backup_says_so(deployment, simulator):
    simulator.fault("status", method="PUT", path=rf"{SITES}/environments", status=400)
    done = deployment.run("--limit", "shop", deploy_backup=False)
    assert "No backup was taken by this run" in done.stdout


def test_what_is_missing_is_named_before_anything_is_sent(deployment, simulator):
    deployment.hosts = {"shop": {"hosting_site_id": seed.site_id(1)}}
    done = deployment.run(release=None)
    assert "shop lacks deploy_release, deploy_environment_id, deploy_source_environment_id." in done.stdout
    assert simulator.requests == []


def test_some_files_are_pushed_when_they_are_listed(deployment, simulator):
    deployment.changes("--limit", "shop", deploy_file_list=["wp-content/themes"], deploy_push_db=False)
    (push,) = [request for request in simulator.writes if request.path.endswith("/environments")]
    assert push.body["push_files_option"] == "SPECIFIC_FILES"
    assert push.body["file_list"] == ["wp-content/themes"]
    assert push.body["push_db"] is False


def test_it_runs_on_localhost_with_plain_variables(deployment):
    ids = {
        "deploy_site_id": seed.site_id(1),
        "deploy_environment_id": seed.environment_id(1, seed.LIVE),
        "deploy_source_environment_id": seed.environment_id(1, seed.STAGING),
    }
    extra = [argument for name, value in ids.items() for argument in ("-e", f"{name}={value}")]
    assert deployment.changes("-e", "deploy_hosts=localhost", *extra) == 5
    assert deployment.written() == dict.fromkeys(WRITES, 1)


def test_it_pauses_where_the_end_of_an_operation_is_not_shown(deployment, simulator):
    simulator.settings.interface_only = True
    deployment.environment["HOSTING_COMPANIONS"] = "false"
    done = deployment.run("--limit", "shop", deploy_pause_when_unknown=1)
    assert done.returncode == 0, done.stdout
    backup, push, *_others = simulator.writes
    assert push.time - backup.time >= 1


def test_a_push_of_unknown_outcome_is_forced_by_a_variable(deployment, simulator):
    simulator.fault("drop_after", method="PUT", path=rf"{SITES}/environments")
    for _run in range(2):
        done = deployment.run("--limit", "shop")
        assert "run it with force: true" in done.stdout or "run with force: true" in done.stdout
    assert deployment.written() == {}
    assert deployment.changes("--limit", "shop", deploy_force_push=True) == 4
    assert deployment.written()["push"] == 1


def test_a_host_without_a_source_is_named_as_such(deployment):
    deployment.hosts = {"staging": {**HOSTS["shop"], "hosting_source_environment_id": None}}
    assert "staging lacks deploy_source_environment_id." in deployment.run().stdout


def test_while_a_push_goes_on_nobody_is_told_to_restore(deployment, simulator):
    simulator.settings.operation_seconds = 3600
    said = deployment.run("--limit", "shop", deploy_backup=False, deploy_wait_timeout=0.1).stdout
    assert "is still being pushed to shop" in said
    assert "Do not restore a backup before the push has ended." in said
    assert "was not pushed" not in said


def test_a_release_may_be_a_whole_number_but_no_fraction(deployment, simulator):
    deployment.changes("--limit", "shop", "-e", '{"deploy_release": 20261101}', release=None)
    simulator.clear_requests()
    done = deployment.run("-e", '{"deploy_release": 1.10}', release=None)
    assert "Write it in quotes" in done.stdout
    assert simulator.requests == []
