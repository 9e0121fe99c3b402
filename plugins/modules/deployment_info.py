#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: deployment_info
short_description: Show what a deployment to an environment would find
version_added: 0.2.0
description:
  - Shows in one task what M(hosting.management.release_info) knows of an environment, whether
    M(hosting.management.env_push) would push to it, and which environments its site has. The role
    P(hosting.management.deploy#role) begins with it.
  - Reads the journal, the collection's record of what it requested from the service. Asks the service only for the
    environments of the site, if O(site_id) is given, and for what O(compare_with) declares. Changes nothing.
  - With O(environments), does so for many environments, from the journal alone.
options:
  environment_id:
    description:
      - The id of the environment. Either this or O(environments) is required.
    type: str
    aliases: [env_id]
  environments:
    description:
      - Many environments at once, a list of dictionaries with the options C(environment_id), C(push) and C(groups).
    type: raw
    version_added: 0.2.0
  site_id:
    description:
      - The id of the environment's site, to list its environments. A service that does not list them does not fail the
        task, unless the API key, the address or the network is the reason.
    type: str
  push:
    description:
      - The push that is planned, a dictionary with the options C(site_id), C(source_env_id), C(push_db), C(push_files),
        C(run_search_and_replace), C(push_files_option), C(file_list), C(release), C(requires_backup) and C(force) of
        M(hosting.management.env_push). The target is O(environment_id).
    type: raw
  groups:
    description:
      - The inventory groups that the environment belongs to, such as C(group_names), for the locks of groups. The locks
        of the group V(all) always count.
    type: list
    elements: str
    default: []
  compare_with:
    description:
      - What is declared of the environment, as O(hosting.management.environment#module:declaration). RV(parts) and
        RV(differs) tell how the environment differs from it.
      - Nothing is compared if O(push) would be sent, or cannot be foreseen.
    type: raw
    version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.canary
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Find out whether v2.4.1 is still to be pushed
  hosting.management.deployment_info:
    environment_id: "{{ hosting_environment_id }}"
    push:
      site_id: "{{ hosting_site_id }}"
      source_env_id: "{{ hosting_source_environment_id }}"
      release: v2.4.1
  register: found

- name: Say what is there, and what would come
  ansible.builtin.debug:
    msg: >-
      {{ found.releases.release | default('no known release', true) }},
      {{ 'to be replaced' if found.push.is_pushed else 'to stay' }}
"""

RETURN = r"""
environments:
  description: For each of O(environments), by its id, the values C(is_busy), C(releases), C(push) and
    C(read_at).
  returned: if O(environments) is given
  type: dict
is_busy:
  description: Whether a request for the environment has no answer yet, or an operation is under way, such as a push, as
    far as the journal knows.
  returned: if O(environment_id) is given
  type: bool
releases:
  description: What M(hosting.management.release_info) returns for the environment.
  returned: if O(environment_id) is given
  type: dict
  sample:
    release: v2.4.0
    state: finished
push:
  description: What would become of the push. Null without O(push).
  returned: if O(environment_id) is given
  type: dict
  contains:
    is_pushed:
      description: Whether M(hosting.management.env_push) would push. V(false) if it would fail.
      type: bool
      sample: true
    msg:
      description: The message that it would fail with, or null.
      type: str
    error:
      description: The C(error) that it would fail with, or null.
      type: dict
site:
  description: The environments of the site. Null without O(site_id).
  returned: if O(environment_id) is given
  type: dict
  contains:
    environments:
      description: What M(hosting.management.environment_info) returns for the site. Null if the service does not list
        them.
      type: list
      elements: dict
    msg:
      description: The message of why they are not listed, or null.
      type: str
    error:
      description: The C(error) of why they are not listed, or null.
      type: dict
parts:
  description: How each declared part differs, by its name, as the values of the same name of
    M(hosting.management.environment).
  returned: if O(compare_with) was compared
  type: dict
differs:
  description: The names of the parts that differ from what is declared.
  returned: if O(compare_with) was compared
  type: list
  elements: str
  sample: [domains]
read_at:
  description: When this was read, in ISO 8601, UTC, by the clock of the controller.
  returned: if O(environment_id) is given
  type: str
  sample: "2026-11-02T00:00:00.000Z"
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

from datetime import UTC, datetime
from typing import Any

from ..module_utils._arguments import (
    ModuleSpec,
    Nested,
    api_options,
    change_options,
    environment_option,
    uuid_option,
)
from ..module_utils._compose import compare
from ..module_utils._context import Context
from ..module_utils._declared_parts import declaration_option
from ..module_utils._entry import run_module
from ..module_utils._environments import variables_of_site
from ..module_utils._errors import HostingError, InvalidInput
from ..module_utils._gathering import OF_ALL
from ..module_utils._progress import IN_PROGRESS, SENT
from ..module_utils._pushes import OPTIONS, complete, foreseen
from ..module_utils._readings import releases
from ..module_utils._values import iso_with_milliseconds
from ..module_utils._verdicts import canary_options


def _check(params: dict[str, Any]) -> None:
    if params["push"] and params["push"]["source_env_id"] == params["environment_id"]:
        raise InvalidInput("push.source_env_id is the environment itself. Nothing was sent.")


OF_EACH: dict[str, dict[str, Any]] = {
    "environment_id": environment_option(),
    "push": Nested(ModuleSpec(OPTIONS, change_options(), rule=complete, needs_service=False)),
    **releases.OPTIONS,
}
"""What is asked of an environment, and the journal alone knows."""

SPEC = ModuleSpec(
    api_options(),
    OF_EACH,
    {
        "environment_id": uuid_option(required=False, aliases=["env_id"]),
        "environments": Nested(ModuleSpec(OF_EACH, rule=_check, needs_service=False), several=True),
        "site_id": uuid_option(required=False),
        "compare_with": declaration_option(),
        **canary_options(),
    },
    rule=_check,
    required_one_of=[["environment_id", "environments"]],
    mutually_exclusive=[
        ["environments", name] for name in ("environment_id", "push", "site_id", "compare_with", "environment_name")
    ],
)

ONCE_A_WAVE = "environments"
"""With this option, the module is for all hosts at once: a strategy without run_once leaves each to its own."""


def run(context: Context) -> dict[str, Any]:
    """Return what is known of the environment's releases, what would become of a push, and the site's environments."""
    if context["environments"] is not None:
        found = {one["environment_id"]: _remembered(context.narrowed(one)) for one in context["environments"]}
        return {"environments": found}
    remembered = _remembered(context)
    is_there = not remembered["push"] or not (remembered["push"]["is_pushed"] or remembered["push"]["error"])
    return {
        **remembered,
        "site": _listed(context, context["site_id"]) if context["site_id"] else None,
        **(compare(context, context["compare_with"]) if is_there else {}),
    }


def _remembered(context: Context) -> dict[str, Any]:
    """Return what the journal knows."""
    rows = context.journal.of_environment(context.client.base_url, context["environment_id"])
    return {
        "read_at": iso_with_milliseconds(datetime.now(UTC)),
        "is_busy": any(entry.progress in (SENT, IN_PROGRESS) for _subject, entry in rows),
        "releases": releases.run(context),
        "push": foreseen(context, context["push"]) if context["push"] else None,
    }


def _listed(context: Context, site_id: str) -> dict[str, Any]:
    try:
        return {"environments": variables_of_site(context.send_once, site_id, "staging"), "msg": None, "error": None}
    except OF_ALL:
        raise
    except HostingError as error:
        result = error.as_result()
        return {"environments": None, "msg": result["msg"], "error": result["error"]}


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
