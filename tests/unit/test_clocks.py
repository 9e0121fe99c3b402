# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A service whose clock is not the controller's: its times are compared with its own clock."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _client, _decision
from ansible_collections.hosting.management.plugins.modules import api_key_info, backup_info, manual_backup
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE = seed.environment_id(1)
HOUR, DAY = 3600, 86400
SKEWS = pytest.mark.parametrize("skew", [-DAY, -600, 600, DAY])


@pytest.fixture
def service_is_ahead(monkeypatch):
    """A function that lets the answers of the service be dated later, by so many seconds."""
    read = _client.parsedate_to_datetime

    def ahead(skew: int) -> None:
        monkeypatch.setattr(_client, "parsedate_to_datetime", lambda text: read(text) + timedelta(seconds=skew))

    return ahead


@pytest.fixture
def backup(controller, simulator):
    """A backup that the service took two hours ago, by a clock that is so many seconds ahead."""

    def taken(skew: int) -> None:
        controller.run(manual_backup, environment_id=LIVE, tag="nightly")
        simulator.state.environment(LIVE).backups[-1].created_at += (skew - 2 * HOUR) * 1000

    return taken


@SKEWS
def test_the_age_of_a_backup_is_told_by_the_service_s_clock(skew, controller, backup, service_is_ahead):
    backup(skew)
    service_is_ahead(skew)
    [listed] = controller.run(backup_info, environment_id=LIVE, tag="nightly")["backups"]
    assert abs(listed["age"] - 2 * HOUR) <= 30


@SKEWS
def test_a_backup_is_too_old_by_the_service_s_clock(skew, controller, backup, service_is_ahead, monkeypatch):
    monkeypatch.setattr(_decision, "READS_LAG", 0.3)
    backup(skew)
    service_is_ahead(skew)
    assert not controller.run(manual_backup, environment_id=LIVE, tag="nightly", max_age="3h")["changed"]
    assert controller.run(manual_backup, environment_id=LIVE, tag="nightly", max_age="1h")["changed"]


def test_a_key_expires_by_the_service_s_clock(controller, service_is_ahead):
    days = controller.run(api_key_info)["api_key"]["expires_in_days"]
    service_is_ahead(3 * DAY)
    assert controller.run(api_key_info)["api_key"]["expires_in_days"] == days - 3


@pytest.mark.parametrize(
    ("skew", "expected"), [(600, "10 minutes behind the"), (-600, "10 minutes ahead of the"), (30, None)]
)
def test_a_clock_that_is_minutes_off_is_told(skew, expected, controller, service_is_ahead):
    service_is_ahead(skew)
    controller.run(api_key_info)
    told = [one for one in controller.warnings if "clock" in one]
    assert len(told) == (expected is not None)
    assert expected is None or expected in told[0]
