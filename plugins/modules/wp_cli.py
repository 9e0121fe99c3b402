#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: wp_cli
short_description: Run a WP-CLI command in an environment
version_added: 0.2.0
description:
  - Runs a command of WP-CLI in an environment, such as one that updates its database after a push.
  - With O(release), runs each command once for the release, however often the task runs. Returning to an earlier
    release runs it again. Without O(release), runs it on every run.
  - The module never repeats a command on its own, because nobody knows what a command does twice. If the answer is
    lost, the task fails, and so do later ones for the same release, until you settle it with
    M(hosting.management.settle) or send the command again with O(force=true).
  - The command begins when nothing overwrites the environment, so the task waits for a push, a restore, a backup or an
    update that is in progress. If the outcome of a push or a restore is unknown, it fails until you settle that.
  - The service says whether the command has ended well, and not what it has printed.
  - Requires a service that can run commands (C(POST /sites/environments/{env_id}/run-wp-cli-command), a companion of
    the documented interface).
options:
  command:
    description:
      - The command, with or without C(wp) before it, such as V(core update-db).
      - The journal keeps a digest of it. The values of parameters whose names tell of a password, a secret, a token or
        a key, such as C(--user_pass=...), are not shown in output. Give the task C(no_log) for anything else that
        nobody may see.
    type: str
    required: true
  release:
    description:
      - What to run the command for, such as a version, a tag or a commit. Requires the journal.
      - A different command for the same release is still run.
    type: str
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.phases
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
seealso:
  - module: hosting.management.env_push
"""

EXAMPLES = r"""
- name: Update the database once for this release
  hosting.management.wp_cli:
    environment_id: "{{ hosting_environment_id }}"
    command: core update-db
    release: v2.4.1

- name: Run what is due
  hosting.management.wp_cli:
    environment_id: "{{ hosting_environment_id }}"
    command: wp cron event run --due-now
"""

RETURN = r"""
command:
  description: The command as it was sent, or would be.
  returned: success
  type: str
  sample: wp core update-db
state_source:
  description:
    - V(journal) if the journal knows the request from an earlier run, V(none) otherwise. The service does not show it.
  returned: success
  type: str
  sample: none
operation:
  description: The operation that the service accepted.
  returned: when the task started an operation, or followed one that an earlier run had started
  type: dict
  contains:
    id:
      description: The id of the operation.
      type: str
      sample: wp-cli:run-command-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
    state:
      description:
        - V(finished), V(in_progress) (with O(wait=false)), or V(unknown) if the service does not show the operation's
          state.
      type: str
      sample: finished
    message:
      description: The service's message about the operation.
      type: str
    resumed:
      description: Whether an earlier run started the operation, and this task only followed it.
      type: bool
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

from ..module_utils._arguments import (
    ModuleSpec,
    Option,
    api_options,
    change_options,
    environment_option,
    operation_options,
    phase_options,
    text_option,
)
from ..module_utils._checks import checked_wp_command, secrets_of_wp_command
from ..module_utils._context import Context
from ..module_utils._convergence import once
from ..module_utils._entry import run_module
from ..module_utils._errors import HostingError
from ..module_utils._interface import RUN_WP_CLI_COMMAND
from ..module_utils._journal import digest_of
from ..module_utils._phases import begun, in_phases
from ..module_utils._under_way import Kind, Start

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    phase_options(),
    {
        "environment_id": environment_option(),
        "command": Option(checked_wp_command, required=True, secrets=secrets_of_wp_command),
        "release": text_option(required=False),
    },
)


@in_phases
def run(context: Context) -> dict[str, Any]:
    """Run a command of WP-CLI in an environment (a companion of the interface)."""
    command = context["command"]
    try:
        outcome = once(
            context,
            subject=("wp_cli", context["environment_id"]),
            request=RUN_WP_CLI_COMMAND(env_id=context["environment_id"], body={"wp_command": command}),
            release=context["release"],
            part={"command": digest_of(command)},  # it may hold a secret
            at_each_run=context["release"] is None,
            start=Start(Kind.COMMAND, context["environment_id"]),
            begun=begun(context),
        )
    except HostingError as error:
        if not error.is_offered:
            error.with_advice("The service may not run WP-CLI commands for others: run it over SSH.")
        raise
    return outcome.result(command=command)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
