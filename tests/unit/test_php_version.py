# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The PHP version and its automatic updates, which the service may show or not."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _decision
from ansible_collections.hosting.management.plugins.modules import php_version
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE, SITE = seed.environment_id(1), seed.site_id(1)
PHP = {"environment_id": LIVE, "site_id": SITE, "version": "8.4"}


PINNED = {**PHP, "automatic_updates": False}


@pytest.fixture
def environment(simulator):
    """The environment as the service has it."""
    return simulator.state.environment(LIVE)


def did(result):
    return result["changed"], result["state_source"]


@pytest.mark.parametrize("journal", [True, False], ids=["journal", "no journal"])
def test_automatic_updates_are_set_once(journal, controller, simulator, environment):
    if not journal:
        controller.options["journal"] = ""
    assert did(controller.run(php_version, **PINNED)) == (True, "service")
    assert (environment.php_engine_version, environment.updates_php_itself) == ("php8.4", False)
    assert did(controller.run(php_version, **PINNED)) == (False, "service")
    assert did(controller.run(php_version, **PHP)) == (False, "service")
    assert len(simulator.writes) == 1
    assert did(controller.run(php_version, **PHP, automatic_updates=True)) == (True, "service")
    assert environment.updates_php_itself
    assert len(simulator.writes) == 2


def test_automatic_updates_that_somebody_has_changed_are_set_again(controller, environment, monkeypatch):
    monkeypatch.setattr(_decision, "READS_LAG", 0)
    controller.run(php_version, **PINNED)
    environment.updates_php_itself = True
    result = controller.run(php_version, check_mode=True, diff=True, **PINNED)
    assert did(result) == (True, "service")
    assert result["diff"] == {
        "before": {"php": {"version": "8.4", "automatic_updates": True}},
        "after": {"php": {"version": "8.4", "automatic_updates": False}},
    }
    assert controller.run(php_version, **PINNED)["changed"]
    assert not environment.updates_php_itself


@pytest.mark.parametrize("shown", [{}, {"is_opt_out_from_automatic_php_update": None}], ids=str)
def test_where_the_service_does_not_show_automatic_updates_the_journal_decides(shown, controller, simulator):
    record = {"id": LIVE, "name": "live", "container_info": {"php_engine_version": "php8.4"}, **shown}
    simulator.fault("status", "GET", ".*/environments", 0, status=200, body={"site": {"environments": [record]}})
    checked = controller.run(php_version, check_mode=True, diff=True, **PINNED)
    assert did(checked) == (True, "none")
    assert checked["diff"]["before"] == {"php": "(not shown by the service)"}
    assert simulator.writes == []
    results = [controller.run(php_version, **PINNED) for _run in range(2)]
    assert [did(result) for result in results] == [(True, "none"), (False, "journal")]
    assert did(controller.run(php_version, **PHP)) == (False, "service")
    assert did(controller.run(php_version, **PHP, automatic_updates=True))[0]
    assert len(simulator.writes) == 2


def test_a_version_that_was_left_is_set_again(controller, environment):
    controller.run(php_version, **PINNED)
    controller.run(php_version, **{**PHP, "version": "8.1"})
    result = controller.run(php_version, diff=True, **PINNED)
    assert did(result) == (True, "service")
    assert result["diff"]["before"] == {"php": {"version": "8.1", "automatic_updates": False}}
    assert (environment.php_engine_version, environment.updates_php_itself) == ("php8.4", False)


def test_an_operation_that_nobody_waited_for_is_waited_for_later(controller, simulator):
    simulator.settings.operation_seconds = 0.2
    assert controller.run(php_version, wait=False, **PINNED)["operation"]["state"] == "in_progress"
    waited = controller.run(php_version, **PINNED)
    assert (waited["changed"], waited["operation"]["resumed"], waited["php_version"]) == (False, True, "8.4")
    assert len(simulator.writes) == 1


def test_a_version_that_the_service_does_not_have_is_the_services_to_tell(controller):
    result = controller.run(php_version, **{**PHP, "version": "5.6"})
    assert result["error"]["kind"] == "bad_request"
