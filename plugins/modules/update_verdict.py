#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: update_verdict
short_description: Record whether a site works with an update
version_added: 0.2.0
description:
  - Records in the journal whether a site works since a plugin, a theme or PHP was updated.
    M(hosting.management.site_plugin), M(hosting.management.site_theme) and M(hosting.management.php_version) go by this
    with their option O(ignore:canary), as does the role P(hosting.management.maintain#role). An update that broke one
    site is made nowhere else.
  - With O(kind) and O(version), the verdict is about this update. It counts until you give another one. A newer version
    is a new update, without a verdict.
  - Without them, it is about all updates of the environment whose verdict is open. If the site works, those that broke
    it are cleared as well, provided that they are still installed. Updates that are not installed are skipped, because
    they never took place, or a restored backup has undone them.
  - Changes only the journal.
options:
  environment_id:
    description:
      - The id of the environment. Without it, the verdict counts for all environments that have the update.
    type: str
    aliases: [env_id]
  kind:
    description:
      - What was updated.
    type: str
    choices: [plugin, theme, php]
  name:
    description:
      - The slug of the plugin or theme. Leave it out for PHP.
    type: str
  version:
    description:
      - The version that it was updated to. Put it in quotes.
    type: str
  verdict:
    description:
      - V(works) if the site works with the update. Other environments may then get it, too.
      - V(broke_it) if it does not. The update is held back everywhere.
    type: str
    choices: [works, broke_it]
    required: true
  reason:
    description:
      - What the verdict is based on. Shown wherever the update is held back.
    type: str
  site_id:
    description:
      - The id of the site. Needed only to see which version of PHP is installed.
    type: str
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
seealso:
  - module: hosting.management.update_info
"""

EXAMPLES = r"""
- name: Keep a version away from all sites
  hosting.management.update_verdict:
    environment_id: "{{ hosting_environment_id }}"
    kind: plugin
    name: example-forms
    version: "2.5.0"
    verdict: broke_it
    reason: The contact form is empty

- name: The sites work with this version after all
  hosting.management.update_verdict:
    kind: plugin
    name: example-forms
    version: "2.5.0"
    verdict: works
    reason: The theme was at fault, and is mended

- name: Check the site
  hosting.management.site_check:
    urls:
      - https://shop.example.com
  register: checked
  ignore_errors: true

- name: Judge by this whatever was updated last
  hosting.management.update_verdict:
    environment_id: "{{ hosting_environment_id }}"
    verdict: "{{ 'broke_it' if checked is failed else 'works' }}"
    reason: "{{ checked.msg | default('') }}"
"""

RETURN = r"""
updates:
  description: The updates whose verdict is new, or would be in check mode.
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

from ..module_utils._arguments import ModuleSpec, api_options, optional_text_option, uuid_option
from ..module_utils._context import Context
from ..module_utils._entry import run_module
from ..module_utils._errors import InvalidInput
from ..module_utils._judging import judge_environment, judge_update
from ..module_utils._verdicts import BROKE_IT, KINDS, PHP, WORKS, Update


def _check_name(params: dict[str, Any]) -> None:
    """Refuse what does not name one update, and name PHP."""
    if params["kind"] == PHP:
        params["version"] = params["version"].removeprefix("php")
    elif (params["kind"] is None) != (params["name"] is None):
        raise InvalidInput("kind and name go together, except for PHP, which needs no name. Nothing was changed.")


SPEC = ModuleSpec(
    api_options(),
    {
        "environment_id": uuid_option(required=False, aliases=["env_id"]),
        "site_id": uuid_option(required=False),
        "kind": {"type": "str", "choices": list(KINDS)},
        "name": optional_text_option(),
        "version": optional_text_option(),
        "verdict": {"type": "str", "required": True, "choices": [WORKS, BROKE_IT]},
        "reason": {"type": "str"},
    },
    rule=_check_name,
    required_together=[["kind", "version"]],
    required_one_of=[["environment_id", "kind"]],
)


def run(context: Context) -> dict[str, Any]:
    """Record in the journal whether a site works with its updates."""
    reason = context["reason"] or ""
    if context["kind"] is None:
        judged = judge_environment(context, context["verdict"], reason)
    else:
        update = Update(context["kind"], PHP if context["kind"] == PHP else context["name"], context["version"])
        judged = judge_update(context, update, context["verdict"], reason)
    return {"changed": bool(judged), "updates": [trial.as_result() for trial in judged]}


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
