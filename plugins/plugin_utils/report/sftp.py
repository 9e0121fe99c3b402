# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addresses that may use SFTP and SSH."""

from __future__ import annotations

from collections.abc import Iterator

from ..plain_values import Record
from .part import Part
from .pieces import Cell, Section, Table, host_cell, number_cell
from .words import count, names


class Sftp(Part):
    """The allowlist of each environment. An empty one allows all addresses."""

    name, title, key = "sftp", "SFTP and SSH", "sftp_ip_allowlist"
    urgency = 70

    def of_environment(self, host: Record, read: Record | None) -> Record:
        return {"sftp_allowlist": read and [str(address) for address in read["sftp_ip_allowlist"]]}

    def attention(self, document: Record) -> Iterator[Record]:
        opened = [one for one in document["environments"] if one["sftp_allowlist"] == []]
        if opened:
            where = count(len(opened), "environment")
            yield self.note("warn", f"SFTP and SSH are open to all addresses in {where}: {names(opened)}.")

    def section(self, document: Record) -> Section:
        rows = []
        for one in document["environments"]:
            addresses = one["sftp_allowlist"]
            if addresses is not None:
                shown = Cell(", ".join(addresses)) if addresses else Cell("open to all addresses", "warn")
                rows.append([host_cell(one), number_cell(len(addresses)), shown])
        table = Table("Addresses that may use SFTP and SSH", ["Environment", "Count", "Addresses"], rows)
        return Section(self.name, self.title, tables=[table] if rows else [])
