# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client on real connections: the key, retries, and errors that say what happened."""

from __future__ import annotations

import datetime
import email.utils
import ipaddress
import json
import logging
import re
import socket
import ssl
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.hosting.management.plugins.module_utils import _client, _retries, _text
from ansible_collections.hosting.management.plugins.module_utils._errors import (
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
from ansible_collections.hosting.management.plugins.module_utils._interface import (
    ADD_MANUAL_BACKUP,
    GET_BACKUPS,
    GET_DENIED_IPS,
    GET_OPERATION,
    GET_PLUGINS,
    GET_SFTP_ALLOWLIST,
    UPDATE_DENIED_IPS,
    UPDATE_PLUGIN,
    VALIDATE_KEY,
)
from simulator import Simulator, seed
from simulator.errors import MESSAGES

pytest_plugins = ["simulator.fixtures"]

LIVE = seed.environment_id(1)
READ = VALIDATE_KEY()
REPEATABLE_WRITE = UPDATE_DENIED_IPS(body={"environment_id": LIVE, "ip_list": ["198.51.100.7"]})
UNREPEATABLE_WRITE = ADD_MANUAL_BACKUP(env_id=LIVE, body={"tag": "v1"})
EACH_REQUEST = pytest.mark.parametrize("request_", [READ, REPEATABLE_WRITE, UNREPEATABLE_WRITE], ids=str)


def failure(client, request):
    """The error that sending a request raises."""
    with pytest.raises(HostingError) as raised:
        client.send(request)
    return raised.value


@pytest.fixture(scope="module")
def elsewhere():
    """Another server, which must never see a request."""
    with Simulator() as other:
        yield other


@pytest.fixture
def refusing():
    """A service whose port refuses connections."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        yield SimpleNamespace(base_url=f"http://127.0.0.1:{port}/v2", api_key="refused-key")


@pytest.fixture
def retries_logged(caplog):
    """A function that counts the retries after broken connections, as urllib3 logs them."""
    caplog.set_level(logging.WARNING, "urllib3.connectionpool")
    return lambda: sum(record.message.startswith("Retrying (") for record in caplog.records)


# The key


@EACH_REQUEST
def test_every_request_carries_the_key_as_bearer_header(request_, connect, simulator):
    client = connect(simulator)
    client.send(request_)
    client.send(request_)
    assert [sent.headers["authorization"] for sent in simulator.requests] == [f"Bearer {simulator.api_key}"] * 2
    assert {(sent.method, sent.path) for sent in simulator.requests} == {(request_.method, request_.path)}


def test_query_and_body_are_sent_as_the_interface_says(connect, simulator):
    client = connect(simulator)
    client.send(REPEATABLE_WRITE)
    client.send(GET_DENIED_IPS(query={"environment_id": LIVE}))
    write, read = simulator.requests
    assert (write.headers["content-type"], write.body) == ("application/json", REPEATABLE_WRITE.body)
    assert (read.query, read.body) == ({"environment_id": LIVE}, None)
    assert "content-type" not in read.headers


@EACH_REQUEST
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_the_key_stays_here(status, request_, connect, simulator, elsewhere):
    simulator.fault("redirect", times=0, status=status, location=elsewhere.base_url + "/validate")
    error = failure(connect(simulator), request_)
    assert isinstance(error, MalformedResponse)
    # A gateway may answer so when the service has carried the request out.
    assert (error.kind, error.status, error.nothing_done) == ("malformed_response", status, False)
    assert f"redirect ({status})" in str(error)
    assert f"({simulator.base_url})" in str(error)
    assert elsewhere.requests == []
    assert len(simulator.requests) == 1


def test_proxies_are_not_used_for_loopback_http(connect, simulator, refusing, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, refusing.base_url)
    assert connect(simulator).send(READ).status == 200


# What the service refuses


@EACH_REQUEST
@pytest.mark.parametrize(
    ("status", "error_class", "kind"),
    [
        (400, BadRequest, "bad_request"),
        (401, Unauthorized, "unauthorized"),
        (403, BadRequest, "bad_request"),
        (404, NotFound, "not_found"),
        (405, BadRequest, "bad_request"),
        (409, BadRequest, "bad_request"),
        (429, RateLimited, "rate_limited"),
        (500, ServiceError, "service"),
        (501, ServiceError, "service"),
        (503, ServiceError, "service"),
    ],
)
def test_an_error_status_becomes_an_error_that_tells_all(status, error_class, kind, request_, connect, simulator):
    simulator.fault("status", status=status)
    error = failure(connect(simulator, retries=0), request_)
    assert error.__class__ is error_class
    refused = status in (400, 401, 403, 404, 429)
    assert error.nothing_done == refused
    service_message = MESSAGES.get(status, error.service_message)
    assert f"{request_.method} {request_.path}" in str(error)
    assert f"({status}: {service_message})" in str(error)
    assert ("Nothing was done" in str(error)) == (refused and request_ is not READ)
    assert ("Whether anything was done is not known" in str(error)) == (not refused and request_ is not READ)
    assert error.as_result() == {
        "failed": True,
        "msg": str(error),
        "error": {
            "kind": kind,
            "status": status,
            "is_offered": status not in (405, 501),
            "message": service_message,
            "method": request_.method,
            "path": request_.path,
            "operation_id": None,
        },
    }


@pytest.mark.parametrize(
    ("answer", "offers_documented", "offers_read", "offers_write"),
    [
        ({"status": 400}, True, True, True),
        ({"status": 401}, True, True, True),
        ({"status": 403}, True, False, True),
        ({"status": 404}, True, False, False),
        ({"status": 404, "body": "<html>"}, False, False, False),
        ({"status": 405}, False, False, False),
        ({"status": 429}, True, True, True),
        ({"status": 500}, True, True, True),
        ({"status": 501}, False, False, False),
        ({"status": 503}, True, True, True),
    ],
    ids=str,
)
def test_an_error_tells_whether_the_service_offers_the_endpoint(
    answer, offers_documented, offers_read, offers_write, connect, simulator
):
    simulator.fault("status", times=None, **answer)
    client = connect(simulator, retries=0)
    environment = {"env_id": seed.environment_id(1)}
    read, write = GET_BACKUPS(**environment), UPDATE_PLUGIN(**environment, body={})
    assert failure(client, GET_PLUGINS(**environment)).is_offered == offers_documented
    assert failure(client, read).is_offered == offers_read
    assert failure(client, write).is_offered == offers_write


def test_without_an_answer_nobody_says_that_an_endpoint_is_missing(connect, refusing):
    assert failure(connect(refusing, retries=0), READ).is_offered


def test_an_answer_that_cannot_be_read_does_not_say_that_an_endpoint_is_missing(connect, simulator):
    simulator.fault("status", status=404, headers={"Content-Encoding": "gzip"}, body="<html>")
    assert failure(connect(simulator, retries=0), GET_BACKUPS(env_id=seed.environment_id(1))).is_offered


def test_a_refused_key_says_where_to_set_one(connect, simulator):
    error = failure(connect(simulator, api_key="wrong-key"), READ)
    assert isinstance(error, Unauthorized)
    assert "option api_key" in str(error)
    assert "HOSTING_API_KEY" in str(error)
    assert "wrong-key" not in str(error)


def test_a_404_to_the_check_of_the_key_hints_at_the_address(connect, simulator):
    simulator.fault("status", status=404)
    assert "Check base_url" in str(failure(connect(simulator), READ))


def test_a_secret_that_the_service_echoes_is_hidden_before_the_text_is_cut(connect, simulator):
    padding = "x" * (_text.LONGEST_QUOTE - 5)
    simulator.fault("status", status=400, body={"status": 400, "message": padding + simulator.api_key})
    error = failure(connect(simulator), READ)
    assert error.service_message == padding + "*****"


@pytest.mark.parametrize(("body", "has_hint"), [("<html>", True), ({"error": "x"}, True), (None, False)])
def test_a_404_that_is_not_the_services_own_hints_at_the_address(body, has_hint, connect, simulator):
    simulator.fault("status", status=404, body=body)
    error = failure(connect(simulator), GET_DENIED_IPS(query={"environment_id": LIVE}))
    assert ("Check base_url" in str(error)) == has_hint
    assert (error.service_message is None) == has_hint


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"message": "x" * 5000, "status": 400}, "x" * _text.LONGEST_QUOTE),
        ({"message": {"text": "x"}}, None),
        ({"status": 400}, None),
        (["x"], None),
        ("", None),
        ("<html>x</html>", None),
    ],
)
def test_only_the_interfaces_error_body_is_quoted_and_not_at_any_length(body, message, connect, simulator):
    simulator.fault("status", status=400, body=body)
    error = failure(connect(simulator), READ)
    assert (error.__class__, error.service_message) == (BadRequest, message)
    assert len(str(error)) < 1000


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("retries", [0, 1])
def test_the_last_answer_is_quoted_also_when_its_length_is_not_announced(retries, status, connect, monkeypatch):
    monkeypatch.setattr(_retries, "PATIENCE", 0.2)
    body = b'{"message": "no room", "status": 1}'

    def answer(connection):
        connection.sendall(b"HTTP/1.1 %d No\r\nTransfer-Encoding: chunked\r\n\r\n" % status)
        connection.sendall(b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))

    with raw_service(answer) as service:
        assert failure(connect(service, retries=retries), READ).service_message == "no room"


def test_an_error_body_nested_beyond_measure_is_no_crash(connect, simulator):
    simulator.fault("status", status=400, body="[" * 200_000)
    assert isinstance(failure(connect(simulator), READ), BadRequest)


# Retries

PASSING_TROUBLE = [
    ("status", {"status": 429}, RateLimited),
    ("status", {"status": 500}, ServiceError),
    ("status", {"status": 502}, ServiceError),
    ("status", {"status": 503}, ServiceError),
    ("status", {"status": 504}, ServiceError),
    ("drop_before", {}, ConnectionFailed),
    ("drop_after", {}, ConnectionFailed),
    ("delay", {"seconds": 0.6}, TimedOut),
]


def timeout_for(kind):
    return 0.1 if kind == "delay" else 10


def count_of_requests(simulator, at_least):
    """How many requests have come in; one that was given up by the client may still be on its way."""
    deadline = time.monotonic() + 5
    while len(simulator.requests) < at_least and time.monotonic() < deadline:
        time.sleep(0.01)
    return len(simulator.requests)


@pytest.mark.parametrize("request_", [READ, REPEATABLE_WRITE], ids=str)
@pytest.mark.parametrize(("kind", "options", "_error_class"), PASSING_TROUBLE)
def test_a_repeatable_request_survives_passing_trouble(kind, options, _error_class, request_, connect, simulator):
    simulator.fault(kind, times=2, **options)
    # The third attempt is not in a hurry to pass: the simulator may be slow.
    timeout = 0.4 if kind == "delay" else 10
    assert connect(simulator, timeout=timeout).send(request_).status == 200
    assert len(simulator.requests) == 3


@pytest.mark.parametrize("retries", [0, 1, 3])
@pytest.mark.parametrize(("kind", "options", "error_class"), PASSING_TROUBLE[1:])
def test_a_repeatable_request_is_repeated_as_often_as_retries_says(
    kind, options, error_class, retries, connect, simulator
):
    simulator.fault(kind, times=0, **options)
    error = failure(connect(simulator, retries=retries, timeout=timeout_for(kind)), REPEATABLE_WRITE)
    assert error.__class__ is error_class
    assert count_of_requests(simulator, retries + 1) == retries + 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 501])
def test_what_will_not_pass_by_itself_is_not_repeated(status, connect, simulator):
    simulator.fault("status", times=0, status=status, headers={"Retry-After": "0"})
    failure(connect(simulator), READ)
    assert len(simulator.requests) == 1


@pytest.mark.parametrize(
    ("kind", "options", "error_class"),
    [
        *PASSING_TROUBLE[1:],
        ("status", {"status": 503, "headers": {"Retry-After": "0"}}, ServiceError),
        ("status", {"status": 413, "headers": {"Retry-After": "0"}}, BadRequest),
        *(("status", {"status": status}, BadRequest) for status in (408, 409, 418, 499)),
    ],
)
def test_an_unrepeatable_request_that_may_have_been_processed_is_never_sent_again(
    kind, options, error_class, connect, simulator
):
    simulator.fault(kind, times=0, **options)
    error = failure(connect(simulator, retries=5, timeout=timeout_for(kind)), UNREPEATABLE_WRITE)
    assert error.__class__ is error_class
    assert not error.nothing_done
    assert count_of_requests(simulator, 1) == 1


def test_an_unrepeatable_request_is_sent_again_after_429(connect, simulator):
    simulator.fault("status", times=2, status=429)
    assert connect(simulator).send(UNREPEATABLE_WRITE).status == 202
    assert [sent.status for sent in simulator.requests] == [429, 429, 202]


@EACH_REQUEST
def test_429_is_waited_out_for_a_time_and_not_for_a_number_of_tries(request_, connect, simulator):
    simulator.fault("status", times=20, status=429)
    assert connect(simulator, retries=1).send(request_).status in (200, 202)
    assert len(simulator.requests) == 21


@EACH_REQUEST
@pytest.mark.parametrize("headers", [{}, {"Retry-After": "0"}, {"Retry-After": "7"}])
def test_the_patience_with_429_has_an_end(headers, request_, connect, simulator, monkeypatch):
    monkeypatch.setattr(_retries, "PATIENCE", 0.3)
    simulator.fault("status", times=0, status=429, headers=headers)
    began = time.monotonic()
    error = failure(connect(simulator), request_)
    assert time.monotonic() - began < 5
    assert (error.kind, error.nothing_done) == ("rate_limited", True)
    assert re.search(rf"after {len(simulator.requests)} tries in \d s of ", str(error))


def test_no_retries_means_none_after_429_either(connect, simulator):
    simulator.fault("status", times=0, status=429)
    failure(connect(simulator, retries=0), READ)
    assert len(simulator.requests) == 1


@pytest.mark.parametrize("retry_after", [None, 1])
def test_many_hosts_get_through_a_narrow_limit(retry_after, connect, simulator, monkeypatch):
    """That the time suffices is shown in tests/unit/test_retries.py; here, that nothing else is in the way."""
    monkeypatch.setattr(_retries, "LONGEST_BACKOFF", 0.2)
    monkeypatch.setattr(_retries, "LONGEST_RETRY_AFTER", 0.1)
    simulator.fault("rate_limit", times=0, per_minute=2400, retry_after=retry_after)

    def one_host(_number):
        client = connect(simulator, retries=1)
        return [client.send(request).status for request in (READ, UNREPEATABLE_WRITE)]

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(one_host, range(30))) == [[200, 202]] * 30
    assert sum(sent.status == 429 for sent in simulator.requests) > 20


@pytest.mark.parametrize(
    ("kind", "status"), [("status", status) for status in (301, 408, 409, 499)] + [("redirect", 302)]
)
def test_an_answer_of_a_gateway_after_the_work_was_done_leaves_the_outcome_unknown(kind, status, connect, simulator):
    simulator.fault(kind, status=status, processed=True)
    error = failure(connect(simulator), UNREPEATABLE_WRITE)
    assert (error.status, error.nothing_done) == (status, False)
    assert "Whether anything was done is not known" in str(error)
    assert len(simulator.state.environment(LIVE).backups) == 2


@contextmanager
def raw_service(answer, reads=True):
    """A service that answers each connection by a function of its socket, after reading a request from it."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def serve():
            with suppress(OSError):
                while True:
                    connection, _address = listener.accept()
                    with connection, suppress(OSError):
                        if reads:
                            connection.recv(65536)
                        answer(connection)

        threading.Thread(target=serve, daemon=True).start()
        base_url = f"http://127.0.0.1:{listener.getsockname()[1]}/v2"
        yield SimpleNamespace(base_url=base_url, api_key="raw-key", listener=listener)
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


def drip(connection, parts):
    for part in parts:
        connection.sendall(part)
        time.sleep(0.05)


ENDLESS_BODY = [b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", *[b"x"] * 500]
ENDLESS_HEADERS = [b"HTTP/1.1 200 OK\r\n", *[b"x"] * 500]


@EACH_REQUEST
@pytest.mark.parametrize("parts", [ENDLESS_BODY, ENDLESS_HEADERS], ids=["body", "headers"])
def test_an_answer_that_drips_has_an_end(parts, request_, connect):
    with raw_service(lambda connection: drip(connection, parts)) as service:
        began = time.monotonic()
        error = failure(connect(service, timeout=0.2, retries=0), request_)
        assert time.monotonic() - began < 5
    assert isinstance(error, TimedOut)
    assert not error.nothing_done
    assert "was not complete after 0.8 s" in str(error)


def test_a_drip_on_a_connection_that_is_kept_has_an_end(connect):
    def answer(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        connection.recv(65536)
        drip(connection, ENDLESS_BODY)

    with raw_service(answer) as service:
        client = connect(service, timeout=0.2, retries=0)
        client.send(READ)
        time.sleep(0.9)  # the first answer's bound has passed, and nobody minds
        began = time.monotonic()
        assert isinstance(failure(client, READ), TimedOut)
        assert time.monotonic() - began < 5


def test_a_drip_over_tls_has_an_end(connect, certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def answer(connection):
        with context.wrap_socket(connection, server_side=True) as secure:
            secure.recv(65536)
            drip(secure, ENDLESS_BODY)

    with raw_service(answer, reads=False) as service:
        service.base_url = service.base_url.replace("http:", "https:")
        began = time.monotonic()
        error = failure(connect(service, timeout=0.2, retries=0, verify=str(certificate)), UNREPEATABLE_WRITE)
        assert time.monotonic() - began < 5
    assert (error.kind, error.nothing_done) == ("timeout", False)


@pytest.mark.parametrize("is_proxy", [False, True])
def test_a_way_there_that_drips_has_an_end(is_proxy, connect, https_service, monkeypatch):
    # A TLS record of 16 KiB, or a proxy's headers.
    parts = ENDLESS_HEADERS if is_proxy else [b"\x16\x03\x03\x40\x00", *[b"x"] * 500]
    with raw_service(lambda connection: drip(connection, parts)) as dripping:
        service = SimpleNamespace(base_url=dripping.base_url.replace("http:", "https:"), api_key="key")
        if is_proxy:
            monkeypatch.setenv("HTTPS_PROXY", dripping.base_url.removesuffix("/v2"))
            service = https_service
        began = time.monotonic()
        error = failure(connect(service, timeout=0.2, retries=0), UNREPEATABLE_WRITE)
        assert time.monotonic() - began < 5
    assert error.kind == "timeout"
    assert error.nothing_done == (not is_proxy)
    assert ("was not sent" in str(error)) == (not is_proxy)


def test_a_watch_that_ends_in_a_pause_ends_nothing_else(connect):
    turns = [b"HTTP/1.1 429 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"]

    def answer(connection):
        connection.sendall(turns.pop())
        service.listener.shutdown(socket.SHUT_RDWR)
        service.listener.close()

    with raw_service(answer) as service:
        error = failure(connect(service, timeout=0.1, retries=1), UNREPEATABLE_WRITE)
    assert (error.kind, error.nothing_done) == ("connection", True)
    assert "Cannot connect" in str(error)


def test_one_thread_watches_all_answers_and_ends_with_the_connections(connect, simulator):
    client = connect(simulator)
    guards = set()
    for _one in range(20):
        client.send(READ)
        assert client._watch._line is None
        guards.add(client._watch._guard)
    [guard] = guards
    client._watch.close()
    guard.join(5)
    assert not guard.is_alive()
    client.send(READ)
    assert client._watch._guard.is_alive()


def test_nothing_is_sent_on_a_connection_that_took_too_long(connect, simulator, monkeypatch):
    find = socket.getaddrinfo

    def find_slowly(*args, **options):
        time.sleep(0.3)
        return find(*args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", find_slowly)
    error = failure(connect(simulator, timeout=0.03, retries=0), UNREPEATABLE_WRITE)
    assert error.nothing_done
    assert "was not sent" in str(error)
    assert simulator.requests == []


@pytest.mark.parametrize("status", [302, 400, 503])
@pytest.mark.parametrize(
    ("length", "part"),
    [
        (b"Content-Length: 200000000", b"x" * 65536),
        (b"Transfer-Encoding: chunked", b"10000\r\n%b\r\n" % (b"x" * 65536)),
    ],
    ids=["announced", "not announced"],
)
def test_the_body_of_a_refusal_is_not_read_to_its_end(length, part, status, connect):
    sent = []

    def answer(connection):
        connection.sendall(b"HTTP/1.1 %d No\r\nLocation: http://[::1\r\n%b\r\n\r\n" % (status, length))
        for _part in range(3000):
            connection.sendall(part)
            sent.append(65536)

    with raw_service(answer) as service:
        assert failure(connect(service, retries=1), READ).status == status
    assert sum(sent) < 20_000_000


def test_the_words_of_the_service_cannot_steer_a_terminal(connect, simulator):
    hostile = "no\x1b[2J\r\nok: [shop] => changed\u202e\u2028\x9b31m"
    simulator.fault("status", status=400, body={"message": hostile, "status": 400})
    error = failure(connect(simulator), READ)
    assert error.service_message == "no [2J ok: [shop] => changed 31m"
    assert str(error).isprintable()


@pytest.mark.parametrize("shown", ["raw/key=", "raw%2Fkey%3D"])
def test_no_text_from_outside_shows_a_secret(shown, connect):
    body = json.dumps({"message": f"Authorization: Bearer {shown}\x1b[2J", "operation_id": "x"}).encode()

    def answer(connection):
        connection.sendall(b"HTTP/1.1 202 Accepted\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))

    with raw_service(answer) as service:
        message = connect(service, api_key="raw/key=", secrets=["", "other"]).send(UNREPEATABLE_WRITE).message
    assert message == "Authorization: Bearer ******** [2J"


def test_a_broken_connections_text_shows_no_secret(connect):
    with raw_service(lambda connection: connection.sendall(b"raw-key \x1b[2J\r\n\r\n")) as service:
        error = failure(connect(service, retries=0), READ)
    assert "raw-key" not in str(error)
    assert "********" in str(error)
    assert str(error).isprintable()


@pytest.mark.parametrize("operation_id", ["x" * 201, "a b", "a/../b", "a\nb", "", 7, None])
def test_an_operation_id_that_cannot_be_used_is_none(operation_id):
    assert _client.Answer(UNREPEATABLE_WRITE, 202, {"operation_id": operation_id}).operation_id is None


@pytest.mark.parametrize("trouble", [{"status": 429}, {"status": 503}, {"kind": "drop_before"}])
def test_nothing_is_repeated_after_the_deadline(trouble, connect, simulator, monkeypatch):
    monkeypatch.setattr(_retries, "LONGEST_BACKOFF", 30)
    simulator.fault(trouble.pop("kind", "status"), times=0, **trouble)
    began = time.monotonic()
    with pytest.raises(HostingError):
        connect(simulator, retries=20).send(READ, deadline=began + 1)
    assert time.monotonic() - began < 1.5


def test_no_answer_is_waited_for_after_the_deadline(connect, simulator):
    simulator.fault("delay", seconds=20)
    began = time.monotonic()
    with pytest.raises(TimedOut):
        connect(simulator, timeout=10).send(READ, deadline=began + 0.3)
    assert time.monotonic() - began < 2


def test_each_attempt_is_cut_to_what_is_left(connect, simulator):
    simulator.fault("delay", times=0, seconds=20)
    began = time.monotonic()
    with pytest.raises(TimedOut):
        connect(simulator, timeout=1, retries=5).send(READ, deadline=began + 1.2)
    assert time.monotonic() - began < 1.7


@pytest.mark.parametrize("parts", [ENDLESS_BODY, ENDLESS_HEADERS], ids=["body", "headers"])
def test_an_answer_that_drips_ends_with_the_deadline(parts, connect):
    with raw_service(lambda connection: drip(connection, parts)) as service:
        began = time.monotonic()
        with pytest.raises(TimedOut, match=r"was not complete after 0\.\d+ s"):
            connect(service, timeout=1, retries=0).send(READ, deadline=began + 0.3)
        assert time.monotonic() - began < 0.9


@pytest.mark.parametrize("retries", [0, 2])
@pytest.mark.parametrize(
    ("base_url", "options", "environment"),
    [
        ("https://" + "a" * 70 + ".example/v2", {}, {}),
        ("https://api.example.invalid./v2", {}, {"HTTPS_PROXY": "http://user:proxy-password@[::1"}),
        ("https://api.example.invalid/v2", {}, {"HTTPS_PROXY": "http://user:proxy-password@127.0.0.1:99999"}),
        ("https://api.example.invalid/v2", {}, {"HTTPS_PROXY": "gopher://127.0.0.1:9"}),
        ("https://api.example.invalid/v2", {}, {"HTTPS_PROXY": "http://" + "a" * 70 + ":9"}),
        ("https://api.example.invalid/v2", {}, {"HTTPS_PROXY": "http://"}),
        ("http://127.0.0.1:9/v2", {"timeout": 1e10}, {}),
        ("http://127.0.0.1:9/v2", {"timeout": 1e300}, {}),
    ],
)
def test_what_cannot_be_sent_is_an_error_of_the_input(base_url, options, environment, retries, connect, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    service = SimpleNamespace(base_url=base_url, api_key="key")
    error = failure(connect(service, retries=retries, **options), UNREPEATABLE_WRITE)
    assert (error.kind, error.nothing_done) == ("invalid_input", True)
    assert "Nothing was sent" in str(error)
    assert "proxy-password" not in str(error)


@pytest.mark.parametrize("trouble", [OverflowError, UnicodeError, OSError, ValueError])
def test_what_fails_after_sending_never_says_that_nothing_was_sent(trouble, connect, simulator, monkeypatch):
    def content(*_args):
        raise trouble("unforeseen")

    client = connect(simulator)
    monkeypatch.setattr(client, "_content", content)
    error = failure(client, UNREPEATABLE_WRITE)
    assert (error.kind, error.nothing_done) == ("connection", False)
    assert "Whether anything was done is not known" in str(error)


def test_an_unrepeatable_request_does_not_use_a_connection_that_may_be_closing(connect, simulator):
    client = connect(simulator)
    client.send(READ)
    simulator.fault("drop_before", method="GET", times=2)
    client.send(READ)
    assert client.send(UNREPEATABLE_WRITE).status == 202


def test_an_unrepeatable_request_has_a_connection_of_its_own(connect, simulator):
    client = connect(simulator)
    client.send(READ)  # from now on there is one that is kept
    simulator.clear_requests()
    opened = []
    for request in (READ, REPEATABLE_WRITE, UNREPEATABLE_WRITE, UNREPEATABLE_WRITE, READ):
        client.send(request)
        opened.append(simulator.connections)
    assert opened == [0, 0, 1, 2, 2]


@EACH_REQUEST
@pytest.mark.parametrize("retries", [0, 2])
def test_a_refused_connection_is_tried_again_and_nothing_is_done(retries, request_, connect, refusing, retries_logged):
    error = failure(connect(refusing, retries=retries), request_)
    assert error.__class__ is ConnectionFailed
    assert error.nothing_done
    assert f"Cannot connect to {refusing.base_url}" in str(error)
    assert f"{request_} was not sent" in str(error)
    assert "refused" in str(error)
    assert "object at 0x" not in str(error)
    assert retries_logged() == retries


def test_an_unknown_host_name_is_tried_again_and_nothing_is_done(connect, monkeypatch, retries_logged):
    def getaddrinfo(*_args, **_kwargs):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    service = SimpleNamespace(base_url="https://api.nowhere.example/v2", api_key="key")
    error = failure(connect(service, retries=1), UNREPEATABLE_WRITE)
    assert (error.__class__, error.nothing_done, retries_logged()) == (ConnectionFailed, True, 1)
    assert "Name or service not known" in str(error)


def test_a_connection_that_does_not_come_about_in_time_is_a_timeout_with_nothing_done(connect, retries_logged):
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for waiting in (first, second):
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        service = SimpleNamespace(base_url=f"http://127.0.0.1:{full.getsockname()[1]}/v2", api_key="key")
        error = failure(connect(service, retries=1, timeout=0.1), UNREPEATABLE_WRITE)
        began = time.monotonic()
        with pytest.raises(TimedOut):
            connect(service, retries=0, timeout=10).send(READ, deadline=began + 0.3)
        assert time.monotonic() - began < 5
    assert (error.__class__, error.nothing_done, retries_logged()) == (TimedOut, True, 1)
    assert "was not sent" in str(error)


@pytest.mark.parametrize("status", [400, 401, 404, 429])
def test_a_refused_repetition_does_not_say_that_the_first_attempt_did_nothing(status, connect, simulator):
    simulator.fault("drop_after")
    simulator.fault("status", status=status, times=0)
    error = failure(connect(simulator), REPEATABLE_WRITE)
    assert error.status == status
    assert simulator.state.environment(LIVE).denied_ips == ["198.51.100.7"]
    assert not error.nothing_done
    assert "Nothing was done" not in str(error)


def test_a_service_that_goes_down_after_an_attempt_may_have_done_it(connect):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        service = SimpleNamespace(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}/v2", api_key="key")

        def take_one_request_and_go():
            connection, _address = listener.accept()
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            with connection:
                connection.recv(65536)

        thread = threading.Thread(target=take_one_request_and_go)
        thread.start()
        error = failure(connect(service), REPEATABLE_WRITE)
        thread.join()
    assert not error.nothing_done
    assert "was not sent" not in str(error)


def test_an_address_that_requests_writes_otherwise_has_retries_too(connect, simulator):
    simulator.fault("status", status=503)
    service = SimpleNamespace(base_url=simulator.root_url + "/%762", api_key=simulator.api_key)
    assert connect(service).send(READ).status == 200


@pytest.mark.parametrize(
    ("sent", "waited"),
    [("0", 0), ("7", 7), ("120", 120), ("100000", 120), ("soon", None), ("-5", None), (None, None)],
)
def test_retry_after_is_honoured_within_bounds(sent, waited):
    retry = _retries.RepeatableRetry(total=1)
    headers = {} if sent is None else {"Retry-After": sent}
    assert retry.get_retry_after(SimpleNamespace(headers=headers)) == waited


def test_retry_after_may_be_a_date_and_is_bounded_too():
    headers = {"Retry-After": email.utils.formatdate(time.time() + 86400, usegmt=True)}
    assert _retries.RepeatableRetry(total=1).get_retry_after(SimpleNamespace(headers=headers)) == 120


@pytest.mark.parametrize("request_", [READ, UNREPEATABLE_WRITE], ids=str)
def test_the_client_waits_as_long_as_retry_after_says(request_, connect, simulator, monkeypatch):
    client = connect(simulator)
    simulator.fault("status", status=429, headers={"Retry-After": "7"})
    simulator.fault("status", status=429, headers={"Retry-After": "3600"})
    waits = []
    monkeypatch.setattr(time, "sleep", waits.append)
    assert client.send(request_).status in (200, 202)
    assert waits == [7, _retries.LONGEST_RETRY_AFTER]
    assert sum(waits) < client.longest_send


def test_a_500_is_an_operations_end_and_not_repeated_but_a_503_is(connect, simulator):
    operation_id = connect(simulator).send(UNREPEATABLE_WRITE).operation_id
    look = GET_OPERATION(operation_id=operation_id)
    simulator.clear_requests()
    simulator.fault("status", status=503)
    simulator.fault("status", status=500)
    assert failure(connect(simulator), look).status == 500
    assert [sent.status for sent in simulator.requests] == [503, 500]


# Answers that are none


@EACH_REQUEST
def test_no_answer_in_time_says_whether_anything_was_done(request_, connect, simulator):
    simulator.fault("delay", seconds=0.5)
    error = failure(connect(simulator, retries=0, timeout=0.05), request_)
    assert (error.kind, error.status, error.nothing_done) == ("timeout", None, False)
    assert "No answer" in str(error)
    assert "within 0.05 s" in str(error)
    assert ("Whether anything was done is not known" in str(error)) == (request_ is not READ)


@EACH_REQUEST
@pytest.mark.parametrize("kind", ["drop_before", "drop_after"])
def test_a_broken_connection_says_whether_anything_was_done(kind, request_, connect, simulator):
    simulator.fault(kind)
    error = failure(connect(simulator, retries=0), request_)
    assert (error.kind, error.status, error.nothing_done) == ("connection", None, False)
    assert f"broke before {request_} was answered" in str(error)
    assert ("Whether anything was done is not known" in str(error)) == (request_ is not READ)


@EACH_REQUEST
@pytest.mark.parametrize(
    ("kind", "options", "why"),
    [
        ("truncate", {}, "was cut off"),
        ("not_json", {}, "is no JSON"),
        ("status", {"status": 200, "body": ""}, "is no JSON"),
        ("status", {"status": 200, "body": "[" * 200_000}, "is no JSON"),
        ("status", {"status": 200, "body": "no gzip at all", "headers": {"Content-Encoding": "gzip"}}, "was cut off"),
        ("huge", {"size": 3 * 2**20}, "is larger than 1 MiB"),
    ],
)
def test_an_unreadable_answer_is_an_error_and_not_asked_for_again(
    kind, options, why, request_, connect, simulator, monkeypatch
):
    monkeypatch.setattr(_client, "LARGEST_ANSWER", 2**20)
    simulator.fault(kind, times=0, **options)
    error = failure(connect(simulator), request_)
    assert (error.__class__, error.nothing_done) == (MalformedResponse, False)
    assert why in str(error)
    assert simulator.base_url in str(error)
    assert ("Whether anything was done is not known" in str(error)) == (request_ is not READ)
    assert len(simulator.requests) == 1


def test_an_answer_may_be_large_but_not_huge(connect, simulator):
    simulator.fault("huge", size=_client.LARGEST_ANSWER - 2**20)
    assert len(connect(simulator).send(READ).data["filler"]) > 15_000_000
    simulator.fault("huge", size=_client.LARGEST_ANSWER)
    assert "larger than 16 MiB" in str(failure(connect(simulator), READ))


def test_no_content_is_an_answer_without_data(connect, simulator):
    simulator.fault("status", status=204, body="")
    answer = connect(simulator).send(REPEATABLE_WRITE)
    assert (answer.status, answer.data, answer.operation_id, answer.message) == (204, None, None, None)
    with pytest.raises(MalformedResponse):
        answer.at("result", dict)


def test_an_answer_of_another_shape_is_an_error_that_names_the_field(connect, simulator):
    simulator.fault("wrong_shape")
    answer = connect(simulator).send(GET_SFTP_ALLOWLIST(env_id=LIVE))
    with pytest.raises(
        MalformedResponse, match=r"environment\.active_container is missing or of another type"
    ) as raised:
        answer.at("environment.active_container", dict)
    assert raised.value.as_result()["error"]["path"] == f"/sites/environments/{LIVE}/ssh/get-allowed-ips"


DATA = {"a": {"text": "x", "number": 1, "flag": True, "nothing": None, "list": [{}], "mixed": [{}, 1]}}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a", dict),
        ("a.text", str),
        ("a.number", int),
        ("a.flag", bool),
        ("a.nothing", (str, type(None))),
        ("a.list", list),
    ],
)
def test_a_value_of_the_right_type_is_returned(path, kind):
    value = DATA
    for name in path.split("."):
        value = value[name]
    assert _client.Answer(READ, 200, DATA).at(path, kind) is value


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("b", dict),
        ("a.text.more", str),
        ("a.list.0", dict),
        ("a.text", int),
        ("a.number", str),
        ("a.flag", int),
        ("a.flag", (int, float)),
        ("a.nothing", str),
    ],
)
def test_a_value_that_is_missing_or_of_another_type_is_an_error(path, kind):
    with pytest.raises(MalformedResponse, match=f"{path} is missing or of another type"):
        _client.Answer(READ, 200, DATA).at(path, kind)


def test_records_are_objects_all_of_them():
    answer = _client.Answer(READ, 200, DATA)
    assert answer.records("a.list") == [{}]
    with pytest.raises(MalformedResponse):
        answer.records("a.mixed")


@pytest.mark.parametrize("operation_id", [None, "", 7, ["x"]])
def test_what_is_no_text_is_no_operation_id(operation_id):
    answer = _client.Answer(UNREPEATABLE_WRITE, 202, {"operation_id": operation_id, "message": operation_id})
    assert answer.operation_id is None


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        *[(kind, options) for kind, options, _error_class in PASSING_TROUBLE],
        ("status", {"status": 401}),
        ("status", {"status": 404}),
        ("redirect", {}),
        ("truncate", {}),
        ("not_json", {}),
    ],
)
def test_no_error_shows_the_key(kind, options, connect, simulator):
    simulator.fault(kind, times=0, **options)
    error = failure(connect(simulator, retries=0, timeout=timeout_for(kind)), UNREPEATABLE_WRITE)
    assert simulator.api_key not in repr(error.as_result())
    assert simulator.api_key not in repr(error.__cause__)


# https


class HttpsService:
    """A service behind a self-signed certificate; it answers everything with an empty object."""

    api_key = "https-key"

    def __init__(self, certificate):
        seen = self.requests = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                seen.append(dict(self.headers))
                self.send_response(200)
                content = json.dumps({}).encode()
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_args):
                pass

        class Server(ThreadingHTTPServer):
            connections = 0

            def get_request(self):
                self.connections += 1
                return super().get_request()

            def handle_error(self, *_args):
                pass

        self.certificate = certificate
        self._server = Server(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.base_url = f"https://127.0.0.1:{self._server.server_port}/v2"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def connections(self):
        return self._server.connections

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_exception):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """The path of a self-signed certificate for 127.0.0.1, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("certificate") / "service.pem"
    private_key = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private_key + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def https_service(certificate):
    with HttpsService(certificate) as service:
        yield service


@EACH_REQUEST
def test_a_certificate_that_does_not_verify_is_an_error_of_its_own_and_not_tried_again(
    request_, connect, https_service
):
    error = failure(connect(https_service, retries=5), request_)
    assert (error.__class__, error.kind, error.nothing_done) == (ConnectionFailed, "connection", True)
    assert f"The certificate of {https_service.base_url} does not verify" in str(error)
    assert "ca_path" in str(error)
    assert https_service.connections == 1
    assert https_service.requests == []


def test_ca_path_makes_a_certificate_trusted(connect, https_service):
    connect(https_service, verify=str(https_service.certificate)).send(READ)
    assert [headers["Authorization"] for headers in https_service.requests] == ["Bearer https-key"]


def test_a_certificate_for_another_name_does_not_verify(connect, https_service):
    service = SimpleNamespace(base_url=https_service.base_url.replace("127.0.0.1", "localhost"), api_key="key")
    error = failure(connect(service, verify=str(https_service.certificate)), READ)
    assert "does not verify" in str(error)


def test_validate_certs_false_wins_over_the_environments_bundle(connect, https_service, certificate, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate.parent / "missing.pem"))
    connect(https_service, verify=False).send(READ)
    assert len(https_service.requests) == 1


@pytest.mark.parametrize("scheme", ["https", "HTTPS"])
def test_the_environments_bundle_counts_where_none_is_given(scheme, connect, https_service, certificate, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    service = SimpleNamespace(base_url=https_service.base_url.replace("https", scheme), api_key="key")
    connect(service).send(READ)
    assert len(https_service.requests) == 1


def test_a_netrc_entry_does_not_replace_the_key(connect, https_service, tmp_path, monkeypatch):
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login someone password something\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    connect(https_service, verify=str(https_service.certificate)).send(READ)
    assert [headers["Authorization"] for headers in https_service.requests] == ["Bearer https-key"]


@EACH_REQUEST
def test_a_netrc_entry_goes_nowhere_after_a_redirect(request_, connect, simulator, elsewhere, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("default login someone password something\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    simulator.fault("redirect", times=0, status=307, location=elsewhere.base_url + "/validate")
    failure(connect(simulator), request_)
    assert [one.headers["authorization"] for one in simulator.requests] == [f"Bearer {simulator.api_key}"]
    assert elsewhere.requests == []


@pytest.mark.parametrize("request_", [READ, UNREPEATABLE_WRITE], ids=str)
def test_a_proxy_that_refuses_connections_means_that_nothing_was_sent(
    request_, connect, https_service, refusing, monkeypatch, retries_logged
):
    monkeypatch.setenv("HTTPS_PROXY", refusing.base_url)
    error = failure(connect(https_service, retries=1), request_)
    assert (error.__class__, error.nothing_done, retries_logged()) == (ConnectionFailed, True, 1)
    assert "proxy settings" in str(error)
    assert https_service.connections == 0


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_ca_path_that_is_missing_or_no_bundle_is_an_error_that_names_it(content, connect, https_service, tmp_path):
    bundle = tmp_path / "bundle.pem"
    if content:
        bundle.write_text(content)
    with pytest.raises(InvalidInput) as raised:
        connect(https_service, verify=str(bundle))
    assert str(bundle) in str(raised.value)
    assert "ca_path" in str(raised.value)
    assert https_service.requests == []
