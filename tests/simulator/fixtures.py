# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""pytest fixtures: one simulator for all tests of a run, as new for every test, and a way to call it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import requests

from .server import Simulator


@pytest.fixture(scope="session")
def running_simulator() -> Iterator[Simulator]:
    """The simulator that all tests share; take `simulator` instead."""
    with Simulator(sites=2) as simulator:
        yield simulator


@pytest.fixture
def simulator(running_simulator: Simulator) -> Simulator:
    """The simulator, as new."""
    running_simulator.reset()
    return running_simulator


@pytest.fixture
def call(simulator: Simulator) -> Iterator[Callable[..., requests.Response]]:
    """A function that sends an API request with the key and returns the response."""
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Authorization"] = f"Bearer {simulator.api_key}"

        def send(method: str, path: str, **options) -> requests.Response:
            options = {"timeout": 10, "allow_redirects": False, **options}
            return session.request(method, simulator.base_url + path, **options)

        yield send
