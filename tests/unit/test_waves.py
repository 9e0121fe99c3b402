# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One wait for the operations of many environments, and tasks that start them and bring them to their ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _operations, _turns, _waves
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, open_journal
from ansible_collections.hosting.management.plugins.module_utils._operations import Operation
from ansible_collections.hosting.management.plugins.module_utils._progress import (
    FAILED,
    FINISHED,
    IN_PROGRESS,
    UNKNOWN,
)
from ansible_collections.hosting.management.plugins.module_utils._turns import (
    SIDE_BY_SIDE,
    Budget,
    Followed,
    Length,
    Turns,
)
from ansible_collections.hosting.management.plugins.modules import (
    backup_restore,
    cache_clear,
    env_push,
    manual_backup,
    operation_wait,
    php_restart,
    release_info,
)
from simulator import Simulator, seed

pytest_plugins = ["simulator.fixtures", "unit.postgres"]

SITES = 8
LIVE = [seed.environment_id(number) for number in range(1, SITES + 1)]
PUSHES = r"/sites/[0-9a-f-]{36}/environments"
USER = "d0000000-0000-4000-8000-000000000001"


@pytest.fixture
def simulator():
    with Simulator(sites=SITES) as simulator:
        yield simulator


@pytest.fixture(autouse=True)
def quick_verdicts(monkeypatch):
    monkeypatch.setattr(_operations, "FAILED_AFTER", 0.1)
    for module in (_operations, _turns, _waves):
        monkeypatch.setattr(module, "FAILING_INTERVAL", 0.02)


def push_options(number, release="v1", **options):
    return {
        "site_id": seed.site_id(number),
        "source_env_id": seed.environment_id(number, seed.STAGING),
        "target_env_id": seed.environment_id(number),
        "release": release,
        **options,
    }


def start(controller, number=1, **options):
    """Start a push, and return the task's result."""
    return controller.run(env_push, **push_options(number, wait_until="accepted", **options))


def end(controller, started, number=1, waited=None, **options):
    """Bring it to its end, and return the task's result."""
    ended = waited and waited["environments"].get(seed.environment_id(number))
    return controller.run(env_push, **push_options(number, started=started, ended=ended, **options))


def wait(controller, *numbers, **options):
    ids = [seed.environment_id(number) for number in numbers or range(1, SITES + 1)]
    return controller.run(operation_wait, environment_ids=ids, **options)


WAIT = """
import json, sys
from ansible_collections.hosting.management.plugins.module_utils._entry import Context, perform
from ansible_collections.hosting.management.plugins.modules import operation_wait
params = json.loads(sys.argv[1])
perform(operation_wait.SPEC, operation_wait.run, Context(params), params)
"""
"""A task of operation_wait, as a process that can be killed."""


def looks(simulator):
    return [request for request in simulator.requests if request.path.startswith("/operations/")]


# ---- one wait ------------------------------------------------------------------------------------------------------


def test_one_wait_takes_as_long_as_the_slowest_operation_and_notes_all_ends(controller, simulator):
    simulator.settings.operation_seconds = 0.6
    for number in range(1, SITES + 1):
        assert start(controller, number)["operation"]["state"] == IN_PROGRESS
    began = time.monotonic()
    waited = wait(controller, kinds=["push"])
    assert time.monotonic() - began < 1.5
    assert waited["counts"] == {"failed": 0, "finished": SITES, "in_progress": 0, "unknown": 0}
    assert waited["changed"] is False
    one = waited["environments"][LIVE[0]]
    assert (one["state"], one["operation"]["state"], len(one["operations"])) == (FINISHED, FINISHED, 1)
    assert 0.5 < one["operation"]["seconds"] < 2
    simulator.clear_requests()
    assert controller.run(release_info, environment_id=LIVE[0])["state"] == FINISHED
    assert wait(controller)["environments"] == {}, "nothing is under way any more"
    assert controller.run(env_push, **push_options(1))["changed"] is False
    assert simulator.requests == []


def test_it_waits_for_the_named_environments_and_kinds_only(controller, simulator):
    simulator.settings.operation_seconds = 3600
    start(controller, 1)
    controller.run(php_restart, environment_id=LIVE[1], release="v1", wait_until="accepted")
    simulator.settings.operation_seconds = 0
    controller.run(manual_backup, environment_id=LIVE[2], tag="b", wait_until="accepted")
    assert set(wait(controller, 1, 2, 3, kinds=["backup"])["environments"]) == {LIVE[2]}
    waited = wait(controller, 2, 3, wait_timeout=0.1)
    assert {one: value["state"] for one, value in waited["environments"].items()} == {LIVE[1]: IN_PROGRESS}


def test_it_waits_for_what_a_killed_run_has_started(controller, simulator):
    simulator.settings.operation_seconds = 0.3
    start(controller, 1)
    assert wait(controller, 1)["environments"][LIVE[0]]["state"] == FINISHED


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_two_waits_for_the_same_are_two_readers(kind, controller, simulator, request):
    if kind == "postgres":
        controller.options["journal"] = request.getfixturevalue("postgres")
    simulator.settings.operation_seconds = 0.5
    simulator.fault("fail_operation", method="PUT", path=f"/sites/{seed.site_id(2)}/environments")
    started = {number: start(controller, number) for number in (1, 2, 3)}
    found = []
    threads = [threading.Thread(target=lambda: found.append(wait(controller))) for _unused in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for waited in found:
        assert (waited["counts"]["finished"], waited["counts"]["failed"]) == (2, 1)
        assert end(controller, started[1], 1, waited)["operation"]["state"] == FINISHED
        assert end(controller, started[2], 2, waited)["error"]["kind"] == "operation_failed"
    assert len(simulator.writes) == 3


def test_a_wait_that_is_killed_is_taken_up_by_the_next_one(controller, simulator):
    simulator.settings.operation_seconds = 4
    started = {number: start(controller, number) for number in (1, 2, 3)}
    params = controller.params(operation_wait, environment_ids=LIVE)
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", WAIT, json.dumps(params)], env=surroundings) as process:
        while not looks(simulator) and process.poll() is None:
            time.sleep(0.01)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert start(controller, 2)["operation"]["resumed"], "nothing is sent twice"
    waited = wait(controller)
    assert waited["counts"]["finished"] == 3
    assert [end(controller, started[one], one, waited)["operation"]["state"] for one in (1, 2, 3)] == [FINISHED] * 3
    assert len(simulator.writes) == 3


def test_a_push_whose_answer_was_lost_leaves_its_neighbours_alone(controller, simulator):
    simulator.settings.operation_seconds = 0.5
    simulator.fault("drop_after", method="PUT", path=f"/sites/{seed.site_id(2)}/environments")
    started = {number: start(controller, number) for number in (1, 2, 3)}
    assert started[2]["error"]["kind"] == "outcome_unknown"
    waited = wait(controller)
    assert waited["environments"].keys() == {LIVE[0], LIVE[2]}, "nobody knows what to wait for at the other one"
    assert waited["counts"]["finished"] == 2
    assert start(controller, 2)["error"]["kind"] == "outcome_unknown"
    assert len(simulator.writes) == 3


def test_a_backup_that_is_refused_leaves_its_neighbours_alone(controller, simulator):
    simulator.fault("status", method="POST", path=rf".*{LIVE[1]}/manual-backups", status=400)

    def backup(number, **options):
        of = {"environment_id": LIVE[number - 1], "tag": "before-v1", "release": "v1"}
        return controller.run(manual_backup, wait_until="accepted", **of, **options)

    started = {number: backup(number) for number in (1, 2, 3)}
    assert started[2]["error"]["kind"] == "bad_request"
    waited = wait(controller, kinds=["backup"])
    assert waited["environments"].keys() == {LIVE[0], LIVE[2]}
    for number in (1, 3):
        options = {"environment_id": LIVE[number - 1], "tag": "before-v1", "release": "v1"}
        ended = waited["environments"][LIVE[number - 1]]
        assert controller.run(manual_backup, started=started[number], ended=ended, **options)["backup"]
    pushed = {number: start(controller, number, requires_backup=True) for number in (1, 2, 3)}
    assert [pushed[number].get("failed", False) for number in (1, 2, 3)] == [False, True, False]
    assert "The backup before-v1" in pushed[2]["msg"]
    assert "was not taken. v1 was not pushed, and nothing was sent." in pushed[2]["msg"]
    assert len([one for one in simulator.writes if one.method == "PUT"]) == 2
    assert backup(2)["changed"], "the next run takes it"


def test_one_that_fails_one_that_never_ends_and_the_rest(controller, simulator):
    simulator.fault("fail_operation", method="PUT", path=PUSHES)
    started = {1: start(controller, 1)}
    started[2] = start(controller, 2)
    simulator.settings.operation_seconds = 3600
    started[3] = start(controller, 3)
    waited = wait(controller, wait_timeout=2)
    assert [waited["environments"][one]["state"] for one in LIVE[:3]] == [FAILED, FINISHED, IN_PROGRESS]
    assert waited.get("failed") is None
    simulator.clear_requests()
    first = end(controller, started[1], 1, waited)
    assert (first["error"]["kind"], first["error"]["method"]) == ("operation_failed", "PUT")
    assert f"Operation {started[1]['operation']['id']} failed" in first["msg"]
    assert "Run again" in first["msg"]
    assert end(controller, started[2], 2, waited)["operation"]["state"] == FINISHED
    assert simulator.requests == [], "what has ended is asked no more"
    began = time.monotonic()
    third = end(controller, started[3], 3, waited, wait_timeout=600)
    assert (third["error"]["kind"], third["error"]["method"]) == ("operation_timeout", "PUT")
    assert time.monotonic() - began < 5, "one has waited for it already"
    assert simulator.writes == []
    assert start(controller, 1)["changed"], "the next run sends it again"


def test_check_mode_waits_for_nothing(controller, simulator):
    simulator.settings.operation_seconds = 3600
    start(controller, 1)
    simulator.clear_requests()
    assert wait(controller, check_mode=True)["counts"]["in_progress"] == 1
    assert simulator.requests == []


def test_progress_says_how_many_have_ended_and_which_is_the_slowest(controller, simulator, monkeypatch):
    monkeypatch.setattr(_waves, "REPORT_EVERY", 0.2)
    simulator.settings.seconds_by_operation = {"environments:push": 0.1, "php:restart": 1}
    start(controller, 1)
    controller.run(php_restart, environment_id=LIVE[1], release="v1", wait_until="accepted")
    wait(controller, environment_names={LIVE[1]: "blog-live"})
    assert any(
        "1 of 2 ended after" in line and "the slowest is blog-live, which began" in line for line in controller.lines
    )


def test_an_invalid_key_fails_the_wait_for_nothing_can_be_known(controller, simulator):
    simulator.settings.operation_seconds = 3600
    start(controller, 1)
    assert wait(controller, api_key="wrong")["error"]["kind"] == "unauthorized"


def test_a_service_that_breaks_connections_meanwhile_is_asked_again(controller, simulator, monkeypatch):
    monkeypatch.setattr(_turns, "SHORTEST_PAUSE", 0.05)
    start(controller, 1)
    simulator.fault("drop_before", path="/operations/.*", times=3)
    assert wait(controller)["environments"][LIVE[0]]["state"] == FINISHED


def test_what_fails_under_a_limit_is_known_to_have_failed(controller, simulator):
    simulator.fault("fail_operation", method="PUT", path=PUSHES)
    for number in (1, 2):
        start(controller, number)
    limit = simulator.fault("rate_limit", path="/operations/.*", per_minute=1200, times=0)
    waited = wait(controller, retries=5, looks_per_minute=600)
    assert (waited["counts"]["failed"], waited["counts"]["finished"]) == (1, 1)
    assert limit.hits


def test_operations_that_fail_together_are_judged_by_one_question(controller, simulator, monkeypatch):
    for module in (_turns, _waves):
        monkeypatch.setattr(module, "FAILING_INTERVAL", 0.2)
    simulator.fault("fail_operation", method="PUT", path=PUSHES, times=0)
    for number in range(1, SITES + 1):
        start(controller, number)
    simulator.clear_requests()
    assert wait(controller, looks_per_minute=6000)["counts"]["failed"] == SITES
    questions = [one for one in looks(simulator) if "none" in one.path]
    assert len(looks(simulator)) - len(questions) == SITES * 8
    assert len(questions) <= 8 + 2


def test_what_a_service_does_not_know_yet_has_not_failed_because_it_shows_a_neighbour(
    controller, simulator, monkeypatch
):
    for module in (_turns, _waves):
        monkeypatch.setattr(module, "FAILING_INTERVAL", 0.1)
    simulator.settings.operation_seconds = 3600
    start(controller, 1)
    simulator.settings.visible_after = 3600
    simulator.settings.unknown_operation = 500
    start(controller, 2)
    waited = wait(controller, wait_timeout=2, looks_per_minute=6000)
    assert waited["counts"]["in_progress"] == 2
    assert "500" in waited["environments"][LIVE[1]]["message"]


def test_what_nobody_can_tell_is_given_up_with_its_reason(controller, simulator, monkeypatch):
    monkeypatch.setattr(_turns, "SHORTEST_PAUSE", 0.01)
    monkeypatch.setattr(_turns, "LONGEST_PAUSE", 1)
    monkeypatch.setattr(_waves, "REPORT_EVERY", 0.05)
    monkeypatch.setattr(_operations, "GIVE_UP_AFTER", 1.5)
    start(controller, 1)
    simulator.fault("status", path="/operations/.*", status=503, times=0)
    began = time.monotonic()
    waited = wait(controller)
    assert time.monotonic() - began < 5
    assert waited["counts"]["in_progress"] == 1
    assert "503" in waited["environments"][LIVE[0]]["message"]


def test_how_long_to_stay_away_is_heard(controller, simulator):
    start(controller, 1)
    simulator.clear_requests()
    simulator.fault("status", path="/operations/.*", status=429, headers={"Retry-After": "2"})
    assert wait(controller)["counts"]["finished"] == 1
    first, second = looks(simulator)
    assert second.time - first.time > 2.5


# ---- services that show no operations ------------------------------------------------------------------------------


def test_operations_that_a_service_does_not_know_are_not_all_asked_for(controller, simulator, monkeypatch):
    for module in (_operations, _waves):
        monkeypatch.setattr(module, "VISIBLE_AFTER", 0.5)
    simulator.settings.visible_after = 3600
    for number in range(1, SITES + 1):
        start(controller, number)
    time.sleep(0.6)
    simulator.clear_requests()
    waited = wait(controller)
    assert waited["counts"]["unknown"] == SITES
    assert len(looks(simulator)) == 3
    assert "has not shown any" in waited["environments"][LIVE[7]]["message"]


def test_what_is_too_young_to_be_known_is_waited_for(controller, simulator, monkeypatch):
    for module in (_operations, _waves):
        monkeypatch.setattr(module, "VISIBLE_AFTER", 2)
    simulator.settings.visible_after = 3600
    for number in (1, 2, 3):
        start(controller, number)
    time.sleep(2)
    simulator.settings.visible_after = 0.5
    start(controller, 4)
    waited = wait(controller)
    assert (waited["counts"]["unknown"], waited["counts"]["finished"]) == (3, 1)


def test_without_an_endpoint_for_operations_one_look_is_for_all(controller, simulator):
    simulator.fault("status", path="/operations/.*", status=405, times=0)
    started = {number: start(controller, number) for number in (1, 2, 3)}
    simulator.clear_requests()
    waited = wait(controller)
    assert len(simulator.requests) == 1
    assert waited["counts"]["unknown"] == 3
    ended = end(controller, started[2], 2, waited)
    assert (ended["changed"], ended["operation"]["state"]) == (False, UNKNOWN)
    assert controller.run(release_info, environment_id=LIVE[1])["state"] == FINISHED


def test_the_pause_comes_once_and_counts_from_the_request(controller, simulator):
    controller.options["companions"] = False
    simulator.settings.interface_only = True
    for number in (1, 2, 3):
        start(controller, number)
    simulator.clear_requests()
    began = time.monotonic()
    assert wait(controller, pause_when_unknown=0.5)["counts"]["unknown"] == 3
    assert 0.3 < time.monotonic() - began < 0.9
    began = time.monotonic()
    wait(controller, pause_when_unknown=0.5)
    assert time.monotonic() - began < 0.3
    assert simulator.requests == []


def test_a_task_that_ends_alone_what_nobody_can_look_at_pauses_itself(controller):
    controller.options["companions"] = False
    started = start(controller)
    others, own = [{"id": "of-a-backup", "state": FINISHED}], [{"id": started["operation"]["id"], "state": UNKNOWN}]
    for operations, pauses in ((None, 1), (others, 1), (own, 0)):
        waited = operations and {"environments": {LIVE[0]: {"operations": operations}}}
        began = time.monotonic()
        assert end(controller, started, 1, waited, pause_when_unknown=1)["operation"]["state"] == UNKNOWN
        assert pauses <= time.monotonic() - began < pauses + 1


# ---- start and end -------------------------------------------------------------------------------------------------


def test_a_task_that_ends_what_another_has_started_waits_itself_where_nobody_has(controller, simulator):
    simulator.settings.operation_seconds = 0.5
    started = start(controller)
    assert (started["changed"], started["is_pushed"]) == (True, True)
    ended = end(controller, started)
    assert (ended["changed"], ended["operation"]["state"]) == (False, FINISHED)
    assert len(simulator.writes) == 1


def test_what_has_failed_is_not_sent_again_by_the_task_that_ends_it(controller, simulator):
    simulator.fault("fail_operation", method="PUT", path=PUSHES)
    started = start(controller)
    for _unused in range(2):
        assert end(controller, started)["error"]["kind"] == "operation_failed"
    assert len(simulator.writes) == 1


def test_what_had_nothing_to_start_has_nothing_to_end(controller, simulator):
    controller.run(env_push, **push_options(1))
    started = start(controller)
    simulator.clear_requests()
    assert end(controller, started) == {"changed": False, "is_pushed": False, "state_source": "journal"}
    assert simulator.requests == []


def test_a_start_waits_for_what_is_in_its_way(controller, simulator):
    simulator.settings.operation_seconds = 0.5
    first = start(controller, release="v1")
    began = time.monotonic()
    second = start(controller, release="v2")
    assert time.monotonic() - began > 0.3
    assert second["changed"]
    assert end(controller, first, release="v1")["operation"]["state"] == FINISHED


def test_without_a_journal_the_end_is_waited_for_all_the_same(controller, simulator):
    controller.options["journal"] = ""
    simulator.settings.operation_seconds = 0.3
    started = start(controller)
    assert wait(controller)["environments"] == {}
    assert end(controller, started)["operation"]["state"] == FINISHED
    assert len(simulator.writes) == 1


def test_a_journal_that_is_lost_between_start_and_end_learns_what_was_sent(controller, simulator):
    started = start(controller)
    for file in controller.journal_path.parent.iterdir():
        file.unlink()
    assert end(controller, started)["error"]["kind"] == "journal"
    assert controller.run(env_push, **push_options(1))["changed"] is False
    assert len(simulator.writes) == 1


@pytest.mark.parametrize("max_age", [None, 1])
def test_the_backup_of_a_release_is_on_record_once_it_has_ended(max_age, controller, simulator):
    simulator.settings.operation_seconds = 1.2
    options = {"environment_id": LIVE[0], "tag": "before-v1", "release": "v1", "max_age": max_age}
    started = controller.run(manual_backup, wait_until="accepted", **options)
    waited = wait(controller)
    ended = controller.run(manual_backup, started=started, ended=waited["environments"][LIVE[0]], **options)
    assert ended["backup"]["note"] == "before-v1"
    assert controller.run(release_info, environment_id=LIVE[0])["release"] is None
    pushed = controller.run(env_push, **push_options(1, requires_backup=True))
    assert pushed["changed"]
    assert controller.run(release_info, environment_id=LIVE[0])["backup"]["id"] == ended["backup"]["id"]
    assert [request.method for request in simulator.writes] == ["POST", "PUT"]


def test_a_backup_that_failed_is_not_taken_again_by_the_task_that_ends_it(controller, simulator):
    simulator.fault("fail_operation", method="POST", path=".*/manual-backups")
    options = {"environment_id": LIVE[0], "tag": "before-v1", "release": "v1"}
    started = controller.run(manual_backup, wait_until="accepted", **options)
    waited = wait(controller)
    ended = controller.run(manual_backup, started=started, ended=waited["environments"][LIVE[0]], **options)
    assert ended["error"]["kind"] == "operation_failed"
    assert len(simulator.writes) == 1


def test_caches_and_restart_go_on_side_by_side(controller, simulator):
    simulator.settings.operation_seconds = 0.6
    of = {"environment_id": LIVE[0], "release": "v1"}
    began = time.monotonic()
    restart = controller.run(php_restart, wait_until="accepted", **of)
    caches = controller.run(cache_clear, caches=["site", "edge"], wait_until="accepted", **of)
    assert caches["caches"] == ["site", "edge"]
    ended = wait(controller, kinds=["restart", "caches"])["environments"][LIVE[0]]
    assert time.monotonic() - began < 1.5
    assert len(ended["operations"]) == 3
    assert controller.run(php_restart, started=restart, ended=ended, **of)["operation"]["state"] == FINISHED
    simulator.clear_requests()
    done = controller.run(cache_clear, caches=["site", "edge"], started=caches, ended=ended, **of)
    assert [(one["cache"], one["state"]) for one in done["operations"]] == [("site", FINISHED), ("edge", FINISHED)]
    assert simulator.requests == []


def test_a_cache_that_the_service_does_not_have_is_not_asked_for_when_the_other_ends(controller, simulator):
    simulator.fault("status", method="POST", path="/sites/edge-caching/clear", status=404, body={}, times=0)
    of = {"environment_id": LIVE[0], "release": "v1", "caches": ["site", "edge"]}
    started = controller.run(cache_clear, wait_until="accepted", **of)
    assert started["error"]["is_offered"] is False
    simulator.clear_requests()
    assert [one["cache"] for one in controller.run(cache_clear, started=started, **of)["operations"]] == ["site"]
    assert simulator.writes == []


def test_a_restore_is_started_and_ended(controller, simulator):
    simulator.settings.operation_seconds = 0.3
    backup = simulator.state.environment(LIVE[0]).backups[0].id
    of = {"environment_id": LIVE[0], "backup_id": backup, "notified_user_id": USER, "release": "v1"}
    started = controller.run(backup_restore, wait_until="accepted", **of)
    ended = wait(controller, kinds=["restore"])["environments"][LIVE[0]]
    assert ended["state"] == FINISHED
    assert controller.run(backup_restore, started=started, ended=ended, **of)["operation"]["state"] == FINISHED
    assert len(simulator.writes) == 1


def test_what_is_no_result_of_a_start_is_refused(controller, simulator):
    assert end(controller, {"operation": "x"})["error"]["kind"] == "invalid_input"
    assert simulator.requests == []


# ---- whose turn it is ----------------------------------------------------------------------------------------------


SUBJECTS = {"push": "env_push", "backup": "manual_backup", "update": "site_plugin", "restart": "php_restart"}


def bucket(per_minute, burst=1):
    """A service that takes so many requests a minute, one after another."""
    tokens, filled = burst, 0.0

    def allows(now):
        nonlocal tokens, filled
        tokens, filled = min(burst, tokens + (now - filled) * per_minute / 60), now
        if tokens < 1:
            return False
        tokens -= 1
        return True

    return allows


def window(per_minute, taken=0):
    """A service that counts requests from one full minute to the next; others have taken so many of the first."""
    counts = {0: taken}

    def allows(now):
        counts[now // 60] = counts.get(now // 60, 0) + 1
        return counts[now // 60] <= per_minute

    return allows


class Fleet:
    """Operations of given lengths, followed by the rules alone, in a time of their own."""

    def __init__(self, lengths, *, per_minute=90, took=None, apart=0.1, allows=None, kinds=("push",)):
        self.lengths, self.looks, self.allows, self.refused, self.most_at_once = lengths, [], allows, 0, 0
        self.following = [
            Followed(
                ("s", f"{SUBJECTS[kinds[number % len(kinds)]]}/{number}"),
                Entry.sent_now("", 0),
                str(number),
                Operation(str(number)),
                -apart * (len(lengths) - number),
            )
            for number in range(len(lengths))
        ]
        self.turns = Turns(Budget(per_minute), {("push", ""): took} if took else {}, 1)
        self.budget = self.turns._budget

    def follow(self, longest=3600):
        """Follow them to their ends, and return after how many seconds that was."""
        now = 0.0
        while now < longest and (pending := [one for one in self.following if one.goes_on]):
            due, at = self.turns.take(pending, now, now)
            if not due:
                assert at > now
                now = at
                continue
            self.looks += [now] * len(due)
            self.most_at_once = max(self.most_at_once, len(due))
            refused = [one for one in due if self.allows and not self.allows(now)]
            for one in (one for one in due if one not in refused):
                one.looked = now
                self.budget.hear()
                if one.age(now) >= self.lengths[int(one.environment_id)]:
                    one.operation.state = FINISHED
                self.turns.heard(one, now)
            if refused:
                self.refused += len(refused)
                self.budget.slow_down(now)
            now += 0.05
        return now

    @property
    def late(self):
        """By how many seconds the end of each was seen late."""
        return [one.age(one.ended) - self.lengths[int(one.environment_id)] for one in self.following]

    @property
    def most_in_a_minute(self):
        return max(sum(begin <= one < begin + 60 for one in self.looks) for begin in self.looks)


@pytest.mark.parametrize("seconds", [2, 8, 20, 60, 300])
@pytest.mark.parametrize("took", [None, 600, 1])
def test_the_end_of_a_single_operation_is_seen_in_time(seconds, took):
    fleet = Fleet([seconds], took=took)
    fleet.follow()
    [late] = fleet.late
    assert late <= 1 or late <= 0.15 * seconds


@pytest.mark.parametrize("took", [None, 10, 12, 600])
def test_the_ends_of_forty_are_seen_soon_with_few_looks(took):
    fleet = Fleet([10] * 40, took=took)
    assert fleet.follow() <= 10 * 1.3 + 40 * 0.05
    assert len(fleet.looks) <= 40 * 2


def test_operations_that_end_together_are_looked_at_side_by_side_and_each_once():
    fleet = Fleet([10] * 40, took=10, apart=0)
    assert fleet.follow() <= 10 + 40 / SIDE_BY_SIDE * 0.05 + 0.5
    assert fleet.most_at_once == SIDE_BY_SIDE
    assert len(fleet.looks) <= 40 + 10, "the oldest alone is looked at before the end is expected"


@pytest.mark.parametrize(("sites", "per_minute"), [(40, 20), (200, 90), (40, 1)])
def test_the_budget_is_never_exceeded(sites, per_minute):
    fleet = Fleet([10] * sites, per_minute=per_minute)
    fleet.follow(600)
    assert fleet.most_in_a_minute <= per_minute


@pytest.mark.parametrize(("per_minute", "side_by_side"), [(1, 4), (90, 4), (600, 4), (900, 6), (1200, 8), (9000, 8)])
def test_who_may_look_more_often_takes_more_looks_at_the_same_time(per_minute, side_by_side):
    assert Budget(per_minute).side_by_side == side_by_side


def test_the_more_wait_for_the_first_the_sooner_its_end_is_seen():
    fleet = Fleet([300] * 40)
    fleet.follow()
    assert max(fleet.late) <= 5
    assert fleet.most_in_a_minute <= 90


def test_where_there_are_looks_to_spare_all_ends_are_seen_as_soon_as_they_can_be_told():
    fleet = Fleet([30] * 200, per_minute=1200, apart=0.04)
    fleet.follow()
    assert max(fleet.late) <= 1.5


def test_what_has_ended_before_the_first_look_is_not_waited_for():
    fleet = Fleet([20] * 400, per_minute=1200, apart=0.1)
    assert fleet.follow() <= 20 + 400 / SIDE_BY_SIDE * 0.05
    assert len(fleet.looks) <= 400 + 200 + 30, "the half that goes on is looked at once more"


def length(least=10.0, most=20.0):
    return Length(least, most)


@pytest.mark.parametrize(
    ("known", "has_room", "expected"),
    [
        (length(19.5), True, 20),
        (length(), True, 15),
        (length(), False, 20),
        (length(96, 100), True, 100),
        (length(94, 100), True, 97),
    ],
)
def test_when_an_operation_is_looked_at(known, has_room, expected):
    assert known.expected(has_room) == expected


@pytest.mark.parametrize(
    ("went_on", "ended", "known"),
    [
        (12, 16, length(12, 16)),
        (8, 16, length(10, 16)),
        (0, 16, length(10, 16)),
        (0, 9, length(0, 9)),
        (7, 9, length(7, 9)),
        (0, 20, length()),
        (0, 400, length()),
        (21, 30, length(21, 30)),
    ],
)
def test_what_an_end_tells(went_on, ended, known):
    changed = length()
    changed.note_end(went_on, ended)
    assert changed == known


@pytest.mark.parametrize(
    ("age", "is_late", "known"), [(9, False, length()), (15, False, length(15)), (20, True, length())]
)
def test_what_one_that_goes_on_tells(age, is_late, known):
    changed = length()
    assert changed.note_going_on(age) is is_late
    assert changed == known


def test_one_that_ends_at_once_does_not_use_up_the_budget_for_the_others():
    fleet = Fleet([0.5, *[30] * 39])
    assert fleet.follow() <= 30 * 1.3 + 5


def test_one_that_never_ends_does_not_hide_the_others():
    fleet = Fleet([100_000, *[20] * 39])
    fleet.follow(120)
    assert [one.environment_id for one in fleet.following if one.goes_on] == ["0"]


@pytest.mark.parametrize("sorts", [1, 2, 3])
def test_the_oldest_of_each_sort_is_seen_to_end_in_time_as_if_it_were_alone(sorts):
    fleet = Fleet([20] * sorts, kinds=list(SUBJECTS)[:sorts])
    fleet.follow()
    assert max(fleet.late) <= 0.15 * 20


def test_what_has_ended_long_ago_does_not_tell_how_long_operations_take():
    fleet = Fleet([10], took=10, apart=400)
    fleet.follow()
    assert fleet.turns.expected(("push", "")) == 10


def test_a_service_that_is_too_busy_is_asked_less_often_and_then_more_often_again():
    budget = Budget(90)
    budget.slow_down(100)
    assert 100.5 < budget.free_at(100) <= 101
    budget.take(101)
    assert budget.free_at(101) == pytest.approx(101 + 60 / 90), "one by one from now on"
    budget.slow_down(101)
    assert 102 < budget.free_at(101) <= 103
    assert budget.rate == 90, "refusals in a row say the same thing once"
    budget.hear()
    budget.slow_down(200)
    assert budget.rate == pytest.approx(90 * 0.7)
    for _unused in range(10):
        budget.hear()
    assert budget.rate == 90


def test_who_may_look_more_often_first_tries_what_public_services_grant_once_there_are_too_many():
    budget = Budget(270)
    budget.slow_down(100)
    assert (budget.rate, budget.is_limited) == (120, True)
    budget.hear()
    assert 120 < budget.rate < 130


def test_a_service_that_says_how_long_to_stay_away_is_left_alone_so_long():
    budget = Budget(90)
    budget.slow_down(100, told=30)
    assert 130.7 < budget.free_at(100) <= 131


@pytest.mark.parametrize("took", [None, 10])
@pytest.mark.parametrize("burst", [1, 10])
def test_under_a_limit_the_looks_are_nearly_as_many_as_it_allows(burst, took):
    """With 120 a minute, 40 ends cannot be seen in less than 20 s, after the 10 s that the operations take."""
    fleet = Fleet([10] * 40, took=took, allows=bucket(120, burst))
    assert fleet.follow() <= 1.2 * 30
    assert fleet.refused <= 3


@pytest.mark.parametrize("taken", [100, 120])
def test_a_minute_that_others_have_used_up_is_waited_out(taken):
    fleet = Fleet([10] * 40, allows=window(120, taken))
    assert fleet.follow() <= 60 + 1.3 * 30
    assert fleet.refused <= 10


@pytest.mark.parametrize("per_minute", [20, 60])
def test_the_looks_come_down_to_what_a_narrow_limit_allows(per_minute):
    fleet = Fleet([10] * 60, allows=bucket(per_minute))
    seconds = fleet.follow()
    assert (len(fleet.looks) - fleet.refused) / seconds >= 0.6 * per_minute / 60
    assert fleet.refused <= len(fleet.looks) / 4


def test_who_was_refused_keeps_its_turn():
    fleet = Fleet([10] * 3, took=10, allows=lambda now: not 9.5 < now < 20)
    fleet.follow()
    refused = [one for one in fleet.looks if 9.5 < one < 20]
    assert refused
    assert len(fleet.looks) - len(refused) <= 14
    assert fleet.turns._misses.get(("push", ""), 0) == 0, "a refusal does not say that they take longer"


def test_a_rate_limit_ends_in_no_error(controller, simulator):
    for number in range(1, SITES + 1):
        start(controller, number)
    simulator.fault("rate_limit", path="/operations/.*", per_minute=240, burst=2, times=0)
    assert wait(controller)["counts"]["finished"] == SITES


def test_durations_are_those_of_the_journal(controller, simulator):
    simulator.settings.operation_seconds = 0.3
    controller.run(env_push, **push_options(1))
    rows = open_journal(str(controller.journal_path)).subjects(simulator.base_url, "")
    found = _waves._durations(_waves._rows_of(rows, [], _turns.KINDS))
    assert 0.2 < found["push", ""] < 1
