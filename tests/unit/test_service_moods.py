# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every module that waits, with a service in each of the moods in which services tell how operations stand."""

from __future__ import annotations

from importlib import import_module

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _decision, _operations
from integration.table import CHANGING

pytest_plugins = ["simulator.fixtures"]

ENDLESS = 3600
SOON = 0.4  # seconds, more than a few looks and less than the grace of these tests

ROWS = [row for row in CHANGING if row.change.waits]
WAITING = pytest.mark.parametrize("row", ROWS, ids=str)
# Of what takes seconds, `make test` has a state and an action.
SAMPLES = {"site_domain", "env_push"}
WAITING_FOR_LONG = pytest.mark.parametrize(
    "row", [pytest.param(row, marks=() if row.module in SAMPLES else pytest.mark.slow) for row in ROWS], ids=str
)


@pytest.fixture(autouse=True)
def short_graces(monkeypatch):
    monkeypatch.setattr(_operations, "VISIBLE_AFTER", 5 * SOON)
    monkeypatch.setattr(_operations, "FAILED_AFTER", 0.05)
    monkeypatch.setattr(_operations, "FAILING_INTERVAL", 0.01)
    monkeypatch.setattr(_operations, "GIVE_UP_AFTER", 0.2)
    monkeypatch.setattr(_operations, "LONGEST_INTERVAL", 0.05)
    monkeypatch.setattr(_decision, "READS_LAG", 0)


@pytest.fixture
def run(controller):
    """A function that runs the module of a row, the first time after its groundwork."""
    prepared = set()

    def run(row, **options):
        if row.groundwork and str(row) not in prepared:
            row.groundwork(controller.simulator, controller.journal_path)
            prepared.add(str(row))
        module = import_module(f"ansible_collections.hosting.management.plugins.modules.{row.module}")
        return controller.run(module, **{**row.options, **options})

    return run


def end_operations(simulator):
    for operation in simulator.state.operations.by_id.values():
        operation.ends_at = 0


def state_of_operation(result):
    return (result.get("operation") or result["operations"][0])["state"]


def expect_done_once(run, row, simulator):
    result = run(row)
    assert not result.get("failed"), result
    assert not result["changed"]
    assert len(simulator.writes) == 1


@WAITING
def test_the_outcome_is_in_the_body(row, run, simulator):
    simulator.settings.operations = "body"
    simulator.settings.operation_seconds = ENDLESS
    result = run(row, wait_timeout=0.2)
    assert result["error"]["kind"] == "operation_timeout", result
    end_operations(simulator)
    expect_done_once(run, row, simulator)


@WAITING
def test_the_failure_is_in_the_body(row, run, simulator):
    simulator.settings.operations = "body"
    simulator.fault("fail_operation")
    result = run(row)
    assert (result["error"]["kind"], len(simulator.writes)) == ("operation_failed", 1), result
    again = run(row)
    assert again["changed"]
    assert state_of_operation(again) == "finished"
    assert len(simulator.writes) == 2


@WAITING
def test_operations_show_late(row, run, simulator):
    simulator.settings.visible_after = SOON
    simulator.settings.operation_seconds = SOON
    result = run(row)
    assert state_of_operation(result) == "finished", result
    expect_done_once(run, row, simulator)


@WAITING
def test_there_is_no_endpoint_for_operations(row, run, simulator, controller):
    simulator.settings.operations = "absent"
    result = run(row)
    assert result["changed"], result
    assert all("has no endpoint that shows operations" in text for text in controller.warnings)
    expect_done_once(run, row, simulator)


@WAITING_FOR_LONG
@pytest.mark.parametrize("operations", ["status", "body"])
def test_a_500_says_nothing_where_every_unknown_operation_gets_one(operations, row, run, simulator):
    simulator.settings.operations = operations
    simulator.settings.unknown_operation = 500
    simulator.fault("fail_operation")
    for _run in range(2):
        result = run(row)
        assert result["error"]["kind"] == "operation_timeout", result
        assert "It cannot be told how operation " in result["msg"]
        assert "force: true" in result["msg"]
        assert "in progress after" not in result["msg"]
    assert len(simulator.writes) == 1
    simulator.settings.unknown_operation = 404
    assert run(row)["changed"]
