#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: operation_wait
short_description: Wait for the operations of many environments in one task
version_added: 0.2.0
description:
  - Waits for what is in progress at the given environments, side by side in one process, and notes in the journal how
    it ended. So one task waits for a whole fleet, whatever the number of forks.
  - Start the operations with O(ignore:wait_until=accepted), wait once with this module and C(run_once), and let each
    host go on with its own, as in the examples. The role P(hosting.management.deploy#role) does that.
  - The journal says what is in progress, so it does not matter which task or run has started it. Two tasks that wait
    for the same operations do not disturb each other.
  - The task does not fail if operations fail, do not end in time, or cannot be looked at; RV(environments) says so. It
    fails if nothing can be known, such as without a valid key.
  - With the strategies C(free) and C(host_pinned), which give a task with C(run_once) to every host, the task is
    skipped. Then each host waits for its own.
options:
  environment_ids:
    description:
      - The ids of the environments.
    type: list
    elements: str
    required: true
  kinds:
    description:
      - What to wait for. V(update) is an update of plugins, themes or PHP, V(removal) the removal of a backup,
        V(command) a WP-CLI command, V(other) anything else, such as a new domain.
    type: list
    elements: str
    choices: [backup, push, restore, update, removal, command, restart, caches, other]
    default: [backup, push, restore, update, removal, command, restart, caches, other]
  environment_names:
    description:
      - What messages call the environments, by their ids.
    type: dict
    default: {}
  looks_per_minute:
    description:
      - How many looks at operations this task takes within any minute at most, however many operations it follows.
        Those that are likely to end now come first, by how long such operations have taken so far.
      - If the service answers that there are too many requests, the looks come one by one from then on, the rarer the
        more often it says so, and then more frequently again.
    type: int
    default: 90
  pause_when_unknown:
    description:
      - Where the service does not show how operations end, how many seconds to wait since they were requested.
    type: float
    default: 0
  overlap:
    description:
      - Whether the next task may begin while the last operations go on. Where they end in the order in which they were
        begun, this task ends when it is expected that each of those that are left, in RV(left), has ended by the time
        that the next task, which takes as long to go through the hosts in the same order, comes to it.
      - The next task has to bring each of them to its end itself, as it does when O(ignore:ended) says nothing of it.
        So a wave takes as long as its slowest host, and not as long as that and what it takes to begin all others.
      - Once the service has said that there are too many requests, this task waits for all.
    type: bool
    default: false
  wait_timeout:
    description:
      - The maximum number of seconds to wait. The operations continue after that.
    type: float
    default: 600
  poll_interval:
    description:
      - Seconds between the first looks at an operation. The longer it takes, the less often the module looks.
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
- name: Start the backups
  hosting.management.manual_backup:
    environment_id: "{{ hosting_environment_id }}"
    tag: before-maintenance
    wait_until: accepted
  register: started

- name: Wait for the backups of all hosts
  hosting.management.operation_wait:
    environment_ids: "{{ ansible_play_hosts | map('extract', hostvars, 'hosting_environment_id') }}"
    kinds: [backup]
  register: waited
  run_once: true

- name: Check that the backup has been taken
  hosting.management.manual_backup:
    environment_id: "{{ hosting_environment_id }}"
    tag: before-maintenance
    started: "{{ started }}"
    ended: "{{ (waited.environments | default({}))[hosting_environment_id] | default(omit) }}"
"""

RETURN = r"""
environments:
  description: How it stands at the environments where something was in progress, by their ids.
  returned: success
  type: dict
  contains:
    state:
      description:
        - V(finished), or what is worse of one of the operations. That is V(failed), V(in_progress) after
          O(wait_timeout), or V(unknown) if the service does not show it.
      returned: for each environment
      type: str
      sample: finished
    message:
      description: The service's message about that operation, or why it cannot be told how it stands.
      returned: for each environment
      type: str
    operation:
      description: That operation, with its C(id), C(state), C(message), C(resumed), and the C(seconds) that it took.
      returned: for each environment
      type: dict
    operations:
      description: All operations of the environment, as in C(operation).
      returned: for each environment
      type: list
      elements: dict
left:
  description: With O(overlap), the ids of the environments where operations are about to end that nobody waited for.
  returned: success
  type: list
  elements: str
  sample: []
counts:
  description: How many operations are V(finished), V(failed), V(in_progress) and V(unknown).
  returned: success
  type: dict
  sample: {failed: 0, finished: 40, in_progress: 0, unknown: 0}
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

from ..module_utils._arguments import ModuleSpec, Option, api_options, operation_options
from ..module_utils._checks import checked_count, checked_each, checked_not_negative, checked_uuid
from ..module_utils._context import Context
from ..module_utils._entry import run_module
from ..module_utils._turns import KINDS
from ..module_utils._waves import LOOKS_PER_MINUTE, wait_for_all

ONCE_A_WAVE = True

_waiting = operation_options()
del _waiting["wait"]
SPEC = ModuleSpec(
    api_options(),
    _waiting,
    {
        "environment_ids": Option(checked_each(checked_uuid), type="list", elements="str", required=True),
        "kinds": {"type": "list", "elements": "str", "choices": list(KINDS), "default": list(KINDS)},
        "environment_names": {"type": "dict", "default": {}},
        "looks_per_minute": Option(checked_count, type="int", default=LOOKS_PER_MINUTE),
        "overlap": {"type": "bool", "default": False},
        "pause_when_unknown": Option(checked_not_negative, type="float", default=0),
    },
)


def run(context: Context) -> dict[str, Any]:
    """Wait for the operations of many environments."""
    return wait_for_all(context, context["environment_ids"], context["kinds"], context["environment_names"])


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
