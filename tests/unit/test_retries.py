# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is sent again, and after how long: by itself, with a clock that does not wait."""

from __future__ import annotations

import heapq
import io
import ssl
import time
from types import SimpleNamespace

import pytest
from urllib3.exceptions import (
    ConnectTimeoutError,
    MaxRetryError,
    NameResolutionError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    ReadTimeoutError,
    SSLError,
)
from urllib3.response import HTTPResponse
from urllib3.util.retry import RequestHistory

from ansible_collections.hosting.management.plugins.module_utils import _retries


def busy(retry_after=None, status=429):
    """An answer as urllib3 gives it to a Retry."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return SimpleNamespace(status=status, headers=headers, length_remaining=0, get_redirect_location=lambda: None)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """The time that the retries see; its ``now`` can be set, and ``slept`` has the pauses that were made."""
    seen = SimpleNamespace(now=0.0, slept=[])
    times = SimpleNamespace(monotonic=lambda: seen.now, time=time.time, sleep=seen.slept.append)
    monkeypatch.setattr(_retries, "time", times)
    return seen


def new_retry(now=0.0, retry_class=_retries.RepeatableRetry, **options):
    """A Retry as the client makes it."""
    given = {"total": 5, "status_forcelist": {429, 503}, "backoff_factor": 0.5, "backoff_max": 30, **options}
    return retry_class(allowed_methods=None, raise_on_status=False, deadline=now + _retries.PATIENCE, **given)


def pauses(answers):
    """The pauses of one sender after these answers."""
    retry, waited = new_retry(total=99), []
    for answer in answers:
        retry = retry.increment("GET", "/", answer)
        waited.append(retry.pause)
    return waited


def spread(values):
    return max(values) - min(values)


@pytest.mark.parametrize("attempt", [0, 3, 12])
@pytest.mark.parametrize("retry_after", [None, "1", "20"])
def test_a_fleet_that_is_told_the_same_does_not_come_back_at_once(retry_after, attempt):
    fleet = [pauses([busy(retry_after)] * (attempt + 1))[attempt] for _one in range(40)]
    assert min(fleet) >= float(retry_after or 0)
    assert spread(fleet) > 0.25
    assert max(fleet) <= float(retry_after or 0) + _retries.LONGEST_BACKOFF


def test_pauses_grow_up_to_a_bound(monkeypatch):
    monkeypatch.setattr(_retries.random, "uniform", lambda _low, high: high)
    assert pauses([busy(status=503)] * 9) == [1, 2, 3, 5, 9, 17, 30, 30, 30]
    assert pauses([busy()] * 95) == [min(30, one / 3) for one in range(2, 97)]
    assert pauses([busy("20")] * 3) == pytest.approx([30 + 2 / 3, 31, 31 + 1 / 3])
    assert pauses([busy("100000")]) == [_retries.LONGEST_RETRY_AFTER + _retries.LONGEST_BACKOFF]
    assert pauses([busy("20", status=503)]) == [30]


def test_the_shortest_pauses_are_what_the_service_said_and_half_of_what_they_grew_by(monkeypatch):
    monkeypatch.setattr(_retries.random, "uniform", lambda low, _high: low)
    assert pauses([busy()] * 3) == pytest.approx([1 / 3, 1 / 2, 2 / 3])
    assert pauses([busy("20")]) == pytest.approx([20 + 1 / 3])
    assert pauses([busy("20", status=503)] * 2) == [20, 20.5]


def test_nobody_comes_back_at_once_to_be_refused_again():
    assert min(pauses([busy()])[0] for _one in range(40)) >= 1 / 3


def test_only_what_is_no_429_is_counted():
    retry = new_retry(total=1)
    for _unused in range(20):
        retry = retry.increment("GET", "/", busy())
    retry = retry.increment("GET", "/", busy(status=503))
    with pytest.raises(MaxRetryError):
        retry.increment("GET", "/", busy(status=503))


def test_no_pause_ends_after_the_deadline(clock, monkeypatch):
    monkeypatch.setattr(_retries.random, "uniform", lambda _low, high: high)
    retry = new_retry()
    clock.now = _retries.PATIENCE - 10
    retry.increment("GET", "/", busy("6"))
    clock.now += 0.4
    with pytest.raises(MaxRetryError) as raised:
        retry.increment("GET", "/", busy("6"), _pool="the pool")
    assert (raised.value.pool, raised.value.url) == ("the pool", "/")
    assert "too many error responses" in str(raised.value.reason)


def test_a_pause_may_end_at_the_deadline(clock, monkeypatch):
    monkeypatch.setattr(_retries.random, "uniform", lambda _low, high: high)
    retry = new_retry()
    clock.now = _retries.PATIENCE - 6
    assert retry.increment("GET", "/", busy("4", status=503)).pause == 6


def test_an_error_that_cannot_be_repeated_in_time_is_told(clock):
    retry, broken = new_retry(), ProtocolError("broken")
    clock.now = _retries.PATIENCE + 1
    with pytest.raises(MaxRetryError) as raised:
        retry.increment("GET", "/", error=broken)
    assert raised.value.reason is broken


def test_a_repetition_keeps_what_was_agreed_on_at_first(clock):
    clock.now = 7.0
    retry = new_retry(clock.now, repeats=False)
    clock.now = 8.0
    following = retry.increment("GET", "/", busy())
    assert (following.began, following.deadline, following.repeats) == (7.0, retry.deadline, False)
    assert new_retry(began=3.0).began == 3.0


def test_each_attempt_is_remembered():
    broken = ProtocolError("broken")
    retry = new_retry().increment("GET", "/one", busy()).increment("PUT", "/two", busy(status=503))
    retry = retry.increment("GET", "/three", error=broken)
    assert retry.history == (
        RequestHistory("GET", "/one", None, 429, None),
        RequestHistory("PUT", "/two", None, 503, None),
        RequestHistory("GET", "/three", broken, None, None),
    )
    assert (new_retry().pause, retry.total) == (0, 3)


def test_after_an_error_the_first_repetition_comes_at_once(clock, monkeypatch):
    monkeypatch.setattr(_retries.random, "uniform", lambda _low, high: high)
    retry = new_retry()
    for _attempt in range(4):
        retry = retry.increment("GET", "/", error=ProtocolError("broken"))
        retry.sleep()
    assert clock.slept == [0, 1, 2, 4]


def test_pauses_differ_by_half_after_an_error(monkeypatch):
    monkeypatch.setattr(_retries.random, "uniform", lambda low, _high: low)
    retry = new_retry()
    for _attempt in range(3):
        retry = retry.increment("GET", "/", error=ProtocolError("broken"))
    assert retry.pause == 1


def test_a_retry_after_that_nobody_understands_counts_as_none(monkeypatch):
    monkeypatch.setattr(_retries.random, "uniform", lambda _low, high: high)
    assert pauses([busy("soon")]) == pauses([busy()])


def test_busy_answers_have_a_number_too():
    retry = new_retry(total=0)
    for _answer in range(_retries.MOST_BUSY_ANSWERS):
        retry = retry.increment("GET", "/", busy("0"))
        retry.deadline = float("inf")
    with pytest.raises(MaxRetryError) as raised:
        retry.increment("GET", "/", busy("0"), _pool="the pool")
    assert len(raised.value.earlier_attempts) == _retries.MOST_BUSY_ANSWERS
    assert raised.value.pool == "the pool"


def test_without_repetitions_a_busy_answer_is_final():
    with pytest.raises(MaxRetryError) as raised:
        new_retry(total=0, repeats=False).increment("GET", "/", busy("0"))
    assert raised.value.earlier_attempts == ()


def refusal(length, announced=True):
    """An answer 503 of so many bytes, and its body."""
    body = io.BytesIO(b"x" * length)
    headers = {"Content-Length": str(length)} if announced else {}
    return HTTPResponse(body, headers, 503, preload_content=False, request_method="GET"), body


@pytest.mark.parametrize(
    ("length", "announced", "is_closed"),
    [(_retries.SMALL_BODY, True, False), (_retries.SMALL_BODY + 1, True, True), (2, False, True)],
    ids=["small", "large", "of unknown length"],
)
def test_the_connection_of_a_body_that_is_not_worth_reading_is_closed(length, announced, is_closed):
    answer, body = refusal(length, announced)
    new_retry().increment("GET", "/", answer)
    assert body.closed == is_closed


def test_an_answer_that_nothing_follows_can_still_be_read():
    answer, body = refusal(_retries.SMALL_BODY + 1)
    with pytest.raises(MaxRetryError):
        new_retry(total=0).increment("GET", "/", answer)
    assert not body.closed


# ---- what an error says about the request ---------------------------------------------------------------------------

UNVERIFIED = ssl.SSLCertVerificationError("certificate verify failed")
NO_WAY = [
    NewConnectionError(None, "refused"),
    ConnectTimeoutError(None, "no answer"),
    NameResolutionError("example.com", None, OSError("unknown")),
    ProxyError("no proxy", NewConnectionError(None, "refused")),
    MaxRetryError(None, "/", NewConnectionError(None, "refused")),
    MaxRetryError(None, "/", ProxyError("no proxy", ConnectTimeoutError(None, "no answer"))),
]
ON_THE_WAY = [
    ProtocolError("broken"),
    ReadTimeoutError(None, "/", "no answer"),
    ProxyError("no tunnel", OSError("403")),
    MaxRetryError(None, "/", ProtocolError("broken")),
    OSError("broken"),
]


def raised_from(cause=None, context=None):
    error = ValueError("something else")
    error.__cause__, error.__context__ = cause, context
    return error


@pytest.mark.parametrize(
    "error",
    [
        UNVERIFIED,
        SSLError(UNVERIFIED),
        MaxRetryError(None, "/", SSLError(UNVERIFIED)),
        ProxyError("the proxy's", UNVERIFIED),
        raised_from(cause=UNVERIFIED),
        raised_from(context=UNVERIFIED),
        SSLError(raised_from(cause=UNVERIFIED), ValueError("beside")),
        SSLError(UNVERIFIED, raised_from(cause=ValueError("beside"))),
    ],
    ids=repr,
)
def test_a_certificate_that_does_not_verify_is_found_wherever_it_is(error):
    assert _retries.is_certificate_error(error)
    with pytest.raises(type(error)) as raised:
        new_retry().increment("GET", "/", busy()).increment("GET", "/", error=error)
    assert [attempt.status for attempt in raised.value.earlier_attempts] == [429]


@pytest.mark.parametrize("error", [ssl.SSLError("wrong version"), *NO_WAY, *ON_THE_WAY], ids=repr)
def test_other_errors_say_nothing_about_the_certificate(error):
    assert not _retries.is_certificate_error(error)


def test_causes_that_go_in_a_circle_are_told_once_each():
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__context__ = second, first
    assert list(_retries.causes_of(first)) == [first, second]


@pytest.mark.parametrize("error", NO_WAY, ids=repr)
def test_a_request_without_a_connection_has_not_arrived(error):
    assert _retries.never_connected(error)
    assert not _retries.may_have_arrived([RequestHistory("GET", "/", error, None, None)])


@pytest.mark.parametrize("error", ON_THE_WAY, ids=repr)
def test_a_request_on_a_connection_may_have_arrived(error):
    assert not _retries.never_connected(error)
    assert _retries.may_have_arrived([RequestHistory("GET", "/", error, None, None)])


@pytest.mark.parametrize(
    ("statuses", "may_have"), [([], False), ([429, 429], False), ([429, 503], True), ([302], True)]
)
def test_a_busy_service_has_done_nothing(statuses, may_have):
    assert _retries.may_have_arrived([RequestHistory("PUT", "/", None, one, None) for one in statuses]) == may_have


def test_what_must_not_be_repeated_is_sent_again_only_where_there_was_no_connection():
    retry = new_retry(retry_class=_retries.UnrepeatableRetry)
    following = retry.increment("POST", "/", error=NewConnectionError(None, "refused"))
    broken = ProtocolError("broken")
    with pytest.raises(ProtocolError) as raised:
        following.increment("POST", "/", error=broken)
    assert raised.value is broken
    assert raised.value.earlier_attempts == following.history


class Minutes:
    """So many requests in each minute of the clock; it does not say when to come back."""

    retry_after = None

    def __init__(self, limit=120):
        self.limit = limit
        self.taken = {}

    def admits(self, now):
        minute = int(now // 60)
        self.taken[minute] = self.taken.get(minute, 0) + 1
        return self.taken[minute] <= self.limit


class Bucket:
    """A token bucket of two requests a second; whoever finds it empty is told to come back in a second."""

    retry_after = "1"

    def __init__(self):
        self.tokens, self.filled = 2.0, 0.0

    def admits(self, now):
        self.tokens, self.filled = min(2.0, self.tokens + 2 * (now - self.filled)), now
        has_one = self.tokens >= 1
        self.tokens -= has_one
        return has_one


def test_five_hosts_at_a_time_use_most_of_what_a_narrow_limit_allows(clock):
    """40 hosts send a request each; the service takes 120 a minute, one after another, and says nothing else."""
    taken = []
    for _round in range(20):
        due = [(clock.now, host, None) for host in range(5)]
        began, free_at, waiting = clock.now, clock.now, 35
        while due:
            clock.now, host, retry = heapq.heappop(due)
            retry = retry or new_retry(clock.now)
            if clock.now < free_at:
                retry = retry.increment("GET", "/", busy())
                heapq.heappush(due, (clock.now + 0.05 + retry.pause, host, retry))
                continue
            free_at = clock.now + 0.5
            if waiting:
                waiting -= 1
                heapq.heappush(due, (clock.now + 0.3, 40 - waiting, None))
        taken.append(clock.now - began)
    assert sum(taken) / len(taken) <= 1.75 * 20, "one that was unlucky does not keep the others waiting"


@pytest.mark.parametrize("limit", [Minutes, Bucket])
@pytest.mark.parametrize("retry_class", [_retries.RepeatableRetry, _retries.UnrepeatableRetry])
def test_sixty_hosts_get_through_a_narrow_limit(retry_class, limit, clock):
    """Each of 60 hosts sends 8 requests, 20 hosts at a time; the service takes 120 requests a minute."""
    door, waiting = limit(), [8] * 40
    due = [(0.0, host, 8, None) for host in range(20)]
    heapq.heapify(due)
    while due:
        clock.now, host, left, retry = heapq.heappop(due)
        retry = retry or new_retry(clock.now, retry_class)
        if not door.admits(clock.now):
            retry = retry.increment("GET", "/", busy(door.retry_after))  # raises when its patience is at an end
            heapq.heappush(due, (clock.now + retry.pause, host, left, retry))
        elif left > 1:
            heapq.heappush(due, (clock.now + 0.05, host, left - 1, None))
        elif waiting:
            heapq.heappush(due, (clock.now + 0.05, 60 - len(waiting), waiting.pop(), None))
    assert clock.now > 100
