#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: company_user_role
short_description: Set the role of a user in the company
version_added: 0.1.0
description:
  - Sets a user's role in the company (C(POST /company/{company_id}/users/company-capabilities), interface section 4.1).
  - The service does not show users' roles, so only the journal tells whether the role was set before. Without a
    journal, every run sets it again, which does no harm.
options:
  company_id:
    description:
      - The id of the company.
    type: str
    required: true
  user_id:
    description:
      - The id of the user.
    type: str
    required: true
  role:
    description:
      - The role to give the user.
    type: str
    required: true
    choices: [company-admin, company-developer, company-billing]
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.diff
"""

EXAMPLES = r"""
- name: Let the new colleague deploy
  hosting.management.company_user_role:
    company_id: "{{ hosting_company_id }}"
    user_id: d0000000-0000-4000-8000-000000000002
    role: company-developer
"""

RETURN = r"""
company_user:
  description: The user and the requested role.
  returned: success
  type: dict
  sample:
    company_id: c0000000-0000-4000-8000-000000000001
    user_id: d0000000-0000-4000-8000-000000000002
    role: company-developer
is_set:
  description: Whether this task set the role, or would have in check mode. Same as RV(ignore:changed), but not affected
    by C(changed_when).
  returned: success
  type: bool
  sample: true
state_source:
  description:
    - V(journal) if the journal knows which role was set last, V(none) otherwise. The service does not show it.
  returned: success
  type: str
  sample: none
operation:
  description: The operation that the service accepted.
  returned: when the task started an operation, or followed one that an earlier run had started
  type: dict
  contains:
    id:
      description: The id of the operation.
      type: str
      sample: company:set-company-user-capabilities-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
    state:
      description:
        - V(finished), V(in_progress) (with O(wait=false)), or V(unknown) if the service does not show the operation's
          state.
      type: str
      sample: finished
    message:
      description: The service's message about the operation.
      type: str
    resumed:
      description: Whether an earlier run started the operation, and this task only followed it.
      type: bool
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

from ..module_utils._arguments import (
    ModuleSpec,
    api_options,
    change_options,
    operation_options,
    uuid_option,
)
from ..module_utils._context import Context
from ..module_utils._convergence import always, converge
from ..module_utils._entry import run_module
from ..module_utils._interface import EDIT_COMPANY_USER

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    {
        "company_id": uuid_option(),
        "user_id": uuid_option(),
        "role": {
            "type": "str",
            "required": True,
            "choices": ["company-admin", "company-developer", "company-billing"],
        },
    },
)


def run(context: Context) -> dict[str, Any]:
    """Set the role of a company's user (interface section 4.1)."""
    outcome = converge(
        context,
        subject=("company_user_role", context["company_id"], context["user_id"]),
        name="role",
        plan=always(
            context["role"],
            EDIT_COMPANY_USER(company_id=context["company_id"], body=context.given("user_id", "role")),
        ),
    )
    return outcome.result(company_user=context.given("company_id", "user_id", "role"), is_set=outcome.changed)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
