# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  force:
    description:
      - Send the request even if the service's state or the journal says that there is nothing to do, or if the outcome
        of an earlier request is unknown.
    type: bool
    default: false
"""
