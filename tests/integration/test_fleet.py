# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The deploy playbook on a fleet of 12 sites: waves, a canary that fails, two deployments at once."""

from __future__ import annotations

import json
import re

import pytest

from integration.test_deploy import USER, Deployment
from simulator import Simulator, seed
from simulator.state import Content

pytest_plugins = ["simulator.fixtures"]

pytestmark = pytest.mark.story

SITES = 12  # more than Ansible handles at once
HOSTS = {
    f"site{number:02}": {
        "hosting_site_id": seed.site_id(number),
        "hosting_environment_id": seed.environment_id(number, seed.LIVE),
        "hosting_source_environment_id": seed.environment_id(number, seed.STAGING),
    }
    for number in range(1, SITES + 1)
}


@pytest.fixture(scope="module")
def running_fleet():
    with Simulator(sites=SITES) as simulator:
        yield simulator


@pytest.fixture
def fleet(running_fleet, tmp_path, ansible):
    running_fleet.reset()
    running_fleet.settings.operation_seconds = 0
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir(exist_ok=True)
    deployment = Deployment(tmp_path, running_fleet, {**ansible.environment, "ANSIBLE_FORKS": "10"})
    deployment.hosts = HOSTS
    deployment.variables |= {"deploy_domains": [], "deploy_set_denied_ips": False}
    return deployment


def touched(fleet):
    """The environments that a write named, in its path or in its body."""
    ids = {seed.environment_id(number): f"site{number:02}" for number in range(1, SITES + 1)}
    texts = [f"{write.path} {json.dumps(write.body)}" for write in fleet.simulator.writes]
    return sorted({name for environment, name in ids.items() for text in texts if environment in text})


def summary_of(done):
    """The lines of the table at the end: of so many environments, one for all that have come to the same."""
    summary = done.stdout.partition("Summarize the deployment")[2]
    return re.findall(r'^        "((?:\d+ environments: )?site\d\d[ ,].*)",?$', summary, re.MULTILINE)


def test_a_canary_that_fails_stops_the_rest(fleet):
    canary = fleet.simulator.state.environment(seed.environment_id(1, seed.STAGING))
    canary.content = Content("broken v1", "db")
    before = fleet.simulator.state.environment(seed.environment_id(1)).content
    options = ["-e", "deploy_rollback=true", "-e", f"deploy_notified_user_id={USER}"]
    done = fleet.run(*options, "-e", "deploy_summary_file=summary.json")
    assert done.returncode
    assert touched(fleet) == ["site01"]
    assert fleet.simulator.state.environment(seed.environment_id(1)).content == before
    lines = summary_of(done)
    assert "rolled back" in lines[0]
    assert [line.split()[:2] for line in lines[1:]] == [[str(SITES - 1), "environments:"]]
    assert lines[1].endswith("not reached")
    totals = json.loads((fleet.folder / "summary.json").read_text())["totals"]
    assert totals == {
        "environments": SITES,
        "changed": 1,
        "unchanged": 0,
        "failed": 1,
        "rolled_back": 1,
        "not_reached": SITES - 1,
    }


def test_one_deployment_beside_another_pushes_nothing_twice_and_a_second_run_nothing_at_all(fleet):
    fleet.hosts = dict(list(HOSTS.items())[:8])  # two waves
    waves = ["-e", '{"deploy_serial": [4, "100%"]}']
    other, this = fleet.start(*waves), fleet.start(*waves)
    for process in (other, this):
        output, _errors = process.communicate(timeout=200)
        assert process.returncode == 0, output
    pushes = [
        write.path for write in fleet.simulator.writes if re.fullmatch(r"/sites/[0-9a-f-]+/environments", write.path)
    ]
    backups = [write.path for write in fleet.simulator.writes if write.path.endswith("manual-backups")]
    assert len(pushes) == len(set(pushes)) == len(backups) == len(set(backups)) == 8
    assert fleet.changes(*waves) == 0
    assert fleet.simulator.writes == []


def test_a_failure_that_is_allowed_does_not_stop_the_rest(fleet):
    fleet.simulator.fault("status", method="PUT", path=rf"/sites/{seed.site_id(1)}/environments", status=400)
    fleet.hosts = dict(list(HOSTS.items())[:6])
    done = fleet.run("-e", "deploy_serial=2", "-e", "deploy_max_fail_percentage=50")
    assert done.returncode
    assert touched(fleet) == [f"site{number:02}" for number in range(1, 7)]
    lines = summary_of(done)
    assert "v1 was not pushed" in lines[0]
    assert "6 environments: 6 changed, 0 had nothing to do, 1 failed." in done.stdout
    assert "--limit 'site01' selects those that are left" in done.stdout
