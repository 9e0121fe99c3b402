# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  site_id:
    description:
      - The id of the environment's site. With it, the module reads how the environment stands, where the service
        shows it. Without, the journal alone tells whether there is something to do.
    type: str
"""
