# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads once what the processes that run tasks would each load anew."""

from __future__ import annotations

import gc
from pathlib import Path

from ansible.plugins.loader import filter_loader, lookup_loader, test_loader

from .role_variables import options_of

ROLES = Path(__file__).parents[2] / "roles"

RARELY = 100_000  # new objects, after which to look for garbage: no task makes so many


def preload() -> None:
    """Load the filters, tests and lookups of the roles, and their argument specs. Call it before Ansible forks.

    To find one filter, Ansible reads all those of its collection, which takes longer than most tasks.
    """
    filter_loader.get("hosting.management.printable")
    test_loader.get("ansible.builtin.defined")
    for name in (*(f"{role}_host" for role in ("access", "adopt", "deploy", "maintain", "report")), "deploy_steps"):
        lookup_loader.get(f"hosting.management.{name}", class_only=True)
    lookup_loader.get("ansible.builtin.env", class_only=True)
    for specs in ROLES.glob("*/meta/argument_specs.yml"):
        options_of(specs.parents[1])
    # Each fork that looks for garbage would otherwise touch, and so copy, all that its parent has loaded or found out.
    gc.freeze()
    gc.set_threshold(RARELY)
