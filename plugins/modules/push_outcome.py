#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: push_outcome
short_description: Record whether a push was carried out
version_added: 0.2.0
description:
  - If the answer to a push is lost, only you can find out whether the service carried it out, and the collection does
    not repeat the push on its own. Look at the environment, and record here what you found.
  - Changes only the journal. Nothing is sent to the service.
  - A push whose outcome is already known is left unchanged.
  - M(hosting.management.settle) does the same for everything that can be of unknown outcome, pushes included.
options:
  release:
    description:
      - The release that was pushed.
    type: str
    required: true
  outcome:
    description:
      - V(pushed) if the environment has the release. The next run of M(hosting.management.env_push) then has nothing to
        do.
      - V(not_pushed) if it does not. The next run then pushes the release.
    type: str
    choices: [pushed, not_pushed]
    required: true
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.attributes
  - hosting.management.attributes.diff
seealso:
  - module: hosting.management.settle
"""

EXAMPLES = r"""
- name: Record that the release was pushed
  hosting.management.push_outcome:
    environment_id: "{{ hosting_environment_id }}"
    release: v2.4.1
    outcome: pushed
"""

RETURN = r"""
outcome:
  description: What the journal now says about the release.
  returned: success
  type: str
  sample: pushed
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

from ..module_utils._arguments import ModuleSpec, api_options, environment_option, text_option
from ..module_utils._context import Context
from ..module_utils._entry import run_module
from ..module_utils._settling import DONE, NOT_DONE, PUSH, Thing, result_of, settle

NAMES = {DONE: "pushed", NOT_DONE: "not_pushed"}
OUTCOMES = {name: outcome for outcome, name in NAMES.items()}

SPEC = ModuleSpec(
    api_options(),
    {
        "environment_id": environment_option(),
        "release": text_option(),
        "outcome": {"type": "str", "required": True, "choices": list(OUTCOMES)},
    },
)


def run(context: Context) -> dict[str, Any]:
    """Settle in the journal whether a push was carried out."""
    push = Thing(PUSH, context.given("environment_id", "release"))
    return result_of(context, settle(context, push, OUTCOMES[context["outcome"]]), NAMES)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
