#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: update_info
short_description: Show what is remembered of the updates of an environment
version_added: 0.2.0
description:
  - Shows to which versions plugins, themes and PHP of an environment were updated by this collection, and whether the
    site works with them. The journal remembers this.
  - Waits for updates that are still in progress, such as those of a run that was killed, and notes how they ended. So
    when this task is done, the site can be checked, and M(hosting.management.update_verdict) can record the verdict.
  - Sends no write. The service is asked only about updates that are in progress.
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
seealso:
  - module: hosting.management.update_verdict
"""

EXAMPLES = r"""
- name: Wait for updates, and read what is known of them
  hosting.management.update_info:
    environment_id: "{{ hosting_environment_id }}"
  register: known

- name: Show updates that broke the site
  ansible.builtin.debug:
    msg: "{{ item.name }} {{ item.version }}: {{ item.reason }}"
  loop: "{{ known.updates | selectattr('verdict', 'equalto', 'broke_it') }}"
"""

RETURN = r"""
updates:
  description: The updates of the environment, oldest first.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: What was updated, V(plugin), V(theme) or V(php).
      type: str
      sample: plugin
    name:
      description: The slug of the plugin or theme, or V(php).
      type: str
      sample: example-forms
    version:
      description: The version that it was updated to.
      type: str
      sample: 2.5.0
    previous_version:
      description: The version before, or null if it is not known.
      type: str
      sample: 2.4.1
    verdict:
      description:
        - V(works) or V(broke_it), or V(not_known) as long as nobody has looked at the site since the update.
      type: str
      sample: works
    reason:
      description: What the verdict is based on.
      type: str
    environment_id:
      description: The id of the environment.
      type: str
    environment:
      description: What the environment is called in messages.
      type: str
      sample: shop-live
    updated_at:
      description: When the update was noted, in ISO 8601, UTC, by the clock of the controller.
      type: str
      sample: "2026-11-02T00:00:00Z"
has_ended:
  description: Whether no update is in progress any more. False after O(wait_timeout), or with O(wait=false).
  returned: success
  type: bool
  sample: true
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

from ..module_utils._arguments import ModuleSpec, api_options, environment_option, operation_options
from ..module_utils._context import Context
from ..module_utils._entry import run_module
from ..module_utils._judging import await_updates
from ..module_utils._verdicts import trials_at

SPEC = ModuleSpec(api_options(), operation_options(), {"environment_id": environment_option()})


def run(context: Context) -> dict[str, Any]:
    """Wait for the updates of an environment, and show what is remembered of them."""
    has_ended = await_updates(context)
    trials = trials_at(context, context["environment_id"])
    return {"updates": [trial.as_result() for trial in trials], "has_ended": has_ended}


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
