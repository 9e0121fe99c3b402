#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site_log_info
short_description: Read the last lines of a log of an environment
version_added: 0.2.0
description:
  - Reads the last lines of the error log or the access log of an environment, such as to show them when a site does not
    work.
  - The lines are fit for a terminal and for a failure message. They hold no control characters, and are cut after 500
    characters. What looks like a password, a token, a key or a login in an address is replaced by asterisks. That
    cannot find everything.
  - Requires a service that shows its logs (C(GET /sites/environments/{env_id}/logs), a companion of the documented
    interface).
options:
  file:
    description:
      - Which log to read.
    type: str
    choices: [error, access]
    default: error
  lines:
    description:
      - How many lines to return at most. Blank ones are left out.
    type: int
    default: 20
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
seealso:
  - module: hosting.management.site_check
"""

EXAMPLES = r"""
- name: Read the end of the error log
  hosting.management.site_log_info:
    environment_id: "{{ hosting_environment_id }}"
    lines: 10
  register: log

- name: Show it
  ansible.builtin.debug:
    msg: "{{ log.lines }}"
"""

RETURN = r"""
lines:
  description: The last lines of the log, oldest first.
  returned: success
  type: list
  elements: str
  sample: ["[22-Nov-2026 18:00:01 UTC] PHP Fatal error:  Uncaught Error: Call to undefined function shop()"]
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

from ..module_utils._arguments import ModuleSpec, Option, api_options, environment_option
from ..module_utils._checks import checked_count
from ..module_utils._context import Context
from ..module_utils._entry import run_module
from ..module_utils._interface import GET_LOGS
from ..module_utils._text import last_lines

SPEC = ModuleSpec(
    api_options(),
    {
        "environment_id": environment_option(),
        "file": {"type": "str", "choices": ["error", "access"], "default": "error"},
        "lines": Option(checked_count, type="int", default=20),
    },
)


def run(context: Context) -> dict[str, Any]:
    """Read the last lines of a log of an environment (a companion of the interface)."""
    query = {"file_name": context["file"], "lines": context["lines"]}
    answer = context.send(GET_LOGS(env_id=context["environment_id"], query=query))
    return {"lines": last_lines(answer.at("environment.container_info.logs", str), context["lines"])}


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
