# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is sent again, and after how long: by itself, with a clock that does not wait."""

from __future__ import annotations

import heapq
import time
from types import SimpleNamespace

import pytest
from urllib3.exceptions import MaxRetryError

from ansible_collections.hosting.management.plugins.module_utils import _retries


def busy(retry_after=None, status=429):
    """An answer as urllib3 gives it to a Retry."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return SimpleNamespace(status=status, headers=headers, length_remaining=0, get_redirect_location=lambda: None)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """The time that the retries see; its ``now`` can be set."""
    seen = SimpleNamespace(now=0.0)
    monkeypatch.setattr(_retries, "time", SimpleNamespace(monotonic=lambda: seen.now, time=time.time))
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
    assert spread(fleet) > 0.4
    assert max(fleet) <= float(retry_after or 0) + _retries.LONGEST_BACKOFF


def test_pauses_grow_up_to_a_bound(monkeypatch):
    monkeypatch.setattr(_retries.random, "uniform", lambda _low, high: high)
    assert pauses([busy()] * 9) == [1, 2, 3, 5, 9, 17, 30, 30, 30]
    assert pauses([busy("20")] * 3) == [30, 31, 32]
    assert pauses([busy("100000")]) == [_retries.LONGEST_RETRY_AFTER + _retries.LONGEST_BACKOFF]


def test_only_what_is_no_429_is_counted():
    retry = new_retry(total=1)
    for _unused in range(20):
        retry = retry.increment("GET", "/", busy())
    retry = retry.increment("GET", "/", busy(status=503))
    with pytest.raises(MaxRetryError):
        retry.increment("GET", "/", busy(status=503))


def test_no_pause_ends_after_the_deadline(clock):
    retry = new_retry()
    clock.now = _retries.PATIENCE - 5
    retry.increment("GET", "/", busy("3"))
    with pytest.raises(MaxRetryError):
        retry.increment("GET", "/", busy("6"))


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
