#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site_theme
short_description: Update a theme of an environment to a version
version_added: 0.1.0
description:
  - Updates an installed theme (C(PUT /sites/environments/{env_id}/themes), interface section 4.9).
  - The task fails when the operation ends and the service still shows another version.
options:
  name:
    description:
      - The theme's slug.
    type: str
    required: true
  update_version:
    description:
      - The version to update to.
    type: str
    required: true
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.diff
"""

EXAMPLES = r"""
- name: Update the theme
  hosting.management.site_theme:
    environment_id: e0000000-0000-4000-8000-000000000011
    name: twentytwentyfive
    update_version: "1.3"
"""

RETURN = r"""
theme:
  description: The theme. Where the service shows no themes, only name and version are there.
  returned: success
  type: dict
  contains:
    name:
      description: The theme's slug.
      type: str
      sample: twentytwentyfive
    version:
      description: The version asked for, or the one the service shows.
      type: str
      sample: "1.3"
state_source:
  description:
    - Where the knowledge of the present state came from. V(service) when it was read, V(journal) when the service does
      not show it and the journal remembers what was last accepted, V(none) when neither knows it.
  returned: success
  type: str
  sample: service
operation:
  description: The operation that the service accepted.
  returned: when an operation was started, or one of an earlier run was waited for
  type: dict
  contains:
    id:
      description: The id of the operation.
      type: str
      sample: wp-theme:update-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
    state:
      description:
        - V(finished), V(in_progress) (with O(wait=false)), or V(unknown) when the service does not show how the
          operation stands.
      type: str
      sample: finished
    message:
      description: The service's message about the operation.
      type: str
    resumed:
      description: Whether an earlier run had started the operation, and this one only waited for it.
      type: bool
error:
  description: What went wrong, for conditions. The text for people is in RV(ignore:msg).
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
      description: The HTTP status, if there was an answer.
      type: int
    message:
      description: The service's own message, if it sent one.
      type: str
    method:
      description: The method of the request that failed.
      type: str
    path:
      description: The path of the request that failed, below O(base_url).
      type: str
    operation_id:
      description: The operation concerned, if there is one.
      type: str
"""

from ..module_utils._arguments import (
    ModuleSpec,
    api_options,
    change_options,
    environment_option,
    operation_options,
    text_option,
)
from ..module_utils._context import NOT_SHOWN
from ..module_utils._convergence import Observed, always, converge
from ..module_utils._entry import run_module
from ..module_utils._errors import InvalidInput
from ..module_utils._interface import GET_THEMES, UPDATE_THEME

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    {
        "environment_id": environment_option(),
        "name": text_option(),
        "update_version": text_option(),
    },
)


def run(context):
    """Update a theme of an environment to a version (interface section 4.9)."""
    outcome = converge(
        context,
        subject=("site_theme", context["environment_id"], context["name"]),
        name="version",
        plan=always(
            context["update_version"],
            UPDATE_THEME(env_id=context["environment_id"], body=context.given("name", "update_version")),
        ),
        observe=lambda: _observe(context),
    )
    return outcome.result(theme=outcome.record or {"name": context["name"], "version": context["update_version"]})


def _observe(context):
    answer = context.companion(GET_THEMES(env_id=context["environment_id"]))
    if answer is NOT_SHOWN:
        return NOT_SHOWN
    themes = answer.named("environment.container_info.wp_themes.data")
    if context["name"] not in themes:
        raise InvalidInput(
            f"The environment has no theme {context['name']}. It has: {', '.join(sorted(themes)) or 'none'}."
            " Install the theme first, or check its slug."
        )
    theme = themes[context["name"]]
    return Observed(theme.get("version"), theme)


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
