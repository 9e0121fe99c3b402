# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  canary:
    description:
      - Whether a version goes to one environment first. With V(true), the module updates to a version only if another
        site works with it, or if no environment has it yet. In the latter case, this environment is the canary, and the
        others wait until M(hosting.management.update_verdict) says that its site works. A version that broke a site is
        left out everywhere. RV(ignore:held) lists what was left out.
      - The journal remembers this, so it holds across runs, and for all runs that share a journal.
    type: bool
    default: false
    version_added: 0.2.0
  environment_name:
    description:
      - What to call the environment in messages about other environments. Defaults to its id.
    type: str
    version_added: 0.2.0
"""
