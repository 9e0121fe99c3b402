# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the variables of a host say to the role adopt: what to read, where to write, and what is wrong.

Each host imports this in a process of its own: it stays small.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .plain_values import Record
from .role_variables import found_in, nulls_of

USERS = "access"
"""The part that is read once for the company, and not of each host."""

REQUIRED = ("adopt_parts", "adopt_folder")
SETTINGS = ("merge", "inventory", "parts", "groups")
INVENTORY = (
    "hosting_company_id",
    "hosting_site_id",
    "hosting_site_name",
    "hosting_site_display_name",
    "hosting_site_labels",
    "hosting_environment_id",
    "hosting_environment_name",
    "hosting_environment_display_name",
    "hosting_source_environment_id",
    "hosting_is_premium",
    "hosting_domains",
    "hosting_primary_domain",
    "hosting_primary_domain_id",
    "hosting_php_version",
    "hosting_wordpress_version",
    "hosting_cdn_cache_id",
)
"""The variables of a static inventory: what is of a host, and stays so. None of them is a secret."""


def host_of(role: str | Path, variables: Mapping[str, Any], template: Callable[[Record], Record]) -> Record:
    """Return what the role needs of a host's variables, as documented for the lookup adopt_host.

    :param role: the folder of the role.
    :param variables: all variables of the host, with their templates.
    :param template: returns a dictionary of variables with the values of their templates.
    :raises ValueError: when the role has no argument specs.
    """
    found = found_in(role, variables, template, also=[*INVENTORY, "group_names"])
    typed = found["typed"]
    problems = [*found["unknown"], *found["wrong"], *nulls_of(typed, REQUIRED)]
    if problems:
        return {"problems": problems}
    values = {name.removeprefix("adopt_"): value for name, value in typed.items()}
    if not values["folder"]:
        return {"problems": ["adopt_folder is missing: say in which folder the files belong, beside the inventory."]}
    inventory = {name: found["also"][name] for name in INVENTORY if found["also"][name] is not None}
    return {
        "problems": [],
        "asks": {
            **{name: values[name] for name in ("environment_id", "site_id", "domain_ids", "company_id")},
            "gather": [part for part in values["parts"] if part != USERS],
        },
        "groups": [name for name in found["also"]["group_names"] or [] if name != "all"],
        "inventory": inventory,
        "settings": {
            **{name: values[name] for name in SETTINGS},
            "folder": os.path.realpath(os.path.expanduser(values["folder"])),
        },
    }
