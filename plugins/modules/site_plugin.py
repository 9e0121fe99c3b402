#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site_plugin
short_description: Update plugins of an environment
version_added: 0.2.0
description:
  - Updates an installed plugin to a given version (C(PUT /sites/environments/{env_id}/plugins)), or several plugins to
    their newest versions with one request (C(PUT /sites/environments/{env_id}/plugins/bulk-update)). Requires a service
    that has these endpoints, which are companions of the documented interface. The plugins are read as in interface
    section 4.5.
  - The task fails if the service still shows another version when the operation has ended.
  - An update can break a site. Take a backup first, with M(hosting.management.manual_backup).
options:
  name:
    description:
      - The slug of the plugin to update to O(update_version). The task fails if the environment does not have it.
    type: str
  update_version:
    description:
      - The version to update O(name) to. Put it in quotes.
    type: str
  names:
    description:
      - The slugs of the plugins to update to their newest versions, or patterns such as V(example-*), where V(*)
        matches any text, V(?) any one character, and V([ab]) one of the listed characters.
      - The module skips what the environment does not have, so one list can serve many sites.
    type: list
    elements: str
  select:
    description:
      - Which plugins to update to their newest versions. Together with O(names), a plugin must match both.
      - V(updatable) selects all plugins that have an update, V(vulnerable) only those of them whose installed version
        is vulnerable. A vulnerable plugin that has no update is not changed, and RV(vulnerable) lists it.
    type: str
    choices: [updatable, vulnerable]
  exclude:
    description:
      - The slugs of plugins to exclude from O(names) and O(select), or patterns as in O(names).
    type: list
    elements: str
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
- name: Update vulnerable plugins
  hosting.management.site_plugin:
    environment_id: "{{ hosting_environment_id }}"
    select: vulnerable
  register: updated

- name: Show which plugins are still vulnerable
  ansible.builtin.debug:
    msg: "Still vulnerable: {{ updated.vulnerable | join(', ') }}"
  when: updated.vulnerable | default([], true) | length > 0

- name: Update everything except the shop
  hosting.management.site_plugin:
    environment_id: "{{ hosting_environment_id }}"
    select: updatable
    exclude: [example-shop, example-shop-*]

- name: Update one plugin to a given version
  hosting.management.site_plugin:
    environment_id: "{{ hosting_environment_id }}"
    name: example-forms
    update_version: "2.5.0"
"""

RETURN = r"""
plugins:
  description:
    - The plugin O(name), or those of the selected plugins that had an update. Empty if there was nothing to update.
  returned: success, and with O(names) or O(select) always, once the plugins were listed
  type: list
  elements: dict
  contains:
    name:
      description: The plugin's slug.
      type: str
      sample: example-forms
    previous_version:
      description: The version before the task.
      type: str
      sample: 2.4.1
    version:
      description: The version that the service shows, or the requested one if the task did not check again.
      type: str
      sample: 2.5.0
vulnerable:
  description:
    - The slugs of all plugins of the environment whose version is vulnerable after the task, or would be in check mode.
      Null if the service does not show this.
  returned: success
  type: list
  elements: str
  sample: [example-gallery]
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
    - Where the module found the current state. Always V(service), because the documented interface shows it.
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
      sample: wp-plugin:update-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
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
from ..module_utils._parts.plugins import CONSTRAINTS, OPTIONS, RULE, run

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
