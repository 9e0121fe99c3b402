#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: php_version
short_description: Set the PHP version of an environment
version_added: 0.2.0
description:
  - Sets the PHP version of an environment, and whether the service may update it automatically.
  - The task fails if the service still shows another version when the operation has ended.
  - Requires a service that can set the version (C(PUT /sites/tools/modify-php-version), a companion of the documented
    interface).
options:
  version:
    description:
      - The PHP version, such as V(8.4). Put it in quotes.
      - The format that the service uses, such as V(php8.4), is also accepted.
    type: str
    required: true
  automatic_updates:
    description:
      - Whether the service may update PHP to a newer version automatically. By default, the service decides.
      - With O(site_id), the module reads this setting from the service. If the service does not show it, the journal
        tells whether it was set together with this version.
    type: bool
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.site
  - hosting.management.canary
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.diff
"""

EXAMPLES = r"""
- name: Run PHP 8.4
  hosting.management.php_version:
    site_id: "{{ hosting_site_id }}"
    environment_id: "{{ hosting_environment_id }}"
    version: "8.4"

- name: Stay on PHP 8.3 until further notice
  hosting.management.php_version:
    site_id: "{{ hosting_site_id }}"
    environment_id: "{{ hosting_environment_id }}"
    version: "8.3"
    automatic_updates: false
"""

RETURN = r"""
php_version:
  description: The PHP version that the environment now runs.
  returned: success
  type: str
  sample: "8.4"
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
      sample: php:modify-version-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
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

from ..module_utils._arguments import (
    ModuleSpec,
    api_options,
    change_options,
    environment_option,
    operation_options,
    uuid_option,
)
from ..module_utils._entry import run_module
from ..module_utils._parts.php_version import OPTIONS, RULE, run

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    {"environment_id": environment_option(), "site_id": uuid_option(required=False)},
    OPTIONS,
    rule=RULE,
)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
