# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a site answers its visitors. None of this goes to the hosting service, and its key does not come here."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from ._connections import Adapter, BadBundle, bundle_of_environment
from ._errors import InvalidInput
from ._retries import causes_of
from ._text import printable

try:
    import requests
    from urllib3 import disable_warnings
    from urllib3.exceptions import HTTPError, InsecureRequestWarning
except ImportError:  # _client says so
    pass

LARGEST_PAGE = 8 * 1024 * 1024  # bytes; what comes after them is not looked at
PIECE = 64 * 1024  # bytes
LONGEST_REASON = 200  # characters


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
    """An answer: its status, or None when there was none, and what is wrong with it, or None."""

    status: int | None
    problem: str | None


def checked_urls(urls: Iterable[str]) -> list[str]:
    """Return the addresses; raise ValueError for one that no browser would open, or that has a password in it."""
    urls = list(urls)
    if not urls:
        raise ValueError("must have at least one address")
    for url in urls:
        try:
            parts = urlsplit(url)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            is_address = False
        if not is_address:
            raise ValueError(f"must have addresses such as https://shop.example.com, not {url!r}")
        if "@" in parts.netloc:
            raise ValueError("must have addresses without a password: use url_username and url_password")
    return urls


def ask(
    url: str, expected: Expectation, *, timeout: float, validate_certs: bool = True, login: tuple[str, str] = ("", "")
) -> Page:
    """Ask an address as a visitor would, and return its Page. ``timeout`` bounds the whole, in seconds.

    Raises InvalidInput when the environment names a bundle of certificates that is none.
    """
    try:
        adapter = Adapter("https", validate_certs and (bundle_of_environment() or True))
    except BadBundle as error:
        raise InvalidInput(f"{error}. See REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE in the environment.") from None
    if not validate_certs:
        disable_warnings(InsecureRequestWarning)
    adapter.watch.new_request(timeout, time.monotonic() + timeout)
    with requests.Session() as session:
        session.mount("https://", adapter)
        session.mount("http://", adapter)
        # Always given, so that requests does not look for a login in .netrc.
        session.auth = login if login[0] else _without_login
        try:
            with session.get(url, timeout=timeout, stream=True) as response:
                return Page(response.status_code, expected.problem_of(response.status_code, _text_of(response)))
        except (requests.RequestException, HTTPError, OSError, ValueError) as error:
            reason = "it took too long" if adapter.watch.has_ended_it else str([*causes_of(error)][-1])
            return Page(None, f"cannot be read: {printable(reason, LONGEST_REASON) or type(error).__name__}")
        finally:
            adapter.watch.end()


def _without_login(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def _text_of(response: requests.Response) -> str:
    body = b""
    for chunk in response.iter_content(PIECE):
        body += chunk
        if len(body) >= LARGEST_PAGE:
            break
    return body.decode(response.encoding or "utf-8", errors="replace")
