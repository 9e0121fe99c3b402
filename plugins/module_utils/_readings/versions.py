# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Environments as variables of a host, their PHP and WordPress versions among them (companions)."""

from __future__ import annotations

from typing import Any

from .._arguments import uuid_option
from .._context import Context
from .._environments import variables_of_company, variables_of_site
from .._errors import InvalidInput

OPTIONS = {
    "company_id": uuid_option(required=False),
    "source_environment": {"type": "str", "default": "staging"},
}


def run(context: Context) -> dict[str, Any]:
    """List the environments of a site or of a company, or the one that the task names."""
    if context["site_id"]:
        environments = variables_of_site(context.send_once, context["site_id"], context["source_environment"])
    else:
        environments = variables_of_company(context.send_once, context["company_id"], context["source_environment"])
    if context["environment_id"]:
        environments = [one for one in environments if one["hosting_environment_id"] == context["environment_id"]]
        if not environments:
            place = f"The site {context['site_id']}" if context["site_id"] else "The company"
            raise InvalidInput(f"{place} has no environment {context['environment_id']} that the key's user may see.")
    return {"environments": environments}
