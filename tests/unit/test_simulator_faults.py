# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator's faults: what the caller sees, and whether the request was processed."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import requests

from simulator import seed
from simulator.errors import MESSAGES

pytest_plugins = ["simulator.fixtures"]

BACKUPS = f"/sites/environments/{seed.environment_id(1)}/manual-backups"


def take_backup(call, **options) -> requests.Response:
    return call("POST", BACKUPS, json={"tag": "x"}, **options)


def was_processed(simulator) -> bool:
    return len(simulator.state.environment(seed.environment_id(1)).backups) == 2


def wait_for(condition) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_status(call, simulator):
    simulator.fault("status", headers={"Retry-After": "0"})
    response = take_backup(call)
    assert (response.status_code, response.headers["Retry-After"]) == (503, "0")
    assert response.json() == {"message": "Service Unavailable", "status": 503}
    assert not was_processed(simulator)
    assert simulator.requests[-1].status == 503
    assert take_backup(call).status_code == 202


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_status_with_the_interface_text(status, call, simulator):
    simulator.fault("status", status=status)
    assert take_backup(call).json() == {"message": MESSAGES[status], "status": status}


@pytest.mark.parametrize(("body", "text"), [("<html>", "<html>"), ({"a": 1}, '{"a":1}'), ([], "[]"), ("", "")])
def test_status_with_another_body(body, text, call, simulator):
    simulator.fault("status", status=502, body=body)
    assert take_backup(call).text == text


@pytest.mark.parametrize(("kind", "is_processed"), [("drop_before", False), ("drop_after", True)])
def test_drop(kind, is_processed, call, simulator):
    call("GET", "/validate")
    simulator.fault(kind)
    with pytest.raises(requests.ConnectionError, match="Remote end closed connection without response"):
        take_backup(call)
    assert was_processed(simulator) == is_processed
    assert simulator.writes[-1].status is None
    assert call("GET", "/validate").ok


def test_truncate(call, simulator):
    simulator.fault("truncate")
    with pytest.raises(requests.exceptions.ChunkedEncodingError, match="IncompleteRead"):
        take_backup(call)
    assert was_processed(simulator)
    assert simulator.requests[-1].status == 202
    assert call("GET", "/validate").ok


def test_not_json(call, simulator):
    simulator.fault("not_json")
    response = take_backup(call)
    assert (response.status_code, response.headers["Content-Type"]) == (202, "text/html; charset=utf-8")
    assert "<html>" in response.text
    assert was_processed(simulator)


def test_wrong_shape(call, simulator):
    simulator.fault("wrong_shape")
    response = take_backup(call)
    assert response.status_code == 202
    assert isinstance(response.json(), list)
    assert was_processed(simulator)


def test_redirect(call, simulator):
    simulator.fault("redirect", location="https://elsewhere.example.com/v2")
    response = take_backup(call)
    assert (response.status_code, response.headers["Location"]) == (302, "https://elsewhere.example.com/v2")
    assert not was_processed(simulator)


def test_delay(call, simulator):
    simulator.fault("delay", seconds=0.2)
    begun = time.monotonic()
    assert take_backup(call).status_code == 202
    assert time.monotonic() - begun >= 0.2


def test_delay_beyond_the_callers_patience_is_processed_all_the_same(call, simulator):
    simulator.fault("delay", seconds=0.2)
    with pytest.raises(requests.Timeout):
        take_backup(call, timeout=0.05)
    wait_for(lambda: was_processed(simulator))


def test_delay_after_the_work(call, simulator):
    simulator.fault("delay_after", seconds=0.3)
    with pytest.raises(requests.Timeout):
        take_backup(call, timeout=0.1)
    assert was_processed(simulator)
    assert simulator.writes[-1].status is None
    begun = time.monotonic()
    simulator.fault("delay_after", seconds=0.1)
    assert take_backup(call).status_code == 202
    assert time.monotonic() - begun >= 0.1


def test_others_are_served_during_a_delay(call, simulator):
    simulator.fault("delay", seconds=60)
    with pytest.raises(requests.Timeout):
        take_backup(call, timeout=0.05)
    assert call("GET", "/validate").ok


def test_drip(call, simulator):
    whole = call("GET", "/validate").content
    simulator.fault("drip", interval=0.005)
    begun = time.monotonic()
    assert call("GET", "/validate").content == whole
    assert time.monotonic() - begun >= 0.005 * len(whole)
    assert call("GET", "/validate").content == whole


def test_drip_headers(call, simulator):
    simulator.fault("drip_headers", interval=0.001)
    begun = time.monotonic()
    with call("GET", "/validate", stream=True) as response:
        assert time.monotonic() - begun > 0.001 * len(str(response.headers))
        assert response.json()["name"] == "simulator"
    assert call("GET", "/validate").ok


@pytest.mark.parametrize("kind", ["drip", "drip_headers"])
def test_a_drip_is_processed_and_may_be_left(kind, call, simulator):
    simulator.fault(kind, interval=0.3)
    with pytest.raises(requests.RequestException, match="timed out"):
        take_backup(call, timeout=0.05)
    assert was_processed(simulator)
    assert call("GET", "/validate").ok


@pytest.mark.parametrize(
    ("kind", "status"), [("status", 408), ("status", 409), ("status", 499), ("status", 301), ("redirect", 302)]
)
def test_a_gateway_may_answer_after_the_service_has_done_the_work(kind, status, call, simulator):
    simulator.fault(kind, status=status, processed=True)
    assert take_backup(call).status_code == status
    assert was_processed(simulator)
    assert simulator.requests[-1].status == status


@pytest.mark.parametrize(("retry_after", "header"), [(None, None), (1, "1")])
def test_rate_limit(retry_after, header, call, simulator):
    simulator.fault("rate_limit", times=0, per_minute=60, burst=2, retry_after=retry_after)
    assert statuses(call, *[("GET", "/validate")] * 2) == [200, 200]
    refused = take_backup(call)
    assert (refused.status_code, refused.headers.get("Retry-After")) == (429, header)
    assert refused.json() == {"message": MESSAGES[429], "status": 429}
    assert not was_processed(simulator)
    time.sleep(1.02)
    assert statuses(call, *[("GET", "/validate")] * 2) == [200, 429]


def test_what_a_rate_limit_lets_through_meets_the_next_fault(call, simulator):
    simulator.fault("rate_limit", times=0, per_minute=1)
    simulator.fault("status", times=0, status=500)
    assert statuses(call, *[("GET", "/validate")] * 2) == [500, 429]


def test_huge(call, simulator):
    simulator.fault("huge", size=3_000_000)
    response = call("GET", "/validate")
    assert response.status_code == 200
    assert len(response.content) > 3_000_000
    assert isinstance(response.json(), dict)


def test_huge_may_be_left_halfway(call, simulator):
    simulator.fault("huge")
    with call("GET", "/validate", stream=True) as response:
        assert response.raw.read(1000).startswith(b'{"filler": "x')
    assert call("GET", "/validate").json()["name"] == "simulator"


def test_fail_operation_waits_for_a_write(call, simulator):
    simulator.fault("fail_operation")
    call("GET", "/validate")
    operation_id = take_backup(call).json()["operation_id"]
    assert call("GET", f"/operations/{operation_id}").status_code == 500
    assert not was_processed(simulator)


def test_echo_key(call, simulator):
    simulator.fault("echo_key")
    response = take_backup(call)
    assert response.status_code == response.json()["status"] == 401
    assert simulator.api_key in response.json()["message"]
    assert not was_processed(simulator)


def statuses(call, *requests_: tuple[str, str]) -> list[int]:
    return [call(method, path).status_code for method, path in requests_]


def test_method_and_path(call, simulator):
    simulator.fault("status", method="get", path="/valid.*", times=0)
    domains = f"/domains?company={seed.COMPANY_ID}"
    assert statuses(call, ("GET", "/validate"), ("POST", "/validate"), ("GET", domains)) == [503, 404, 200]
    simulator.clear_faults()
    simulator.fault("status", path="/valid")
    assert statuses(call, ("GET", "/validate")) == [200]


@pytest.mark.parametrize(("times", "failures"), [(1, 1), (2, 2), (0, 4), (None, 4)])
def test_times(times, failures, call, simulator):
    fault = simulator.fault("status", times=times)
    assert statuses(call, *[("GET", "/validate")] * 4) == [503] * failures + [200] * (4 - failures)
    assert fault.hits == failures


def test_faults_one_after_the_other(call, simulator):
    simulator.fault("status", status=500, times=2)
    simulator.fault("status", status=429)
    assert statuses(call, *[("GET", "/validate")] * 4) == [500, 500, 429, 200]


@pytest.mark.parametrize(
    ("kind", "options"), [("unheard_of", {}), ("status", {"seconds": 1}), ("status", {"path": "("})]
)
def test_impossible_fault(kind, options, simulator):
    with pytest.raises(ValueError, match=r"unknown fault|unknown options|no regular expression"):
        simulator.fault(kind, **options)


def test_a_delayed_request_does_not_reach_the_world_after_a_reset(call, simulator):
    simulator.fault("delay", seconds=0.3)
    with pytest.raises(requests.Timeout):
        take_backup(call, timeout=0.05)
    simulator.reset()
    time.sleep(0.5)
    assert not was_processed(simulator)


def test_an_answer_that_is_late_does_not_reach_the_world_after_a_reset(call, simulator):
    simulator.fault("delay_after", seconds=0.2)
    with ThreadPoolExecutor() as pool:
        late = pool.submit(take_backup, call)
        wait_for(lambda: simulator.writes and simulator.writes[0].carried_out)
        simulator.reset()
        with pytest.raises(requests.ConnectionError, match="closed connection without response"):
            late.result()


@pytest.mark.parametrize(
    ("kind", "options", "carried_out"),
    [
        ("drop_before", {}, False),
        ("drop_after", {}, True),
        ("status", {"status": 502}, False),
        ("status", {"status": 502, "processed": True}, True),
        ("truncate", {}, True),
        ("not_json", {}, True),
        ("fail_operation", {}, False),
    ],
)
def test_the_record_tells_what_was_carried_out(kind, options, carried_out, call, simulator):
    simulator.fault(kind, **options)
    with suppress(requests.RequestException):
        take_backup(call)
    assert simulator.writes[-1].carried_out == carried_out == was_processed(simulator)


def test_what_the_service_refuses_itself_is_not_carried_out(call, simulator):
    call("POST", BACKUPS, json={"tag": 1})
    take_backup(call)
    assert [(write.status, write.carried_out) for write in simulator.writes] == [(400, False), (202, True)]
