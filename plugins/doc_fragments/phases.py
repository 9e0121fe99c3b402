# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  wait_until:
    description:
      - What the task waits for. With V(accepted), it waits for whatever is in the way of its request, such as a push by
        another run, but ends as soon as the service has accepted the request itself.
      - To start many operations, wait for all of them in one task with M(hosting.management.operation_wait), and then
        let each host go on with its own, with O(started).
    type: str
    choices: [ended, accepted]
    default: ended
    version_added: 0.2.0
  started:
    description:
      - The registered result of an earlier task with the same module, the same options and O(wait_until=accepted).
        This task brings to its end what that one has started. It waits if that is still necessary, fails if the
        operation has failed, and returns the same values as a task that waits. It never sends anything and never
        reports a change. O(wait_until) has no meaning for it.
    type: dict
    version_added: 0.2.0
  ended:
    description:
      - What M(hosting.management.operation_wait) has returned for the environment in C(environments). The task then
        does not ask the service again for what has ended, and waits no longer for what has not.
    type: dict
    version_added: 0.2.0
  pause_when_unknown:
    description:
      - With O(started), how many seconds to wait where the service does not show how the operation ends, unless
        O(ended) says that this has been done.
    type: float
    default: 0
    version_added: 0.2.0
"""
