# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How an endpoint is written down, and how it is served.

An endpoint is a handler and its data: method, path, success status, documented errors and, for asynchronous ones,
the operation that it begins. All that is the same for two endpoints happens here.
"""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, StringConstraints
from starlette.exceptions import HTTPException

from .errors import BadRequestError, MalformedIdError, RefusalError, error_body
from .operations import Operation
from .state import World

PREFIX = "/v2"
EXTENSION_FIELDS = ("name", "title", "status", "version", "update", "update_version", "update_status")
UUID_FORM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Uuid = Annotated[str, StringConstraints(to_lower=True, pattern=f"^(?i:{UUID_FORM.pattern})$")]
Text = Annotated[str, StringConstraints(min_length=1)]


class Strict(BaseModel):
    """A body or a query: nothing undocumented in it, and every value of exactly the documented type.

    Defaults are not validated: None stands for "not given" where null itself is refused.
    """

    model_config = ConfigDict(strict=True, extra="forbid")


@dataclass(frozen=True)
class Endpoint:
    """A handler and what is documented about it.

    The handler gets the world and its documented parameters. It returns the answer's body or, with `operation` set,
    the effect of the accepted operation. `says` is the status in the body of that answer.
    """

    method: str
    path: str
    success: int
    errors: frozenset[int]
    operation: str | None
    message: str
    says: int
    handler: Callable

    @property
    def takes_body(self) -> bool:
        """Whether the request has a body."""
        return "body" in inspect.signature(self.handler).parameters

    @property
    def takes_query(self) -> bool:
        """Whether the request has query parameters."""
        return "query" in inspect.signature(self.handler).parameters


class Endpoints(list):
    """A list of endpoints, filled by decorating their handlers."""

    def add(
        self,
        method: str,
        path: str,
        success: int = 200,
        errors: tuple[int, ...] = (401, 500),
        operation: str | None = None,
        message: str = "",
        says: int | None = None,
    ) -> Callable[[Callable], Callable]:
        """Declare the decorated function as the handler of an endpoint."""

        def declare(handler: Callable) -> Callable:
            self.append(
                Endpoint(method, path, success, frozenset(errors), operation, message, says or success, handler)
            )
            return handler

        return declare


def record(thing: object, *names: str) -> dict:
    """The attributes with these names, as an object of the answer."""
    return {name: getattr(thing, name) for name in names}


def application(world: World, *groups: Endpoints) -> FastAPI:
    """An application that serves these endpoints and answers everything else with 404."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.add_exception_handler(HTTPException, _answer_http_exception)
    app.add_exception_handler(RequestValidationError, _answer_bad_request)
    for group in groups:
        for endpoint in group:
            app.add_api_route(
                PREFIX + endpoint.path, _serve(endpoint, world), methods=[endpoint.method], response_model=None
            )
    return app


def _serve(endpoint: Endpoint, world: World) -> Callable:
    """The function that FastAPI calls: the handler's parameters without the world, with the request."""

    async def answer(request: Request, **parameters) -> JSONResponse:
        try:
            _check_form(endpoint, request, await request.body())
            for name in request.path_params:
                parameters[name] = _identifier(name, parameters[name])
            with world.lock:
                status, content = _outcome(endpoint, world, request, parameters)
        except RefusalError as refusal:
            status = refusal.status(endpoint.errors)
            content = {**error_body(status, endpoint.path), **({"message": refusal.words} if refusal.words else {})}
        return JSONResponse(content, status)

    signature = inspect.signature(endpoint.handler, eval_str=True)
    request_parameter = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Request)
    documented = list(signature.parameters.values())[1:]
    answer.__signature__ = inspect.Signature([request_parameter, *documented])
    return answer


def _check_form(endpoint: Endpoint, request: Request, body: bytes) -> None:
    """Refuse what no model sees: bodies and queries that are not documented, and bodies not declared as JSON."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and not (endpoint.takes_body and content_type == "application/json"):
        raise BadRequestError
    if request.query_params and not endpoint.takes_query and 400 in endpoint.errors:
        raise BadRequestError


def _identifier(name: str, value: str) -> str:
    """An id from the path: a plain UUID, but for those of operations (section 2) and of backups, which are numbers."""
    if name == "operation_id":
        return value
    if name == "backup_id":
        if not value.isdecimal():
            raise MalformedIdError
        return value
    if not UUID_FORM.fullmatch(value.lower()):
        raise MalformedIdError
    return value.lower()


def _outcome(endpoint: Endpoint, world: World, request: Request, parameters: dict) -> tuple[int, dict]:
    """Status and body of the answer; begins the operation of an asynchronous endpoint (section 2.1)."""
    world.settle()
    if endpoint.method == "GET":
        outcome = endpoint.handler(world.shown(), **parameters)
    else:
        if endpoint.operation is None:  # it takes effect at once
            world.remember(time.monotonic())
        outcome = endpoint.handler(world, **parameters)
    if endpoint.operation is None:
        return outcome if isinstance(outcome, tuple) else (endpoint.success, outcome)
    operation = world.operations.accept(
        endpoint.operation,
        outcome,
        world.settings.seconds_of(endpoint.operation),
        world.settings.visible_after,
        request.scope.get("simulator.operation_fails", False),
        _environment_of(parameters),
        parameters["body"].model_dump() if "body" in parameters else {},
    )
    operation.effect = _noting_software(operation, world, outcome)
    return endpoint.success, {"operation_id": operation.id, "message": endpoint.message, "status": endpoint.says}


def _noting_software(operation: Operation, world: World, effect: Callable) -> Callable:
    """The effect of an operation, which then knows what it has installed."""
    environment = world.environments.get(operation.environment_id)
    if environment is None:
        return effect

    def watched() -> dict | None:
        before = environment.software
        data = effect()
        operation.installed = frozenset(environment.software - before)
        return data

    return watched


def _environment_of(parameters: dict) -> str | None:
    """The environment that a request is about."""
    body = parameters.get("body")
    named = (getattr(body, name, None) for name in ("environment_id", "target_env_id"))
    return parameters.get("env_id") or next(filter(None, named), None)


async def _answer_http_exception(_request: Request, error: HTTPException) -> JSONResponse:
    status = 404 if error.status_code == 405 else error.status_code
    return JSONResponse(error_body(status), status)


async def _answer_bad_request(_request: Request, _error: RequestValidationError) -> JSONResponse:
    return JSONResponse(error_body(400), 400)
