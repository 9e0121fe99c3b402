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
  description: What went wrong, as values for conditions. The human-readable message is in RV(ignore:msg).
  returned: failure
  type: dict
  contains:
    kind:
      description:
        - One of V(invalid_input), V(connection), V(timeout), V(unauthorized), V(not_found), V(bad_request),
          V(rate_limited), V(service), V(malformed_response), V(operation_failed), V(operation_timeout),
          V(check_failed), V(outcome_unknown), V(journal), V(missing_library), V(unexpected).
      type: str
      sample: unauthorized
    status:
      description: The HTTP status of the answer, if there was one.
      type: int
    message:
      description: The service's own message, if it sent one.
      type: str
    method:
      description: The HTTP method of the failed request.
      type: str
    path:
      description: The path of the failed request, relative to O(base_url).
      type: str
    operation_id:
      description: The id of the operation concerned, if there is one.
      type: str
"""

from dataclasses import replace

from ..module_utils._arguments import ModuleSpec, api_options, environment_option, text_option
from ..module_utils._entry import run_module
from ..module_utils._errors import InvalidInput
from ..module_utils._progress import FAILED, FINISHED, IN_PROGRESS, SENT, UNKNOWN
from ..module_utils._releases import push_subject, pushes_of
from ..module_utils._settling import is_restore, state_of

SPEC = ModuleSpec(
    api_options(),
    {
        "environment_id": environment_option(),
        "release": text_option(),
        "outcome": {"type": "str", "required": True, "choices": ["pushed", "not_pushed"]},
    },
)
OUTCOMES = {FINISHED: "pushed", FAILED: "not_pushed"}


def run(context):
    """Settle in the journal whether a push was carried out."""
    while True:
        pushes = pushes_of(context)
        of_release = [push for push in pushes if push.release == context["release"]]
        _check(context, pushes, of_release)
        progress = FINISHED if context["outcome"] == "pushed" else FAILED
        unknown = [push for push in of_release if state_of(push) == UNKNOWN]
        settled = tuple(
            replace(push, progress=UNKNOWN).with_progress(progress) if push in unknown else push for push in pushes
        )
        if context.check_mode or not unknown or context.journal.replace(push_subject(context), pushes, settled):
            break
    known = OUTCOMES.get(of_release[-1].progress)
    result = {"changed": bool(unknown), "outcome": context["outcome"] if unknown else known}
    if context.diff:
        result["diff"] = {
            "before": {"outcome": "unknown" if unknown else known},
            "after": {"outcome": result["outcome"]},
        }
    return result


def _check(context, pushes, of_release):
    if not of_release:
        known = (
            ", ".join(sorted({push.release for push in pushes if push.release and not is_restore(push)}))
            or "no release"
        )
        raise InvalidInput(
            f"The journal knows no push of {context['release']} to this environment, but of {known}. Nothing was"
            " changed. Check release, environment_id, base_url and journal."
        )
    for push in of_release:
        if state_of(push) in (SENT, IN_PROGRESS):
            raise InvalidInput(
                f"The push of {context['release']} goes on (operation {push.operation_id or 'not known yet'}), so its"
                " outcome cannot be settled. Nothing was changed. Run env_push again to wait for its end."
            )


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
