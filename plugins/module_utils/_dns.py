# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The DNS records of a domain, and their names and values in canonical form."""

from __future__ import annotations

import ipaddress
import re
from typing import Any

from ._answers import Answer
from ._context import Context
from ._interface import GET_DNS_RECORDS

ADDRESSES = {"A": ipaddress.IPv4Address, "AAAA": ipaddress.IPv6Address}
WITH_HOST_NAME = ("CNAME", "MX", "NS", "PTR", "SRV")
WITH_TEXT = ("TXT", "SPF")


def dns_records_of(context: Context, domain_id: str) -> list[dict[str, Any]]:
    """Return the records of a domain (interface section 4.17), with their values alone as ``rdata``."""
    return dns_records_in(context.send(GET_DNS_RECORDS(domain_id=domain_id)))


def dns_records_in(answer: Answer) -> list[dict[str, Any]]:
    """Return the records of an answer of section 4.17, with their values alone as ``rdata``."""
    try:
        records = [
            {**record, "rdata": [value["value"] for value in record["resource_records"]]}
            for record in answer.records("domain.dns_records")
        ]
    except (KeyError, TypeError):
        raise answer.malformed("domain.dns_records") from None
    texts = (text for record in records for text in (record.get("type"), record.get("name"), *record["rdata"]))
    if not all(isinstance(text, str) for text in texts):
        raise answer.malformed("domain.dns_records")
    return records


def canonical_name(name: str) -> str:
    """Return a host name of the service in lower case, without a final dot."""
    return name.rstrip(".").lower()


def canonical_value(record_type: str, value: str) -> str:
    """Return a value of a record in the form in which two that mean the same are equal."""
    value = value.strip()
    if record_type in ADDRESSES:
        try:
            return str(ADDRESSES[record_type](value))
        except ValueError:
            return value
    if record_type in WITH_HOST_NAME:
        return " ".join(canonical_name(value).split())
    if record_type in WITH_TEXT and value.startswith('"'):
        quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', value)
        return re.sub(r"\\(.)", r"\1", "".join(quoted))
    return value


def checked_value(record_type: str, value: str) -> None:
    """Raise ValueError, with the end of a sentence, for a value that no record of this type can have."""
    if not value.strip():
        raise ValueError("has an empty value")
    if record_type in ADDRESSES:
        try:
            ADDRESSES[record_type](value.strip())
        except ValueError:
            version = ADDRESSES[record_type].__name__.removesuffix("Address")
            raise ValueError(f"of type {record_type} must be {version} addresses, not {value!r}") from None
