# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The PHP version, which the service shows, and its automatic updates, which only the journal knows."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.modules import php_version
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE, SITE = seed.environment_id(1), seed.site_id(1)
PHP = {"environment_id": LIVE, "site_id": SITE, "version": "8.4"}


@pytest.fixture
def environment(simulator):
    """The environment as the service has it."""
    return simulator.state.environment(LIVE)


def did(result):
    return result["changed"], result["state_source"]


def test_automatic_updates_are_set_once(controller, simulator, environment):
    pinned = {**PHP, "automatic_updates": False}
    assert did(controller.run(php_version, **pinned)) == (True, "service")
    assert (environment.php_engine_version, environment.updates_php_itself) == ("php8.4", False)
    assert did(controller.run(php_version, **pinned)) == (False, "journal")
    assert did(controller.run(php_version, **PHP)) == (False, "service")
    assert len(simulator.writes) == 1
    assert did(controller.run(php_version, **PHP, automatic_updates=True)) == (True, "journal")
    assert environment.updates_php_itself
    assert len(simulator.writes) == 2


def test_automatic_updates_alone_are_set_where_the_version_is_there(controller, simulator, environment):
    pinned = {**PHP, "version": "8.3", "automatic_updates": False}
    checked = controller.run(php_version, check_mode=True, diff=True, **pinned)
    assert did(checked) == (True, "none")
    assert checked["diff"] == {
        "before": {"php": "(not shown by the service)"},
        "after": {"php": {"version": "8.3", "automatic_updates": False}},
    }
    assert simulator.writes == []
    assert [controller.run(php_version, **pinned)["changed"] for _run in range(2)] == [True, False]
    assert not environment.updates_php_itself


def test_a_version_that_was_left_is_set_again(controller, environment):
    pinned = {**PHP, "automatic_updates": False}
    controller.run(php_version, **pinned)
    controller.run(php_version, **{**PHP, "version": "8.1"})
    result = controller.run(php_version, diff=True, **pinned)
    assert did(result) == (True, "service")
    assert result["diff"]["before"] == {"php": {"version": "8.1"}}
    assert (environment.php_engine_version, environment.updates_php_itself) == ("php8.4", False)


def test_an_operation_that_nobody_waited_for_is_waited_for_later(controller, simulator):
    simulator.settings.operation_seconds = 0.2
    pinned = {**PHP, "automatic_updates": False}
    assert controller.run(php_version, wait=False, **pinned)["operation"]["state"] == "in_progress"
    waited = controller.run(php_version, **pinned)
    assert (waited["changed"], waited["operation"]["resumed"], waited["php_version"]) == (False, True, "8.4")
    assert len(simulator.writes) == 1


def test_a_version_that_the_service_does_not_have_is_the_services_to_tell(controller):
    result = controller.run(php_version, **{**PHP, "version": "5.6"})
    assert result["error"]["kind"] == "bad_request"
