#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cache_clear
short_description: Clear the caches of an environment
version_added: 0.2.0
description:
  - Clears any of the caches of an environment, one after the other. These are its site cache, its edge cache and the
    CDN's cache.
  - With O(release), clears each cache once for the release, however often the task runs. Returning to an earlier
    release clears it again. Without O(release), clears it on every run.
  - Requires a service that can clear them (C(POST /sites/tools/clear-cache), C(POST /sites/edge-caching/clear) and
    C(POST /sites/cdn/clear-cache), companions of the documented interface).
options:
  caches:
    description:
      - Which caches to clear. V(site) is the environment's own cache, V(edge) the edge cache, and V(cdn) the CDN's
        cache.
    type: list
    elements: str
    choices: [site, edge, cdn]
    default: [site]
  url:
    description:
      - The address to remove from the edge cache. By default, the whole edge cache is cleared.
    type: str
  clear_subdirectories:
    description:
      - Whether to also remove everything below O(url) from the edge cache.
    type: bool
  cdn_cache_id:
    description:
      - The id of the CDN's cache, which the inventory plugin provides as C(hosting_cdn_cache_id). V(cdn) in O(caches)
        requires this option or O(site_id).
    type: str
  site_id:
    description:
      - The id of the environment's site. The module uses it to look up the id of the CDN's cache.
    type: str
  release:
    description:
      - What to clear the caches for, such as a version, a tag or a commit. Requires the journal.
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
"""

EXAMPLES = r"""
- name: Clear all caches once for this release
  hosting.management.cache_clear:
    environment_id: "{{ hosting_environment_id }}"
    caches: [site, edge, cdn]
    cdn_cache_id: "{{ hosting_cdn_cache_id }}"
    release: v2.4.1

- name: Remove the new pages from the edge cache
  hosting.management.cache_clear:
    environment_id: "{{ hosting_environment_id }}"
    caches: [edge]
    url: https://shop.example.com/new
    clear_subdirectories: true
"""

RETURN = r"""
caches:
  description: The caches that the task cleared, or would have in check mode. Does not include those that were already
    cleared for O(release).
  returned: always, once a cache was cleared
  type: list
  elements: str
  sample: [site, edge]
state_source:
  description:
    - V(journal) if the journal knows the requests for all the caches from an earlier run, V(none) otherwise. The
      service does not show them.
  returned: success
  type: str
  sample: none
operations:
  description: The operations that the service accepted, in the order of O(caches), including those that an earlier run
    started and this task followed.
  returned: always, once a cache was cleared
  type: list
  elements: dict
  contains:
    cache:
      description: The cache that the operation clears.
      type: str
      sample: site
    id:
      description: The id of the operation.
      type: str
      sample: cache:clear-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
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
    api_options,
    change_options,
    environment_option,
    operation_options,
    phase_options,
    uuid_option,
)
from ..module_utils._context import Context
from ..module_utils._convergence import Outcome, in_one_go
from ..module_utils._entry import run_module
from ..module_utils._errors import HostingError, InvalidInput
from ..module_utils._parts.caches import CACHES, OPTIONS, clearing, request_of
from ..module_utils._phases import begun, in_phases


def _check_caches(params: dict[str, Any]) -> None:
    """Refuse what belongs to a cache that is not cleared."""
    params["caches"] = list(dict.fromkeys(params["caches"]))
    if not params["caches"]:
        raise InvalidInput("caches is empty, so there is nothing to clear. Nothing was sent.")
    if params["url"] and "edge" not in params["caches"]:
        raise InvalidInput("url needs caches to have edge. Nothing was sent.")
    if params["clear_subdirectories"] and not params["url"]:
        raise InvalidInput("clear_subdirectories needs url. Nothing was sent.")


SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    phase_options(),
    {
        "environment_id": environment_option(),
        "caches": {"type": "list", "elements": "str", "choices": list(CACHES), "default": ["site"]},
        "site_id": uuid_option(required=False),
    },
    {name: option for name, option in OPTIONS.items() if name not in ("cache", "if_offered")},
    rule=_check_caches,
)


@in_phases
def run(context: Context) -> dict[str, Any]:
    """Clear the caches of an environment (companions of the interface)."""
    # What cannot be asked for is found before anything is cleared.
    requests = {cache: request_of(context, cache) for cache in context["caches"] if _is_due(context, cache)}
    outcomes: dict[str, Outcome] = {}
    for cache, request in requests.items():
        try:
            outcomes[cache] = in_one_go(clearing)(context, cache, request, begun(context, cache))
        except HostingError as error:
            raise _after(outcomes, error) from None
    sources = {outcome.state_source for outcome in outcomes.values()}
    return {**_result(outcomes), "state_source": "journal" if sources == {"journal"} else "none"}


def _is_due(context: Context, cache: str) -> bool:
    """Tell whether the task has to do with a cache: all of them, but only what was begun where that is to be ended."""
    return context.started is None or begun(context, cache) is not None


def _after(outcomes: dict[str, Outcome], error: HostingError) -> HostingError:
    """Return the error with what was cleared before it."""
    if outcomes:
        before = _result(outcomes)
        error.results.update(before, changed=before["changed"] or error.results.get("changed", False))
        error.with_advice(f"Cleared before: {', '.join(before['caches']) or 'none'}.")
    return error


def _result(outcomes: dict[str, Outcome]) -> dict[str, Any]:
    return {
        "changed": any(outcome.changed for outcome in outcomes.values()),
        "caches": [cache for cache, outcome in outcomes.items() if outcome.changed],
        "operations": [
            {"cache": cache, **outcome.operation.as_result()}
            for cache, outcome in outcomes.items()
            if outcome.operation
        ],
    }


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
