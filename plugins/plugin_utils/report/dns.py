# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The DNS records of domains."""

from __future__ import annotations

from collections.abc import Iterator

from ..plain_values import Record
from .part import Part
from .pieces import Cell, Section, Table, host_cell, number_cell

FIELDS = ("type", "name", "ttl", "rdata")


class Dns(Part):
    """The records of the domains of each environment, which are read domain by domain."""

    name, title, key = "dns", "DNS", "dns_records"

    def read_of(self, host: Record) -> Record | None:
        result = host.get("parts", {}).get(self.name)
        return result if isinstance(result, dict) and result.get("results") else None

    def of_environment(self, host: Record, read: Record | None) -> Record:
        found = [
            {"domain_id": one.get("item"), "records": [{name: record.get(name) for name in FIELDS} for record in told]}
            for one in (read or {"results": []})["results"]
            if (told := one.get(self.key)) is not None
        ]
        return {"dns": found or None}

    def failures(self, host: Record) -> Iterator[Record]:
        for one in (self.read_of(host) or {"results": []})["results"]:
            if isinstance(one, dict) and self.key not in one and not one.get("skipped"):
                yield self.unread(f"{host['host']}, domain {one['item']}" if one.get("item") else host["host"], one)

    def section(self, document: Record) -> Section:
        rows = [
            [
                host_cell(one),
                *(Cell(record[name]) for name in ("name", "type")),
                number_cell(record["ttl"]),
                Cell(", ".join(map(str, record["rdata"] or [])) or None),
            ]
            for one in document["environments"]
            for domain in one["dns"] or []
            for record in domain["records"]
        ]
        table = Table("DNS records", ["Environment", "Name", "Type", "TTL", "Values"], rows)
        return Section(self.name, self.title, tables=[table] if rows else [])
