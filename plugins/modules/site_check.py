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
    a deployment, for example. Redirects are followed.
  - Nothing is sent to the hosting service, and the API key is never sent to a site. Neither O(base_url) nor O(api_key)
    is needed.
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
      - The addresses to request. Each must begin with C(https://) or C(http://).
    type: list
    elements: str
    required: true
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
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
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
"""

RETURN = r"""
checks:
  description: The result for each address, in the order of O(urls).
  returned: always, unless the options were invalid
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
    is_offered:
      description: Whether the service offers the endpoint, as far as its answer tells. V(false) where it has no such
        endpoint, or none that the key's user may read.
      type: bool
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

import time
from urllib.parse import urlsplit

from ..module_utils._arguments import ModuleSpec, Option, api_options
from ..module_utils._checks import checked_count, checked_not_negative
from ..module_utils._entry import run_module
from ..module_utils._errors import CheckFailed, ConnectionFailed
from ..module_utils._pages import Expectation, ask, checked_urls

SPEC = ModuleSpec(
    api_options(),
    {
        "urls": Option(checked_urls, type="list", elements="str", required=True),
        "status": {"type": "list", "elements": "int", "default": [200]},
        "contains": {"type": "list", "elements": "str", "default": []},
        "lacks": {"type": "list", "elements": "str", "default": []},
        "attempts": Option(checked_count, type="int", default=3),
        "pause": Option(checked_not_negative, type="float", default=5),
        "url_username": {"type": "str"},
        "url_password": {"type": "str", "no_log": True},
        "validate_site_certs": {"type": "bool", "default": True},
    },
    required_together=[["url_username", "url_password"]],
    needs_service=False,
)


def run(context):
    """Ask each address until it answers as it should, or the attempts are used up."""
    expected = Expectation(frozenset(context["status"]), tuple(context["contains"]), tuple(context["lacks"]))
    checks = [_check(context, url, expected) for url in context["urls"]]
    problems = [one for one in checks if not one["ok"]]
    if problems:
        message = " ".join(f"{one['url']} {one['problem']} (attempts: {one['attempts']})." for one in problems)
        error = CheckFailed(message) if any(one["is_of_site"] for one in problems) else _could_not_ask(message)
        error.results["checks"] = checks
        raise error
    return {"checks": checks}


def _could_not_ask(message):
    return ConnectionFailed(
        f"{message} Whether the site works is not known. Check the network, the name resolution and the proxy settings"
        " of the machine that runs this task, then run again."
    )


def _check(context, url, expected):
    login = (context["url_username"] or "", context["url_password"] or "")
    names = [urlsplit(other).hostname for other in [context["base_url"] or "", *context["urls"]]]
    other_names = [name for name in dict.fromkeys(names) if name not in (None, urlsplit(url).hostname)]
    page, attempts = None, 0
    while page is None or (page.problem and attempts < context["attempts"]):
        if page:
            context.report(f"{url} {page.problem}; asking again")
            time.sleep(context["pause"])
        attempts += 1
        began = time.monotonic()
        page = ask(
            url,
            expected,
            timeout=context["timeout"],
            validate_certs=context["validate_site_certs"],
            login=login,
            other_names=other_names,
        )
        seconds = round(time.monotonic() - began, 3)
    return {
        "url": url,
        "ok": page.problem is None,
        "status": page.status,
        "problem": page.problem,
        "is_of_site": page.is_of_site,
        "attempts": attempts,
        "seconds": seconds,
    }


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
