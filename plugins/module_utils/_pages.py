# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a site answers its visitors. None of this goes to the hosting service, and its key does not come here.

Whatever a site answers, and whatever goes wrong on a connection to it, says how the site is. Only what fails before
that, and not by the site, says nothing: this machine finds no name, has no route, or cannot use its own proxy.
"""

from __future__ import annotations

import errno
import re
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from ._checks import is_loopback
from ._connections import Adapter, BadBundle, bundle_of_environment
from ._errors import InvalidInput
from ._retries import causes_of
from ._text import printable, without_login

try:
    import requests
    from requests.exceptions import InvalidProxyURL, InvalidSchema, ProxyError
    from urllib3 import disable_warnings
    from urllib3.exceptions import InsecureRequestWarning, ProxySchemeUnknown
    from urllib3.util.connection import allowed_gai_family

    Session = requests.Session
except ImportError:  # _client says so
    Session = object  # type: ignore[assignment,misc]

LARGEST_PAGE = 8 * 1024 * 1024  # bytes; what comes after them is not looked at
PIECE = 64 * 1024  # bytes
LONGEST_REASON = 200  # characters
LONGEST_PROBE = 5  # seconds for an address to refuse a connection

NO_WAY = frozenset(
    {
        *(errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT),
        *(errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM),
    }
)
"""What connect() says when the connection failed on this machine, or on the way: not the site has refused it."""

NO_SUCH_NAME = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})
"""What a resolver says of a name that is not there. Some say it, too, when they cannot ask anybody."""


@dataclass(frozen=True)
class Expectation:
    """What a page should be like: its HTTP statuses, texts it must contain, and texts it must not."""

    statuses: frozenset[int] = frozenset({200})
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()

    def problem_of(self, status: int, text: str) -> str | None:
        """Return what is not as it should be, as the end of a sentence that begins with the address, or None."""
        if status not in self.statuses:
            return f"answered {status} instead of {' or '.join(map(str, sorted(self.statuses)))}"
        for wanted in self.contains:
            if wanted not in text:
                return f"does not contain {wanted!r}"
        for unwanted in self.lacks:
            if unwanted in text:
                return f"contains {unwanted!r}"
        return None


@dataclass(frozen=True)
class Page:
    """An answer: its status, or None when there was none, and what is wrong with it, or None.

    ``is_of_site`` says that this tells something about the site; it does not when this machine could not ask it.
    """

    status: int | None
    problem: str | None
    is_of_site: bool = True


class VisitorSession(Session):
    """Follows redirects as a visitor does: a login of .netrc is for nobody there."""

    def rebuild_auth(self, prepared_request: requests.PreparedRequest, response: requests.Response) -> None:
        if self.should_strip_auth(response.request.url, prepared_request.url):
            prepared_request.headers.pop("Authorization", None)


def checked_urls(urls: Iterable[str]) -> list[str]:
    """Return the addresses; raise ValueError for one that no browser would open, or that has a password in it."""
    urls = list(urls)
    for url in urls:
        try:
            parts = urlsplit(url)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            is_address = False
        if not is_address:
            raise ValueError(f"must have addresses such as https://shop.example.com, not {without_login(url)!r}")
        if "@" in parts.netloc:
            raise ValueError("must have addresses without a password: use url_username and url_password")
    return urls


def ask(
    url: str,
    expected: Expectation,
    *,
    timeout: float,
    validate_certs: bool = True,
    login: tuple[str, str] = ("", ""),
    other_names: Iterable[str] = (),
) -> Page:
    """Ask an address as a visitor would, and return its Page. ``timeout`` bounds the whole, in seconds.

    ``other_names`` are names of hosts that should resolve: they tell a name that is not there from a resolver that
    knows no name at all. Raises InvalidInput when the environment names a bundle of certificates that is none.
    """
    try:
        adapter = Adapter("https", validate_certs and (bundle_of_environment() or True))
    except BadBundle as error:
        raise InvalidInput(f"{error}. See REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE in the environment.") from None
    if not validate_certs:
        disable_warnings(InsecureRequestWarning)
    adapter.watch.new_request(timeout, time.monotonic() + timeout)
    answers: list[requests.Response] = []
    with VisitorSession() as session:
        session.mount("https://", adapter)
        session.mount("http://", adapter)
        session.hooks["response"].append(lambda answer, **_options: answers.append(answer))
        # Always given, so that requests does not look for a login in .netrc.
        session.auth = login if login[0] else _without_login
        try:
            with session.get(url, timeout=timeout, stream=True) as response:
                return Page(response.status_code, expected.problem_of(response.status_code, _text_of(response)))
        except Exception as error:  # noqa: BLE001 a site may answer anything, and nobody has foreseen it all
            reason = _machine_failure(url, error, other_names) if not answers else None
            if reason:
                return Page(None, f"could not be asked, because {reason}: {_innermost(error)}", is_of_site=False)
            return Page(
                None, f"cannot be read: {'it took too long' if adapter.watch.has_ended_it else _innermost(error)}"
            )
        finally:
            adapter.watch.end()


def _without_login(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def _innermost(error: Exception) -> str:
    """Return what has gone wrong, fit for a message."""
    cause = [*causes_of(error)][-1]
    return printable(re.sub(r"//[^/\s]*@", "//", str(cause)), LONGEST_REASON) or type(cause).__name__


def _machine_failure(url: str, error: Exception, other_names: Iterable[str]) -> str | None:
    """Return what of this machine has failed, as a part of a sentence, or None when it was the site.

    No site answered. That one refuses connections, or does not answer in time, is its own failure.
    """
    # The scheme of the address itself is known: one that is not is that of the proxy, as that of SOCKS may be.
    of_proxy = (ProxyError, InvalidProxyURL, ProxySchemeUnknown, InvalidSchema)
    if any(isinstance(cause, of_proxy) for cause in causes_of(error)) or _has_socks_proxy(url):
        return "the proxy of this machine cannot be used"
    for cause in causes_of(error):
        if isinstance(cause, socket.gaierror):
            is_missing = cause.errno in NO_SUCH_NAME and any(map(_resolves, other_names))
            return None if is_missing else "this machine cannot resolve its name"
        if isinstance(cause, OSError) and cause.errno in NO_WAY:
            # The last of several addresses has failed so. Another one may have refused.
            return None if _has_refusing_address(url) else "this machine has no way to it"
    return None


def _has_socks_proxy(url: str) -> bool:
    """Tell whether a proxy is used that does not let us know whether itself or the site has refused a connection."""
    proxy = requests.utils.select_proxy(url, requests.utils.get_environ_proxies(url))
    return (proxy or "").lower().startswith("socks")


def _resolves(name: str) -> bool:
    """Tell whether a name is known, other than those that need nobody to ask."""
    try:
        found = socket.getaddrinfo(name, None, allowed_gai_family(), socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return not any(address[0] == name or is_loopback(str(address[0])) for *_kind, address in found)


def _has_refusing_address(url: str) -> bool:
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(parts.hostname, port, allowed_gai_family(), socket.SOCK_STREAM)
    except OSError:
        return False
    return any(_refuses(kind, address) for kind, _type, _protocol, _name, address in found)


def _refuses(kind: int, address: tuple[object, ...]) -> bool:
    """Tell whether an address can be reached, and does not take a connection, or takes it now."""
    try:
        with socket.socket(kind, socket.SOCK_STREAM) as probe:
            probe.settimeout(LONGEST_PROBE)
            probe.connect(address)
    except OSError as error:
        return error.errno not in NO_WAY
    return True


def _text_of(response: requests.Response) -> str:
    body = b""
    for chunk in response.iter_content(PIECE):
        body += chunk
        if len(body) >= LARGEST_PAGE:
            break
    try:
        return body.decode(response.encoding or "utf-8", errors="replace")
    except (LookupError, ValueError):  # no charset, or none for pages; browsers do without it, too
        return body.decode("utf-8", errors="replace")
