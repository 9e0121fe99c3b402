# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # What every module supports.
    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    support: full
    description: Can run in C(check_mode) and predict the result without changing anything.
  async:
    support: full
    description: Supports being used with C(async). The task then runs as an ordinary module process.
  action_group:
    support: full
    description: Use C(group/hosting.management.all) in C(module_defaults) to set options for all modules at once.
    membership: [hosting.management.all]
  platform:
    support: full
    description: Where the module runs.
    platforms: posix
"""

    # For modules that bring about a state.
    DIFF = r"""
options: {}
attributes:
  diff_mode:
    support: full
    description: Returns what has changed, or would change in C(check_mode), when C(diff) is on.
"""

    # For modules that act, and for those that only read.
    NO_DIFF = r"""
options: {}
attributes:
  diff_mode:
    support: none
    description: Returns what has changed, or would change in C(check_mode), when C(diff) is on.
    details: There is no state to compare.
"""
