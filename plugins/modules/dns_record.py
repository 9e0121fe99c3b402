#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: dns_record
short_description: Manage a DNS record of a domain
version_added: 0.2.0
description:
  - Creates, changes or removes the DNS record of one type and host name. Other records are not changed.
  - Values are compared in canonical form, so order, duplicates and notation make no difference. Notation includes
    capital letters and a trailing dot in host names, and the quotes around the text of a TXT record.
  - The module tells the service which values to add and which to remove. So if two runs set different values for the
    same record at the same time, one of them may fail because the record then has the values of both. Run it again to
    correct that.
  - Requires a service that can change records (C(POST), C(PUT) and C(DELETE /domains/{domain_id}/dns-records),
    companions of the documented interface). The records are read as in interface section 4.17.
options:
  domain_id:
    description:
      - The id of the domain. Either this option or O(domain_name) is required.
    type: str
  domain_name:
    description:
      - The name of the domain. The module looks up its id (C(GET /domains), a companion of the documented interface) in
        the company that the API key belongs to.
    type: str
  type:
    description:
      - The type of the record, such as V(A), V(AAAA), V(CNAME), V(MX) or V(TXT).
    type: str
    required: true
  name:
    description:
      - The full host name, such as V(www.example.com), V(_dmarc.example.com) or V(*.example.com).
    type: str
    required: true
  ttl:
    description:
      - The time to live, in seconds. By default, an existing record keeps its own, and a new record gets 3600.
    type: int
  values:
    description:
      - The values, such as an address, a host name, V(10 mail.example.com) for an MX record, or the text of a TXT
        record.
      - Required with O(state=present). With O(state=absent), only these values are removed, and the record is removed
        with its last value. If you set no values, the whole record is removed.
    type: list
    elements: str
  state:
    description:
      - Whether the record should exist.
    type: str
    choices: [present, absent]
    default: present
  exclusive:
    description:
      - With O(state=present), whether O(values) are all the values of the record. If so, other values are removed.
      - With V(false), adds them to the existing values.
    type: bool
    default: true
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.diff
"""

EXAMPLES = r"""
- name: Point the shop to another address
  hosting.management.dns_record:
    domain_name: shop.example.com
    type: A
    name: shop.example.com
    values: [192.0.2.20]
    ttl: 300

- name: Add a verification text, and keep the other texts
  hosting.management.dns_record:
    domain_name: shop.example.com
    type: TXT
    name: shop.example.com
    values: ["site-verification=abc123"]
    exclusive: false

- name: Remove a record
  hosting.management.dns_record:
    domain_id: "{{ hosting_primary_domain_id }}"
    type: CNAME
    name: old.shop.example.com
    state: absent
"""

RETURN = r"""
dns_record:
  description: The record as it is now.
  returned: success
  type: dict
  contains:
    type:
      description: The type of the record.
      type: str
      sample: A
    name:
      description: The host name.
      type: str
      sample: shop.example.com
    ttl:
      description: The time to live, in seconds. Null if there is no record.
      type: int
      sample: 300
    rdata:
      description: The values, in canonical form and sorted. Empty if there is no record.
      type: list
      elements: str
      sample: [192.0.2.20]
state_source:
  description:
    - Where the module found the current state. Always V(service), because the documented interface shows it.
  returned: success
  type: str
  sample: service
operation:
  description: The operation that the service accepted.
  returned: when the task started an operation, or followed one that an earlier run had started
  type: dict
  contains:
    id:
      description: The id of the operation.
      type: str
      sample: domains:update-dns-record-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
    state:
      description:
        - V(finished), V(in_progress) (with O(wait=false)), or V(unknown) if the service does not show the operation's
          state.
      type: str
      sample: finished
    message:
      description: The service's message about the operation.
      type: str
    resumed:
      description: Whether an earlier run started the operation, and this task only followed it.
      type: bool
error:
  description: What went wrong, as values for conditions. The human-readable message is in RV(ignore:msg).
  returned: failure
  type: dict
  contains:
    kind:
      description:
        - One of V(invalid_input), V(connection), V(timeout), V(unauthorized), V(not_found), V(bad_request),
          V(rate_limited), V(service), V(malformed_response), V(operation_failed), V(operation_timeout),
          V(check_failed), V(outcome_unknown), V(journal), V(missing_library), V(unexpected).
      type: str
      sample: unauthorized
    status:
      description: The HTTP status of the answer, if there was one.
      type: int
    message:
      description: The service's own message, if it sent one.
      type: str
    method:
      description: The HTTP method of the failed request.
      type: str
    path:
      description: The path of the failed request, relative to O(base_url).
      type: str
    operation_id:
      description: The id of the operation concerned, if there is one.
      type: str
"""

from ..module_utils._arguments import (
    ModuleSpec,
    Option,
    api_options,
    change_options,
    operation_options,
    uuid_option,
)
from ..module_utils._checks import checked_domain_name, checked_record_type, checked_ttl
from ..module_utils._context import NOT_SHOWN
from ..module_utils._convergence import Observed, Plan, converge
from ..module_utils._dns import canonical_name, canonical_value, checked_value, dns_records_of
from ..module_utils._entry import run_module
from ..module_utils._errors import BadRequest, InvalidInput
from ..module_utils._interface import (
    CREATE_DNS_RECORD,
    DELETE_DNS_RECORD,
    GET_DOMAINS,
    UPDATE_DNS_RECORD,
    VALIDATE_KEY,
)

DEFAULT_TTL = 3600
SHORTEST_TTL = 300  # seconds, of the public service
ABSENT = "absent"


def _check_record(params):
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


SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    {
        "domain_id": uuid_option(required=False),
        "domain_name": Option(checked_domain_name),
        "type": Option(checked_record_type, required=True),
        "name": Option(checked_domain_name, required=True),
        "ttl": Option(checked_ttl, type="int"),
        "values": {"type": "list", "elements": "str"},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "exclusive": {"type": "bool", "default": True},
    },
    rule=_check_record,
    required_one_of=[["domain_id", "domain_name"]],
    mutually_exclusive=[["domain_id", "domain_name"]],
)


def run(context):
    """Keep a DNS record of a domain (companions of the interface)."""
    domain_id = context["domain_id"] or _domain_id_of_name(context)
    try:
        outcome = converge(
            context,
            subject=("dns_record", domain_id, context["type"], context["name"]),
            name="dns_record",
            plan=lambda before: _plan(context, domain_id, before),
            observe=lambda: _observe(context, domain_id),
        )
    except BadRequest as error:
        if (context["ttl"] or SHORTEST_TTL) >= SHORTEST_TTL:
            raise
        raise error.with_advice(
            f"The ttl may be the cause: it is {context['ttl']} seconds, and services with this interface take"
            f" {SHORTEST_TTL} or more."
        ) from None
    state = {"ttl": None, "rdata": []} if outcome.desired == ABSENT else outcome.desired
    return outcome.result(dns_record={**context.given("type", "name"), **state})


def _domain_id_of_name(context):
    company_id = context.send(VALIDATE_KEY()).at("company", str)
    answer = context.companion(GET_DOMAINS(query={"company": company_id}))
    if answer is NOT_SHOWN:
        raise InvalidInput(
            "The service does not list the domains (or companions are switched off), so the id of"
            f" {context['domain_name']} is not known. Give domain_id. Nothing was sent."
        )
    ids = {canonical_name(name): domain.get("id") for name, domain in answer.named("company.domains").items()}
    if context["domain_name"] not in ids:
        raise InvalidInput(
            f"The company {company_id} has no domain {context['domain_name']}. Check the name, or give domain_id."
        )
    if not isinstance(ids[context["domain_name"]], str):
        raise answer.malformed("company.domains.id")
    return ids[context["domain_name"]]


def _observe(context, domain_id):
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


def _plan(context, domain_id, before):
    present = before.record["values"]
    record = {"type": context["type"], "name": before.record["name"]}
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


def _wanted_values(context, present):
    """Return the values that the record is to have, in canonical form, and as they are to be sent."""
    given = {canonical_value(context["type"], value): value for value in context["values"] or []}
    if context["state"] == "absent":
        return {value: raw for value, raw in present.items() if given and value not in given}
    return given if context["exclusive"] else {**given, **present}


def _records(values):
    return [{"value": value} for value in values]


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
