# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the variables of a host ask of the role access.

Each host imports this in a process of its own: it stays small.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .plain_values import Record
from .role_variables import found_in, nulls_of

OF_COMPANY = (
    *("access_company_id", "access_roles", "access_other_administrators"),
    *("access_assert", "access_trust_administrators", "access_plan", "access_plan_file"),
)
"""The variables that apply to the whole company."""


def asked_of(role: str | Path, variables: Mapping[str, Any], template: Callable[[Record], Record]) -> Record:
    """Return what is asked of a host, as documented for the lookup access_host.

    :param role: the folder of the role.
    :param variables: all variables of the host, with their templates.
    :param template: returns a dictionary of variables with the values of their templates.
    :raises ValueError: when the role has no argument specs.
    """
    found = found_in(role, variables, template)
    typed = found["typed"]
    checks_sftp = "access_sftp_policy" in found["given"]
    return {
        "unknown": found["unknown"],
        "wrong": [*found["wrong"], *nulls_of(found["given"], found["given"])],
        "environment_id": typed["access_environment_id"],
        "former_staff": typed["access_former_staff"],
        "query_names": typed["access_query_names"],
        "checks_sftp": checks_sftp,
        "policy": typed["access_sftp_policy"] if checks_sftp else [],
        "gather": [
            *(["administrators"] if typed["access_former_staff"] else []),
            *(["sftp_allowlist"] if checks_sftp else []),
        ],
        "check_mode": bool(variables.get("ansible_check_mode")),
        "company": {name: typed[name] for name in OF_COMPANY},
    }
