# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet that asks for more than the service's rate limit allows: the run takes longer, and nothing fails."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from integration.playbook import Ansible, Step
from simulator import Simulator, seed

pytestmark = pytest.mark.story

HOSTS, FORKS = 60, 20
# The public service allows 120 requests a minute; with five times as many the test takes a fifth of the time.
PER_MINUTE, BURST = 600, 5


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """A service with a site for each host."""
    with Simulator(sites=HOSTS) as simulator:
        yield simulator


@pytest.mark.parametrize("retry_after", [None, 1], ids=["a bare 429", "a token bucket that says when"])
def test_a_fleet_waits_a_rate_limit_out(retry_after, ansible: Ansible, simulator: Simulator):
    ansible.defaults["retries"] = 1  # a 429 is no failed attempt: it is waited out, whatever the retries
    ansible.hosts = {
        f"site-{number}": {"ansible_connection": "local", "environment_id": seed.environment_id(number)}
        for number in range(1, HOSTS + 1)
    }
    limit = simulator.fault("rate_limit", times=0, per_minute=PER_MINUTE, burst=BURST, retry_after=retry_after)
    restart = Step("php_restart", {"environment_id": "{{ environment_id }}", "release": "v1"})
    run = ansible.run(restart, hosts="all", arguments=["--forks", str(FORKS)])
    assert [done.result["msg"] for done in run if done.failed] == []
    assert [done.changed for done in run] == [True] * HOSTS
    assert run.status == 0
    environments = [simulator.state.environment(seed.environment_id(number)) for number in range(1, HOSTS + 1)]
    assert [environment.php_restarts for environment in environments] == [1] * HOSTS
    # Else the limit was none, and this has shown nothing.
    assert limit.hits > HOSTS / 2
