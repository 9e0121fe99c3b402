#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site_theme
short_description: Update themes of an environment
version_added: 0.1.0
description:
  - Updates an installed theme to a given version (C(PUT /sites/environments/{env_id}/themes), interface section 4.9).
  - With O(names), updates several themes to their newest versions with one request. This requires a service that has
    this endpoint (C(PUT /sites/environments/{env_id}/themes/bulk-update), a companion of the documented interface) and
    that shows the themes.
  - The task fails if the service still shows another version when the operation has ended.
options:
  name:
    description:
      - The slug of the theme to update to O(update_version). The task fails if the environment does not have it.
    type: str
  update_version:
    description:
      - The version to update O(name) to. Put it in quotes.
    type: str
  names:
    description:
      - The slugs of the themes to update to their newest versions, or patterns such as V(example-*), where V(*) matches
        any text, V(?) any one character, and V([ab]) one of the listed characters.
      - The module skips what the environment does not have, so one list can serve many sites.
    type: list
    elements: str
    version_added: 0.2.0
  exclude:
    description:
      - The slugs of themes to exclude from O(names), or patterns as in O(names).
    type: list
    elements: str
    version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.canary
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.diff
"""

EXAMPLES = r"""
- name: Update the theme
  hosting.management.site_theme:
    environment_id: "{{ hosting_environment_id }}"
    name: twentytwentyfive
    update_version: "1.3"

- name: Update all themes except our own
  hosting.management.site_theme:
    environment_id: "{{ hosting_environment_id }}"
    names: ["*"]
    exclude: [our-theme]
"""

RETURN = r"""
theme:
  description: The theme O(name). If the service does not show themes, contains only the name and version.
  returned: success, with O(name)
  type: dict
  contains:
    name:
      description: The theme's slug.
      type: str
      sample: twentytwentyfive
    version:
      description: The version that the service shows, or the requested one if the service does not show themes.
      type: str
      sample: "1.3"
themes:
  description: Those of O(names) that had an update. Empty if there was nothing to update.
  returned: with O(names), always, once the themes were listed
  type: list
  elements: dict
  contains:
    name:
      description: The theme's slug.
      type: str
      sample: storefront
    previous_version:
      description: The version before the task.
      type: str
      sample: 4.5.0
    version:
      description: The version that the service shows, or the requested one if the task did not check again.
      type: str
      sample: 4.6.0
held:
  description:
    - The updates that were left out because of O(canary), each because of an environment that has it.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: V(plugin), V(theme) or V(php).
      type: str
    name:
      description: The slug of the plugin or theme, or V(php).
      type: str
    version:
      description: The version that is held back.
      type: str
    previous_version:
      description: Always null here.
      type: str
    verdict:
      description: V(broke_it) if it broke that environment, V(not_known) if nobody knows yet whether it works there.
      type: str
    reason:
      description: What the verdict is based on.
      type: str
    environment_id:
      description: The id of that environment.
      type: str
    environment:
      description: What that environment is called.
      type: str
    updated_at:
      description: When that environment was updated, in ISO 8601, UTC.
      type: str
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
      sample: wp-theme:update-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
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

from ..module_utils._arguments import ModuleSpec, api_options, change_options, environment_option, operation_options
from ..module_utils._entry import run_module
from ..module_utils._parts.themes import CONSTRAINTS, OPTIONS, RULE, run

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    {"environment_id": environment_option()},
    OPTIONS,
    rule=RULE,
    **CONSTRAINTS,
)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
