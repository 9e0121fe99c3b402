#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: operation_info
short_description: Check the state of operations, or wait for them
version_added: 0.1.0
description:
  - Gets the state of accepted operations from the service. With O(wait=true), waits for all of them in parallel, in one
    task.
  - Use it after tasks with O(ignore:wait=false) to start many operations, and then wait for all of them at once.
  - The task fails if any operation has failed, and names those that did.
  - Requires a service that shows operations (C(GET /operations/{operation_id}), a companion of the documented
    interface). If the service does not show operations, or no longer knows an operation, the operation's state is
    V(unknown) and the task issues a warning.
options:
  operation_ids:
    description:
      - The ids of the operations, as in RV(hosting.management.env_push#module:operation.id).
    type: list
    elements: str
    required: true
    aliases: [operation_id]
  wait:
    description:
      - Whether to wait for all operations to end.
    type: bool
    default: false
  wait_timeout:
    description:
      - The maximum number of seconds to wait for the operations. They continue after that.
    type: float
    default: 600
  poll_interval:
    description:
      - Seconds between the first checks. The longer the operation takes, the less often the module checks, so the delay
        in noticing its end is at most a seventh of its duration. The interval never exceeds 15 seconds.
    type: float
    default: 1
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Start a backup of each environment
  hosting.management.manual_backup:
    environment_id: "{{ item }}"
    tag: before-maintenance
    wait: false
  loop:
    - "{{ hosting_environment_id }}"
    - "{{ hosting_source_environment_id }}"
  register: backups

- name: Wait for all backups
  hosting.management.operation_info:
    operation_ids: "{{ backups.results | selectattr('operation', 'defined') | map(attribute='operation.id') }}"
    wait: true
"""

RETURN = r"""
operations:
  description: The operations, in the order of O(operation_ids).
  returned: always, once the operations were checked
  type: list
  elements: dict
  contains:
    id:
      description: The id of the operation.
      type: str
      sample: backups:add-manual-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
    state:
      description: One of V(in_progress), V(finished), V(failed) and V(unknown).
      type: str
      sample: finished
    message:
      description: The service's message about the operation.
      type: str
    data:
      description: The result of the operation, if the service returns one. The service keeps results only for a while.
      type: raw
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

import time
from typing import Any

from ..module_utils._arguments import ModuleSpec, Option, api_options, operation_options
from ..module_utils._checks import checked_operation_ids
from ..module_utils._context import Context
from ..module_utils._entry import run_module
from ..module_utils._errors import HostingError
from ..module_utils._operations import Operation, require_finished
from ..module_utils._progress import UNKNOWN

SPEC = ModuleSpec(
    api_options(),
    operation_options(),
    {
        "operation_ids": Option(
            checked_operation_ids, type="list", elements="str", required=True, aliases=["operation_id"]
        ),
        "wait": {"type": "bool", "default": False},
    },
)


def run(context: Context) -> dict[str, Any]:
    """Tell how operations stand, or wait for them (a companion of the interface)."""
    # Without waiting there is no time in which an operation could become visible.
    accepted_at = time.time() if context.wait else None
    operations = [Operation(one, accepted_at=accepted_at, resumed=True) for one in context["operation_ids"]]
    context.follow(operations, None if context.wait else 0)
    for operation in operations:
        if operation.why_silent and not context.wait:
            operation.cannot_be_told(f"It cannot be told how an operation stands: {operation.why_silent}.")
    results = [_as_result(operation) for operation in operations]
    try:
        require_finished(operations, context.wait_timeout if context.wait else None)
    except HostingError as error:
        error.results["operations"] = results
        raise
    unknown = [operation for operation in operations if operation.state == UNKNOWN]
    if unknown:
        ids = ", ".join(str(operation.id) for operation in unknown)
        context.warn(f"{unknown[0].message} The state of these operations is unknown: {ids}")
    return {"operations": results}


def _as_result(operation: Operation) -> dict[str, Any]:
    return {"id": operation.id, "state": operation.state, "message": operation.message, "data": operation.data}


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
