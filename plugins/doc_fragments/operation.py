# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  wait:
    description:
      - Whether to wait for the accepted operation to end.
      - With V(false), the task ends as soon as the service has accepted the operation. Wait for it later with
        M(hosting.management.operation_info).
      - To set O(wait), O(wait_timeout) or O(poll_interval) for all modules that have them, use C(module_defaults) for
        C(group/hosting.management.operations).
    type: bool
    default: true
  wait_timeout:
    description:
      - The maximum number of seconds to wait for the operation. The operation continues after that, and the next run of
        the task waits for it again if the journal knows it. The journal knows the operation of an action only if the
        task names the action, for example with a release or a tag.
    type: float
    default: 600
  poll_interval:
    description:
      - Seconds between the first checks. The longer the operation takes, the less often the module checks, so the delay
        in noticing its end is at most a seventh of its duration. The interval never exceeds 15 seconds.
    type: float
    default: 1
"""
