# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode finds out whether the journal can be written, and leaves no trace of that."""

from __future__ import annotations

import os
import stat

import pytest

from ansible_collections.hosting.management.plugins.module_utils._errors import JournalError
from ansible_collections.hosting.management.plugins.module_utils._journal import SqliteJournal, open_journal
from ansible_collections.hosting.management.plugins.modules import denied_ips, env_push
from integration.table import row_of

pytest_plugins = ["simulator.fixtures", "unit.postgres"]

MODULES = pytest.mark.parametrize(
    ("module", "options"),
    [(denied_ips, row_of("denied_ips").options), (env_push, row_of("env_push").options)],
    ids=["denied_ips", "env_push"],
)


@MODULES
@pytest.mark.parametrize("place", ["", "file/journal.db", "file/below/journal.db"])
def test_a_journal_that_cannot_be_written_is_told(place, module, options, controller, simulator, tmp_path):
    (tmp_path / "file").write_text("")
    controller.options["journal"] = str(tmp_path / place)
    result = controller.run(module, check_mode=True, **options)
    assert result["error"]["kind"] == "journal", result
    assert str(tmp_path / place) in result["msg"]
    assert simulator.writes == []


@MODULES
def test_no_file_is_made(module, options, controller, tmp_path):
    controller.options["journal"] = str(tmp_path / "new" / "journal.db")
    assert controller.run(module, check_mode=True, **options)["changed"]
    assert not (tmp_path / "new").exists()


def test_a_folder_or_file_that_may_only_be_read_is_told(tmp_path, monkeypatch):
    path = tmp_path / "journal.db"
    readable = os.access
    monkeypatch.setattr(os, "access", lambda one, mode: readable(one, mode) and bool(one.stat().st_mode & stat.S_IWUSR))
    tmp_path.chmod(0o500)
    for there in (False, True):
        if there:
            path.touch()
            tmp_path.chmod(0o700)
            path.chmod(0o400)
        with pytest.raises(JournalError, match="cannot be written"):
            SqliteJournal(path).require_writable()
    path.chmod(0o600)
    SqliteJournal(path).require_writable()


def test_a_database_in_which_nothing_may_be_made_or_written_is_told(postgres_server):
    database, user = postgres_server.new_database(), postgres_server.new_user()
    postgres_server.execute("revoke create on schema public from public", database)
    journal = open_journal(postgres_server.address(database, user))
    with pytest.raises(JournalError, match="GRANT CREATE ON SCHEMA"):
        journal.require_writable()
    owner = open_journal(postgres_server.address(database))
    owner.require_writable()
    owner.replace(("a", "b"), (), ())
    with pytest.raises(JournalError, match="lacks delete, insert, select, update"):
        journal.require_writable()
    postgres_server.execute(f"grant select, insert, update, delete on hosting_management_journal to {user}", database)
    journal.require_writable()
    for one in (journal, owner):
        one.close()
