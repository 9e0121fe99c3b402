# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the two analytics reads share (interface sections 2.5, 4.12 and 4.13)."""

from __future__ import annotations

from typing import Any

from ._answers import Answer
from ._arguments import ModuleSpec, Option, api_options, environment_option, uuid_option
from ._checks import checked_query_names
from ._context import Context
from ._errors import InvalidInput
from ._interface import VALIDATE_KEY, Endpoint
from ._values import iso_with_milliseconds, time_of_text

# The interface does not show the names of the query parameters. These are the public service's.
QUERY_NAMES = {"time_frame": "time_span", "company_id": "company_id", "start": "from", "end": "to"}
EXCLUSIVE = [["time_frame", "start"], ["time_frame", "end"]]
"""The options that exclude each other."""


def checked_time(value: str) -> str:
    try:
        return iso_with_milliseconds(time_of_text(value))
    except ValueError:
        raise ValueError(f"must be a date or time in ISO 8601, such as 2026-11-01T00:00:00Z, not {value!r}") from None


def check_span(params: dict[str, Any]) -> None:
    """Refuse a period that ends before it starts."""
    if params["start"] and params["end"] and params["start"] >= params["end"]:
        raise InvalidInput(f"start ({params['start']}) must be before end ({params['end']}). Nothing was sent.")


def analytics_options() -> dict[str, dict[str, Any]]:
    """The options of an analytics read besides the environment's id."""
    return {
        "time_frame": {"type": "str", "choices": ["24_hours", "7_days", "30_days", "60_days"]},
        "company_id": uuid_option(required=False),
        "start": Option(checked_time),
        "end": Option(checked_time),
        "query_names": Option(checked_query_names(QUERY_NAMES), type="dict"),
    }


def analytics_spec(options: dict[str, dict[str, Any]]) -> ModuleSpec:
    """Return the spec of a module that reads analytics with such options."""
    return ModuleSpec(
        api_options(),
        {"environment_id": environment_option()},
        options,
        mutually_exclusive=EXCLUSIVE,
        rule=check_span,
    )


def read_analytics(context: Context, endpoint: Endpoint) -> Answer:
    """Return the Answer of an analytics endpoint for the options of the task."""
    given = context.given("time_frame", "company_id", "start", "end")
    if "company_id" not in given:
        given["company_id"] = context.send_once(VALIDATE_KEY()).at("company", str)
    names = {**QUERY_NAMES, **(context["query_names"] or {})}
    query = {names[option]: value for option, value in given.items()}
    return context.send(endpoint(env_id=context["environment_id"], query=query))
