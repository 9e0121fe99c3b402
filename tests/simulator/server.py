# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator as a server on a loopback port, in a thread of the calling process."""

from __future__ import annotations

import asyncio
import copy
import logging
import socket
import threading
import time
from collections.abc import Iterable
from email.utils import formatdate

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .certificates import VALID, Certificates
from .companions import COMPANIONS
from .control import CONTROL_PREFIX, control_application
from .endpoints import PREFIX, application
from .faults import Fault
from .interface import INTERFACE
from .seed import seed
from .state import Settings, World
from .traffic import TRANSPORT, Door, RecordedRequest

START_SECONDS = 10
LOGGER = logging.getLogger(__name__)


class Counters:
    """What came in below HTTP. With TLS, a connection counts when its handshake has ended well."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self.connections = self.handshakes = 0


def _protocol(counters: Counters) -> type:
    """HTTP that counts its connections and shows them to the application, so that faults can close them."""

    class Protocol(H11Protocol):
        def connection_made(self, transport) -> None:
            super().connection_made(transport)
            counters.connections += 1
            app = self.app

            async def with_transport(scope, receive, send):
                await app({**scope, TRANSPORT: transport}, receive, send)

            self.app = with_transport

    return Protocol


class Simulator:
    """The hosting service, simulated. Use it as a context manager, or call start() and stop().

    :param latency: seconds that are added to each answer.
    :param tls: serve https; True for a good certificate, or one of certificates.KINDS.
    :param breaking: what sites do not get on with; see Settings.
    :param most_backups: how many manual backups an environment keeps; another one is refused.
    :param brownfield: sites that differ in every part, as if nobody had looked after them together.
    """

    def __init__(
        self,
        interface_only: bool = False,
        operation_seconds: float = 0.0,
        visible_after: float = 0.0,
        sites: int = 1,
        api_key: str = "simulator-key",
        reads_lag: float = 0.0,
        port: int = 0,
        host: str = "127.0.0.1",
        latency: float = 0.0,
        tls: bool | str = False,
        operations: str = "status",
        unknown_operation: int = 404,
        breaking: Iterable[str] = (),
        brownfield: bool = False,
        most_backups: int | None = None,
    ) -> None:
        self.api_key = api_key
        self.settings = Settings(
            operation_seconds,
            visible_after,
            interface_only,
            latency,
            reads_lag,
            operations=operations,
            unknown_operation=unknown_operation,
            breaking=frozenset(breaking),
            most_backups=most_backups,
        )
        self._first_settings = copy.deepcopy(self.settings)
        self._sites = sites
        self._brownfield = brownfield
        self._address = (host, port)
        self._tls = VALID if tls is True else tls
        self._certificates: Certificates | None = None
        self._counters = Counters()
        self._world = World(self.settings)
        self._door = Door(
            self._world,
            all_endpoints=application(self._world, INTERFACE, COMPANIONS),
            documented_endpoints=application(self._world, INTERFACE),
        )
        self._control = control_application(self)
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        seed(self._world, sites, api_key, brownfield)

    def __enter__(self) -> Simulator:
        return self.start()

    def __exit__(self, *_exception) -> None:
        self.stop()

    @property
    def root_url(self) -> str:
        """The address without a path."""
        host, port = self._address
        scheme = "https" if self._tls else "http"
        return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"

    @property
    def base_url(self) -> str:
        """The base address of the API."""
        return self.root_url + PREFIX

    @property
    def control_url(self) -> str:
        """The address of the control surface."""
        return self.root_url + CONTROL_PREFIX

    @property
    def ca_path(self) -> str | None:
        """With TLS, once started: a bundle with nothing but the authority behind its certificate. stop() removes it."""
        return self._certificates and self._certificates.ca_path

    @property
    def large_ca_path(self) -> str | None:
        """With TLS, once started: a bundle of the usual size (certifi's) that contains this authority as well."""
        return self._certificates and self._certificates.large_ca_path

    @property
    def connections(self) -> int:
        """The connections since the start or the last clearing; with TLS, those that the client went on with."""
        return self._counters.connections

    @property
    def handshakes(self) -> int:
        """The TLS handshakes that were begun in that time, also those that the client broke off."""
        return self._counters.handshakes

    @property
    def state(self) -> World:
        """The world, with everything in effect that is due."""
        with self._world.lock:
            self._world.settle()
        return self._world

    @property
    def requests(self) -> list[RecordedRequest]:
        """The API requests since the start or the last clearing, oldest first."""
        with self._world.lock:
            return list(self._door.requests)

    @property
    def writes(self) -> list[RecordedRequest]:
        """Those requests that may change something."""
        return [request for request in self.requests if request.method != "GET"]

    @property
    def faults(self) -> list[Fault]:
        """The faults that were asked for, also those that are spent."""
        with self._world.lock:
            return list(self._door.faults)

    def clear_requests(self) -> None:
        """Empty the log, and count connections anew."""
        with self._world.lock:
            self._door.requests.clear()
            self._counters.clear()

    def clear_faults(self) -> None:
        """Behave well again."""
        with self._world.lock:
            self._door.faults.clear()

    def fault(
        self, kind: str, method: str | None = None, path: str | None = None, times: int | None = 1, **options
    ) -> Fault:
        """Let something go wrong, `times` times (0 or None: always), with requests of that method and path pattern."""
        fault = Fault(kind, method, path, times, options)
        with self._world.lock:
            self._door.faults.append(fault)
        return fault

    def reset(self) -> None:
        """Back to the start: seeded world, first settings, no faults, empty log."""
        with self._world.lock:
            self.settings.update(self._first_settings)
            self.clear_faults()
            self.clear_requests()
            seed(self._world, self._sites, self.api_key, self._brownfield)

    def start(self) -> Simulator:
        """Listen; returns when requests are answered."""
        if self._tls:
            self._certificates = Certificates(self._tls, self._address[0])
        listener = _listener(self._address)
        self._address = listener.getsockname()[:2]
        config = uvicorn.Config(
            self._app,
            interface="asgi3",
            http=_protocol(self._counters),
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=0.1,
            ssl_certfile=self._certificates and self._certificates.server_path,
        )
        config.load()
        if config.ssl:
            config.ssl.sni_callback = self._count_handshake
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listener]}, name="simulator", daemon=True
        )
        self._thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._server.started:
            if time.monotonic() > deadline or not self._thread.is_alive():
                raise RuntimeError("the simulator did not start")
            time.sleep(0.002)
        return self

    def stop(self) -> None:
        """Close all connections and stop listening."""
        if self._server and self._thread:
            self._server.should_exit = True
            self._thread.join()
            self._server = self._thread = None
        if self._certificates:
            self._certificates.close()

    def _count_handshake(self, *_unused) -> None:
        """OpenSSL calls this for every client that says hello, also without a name."""
        self._counters.handshakes += 1

    async def _app(self, scope, receive, send) -> None:
        is_control = scope["path"].startswith(CONTROL_PREFIX + "/")

        async def send_dated(message) -> None:
            if message["type"] == "http.response.start":
                date = formatdate(time.time() + self.settings.clock_ahead, usegmt=True)
                message = {**message, "headers": [(b"date", date.encode()), *message.get("headers", ())]}
            await send(message)

        try:
            await (self._control if is_control else self._door)(scope, receive, send_dated)
        except asyncio.CancelledError:
            # The simulator stops: without this, uvicorn answers the unfinished request with 500.
            scope[TRANSPORT].abort()
            raise
        except Exception:
            LOGGER.exception("the simulator itself failed at %s %s", scope["method"], scope["path"])
            raise


def _listener(address: tuple[str, int]) -> socket.socket:
    """A bound socket: the kernel chooses the port, and nobody can take it before the server listens."""
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    # The protocol has to be named: asyncio switches Nagle's algorithm off (40 ms a request) only for IPPROTO_TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    return listener
