# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ..modules import deployment_info
from ..plugin_utils.in_process import InProcess


class ActionModule(InProcess):
    module = deployment_info
