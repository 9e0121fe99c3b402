#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site_snapshot
short_description: Take comparable pictures of pages in a browser
version_added: 0.2.0
description:
  - Takes a picture of each address at each width, as Chromium shows it, and writes them into a folder, with a file
    C(manifest.json) that says what each of them shows. M(hosting.management.site_compare) compares two such folders.
  - Two pictures of a page that has not changed are equal, as far as that is possible. Animations and transitions have
    ended, fonts and lazy images are loaded, there are no scrollbars, and time zone, locale and clock are given.
    Whatever still changes can be hidden or masked. O(settle) says which elements that are.
  - All pictures of a task are taken by one browser, two at a time. Give all addresses to one task, with O(sets) also
    those of several sites, and let each host go on with its own, as in the examples. The roles
    P(hosting.management.deploy#role) and P(hosting.management.maintain#role) do that.
  - A page that cannot be shown, or that answers with an HTTP status of 400 or more, fails the task with the error kind
    V(check_failed), or V(connection) if this machine could not ask the site. The pictures of the other pages are
    written nonetheless.
  - The query of an address may be a secret, so neither file names nor results show it.
  - Nothing is sent to the hosting service, and neither O(base_url) nor O(api_key) is needed. In check mode, the
    pictures are taken, but not written.
options:
  pages:
    description:
      - The addresses. Each must begin with C(https://) or C(http://), and must not have a password in it.
      - Required without O(sets).
    type: list
    elements: str
  folder:
    description:
      - The folder to write to. It is created if it does not exist. Pictures of an earlier set in it are replaced.
      - Required without O(sets).
    type: path
  sets:
    description:
      - Several sets, each a dictionary with C(pages) and C(folder), and with those of C(widths), C(hide), C(mask),
        C(url_username), C(url_password) and C(validate_site_certs) that are not as in the options of the task. No two
        may have the same folder.
      - A page or a set that fails leaves the others alone, and does not fail the task. RV(sets) says so. The task fails
        if there is no browser.
      - With the strategies C(free) and C(host_pinned), which give a task with C(run_once) to every host, a task with
        both is skipped.
    type: raw
  taken:
    description:
      - What an earlier task has returned in RV(sets) for O(folder). This task returns it, fails if that set has failed,
        and takes no pictures.
    type: dict
  widths:
    description:
      - The widths of the window, in pixels, from 200 to 4000.
    type: list
    elements: int
    default: [1400, 400]
  hide:
    description:
      - CSS selectors of elements that are taken out of the page, such as cookie banners. They leave no space.
    type: list
    elements: str
    default: []
  mask:
    description:
      - CSS selectors of elements that are covered with a plain colour, such as clocks and adverts. They keep their
        space. Use O(hide) for an element whose size changes.
    type: list
    elements: str
    default: []
  settle:
    description:
      - Whether to load each page twice, and to tell in RV(unstable) which elements differ though nothing has changed.
        This needs the libraries of M(hosting.management.site_compare), and takes twice as long.
    type: bool
    default: false
  timezone:
    description:
      - The time zone of the browser.
    type: str
    default: UTC
  locale:
    description:
      - The locale of the browser, which also is the language that it asks for.
    type: str
    default: en-US
  clock:
    description:
      - The time that scripts of the pages see, in ISO 8601. It stands still. With an empty string, they see the time of
        this machine.
    type: str
    default: "2026-01-01T12:00:00Z"
  pause:
    description:
      - Seconds to wait after a page has loaded, for scripts that need longer.
    type: float
    default: 0
  browser:
    description:
      - The program of the browser, a Chromium or Chrome.
      - Defaults to the environment variable E(CHROMIUM), then to the first of C(chromium-headless-shell),
        C(chromium), C(chromium-browser),
        C(google-chrome-stable) and C(google-chrome) that is installed, then to the browser that C(playwright install)
        has installed.
    type: str
  sandbox:
    description:
      - Whether Chromium keeps its pages in a sandbox. Some containers do not allow that.
      - Defaults to V(true), but to V(false) for root, for whom Chromium has none.
    type: bool
  url_username:
    description:
      - The user name for sites that require basic authentication. It is sent only to the hosts of O(pages).
    type: str
  url_password:
    description:
      - The password for O(url_username).
    type: str
  validate_site_certs:
    description:
      - Whether to verify the TLS certificates of the sites.
    type: bool
    default: true
requirements:
  - playwright >= 1.50
  - Chromium or Google Chrome
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Take pictures of the shop before a deployment
  hosting.management.site_snapshot:
    pages:
      - https://shop.example.com/
      - https://shop.example.com/cart
    folder: pictures/before
    hide: ["#cookie-banner"]
    mask: [.advert, .clock]
  delegate_to: localhost

- name: See which elements have to be masked
  hosting.management.site_snapshot:
    pages: [https://shop.example.com/]
    folder: pictures/settle
    settle: true
  delegate_to: localhost

- name: Take pictures of the sites of all hosts, with one browser
  hosting.management.site_snapshot:
    sets: "{{ ansible_play_hosts | map('extract', hostvars, 'shop_pictures') }}"
  vars:
    ansible_connection: local
  register: snapshots
  run_once: true

- name: Check that the pages of this host could be shown
  hosting.management.site_snapshot:
    pages: "{{ shop_pictures.pages }}"
    folder: "{{ shop_pictures.folder }}"
    taken: "{{ (snapshots.sets | default({}))[shop_pictures.folder] | default(omit) }}"
"""

RETURN = r"""
folder:
  description: The folder of the pictures.
  returned: without O(sets), unless the options were invalid
  type: str
pictures:
  description: The pictures, in the order of O(pages) and O(widths).
  returned: without O(sets), unless the options were invalid
  type: list
  elements: dict
  contains:
    page:
      description: What the page is called in a comparison. It is the path of its address.
      type: str
      sample: /cart
    url:
      description: The address, without its query.
      type: str
      sample: https://shop.example.com/cart
    width:
      description: The width of the window, in pixels.
      type: int
      sample: 1400
    height:
      description: The height of the picture, in pixels. Null if there is none.
      type: int
      sample: 2210
    file:
      description: The name of the file in RV(folder). Null if there is no picture.
      type: str
      sample: 02-shop.example.com-cart-1400.png
    sha256:
      description: The digest of the file, in hexadecimal. Null if there is no picture.
      type: str
    status:
      description: The HTTP status of the page. Null if there was no answer.
      type: int
      sample: 200
    is_cut:
      description: Whether the page is longer than the 16000 pixels that the picture shows of it.
      type: bool
    problem:
      description: Why the page could not be shown, or null.
      type: str
      sample: answered 500
    console_errors:
      description: What the page has written to the console as errors, without what may be secrets. At most 20.
      type: list
      elements: str
      sample: ["ReferenceError: jQuery is not defined"]
    failed_requests:
      description: The requests of the page that failed, or were answered with a status of 400 or more. At most 20.
      type: list
      elements: str
      sample: ["GET https://shop.example.com/style.css: 404"]
    unmatched:
      description: Those of O(hide) and O(mask) that match nothing on the page.
      type: list
      elements: str
    unstable:
      description: What differs between two pictures of the page. Empty without O(settle).
      type: list
      elements: dict
      contains:
        selector:
          description: The CSS selector of the element, ready for O(mask). Null if none was found.
          type: str
          sample: "#clock"
        regions:
          description: Where the pictures differ.
          type: list
          elements: dict
          contains:
            x:
              description: Pixels from the left.
              type: int
            y:
              description: Pixels from the top.
              type: int
            width:
              description: The width in pixels.
              type: int
            height:
              description: The height in pixels.
              type: int
            pixels:
              description: How many of its pixels differ.
              type: int
    seconds:
      description: How long it took, in seconds.
      type: float
      sample: 0.712
unstable:
  description: The CSS selectors of all unstable elements, ready for O(mask). Empty without O(settle).
  returned: without O(sets), unless the options were invalid
  type: list
  elements: str
  sample: ["#clock", div.slider]
sets:
  description:
    - What became of each of O(sets), by its folder. It has RV(folder), RV(pictures), RV(unstable) and
      RV(ignore:changed) as a task for this set alone.
    - If it has failed, it also has RV(ignore:failed), RV(ignore:msg) and RV(error).
  returned: with O(sets), unless the options were invalid
  type: dict
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

from ..module_utils._arguments import ModuleSpec, Nested, Option, api_options
from ..module_utils._checks import checked_not_negative
from ..module_utils._entry import run_module
from ..module_utils._errors import InvalidInput
from ..module_utils._picture_sets import queries_of
from ..module_utils._shots import (
    checked_clock,
    checked_locale,
    checked_pages,
    checked_selectors,
    checked_timezone,
    checked_widths,
)
from ..module_utils._snapshots import take_snapshots

ONCE_A_WAVE = "sets"

LOGIN = [["url_username", "url_password"]]


def of_a_set(*, is_alone: bool) -> dict[str, dict[str, Any]]:
    """The options of a set: alone with their defaults, and as one of several with those of the task instead."""
    options: dict[str, dict[str, Any]] = {
        "pages": Option(checked_pages, queries_of, type="list", elements="str"),
        "folder": {"type": "path"},
        "widths": Option(checked_widths, type="list", elements="int"),
        "hide": Option(checked_selectors, type="list", elements="str"),
        "mask": Option(checked_selectors, type="list", elements="str"),
        "url_username": {"type": "str"},
        "url_password": {"type": "str", "no_log": True},
        "validate_site_certs": {"type": "bool"},
    }
    if not is_alone:
        for name in ("pages", "folder"):
            options[name]["required"] = True
        return options
    defaults = {"widths": [1400, 400], "hide": [], "mask": [], "validate_site_certs": True}
    for name, value in defaults.items():
        options[name]["default"] = value
    return options


def one_folder_each(params: dict[str, Any]) -> None:
    """Raises InvalidInput for two sets of one folder: each would replace the pictures of the other."""
    folders = [one["folder"] for one in params["sets"] or []]
    for folder in folders:
        if folders.count(folder) > 1:
            raise InvalidInput(f"sets has {folder} twice. Give each set a folder of its own. Nothing was done.")


SPEC = ModuleSpec(
    api_options(),
    of_a_set(is_alone=True),
    {
        "sets": Nested(
            ModuleSpec(of_a_set(is_alone=False), needs_service=False, required_together=LOGIN), several=True
        ),
        "taken": {"type": "dict"},
        "settle": {"type": "bool", "default": False},
        "timezone": Option(checked_timezone, default="UTC"),
        "locale": Option(checked_locale, default="en-US"),
        "clock": Option(checked_clock, default="2026-01-01T12:00:00Z"),
        "pause": Option(checked_not_negative, type="float", default=0),
        "browser": {"type": "str"},
        "sandbox": {"type": "bool"},
    },
    rule=one_folder_each,
    needs_service=False,
    required_together=[*LOGIN, ["pages", "folder"]],
    required_one_of=[["pages", "sets"]],
    mutually_exclusive=[["pages", "sets"], ["taken", "sets"]],
)

run = take_snapshots


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
