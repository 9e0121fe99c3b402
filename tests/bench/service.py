# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator in a process of its own, so that what it costs can be told from what tasks cost."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from dataclasses import dataclass
from urllib.parse import urlencode

from simulator import Simulator
from simulator.traffic import RecordedRequest


@dataclass(frozen=True)
class Traffic:
    """What the simulator has seen since the last clearing, and the processor time that it took.

    ``useful`` are the requests without those that were too many (429), and without looks at operations that went on.
    """

    requests: int
    connections: int
    handshakes: int
    cpu_seconds: float
    useful: int


class Service:
    """A simulator with TLS. Use it as a context manager."""

    def __init__(self, sites: int) -> None:
        processes = multiprocessing.get_context("spawn")
        self._lock = threading.Lock()
        self._pipe, other_end = processes.Pipe()
        self._process = processes.Process(target=_serve, args=(other_end, sites), daemon=True)

    def __enter__(self) -> Service:
        self._process.start()
        self.base_url, self.api_key, self.ca_path = self._pipe.recv()
        return self

    def __exit__(self, *_exception) -> None:
        self._pipe.send(("stop",))
        self._process.join()

    def clear(self) -> None:
        """Count anew."""
        self._ask("clear")

    def traffic(self) -> Traffic:
        """What there was since then."""
        return self._ask("traffic")

    def reads(self) -> list[tuple[str, object]]:
        """What was read since then: the addresses, without the beginning that all have, and the bodies, in order."""
        return self._ask("reads")

    def looks(self, operation_id: str) -> list[float]:
        """When somebody has asked how an operation stands, in seconds since the epoch."""
        return self._ask("looks", operation_id)

    def limit(self, per_minute: int | None) -> None:
        """Take so many requests a minute from now on, one after another, and say nothing else; None takes all."""
        self._ask("limit", per_minute)

    def set(self, **settings: float) -> None:
        """Change settings of the simulator."""
        self._ask("set", settings)

    def _ask(self, *question: object):
        with self._lock:
            self._pipe.send(question)
            return self._pipe.recv()


def _serve(pipe, sites: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Simulator(tls=True, sites=sites) as simulator:
        pipe.send((simulator.base_url, simulator.api_key, simulator.large_ca_path))
        began = time.process_time()
        while True:
            match pipe.recv():
                case ["clear"]:
                    simulator.clear_requests()
                    began = time.process_time()
                    pipe.send(None)
                case ["traffic"]:
                    cpu_seconds = time.process_time() - began
                    counts = len(simulator.requests), simulator.connections, simulator.handshakes
                    pipe.send(Traffic(*counts, cpu_seconds, sum(map(_is_useful, simulator.requests))))
                case ["reads"]:
                    read = [one for one in simulator.requests if one.method == "GET"]
                    addresses = [one.path + (f"?{urlencode(one.query)}" if one.query else "") for one in read]
                    pipe.send([(address, one.body) for address, one in zip(addresses, read, strict=True)])
                case ["looks", operation_id]:
                    path = f"/operations/{operation_id}"
                    pipe.send([request.time for request in simulator.requests if request.path == path])
                case ["limit", per_minute]:
                    simulator.clear_faults()
                    if per_minute is not None:
                        simulator.fault("rate_limit", per_minute=per_minute, times=0)
                    pipe.send(None)
                case ["set", settings]:
                    for name, value in settings.items():
                        setattr(simulator.settings, name, value)
                    pipe.send(None)
                case ["stop"]:
                    return


def _is_useful(request: RecordedRequest) -> bool:
    is_look = request.path.startswith("/operations/")
    return request.status != 429 and not (is_look and request.status == 202)
