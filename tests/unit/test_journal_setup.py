# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""journal_setup and the SQL of the guide prepare a database for a user who may not make tables."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest

from ansible_collections.hosting.management.plugins.module_utils._errors import JournalError
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, open_journal
from ansible_collections.hosting.management.plugins.modules import journal_setup
from postgres import PASSWORD

pytest_plugins = ["simulator.fixtures", "unit.postgres"]

GUIDE = (Path(__file__).parents[2] / "docs" / "awx.md").read_text()
[OF_ADMINISTRATOR, OF_OWNER] = re.findall(r"```sql\n(.*?)```", GUIDE, re.DOTALL)
PRIVILEGES = ["usage", "select", "insert", "update", "delete"]
SUBJECT = ("https://a.example/v2", "env_push/1/2")
# Now: what is old may be removed at any time.
ENTRY = Entry.sent_now("wanted", 30)


class Database:
    """A database of an owner, and a user who may do nothing in it, as an administrator would make them."""

    def __init__(self, server):
        self.server = server
        self.name, self.owner, self.user = server.new_database(), server.new_user(), server.new_user()
        server.execute(f"alter database {self.name} owner to {self.owner}")
        # As it is since PostgreSQL 15, also on older ones.
        self.execute("revoke all on schema public from public")
        self.execute(f"grant all on schema public to {self.owner}")

    def execute(self, statement):
        self.server.execute(statement, self.name)

    def address(self, user):
        return self.server.address(self.name, user)

    def require_usable(self):
        """The user keeps a journal here."""
        journal = open_journal(self.address(self.user))
        assert journal.replace(SUBJECT, (), (ENTRY,))
        assert journal.replace(SUBJECT, (ENTRY,), (ENTRY.with_progress("finished"),))
        assert len(journal.read(SUBJECT)) == 1
        journal.close()


@pytest.fixture
def database(postgres_server):
    return Database(postgres_server)


@pytest.fixture
def set_up(controller, database):
    """A function that runs the module as the owner, without a service."""

    def run(**options):
        options = {"journal": database.address(database.owner), "user": database.user, **options}
        return controller.run(journal_setup, base_url=None, api_key=None, **options)

    return run


def test_the_user_of_the_jobs_can_keep_a_journal_afterwards(database, set_up):
    with pytest.raises(JournalError, match="may not make it"):
        database.require_usable()
    predicted = set_up(check_mode=True, diff=True)
    with pytest.raises(JournalError, match="may not make it"):
        database.require_usable()
    done = set_up(diff=True)
    assert done == predicted
    assert done == {
        "changed": True,
        "schema_version": 1,
        "privileges": PRIVILEGES,
        "diff": {
            "before": {"schema_version": 0, "privileges": []},
            "after": {"schema_version": 1, "privileges": PRIVILEGES},
        },
    }
    database.require_usable()
    assert not set_up()["changed"]


def test_the_sql_of_the_guide_does_the_same(database, set_up):
    database.execute("drop role if exists jobs")
    database.execute(OF_ADMINISTRATOR)
    with psycopg.connect(database.address(database.owner), autocommit=True) as connection:
        connection.execute(OF_OWNER)
    assert not set_up(user="jobs")["changed"]
    assert set_up(check_mode=True, diff=True)["diff"]["before"] == {"schema_version": 1, "privileges": []}
    by_hand = columns(database)
    database.execute("drop table hosting_management_journal")
    assert set_up()["changed"]
    assert columns(database) == by_hand
    database.execute("drop owned by jobs; drop role jobs")


def columns(database):
    query = (
        "select column_name, data_type, is_nullable, ordinal_position, column_default, obj_description(c.oid),"
        " (select array_agg(pg_get_constraintdef(oid)) from pg_constraint where conrelid = c.oid and contype = 'p')"
        " from information_schema.columns, pg_class c where c.relname = table_name"
        " and table_name = 'hosting_management_journal' order by ordinal_position"
    )
    with psycopg.connect(database.address(database.owner)) as connection:
        return connection.execute(query).fetchall()


def test_what_is_missing_is_granted(database, set_up):
    set_up()
    database.execute(f"revoke delete on hosting_management_journal from {database.user}")
    assert set_up(check_mode=True, diff=True)["diff"]["before"]["privileges"] == PRIVILEGES[:-1]
    assert set_up()["changed"]
    database.require_usable()


def test_without_a_user_it_is_the_one_of_the_address(set_up):
    assert set_up(user=None)["changed"]
    assert not set_up(user=None)["changed"]
    assert set_up()["changed"]


def test_names_are_quoted(database, set_up):
    database.user = 'jobs "of" AWX'
    database.execute(f"""create role "jobs ""of"" AWX" login password '{PASSWORD}'""")
    assert set_up()["changed"]
    assert not set_up()["changed"]
    database.execute("""drop owned by "jobs ""of"" AWX"; drop role "jobs ""of"" AWX" """)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (
            {"user": "nobody_has_this_name"},
            "journal",
            "no user nobody_has_this_name. Make it first",
        ),
        ({"journal": "/var/lib/journal.db"}, "invalid_input", "A SQLite file needs no preparation"),
        ({"journal": ""}, "invalid_input", "must be the postgresql:// address"),
        ({"user": " "}, "invalid_input", "user must not be empty"),
    ],
)
def test_bad_input_is_refused(options, kind, message, set_up):
    result = set_up(**options)
    assert result["error"]["kind"] == kind
    assert message in result["msg"]
    assert PASSWORD not in str(result)


def test_a_user_who_may_not_make_the_table_is_told_so(database, set_up):
    result = set_up(journal=database.address(database.user))
    assert result["error"]["kind"] == "journal"
    assert "may not make it" in result["msg"]
    assert PASSWORD not in str(result)
