# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The caches of an environment, which are cleared (companions of the interface)."""

from __future__ import annotations

from typing import Any

from .._arguments import optional_text_option, text_option
from .._context import NOT_SHOWN, Context
from .._convergence import Outcome, Steps, taking_once
from .._errors import HostingError, InvalidInput
from .._interface import CLEAR_CDN_CACHE, CLEAR_EDGE_CACHE, CLEAR_SITE_CACHE, Request
from .._phases import Begun, begun
from .._sites import environment_of_site
from .._under_way import Kind, Start

CACHES = ("site", "edge", "cdn")
BAD_REQUEST = 400

OPTIONS: dict[str, dict[str, Any]] = {
    "cache": {"type": "str", "choices": list(CACHES), "required": True},
    "url": optional_text_option(),
    "clear_subdirectories": {"type": "bool"},
    "cdn_cache_id": optional_text_option(),
    "release": text_option(required=False),
    "if_offered": {"type": "bool", "default": False},
}
"""What clears one of the caches."""


def check_cache(params: dict[str, Any]) -> None:
    """Refuse what belongs to a cache that is not cleared."""
    if params["url"] and params["cache"] != "edge":
        raise InvalidInput("url goes with the cache edge. Nothing was sent.")
    if params["clear_subdirectories"] and not params["url"]:
        raise InvalidInput("clear_subdirectories needs url. Nothing was sent.")


RULE = check_cache


def steps(context: Context) -> Steps[dict[str, Any]]:
    """Clear a cache of an environment, once for a release."""
    try:
        outcome = yield from clearing(context, context["cache"], request_of(context, context["cache"]), begun(context))
    except HostingError as error:
        if not context["if_offered"] or (error.is_offered and error.status != BAD_REQUEST):
            raise
        return {"changed": False, "state_source": "none", "problem": str(error)}
    return outcome.result(problem=None)


def clearing(context: Context, cache: str, request: Request, earlier: Begun | None) -> Steps[Outcome]:
    """Clear a cache as the request says, once for a release, and return the Outcome.

    What an earlier task has begun (``earlier``) is only brought to its end.
    """
    return taking_once(
        context,
        subject=("cache_clear", context["environment_id"], cache),
        request=request,
        release=context["release"],
        part=_edge_part(context) if cache == "edge" else None,
        at_each_run=context["release"] is None,
        # It may start beside all else, and its row comes after theirs: see cleared_caches of release_info.
        start=Start(Kind.OTHER, context["environment_id"]),
        begun=earlier,
    )


def _edge_part(context: Context) -> dict[str, Any]:
    """Return what of the edge cache is cleared; each part is cleared once for a release."""
    return {"url": context["url"], "clear_subdirectories": bool(context["clear_subdirectories"])}


def request_of(context: Context, cache: str) -> Request:
    """Return the request that clears a cache; raise InvalidInput for that of a CDN which nobody names."""
    if cache == "site":
        return CLEAR_SITE_CACHE(body=context.given("environment_id"))
    if cache == "edge":
        return CLEAR_EDGE_CACHE(body=context.given("environment_id", "url", "clear_subdirectories"))
    cdn_cache_id = context["cdn_cache_id"] or _read_cdn_cache_id(context)
    return CLEAR_CDN_CACHE(body={**context.given("environment_id"), "cdn_cache_id": cdn_cache_id})


def _read_cdn_cache_id(context: Context) -> str:
    if not context["site_id"]:
        raise InvalidInput("The cache cdn needs cdn_cache_id, or site_id to ask for it. Nothing was sent.")
    environment = environment_of_site(context)
    if environment is NOT_SHOWN:
        raise InvalidInput("The service does not show the id of the CDN's cache. Give cdn_cache_id. Nothing was sent.")
    if not environment.get("cdn_cache_id"):
        raise InvalidInput(f"The environment {context['environment_id']} has no CDN cache. Nothing was sent.")
    return str(environment["cdn_cache_id"])
