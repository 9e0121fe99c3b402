# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads once what the processes that run tasks would each load anew."""

from __future__ import annotations

import gc

from ansible.plugins.loader import filter_loader, lookup_loader


def preload() -> None:
    """Load the filters and lookups of the roles. Call it before Ansible forks.

    To find one filter, Ansible reads all those of its collection, which takes longer than most tasks.
    """
    filter_loader.get("hosting.management.printable")
    lookup_loader.get("hosting.management.role_variables", class_only=True)
    # Each fork that looks for garbage would otherwise touch, and so copy, all that its parent has loaded.
    gc.freeze()
