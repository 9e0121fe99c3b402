#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: php_restart
short_description: Restart the PHP engine of an environment
version_added: 0.1.0
description:
  - Restarts the PHP engine (C(POST /sites/tools/restart-php), interface section 4.11).
  - With O(release), restarts PHP once for the release, however often the task runs. Returning to an earlier release
    restarts it again. Without O(release), restarts it on every run.
options:
  release:
    description:
      - What to restart PHP for, such as a version, a tag or a commit. Requires the journal.
    type: str
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.phases
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Restart PHP
  hosting.management.php_restart:
    environment_id: "{{ hosting_environment_id }}"

- name: Restart PHP once for this release
  hosting.management.php_restart:
    environment_id: "{{ hosting_environment_id }}"
    release: v2.4.1
"""

RETURN = r"""
state_source:
  description:
    - V(journal) if the journal knows the request from an earlier run, V(none) otherwise. The service does not show it.
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
      sample: php:restart-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
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
    phase_options,
)
from ..module_utils._entry import run_module
from ..module_utils._parts import php_restart
from ..module_utils._phases import in_phases

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    phase_options(),
    {"environment_id": environment_option()},
    php_restart.OPTIONS,
)

run = in_phases(php_restart.run)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
