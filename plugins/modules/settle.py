#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: settle
short_description: Record whether a request was carried out
version_added: 0.2.0
description:
  - If the answer to a request is lost that must not be sent twice (a push, a restore, a backup or its removal, a WP-CLI
    command, a new environment, a domain or a DNS record), only you can find out whether the service carried it out.
    Look at the service, and record here what you found. The error of the run whose answer was lost, and those of later
    runs, name the task to run.
  - Changes only the journal. Nothing is sent to the service.
  - A request whose outcome is already known is left unchanged.
  - If the journal does not know the request, the error lists the requests of unknown outcome, each with the task that
    settles it.
options:
  outcome:
    description:
      - V(done) if the service carried the request out. The next run then has nothing to do.
      - V(not_done) if it did not. The next run then sends the request.
    type: str
    choices: [done, not_done]
    required: true
  environment_id:
    description:
      - The id of the environment that was pushed to, restored, backed up, or given a domain, whose backup was removed,
        or where a WP-CLI command was run.
    type: str
    aliases: [env_id]
  release:
    description:
      - The release that was pushed to the environment. With O(backup_id), the release for which the backup was
        restored. With O(what=command), the release that the WP-CLI command was run for.
    type: str
  backup_id:
    description:
      - The id of the backup that was restored to the environment. With O(what=removal), that of the backup that was
        removed.
    type: int
  tag:
    description:
      - The tag of the backup that was taken of the environment.
    type: str
  domain_name:
    description:
      - The name of the domain that was added to the environment, or removed from it.
    type: str
  site_id:
    description:
      - The id of the site to which an environment was added. Requires O(display_name).
    type: str
  display_name:
    description:
      - The name of the environment that was created. Requires O(site_id).
    type: str
  domain_id:
    description:
      - The id of the domain whose DNS record was changed. Requires O(type) and O(name).
    type: str
  type:
    description:
      - The type of the DNS record.
    type: str
  name:
    description:
      - The host name of the DNS record.
    type: str
  what:
    description:
      - What was asked for. Needed only for the removal of a backup (V(removal)), for a WP-CLI command (V(command)), and
        for what has no name, that is, a push without a release (V(push)) or a backup without a tag (V(backup)).
        Otherwise, it follows from the other options.
    type: str
    choices: [restore, push, backup, removal, command, environment, domain, dns_record]
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.attributes
  - hosting.management.attributes.diff
seealso:
  - module: hosting.management.push_outcome
"""

EXAMPLES = r"""
- name: Record that the release was pushed
  hosting.management.settle:
    environment_id: "{{ hosting_environment_id }}"
    release: v2.4.1
    outcome: done

- name: Record that the backup was not restored to staging
  hosting.management.settle:
    environment_id: "{{ hosting_source_environment_id }}"
    backup_id: 1201
    outcome: not_done

- name: Record that the environment was created
  hosting.management.settle:
    site_id: "{{ hosting_site_id }}"
    display_name: Preview
    outcome: done
"""

RETURN = r"""
outcome:
  description: What the journal now says about the request, V(done) or V(not_done).
  returned: success
  type: str
  sample: done
what:
  description: What was asked for, as a value of O(what).
  returned: success
  type: str
  sample: push
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
    text_option,
    uuid_option,
)
from ..module_utils._checks import checked_domain_name, checked_record_type
from ..module_utils._context import Context
from ..module_utils._entry import run_module
from ..module_utils._settling import DONE, KINDS, NOT_DONE, result_of, settle, thing_named

SPEC = ModuleSpec(
    api_options(),
    {
        "outcome": {"type": "str", "required": True, "choices": [DONE, NOT_DONE]},
        "environment_id": uuid_option(required=False, aliases=["env_id"]),
        "release": text_option(required=False),
        "backup_id": {"type": "int"},
        "tag": text_option(required=False),
        "domain_name": Option(checked_domain_name),
        "site_id": uuid_option(required=False),
        "display_name": text_option(required=False),
        "domain_id": uuid_option(required=False),
        "type": Option(checked_record_type),
        "name": Option(checked_domain_name),
        "what": {"type": "str", "choices": list(KINDS)},
    },
)


def run(context: Context) -> dict[str, Any]:
    """Settle in the journal whether a request was carried out."""
    thing = thing_named(context)
    return {**result_of(context, settle(context, thing, context["outcome"])), "what": thing.what}


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
