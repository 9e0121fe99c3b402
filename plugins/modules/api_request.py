#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: api_request
short_description: Call any other endpoint of the hosting service
version_added: 0.1.0
description:
  - Sends a request to an endpoint that has no module of its own. Handles the key, retries, errors and operations in the
    same way as the other modules.
  - The module cannot know what a request does. It therefore sends every request other than a C(GET) on each run, and
    O(repeatable) says whether the request may be repeated after a lost answer.
  - At high verbosity, Ansible shows the options of a task. Set C(no_log) on the task if O(body) contains a secret.
options:
  method:
    description:
      - The HTTP method of the request.
    type: str
    choices: [GET, POST, PUT, PATCH, DELETE]
    default: GET
  path:
    description:
      - The path relative to O(base_url). It must begin with a slash and have no query.
    type: str
    required: true
  query:
    description:
      - The query parameters of the request.
    type: dict
  body:
    description:
      - The body of the request, sent as JSON.
    type: dict
  repeatable:
    description:
      - Whether sending the request twice has the same effect as sending it once, so that it may be repeated after
        errors.
      - By default, only a C(GET) may be repeated.
    type: bool
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: List the sites of the company
  hosting.management.api_request:
    path: /sites
    query:
      company: "{{ hosting_company_id }}"
      include_environments: true
  register: sites

- name: Remove a domain by its id, and wait for the operation to end
  hosting.management.api_request:
    method: DELETE
    path: "/sites/environments/{{ hosting_environment_id }}/domains"
    body:
      domain_ids: [b0000000-0000-4000-8000-000000000013]
    repeatable: true
"""

RETURN = r"""
status:
  description: The HTTP status of the answer.
  returned: when the request was sent
  type: int
  sample: 200
json:
  description: The body of the answer. Null after a 204.
  returned: when the request was sent
  type: raw
operation:
  description: The operation that the service accepted.
  returned: when the task started an operation, or followed one that an earlier run had started
  type: dict
  contains:
    id:
      description: The id of the operation.
      type: str
      sample: sites:add-domain-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
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

from ..module_utils._arguments import ModuleSpec, Option, api_options, operation_options
from ..module_utils._checks import checked_request_path
from ..module_utils._context import Context
from ..module_utils._convergence import once
from ..module_utils._entry import run_module
from ..module_utils._interface import Endpoint, Request

SPEC = ModuleSpec(
    api_options(),
    operation_options(),
    {
        "method": {"type": "str", "choices": ["GET", "POST", "PUT", "PATCH", "DELETE"], "default": "GET"},
        "path": Option(checked_request_path, required=True),
        "query": {"type": "dict"},
        "body": {"type": "dict"},
        "repeatable": {"type": "bool"},
    },
)


def run(context: Context) -> dict[str, Any]:
    """Call any other endpoint of the service."""
    reads = context["method"] == "GET"
    repeatable = reads if context["repeatable"] is None else context["repeatable"]
    endpoint = Endpoint(context["method"], context["path"], repeatable=repeatable)
    request = Request(endpoint, context["path"], _query(context["query"]), context["body"])
    if reads:
        answer = context.send(request)
        return {"status": answer.status, "json": answer.data}
    outcome = once(context, subject=("api_request",), request=request, release=None, at_each_run=True, remembered=False)
    result = outcome.result()
    del result["state_source"]  # there is no state that this module could know
    return {**result, "status": outcome.answer.status, "json": outcome.answer.data} if outcome.answer else result


def _query(query: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a query with booleans as JSON writes them."""
    return query and {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
