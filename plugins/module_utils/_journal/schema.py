# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table that a database has, in any version; SQLite and PostgreSQL share the statements."""

from __future__ import annotations

from .._errors import JournalError

VERSION = 1
MIGRATIONS: dict[int, str] = {}
"""For each older version the statement that turns its table into that of the next version."""

TABLE = """
create table hosting_management_journal (
    service text not null,
    subject text not null,
    wanted text not null,
    progress text not null,
    sent_at double precision not null,
    answer_by double precision not null,
    sender text not null,
    operation_id text,
    ended_at double precision,
    release text,
    part text,
    key text not null,
    primary key (service, subject, key)
)
"""


def check_version(version: int) -> None:
    if version > VERSION:
        raise JournalError(
            f"The journal was written by a newer version of this collection (its schema is {version}, and this one"
            f" knows {VERSION}). Upgrade the collection: ansible-galaxy collection install --upgrade"
            " hosting.management. Or set journal (or HOSTING_JOURNAL) to another place."
        )


def statements_since(version: int) -> list[str]:
    """Return what makes a table of this version (0: none) one of today's."""
    if version == 0:
        return [TABLE]
    return [MIGRATIONS[one] for one in range(version, VERSION)]
