# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The DNS records of a domain (interface section 4.17)."""

from __future__ import annotations

from typing import Any

from .._arguments import uuid_option
from .._context import Context
from .._dns import dns_records_in
from .._interface import GET_DNS_RECORDS

OPTIONS = {"domain_id": uuid_option()}


def run(context: Context) -> dict[str, Any]:
    """List the DNS records of a domain."""
    answer = context.send(GET_DNS_RECORDS(domain_id=context["domain_id"]))
    return {"dns_records": dns_records_in(answer), "answer": answer.data}
