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
    is_offered:
      description: Whether the service offers the endpoint, as far as its answer tells. V(false) where it has no such
        endpoint, or none that the key's user may read.
      type: bool
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

from ..module_utils._arguments import ModuleSpec, api_options, text_option
from ..module_utils._entry import run_module
from ..module_utils._errors import InvalidInput
from ..module_utils._journal import COMPLETE, PostgresJournal

SPEC = ModuleSpec(api_options(), {"user": text_option(required=False)}, needs_service=False)


def run(context):
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


def _shown(setup):
    return {"schema_version": setup.schema_version, "privileges": list(setup.privileges)}


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
