# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An environment that is kept by a plan: what is not in it is not done, and where it does not fit, nothing is."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.hosting.management.plugins.module_utils._convergence import has_move
from ansible_collections.hosting.management.plugins.modules import environment
from unit.test_environment import DECLARED, IDS, LIVE, messages, of_parts, writes

pytest_plugins = ["simulator.fixtures"]


@pytest.fixture
def live(simulator):
    return simulator.state.environment(LIVE)


@pytest.fixture
def keep(controller):
    def keep(*, check_mode=False, **options):
        return controller.run(environment, check_mode=check_mode, **IDS, **options)

    return keep


@pytest.fixture
def plan(keep):
    """A function that returns the changes that are predicted for these parts."""

    def plan(**declared):
        parts = keep(check_mode=True, **declared)["parts"]
        return {
            name: {side: part[side] for side in ("before", "after")} if part["changed"] else None
            for name, part in parts.items()
        }

    return plan


def plugin_of(live, name):
    return next(plugin for plugin in live.plugins if plugin.name == name)


def failed(result):
    return [name for name, is_failed in of_parts(result, "failed").items() if is_failed]


def test_what_is_planned_is_done_and_done_once(keep, plan, simulator):
    planned = plan(**DECLARED)
    assert simulator.writes == []
    first = keep(planned=planned, **DECLARED)
    assert not first.get("failed"), messages(first)
    assert of_parts(first, "changed") == dict.fromkeys(DECLARED, True)
    assert len(simulator.writes) == len(DECLARED)
    again = keep(planned=planned, **DECLARED)
    assert not again.get("failed"), messages(again)
    assert not again["changed"]
    assert len(simulator.writes) == len(DECLARED)


STALE = {
    "denied_ips": lambda live: live.denied_ips.append("192.0.2.66"),
    "sftp_allowlist": lambda live: live.sftp_ip_allowlist.append("192.0.2.66"),
    "image_optimization": lambda live: setattr(live, "image_optimization_type", "lossless"),
    "php_version": lambda live: setattr(live, "php_engine_version", "php8.2"),
    "plugins": lambda live: setattr(plugin_of(live, "example-forms"), "version", "2.4.9"),
}


@pytest.mark.parametrize("part", STALE)
def test_a_state_that_the_plan_has_not_seen_stops_all_parts(part, keep, plan, simulator, live):
    declared = {**{name: DECLARED[name] for name in STALE}, "backup": "night"}
    planned = plan(**declared)
    STALE[part](live)
    for check_mode in (True, False):
        result = keep(planned=planned, check_mode=check_mode, **declared)
        assert (result["changed"], simulator.writes) == (False, [])
        assert failed(result) == list(result["parts"])
        assert {one["error"]["kind"] for one in result["parts"].values()} == {"check_failed"}
        assert "than the plan saw" in result["parts"][part]["msg"]
        assert f"the plan does not fit: {part}." in result["parts"]["backup"]["msg"]
        assert result["differs"] == []


def test_what_is_not_in_the_plan_is_not_done(keep, plan, simulator):
    planned = plan(denied_ips=["198.51.100.9"])
    result = keep(planned=planned, denied_ips=["198.51.100.9"], image_optimization="lossy")
    assert failed(result) == ["denied_ips", "image_optimization"]
    assert "the plan has no change of it" in result["parts"]["image_optimization"]["msg"]
    assert simulator.writes == []


def test_what_is_declared_otherwise_since_is_not_done(keep, plan, simulator):
    planned = plan(denied_ips=["198.51.100.9"])
    result = keep(planned=planned, denied_ips=["198.51.100.10"])
    assert "It would become another than the plan has" in result["msg"]
    assert simulator.writes == []


def test_what_needs_nothing_may_be_in_no_plan(keep, simulator):
    assert not keep(planned={}, denied_ips=[], php_version="8.3").get("failed")
    assert simulator.writes == []


def test_a_backup_is_taken_whatever_the_plan_says(keep):
    assert keep(planned={}, backup="night")["parts"]["backup"]["changed"]


def test_what_is_compared_has_to_fit_only_if_it_is_planned(keep, simulator):
    declared = {"denied_ips": ["198.51.100.9"], "php_version": "8.4"}
    moves = {"denied_ips": {"before": [], "after": ["198.51.100.9"]}}
    stale = keep(planned={**moves, "php_version": None}, compare=["php_version"], **declared)
    assert (failed(stale), simulator.writes) == (["denied_ips", "php_version"], [])
    assert keep(planned=moves, compare=["php_version"], **declared)["parts"]["denied_ips"]["changed"]


def test_a_part_that_fails_stops_no_other(keep, plan, simulator):
    planned = plan(denied_ips=["198.51.100.9"], image_optimization="lossy")
    simulator.fault("status", "GET", ".*/denied-ips", status=400)
    result = keep(planned=planned, denied_ips=["198.51.100.9"], image_optimization="lossy")
    assert failed(result) == ["denied_ips"]
    assert [path.rpartition("/")[2] for path in writes(simulator)] == ["image-optimization"]


def test_what_changes_after_the_look_is_not_overwritten(keep, plan, simulator, live, monkeypatch):
    declared = {"backup": "night", "php_version": "8.4"}
    planned = plan(**declared)
    simulator.settings.operation_seconds = 0.2
    from ansible_collections.hosting.management.plugins.module_utils import _compose

    take, calls = _compose._take, []

    def meanwhile(turns):
        if calls:
            live.php_engine_version = "php8.2"
        calls.append(turns)
        take(turns)

    monkeypatch.setattr(_compose, "_take", meanwhile)
    result = keep(planned=planned, **declared)
    assert failed(result) == ["php_version"]
    assert "It changed while the task ran" in result["parts"]["php_version"]["msg"]
    assert [path.rpartition("/")[2] for path in writes(simulator)] == ["manual-backups"]


def test_a_plan_that_was_half_done_is_gone_on_with(keep, plan, live):
    plugin_of(live, "example-gallery").update_version = "1.1.0"
    planned = plan(plugins="updatable", php_version="8.4")
    assert set(planned["plugins"]["after"]) == {"example-forms", "example-gallery"}
    keep(plugins={"name": "example-forms", "update_version": "2.5.0"})
    result = keep(planned=planned, plugins="updatable", php_version="8.4")
    assert not result.get("failed"), messages(result)
    assert result["parts"]["plugins"]["after"] == {"example-gallery": "1.1.0"}


MOVES = {
    "the same": (("a", "b"), ("a", "b"), True),
    "another before": (("a", "b"), ("c", "b"), False),
    "another after": (("a", "b"), ("a", "c"), False),
    "lists": ((["a"], ["a", "b"]), (["a"], ["a", "b"]), True),
    "some of the names": (({"a": "1", "b": "1"}, {"a": "2", "b": "2"}), ({"b": "1"}, {"b": "2"}), True),
    "another name": (({"a": "1"}, {"a": "2"}), ({"b": "1"}, {"b": "2"}), False),
    "a name that was not there": (({"a": "1"}, {"a": "2"}), ({}, {"a": "2"}), False),
    "not to be foreseen": (("a", None), ("a", "b"), True),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_move_is_planned_or_not(name):
    planned, move, is_planned = MOVES[name]
    assert has_move(planned, copy.deepcopy(move)) is is_planned


BAD = {
    "an unknown part": ({"denied": None}, "planned has 'denied', which is no part"),
    "no states": ({"denied_ips": {"before": []}}, "planned.denied_ips must be null, or a dictionary"),
    "a list": ({"denied_ips": []}, "planned.denied_ips must be null, or a dictionary"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_plan_that_is_none_is_refused(name, keep, simulator):
    planned, said = BAD[name]
    result = keep(planned=planned, denied_ips=[])
    assert result["error"]["kind"] == "invalid_input"
    assert said in result["msg"]
    assert simulator.requests == []
