#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: plain_environment
short_description: Create an environment without site software
version_added: 0.1.0
description:
  - Creates a plain environment for a site (C(POST /sites/{site_id}/environments/plain), interface section 4.8), unless
    the site already has one with the same display name.
  - The module never creates an environment twice on its own. If the answer is lost, the next run checks whether the
    environment was created.
options:
  site_id:
    description:
      - The id of the site.
    type: str
    required: true
  display_name:
    description:
      - The display name of the environment.
    type: str
    required: true
  is_premium:
    description:
      - Whether to create a premium environment. An existing environment is not changed.
    type: bool
    default: false
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
- name: Create an environment for load tests
  hosting.management.plain_environment:
    site_id: "{{ hosting_site_id }}"
    display_name: Load tests
    is_premium: false
  register: load_tests
"""

RETURN = r"""
environment:
  description: The environment. Only its display name is always present. The rest comes from the service, if it shows
    environments.
  returned: success
  type: dict
  contains:
    display_name:
      description: The display name of the environment.
      type: str
      sample: Load tests
    id:
      description: The id of the environment.
      returned: when the service shows it
      type: str
      sample: e0000000-0000-4000-8000-000000000013
state_source:
  description:
    - Where the module found the current state. V(service) if it read the state from the service, V(journal) if the
      service does not show it but the journal records what was last accepted, V(none) if neither knows it.
  returned: success
  type: str
  sample: service
operation:
  description: The operation that the service accepted.
  returned: when the task started an operation, or followed one that an earlier run had started
  type: dict
  contains:
    id:
      description: The id of the operation.
      type: str
      sample: environment:clone-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
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
    text_option,
    uuid_option,
)
from ..module_utils._context import NOT_SHOWN, Context
from ..module_utils._convergence import Observed, always, converge
from ..module_utils._entry import run_module
from ..module_utils._interface import CREATE_PLAIN_ENVIRONMENT
from ..module_utils._sites import environments_of_site

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    {
        "site_id": uuid_option(),
        "display_name": text_option(),
        # Always sent: the service may require it.
        "is_premium": {"type": "bool", "default": False},
    },
)


def run(context: Context) -> dict[str, Any]:
    """Create an environment without site software (interface section 4.8)."""
    outcome = converge(
        context,
        subject=("plain_environment", context["site_id"], context["display_name"]),
        name="display_name",
        plan=always(
            context["display_name"],
            CREATE_PLAIN_ENVIRONMENT(site_id=context["site_id"], body=context.given("display_name", "is_premium")),
        ),
        observe=lambda: _observe(context),
    )
    return outcome.result(environment=outcome.record or context.given("display_name"))


def _observe(context: Context) -> Observed | None:
    environments = environments_of_site(context)
    if environments is NOT_SHOWN:
        return NOT_SHOWN
    for environment in environments:
        if environment.get("display_name") == context["display_name"]:
            return Observed(context["display_name"], environment)
    return Observed(None)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
