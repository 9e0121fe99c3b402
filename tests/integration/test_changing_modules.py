# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules that change something: what they send in check mode, at the first run, at the second, after a change, ..."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from functools import partial
from typing import Any

import pytest

from integration.playbook import IN_PROCESS, MODES, MODULE_PROCESS, Ansible, Done, Step, in_chunks
from integration.table import CHANGING, LIVE, STAGING, Row, row_of
from simulator import Simulator
from simulator.traffic import RecordedRequest

pytest_plugins = ["simulator.fixtures"]

NEW_ID = re.compile(r"(?!.0{7}-)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # unlike those of the seed
# An earlier operation may have ended at the first look, or not.
CHANCE = {"created_at", "created_at_iso", "previous_version", "ssh_port"}
IN_BOTH_WAYS = [row for row in CHANGING if row.variant != "without site_id"]
SAMPLE = [row_of("php_restart")]
TOGETHER = [SAMPLE, *in_chunks([row for row in IN_BOTH_WAYS if row not in SAMPLE], 6)]
CHECK = {"check_mode": True}
CHECK_WITH_DIFF = {"check_mode": True, "diff": True}


def story(row: Row, ansible: Ansible, **options) -> list[Step]:
    """One module's life, step by step, with the names that the tests look for."""
    other = {**row.change.other, **options}
    return [
        row.step(
            "check mode",
            row.groundwork and partial(row.groundwork, ansible.simulator, ansible.journal),
            CHECK,
            **options,
        ),
        row.step("check mode with diff", keywords=CHECK_WITH_DIFF, **options),
        row.step("first run", **options),
        row.step("second run", **options),
        row.step("check mode after it", keywords=CHECK_WITH_DIFF, **options),
        row.step("changed input", **other),
        row.step("first input again", keywords={"diff": True}, **options),
        row.step("settled", **options),
        row.step("forced", **{**options, "force": True}),
        row.step("journal lost", ansible.forget, **options),
        row.step("settled again", **options),
    ]


def expect_story(row: Row, run: dict[str, Done], *, shown: bool, followed: bool) -> None:
    """Check every step of the story by the requests that the service got."""
    change, is_removal = row.change, row.variant == "absent"

    def expect_nothing(name: str) -> None:
        assert not run[name].changed, name
        assert run[name].writes == [], name

    def expect_write(name: str, body: dict[str, Any] | None = row.body) -> None:
        assert run[name].changed, name
        _expect_one_write(row, run[name], body, followed)

    def expect_write_again(name: str) -> None:
        if change.repeatable:
            expect_write(name)
        else:
            assert run[name].error["kind"] == "bad_request", name
            assert [write.status for write in run[name].writes] == [400], name

    for name in ("check mode", "check mode with diff"):
        assert run[name].changed, name
        assert run[name].writes == [], name
    expect_write("first run")
    for name in ("second run", "check mode after it", "settled"):
        expect_nothing(name)
    if is_removal:
        for name in ("changed input", "first input again", "forced"):
            expect_nothing(name)
    else:
        expect_write("changed input", change.other_body)
        (expect_write if change.replaces else expect_nothing)("first input again")
        expect_write_again("forced")
    (expect_nothing if shown else expect_write_again)("journal lost")
    (expect_nothing if shown or change.repeatable else expect_write_again)("settled again")
    if change.after:
        after = change.after if shown else change.after_unshown or change.after
        states = _states(run["check mode with diff"])
        assert states["after"] == after
        assert states["before"] != after
        unchanged = _states(run["check mode after it"])
        assert unchanged["before"] == unchanged["after"] == after


def _states(done: Done) -> dict[str, Any]:
    """The states of a diff, which stand apart where the diff has a line to print."""
    diff = done.result["diff"]
    return diff.get("states", diff)


def _expect_one_write(row: Row, done: Done, body: dict[str, Any] | None, followed: bool) -> None:
    [write] = done.writes
    assert (write.method, write.path) == (row.method, row.path), done.name
    if row.body is not None:
        assert write.body == body, done.name
    looks = [request for request in done.requests if request.path.startswith("/operations/")]
    if not row.change.waits:
        assert looks == [], done.name
        assert "operation" not in done.result, done.name
        return
    [operation] = done.result.get("operations") or [done.result["operation"]]
    if not followed:
        assert looks == [], done.name
        assert operation["state"] == "unknown"
        return
    assert {look.path for look in looks} == {f"/operations/{operation['id']}"}, done.name
    assert looks[-1].status == 200, f"{done.name} did not wait for the end"
    assert {look.status for look in looks[:-1]} <= {404, 202}
    assert done.requests.index(looks[0]) > done.requests.index(write)
    assert (operation["state"], operation["resumed"]) == ("finished", False)


def expect_sources(run: dict[str, Done], shown: bool) -> None:
    """Check what the results say about where they know the state from."""
    expected = ("service", "service", "service") if shown else ("none", "journal", "journal")
    assert [run[name].result["state_source"] for name in ("first run", "second run", "settled")] == list(expected)


def by_name(run) -> dict[str, Done]:
    return {done.name.partition(": ")[2]: done for done in run}


def comparable(done: Done) -> tuple[str, Any, list[str]]:
    """A result and its requests, without what differs between two runs of the same."""
    requests = [_line(request) for request in done.requests if not request.path.startswith("/operations/")]
    return done.name.partition(": ")[2], _without_chance(done.result), requests


def _line(request: RecordedRequest) -> str:
    return f"{request.method} {request.path} {request.query} {_without_chance(request.body)} {request.status}"


def _without_chance(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_chance(item) for name, item in value.items() if name not in CHANCE}
    if isinstance(value, list):
        return [_without_chance(item) for item in value]
    return NEW_ID.sub("<new id>", value) if isinstance(value, str) else value


def slowly(simulator: Simulator) -> None:
    """Let operations take so long that there is something to wait for."""
    simulator.settings.operation_seconds = 0.15
    simulator.settings.visible_after = 0.05


@pytest.mark.sample("env_push", "denied_ips")
@pytest.mark.parametrize("row", CHANGING, ids=str)
def test_writes_once_for_each_state_or_key(row: Row, ansible: Ansible, simulator: Simulator):
    slowly(simulator)
    named = by_name(ansible.run(*story(row, ansible)))
    expect_story(row, named, shown=row.change.shown, followed=True)
    expect_sources(named, row.change.shown)


@pytest.mark.sample("php_restart")
@pytest.mark.parametrize("rows", TOGETHER, ids=lambda rows: "-".join(map(str, rows)))
def test_a_module_process_does_the_same(rows: list[Row], ansible: Ansible, simulator: Simulator):
    def anew(row: Row) -> None:
        simulator.reset()
        slowly(simulator)
        ansible.forget()
        if row.groundwork:
            row.groundwork(simulator, ansible.journal)

    def steps(row: Row, mode: str) -> list[Step]:
        runs = {"vars": {"ansible_pipelining": True, **ansible.hosts[mode]}}
        return [
            row.step(f"{row}, check mode with diff", partial(anew, row), {**CHECK_WITH_DIFF, **runs}),
            row.step(f"{row}, first run", keywords={"diff": True, **runs}),
            row.step(f"{row}, second run", keywords=runs),
            row.step(f"{row}, no waiting", keywords={"diff": True, **runs}, **row.change.other, **without_waiting(row)),
        ]

    run = ansible.run(*(step for mode in MODES for row in rows for step in steps(row, mode)))
    results = [comparable(done) for done in run]
    half = len(results) // 2
    assert results[:half] == results[half:]


def without_waiting(row: Row) -> dict[str, Any]:
    return {"wait": False} if row.change.waits else {}


@pytest.mark.sample("manual_backup")
@pytest.mark.parametrize("row", [row for row in CHANGING if not (row.variant or row.is_companion)], ids=str)
def test_writes_once_with_the_documented_endpoints_only(row: Row, ansible: Ansible, simulator: Simulator):
    simulator.settings.interface_only = True
    run = ansible.run(*story(row, ansible, companions=False))
    named = by_name(run)
    expect_story(row, named, shown=False, followed=False)
    expect_sources(named, shown=False)
    assert all(done.reads == [] for done in run)


@pytest.mark.parametrize("module", ["php_restart", "env_push", "manual_backup"])
def test_an_action_without_a_key_is_taken_at_each_run(module: str, ansible: Ansible):
    row = row_of(module)
    key = "tag" if module == "manual_backup" else "release"
    step = row.step(**{key: None})
    first, second, checked = ansible.run(step, step, row.step(keywords=CHECK, **{key: None}))
    for done in (first, second):
        assert done.changed
        assert len(done.writes) == 1
        assert key not in done.writes[0].body
    assert checked.changed
    assert checked.writes == []


def test_a_backup_that_is_recent_enough_counts_whatever_its_tag(ansible: Ansible, simulator: Simulator):
    row = row_of("manual_backup")

    def grow_older():
        for backup in simulator.state.environment(LIVE).backups:
            backup.created_at -= 2 * 3600 * 1000
        # A list that had just been written to would be read again for half a minute.
        with closing(sqlite3.connect(ansible.journal, isolation_level=None)) as journal:
            journal.execute(
                "update hosting_management_journal set sent_at = sent_at - 7200, ended_at = ended_at - 7200"
            )

    run = ansible.run(
        row.step("the automatic one does not count", tag=None, max_age="24h"),
        row.step("recent", grow_older, tag=None, max_age="3h"),
        row.step("too old", tag=None, max_age="1h"),
        row.step("another tag", max_age="1h"),
        row.step("that tag", max_age="60"),
        row.step("that tag, too old", grow_older, max_age="1h"),
        row.step("that tag without limit", grow_older),
    )
    assert [done.changed for done in run] == [True, False, True, True, False, True, False]
    assert [len(done.writes) for done in run] == [1, 0, 1, 1, 0, 1, 0]
    assert run[4].result["backup"]["tag"] == "before-v2"
    assert run[4].result["backup"]["id"] == simulator.state.environment(LIVE).backups[-2].id


def test_without_companions_the_journal_tells_how_old_a_backup_is(ansible: Ansible):
    row = row_of("manual_backup")
    first, recent = ansible.run(*[row.step(max_age="1h", companions=False)] * 2)
    assert [done.changed for done in (first, recent)] == [True, False]
    assert [len(done.writes) for done in (first, recent)] == [1, 0]


def test_single_addresses_are_denied_and_allowed_again(ansible: Ansible, simulator: Simulator):
    simulator.state.environment(LIVE).denied_ips = ["203.0.113.0/24", "2001:db8:0::1"]
    row = row_of("denied_ips")
    added = {"ip_list": ["192.0.2.1"], "exclusive": False}
    removed = {"ip_list": ["192.0.2.1", "2001:db8::1"], "state": "absent"}
    run = ansible.run(
        row.step("add", keywords={"diff": True}, **added),
        row.step("added", **added),
        row.step("remove, checked", keywords=CHECK, **removed),
        row.step("remove", **removed),
        row.step("removed", **removed),
        row.step("add without companions", **added, companions=False),
    )
    assert [done.changed for done in run[:5]] == [True, False, True, True, False]
    assert [write.body["ip_list"] for done in run for write in done.writes] == [
        ["192.0.2.1", "203.0.113.0/24", "2001:db8::1"],
        ["203.0.113.0/24"],
    ]
    assert run[0].result["diff"]["before"] == {"denied_ips": ["203.0.113.0/24", "2001:db8::1"]}
    assert run[5].error["kind"] == "invalid_input"


def test_what_is_outdated_is_updated_with_one_request(ansible: Ansible, simulator: Simulator):
    several = {"environment_id": LIVE, "names": ["example-[fg]*", "nothing-*"], "exclude": ["*-gallery"]}
    results = {}
    for mode in MODES:
        simulator.reset()
        slowly(simulator)
        ansible.forget()
        speed = {"poll_interval": 0.05}
        run = ansible.run(
            Step("site_plugin", {**several, **speed}, "check mode", keywords=CHECK_WITH_DIFF),
            Step("site_plugin", {**several, **speed}, "first run", keywords={"diff": True}),
            Step("site_plugin", {**several, **speed}, "second run"),
            hosts=mode,
        )
        assert [done.changed for done in run] == [True, True, False]
        [write] = [write for done in run for write in done.writes]
        assert (write.path, write.body) == (
            f"/sites/environments/{LIVE}/plugins/bulk-update",
            {"plugins": [{"name": "example-forms"}]},
        )
        results[mode] = [comparable(done) for done in run]
    assert results[IN_PROCESS] == results[MODULE_PROCESS]


def test_operations_are_started_side_by_side_and_waited_for_in_one_task(ansible: Ansible, simulator: Simulator):
    simulator.settings.operation_seconds = 0.4
    simulator.settings.visible_after = 0.1
    backup = Step(
        "manual_backup",
        {"environment_id": "{{ item }}", "tag": "side by side", "wait": False},
        keywords={"loop": [LIVE, STAGING], "register": "backups"},
    )
    ids = "{{ backups.results | map(attribute='operation.id') }}"
    started, looked, waited, after = ansible.run(
        backup,
        Step("operation_info", {"operation_ids": ids}),
        Step("operation_info", {"operation_ids": ids, "wait": True, "poll_interval": 0.05}),
        Step("operation_info", {"operation_ids": ids, "wait": True}),
    )
    assert started.changed
    assert {result["operation"]["state"] for result in started.result["results"]} == {"in_progress"}
    assert not looked.changed
    assert [one["state"] for one in waited.result["operations"]] == ["finished", "finished"]
    assert [one["id"] for one in waited.result["operations"]] == [
        result["operation"]["id"] for result in started.result["results"]
    ]
    assert len(after.requests) == 2


def test_an_operation_that_nobody_waited_for_is_waited_for_by_the_next_run(ansible: Ansible, simulator: Simulator):
    simulator.settings.operation_seconds = 0.5
    row = row_of("env_push")
    started, checked, waited, settled = ansible.run(
        row.step("start", wait=False), row.step("check mode", keywords=CHECK), row.step("wait"), row.step("settled")
    )
    assert started.result["operation"]["state"] == "in_progress"
    assert (checked.changed, checked.writes) == (False, [])
    assert not waited.changed
    assert waited.result["operation"] == {**started.result["operation"], "state": "finished", "resumed": True} | {
        "message": waited.result["operation"]["message"]
    }
    assert settled.requests == []
    assert len(simulator.writes) == 1


def test_a_service_without_operations_costs_a_warning_and_no_waiting(ansible: Ansible, simulator: Simulator):
    simulator.fault("status", "GET", "/operations/.*", times=None, status=404, body="<html>no such page</html>")
    first, second = ansible.run(row_of("php_restart").step(), row_of("php_restart").step())
    assert first.changed
    assert first.result["operation"]["state"] == "unknown"
    assert "companions: false" in str(first.result["warnings"])
    assert [len(done.reads) for done in (first, second)] == [1, 0]
    assert not second.changed
    assert second.writes == []


def test_without_a_journal_only_the_service_tells_what_was_done(ansible: Ansible):
    ansible.defaults["journal"] = ""
    push, deny = row_of("env_push"), row_of("denied_ips")
    run = ansible.run(push.step(), push.step(), deny.step(), deny.step())
    assert [done.changed for done in run] == [True, True, True, False]
    assert list(ansible.folder.rglob("journal.db*")) == []
