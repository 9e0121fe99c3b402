# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be sent again, and after how long: urllib3's Retry, bounded by time."""

from __future__ import annotations

import random
import ssl
import time
import traceback
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self

try:
    from urllib3.exceptions import (
        ConnectTimeoutError,
        InvalidHeader,
        MaxRetryError,
        NameResolutionError,  # new in urllib3 2, the oldest version whose Retry knows jitter
        NewConnectionError,
        ProxyError,
        ResponseError,
    )
    from urllib3.util.retry import RequestHistory, Retry
except ImportError:  # _client says so
    URLLIB3_IMPORT_ERROR: str | None = traceback.format_exc()
    Retry = object  # type: ignore[assignment,misc]
else:
    URLLIB3_IMPORT_ERROR = None

if TYPE_CHECKING:
    from types import TracebackType

    from urllib3.response import BaseHTTPResponse

LONGEST_BACKOFF = 30  # seconds
LONGEST_RETRY_AFTER = 120  # seconds
PATIENCE = 600  # seconds after which no pause before a repetition begins
MOST_BUSY_ANSWERS = 100  # urllib3 calls itself for each attempt, and Python has its limit there
SMALL_BODY = 64 * 1024  # bytes of an answer that is thrown away; a larger one closes its connection


class RepeatableRetry(Retry):
    """Retries whatever may pass by itself; a certificate that does not verify will not.

    Connection errors, timeouts and 5xx count. A 429 does not: it says nothing about how many tries are left, so it is
    waited out until ``deadline`` (in seconds of time.monotonic()). Pauses grow, with jitter, also on top of the
    service's Retry-After: a fleet that was told the same second would come back at once. Without ``repeats`` a 429
    is final, too.
    """

    # urllib3 would retry these statuses whenever Retry-After is sent, whatever status_forcelist says.
    RETRY_AFTER_STATUS_CODES = frozenset()

    def __init__(
        self,
        *,
        deadline: float = float("inf"),
        repeats: bool = True,
        began: float | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.deadline = deadline
        self.repeats = repeats
        self.began = time.monotonic() if began is None else began
        self.pause = 0.0

    def new(self, **options: Any) -> Self:
        return super().new(deadline=self.deadline, repeats=self.repeats, began=self.began, **options)

    def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
        try:
            seconds = super().get_retry_after(response)
        except InvalidHeader:
            return None
        return None if seconds is None else min(seconds, LONGEST_RETRY_AFTER)

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: BaseHTTPResponse | None = None,
        error: Exception | None = None,
        _pool: Any = None,
        _stacktrace: TracebackType | None = None,
    ) -> Self:
        """Return the Retry for the next attempt; raise when there is none, with the ``earlier_attempts``."""
        if error is not None and not self.may_retry(error):
            _tell_earlier_attempts(error, self.history)
            raise error
        try:
            if response is not None and response.status == 429 and self._waits_on():
                attempt = RequestHistory(method, url, None, 429, None)
                following = self.new(history=(*self.history, attempt))
            else:
                following = super().increment(method, url, response, error, _pool, _stacktrace)
            following.pause = following.next_pause(response)
            if time.monotonic() + following.pause > self.deadline:
                raise MaxRetryError(_pool, url, error or ResponseError("too many error responses"))
        except MaxRetryError as given_up:
            _tell_earlier_attempts(given_up, self.history)
            raise
        # Not before: an answer that nothing follows is the caller's, who reads its message.
        if response is not None:
            _discard(response)
        return following

    def next_pause(self, response: BaseHTTPResponse | None) -> float:
        """Return the seconds to wait before the next attempt: what the service said, and up to LONGEST_BACKOFF more.

        After a 429 pauses grow slowly. The service has room for some of those who wait, and whoever was unlucky a few
        times must not be left behind: a whole fleet waits for its last host. None is very short, because whoever comes
        back at once is refused again.
        """
        told = (self.get_retry_after(response) or 0) if response is not None else 0
        if response is not None and response.status == 429:
            busy_answers = sum(attempt.status == 429 for attempt in self.history)
            grown = random.uniform(0.5, 1) * (1 + busy_answers) / 3  # noqa: S311 - no secret
            return told + min(LONGEST_BACKOFF, grown + random.uniform(0, told / 2))  # noqa: S311
        # urllib3's own jitter is lost at the longest pause, and there is none before the second repetition.
        grown = self.get_backoff_time() * random.uniform(0.5, 1)  # noqa: S311 - no secret
        spread = random.uniform(0, max(1, told / 2)) if response is not None else 0  # noqa: S311
        return told + min(LONGEST_BACKOFF, grown + spread)

    def _waits_on(self) -> bool:
        return self.repeats and sum(attempt.status == 429 for attempt in self.history) < MOST_BUSY_ANSWERS

    def sleep(self, response: BaseHTTPResponse | None = None) -> None:
        time.sleep(self.pause)

    def may_retry(self, error: BaseException) -> bool:
        return not is_certificate_error(error)


class UnrepeatableRetry(RepeatableRetry):
    """Retries only what the service provably did not process."""

    def may_retry(self, error: BaseException) -> bool:
        return never_connected(error)


def _tell_earlier_attempts(error: Exception, attempts: tuple[RequestHistory, ...]) -> None:
    """Let the error say which attempts there were before: it is all of a Retry that leaves urllib3."""
    error.earlier_attempts = attempts  # type: ignore[attr-defined]


def _discard(response: BaseHTTPResponse) -> None:
    """Close the connection of an answer whose body is not worth reading: urllib3 reads it to its end otherwise."""
    length = response.length_remaining  # None: nobody knows
    if length is None or length > SMALL_BODY:
        response.close()


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and all that lies within it."""
    pending: list[object] = [error]
    seen: list[BaseException] = []
    while pending:
        current = pending.pop()
        if not isinstance(current, BaseException) or current in seen:
            continue
        seen.append(current)
        yield current
        pending += [*current.args, getattr(current, "reason", None), current.__cause__, current.__context__]


def is_certificate_error(error: BaseException) -> bool:
    return any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes_of(error))


def never_connected(error: BaseException) -> bool:
    """Return True when no connection to the service came about, so that no request can have reached it."""
    error = getattr(error, "reason", None) or error
    if isinstance(error, ProxyError):
        error = error.original_error
    return isinstance(error, (NewConnectionError, ConnectTimeoutError, NameResolutionError))


def may_have_arrived(attempts: Iterable[RequestHistory]) -> bool:
    """Return True when any of these attempts (urllib3's RequestHistory) may have been processed."""
    return any(not never_connected(one.error) if one.error else one.status != 429 for one in attempts)
