# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How to speak to the hosting service: one session, one key, retries, and errors that say what to do."""

from __future__ import annotations

import json
import os
import re
import ssl
import traceback
from dataclasses import dataclass

from ._errors import (
    BadRequest,
    ConnectionFailed,
    InvalidInput,
    MalformedResponse,
    NotFound,
    RateLimited,
    ServiceError,
    TimedOut,
    Unauthorized,
)
from ._interface import Request

try:
    import requests
    from requests.adapters import HTTPAdapter
    from requests.auth import AuthBase
    from urllib3 import disable_warnings
    from urllib3.exceptions import (
        ConnectTimeoutError,
        InsecureRequestWarning,
        InvalidHeader,
        LocationParseError,
        MaxRetryError,
        NameResolutionError,  # new in urllib3 2, the oldest version whose Retry knows jitter
        NewConnectionError,
        ProxyError,
    )
    from urllib3.util.retry import Retry
except ImportError:
    REQUESTS_IMPORT_ERROR = traceback.format_exc()
    AuthBase = Retry = object
else:
    REQUESTS_IMPORT_ERROR = None
    # What fails while a request is made, before anything leaves.
    _UNSENDABLE = (
        requests.exceptions.InvalidJSONError,
        requests.exceptions.InvalidSchema,
        requests.exceptions.InvalidURL,
        requests.exceptions.MissingSchema,
        LocationParseError,
    )

LARGEST_ANSWER = 16 * 1024 * 1024  # bytes
LONGEST_BACKOFF = 30  # seconds
LONGEST_RETRY_AFTER = 120  # seconds
LONGEST_QUOTE = 300  # characters of a service message that an error repeats


class BearerAuth(AuthBase):
    """Sends the key as bearer header (interface section 5).

    Being the session's ``auth``, it also keeps requests from putting an entry of ``.netrc`` in its place.
    """

    def __init__(self, api_key):
        self._api_key = api_key

    def __call__(self, prepared):
        prepared.headers["Authorization"] = f"Bearer {self._api_key}"
        return prepared


class RepeatableRetry(Retry):
    """Retries whatever may pass by itself; a certificate that does not verify will not."""

    # urllib3 would retry these statuses whenever Retry-After is sent, whatever status_forcelist says.
    RETRY_AFTER_STATUS_CODES = frozenset()

    def get_retry_after(self, response):
        try:
            seconds = super().get_retry_after(response)
        except InvalidHeader:
            return None
        return None if seconds is None else min(seconds, LONGEST_RETRY_AFTER)

    def increment(self, method=None, url=None, response=None, error=None, _pool=None, _stacktrace=None):
        if error is not None and not self.may_retry(error):
            error.earlier_attempts = self.history
            raise error
        try:
            return super().increment(method, url, response, error, _pool, _stacktrace)
        except MaxRetryError as given_up:
            given_up.earlier_attempts = self.history
            raise

    def may_retry(self, error):
        return not _is_certificate_error(error)


class UnrepeatableRetry(RepeatableRetry):
    """Retries only what the service provably did not process."""

    def may_retry(self, error):
        return _never_connected(error)


def _causes(error):
    """Yield an exception and all that lies within it."""
    pending, seen = [error], []
    while pending:
        current = pending.pop()
        if not isinstance(current, BaseException) or current in seen:
            continue
        seen.append(current)
        yield current
        pending += [*current.args, getattr(current, "reason", None), current.__cause__, current.__context__]
        pending.append(getattr(current, "original_error", None))


def _is_certificate_error(error):
    return any(isinstance(cause, ssl.SSLCertVerificationError) for cause in _causes(error))


def _never_connected(error):
    """Return True when no connection to the service came about, so that no request can have reached it."""
    error = getattr(error, "reason", None) or error
    if isinstance(error, ProxyError):
        error = error.original_error
    return isinstance(error, (NewConnectionError, ConnectTimeoutError, NameResolutionError))


def _may_have_arrived(attempts):
    """Return True when any of these attempts (urllib3's RequestHistory) may have been processed."""
    return any(not _never_connected(one.error) if one.error else one.status != 429 for one in attempts)


@dataclass(frozen=True)
class Answer:
    """A 2xx answer of the service."""

    request: Request
    status: int
    data: object

    def at(self, path, kind):
        """Return the value under a dotted path, which must be an instance of ``kind`` (a type or several).

        Raises MalformedResponse when the answer has another shape than the interface says.
        """
        value = self.data
        for name in path.split("."):
            if not isinstance(value, dict) or name not in value:
                raise self.malformed(path)
            value = value[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.malformed(path)
        return value

    def records(self, path):
        """Return the list of objects under a dotted path."""
        values = self.at(path, list)
        if not all(isinstance(value, dict) for value in values):
            raise self.malformed(path)
        return values

    @property
    def operation_id(self):
        """The id of the accepted operation (interface section 2.1), or None."""
        value = self.data.get("operation_id") if isinstance(self.data, dict) else None
        return value if isinstance(value, str) and value else None

    @property
    def message(self):
        value = self.data.get("message") if isinstance(self.data, dict) else None
        return value if isinstance(value, str) else None

    def malformed(self, path):
        """Return the error for a value that is missing or not what the interface says."""
        return MalformedResponse(
            f"The answer to {self.request} has another shape than the interface says: {path} is missing or of another"
            " type. Check that base_url is the address of the hosting service's API.",
            request=self.request,
            status=self.status,
        )


class Client:
    """Sends requests to one hosting service with one key.

    :param base_url: address of the API, with its version segment (checked by the caller).
    :param api_key: the bearer key; it goes to this address only, and appears in no error.
    :param timeout: seconds to wait for a connection, and for each part of an answer.
    :param retries: how often a request is repeated at most.
    :param verify: as in requests: True, False, or the path of a CA bundle.
    :param secrets: texts besides the key that no error may repeat, should the service echo them.
    """

    def __init__(self, base_url, api_key, timeout=30, retries=5, verify=True, secrets=()):
        self.base_url = base_url.rstrip("/")
        self._scheme = self.base_url.partition(":")[0].lower()
        self._auth = BearerAuth(api_key)
        self._timeout = timeout
        self._retries = retries
        self._verify = verify
        self._sessions = {}
        self._secrets = sorted({api_key, *secrets}, key=len, reverse=True)
        if isinstance(verify, str):
            _check_ca_bundle(verify)
        if verify is False:
            disable_warnings(InsecureRequestWarning)

    def send(self, request):
        """Send a request and return its Answer, or raise one of the errors of ``_errors``.

        Repeatable requests are repeated after connection errors, timeouts, 429 and 5xx; the others only when the
        service provably did not process them.
        """
        if request.repeatable:
            return self._send(self._shared_session(request.endpoint.retry_statuses), request)
        # A connection of its own: one kept open may be closed by the service just as the request leaves.
        with self._session(UnrepeatableRetry, {429}) as session:
            return self._send(session, request)

    def _shared_session(self, retry_statuses):
        if retry_statuses not in self._sessions:
            self._sessions[retry_statuses] = self._session(RepeatableRetry, retry_statuses)
        return self._sessions[retry_statuses]

    def _session(self, retry_class, retry_statuses):
        session = requests.Session()
        session.auth = self._auth
        # Plain http is for loopback addresses only: no proxy may see the key there.
        session.trust_env = self._scheme == "https"
        retry = retry_class(
            total=self._retries,
            redirect=0,
            status_forcelist=retry_statuses,
            allowed_methods=None,
            backoff_factor=0.5,
            backoff_jitter=0.5,
            backoff_max=LONGEST_BACKOFF,
            raise_on_status=False,
        )
        # For the scheme and not for base_url, which requests may write in another way before it looks for the adapter.
        session.mount(f"{self._scheme}://", HTTPAdapter(max_retries=retry))
        return session

    def _send(self, session, request):
        try:
            with session.request(
                request.method,
                self.base_url + request.path,
                params=request.query,
                json=request.body,
                headers={"Accept": "application/json"},
                timeout=self._timeout,
                verify=self._verify,
                allow_redirects=False,
                stream=True,
            ) as response:
                content = self._content(request, response)
        except _UNSENDABLE as error:
            raise InvalidInput(
                f"{request} cannot be sent: {error}. Check base_url, the proxy settings, and the values given."
            ) from None
        except requests.RequestException as error:
            raise self._connection_error(request, error) from None
        except OSError as error:  # requests cannot read the bundle that the environment names
            raise ConnectionFailed(
                f"{request} was not sent: {error}. Check the environment variables REQUESTS_CA_BUNDLE and"
                " CURL_CA_BUNDLE, or set ca_path.",
                request=request,
                nothing_done=True,
            ) from None
        if not 200 <= response.status_code < 300:
            raise self._status_error(request, response, content)
        return Answer(request, response.status_code, self._json(request, response, content))

    def _content(self, request, response):
        content = bytearray()
        try:
            for chunk in response.iter_content(64 * 1024):
                content += chunk
                if len(content) > LARGEST_ANSWER:
                    raise self._unreadable(request, response, f"is larger than {LARGEST_ANSWER // 2**20} MiB")
        except (requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError):
            raise self._unreadable(request, response, "was cut off") from None
        return bytes(content)

    def _service_message(self, content):
        """Return the message of the interface's error body (section 7) without secrets, or None when this is none."""
        try:
            body = json.loads(content)
        except (ValueError, RecursionError):
            return None
        message = body.get("message") if isinstance(body, dict) else None
        if not isinstance(message, str):
            return None
        # Before it is shortened: half a secret would not be recognized any more.
        for secret in self._secrets:
            message = message.replace(secret, "********")
        return message[:LONGEST_QUOTE]

    def _unreadable(self, request, response, why):
        kind = response.headers.get("Content-Type", "without a content type")
        return MalformedResponse(
            f"The answer to {request} ({response.status_code}, {kind}) {why}.{_whether_done(request)} Check that"
            f" base_url ({self.base_url}) is the address of the hosting service's API, with its version segment, and"
            " that no proxy answers in its place.",
            request=request,
            status=response.status_code,
        )

    def _json(self, request, response, content):
        if response.status_code == 204:
            return None
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise self._unreadable(request, response, "is no JSON") from None

    def _connection_error(self, request, error):
        cause = error.args[0] if error.args else error
        nothing_done = not _may_have_arrived(getattr(cause, "earlier_attempts", ()))
        undone = f"{request} was not sent." if nothing_done else f"An earlier attempt failed.{_whether_done(request)}"
        if _is_certificate_error(error):
            return ConnectionFailed(
                f"The certificate of {self.base_url} does not verify. {undone} Set ca_path to the CA bundle that signed"
                " it (validate_certs: false switches the check off).",
                request=request,
                nothing_done=nothing_done,
            )
        if _never_connected(cause):
            kind = TimedOut if isinstance(error, requests.ConnectTimeout) else ConnectionFailed
            return kind(
                f"Cannot connect to {self.base_url}: {_short_reason(error)}. {undone}"
                " Check base_url, the network, and the proxy settings.",
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
            f"The connection to {self.base_url} broke before {request} was answered: {_short_reason(error)}."
            f"{_whether_done(request)}",
            request=request,
        )

    def _status_error(self, request, response, content):
        status = response.status_code
        message = self._service_message(content)
        said = f"{status}: {message}" if message else str(status)
        nothing_done = status < 500 and status != 303 and not _may_have_arrived(response.raw.retries.history)
        details = {"request": request, "status": status, "service_message": message, "nothing_done": nothing_done}
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
                f"The hosting service at {self.base_url} does not know what {request} names, or the key's user may not"
                f" see it ({said}).{refused} Check the ids and the permissions of the key's user.{hint}",
                **details,
            )
        if status == 429:
            return RateLimited(
                f"The hosting service takes no more requests for now, after {self._retries} retries of {request}"
                f" ({said}).{refused} Run with fewer forks, or later.",
                **details,
            )
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


def _check_ca_bundle(path):
    try:
        ssl.create_default_context(**{"capath" if os.path.isdir(path) else "cafile": path})
    except OSError as error:
        raise InvalidInput(
            f"ca_path ({path}) is no bundle of certificates in PEM format: {error}. Nothing was sent."
        ) from None


def _whether_done(request):
    return "" if request.method == "GET" else " Whether anything was done is not known."


def _short_reason(error):
    """Return the innermost text of a connection error, without addresses of Python objects."""
    innermost = [str(cause) for cause in _causes(error) if isinstance(cause, OSError)] or [str(error)]
    return re.sub(r"<[^>]*>:? ?", "", innermost[-1])[:LONGEST_QUOTE]
