# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  site_id:
    description:
      - The id of the environment's site. With it, the module reads the environment's current state, if the service
        shows it. Without it, only the journal tells whether there is anything to do.
    type: str
"""
