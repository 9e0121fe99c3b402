# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  wait:
    description:
      - Whether to wait until the operation that the service accepted has ended.
      - With V(false), the task ends when the operation is accepted. Wait for it later with
        M(hosting.management.operation_info).
      - To set this option or the next two for all modules that have them, use C(module_defaults) for
        C(group/hosting.management.operations).
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait for the operation at most. The operation goes on when they have passed. The next run of the task
        waits for the same operation, if the journal knows it. That of an action it knows only by a name that the task
        gives, such as a release or a tag.
    type: float
    default: 600
  poll_interval:
    description:
      - Seconds between two looks at first. The longer the operation takes, the rarer they become, so that its end is
        noticed no later than after a seventh of its length. No more than 15 seconds lie between two looks.
    type: float
    default: 1
"""
