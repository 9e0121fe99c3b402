#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site_check
short_description: Check that a site responds as expected
version_added: 0.2.0
description:
  - Requests addresses of a site as a visitor would, and fails if one of them does not respond as expected. Use it after
    a deployment, for example. Redirects are followed. Up to 8 addresses are requested at the same time.
  - The API key is never sent to a site. Without O(environment_id), nothing is sent to the hosting service, and neither
    O(base_url) nor O(api_key) is needed.
  - With O(environment_id), the journal learns whether the site works with its updates. The module waits for updates
    that are in progress, requests the addresses, and records the verdict on the updates that nobody has judged, as
    M(hosting.management.update_info) and M(hosting.management.update_verdict) do. Nothing is recorded while an update
    is in progress, in check mode, and if the machine that runs the task cannot ask the site.
  - Any answer that is not as expected, and any failure that is the site's own, fails with the error kind
    V(check_failed). That includes a refused or broken connection, a timeout, a certificate that does not verify, and
    an answer that cannot be read.
  - If the machine that runs the task cannot ask the site, the error kind is V(connection), and nothing is said about
    the site. That is so if its name cannot be resolved, if there is no route to any of its addresses, or if the proxy
    of this machine cannot be used. A name that does not exist counts as the site's failure only if this machine can
    resolve another name, that is, the host of O(base_url) or of another address of O(urls).
options:
  urls:
    description:
      - The addresses to request. Each must begin with C(https://) or C(http://). With O(environment_id), the list may
        be empty; then no verdict is recorded.
      - One of O(urls), O(sites) and O(checked) is required.
    type: list
    elements: str
  sites:
    description:
      - Several sites at once, so that one task asks all sites of a fleet. A list of dictionaries with C(name), which
        tells a site from the others in RV(sites), and C(urls), C(status), C(contains), C(lacks), C(attempts), C(pause),
        C(timeout), C(url_username), C(url_password) and C(validate_site_certs).
      - The pause between two attempts at one site keeps no other one waiting. If one site does not respond as expected,
        the task fails when all have been asked.
    type: raw
    version_added: 0.2.0
  checked:
    description:
      - What an earlier task with O(sites) has found out about a site, one value of RV(sites). The task then requests
        nothing, and fails if that site did not respond as expected.
    type: dict
    version_added: 0.2.0
  status:
    description:
      - The expected HTTP statuses.
    type: list
    elements: int
    default: [200]
  contains:
    description:
      - Texts that every page must contain.
    type: list
    elements: str
    default: []
  lacks:
    description:
      - Texts that no page may contain, such as V(There has been a critical error).
    type: list
    elements: str
    default: []
  attempts:
    description:
      - The maximum number of times to request an address until it responds as expected.
    type: int
    default: 3
  pause:
    description:
      - Seconds between two attempts.
    type: float
    default: 5
  url_username:
    description:
      - The user name for sites that require basic authentication.
    type: str
  url_password:
    description:
      - The password for O(url_username).
    type: str
  validate_site_certs:
    description:
      - Whether to verify the TLS certificates of the sites. O(validate_certs) and O(ca_path) apply only to the hosting
        service.
    type: bool
    default: true
  environment_id:
    description:
      - The id of the environment that the addresses belong to.
    type: str
    aliases: [env_id]
  site_id:
    description:
      - The id of the environment's site, for the verdict on a PHP version.
    type: str
  known_problem:
    description:
      - What is known to be wrong with the site already, such as that its pages look different from before. The site
        then counts as not working, whatever it answers. As its answers do not tell whether that has been mended, only
        M(hosting.management.update_verdict) says that it works with its updates after all.
    type: str
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Check that the shop is up
  hosting.management.site_check:
    urls:
      - https://shop.example.com
    contains: [</html>]
    lacks: [There has been a critical error]

- name: Check the shop after updates, and record whether it works with them
  hosting.management.site_check:
    environment_id: "{{ hosting_environment_id }}"
    urls:
      - https://shop.example.com

- name: Check several sites side by side
  hosting.management.site_check:
    sites:
      - name: shop
        urls:
          - https://shop.example.com
      - name: blog
        urls:
          - https://blog.example.com
        contains: [</html>]
"""

RETURN = r"""
checks:
  description: The result for each address, in the order of O(urls).
  returned: always, unless the options were invalid or O(sites) is given
  type: list
  elements: dict
  contains:
    url:
      description: The address.
      type: str
      sample: https://shop.example.com
    ok:
      description: Whether the address responded as expected.
      type: bool
    status:
      description: The HTTP status of the last response, or null if there was none.
      type: int
      sample: 200
    problem:
      description: What was not as expected, or null.
      type: str
      sample: answered 500 instead of 200
    is_of_site:
      description:
        - Whether the problem tells something about the site. With V(false), this machine could not ask it.
      type: bool
    attempts:
      description: How often the address was requested.
      type: int
      sample: 1
    seconds:
      description: How long the last attempt took, in seconds.
      type: float
      sample: 0.214
sites:
  description: What was found out about each site, by its name.
  returned: if O(sites) is given, unless the options were invalid
  type: dict
  contains:
    failed:
      description: Whether the site did not respond as expected, or could not be asked.
      returned: for each site
      type: bool
    msg:
      description: What was not as expected, or null.
      returned: for each site
      type: str
    error:
      description: What went wrong, with the same values as RV(error), or null.
      returned: for each site
      type: dict
    checks:
      description: The result for each address of the site, as in RV(checks).
      returned: for each site
      type: list
      elements: dict
updates:
  description: The updates of the environment with the verdicts that were recorded, oldest first. Null if they could
    not be read.
  returned: if O(environment_id) is given, unless the options were invalid
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
  description: Whether no update is in progress any more. False after O(wait_timeout), or with O(wait=false). Null if
    that is not known.
  returned: if O(environment_id) is given, unless the options were invalid
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

from ..module_utils._arguments import ModuleSpec, Option, api_options, operation_options, uuid_option
from ..module_utils._context import Context
from ..module_utils._entry import run_module
from ..module_utils._pages import checked_urls
from ..module_utils._site_checks import (
    CONSTRAINTS,
    OPTIONS,
    check_site,
    check_sites,
    require_address,
    sites_option,
)

SPEC = ModuleSpec(
    api_options(),
    operation_options(),
    {
        **OPTIONS,
        "urls": Option(checked_urls, type="list", elements="str"),
        "sites": sites_option(),
        "checked": {"type": "dict"},
        "environment_id": uuid_option(required=False, aliases=["env_id"]),
        "site_id": uuid_option(required=False),
        "known_problem": {"type": "str"},
    },
    rule=require_address,
    needs_service=lambda params: params["environment_id"] is not None,
    **CONSTRAINTS,
)

ONCE_A_WAVE = "sites"
"""With this option, the module is for all hosts at once: a strategy without run_once leaves each to its own."""


def run(context: Context) -> dict[str, Any]:
    """Check a site, or several."""
    return check_site(context) if context["sites"] is None else check_sites(context)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
