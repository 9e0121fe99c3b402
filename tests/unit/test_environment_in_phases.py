# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An environment that is kept in two tasks, with one wait for many between them."""

from __future__ import annotations

import time

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _decision
from ansible_collections.hosting.management.plugins.module_utils._errors import InvalidInput
from ansible_collections.hosting.management.plugins.modules import (
    deploy_lock,
    environment,
    operation_wait,
    update_verdict,
)
from simulator import Simulator, seed

pytest_plugins = ["simulator.fixtures", "unit.postgres"]

LIVE, SITE = seed.environment_id(1), seed.site_id(1)
IDS = {"environment_id": LIVE, "site_id": SITE}
PLUGINS = {"plugins": "updatable"}
THREE = {"themes": [{"name": "storefront", "update_version": "4.6.0"}], **PLUGINS, "php_version": "8.4"}
UPDATES = ("wp-theme:update", "wp-plugin:bulk-update", "php:modify-version")
BULK = rf"/sites/environments/{LIVE}/plugins/bulk-update"


@pytest.fixture
def live(simulator):
    return simulator.state.environment(LIVE)


@pytest.fixture
def start(controller):
    """A function that begins to keep the environment, and waits for nothing."""

    def start(**options):
        return controller.run(environment, **IDS, wait=False, **options)

    return start


@pytest.fixture
def end(controller):
    """A function that brings to its end what a task has begun."""

    def end(started, waited=None, **options):
        ended = waited and waited["environments"].get(LIVE)
        return controller.run(environment, **IDS, started=started, ended=ended, **options)

    return end


@pytest.fixture
def wait(controller):
    """A function that waits for the updates of the environment, as one task does for many."""

    def wait(**options):
        return controller.run(operation_wait, environment_ids=[LIVE], kinds=["update"], **options)

    return wait


def kinds(simulator):
    """What the service has accepted, in its order."""
    return [one.kind for one in simulator.state.operations.by_id.values()]


def looks(simulator):
    return [one for one in simulator.requests if one.path.startswith("/operations/")]


def test_the_second_task_tells_what_both_have_done_and_sends_nothing(start, wait, end, simulator, live):
    simulator.settings.operation_seconds = 0.3
    started = start(**PLUGINS)
    assert (started["changed"], started["operations"][0]["state"]) == (True, "in_progress")
    assert live.plugins[0].version == "2.4.1"
    waited = wait()
    simulator.clear_requests()
    done = end(started, waited, **PLUGINS)
    assert not done.get("failed"), done["msg"]
    assert (done["changed"], done["differs"]) == (False, ["plugins"])
    [operation] = done["operations"]
    assert (operation["state"], operation["resumed"]) == ("finished", False)
    [first], [second] = started["parts"]["plugins"]["entries"], done["parts"]["plugins"]["entries"]
    assert second == {**first, "operation": second["operation"]}
    assert second["result"]["plugins"] == [{"name": "example-forms", "previous_version": "2.4.1", "version": "2.5.0"}]
    assert [one.method for one in simulator.requests] == ["GET"], "it has looked whether the update is there"
    assert kinds(simulator) == ["wp-plugin:bulk-update"]


@pytest.mark.parametrize("is_waited_for", [True, False])
def test_what_has_failed_is_not_sent_again_before_the_next_run(is_waited_for, start, wait, end, controller, simulator):
    simulator.settings.operation_seconds = 0.2
    simulator.fault("fail_operation", method="PUT", path=BULK)
    started = start(**PLUGINS)
    done = end(started, wait() if is_waited_for else None, **PLUGINS)
    assert done["failed"]
    assert done["error"]["kind"] == "operation_failed"
    assert done["parts"]["plugins"]["changed"], "it was sent"
    assert end(done, **PLUGINS)["msg"] == done["msg"]
    assert kinds(simulator) == ["wp-plugin:bulk-update"]
    again = controller.run(environment, **IDS, **PLUGINS)
    assert again["changed"]
    assert kinds(simulator) == ["wp-plugin:bulk-update"] * 2


def test_what_could_not_be_begun_is_not_tried_again_and_stops_nothing(start, wait, end, simulator, live):
    simulator.settings.operation_seconds = 0.2
    simulator.fault("status", method="PUT", path=BULK, status=400)
    started = start(**PLUGINS, php_version="8.4")
    assert started["failed"]
    done = end(started, wait(), **PLUGINS, php_version="8.4")
    assert (done["msg"], done["error"]) == (started["msg"], started["error"])
    assert not done["parts"]["php_version"]["failed"]
    assert live.php_engine_version == "php8.4"
    assert kinds(simulator) == ["php:modify-version"]


def end_what_is_in_progress(simulator: Simulator) -> None:
    """Let operations end now that would have gone on, however slow this machine is."""
    for operation in simulator.state.operations.running:
        operation.ends_at = time.monotonic()


def test_what_had_to_wait_is_begun_by_the_second_task(start, wait, end, simulator):
    simulator.settings.operation_seconds = 60
    started = start(**THREE)
    assert [name for name, part in started["parts"].items() if part["waits_for"]] == ["plugins", "php_version"]
    simulator.settings.operation_seconds = 0.3
    end_what_is_in_progress(simulator)
    done = end(started, wait(), **THREE)
    assert not done.get("failed"), done["msg"]
    assert done["changed"]
    assert [part["changed"] for part in done["parts"].values()] == [True, True, True]
    assert done["parts"]["themes"]["before"] == started["parts"]["themes"]["before"] != done["parts"]["themes"]["after"]
    assert kinds(simulator) == list(UPDATES)
    assert not end(done, **THREE)["changed"]
    assert kinds(simulator) == list(UPDATES)


def test_one_after_another_is_begun_and_waited_for_once_each(start, wait, end, simulator):
    simulator.settings.operation_seconds = 60
    done = start(**THREE)
    for number in (2, 3):
        end_what_is_in_progress(simulator)
        done = end(done, wait(), wait=False, **THREE)
        assert kinds(simulator) == list(UPDATES[:number])
        assert done["changed"]
    end_what_is_in_progress(simulator)
    waited = wait()
    simulator.clear_requests()
    done = end(done, waited, **THREE)
    assert not done.get("failed"), done["msg"]
    assert (done["changed"], [part["changed"] for part in done["parts"].values()]) == (False, [True, True, True])
    assert {one["state"] for one in done["operations"]} == {"finished"}
    assert looks(simulator) == []


def test_an_update_that_stays_behind_is_told_also_without_waiting(start, wait, end, simulator, live, monkeypatch):
    """What was asked for is judged, and not what is left of it."""
    monkeypatch.setattr(_decision, "READS_LAG", 0)
    simulator.settings.operation_seconds = 0.2
    plugins = {one.name: one for one in live.plugins}
    plugins["example-gallery"].update_version = "1.0.4"
    plugins["example-forms"].update_to = lambda _version: None
    started = start(**PLUGINS)
    done = end(started, wait(), wait=False, **PLUGINS)
    assert done["error"]["kind"] == "operation_failed"
    assert "Not seen at their newest version: example-forms." in done["msg"]
    [entry] = done["parts"]["plugins"]["entries"]
    assert [one["version"] for one in entry["result"]["plugins"]] == ["2.4.1", "1.0.4"]
    assert kinds(simulator) == ["wp-plugin:bulk-update"]


def test_what_has_not_ended_in_time_is_not_waited_for_again(start, wait, end, simulator):
    simulator.settings.operation_seconds = 3600
    started = start(**PLUGINS)
    waited = wait(wait_timeout=0.3)
    began = time.monotonic()
    done = end(started, waited, **PLUGINS)
    assert done["error"]["kind"] == "operation_timeout"
    assert time.monotonic() - began < 5


def test_an_update_that_a_killed_run_has_begun_is_taken_up(start, wait, end, simulator, live):
    simulator.settings.operation_seconds = 0.5
    start(**PLUGINS)
    started = start(**PLUGINS)
    assert (started["changed"], started["operations"][0]["resumed"]) == (False, True)
    done = end(started, wait(), **PLUGINS)
    assert (done["changed"], done["parts"]["plugins"]["changed"], done.get("failed")) == (False, False, None)
    assert live.plugins[0].version == "2.5.0"
    assert kinds(simulator) == ["wp-plugin:bulk-update"]


def test_an_update_is_brought_to_its_end_although_it_broke_another_site_meanwhile(
    start, wait, end, controller, simulator
):
    simulator.settings.operation_seconds = 0.3
    options = {**PLUGINS, "canary": True}
    started = start(**options)
    bad = {"kind": "plugin", "name": "example-forms", "version": "2.5.0", "verdict": "broke_it"}
    controller.run(update_verdict, environment_id=seed.environment_id(2), **bad)
    done = end(started, wait(), **options)
    assert not done.get("failed"), done["msg"]
    assert [done["parts"]["plugins"][name] for name in ("changed", "held")] == [True, []]


def test_a_lock_that_came_since_stops_nothing_that_was_begun(start, wait, end, controller, simulator, live):
    simulator.settings.operation_seconds = 0.3
    options = {**THREE, "lock_groups": []}
    started = start(**options)
    assert started["locks"] == []
    controller.run(deploy_lock, environment_id=LIVE, reason="A test", author="me", until="1h")
    done = end(started, wait(), **options)
    assert (done["locks"], live.php_engine_version) == ([], "php8.4")
    held = end({**started, "parts": {}, "locks": [{"reason": "A test"}]}, **options)
    assert held["locks"] == [{"reason": "A test"}]


def test_what_is_planned_is_done_in_two_tasks(start, wait, end, controller, simulator):
    simulator.settings.operation_seconds = 0.3
    predicted = controller.run(environment, check_mode=True, **IDS, **THREE)
    planned = {name: {side: part[side] for side in ("before", "after")} for name, part in predicted["parts"].items()}
    started = start(planned=planned, **THREE)
    done = end(started, wait(), planned=planned, **THREE)
    assert not done.get("failed"), done["msg"]
    assert [part["changed"] for part in done["parts"].values()] == [True, True, True]
    assert kinds(simulator) == list(UPDATES)


def test_what_is_not_planned_is_not_begun_by_the_second_task_either(start, wait, end, controller, simulator):
    simulator.settings.operation_seconds = 0.3
    predicted = controller.run(environment, check_mode=True, **IDS, **THREE)
    planned = {name: {side: part[side] for side in ("before", "after")} for name, part in predicted["parts"].items()}
    started = start(planned=planned, **THREE)
    simulator.state.environment(LIVE).php_engine_version = "php8.1"
    done = end(started, wait(), planned=planned, **THREE)
    assert done["error"]["kind"] == "check_failed"
    assert [part["changed"] for part in done["parts"].values()] == [True, False, False]
    assert kinds(simulator) == [UPDATES[0]]


def test_the_diff_has_each_change_once(wait, controller, simulator):
    simulator.settings.operation_seconds = 0.3
    started = controller.run(environment, diff=True, **IDS, wait=False, **THREE)
    done = controller.run(environment, diff=True, **IDS, started=started, ended=wait()["environments"][LIVE], **THREE)
    shown = [set(one["diff"]["states"]["after"]) for one in (started, done)]
    assert shown[1] == {"plugins", "php_version"}
    assert "storefront" in started["diff"]["prepared"]
    assert "storefront" not in done["diff"]["prepared"]


def test_other_parts_are_brought_to_their_ends_too(start, end, simulator, live):
    simulator.settings.operation_seconds = 0.3
    declared = {"backup": "night", "image_optimization": "lossy", "denied_ips": ["198.51.100.9"]}
    started = start(**declared)
    states = {one["part"]: one["state"] for one in started["operations"]}
    assert states.keys() >= {"backup", "image_optimization"}
    done = end(started, **declared)
    assert not done.get("failed"), done["msg"]
    assert (done["changed"], [part["changed"] for part in done["parts"].values()]) == (False, [True, True, True])
    assert done["parts"]["backup"]["result"]["backup"]["id"]
    assert live.image_optimization_type == "lossy"
    assert kinds(simulator).count("backups:add-manual") == 1


@pytest.mark.parametrize("fails", [False, True])
def test_caches_are_cleared_once_although_each_task_is_told_to_clear_them(fails, start, end, simulator):
    if fails:
        simulator.fault("fail_operation", method="POST", path="/sites/tools/clear-cache", times=0)
    once = {"release": "v1", "force": True}
    declared = {"php_restart": once, "caches": [{**once, "cache": cache} for cache in ("site", "edge")]}
    started = start(**declared)
    assert len(simulator.writes) == 3
    simulator.clear_requests()
    ended = end(started, **declared)
    assert bool(ended.get("failed")) is fails
    assert simulator.writes == []


@pytest.mark.parametrize("is_paused_for", [False, True])
def test_the_pause_comes_where_nobody_has_paused(is_paused_for, start, wait, end, controller):
    controller.options["companions"] = False
    theme = {"themes": THREE["themes"]}
    started = start(**theme)
    waited = wait() if is_paused_for else None
    began = time.monotonic()
    done = end(started, waited, pause_when_unknown=0.6, **theme)
    assert done["operations"][0]["state"] == "unknown"
    assert (time.monotonic() - began >= 0.6) is not is_paused_for


def test_a_task_that_could_not_even_begin_fails_alike(end):
    failed = {"failed": True, "msg": "It is wrong.", "error": {"kind": "invalid_input"}}
    done = end(failed, **PLUGINS)
    assert (done["failed"], done["msg"], done["error"]) == (True, "It is wrong.", {"kind": "invalid_input"})


def test_in_check_mode_nothing_is_looked_at_that_was_begun(start, controller, simulator):
    simulator.settings.operation_seconds = 3600
    started = start(**PLUGINS)
    simulator.clear_requests()
    done = controller.run(environment, check_mode=True, **IDS, started=started, **PLUGINS)
    assert (done["changed"], done["parts"]["plugins"]["changed"]) == (False, True)
    assert simulator.requests == []


@pytest.mark.parametrize(
    "parts", ["plugins", ["plugins"], {"plugins": {"changed": True}}, {"plugins": {"entries": ["example-forms"]}}]
)
def test_what_is_no_result_of_such_a_task_is_refused(parts, controller, simulator):
    with pytest.raises(InvalidInput, match="started is no result of a task that has kept an environment"):
        controller.context(environment, **IDS, started={"parts": parts}, **PLUGINS)
    assert simulator.requests == []


def test_a_task_that_ends_with_the_acceptance_leaves_only_its_own_operations_open(controller, end, simulator):
    simulator.settings.operation_seconds = 0.5
    declared = {"backup": "night", "denied_ips": ["198.51.100.9"], "gather": ["backup", "denied_ips"]}
    started = controller.run(environment, **IDS, wait_until="accepted", **declared)
    assert started["parts"]["backup"]["operation"]["state"] == "in_progress"
    assert started["readings"]["backup"]["backups"][0]["tag"] != "night"
    simulator.clear_requests()
    ended = end(started, **{**declared, "gather": ["backup"]})
    assert not ended.get("failed"), ended.get("msg")
    assert (ended["changed"], ended["parts"]["backup"]["changed"]) == (False, True)
    assert ended["parts"]["backup"]["operation"]["state"] == "finished"
    assert ended["readings"]["backup"]["backups"][0]["tag"] == "night"
    assert ended["readings"]["denied_ips"] == started["readings"]["denied_ips"], "it was read by the first task"
    assert simulator.writes == []
    paths = {one.path.rpartition("/")[2] for one in simulator.requests if "/operations/" not in one.path}
    assert paths == {"backups"}, "what was as declared is not asked for again"
