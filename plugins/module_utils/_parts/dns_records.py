# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A DNS record of a domain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from .._arguments import Constraints, Option, uuid_option
from .._checks import checked_domain_name, checked_record_type, checked_ttl
from .._context import NOT_SHOWN, Context
from .._convergence import Observed, Plan, Steps, converging, in_one_go
from .._dns import canonical_name, canonical_value, checked_value, dns_records_of
from .._errors import BadRequest, InvalidInput
from .._interface import (
    CREATE_DNS_RECORD,
    DELETE_DNS_RECORD,
    GET_DOMAINS,
    UPDATE_DNS_RECORD,
    VALIDATE_KEY,
)

DEFAULT_TTL = 3600
SHORTEST_TTL = 300  # seconds, of the public service
ABSENT = "absent"


def _check_record(params: dict[str, Any]) -> None:
    """Refuse a record without values, and values that do not belong to its type."""
    if params["values"] == [] or (params["state"] == "present" and params["values"] is None):
        raise InvalidInput(
            "values is missing or empty. To remove the whole record, give state: absent without values. Nothing was"
            " sent."
        )
    try:
        for value in params["values"] or []:
            checked_value(params["type"], value)
    except ValueError as error:
        raise InvalidInput(f"values {error}. Nothing was sent.") from None


OPTIONS: dict[str, dict[str, Any]] = {
    "domain_id": uuid_option(required=False),
    "domain_name": Option(checked_domain_name),
    "type": Option(checked_record_type, required=True),
    "name": Option(checked_domain_name, required=True),
    "ttl": Option(checked_ttl, type="int"),
    "values": {"type": "list", "elements": "str"},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "exclusive": {"type": "bool", "default": True},
}
CONSTRAINTS: Constraints = {
    "required_one_of": [["domain_id", "domain_name"]],
    "mutually_exclusive": [["domain_id", "domain_name"]],
}
RULE = _check_record


def steps(context: Context) -> Steps[dict[str, Any]]:
    """Keep a DNS record of a domain (companions of the interface)."""
    domain_id = context["domain_id"] or _domain_id_of_name(context)
    try:
        outcome = yield from converging(
            context,
            subject=("dns_record", domain_id, context["type"], context["name"]),
            name="dns_record",
            plan=lambda before: _plan(context, domain_id, cast(Observed, before)),  # the interface shows it
            observe=lambda: _observe(context, domain_id),
        )
    except BadRequest as error:
        if (context["ttl"] or SHORTEST_TTL) >= SHORTEST_TTL:
            raise
        raise error.with_advice(
            f"The ttl may be the cause: it is {context['ttl']} seconds, and services with this interface take"
            f" {SHORTEST_TTL} or more."
        ) from None
    state: Any = {"ttl": None, "rdata": []} if outcome.desired == ABSENT else outcome.desired
    return outcome.result(dns_record={**context.given("type", "name"), **state})


run = in_one_go(steps)


def _domain_id_of_name(context: Context) -> str:
    company_id = context.send(VALIDATE_KEY()).at("company", str)
    answer = context.companion(GET_DOMAINS(query={"company": company_id}))
    if answer is NOT_SHOWN:
        raise InvalidInput(
            "The service does not list the domains (or companions are switched off), so the id of"
            f" {context['domain_name']} is not known. Give domain_id. Nothing was sent."
        )
    ids: dict[str, Any] = {
        canonical_name(name): domain.get("id") for name, domain in answer.named("company.domains").items()
    }
    if context["domain_name"] not in ids:
        raise InvalidInput(
            f"The company {company_id} has no domain {context['domain_name']}. Check the name, or give domain_id."
        )
    if not isinstance(ids[context["domain_name"]], str):
        raise answer.malformed("company.domains.id")
    return ids[context["domain_name"]]


def _observe(context: Context, domain_id: str) -> Observed:
    records = [
        record
        for record in dns_records_of(context, domain_id)
        if record["type"].upper() == context["type"] and canonical_name(record["name"]) == context["name"]
    ]
    if not records:
        return Observed(ABSENT, {"name": context["name"], "values": {}})
    # The service's own spelling is kept: that is what it knows the record and its values by.
    values = {canonical_value(context["type"], value): value for record in records for value in record["rdata"]}
    state = {"ttl": records[0].get("ttl"), "rdata": sorted(values)}
    return Observed(state, {"name": records[0]["name"], "values": values})


def _plan(context: Context, domain_id: str, before: Observed) -> Plan:
    present = before.record["values"]
    record: dict[str, Any] = {"type": context["type"], "name": before.record["name"]}
    wanted = _wanted_values(context, present)
    if not wanted:
        request = DELETE_DNS_RECORD(domain_id=domain_id, body=record) if before.value != ABSENT else None
        return Plan(ABSENT, request, relative=True)
    if before.value == ABSENT:
        record["ttl"] = context["ttl"] or DEFAULT_TTL
        request = CREATE_DNS_RECORD(domain_id=domain_id, body={**record, "resource_records": _records(wanted.values())})
    else:
        # It is always sent, so that the service does not put a default in its place.
        record["ttl"] = (context["state"] == "present" and context["ttl"]) or before.value["ttl"]
        changes = {
            "new_resource_records": _records(wanted[value] for value in wanted if value not in present),
            "removed_resource_records": _records(present[value] for value in present if value not in wanted),
        }
        request = UPDATE_DNS_RECORD(
            domain_id=domain_id, body={**record, **{name: values for name, values in changes.items() if values}}
        )
    return Plan({"ttl": record["ttl"], "rdata": sorted(wanted)}, request, relative=True)


def _wanted_values(context: Context, present: dict[str, str]) -> dict[str, str]:
    """Return the values that the record is to have, in canonical form, and as they are to be sent."""
    given = {canonical_value(context["type"], value): value for value in context["values"] or []}
    if context["state"] == "absent":
        return {value: raw for value, raw in present.items() if given and value not in given}
    return given if context["exclusive"] else {**given, **present}


def _records(values: Iterable[str]) -> list[dict[str, str]]:
    return [{"value": value} for value in values]
