# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the variables of a host say to the role report: what to read, what is known before, and what is wrong.

Each host imports this in a process of its own: it stays small.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .plain_values import Record
from .role_variables import found_in, nulls_of

READINGS = {"backups": "backup", "sftp": "sftp_allowlist", "dns": "dns_records"}
"""What environment_state_info calls a part, where it has another name there."""

REQUIRED = ("report_html", "report_json", "report_parts")
KNOWN_BY_ROLE = ("site_id", "site_name", "environment_id", "visits_budget")
KNOWN_BY_INVENTORY = ("environment_name", "php_version", "wordpress_version", "primary_domain", "domains", "is_premium")


def host_of(role: str | Path, variables: Mapping[str, Any], template: Callable[[Record], Record]) -> Record:
    """Return what the role needs of a host's variables, as documented for the lookup report_host.

    :param role: the folder of the role.
    :param variables: all variables of the host, with their templates.
    :param template: returns a dictionary of variables with the values of their templates.
    :raises ValueError: when the role has no argument specs.
    """
    found = found_in(role, variables, template, also=[f"hosting_{name}" for name in KNOWN_BY_INVENTORY])
    problems = [*found["unknown"], *found["wrong"], *nulls_of(found["typed"], REQUIRED)]
    if problems:
        return {"problems": problems}
    values = {name.removeprefix("report_"): value for name, value in found["typed"].items()}
    return {
        "problems": [],
        "known": {
            **{name: values[name] for name in KNOWN_BY_ROLE},
            **{name: found["also"][f"hosting_{name}"] for name in KNOWN_BY_INVENTORY},
            "error": _why_not_read(values),
        },
        "asks": {
            **{name: values[name] for name in ("site_id", "environment_id", "company_id", "domain_ids", "time_frame")},
            "gather": [READINGS.get(part, part) for part in values["parts"]],
            "query_names": values["query_names"] or {},
        },
        "settings": {
            **{name: values[name] for name in ("title", "parts", "time_frame", "charts")},
            "previous": values["previous"] or "",
            "limits": {name: values[name] or 0 for name in ("key_days", "backup_days", "budget_percent")},
        },
        "files": {name: _absolute(values[name]) for name in ("html", "json")},
    }


def _why_not_read(values: Record) -> str:
    if values["environment_id"]:
        return ""
    return "The host has neither report_environment_id nor hosting_environment_id."


def _absolute(path: str) -> str:
    return os.path.realpath(os.path.expanduser(path)) if path else ""
