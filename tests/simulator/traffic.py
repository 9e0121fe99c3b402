# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The door of the service: records every API request, checks the key, and lets faults happen.

It is an ASGI application around the one that knows the endpoints. The connection's transport is in the scope.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from fastapi.responses import JSONResponse, Response

from .endpoints import PREFIX
from .errors import error_body
from .faults import NOT_PROCESSED, Fault, Faults
from .state import World

TRANSPORT = "simulator.transport"
HTML_PAGE = b"<!doctype html><html><head><title>Maintenance</title></head><body><h1>Back soon</h1></body></html>"
CHUNK = 64 * 1024


@dataclass
class RecordedRequest:
    """An API request as it came in, and the status that it was answered with (None: no answer).

    ``carried_out`` says that the service did what it asks for, or accepted it and will do it, whatever was answered.
    """

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any
    status: int | None = None
    carried_out: bool = False
    time: float = field(default_factory=time.time)


@dataclass
class Answer:
    """A whole answer of the service, before it is sent."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    @classmethod
    def from_response(cls, response: Response) -> Answer:
        """The answer that a response object stands for."""
        return cls(response.status_code, response.raw_headers, response.body)

    def with_body(self, body: bytes, content_type: bytes = b"application/json") -> Answer:
        """The same status with another body."""
        return Answer(self.status, [(b"content-type", content_type), _content_length(body)], body)


class Door:
    """Lets API requests in."""

    def __init__(self, world: World, all_endpoints, documented_endpoints) -> None:
        self.world = world
        self.all_endpoints = all_endpoints
        self.documented_endpoints = documented_endpoints
        self.faults = Faults()
        self.requests: list[RecordedRequest] = []

    async def __call__(self, scope, receive, send) -> None:
        body = await _whole_body(receive)
        request = _recorded(scope, body)
        with self.world.lock:
            self.requests.append(request)
            fault = self.faults.take(request.method, request.path)
        if fault and fault.kind == "delay" and not await self._outlasts(fault):
            await _close(scope, receive)
            return
        if fault and not fault.is_processed:
            answer = _refusal(fault, request)
        else:
            scope["simulator.operation_fails"] = bool(fault) and fault.kind == "fail_operation"
            answer = _distorted(fault, request, await self._processed(scope, body, request))
        if self.world.settings.latency:
            await asyncio.sleep(self.world.settings.latency)
        if fault and fault.kind == "delay_after" and not await self._outlasts(fault):
            answer = None
        if answer is None:
            await _close(scope, receive)
            return
        request.status = answer.status
        if fault and fault.kind == "huge":
            await _send_huge(answer, fault.options["size"], scope, send)
        elif fault and fault.kind == "truncate":
            await _send_start(answer, send)
            await _send_part(answer.body[: len(answer.body) // 2], True, send)
            await _close(scope, receive)
        elif fault and fault.kind == "drip":
            await _send_start(answer, send)
            await self._drip(answer.body, fault, scope, lambda byte: _send_part(byte, True, send))
            await _send_part(b"", False, send)
        elif fault and fault.kind == "drip_headers":
            await self._drip(_as_sent(answer), fault, scope, lambda byte: _write(scope, byte))
            await _close(scope, receive)
        else:
            await _send_start(answer, send)
            await _send_part(answer.body, False, send)

    async def _outlasts(self, fault: Fault) -> bool:
        """Wait; False when the world that the request was sent to is gone by then."""
        generation = self.world.generation
        await asyncio.sleep(fault.options["seconds"])
        return self.world.generation == generation

    async def _drip(self, content: bytes, fault: Fault, scope, send_byte) -> None:
        """Send byte after byte, as long as somebody listens and the world is the one that was asked."""
        generation = self.world.generation
        for number in range(len(content)):
            if scope[TRANSPORT].is_closing() or self.world.generation != generation:
                scope[TRANSPORT].close()
                return
            await send_byte(content[number : number + 1])
            await asyncio.sleep(fault.options["interval"])

    async def _processed(self, scope, body: bytes, request: RecordedRequest) -> Answer:
        """What the service answers; the key is checked before anything else (section 5)."""
        if not self._is_authorized(request.headers.get("authorization", "")):
            return Answer.from_response(JSONResponse(error_body(401), 401))
        app = self.documented_endpoints if self.world.settings.interface_only else self.all_endpoints
        answer = await _call(app, scope, body)
        request.carried_out = answer.status < 300 and not scope.get("simulator.operation_fails", False)
        return answer

    def _is_authorized(self, header: str) -> bool:
        scheme, _separator, key = header.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(key.encode(), self.world.api_key.secret.encode())


def _recorded(scope, body: bytes) -> RecordedRequest:
    path = scope["path"]
    if path.startswith(PREFIX + "/"):
        path = path[len(PREFIX) :]
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
    text = body.decode("utf-8", "replace")
    try:
        content = json.loads(text) if body else None
    except (ValueError, RecursionError):
        content = text
    return RecordedRequest(scope["method"], path, query, headers, content)


def _refusal(fault: Fault, request: RecordedRequest) -> Answer | None:
    """The answer of a fault in place of the service's; None: the connection is closed."""
    options = fault.options
    if fault.kind == "drop_before":
        return None
    if fault.kind == "redirect":
        return Answer.from_response(Response(status_code=options["status"], headers={"Location": options["location"]}))
    if fault.kind == "rate_limit":
        told = options["retry_after"]
        headers = {} if told is None else {"Retry-After": str(told)}
        return Answer.from_response(JSONResponse(error_body(429), 429, headers))
    if fault.kind == "echo_key":
        message = f"Invalid credentials: {request.headers.get('authorization', '')}"
        return Answer.from_response(JSONResponse({"message": message, "status": options["status"]}, options["status"]))
    content = error_body(options["status"], request.path) if options["body"] is None else options["body"]
    kind_of_response = Response if isinstance(content, str) else JSONResponse
    return Answer.from_response(kind_of_response(content, options["status"], options["headers"]))


def _distorted(fault: Fault | None, request: RecordedRequest, answer: Answer) -> Answer | None:
    """The answer to a processed request after the fault; None: the connection is closed."""
    if fault is None:
        return answer
    if fault.kind in NOT_PROCESSED:  # it was asked to be, all the same
        return _refusal(fault, request)
    if fault.kind == "drop_after":
        return None
    if fault.kind == "not_json":
        return answer.with_body(HTML_PAGE, b"text/html; charset=utf-8")
    if fault.kind == "wrong_shape":
        return answer.with_body(json.dumps(["something", "else"]).encode())
    return answer


async def _whole_body(receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


async def _call(app, scope, body: bytes) -> Answer:
    """Hand the request to the application and collect its answer."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    return Answer(sent[0]["status"], sent[0]["headers"], b"".join(message.get("body", b"") for message in sent[1:]))


async def _send_start(answer: Answer, send) -> None:
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})


async def _send_part(body: bytes, more: bool, send) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})


def _as_sent(answer: Answer) -> bytes:
    """The bytes of an answer, from the first one on."""
    lines = [b"HTTP/1.1 %d Drip" % answer.status, *(name + b": " + value for name, value in answer.headers)]
    return b"\r\n".join([*lines, b"connection: close", b"", answer.body])


async def _write(scope, content: bytes) -> None:
    scope[TRANSPORT].write(content)


async def _send_huge(answer: Answer, size: int, scope, send) -> None:
    """Valid JSON of more than `size` bytes, in parts and without a length."""
    await _send_start(Answer(answer.status, [(b"content-type", b"application/json")], b""), send)
    await _send_part(b'{"filler": "', True, send)
    for _unused in range(size // CHUNK + 1):
        if scope[TRANSPORT].is_closing():
            return
        await _send_part(b"x" * CHUNK, True, send)
    await _send_part(b'"}', False, send)


async def _close(scope, receive) -> None:
    """Close the connection after what was sent, and wait until the server has noticed."""
    scope[TRANSPORT].close()
    while (await receive())["type"] != "http.disconnect":
        pass


def _content_length(body: bytes) -> tuple[bytes, bytes]:
    return b"content-length", str(len(body)).encode()
