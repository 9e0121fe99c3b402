# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations that are about to end when the next task begins, which brings each of them to its end itself."""

from __future__ import annotations

import time

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _turns
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry
from ansible_collections.hosting.management.plugins.module_utils._operations import Operation
from ansible_collections.hosting.management.plugins.module_utils._progress import FAILED, FINISHED, IN_PROGRESS
from ansible_collections.hosting.management.plugins.module_utils._turns import Followed, end_in_turn
from ansible_collections.hosting.management.plugins.modules import (
    env_push,
    environment,
    manual_backup,
    operation_wait,
    release_info,
)
from simulator import Simulator, seed

pytest_plugins = ["simulator.fixtures"]

SITES = 8
LIVE = [seed.environment_id(number) for number in range(1, SITES + 1)]
EAGER = {"poll_interval": 0.05, "looks_per_minute": 6000}
PUSHES = r"/sites/[0-9a-f-]{36}/environments"
REFRESH = {"php_restart": {"release": "v1"}, "caches": [{"cache": "site", "release": "v1"}]}
KINDS = ["environments:push", "php:restart", "cache:clear"]


@pytest.fixture
def simulator():
    with Simulator(sites=SITES) as simulator:
        simulator.settings.operation_seconds = 1.5
        yield simulator


def push(number):
    return {
        "site_id": seed.site_id(number),
        "source_env_id": seed.environment_id(number, seed.STAGING),
        "release": "v1",
    }


def start(controller, number, **options):
    target = seed.environment_id(number)
    return controller.run(env_push, **push(number), target_env_id=target, wait_until="accepted", **options)


def keep(controller, number, started, waited=None, **options):
    """Keep the environment when its push has ended, with what one wait has seen of that."""
    environment_id = seed.environment_id(number)
    ended = waited and waited["environments"].get(environment_id)
    begun = {**push(number), "started": started, "ended": ended}
    return controller.run(environment, environment_id=environment_id, push=begun, **options)


def writes(simulator):
    return [(one.method, one.path) for one in simulator.writes]


def followed(number, ended=None, state=FINISHED, kind="env_push", began=None):
    began = float(number) if began is None else began
    operation = Operation(str(number))
    one = Followed(("s", f"{kind}/{number}"), Entry.sent_now("", 0), str(number), operation, began)
    if ended is not None:
        one.ended, operation.state = ended, state
    return one


def of(*ends):
    """Operations that were begun each a second after the one before, of which some have ended, at an age of so much."""
    return [followed(number, end and number + end) for number, end in enumerate(ends)]


ROWS = {
    "the first ones end as they began": (of(30, 30, 30, *[None] * 17), 32.5, True),
    "in a moment, all will have ended": (of(*[30] * 19, None), 48.5, False),
    "all have ended": (of(*[30] * 20), 50, False),
    "too few have ended to tell": (of(30, 30, *[None] * 18), 31.5, False),
    "too few of all have ended to tell": (of(*[30] * 4, *[None] * 96), 33.5, False),
    "enough of all have ended": (of(*[30] * 5, *[None] * 95), 34.5, True),
    "later ones end first": (of(*[None] * 17, 12, 13, 11), 31, False),
    "one of ten ends later": (of(*[30] * 4, None, *[30] * 6, *[None] * 9), 33.5, True),
    "one is overdue": (of(None, *[30] * 10, *[None] * 9), 41, False),
    "one is not overdue yet": (of(None, *[30] * 10, *[None] * 9), 32.9, True),
    "they have failed": ([followed(n, n + 30.0, FAILED) for n in range(3)] + [followed(3)], 31, False),
    "there are two sorts": ([*of(30, 30, 30), followed(9, kind="manual_backup")], 32.5, False),
    "there is nothing to wait for": ([], 0, False),
}


@pytest.mark.parametrize(("following", "now", "in_turn"), ROWS.values(), ids=ROWS)
def test_when_those_that_are_left_can_be_left_to_the_next_task(following, now, in_turn):
    assert end_in_turn(following, now) is in_turn


@pytest.fixture
def spread(controller, monkeypatch):
    """Pushes to all environments that were begun one after another; the results of the tasks."""
    monkeypatch.setattr(_turns, "WORTH_IT", 0.1)
    started = []
    for number in range(1, SITES + 1):
        started.append(start(controller, number))
        time.sleep(0.1)
    return started


def test_a_wait_leaves_those_that_are_about_to_end(spread, controller, simulator):
    waited = controller.run(operation_wait, environment_ids=LIVE, **EAGER, overlap=True)
    assert 0 < len(waited["left"]) <= SITES - 3
    assert set(waited["environments"]) == set(LIVE) - set(waited["left"])
    assert waited["counts"] == {"failed": 0, "finished": SITES - len(waited["left"]), "in_progress": 0, "unknown": 0}
    simulator.clear_requests()
    last = keep(controller, SITES, spread[-1], waited, **REFRESH)
    assert last["push"]["operation"]["state"] == FINISHED
    assert len(simulator.writes) == 2


@pytest.mark.usefixtures("spread")
def test_without_overlap_it_waits_for_all(controller):
    waited = controller.run(operation_wait, environment_ids=LIVE, **EAGER)
    assert (waited["left"], waited["counts"]["finished"]) == ([], SITES)


@pytest.mark.usefixtures("spread")
def test_under_a_limit_of_requests_it_waits_for_all(controller, simulator):
    simulator.fault("rate_limit", path="/operations/.*", per_minute=600, burst=1, times=0)
    waited = controller.run(operation_wait, environment_ids=LIVE, **EAGER, overlap=True)
    assert (waited["left"], waited["counts"]["finished"]) == ([], SITES)


def test_an_environment_is_kept_when_its_push_has_ended(controller, simulator):
    started = start(controller, 1)
    result = keep(controller, 1, started, wait=False, **REFRESH)
    assert (result["changed"], result["push"]["operation"]["state"]) == (True, FINISHED)
    assert 1 < result["push"]["operation"]["seconds"] < 4
    assert {one["state"] for one in result["operations"]} == {IN_PROGRESS}
    operations = list(simulator.state.operations.by_id.values())
    assert [one.kind for one in operations] == KINDS
    again = keep(controller, 1, started, **REFRESH)
    assert (again["changed"], len(simulator.state.operations.by_id)) == (False, 3)


def test_the_second_task_knows_the_push_of_the_first_one(controller):
    begun = keep(controller, 1, start(controller, 1), wait=False, **REFRESH)
    ended = controller.run(environment, environment_id=LIVE[0], started=begun, **REFRESH)
    assert ended["push"] == begun["push"]


def test_there_may_be_nothing_to_keep_besides(controller, simulator):
    result = keep(controller, 1, start(controller, 1))
    assert (result["changed"], result["push"]["is_pushed"], len(simulator.writes)) == (False, True, 1)


def test_after_a_push_that_failed_nothing_is_sent(controller, simulator):
    simulator.fault("fail_operation", method="PUT", path=PUSHES)
    started = start(controller, 1)
    result = keep(controller, 1, started, **REFRESH)
    assert (result["failed_step"], result["error"]["kind"]) == ("push", "operation_failed")
    assert len(simulator.writes) == 1


def test_a_push_that_was_waited_for_in_vain_is_not_waited_for_again(controller, simulator):
    simulator.settings.operation_seconds = 3600
    started = start(controller, 1)
    waited = controller.run(operation_wait, environment_ids=LIVE, wait_timeout=0.3, overlap=True)
    simulator.clear_requests()
    result = keep(controller, 1, started, waited, wait_timeout=60, **REFRESH)
    assert (result["failed_step"], result["error"]["kind"]) == ("push", "operation_timeout")
    assert simulator.writes == []


def test_where_nobody_can_look_at_it_the_pause_comes_before_all_else(controller, simulator):
    controller.options["companions"] = False
    simulator.settings.interface_only = True
    started = start(controller, 1)
    begun = {**push(1), "started": started, "pause_when_unknown": 0.5}
    result = controller.run(environment, environment_id=LIVE[0], push=begun, **REFRESH)
    sent = [one.time for one in simulator.writes]
    assert result["push"]["operation"]["state"] == "unknown"
    assert sent[1] - sent[0] >= 0.5


def test_in_check_mode_a_push_that_was_begun_is_not_looked_at(controller, simulator):
    started = start(controller, 1)
    simulator.clear_requests()
    result = keep(controller, 1, started, check_mode=True, php_restart={"release": "v1"})
    assert (result["changed"], result["push"]["changed"]) == (True, False)
    assert simulator.requests == []


BAD = {
    "no dictionary": ("v1", "push must be a dictionary"),
    "nothing was begun": ({**push(1)}, "push: missing required arguments: started"),
    "an unknown option": ({**push(1), "started": {}, "tag": "v1"}, "push has no option tag"),
    "it pushes nothing": (
        {**push(1), "started": {}, "push_db": False, "push_files": False},
        "push_db and push_files are both false",
    ),
    "no result of a push": ({**push(1), "started": {"operation": "v1"}}, "push.started is no result of a task"),
    "a push that failed": ({**push(1), "started": {"failed": True, "is_pushed": False}}, "push.started is no result"),
    "a push that was skipped": ({**push(1), "started": {"skipped": True}}, "push.started is no result of a task"),
    "an operation that is none": (
        {**push(1), "started": {"is_pushed": True, "operation": "v1"}},
        "started is no result",
    ),
}


@pytest.mark.parametrize(("begun", "problem"), BAD.values(), ids=BAD)
def test_what_is_no_push_that_was_begun_is_refused(begun, problem, controller, simulator):
    result = controller.run(environment, environment_id=LIVE[0], push=begun, **REFRESH)
    assert problem in result["msg"]
    assert simulator.requests == []


def test_a_push_of_another_release_is_refused(controller, simulator):
    started = start(controller, 1)
    simulator.clear_requests()
    begun = {**push(1), "release": "v2", "started": started}
    result = controller.run(environment, environment_id=LIVE[0], push=begun, **REFRESH)
    assert "a task for the release v1, and this one is for the release v2" in result["msg"]
    assert simulator.writes == []


@pytest.mark.parametrize("is_known", [False, True])
def test_a_push_to_another_environment_is_refused_and_leaves_no_row(is_known, controller, simulator):
    if is_known:
        start(controller, 2)
    started = start(controller, 1)
    simulator.clear_requests()
    before = controller.run(release_info, environment_id=LIVE[1])
    result = keep(controller, 2, started, **REFRESH)
    assert (result["error"]["kind"], result["failed_step"]) == ("invalid_input", "push")
    assert "something else" in result["msg"]
    assert simulator.writes == []
    assert controller.run(release_info, environment_id=LIVE[1]) == before


NO_BACKUP = {
    "it failed": {"failed": True, "msg": "no"},
    "it was skipped": {"skipped": True, "changed": False},
    "it is of another module": {"changed": True},
    "it is empty": {},
}


@pytest.mark.parametrize("taken", NO_BACKUP.values(), ids=NO_BACKUP)
def test_nothing_is_pushed_after_a_backup_that_nobody_has_begun(taken, controller, simulator):
    result = start(controller, 1, backup={"started": taken})
    assert (result["error"]["kind"], result["failed_step"]) == ("invalid_input", "backup")
    assert simulator.requests == []


def test_many_pushes_that_hang_are_waited_for_as_long_as_one(controller, simulator):
    simulator.settings.operation_seconds = 3600
    started = [start(controller, number) for number in (1, 2, 3)]
    began = time.monotonic()
    for number, one in enumerate(started, start=1):
        assert keep(controller, number, one, wait_timeout=3, **REFRESH)["error"]["kind"] == "operation_timeout"
    assert time.monotonic() - began < 7


def test_the_backup_of_a_push_that_was_not_waited_for_comes_before_it(controller, simulator):
    backup = {"environment_id": LIVE[0], "tag": "before-v1", "release": "v1", "max_age": 1}
    taken = controller.run(manual_backup, **backup, wait_until="accepted")
    begun = {"started": taken, "ended": {"operations": [{"id": "of-another-one", "state": FINISHED}]}}
    result = start(controller, 1, backup=begun, requires_backup=True)
    assert (result["backup"]["tag"], result["operation"]["state"]) == ("before-v1", IN_PROGRESS)
    accepted = [one.kind for one in simulator.state.operations.by_id.values()]
    assert accepted == ["backups:add-manual", "environments:push"]
