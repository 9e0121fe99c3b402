# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Beside the API: request log, faults, settings, reset, pages of the sites. It needs no key, and is never logged."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import asdict
from html import escape
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from .faults import KINDS, WORDS
from .state import Environment, World
from .storefront import STYLE, storefront

CONTROL_PREFIX = "/_simulator"


class WantedFault(BaseModel):
    """A fault to add; all further fields are the options of its kind."""

    model_config = ConfigDict(extra="allow")

    kind: str
    method: str | None = None
    path: str | None = None
    times: int | None = 1


class WantedSettings(BaseModel):
    """Settings to change; what is not given stays."""

    model_config = ConfigDict(extra="forbid")

    operation_seconds: float = Field(None, ge=0)
    visible_after: float = Field(None, ge=0)
    interface_only: bool = Field(None)
    latency: float = Field(None, ge=0)
    reads_lag: float = Field(None, ge=0)
    operations: Literal["status", "body", "absent"] = Field(None)
    unknown_operation: Literal[404, 500] = Field(None)
    seconds_by_operation: dict[str, Annotated[float, Field(ge=0)]] = Field(None)
    breaking: frozenset[str] = Field(None)
    collapsing: frozenset[str] = Field(None)
    most_backups: int | None = Field(None, ge=0)
    clock_ahead: float = Field(None)


ROUTER = APIRouter(prefix=CONTROL_PREFIX)


@ROUTER.get("/")
async def show_endpoints() -> dict[str, str]:
    """What is here."""
    return {f"{' '.join(route.methods)} {route.path}": route.description for route in ROUTER.routes}


@ROUTER.get("/requests")
async def show_requests(request: Request) -> list[dict[str, Any]]:
    """The log of API requests."""
    return [asdict(recorded) for recorded in _simulator(request).requests]


@ROUTER.delete("/requests", status_code=204)
async def clear_requests(request: Request) -> None:
    """Empty the log."""
    _simulator(request).clear_requests()


@ROUTER.get("/faults")
async def show_faults(request: Request) -> list[dict[str, Any]]:
    """The faults and how often each has hit."""
    return [asdict(fault) for fault in _simulator(request).faults]


@ROUTER.get("/faults/kinds")
async def show_kinds_of_faults() -> dict[str, dict[str, Any]]:
    """The kinds of faults: what each does, and its options with their defaults."""
    return {kind: {"does": WORDS[kind], "options": options} for kind, options in KINDS.items()}


@ROUTER.post("/faults", status_code=201)
async def add_fault(request: Request, wanted: WantedFault) -> dict[str, Any]:
    """Let something go wrong."""
    options = wanted.model_extra or {}
    try:
        fault = _simulator(request).fault(wanted.kind, wanted.method, wanted.path, wanted.times, **options)
    except ValueError as error:
        raise HTTPException(400, str(error)) from error
    return asdict(fault)


@ROUTER.delete("/faults", status_code=204)
async def clear_faults(request: Request) -> None:
    """Behave well again."""
    _simulator(request).clear_faults()


@ROUTER.get("/settings")
async def show_settings(request: Request) -> dict[str, Any]:
    """The settings."""
    return asdict(_simulator(request).settings)


@ROUTER.patch("/settings")
async def change_settings(request: Request, wanted: WantedSettings) -> dict[str, Any]:
    """Change the settings that are given."""
    settings = _simulator(request).settings
    for name, value in wanted.model_dump(exclude_unset=True).items():
        setattr(settings, name, value)
    return asdict(settings)


@ROUTER.get("/sites/{environment_id}")
async def show_site(request: Request, environment_id: str) -> HTMLResponse:
    """The home page of an environment, as its visitors get it.

    It fails when the word "broken" is in its files, or when it has something of the setting `breaking`.
    """

    def home(_world: World, environment: Environment) -> str:
        lines = [escape(environment.content.files), escape(environment.content.database)]
        return f"<!doctype html><html><body><p>{'</p><p>'.join(lines)}</p></body></html>"

    return _page(request, environment_id, home)


@ROUTER.get("/sites/{environment_id}/shop")
async def show_shop(request: Request, environment_id: str) -> HTMLResponse:
    """A page of an environment for pictures, with a clock, a slider and random adverts.

    It fails as the home page does. Its layout collapses when the word "collapsed" is in the files of the environment,
    or when it has something of the setting `collapsing`: then its style sheet is missing.
    """

    def shop(world: World, environment: Environment) -> str:
        sheet = "missing.css" if world.is_collapsed(environment) else "shop.css"
        number = zlib.crc32(environment.content.database.encode())
        return storefront(number, style_sheet=f"{CONTROL_PREFIX}/sites/{environment_id}/{sheet}")

    return _page(request, environment_id, shop)


def _page(request: Request, environment_id: str, draw: Callable[[World, Environment], str]) -> HTMLResponse:
    """Return a page of an environment's site as it is drawn, unless there is no such site, or it is broken."""
    world = _simulator(request).state
    environment = world.environment(environment_id)
    if environment is None:
        raise HTTPException(404, "there is no such environment")
    if world.is_broken(environment):
        return HTMLResponse("There has been a critical error on this website.", 500)
    return HTMLResponse(draw(world, environment))


@ROUTER.get("/sites/{environment_id}/shop.css")
async def show_style_sheet(environment_id: str) -> Response:  # noqa: ARG001
    """The layout of that page."""
    return Response(STYLE, media_type="text/css")


@ROUTER.post("/reset", status_code=204)
async def reset(request: Request) -> None:
    """Back to the start."""
    _simulator(request).reset()


def control_application(simulator: object) -> FastAPI:
    """The application under /_simulator."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.simulator = simulator
    app.include_router(ROUTER)
    return app


def _simulator(request: Request):
    return request.app.state.simulator
