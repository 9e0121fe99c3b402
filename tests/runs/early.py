# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations of the simulator take fractions of a second, so they are looked at earlier than users need it."""

from __future__ import annotations

from importlib import import_module

MODULE_UTILS = "ansible_collections.hosting.management.plugins.module_utils"
OFTEN = 0.1  # seconds


def look_early() -> None:
    """Let tasks of this process, and of its forks, look often. To be called before anything imports the values."""
    import_module(f"{MODULE_UTILS}._operations").POLL_INTERVAL = OFTEN
    import_module(f"{MODULE_UTILS}._turns").WORTH_IT = OFTEN
