# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table in a PostgreSQL database: who makes it, in which version it is, and what a user may do with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._errors import JournalError
from . import schema

if TYPE_CHECKING:
    import psycopg


_COMMENT = "hosting.management journal, schema"
# to_regclass() would do, but may still say no after we have waited for the run that makes the table.
_FIND_TABLE = (
    "select obj_description(oid, 'pg_class') from pg_catalog.pg_class"
    " where relname = 'hosting_management_journal' and pg_table_is_visible(oid)"
)


@dataclass(frozen=True)
class Setup:
    """How far a database is prepared: the version of the table (0 without one), and what a user may do with it."""

    schema_version: int
    privileges: tuple[str, ...]


COMPLETE = Setup(schema.VERSION, ("usage", "select", "insert", "update", "delete"))
"""What a user needs; ``usage`` is that of the table's schema."""


def lock(connection: psycopg.Connection, name: str) -> None:
    connection.execute("select pg_advisory_xact_lock(hashtextextended('hosting.management ' || %s, 0))", (name,))


def version_of(connection: psycopg.Connection) -> int:
    """Return the version of the table, which is in its comment; 0 without a table."""
    table = connection.execute(_FIND_TABLE).fetchone()
    if table is None:
        return 0
    found = re.search(rf"{_COMMENT} (\d+)", table[0] or "")
    version = int(found[1]) if found else 1
    schema.check_version(version)
    return version


def make_table(connection: psycopg.Connection) -> None:
    """Make the table, or bring it to this version."""
    lock(connection, "schema")
    version = version_of(connection)  # another run may have made it meanwhile
    if version == 0:
        require_privilege(connection)
    if version < schema.VERSION:
        for statement in schema.statements_since(version):
            connection.execute(statement)
        connection.execute(f"comment on table hosting_management_journal is '{_COMMENT} {schema.VERSION}'")


def require_privilege(connection: psycopg.Connection) -> None:
    """Raise JournalError where the user may not make a table: since PostgreSQL 15 that is so in the schema public."""
    user, place, may_create = connection.execute(
        "select quote_ident(current_user), quote_ident(current_schema()),"
        " has_schema_privilege(current_schema(), 'create')"
    ).fetchone()
    if not may_create:
        raise JournalError(
            "The PostgreSQL journal needs the table hosting_management_journal, and its user may not make it. The owner"
            f" of the database runs once: GRANT CREATE ON SCHEMA {place or 'public'} TO {user}; or: CREATE SCHEMA"
            f" AUTHORIZATION {user}; or makes the table and grants SELECT, INSERT, UPDATE and DELETE on it."
        )


def first_value(connection: psycopg.Connection, query: str, *values: object) -> Any:
    return connection.execute(query, values).fetchone()[0]


_SCHEMA_OF_TABLE = (
    "select coalesce((select nspname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = relnamespace"
    " where relname = 'hosting_management_journal' and pg_table_is_visible(c.oid)), current_schema())"
)


def setup_of(connection: psycopg.Connection, user: str) -> Setup:
    if not first_value(connection, "select count(*) from pg_catalog.pg_roles where rolname = %s", user):
        raise JournalError(
            f"The database has no user {user}. Make it first, with CREATE ROLE {user} LOGIN PASSWORD '...'. Nothing was"
            " done."
        )
    place = first_value(connection, _SCHEMA_OF_TABLE)
    version = version_of(connection)
    usage, *privileges = COMPLETE.privileges
    may = [usage] if first_value(connection, "select has_schema_privilege(%s, %s, %s)", user, place, usage) else []
    if version:
        query = "select has_table_privilege(%s, 'hosting_management_journal', %s)"
        may += [one for one in privileges if first_value(connection, query, user, one)]
    return Setup(version, tuple(may))


def grant(connection: psycopg.Connection, user: str, before: Setup) -> None:
    from psycopg.sql import SQL, Identifier

    if COMPLETE.privileges[0] not in before.privileges:
        place = first_value(connection, _SCHEMA_OF_TABLE)
        connection.execute(SQL("grant usage on schema {} to {}").format(Identifier(place), Identifier(user)))
    statement = "grant select, insert, update, delete on hosting_management_journal to {}"
    connection.execute(SQL(statement).format(Identifier(user)))
