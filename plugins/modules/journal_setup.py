#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: journal_setup
short_description: Prepare a PostgreSQL database for the journal
version_added: 0.2.0
description:
  - Creates the journal's table, or upgrades it to the version of this collection, and lets another user read and write
    it. The user that runs the jobs then needs no right to create tables.
  - If that user may create tables, you do not need this module. The first task that uses the journal then creates the
    table.
  - The module sends nothing to the hosting service, so neither O(base_url) nor O(api_key) is required.
options:
  user:
    description:
      - The database user that reads and writes the journal. It must already exist.
      - Defaults to the user in O(journal).
    type: str
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.attributes
  - hosting.management.attributes.diff
notes:
  - Here, O(journal) must be the address of the database, with a user that may create tables, such as
    V(postgresql://owner@db.example.com/hosting). Put the password in the environment variable E(PGPASSWORD), or in
    libpq's password file.
requirements:
  - psycopg >= 3.2
"""

EXAMPLES = r"""
- name: Create the journal's table, and let the jobs' user use it
  hosting.management.journal_setup:
    journal: "{{ address_with_owner }}"
    user: jobs
"""

RETURN = r"""
schema_version:
  description: The version of the table's schema.
  returned: success
  type: int
  sample: 1
privileges:
  description: The user's privileges on the table and the database schema.
  returned: success
  type: list
  elements: str
  sample: [usage, select, insert, update, delete]
error:
  description:
    - What went wrong, as values for conditions. The human-readable message is in RV(ignore:msg).
    - L(When something fails,https://github.com/hosting-management/hosting.management/blob/main/docs/failures.md)
      says which kinds there are, what to do about each, and what else the values tell.
  returned: failure
  type: dict
  contains:
    kind:
      description: What kind of failure it was.
      type: str
      sample: unauthorized
"""

from typing import Any

from ..module_utils._arguments import ModuleSpec, api_options, text_option
from ..module_utils._context import Context
from ..module_utils._entry import run_module
from ..module_utils._errors import InvalidInput
from ..module_utils._journal import COMPLETE, PostgresJournal, Setup

SPEC = ModuleSpec(api_options(), {"user": text_option(required=False)}, needs_service=False)


def run(context: Context) -> dict[str, Any]:
    """Prepare a PostgreSQL database for the journal."""
    if not isinstance(context.journal, PostgresJournal):
        raise InvalidInput(
            "journal must be the postgresql:// address of a database, with a user who may make tables. A SQLite file"
            " needs no preparation. Nothing was done."
        )
    before = context.journal.set_up(context["user"], predict=context.check_mode)
    result = {"changed": before != COMPLETE, **_shown(COMPLETE)}
    if context.diff:
        result["diff"] = {"before": _shown(before), "after": _shown(COMPLETE)}
    return result


def _shown(setup: Setup) -> dict[str, Any]:
    return {"schema_version": setup.schema_version, "privileges": list(setup.privileges)}


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
