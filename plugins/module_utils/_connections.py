# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How connections to the service are made, trusted, watched, and kept for as long as the process lives.

Over TLS a request costs little on a connection that is kept, and little more on a new one; what costs is to load the
bundle of certificates, which is therefore loaded once for a process and all its forks.
"""

from __future__ import annotations

import os
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from ._text import printable

try:
    from requests.adapters import HTTPAdapter
    from requests.utils import DEFAULT_CA_BUNDLE_PATH, extract_zipped_paths
    from urllib3.exceptions import ConnectTimeoutError
    from urllib3.util.ssl_ import create_urllib3_context
except ImportError:  # _client says so
    HTTPAdapter = object  # type: ignore[assignment,misc]

if TYPE_CHECKING:
    from requests import PreparedRequest, Response
    from urllib3.connection import HTTPConnection
    from urllib3.connectionpool import HTTPConnectionPool
    from urllib3.poolmanager import PoolManager
    from urllib3.response import HTTPResponse

SHORTEST_TIMEOUT = 0.1  # seconds
ANSWER_STEPS = 4  # a whole answer may take so many times ``timeout``
CONNECT_STEPS = 2 * ANSWER_STEPS  # and a connection, with all addresses of the host, a proxy and TLS
MOST_KEPT = 8  # adapters: a loop over services or keys must not keep a connection for each


class BadBundle(OSError):
    """A bundle of certificates that is not there, or is none."""


class Watch:
    """Ends an answer that takes too long: a server that sends a byte now and then never runs into a timeout.

    It also knows whether any byte of the request has been handed to a connection.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._line: socket.socket | None = None
        self._ends_at = 0.0  # when what comes through it takes too long, in seconds of time.monotonic()
        # One thread for all answers: to start one for each would take longer than all else that they need.
        self._guard: threading.Thread | None = None
        self._wakes_at = 0.0

    def new_request(self, timeout: float, deadline: float | None) -> None:
        """Set the bounds of the next request: ``timeout`` in seconds, ``deadline`` in those of time.monotonic()."""
        self._timeout = timeout
        self._deadline = deadline
        self.seconds = ANSWER_STEPS * timeout
        self.is_sent = self.has_ended_it = False

    def left(self, seconds: float) -> float:
        """Return these seconds, or what is left of them before the deadline."""
        if self._deadline is None:
            return seconds
        return min(seconds, max(SHORTEST_TIMEOUT, self._deadline - time.monotonic()))

    def begin(self, sock: socket.socket) -> None:
        """Watch what is now to come through this socket."""
        self.end()
        self.has_ended_it = False
        self.seconds = self.left(ANSWER_STEPS * self._timeout)
        with self._changed:
            # A descriptor of its own: TLS gives the socket another object, and must not be closed under the reader.
            self._line = socket.socket(fileno=os.dup(sock.fileno()))
            self._ends_at = time.monotonic() + min(self.seconds, threading.TIMEOUT_MAX)
            if self._guard is None:
                self._guard = threading.Thread(target=self._shut_down_late_ones, daemon=True)
                self._guard.start()
            elif self._ends_at < self._wakes_at:
                self._changed.notify()

    def end(self) -> None:
        """Watch no longer."""
        with self._changed:
            if self._line:
                self._line.close()
            self._line = None

    def close(self) -> None:
        """Watch nothing more."""
        self.end()
        with self._changed:
            self._ends_at = 0.0
            self._changed.notify()

    def _shut_down_late_ones(self) -> None:
        with self._changed:
            # It also sleeps between two answers: most of them take less time than a thread needs to begin.
            while (left := self._ends_at - time.monotonic()) > 0:
                self._wakes_at = self._ends_at
                self._changed.wait(left)
            if self._line:
                self.has_ended_it = True
                with suppress(OSError):
                    self._line.shutdown(socket.SHUT_RDWR)
            self._guard = None

    def begin_connecting(self) -> None:
        """Forget the attempt before."""
        self.end()
        self.has_ended_it = False
        self._connecting_since = time.monotonic()

    def check_connected(self, connection: HTTPConnection) -> None:
        """Raise when making the connection took so long that others may have given up on this request."""
        if time.monotonic() - self._connecting_since > CONNECT_STEPS * self._timeout:
            raise ConnectTimeoutError(connection, "the connection took too long")


class Adapter(HTTPAdapter):
    """Makes watched connections, with the certificates of one trust setting.

    :param scheme: that of the service's address; without TLS there are no certificates to load.
    :param verify: True for the bundle that requests brings, False to trust anybody, or the path of a bundle.

    Raises BadBundle.
    """

    def __init__(self, scheme: str, verify: bool | str) -> None:
        self.watch = Watch()
        self._verify = verify
        self._tls: dict[str, Any] = {"ssl_context": tls_context(verify)} if scheme == "https" else {}
        super().__init__()

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **options: Any) -> None:
        super().init_poolmanager(connections, maxsize, block, **self._tls, **options)
        self._watch_pools(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **options: Any) -> PoolManager:
        if proxy not in self.proxy_manager:
            options.update(self._tls)
            if proxy.lower().startswith("https"):
                options["proxy_ssl_context"] = self._tls.get("ssl_context")
            self._watch_pools(super().proxy_manager_for(proxy, **options))
        return self.proxy_manager[proxy]

    def send(
        self,
        request: PreparedRequest,
        stream: bool = True,
        timeout: float | tuple[float, float] | tuple[float, None] | None = None,
        verify: bool | str = True,
        cert: object = None,
        proxies: Mapping[str, str] | None = None,
    ) -> Response:
        # Not the bundle's path, which would be loaded anew for each connection.
        return super().send(request, stream, timeout, self._verify is not False, None, proxies)

    def cert_verify(self, conn: object, url: object, verify: object, cert: object) -> None:
        """Leave the connections as they are: their TLS context has the certificates."""

    def close(self) -> None:
        super().close()
        self.watch.close()

    def _watch_pools(self, manager: PoolManager) -> None:
        classes = manager.pool_classes_by_scheme.items()
        manager.pool_classes_by_scheme = {scheme: _watched(pool, self.watch) for scheme, pool in classes}


def _watched(pool_class: type[HTTPConnectionPool], watch: Watch) -> type[HTTPConnectionPool]:
    class Connection(pool_class.ConnectionCls):  # type: ignore[name-defined]
        timeout: float  # seconds

        def connect(self) -> None:
            watch.begin_connecting()
            self.timeout = watch.left(self.timeout)
            super().connect()
            watch.check_connected(self)

        def _new_conn(self) -> socket.socket:
            sock = super()._new_conn()
            if self.proxy:
                watch.begin(sock)  # its answer can drip as well; ssl itself bounds the time of a handshake
            return sock

        def send(self, data: Any) -> None:
            if self.sock is None:
                self.connect()
            watch.is_sent = True
            return super().send(data)

        def getresponse(self) -> HTTPResponse:
            watch.begin(self.sock)
            return super().getresponse()

    class Pool(pool_class):  # type: ignore[misc,valid-type]
        ConnectionCls = Connection

    return Pool


def tls_context(verify: bool | str) -> ssl.SSLContext:
    """Return the TLS context of a trust setting, which is loaded once. Raises BadBundle."""
    path = extract_zipped_paths(DEFAULT_CA_BUNDLE_PATH) if verify is True else verify
    if path is False:
        return _loaded(None, None)
    try:
        status = os.stat(path)
        return _loaded(path, (status.st_ino, status.st_size, status.st_mtime_ns))
    except (OSError, ValueError) as error:
        raise BadBundle(f"{printable(path)} is no bundle of certificates in PEM format: {error}") from None


@cache
def _loaded(path: str | None, _version: tuple[int, int, int] | None) -> ssl.SSLContext:
    """Return a context with the certificates of a file or folder, None for none; another version is another file."""
    context = create_urllib3_context(cert_reqs=ssl.CERT_NONE if path is None else ssl.CERT_REQUIRED)
    if path is not None:
        context.load_verify_locations(**{"capath" if os.path.isdir(path) else "cafile": path})
    return context


_kept: dict[tuple[object, ...], Adapter] = {}
_keeping = threading.Lock()


def kept_adapter(base_url: str, api_key: str, verify: bool | str) -> Adapter:
    """Return the adapter of this address, key and trust setting, whose connections outlive a task.

    All items of a loop run in one process. What a fork inherits, it does not use: two processes on one connection
    would read each other's answers. Raises BadBundle.
    """
    scheme = base_url.partition(":")[0].lower()
    trust = tls_context(verify) if scheme == "https" else None
    name = (os.getpid(), threading.get_ident(), base_url, api_key, verify, trust)
    with _keeping:
        if name not in _kept:
            while len(_kept) >= MOST_KEPT:
                _kept.pop(next(iter(_kept))).close()
            _kept[name] = Adapter(scheme, verify)
        return _kept[name]


def bundle_of_environment() -> str | None:
    """Return the bundle of certificates that the environment names for all that uses requests."""
    return os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")


def load_certificates() -> None:
    """Load the bundle that the environment names before the process forks, so that no fork has to.

    A bundle that cannot be used is told of when it is needed.
    """
    if os.environ.get("HOSTING_BASE_URL", "https:").startswith("http:"):
        return
    with suppress(OSError):
        tls_context(os.environ.get("HOSTING_CA_PATH") or bundle_of_environment() or True)
