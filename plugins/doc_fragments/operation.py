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
      - Seconds between the first two looks at the operation. The interval grows up to 15 seconds.
    type: float
    default: 2
"""
