# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Following operations from their acceptance to their end."""

from __future__ import annotations

import threading
import time
from contextlib import closing, nullcontext
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _operations
from ansible_collections.hosting.management.plugins.module_utils._errors import (
    HostingError,
    OperationFailed,
    OperationTimeout,
)
from ansible_collections.hosting.management.plugins.module_utils._interface import ADD_MANUAL_BACKUP
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, SqliteJournal
from ansible_collections.hosting.management.plugins.module_utils._operations import (
    FAILED_AFTER_ANSWERS,
    LONG_AGO,
    NEVER_SEEN,
    NOT_KNOWN,
    POLL_INTERVAL,
    REMEMBERED_FOR,
    SHOWS_NONE,
    VISIBLE_AFTER,
    Operation,
    follow,
    is_well,
    next_look,
    require_finished,
)
from ansible_collections.hosting.management.plugins.module_utils._progress import (
    FAILED,
    FINISHED,
    IN_PROGRESS,
    UNKNOWN,
)
from simulator import seed
from simulator.errors import MESSAGES

pytest_plugins = ["simulator.fixtures"]

OPERATIONS = "/operations/.*"
ENDLESS = 3600
DAY = 86400


@pytest.fixture(autouse=True)
def quick_verdicts(monkeypatch):
    monkeypatch.setattr(_operations, "FAILED_AFTER", 0.1)
    monkeypatch.setattr(_operations, "FAILING_INTERVAL", 0.02)


@pytest.fixture
def client(connect, simulator):
    return connect(simulator, retries=0)


@pytest.fixture
def begin(client, simulator):
    """A function that begins an operation of so many seconds."""

    def begin(seconds=0.0, visible_after=0.0, tag="v1"):
        simulator.settings.operation_seconds = seconds
        simulator.settings.visible_after = visible_after
        answer = client.send(ADD_MANUAL_BACKUP(env_id=seed.environment_id(1), body={"tag": tag}))
        return Operation(answer.operation_id, accepted_at=time.time())

    return begin


@pytest.fixture
def wait(client):
    """A function that follows operations and returns the lines of progress."""

    def wait(*operations, wait_timeout=10, poll_interval=0.02):
        lines = []
        follow(client, operations, wait_timeout=wait_timeout, poll_interval=poll_interval, report=lines.append)
        return lines

    return wait


@pytest.fixture
def clock(monkeypatch):
    """The time that operations see: ``now`` can be set, and moves on by the pauses, which ``slept`` has."""
    seen = SimpleNamespace(now=time.time(), ahead=time.time() - time.monotonic(), slept=[])

    def sleep(seconds):
        assert seconds > 0
        seen.slept.append(seconds)
        seen.now += seconds

    times = SimpleNamespace(time=lambda: seen.now, monotonic=lambda: seen.now - seen.ahead, sleep=sleep)
    monkeypatch.setattr(_operations, "time", times)
    return seen


def end_operations(simulator):
    for operation in simulator.state.operations.by_id.values():
        operation.ends_at = 0


def looks(simulator):
    return [request for request in simulator.requests if request.path.startswith("/operations/")]


def test_an_operation_is_in_progress_and_then_finished(begin, wait, client, simulator):
    operation = begin(seconds=ENDLESS)
    operation.look(client)
    assert (operation.state, operation.message) == (IN_PROGRESS, "Operation in progress")
    end_operations(simulator)
    wait(operation)
    assert (operation.state, operation.message) == (FINISHED, "Finished")
    assert operation.as_result() == {"id": operation.id, "state": "finished", "message": "Finished", "resumed": False}
    assert [look.status for look in looks(simulator)][-1] == 200
    require_finished([operation], 10)


def test_what_has_ended_is_not_asked_for_again(begin, wait, simulator):
    operation = begin()
    wait(operation)
    wait(operation)
    assert len(looks(simulator)) == 1


def test_an_operation_has_failed_when_many_looks_say_500_and_the_service_is_well(begin, wait, simulator):
    simulator.fault("fail_operation")
    operation = begin()
    wait(operation)
    assert (operation.state, operation.message) == (FAILED, MESSAGES[500])
    assert [look.status for look in looks(simulator)] == [500, 404] * FAILED_AFTER_ANSWERS
    with pytest.raises(OperationFailed, match=f"Operation {operation.id} failed: {MESSAGES[500]}") as raised:
        require_finished([operation], 10)
    assert (raised.value.operation_id, raised.value.service_message) == (operation.id, MESSAGES[500])
    assert raised.value.names_operation


def test_many_500s_in_a_short_time_are_no_verdict(begin, wait, simulator, monkeypatch):
    monkeypatch.setattr(_operations, "FAILED_AFTER", 60)
    operation = begin()
    simulator.fault("status", path=f"/operations/{operation.id}", status=500, times=3 * FAILED_AFTER_ANSWERS)
    wait(operation)
    assert operation.state == FINISHED


def test_a_task_that_does_not_wait_still_hears_the_verdict(begin, wait, simulator):
    simulator.fault("fail_operation")
    operation = begin()
    wait(operation, wait_timeout=0)
    assert operation.state == FAILED


def test_word_of_a_failure_is_believed_after_so_many_seconds(begin, client, simulator, clock, monkeypatch):
    monkeypatch.setattr(_operations, "FAILED_AFTER", 8)
    simulator.fault("fail_operation")
    operation = begin()
    operation.look(client)
    clock.now += 8
    for _look in range(FAILED_AFTER_ANSWERS - 1):
        assert operation.seems_failed
        operation.look(client)
    assert operation.state == FAILED


def test_what_seems_to_have_failed_is_looked_at_often(begin, wait, simulator, clock):
    simulator.fault("fail_operation")
    wait(begin(), poll_interval=100, wait_timeout=ENDLESS)
    assert clock.slept == [_operations.FAILING_INTERVAL] * (FAILED_AFTER_ANSWERS - 1)


def test_an_answer_between_them_makes_500s_no_verdict(begin, wait, simulator):
    operation = begin(seconds=ENDLESS)
    for _round in range(3):
        simulator.fault("status", path=f"/operations/{operation.id}", status=500, times=FAILED_AFTER_ANSWERS - 1)
        simulator.fault("status", path=f"/operations/{operation.id}", status=202, body={"message": "on", "status": 202})
    threading.Timer(1, end_operations, [simulator]).start()
    wait(operation)
    assert operation.state == FINISHED


def test_a_single_500_is_a_hiccup_of_the_service(begin, wait, simulator):
    operation = begin()
    simulator.fault("status", path=OPERATIONS, status=500)
    wait(operation)
    assert operation.state == FINISHED
    assert [look.status for look in looks(simulator)] == [500, 404, 200]


def test_a_service_in_trouble_is_not_taken_for_a_failed_operation(begin, wait, simulator):
    operation = begin()
    simulator.fault("status", path=OPERATIONS, status=500, times=4)
    wait(operation)
    assert operation.state == FINISHED


def test_word_of_a_failure_ends_a_silence(begin, client, simulator):
    operation = begin()
    path = f"/operations/{operation.id}"
    simulator.fault("status", path=path, status=200, body={"status": 418, "message": ""})
    operation.look(client)
    assert operation.why_silent
    simulator.fault("status", path=path, status=500)
    operation.look(client)
    assert (operation.why_silent, operation.seems_failed) == ("", True)


def test_word_of_progress_ends_a_silence(begin, client, simulator):
    operation = begin(seconds=ENDLESS)
    simulator.fault("status", path=OPERATIONS, status=200, body={"status": 418, "message": ""})
    operation.look(client)
    assert operation.why_silent
    operation.look(client)
    assert operation.why_silent == ""


@pytest.mark.parametrize(
    ("body", "data"),
    [
        ({"status": 200, "message": "Finished", "data": {"idSite": "x"}}, {"idSite": "x"}),
        ({"status": 200, "message": "Finished"}, None),
        ({"message": "Finished", "data": ["x"]}, ["x"]),
        (["no object"], None),
    ],
    ids=str,
)
def test_what_an_operation_has_made_is_kept(body, data, begin, client, simulator):
    operation = begin()
    simulator.fault("status", path=OPERATIONS, status=200, body=body)
    operation.look(client)
    assert (operation.state, operation.data) == (FINISHED, data)


@pytest.mark.parametrize(
    ("answer", "well"),
    [
        ({"status": 404}, True),
        ({"status": 200, "body": {"status": 404, "message": ""}}, True),
        ({"status": 200, "body": {"status": 200, "message": ""}}, False),
        ({"status": 404, "body": "<html>"}, False),
        ({"status": 500}, False),
    ],
    ids=str,
)
def test_a_service_is_well_that_does_not_know_an_operation_that_cannot_exist(answer, well, client, simulator):
    simulator.fault("status", path=OPERATIONS, **answer)
    assert is_well(client, time.monotonic() + 10) is well


def test_a_service_that_does_not_say_so_in_time_is_not_well(client, simulator):
    simulator.fault("delay", path=OPERATIONS, seconds=2)
    assert is_well(client, time.monotonic() + 0.3) is False


def test_whether_a_service_is_well_is_not_waited_for_beyond_the_deadline(begin, client, simulator):
    operation = begin()
    simulator.fault("status", path=f"/operations/{operation.id}", status=500)
    simulator.fault("delay", path="/operations/none.*", seconds=3)
    operation.look(client, deadline=time.monotonic() + 1)
    assert operation.why_silent


def test_a_service_that_fails_on_all_operations_says_nothing_about_one(begin, wait, simulator):
    operation = begin()
    simulator.fault("status", path=OPERATIONS, status=500, times=0)
    wait(operation, wait_timeout=0.5)
    assert operation.state == IN_PROGRESS
    with pytest.raises(OperationTimeout, match=f"^It cannot be told how operation {operation.id} stands: .* 500"):
        require_finished([operation], 0.5)


def test_of_answers_that_say_nothing_a_task_has_enough_before_its_time_is_over(begin, wait, simulator, monkeypatch):
    monkeypatch.setattr(_operations, "GIVE_UP_AFTER", 0.3)
    monkeypatch.setattr(_operations, "LONGEST_INTERVAL", 0.02)
    operation = begin()
    simulator.fault("status", path=OPERATIONS, status=500, times=0)
    began = time.monotonic()
    wait(operation, wait_timeout=ENDLESS)
    assert 0.3 <= time.monotonic() - began < 5
    assert operation.state == IN_PROGRESS
    simulator.clear_faults()
    wait(operation)
    assert operation.state == FINISHED


def test_a_task_has_enough_of_so_many_answers_that_say_nothing(begin, wait, simulator, monkeypatch):
    monkeypatch.setattr(_operations, "GIVE_UP_AFTER", 0)
    monkeypatch.setattr(_operations, "LONGEST_INTERVAL", 0.02)
    operation = begin()
    simulator.fault("status", path=OPERATIONS, status=200, times=0, body={"status": 418, "message": ""})
    wait(operation)
    assert operation.is_given_up
    assert len(looks(simulator)) == FAILED_AFTER_ANSWERS


BODY_STATUSES = [
    (200, 200, FINISHED),
    (200, 201, FINISHED),
    (200, 202, IN_PROGRESS),
    (202, 202, IN_PROGRESS),
    (202, 200, FINISHED),
    (200, 500, FAILED),
    (202, 500, FAILED),
    (200, 404, UNKNOWN),
    (200, 300, IN_PROGRESS),
    (200, 418, IN_PROGRESS),
    (200, 503, IN_PROGRESS),
    (200, "500", FINISHED),
    (200, None, FINISHED),
    (200, True, FINISHED),
    (202, None, IN_PROGRESS),
]


@pytest.mark.parametrize(("status", "said", "state"), BODY_STATUSES)
def test_the_whole_number_in_the_body_wins(status, said, state, begin, wait, simulator):
    operation = begin()
    operation.accepted_at = None
    answer = {"status": status, "body": {"status": said, "message": "as said"}}
    simulator.fault("status", path=f"/operations/{operation.id}", times=0, **answer)
    wait(operation, wait_timeout=0.5)
    assert operation.state == state
    if state in (FAILED, UNKNOWN):
        assert operation.message == {FAILED: "as said", UNKNOWN: NOT_KNOWN}[state]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"body": {"status": 418, "message": ""}}, "the service answers that its status is 418"),
        ({"status": 404}, "was accepted, and the service has not shown it within wait_timeout"),
        ({"body": {"status": 404, "message": ""}}, "was accepted, and the service has not shown it"),
        ({"status": 202, "body": {"message": "on"}}, "still in progress after wait_timeout"),
    ],
    ids=str,
)
def test_a_wait_that_ends_says_what_is_known(answer, words, begin, wait, simulator):
    operation = begin()
    simulator.fault("status", path=f"/operations/{operation.id}", times=0, **{"status": 200, **answer})
    wait(operation, wait_timeout=0.3)
    with pytest.raises(OperationTimeout, match=words) as raised:
        require_finished([operation], 0.3)
    assert "run again to wait on" in str(raised.value)


@pytest.mark.parametrize(
    "answer", [{"status": 404}, {"status": 404, "body": "<html>"}, {"status": 403}, {"status": 501}], ids=str
)
@pytest.mark.parametrize(
    "shown", [{"status": 202, "body": {"status": 202, "message": "on"}}, {"status": 500}], ids=["202", "500"]
)
def test_what_was_shown_once_may_be_missed_for_a_while(shown, answer, begin, wait, simulator):
    operation = begin(seconds=0.3)
    path = f"/operations/{operation.id}"
    simulator.fault("status", path=path, **shown)
    simulator.fault("status", path=path, times=3, **answer)
    wait(operation)
    assert (operation.state, operation.message) == (FINISHED, "Finished")


def test_an_operation_may_not_be_visible_at_first(begin, wait, simulator):
    operation = begin(visible_after=0.3)
    wait(operation)
    assert operation.state == FINISHED
    statuses = [look.status for look in looks(simulator)]
    assert (statuses[0], statuses[-1]) == (404, 200)


def test_an_operation_that_stays_invisible_is_unknown_after_the_grace(begin, wait, simulator, monkeypatch):
    monkeypatch.setattr(_operations, "VISIBLE_AFTER", 0.2)
    operation = begin(visible_after=ENDLESS)
    wait(operation)
    assert (operation.state, operation.message) == (
        UNKNOWN,
        "The service does not know the operation, or shows no operations.",
    )
    assert len(looks(simulator)) > 1
    assert time.time() - operation.accepted_at > 0.2


@pytest.mark.parametrize("skew", [-DAY, -600, 600, DAY])
def test_an_operation_of_another_run_is_waited_for_whatever_its_clock_said(skew, begin, wait, monkeypatch):
    monkeypatch.setattr(_operations, "VISIBLE_AFTER", 0.5)
    operation = begin(seconds=0.4, visible_after=0.2)
    operation.resumed, operation.accepted_at = True, time.time() - skew
    wait(operation)
    assert operation.state == FINISHED


def test_an_operation_of_another_run_that_stays_invisible_is_unknown_after_the_grace(begin, wait, monkeypatch):
    monkeypatch.setattr(_operations, "VISIBLE_AFTER", 0.2)
    operation = begin(visible_after=ENDLESS)
    operation.resumed, operation.accepted_at = True, time.time() + DAY
    wait(operation)
    assert operation.state == UNKNOWN


def test_an_operation_of_another_run_that_is_a_week_old_has_no_grace(begin, wait, simulator):
    operation = begin(visible_after=ENDLESS)
    operation.resumed, operation.accepted_at = True, time.time() - 8 * DAY
    wait(operation)
    assert operation.state == UNKNOWN
    assert len(looks(simulator)) == 1


@pytest.mark.parametrize(("resumed", "age"), [(False, VISIBLE_AFTER), (True, LONG_AGO)])
def test_the_last_second_of_the_grace_is_part_of_it(resumed, age, begin, client, clock):
    operation = begin(visible_after=ENDLESS)
    operation.resumed, operation.accepted_at = resumed, clock.now - age
    operation.look(client, VISIBLE_AFTER)
    assert operation.state == IN_PROGRESS


def test_an_operation_of_this_run_that_was_accepted_a_while_ago_has_no_grace(begin, wait, simulator):
    operation = begin(visible_after=ENDLESS)
    operation.accepted_at -= _operations.VISIBLE_AFTER + 1
    wait(operation)
    assert operation.state == UNKNOWN
    assert len(looks(simulator)) == 1


def test_where_a_service_shows_no_operations_there_is_no_grace_whatever_the_clock_says(begin, client):
    operation = begin(visible_after=ENDLESS)
    operation.accepted_at = time.time() + DAY
    operation.look(client)
    assert operation.state == UNKNOWN


@pytest.mark.parametrize(
    ("waits", "sender", "by_clock"), [(False, "", True), (True, "", False), (False, "host elsewhere 1 1", False)]
)
def test_only_a_task_that_does_not_wait_counts_by_the_clock_if_it_is_its_own(waits, sender, by_clock):
    entry = replace(Entry.sent_now("", 0), operation_id="environments:push-1")
    operation = Operation.resume(replace(entry, sender=sender or entry.sender), waits=waits)
    assert operation == Operation(
        "environments:push-1", accepted_at=entry.sent_at, resumed=True, counts_by_clock=by_clock
    )


def test_an_operation_of_old_has_no_grace(begin, wait, simulator):
    operation = begin(visible_after=ENDLESS)
    operation.accepted_at = None
    wait(operation)
    assert operation.state == UNKNOWN
    assert len(looks(simulator)) == 1


@pytest.mark.parametrize(
    "answer",
    [{"status": 404, "body": "<html>"}, {"status": 403}, {"status": 405}, {"status": 501}],
    ids=["foreign 404", "403", "405", "501"],
)
def test_a_service_without_the_endpoint_ends_the_waiting_at_once(answer, begin, wait, simulator):
    operation = begin()
    simulator.fault("status", path=OPERATIONS, times=0, **answer)
    wait(operation)
    assert (operation.state, operation.message) == (
        UNKNOWN,
        "The service has no endpoint that shows operations.",
    )
    assert len(looks(simulator)) == 1
    require_finished([operation], 10)


def test_an_operation_without_a_name_is_unknown_and_not_asked_for(wait, simulator):
    operation = Operation(None)
    wait(operation)
    assert operation.state == UNKNOWN
    assert "without naming an operation" in operation.message
    assert simulator.requests == []


@pytest.mark.parametrize(("status", "kind"), [(401, "unauthorized"), (429, "rate_limited"), (503, "service")])
def test_an_error_on_the_way_says_which_operation_goes_on(status, kind, begin, wait, simulator):
    operation = begin()
    simulator.fault("status", path=OPERATIONS, status=status)
    with pytest.raises(HostingError) as raised:
        wait(operation)
    assert (raised.value.kind, raised.value.operation_id) == (kind, operation.id)
    assert raised.value.nothing_done is False, "something was: the operation was begun"
    assert raised.value.names_operation
    assert f"Operation {operation.id} was accepted before, and goes on." in str(raised.value)
    assert operation.state == IN_PROGRESS


def test_an_error_that_ends_with_the_wait_says_nothing_about_the_operation(begin, client, simulator):
    operation = begin()
    simulator.fault("status", path=OPERATIONS, times=0, status=429, headers={"Retry-After": "1"})
    follow(client, [operation], wait_timeout=0.5, poll_interval=0.1, report=print)
    assert operation.state == IN_PROGRESS
    simulator.clear_faults()
    follow(client, [operation], wait_timeout=0.5, poll_interval=0.1, report=print)
    assert operation.state == FINISHED


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(("left", "is_told"), [(1, False), (1.5, True)])
def test_an_error_in_the_last_second_of_the_wait_says_nothing_about_the_operation(
    left, is_told, begin, client, simulator
):
    operation = begin()
    simulator.fault("status", path=OPERATIONS, status=429)
    with pytest.raises(HostingError) if is_told else nullcontext():
        follow(client, [operation], wait_timeout=left, poll_interval=100, report=print)
    assert operation.state == (IN_PROGRESS if is_told else FINISHED)


def test_many_operations_are_followed_side_by_side(begin, client, simulator, monkeypatch):
    monkeypatch.setattr(_operations, "REPORT_EVERY", 0)
    slow = [begin(seconds=ENDLESS, tag=f"slow {number}") for number in range(5)]
    fast = [begin(tag=f"fast {number}") for number in range(5)]
    simulator.fault("fail_operation")
    failing = begin()
    lost = begin(visible_after=ENDLESS)
    lost.accepted_at = None
    operations = [*slow, *fast, failing, lost]
    follow(client, operations, wait_timeout=60, poll_interval=0.02, report=lambda _line: end_operations(simulator))
    assert {operation.state for operation in slow + fast} == {FINISHED}
    assert (failing.state, lost.state) == (FAILED, UNKNOWN)
    count_of_looks = {operation.id: 0 for operation in fast + slow}
    for look in looks(simulator):
        count_of_looks[look.path.rpartition("/")[2]] = count_of_looks.get(look.path.rpartition("/")[2], 0) + 1
    assert all(count_of_looks[operation.id] == 1 for operation in fast)
    assert all(count_of_looks[operation.id] > 1 for operation in slow)
    with pytest.raises(OperationFailed, match=f"^Operation {failing.id} failed"):
        require_finished(operations, 60)


def test_waiting_ends_with_wait_timeout_and_a_last_look(begin, wait, simulator):
    first, second = begin(seconds=ENDLESS), begin(seconds=ENDLESS)
    wait(first, second, wait_timeout=0.5, poll_interval=100)
    assert (first.state, second.state) == (IN_PROGRESS, IN_PROGRESS)
    assert len(looks(simulator)) == 4
    with pytest.raises(
        OperationTimeout, match=r"2 operations \(.*\) still in progress after wait_timeout \(0.5 s\)"
    ) as raised:
        require_finished([first, second], 0.5)
    assert raised.value.kind == "operation_timeout"
    assert raised.value.operation_id == first.id
    assert "run again to wait on" in str(raised.value)


def test_without_waiting_an_operation_in_progress_is_no_error(begin, client):
    operation = begin(seconds=ENDLESS)
    operation.look(client)
    require_finished([operation], None)


def test_a_wait_of_no_seconds_is_one_look(begin, wait, simulator):
    operation = begin(seconds=ENDLESS)
    wait(operation, wait_timeout=0)
    assert len(looks(simulator)) == 1


def test_a_wait_of_no_seconds_hears_the_answer(begin, wait):
    operation = begin()
    wait(operation, wait_timeout=0)
    assert operation.state == FINISHED


@pytest.mark.parametrize(("seconds", "state"), [(0.3, FINISHED), (1.7, IN_PROGRESS)])
def test_the_last_look_has_a_second(seconds, state, begin, wait, simulator):
    operation = begin()
    simulator.fault("delay", path=OPERATIONS, seconds=seconds)
    wait(operation, wait_timeout=0)
    assert operation.state == state


def test_a_look_that_is_not_answered_ends_soon_after_the_wait(begin, wait, simulator):
    operation = begin()
    simulator.fault("delay", path=OPERATIONS, times=0, seconds=4)
    began = time.monotonic()
    wait(operation, wait_timeout=0.2)
    assert time.monotonic() - began < 3
    assert operation.state == IN_PROGRESS


def test_the_intervals_grow(begin, wait, simulator):
    wait(begin(seconds=1.2), poll_interval=0.02)
    assert len(looks(simulator)) <= 30, "equal intervals would make it sixty"


def test_an_end_is_noticed_soon_with_few_looks():
    looks = [0.0]
    while looks[-1] < 600:
        looks.append(looks[-1] + next_look(looks[-1], POLL_INTERVAL))
    for before, look in pairwise(looks):
        assert look - before <= max(1, 0.15 * before)
    for second in range(600):
        assert sum(second <= look < second + 60 for look in looks) <= 25


def test_the_intervals_do_not_grow_beyond_a_bound(begin, wait, simulator, monkeypatch):
    monkeypatch.setattr(_operations, "LONGEST_INTERVAL", 0.02)
    wait(begin(seconds=0.4), poll_interval=100)
    assert len(looks(simulator)) > 2, "unbounded intervals would make it two"


def test_progress_is_reported_while_waiting(begin, wait, monkeypatch):
    monkeypatch.setattr(_operations, "REPORT_EVERY", 0)
    operation = begin(seconds=ENDLESS)
    lines = wait(operation, wait_timeout=0.3)
    assert lines[0] == f"{operation.id} in progress for 0 s"


@pytest.mark.parametrize(
    ("status", "line"),
    [(404, "{} not shown by the service after 0 s"), (500, "{}: after 0 s it cannot be told how it stands: the ")],
)
def test_progress_says_when_nothing_is_known(status, line, begin, wait, simulator, monkeypatch):
    monkeypatch.setattr(_operations, "REPORT_EVERY", 0)
    operation = begin()
    simulator.fault("status", path=OPERATIONS, times=0, status=status)
    assert wait(operation, wait_timeout=0.3)[0].startswith(line.format(operation.id))


def test_progress_of_many_is_reported_in_one_line(begin, wait, monkeypatch):
    monkeypatch.setattr(_operations, "REPORT_EVERY", 0)
    lines = wait(begin(seconds=ENDLESS), begin(), begin(), wait_timeout=0.3)
    assert lines[0] == "2 of 3 operations ended after 0 s"
    lines = wait(begin(seconds=ENDLESS), begin(), wait_timeout=0.3)
    assert lines[0] == "1 of 2 operations ended after 0 s"


def test_progress_is_reported_every_few_seconds(begin, wait, clock):
    operation = begin(seconds=ENDLESS)
    lines = wait(operation, wait_timeout=12, poll_interval=_operations.REPORT_EVERY)
    assert lines == [f"{operation.id} in progress for {seconds} s" for seconds in (5, 10)]
    assert clock.slept == pytest.approx([5, 5, 2])


def test_short_waits_are_silent(begin, wait):
    assert wait(begin(seconds=0.1)) == []


# ---- services that show no operations -------------------------------------------------------------------------------


@pytest.fixture
def journal(tmp_path, monkeypatch):
    """A journal for operations that are waited for a tenth of a second to be shown."""
    monkeypatch.setattr(_operations, "VISIBLE_AFTER", 0.1)
    with closing(SqliteJournal(tmp_path / "journal.db")) as journal:
        yield journal


@pytest.fixture
def messages(begin, client, journal, simulator):
    """A function that begins so many operations, which the service never shows, and returns how each wait ends."""

    def messages(count, visible_after=ENDLESS, **options):
        ended = []
        for _number in range(count):
            operation = begin(visible_after=visible_after)
            for name, value in options.items():
                setattr(operation, name, value)
            simulator.clear_requests()
            follow(client, [operation], wait_timeout=5, poll_interval=0.04, report=print, journal=journal)
            ended.append(operation.message)
        return ended

    return messages


def test_three_operations_that_are_never_shown_tell_that_none_are(messages, simulator):
    assert messages(3) == [NOT_KNOWN] * 3
    assert len({look.path for look in looks(simulator)}) == 3, "before it concludes, it asks for the other two again"
    assert messages(2) == [SHOWS_NONE] * 2
    assert len(looks(simulator)) == 1


def test_operations_that_are_only_shown_late_do_not_tell_that_none_are(messages):
    assert messages(2, visible_after=0.3) == [NOT_KNOWN] * 2
    time.sleep(0.3)
    assert messages(1) == [NOT_KNOWN], "before it concludes, it sees the other two"
    assert messages(3) == [NOT_KNOWN] * 3
    assert messages(1) == [SHOWS_NONE]


def test_whether_others_are_shown_by_now_is_asked_before_it_concludes_and_not_sooner(messages):
    assert messages(1, visible_after=0.2) == [NOT_KNOWN]
    time.sleep(0.2)
    assert messages(1) == [NOT_KNOWN], "two are too few to conclude"
    assert messages(1) == [NOT_KNOWN], "before it concludes, it sees the first one"
    assert messages(3) == [NOT_KNOWN] * 3
    assert messages(1) == [SHOWS_NONE]


def test_an_operation_that_is_shown_outweighs_those_that_were_not(messages):
    assert messages(2) == [NOT_KNOWN] * 2
    assert messages(1, visible_after=0) == ["Finished"]
    assert messages(3) == [NOT_KNOWN] * 3
    assert messages(1) == [SHOWS_NONE]
    assert messages(1, visible_after=0) == ["Finished"]
    assert messages(1) == [NOT_KNOWN]


def test_one_operation_that_is_not_shown_counts_once(begin, client, journal):
    lost = begin(visible_after=ENDLESS)
    for _wait in range(4):
        operation = Operation(lost.id, accepted_at=time.time())
        follow(client, [operation], wait_timeout=5, poll_interval=0.04, report=print, journal=journal)
        assert operation.message == NOT_KNOWN


@pytest.mark.parametrize("options", [{"resumed": True}, {"accepted_at": None}], ids=str)
def test_operations_of_earlier_tasks_say_nothing_about_the_service(options, messages):
    assert messages(3, **options) == [NOT_KNOWN] * 3
    assert messages(1) == [NOT_KNOWN]


def test_a_service_without_the_endpoint_teaches_nothing(messages, simulator):
    simulator.fault("status", path=OPERATIONS, times=3, status=405)
    assert NOT_KNOWN not in messages(3)
    assert messages(1) == [NOT_KNOWN]


def test_what_was_never_shown_is_forgotten_after_a_day(messages, monkeypatch):
    messages(3)
    monkeypatch.setattr(_operations, "REMEMBERED_FOR", 0)
    assert messages(2) == [NOT_KNOWN] * 2


def test_an_error_while_it_asks_for_the_others_is_none_of_this_operation(messages, simulator):
    messages(2)
    [other, *_more] = simulator.state.operations.by_id
    simulator.fault("status", path=f"/operations/{other}", times=0, status=503)
    assert messages(1) == [NOT_KNOWN]
    simulator.clear_faults()
    assert messages(1) == [SHOWS_NONE]


def test_as_many_as_tell_that_none_are_shown_are_kept_and_no_older_ones(clock):
    rows = [
        replace(Entry.sent_now("", 0), key=f"{age}", operation_id=f"backup-{age}", sent_at=clock.now - age)
        for age in (REMEMBERED_FOR, REMEMBERED_FOR - 1, 3, 2, 1)
    ]
    assert _operations._never_seen(rows[:3]) == rows[1:3]
    assert _operations._never_seen(rows) == rows[-NEVER_SEEN:]
    assert _operations._never_seen(rows, besides="1") == rows[-NEVER_SEEN:-1]
