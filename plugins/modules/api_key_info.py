#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: api_key_info
short_description: Check the API key, and show when it expires
version_added: 0.1.0
description:
  - Validates the API key with the hosting service (C(GET /validate), interface section 4.2). The task fails if the
    service does not accept the key.
  - Use it at the start of a playbook, to fail before anything is changed, or in a nightly check that warns before the
    key expires.
options:
  valid_days:
    description:
      - Fails unless the key is active, and valid for so many days or longer.
    type: int
    version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Stop if the service does not accept the key
  hosting.management.api_key_info:
  register: key

- name: Fail two weeks before the key expires
  hosting.management.api_key_info:
    valid_days: 14
"""

RETURN = r"""
api_key:
  description: The record of the key.
  returned: success
  type: dict
  contains:
    name:
      description: The label of the key.
      type: str
      sample: nightly
    status:
      description: The status of the key.
      type: str
      sample: active
    company:
      description: The id of the company the key belongs to.
      type: str
      sample: c0000000-0000-4000-8000-000000000001
    expires_at:
      description: When the key expires, in milliseconds since 1970, as the service sends it. Null if the key does not
        expire.
      type: str
      sample: "1793577600000"
    expires_at_iso:
      description: The same time in ISO 8601, UTC.
      type: str
      sample: "2026-11-02T00:00:00Z"
    expires_in_days:
      description: Days until the key expires, rounded down. Negative if it has expired. Null if it does not expire.
      type: int
      sample: 42
answer:
  description: The service's answer, unchanged.
  returned: success
  type: dict
error:
  description:
    - What went wrong, as values for conditions. The human-readable message is in RV(ignore:msg).
    - L(When something fails,https://github.com/hosting-management/hosting.management/blob/main/docs/failures.md)
      says which kinds there are, what to do about each, and what else the values tell.
  returned: failure
  type: dict
  contains:
    kind:
      description: What kind of failure it was.
      type: str
      sample: unauthorized
"""

from typing import Any

from ..module_utils._arguments import ModuleSpec, Option, api_options
from ..module_utils._checks import checked_not_negative
from ..module_utils._context import Context
from ..module_utils._entry import run_module
from ..module_utils._errors import CheckFailed
from ..module_utils._readings import key
from ..module_utils._text import printable

SPEC = ModuleSpec(api_options(), key.OPTIONS, {"valid_days": Option(checked_not_negative, type="int")})


def run(context: Context) -> dict[str, Any]:
    """Return the record of the key, unless it is not valid for as long as it should be."""
    result = key.run(context)
    known, days = result["api_key"], context["valid_days"]
    is_short = days is not None and known["expires_in_days"] is not None and known["expires_in_days"] < days
    if days is not None and (known["status"] != "active" or is_short):
        expires = f"expires on {known['expires_at_iso']}" if known["expires_at_iso"] else "does not expire"
        raise CheckFailed(
            f"The API key {printable(known['name'])} is {printable(known['status'])} and {expires}. Create a new key,"
            " and set it as HOSTING_API_KEY. Nothing was done.",
            nothing_done=True,
        )
    return result


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
