# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deployments to a wave of sites: started on all hosts, waited for once, and judged by each."""

from __future__ import annotations

import os
import re
import signal
import time

import pytest

from integration import test_deploy
from integration.test_deploy import HOSTS, SITES, Deployment
from simulator import Simulator, seed

NAMES = ("shop", "blog", "magazine", "wiki")
PUSH, BACKUP = rf"{SITES}/environments", r".*/manual-backups"
PLAIN = {"deploy_domains": [], "deploy_set_denied_ips": False, "deploy_verify": False}
WAVE = ("-e", "deploy_serial=4", "--forks", "1")
PAUSE = 8  # seconds

deployment = test_deploy.deployment


@pytest.fixture
def simulator():
    with Simulator(sites=len(NAMES)) as simulator:
        yield simulator


@pytest.fixture
def wave(deployment: Deployment) -> Deployment:
    """A deployment to four sites with one fork."""
    deployment.hosts = {
        name: {
            "hosting_site_id": seed.site_id(number),
            "hosting_environment_id": seed.environment_id(number, seed.LIVE),
            "hosting_source_environment_id": seed.environment_id(number, seed.STAGING),
        }
        for number, name in enumerate(NAMES, start=1)
    }
    assert deployment.hosts.items() >= HOSTS.items()
    return deployment


def run_free(wave, *arguments, **variables):
    """Run a play of one's own, whose hosts do not wait for each other."""
    role = {"role": "hosting.management.deploy", "deploy_release": "v1"}
    play = {"hosts": "all", "connection": "local", "gather_facts": False, "strategy": "free", "roles": [role]}
    (wave.folder / "own.yml").write_text(test_deploy.yaml.safe_dump([play]))
    return wave.run(*arguments, release=None, hosts=None, playbook=None, **variables)


def times(simulator, method, path):
    """When requests were sent, in seconds, in their order."""
    return [one.time for one in simulator.writes if one.method == method and re.fullmatch(path, one.path)]


def pushes(simulator):
    """How many pushes of each site the service has accepted, by its own record."""
    accepted = [
        one.environment_id for one in simulator.state.operations.by_id.values() if one.kind == "environments:push"
    ]
    return [accepted.count(seed.environment_id(number)) for number in range(1, len(NAMES) + 1)]


def test_one_fork_is_enough_for_many_sites_and_a_failure_is_of_one_alone(wave, simulator):
    simulator.settings.seconds_by_operation = {"backups:add-manual": 5, "environments:push": 2}
    simulator.fault("fail_operation", method="PUT", path=f"/sites/{seed.site_id(2)}/environments")
    simulator.fault("status", method="POST", path=rf".*{seed.environment_id(3)}/manual-backups", status=400)
    done = wave.run(*WAVE, **PLAIN)
    assert done.returncode
    assert re.search("4 environments: .* 2 failed", done.stdout)
    assert "The push of v1 failed on its way, so parts of it may be there: Operation" in done.stdout
    assert "Failed at 'Back up what the push would overwrite'" in done.stdout
    assert pushes(simulator) == [1, 1, 0, 1], "what has failed is not sent again by the same run"
    assert wave.written() == {"backup": 4, "push": 3, "restart": 2, "cache": 2, "edge cache": 2}
    backups, starts = times(simulator, "POST", BACKUP), times(simulator, "PUT", PUSH)
    assert backups[-1] - backups[0] < 5, "all backups go on side by side"
    assert starts[0] - backups[-1] > 2


@pytest.mark.story
@pytest.mark.parametrize("writes", [4, 8, 14])
def test_a_run_that_is_killed_while_it_waits_is_taken_up_by_the_next_one(writes, wave, simulator):
    simulator.settings.operation_seconds = 2
    process = wave.start(*WAVE, **PLAIN)
    while len(simulator.writes) < writes and process.poll() is None:
        time.sleep(0.005)
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    done = wave.run(*WAVE, **PLAIN)
    assert done.returncode == 0, done.stdout
    assert pushes(simulator) == [1, 1, 1, 1]
    assert wave.changes(*WAVE, **PLAIN) == 0
    assert wave.written() == {}


def test_two_deployments_of_the_same_fleet_push_each_site_once(wave, simulator):
    simulator.settings.operation_seconds = 2
    first, second = (wave.start(*WAVE, **PLAIN) for _unused in range(2))
    for process in (first, second):
        output, _errors = process.communicate(timeout=200)
        assert process.returncode == 0, output
    assert pushes(simulator) == [1, 1, 1, 1]


def test_the_pause_comes_once_a_wave_where_the_service_shows_no_operations(wave, simulator):
    simulator.settings.interface_only = True
    wave.environment["HOSTING_COMPANIONS"] = "false"
    done = wave.run(*WAVE, deploy_pause_when_unknown=PAUSE, **PLAIN)
    assert done.returncode == 0, done.stdout
    backups, starts = times(simulator, "POST", BACKUP), times(simulator, "PUT", PUSH)
    restarts = times(simulator, "POST", "/sites/tools/restart-php")
    assert starts[0] - backups[-1] >= PAUSE - 0.1
    assert restarts[0] - starts[-1] >= PAUSE - 0.1
    assert starts[-1] - backups[0] < 2 * PAUSE
    assert not [one for one in simulator.requests if one.path.startswith("/operations/")]


@pytest.mark.story
def test_each_of_those_that_need_not_wait_for_each_other_waits_for_its_own(wave, simulator):
    simulator.settings.operation_seconds = 2
    simulator.fault("fail_operation", method="PUT", path=f"/sites/{seed.site_id(2)}/environments")
    done = run_free(wave, **PLAIN)
    assert "The push of v1 failed on its way" in done.stdout
    assert done.stdout.count("hosting.management.deploy : Check that the push has ended well") >= 1
    assert pushes(simulator) == [1, 1, 1, 1]
    assert wave.written()["restart"] == 3


@pytest.mark.story
def test_those_that_need_not_wait_for_each_other_know_what_they_have_read_themselves(wave, simulator):
    """With the strategy free, a task that runs once registers its result for all hosts, also for those ahead of it."""
    simulator.settings.operation_seconds = 0.5
    done = run_free(wave, "--forks", "2", **PLAIN)
    assert done.returncode == 0, done.stdout
    assert pushes(simulator) == [1, 1, 1, 1]
    assert wave.written() == dict.fromkeys(("backup", "push", "restart", "cache", "edge cache"), 4)


@pytest.mark.story
def test_a_push_that_never_ends_leaves_its_neighbours_alone(wave, simulator):
    simulator.settings.operation_seconds = 0.2
    simulator.settings.seconds_by_operation = {"environments:push": 3600}
    process = wave.start(*WAVE, deploy_wait_timeout=8, deploy_backup=False, **PLAIN)
    while len(pushed := times(simulator, "PUT", PUSH)) < len(NAMES) and process.poll() is None:
        time.sleep(0.05)
    assert len(pushed) == len(NAMES)
    for one in list(simulator.state.operations.by_id.values()):
        if one.kind == "environments:push" and one.environment_id != seed.environment_id(3):
            one.ends_at = time.monotonic()
    output, _errors = process.communicate(timeout=120)
    assert "v1 is still being pushed" in output
    assert wave.written()["restart"] == 3
