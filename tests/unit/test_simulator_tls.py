# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator with TLS: whom its certificates convince, what it counts, and answers that take longer."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest
import requests

import simulator as simulator_package
from simulator import Simulator
from simulator.certificates import EXPIRED, OTHER_HOST

TESTS_DIRECTORY = Path(simulator_package.__file__).parent.parent


@pytest.fixture(scope="module")
def running() -> Iterator[Simulator]:
    with Simulator(tls=True) as simulator:
        yield simulator


@pytest.fixture
def secure(running: Simulator) -> Simulator:
    """A simulator with TLS and a good certificate, as new."""
    running.reset()
    return running


def session_of(simulator: Simulator, ca_path: str | None = None) -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    session.headers["Authorization"] = f"Bearer {simulator.api_key}"
    session.verify = ca_path or simulator.ca_path
    return session


def validate(simulator: Simulator, ca_path: str | None = None) -> requests.Response:
    with session_of(simulator, ca_path) as session:
        return session.get(simulator.base_url + "/validate", timeout=10)


@pytest.mark.parametrize("bundle", ["ca_path", "large_ca_path"])
def test_whoever_trusts_its_authority_is_answered(secure, bundle):
    assert secure.base_url.startswith("https://127.0.0.1:")
    assert validate(secure, getattr(secure, bundle)).ok
    assert [request.status for request in secure.requests] == [200]


def test_the_large_bundle_is_certifis_and_one_more(secure):
    usual, large = Path(certifi.where()).read_text(), Path(secure.large_ca_path).read_text()
    assert large.startswith(usual)
    assert large.count("BEGIN CERTIFICATE") == usual.count("BEGIN CERTIFICATE") + 1


def test_without_tls_there_are_no_bundles():
    with Simulator() as plain:
        assert (plain.ca_path, plain.large_ca_path) == (None, None)


def test_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as error:
        pytest.skip(f"no IPv6 here: {error}")
    with Simulator(tls=True, host="::1") as simulator:
        assert simulator.base_url.startswith("https://[::1]:")
        assert validate(simulator).ok


def refused(simulator: Simulator, ca_path: str | None = None) -> str:
    """Why a client refuses; it has said nothing but hello then."""
    with pytest.raises(requests.exceptions.SSLError) as raised:
        validate(simulator, ca_path)
    assert (simulator.requests, simulator.handshakes) == ([], 1)
    return str(raised.value)


def test_each_start_has_an_authority_of_its_own(secure):
    with Simulator(tls=True) as other:
        assert "unable to get local issuer certificate" in refused(secure, other.ca_path)


def test_certifi_alone_does_not_trust_it(secure):
    assert "unable to get local issuer certificate" in refused(secure, certifi.where())


def test_a_certificate_can_be_expired():
    with Simulator(tls=EXPIRED) as simulator:
        assert "certificate has expired" in refused(simulator)


def test_a_certificate_can_be_another_hosts():
    with Simulator(tls=OTHER_HOST) as simulator:
        assert "IP address mismatch" in refused(simulator)


def test_there_is_no_other_kind_of_certificate():
    with pytest.raises(ValueError, match="unknown kind of certificate 'revoked'; known: valid, expired, other-host"):
        Simulator(tls="revoked").start()


def test_connections_are_kept_open_and_counted(secure):
    with session_of(secure) as session:
        for _unused in range(5):
            assert session.get(secure.base_url + "/validate", timeout=10).ok
    assert (secure.connections, secure.handshakes, len(secure.requests)) == (1, 1, 5)
    assert validate(secure).ok
    assert (secure.connections, secure.handshakes) == (2, 2)
    secure.clear_requests()
    assert (secure.connections, secure.handshakes, len(secure.requests)) == (0, 0, 0)


def test_without_tls_connections_are_counted_as_well():
    with Simulator() as simulator:
        assert validate(simulator, certifi.where()).ok
        assert (simulator.connections, simulator.handshakes) == (1, 0)


@pytest.mark.parametrize("kind", ["drop_before", "drop_after", "truncate"])
def test_faults_close_connections_with_tls_too(secure, kind):
    secure.fault(kind)
    with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
        validate(secure)
    assert validate(secure).ok


def test_stops_fast_with_open_connections_and_requests():
    lost = []

    def expect_lost_connection():
        with pytest.raises(requests.ConnectionError):
            validate(simulator)
        lost.append(True)

    simulator = Simulator(tls=True).start()
    with session_of(simulator) as session:
        assert session.get(simulator.base_url + "/validate", timeout=10).ok
        simulator.fault("delay", seconds=60)
        slow = threading.Thread(target=expect_lost_connection)
        slow.start()
        while len(simulator.requests) < 2:
            time.sleep(0.005)
        begun = time.monotonic()
        simulator.stop()
        assert time.monotonic() - begun < 1
        slow.join(timeout=5)
    assert lost
    assert not Path(simulator.ca_path).exists()
    with simulator:  # it can be started again
        assert validate(simulator).ok


def test_latency_is_added_to_each_answer(secure):
    secure.settings.latency = 0.1
    with session_of(secure) as session:
        for status in (200, 503):
            begun = time.monotonic()
            assert session.get(secure.base_url + "/validate", timeout=10).status_code == status
            assert 0.1 <= time.monotonic() - begun < 1
            secure.fault("status")
    secure.reset()
    assert secure.settings.latency == 0


def test_command_line_says_how_to_trust_it():
    command = [sys.executable, "-m", "simulator", "--tls", "--latency", "0.01"]
    with subprocess.Popen(command, cwd=TESTS_DIRECTORY, stdout=subprocess.PIPE, text=True) as process:
        try:
            exports = {}
            while len(exports) < 4:
                line = process.stdout.readline()
                assert line, "the introduction has ended"
                if line.startswith("export "):
                    name, _equals, value = line.removeprefix("export ").strip().partition("=")
                    exports[name] = value
            assert exports["REQUESTS_CA_BUNDLE"] == exports["CURL_CA_BUNDLE"]
            headers = {"Authorization": f"Bearer {exports['HOSTING_API_KEY']}"}
            address = exports["HOSTING_BASE_URL"] + "/validate"
            assert address.startswith("https://")
            assert requests.get(address, headers=headers, timeout=10, verify=exports["REQUESTS_CA_BUNDLE"]).ok
        finally:
            process.terminate()
