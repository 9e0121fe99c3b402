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

from ..plain_values import Record
from ..role_variables import found_in, nulls_of

READINGS = {"backups": "backup", "sftp": "sftp_allowlist", "dns": "dns_records"}
"""What environment_state_info calls a part, where it has another name there."""

DRIFT = "drift"
"""The part that compares what is read with what the variables of the role maintain declare."""

REQUIRED = ("report_html", "report_json", "report_parts")
TO_JUDGE = ("planned", "problem")
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
    try:
        compared = _compared(role, variables, template, values)
    except ValueError as error:
        return {"problems": [str(error)]}
    return {
        "problems": [],
        "known": {
            **{name: values[name] for name in KNOWN_BY_ROLE},
            **{name: found["also"][f"hosting_{name}"] for name in KNOWN_BY_INVENTORY},
            "error": _why_not_read(values),
            "drift": {"declares": compared["declared"] is not None, **{name: compared[name] for name in TO_JUDGE}},
        },
        "asks": {
            **{name: values[name] for name in ("site_id", "environment_id", "company_id", "domain_ids", "time_frame")},
            "gather": [READINGS.get(part, part) for part in values["parts"] if part != DRIFT],
            "compare_with": compared["declared"],
            "canary": compared["canary"],
            "query_names": values["query_names"] or {},
            "environment_name": variables.get("inventory_hostname"),
            "groups": variables.get("group_names") or [],
        },
        "settings": {
            **{name: values[name] for name in ("title", "parts", "time_frame", "charts")},
            "previous": values["previous"] or "",
            "has_plan": bool(values["drift_plan"]),
            "limits": {name: values[name] or 0 for name in ("key_days", "backup_days", "budget_percent")},
        },
        "files": {name: _absolute(values[name]) for name in ("html", "json")},
    }


def _compared(
    role: str | Path, variables: Mapping[str, Any], template: Callable[[Record], Record], values: Record
) -> Record:
    """Return what the host is compared with; raise ValueError for a plan that is none."""
    nothing = {"declared": None, "canary": False, "planned": None, "problem": ""}
    declares = any(str(name).startswith("maintain_") for name in variables)
    if DRIFT not in values["parts"] or not (declares or values["drift_plan"]) or not values["environment_id"]:
        return nothing
    from .. import drift, plan

    made_plan = plan.read(values["drift_plan"], "maintain") if values["drift_plan"] else None
    host = {
        "name": str(variables.get("inventory_hostname", "")),
        "environment_id": values["environment_id"],
        "site_id": values["site_id"] or "",
    }
    return drift.asked_of(Path(role).parent / "maintain", variables, template, host=host, made_plan=made_plan)


def _why_not_read(values: Record) -> str:
    if values["environment_id"]:
        return ""
    return "The host has neither report_environment_id nor hosting_environment_id."


def _absolute(path: str) -> str:
    return os.path.realpath(os.path.expanduser(path)) if path else ""
