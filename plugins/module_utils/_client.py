# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How to speak to the hosting service: one address, one key, retries, and errors that say what to do."""

from __future__ import annotations

import json
import re
import time
import traceback
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from email.utils import parsedate_to_datetime
from functools import cache, cached_property
from typing import TypedDict, cast
from urllib.parse import quote

from . import _retries
from ._answers import Answer
from ._connections import (
    ANSWER_STEPS,
    CONNECT_STEPS,
    Adapter,
    BadBundle,
    Watch,
    bundle_of_environment,
    kept_adapter,
    tls_context,
)
from ._errors import (
    BadRequest,
    ConnectionFailed,
    HostingError,
    InvalidInput,
    MalformedResponse,
    NotFound,
    RateLimited,
    ServiceError,
    TimedOut,
    Unauthorized,
)
from ._interface import VALIDATE_KEY, Request
from ._retries import (
    URLLIB3_IMPORT_ERROR,
    RepeatableRetry,
    UnrepeatableRetry,
    causes_of,
    is_certificate_error,
    may_have_arrived,
    never_connected,
)
from ._text import LONGEST_QUOTE, printable

try:
    import requests
    from requests.auth import AuthBase
    from urllib3 import disable_warnings
    from urllib3.exceptions import HTTPError, InsecureRequestWarning
except ImportError:
    REQUESTS_IMPORT_ERROR: str | None = traceback.format_exc()
    AuthBase = object  # type: ignore[assignment,misc]
else:
    REQUESTS_IMPORT_ERROR = URLLIB3_IMPORT_ERROR
    # What is wrong with the request itself, or with the way there, as long as nothing has been sent.
    _UNSENDABLE = (
        requests.exceptions.InvalidJSONError,
        requests.exceptions.InvalidSchema,
        requests.exceptions.InvalidURL,
        requests.exceptions.MissingSchema,
    )
    # A message may be from beyond their hierarchy: a host name with a long label, a timeout beyond the system's.
    _FAILURES = (requests.RequestException, HTTPError, OSError, ValueError, OverflowError)

LARGEST_ANSWER = 16 * 1024 * 1024  # bytes
LARGEST_ERROR = 64 * 1024  # bytes of an answer that is no 2xx
NOTHING_DONE = frozenset({400, 401, 403, 404, 422, 429})
"""The statuses by which the service says that it did nothing. Gateways answer others after the work was done."""


class BearerAuth(AuthBase):
    """Sends the key as bearer header (interface section 5)."""

    def __init__(self, api_key: str) -> None:
        self._api_key = api_key

    def __call__(self, prepared: requests.PreparedRequest) -> requests.PreparedRequest:
        prepared.headers["Authorization"] = f"Bearer {self._api_key}"
        return prepared


class _Details(TypedDict):
    """What the errors for a status have in common."""

    request: Request
    status: int
    service_message: str | None
    nothing_done: bool


class Client:
    """Sends requests to one hosting service with one key.

    :param base_url: address of the API, with its version segment (checked by the caller).
    :param api_key: the bearer key; it goes to this address only, and appears in no error.
    :param timeout: seconds to wait for a connection, and for each part of an answer; four times that for all of it.
    :param retries: how often a request is repeated at most, after anything but a 429; 0 also switches that off.
    :param verify: as in requests: True, False, or the path of a CA bundle.
    :param secrets: texts besides the key that no error may repeat, should the service echo them.

    ``clock_difference`` is by how many seconds the service's clock was ahead of this machine's at the last answer.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        timeout: float = 30,
        retries: int = 5,
        verify: bool | str = True,
        secrets: Iterable[str] = (),
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._scheme = self.base_url.partition(":")[0].lower()
        self._api_key = api_key
        self._timeout = timeout
        self._retries = retries
        self._verify = verify
        self._watch = Watch()
        self.clock_difference = 0.0
        hidden = {secret for secret in (api_key, *secrets) if secret}
        self._secrets = sorted(hidden | {quote(secret, safe="") for secret in hidden}, key=len, reverse=True)
        if isinstance(verify, str):
            _check_ca_path(verify)
        if verify is False:
            disable_warnings(InsecureRequestWarning)

    @property
    def longest_send(self) -> float:
        """An upper bound of the seconds within which a request of send() can be under way, repetitions included.

        The last attempt begins before the patience ends. A connection that took longer than its share is not used, so
        that only a failure can come later, of a request that was not sent: nothing ends a slow search for an address.
        """
        return _retries.PATIENCE + (CONNECT_STEPS + ANSWER_STEPS) * self._timeout

    def send(self, request: Request, deadline: float | None = None) -> Answer:
        """Send a request and return its Answer, or raise one of the errors of ``_errors``.

        Repeatable requests are repeated after connection errors, timeouts, 429 and 5xx; the others only when the
        service provably did not process them. After ``deadline`` (in seconds of time.monotonic()) nothing is repeated,
        and no answer is waited for longer than a moment.
        """
        self._watch.new_request(self._timeout, deadline)
        try:
            prepared = self._prepared(request)
            with self._adapter(request) as adapter:
                self._watch = adapter.watch
                self._watch.new_request(self._timeout, deadline)
                adapter.max_retries = self._retry(request, deadline)
                # Not session.send(): that reads a redirect's body to its end, and follows its address in part.
                with adapter.send(prepared, timeout=self._timeout, proxies=self._proxies) as response:
                    content = self._content(request, response)
        except _FAILURES as error:
            raise self._failure(request, error) from None
        finally:
            self._watch.end()
        self._compare_clocks(response)
        if not 200 <= response.status_code < 300:
            raise self._status_error(request, response, content)
        return Answer(request, response.status_code, self._json(request, response, content), self._clean)

    def service_time(self) -> float:
        """Return the time in seconds since 1970 by the service's clock, as its last answer told it."""
        return time.time() + self.clock_difference

    def _compare_clocks(self, response: requests.Response) -> None:
        """Note by how many seconds the service's clock is ahead of this machine's. Its Date has whole seconds."""
        if "Age" in response.headers:
            return  # a cache has kept this answer, with the time at which it was made
        with suppress(KeyError, TypeError, ValueError, OverflowError):
            self.clock_difference = parsedate_to_datetime(response.headers["Date"]).timestamp() + 0.5 - time.time()

    @contextmanager
    def _adapter(self, request: Request) -> Iterator[Adapter]:
        """Lend what sends the request.

        What must not be repeated gets a connection of its own: one kept open may be closed by the service just as the
        request leaves.
        """
        if request.repeatable:
            yield kept_adapter(self.base_url, self._api_key, self._trust)
            return
        with closing(Adapter(self._scheme, self._trust)) as adapter:
            yield adapter

    def _retry(self, request: Request, deadline: float | None) -> RepeatableRetry:
        limit = time.monotonic() + _retries.PATIENCE
        retry_class = RepeatableRetry if request.repeatable else UnrepeatableRetry
        return retry_class(
            total=self._retries,
            redirect=0,
            status_forcelist=request.endpoint.retry_statuses if request.repeatable else {429},
            allowed_methods=None,
            backoff_factor=0.5,
            backoff_max=_retries.LONGEST_BACKOFF,
            raise_on_status=False,
            deadline=limit if deadline is None else min(limit, deadline),
            repeats=self._retries > 0,
        )

    @cached_property
    def _proxies(self) -> dict[str, str]:
        # Plain http is for loopback addresses only: no proxy may see the key there.
        return requests.utils.get_environ_proxies(self.base_url) if self._scheme == "https" else {}

    @cached_property
    def _trust(self) -> bool | str:
        """The trust setting, as requests would find it: the environment's bundle counts where none is given."""
        return (self._verify is True and bundle_of_environment()) or self._verify

    def _prepared(self, request: Request) -> requests.PreparedRequest:
        # Without a requests.Session, which costs more to make than to use. A session would also consult .netrc.
        return requests.Request(
            request.method,
            self.base_url + request.path,
            headers={**requests.utils.default_headers(), "Accept": "application/json"},
            params=request.query,
            json=request.body,
            auth=BearerAuth(self._api_key),
        ).prepare()

    def _failure(self, request: Request, error: Exception) -> HostingError:
        """Return the error for a request without an answer."""
        if self._watch.is_sent or (isinstance(error, requests.RequestException) and not isinstance(error, _UNSENDABLE)):
            return self._connection_error(request, error)
        if isinstance(error, OSError) and not isinstance(error, _UNSENDABLE):
            return ConnectionFailed(
                f"{request} was not sent: {self._clean(str(error))}. Check the environment variables REQUESTS_CA_BUNDLE"
                " and CURL_CA_BUNDLE, or set ca_path.",
                request=request,
                nothing_done=True,
            )
        return InvalidInput(
            f"{request} cannot be sent: {self._clean(str(error))}. Nothing was sent. Check base_url, timeout, the"
            " proxy settings, and the values given."
        )

    def _content(self, request: Request, response: requests.Response) -> bytes:
        largest = LARGEST_ANSWER if 200 <= response.status_code < 300 else LARGEST_ERROR
        content = bytearray()
        try:
            for chunk in response.iter_content(64 * 1024):
                content += chunk
                if len(content) > largest:
                    break
        except (requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError):
            if not self._watch.has_ended_it:
                raise self._unreadable(request, response, "was cut off") from None
        if self._watch.has_ended_it:
            raise self._too_slow(request)
        if len(content) > largest == LARGEST_ANSWER:
            raise self._unreadable(request, response, f"is larger than {LARGEST_ANSWER // 2**20} MiB")
        return bytes(content)

    def _too_slow(self, request: Request) -> TimedOut:
        return TimedOut(
            f"The answer to {request} was not complete after {round(self._watch.seconds, 2):g} s."
            f"{_whether_done(request)} If the service is slow, give a larger timeout.",
            request=request,
        )

    def _clean(self, text: str, longest: int = LONGEST_QUOTE) -> str:
        """Return a text from outside without secrets, fit for a message."""
        # Before it is shortened: half a secret would not be recognized any more.
        for secret in self._secrets:
            text = text.replace(secret, "********")
        return printable(re.sub(r"//[^/@\s]*@", "//", text), longest)

    def _service_message(self, content: bytes) -> str | None:
        """Return the message of the interface's error body (section 7) without secrets, or None when this is none."""
        try:
            body = json.loads(content)
        except (ValueError, RecursionError):
            return None
        message = body.get("message") if isinstance(body, dict) else None
        return self._clean(message) if isinstance(message, str) else None

    def _unreadable(self, request: Request, response: requests.Response, why: str) -> MalformedResponse:
        kind = self._clean(response.headers.get("Content-Type", "without a content type"), 100)
        return MalformedResponse(
            f"The answer to {request} ({response.status_code}, {kind}) {why}.{_whether_done(request)} Check that"
            f" base_url ({self.base_url}) is the address of the hosting service's API, with its version segment, and"
            " that no proxy answers in its place.",
            request=request,
            status=response.status_code,
        )

    def _json(self, request: Request, response: requests.Response, content: bytes) -> object:
        if response.status_code == 204:
            return None
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise self._unreadable(request, response, "is no JSON") from None

    def _connection_error(self, request: Request, error: Exception) -> HostingError:
        is_sent = self._watch.is_sent
        if self._watch.has_ended_it and is_sent:
            return self._too_slow(request)
        cause = error.args[0] if error.args else error
        nothing_done = not may_have_arrived(getattr(cause, "earlier_attempts", ()))
        undone = f"{request} was not sent." if nothing_done else f"An earlier attempt failed.{_whether_done(request)}"
        if is_certificate_error(error):
            return ConnectionFailed(
                f"The certificate of {self.base_url} does not verify. {undone} Set ca_path to the CA bundle that signed"
                " it (validate_certs: false switches the check off).",
                request=request,
                nothing_done=nothing_done,
            )
        if never_connected(cause) or not is_sent:
            is_slow = self._watch.has_ended_it or isinstance(error, requests.Timeout) or "timed out" in str(error)
            kind = TimedOut if is_slow else ConnectionFailed
            proxy = self._proxy()
            return kind(
                f"Cannot connect to {self.base_url}{f' through the proxy {proxy}' if proxy else ''}:"
                f" {self._reason(error)}. {undone}{_what_it_looks_like(error, proxy)} Check base_url, the network, and"
                " the proxy settings.",
                request=request,
                nothing_done=nothing_done,
            )
        if isinstance(error, requests.Timeout) or "timed out" in str(error):
            return TimedOut(
                f"No answer to {request} within {self._timeout:g} s.{_whether_done(request)}"
                " If the service is slow, give a larger timeout.",
                request=request,
            )
        return ConnectionFailed(
            f"The connection to {self.base_url} broke before {request} was answered: {self._reason(error)}."
            f"{_whether_done(request)}",
            request=request,
        )

    def _proxy(self) -> str | None:
        """Return the proxy on the way to the service, without its login."""
        proxy = requests.utils.select_proxy(self.base_url, self._proxies)
        return proxy and self._clean(proxy)

    def _reason(self, error: Exception) -> str:
        """Return the innermost text of a connection error, without addresses of Python objects."""
        innermost = [str(cause) for cause in causes_of(error) if isinstance(cause, OSError)] or [str(error)]
        return self._clean(re.sub(r"<[^>]*>:? ?", "", innermost[-1]))

    def _status_error(self, request: Request, response: requests.Response, content: bytes) -> HostingError:
        status = response.status_code
        message = self._service_message(content)
        said = f"{status}: {message}" if message else str(status)
        tried = cast(RepeatableRetry, response.raw.retries)  # the one that send() has given, as it became
        nothing_done = status in NOTHING_DONE and not may_have_arrived(tried.history)
        details: _Details = {
            "request": request,
            "status": status,
            "service_message": message,
            "nothing_done": nothing_done,
        }
        refused = "" if request.method == "GET" else " Nothing was done."
        if not nothing_done:
            refused = _whether_done(request)
        if status < 400:
            return MalformedResponse(
                f"{request} was answered by a redirect ({status}), which is not followed: the API key goes to base_url"
                f" ({self.base_url}) only.{refused} Set base_url to the address of the API itself.",
                **details,
            )
        if status == 401:
            return Unauthorized(
                f"The hosting service does not accept the API key for {request} ({said}).{refused} Set a valid"
                " key with the option api_key or the environment variable HOSTING_API_KEY.",
                **details,
            )
        if status == 404:
            is_own = message is not None and request.endpoint.path != "/validate"
            hint = "" if is_own else " Check base_url, with its version segment."
            return NotFound(
                f"The hosting service at {self.base_url} did not find what {request} is about, or the key's user has no"
                f" access to it ({said}).{refused} Check the ids and the permissions of the key's user.{hint}",
                **details,
            )
        if status == 429:
            tries = f"{len(tried.history) + 1} tries in {time.monotonic() - tried.began:.0f} s"
            error = RateLimited(
                f"The hosting service takes no more requests for now, after {tries} of {request} ({said})."
                f"{refused} Run with fewer forks, or later.",
                **details,
            )
            error.retry_after = tried.get_retry_after(response.raw)
            return error
        if status < 500:
            return BadRequest(
                f"The hosting service refused {request} ({said}).{refused} Check the ids and values given.",
                **details,
            )
        return ServiceError(
            f"The hosting service failed on {request} ({said}).{_whether_done(request)}"
            " It may be passing, and an unknown id can be the cause too.",
            **details,
        )


def _check_ca_path(path: str) -> None:
    try:
        tls_context(path)
    except BadBundle as error:
        raise InvalidInput(f"ca_path: {error}. Nothing was sent.") from None


def _what_it_looks_like(error: Exception, proxy: str | None) -> str:
    """Name the cause where TLS does not: what answers the first message of a handshake in clear text speaks http."""
    if "WRONG_VERSION_NUMBER" not in str(error) and "HTTP_REQUEST" not in str(error):
        return ""
    address, setting = ("the proxy's address", "HTTPS_PROXY") if proxy else ("this address", "base_url")
    return f" This looks like http, not https, at {address}: check scheme and port of {setting}."


def _whether_done(request: Request) -> str:
    return "" if request.method == "GET" else " Whether anything was done is not known."


@cache
def warm_up() -> None:
    """Fill what a first request fills, above all the caches of type checks, before the process forks.

    What goes wrong here goes wrong again with the first request, which says what it is.
    """
    with suppress(Exception):
        client = Client("https://localhost", "no key")
        request = VALIDATE_KEY()
        client._prepared(request)
        client._retry(request, None)
