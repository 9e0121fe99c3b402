#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site_compare
short_description: Compare two sets of pictures of pages
version_added: 0.2.0
description:
  - Compares two folders that M(hosting.management.site_snapshot) has written, and tells for each page and width which
    share of its pixels differs, and where. It can write a page that shows before, after and difference.
  - A pixel differs if its colour is not found around its place in the other picture. So smoothed edges, a shift by one
    pixel, and shades that hardly differ do not count.
  - Pages are the same if their paths are. So the pictures of a staging environment can be compared with those of the
    live one.
  - Nothing is sent to anybody, and neither O(base_url) nor O(api_key) is needed. In check mode, nothing is written.
options:
  before:
    description:
      - The folder with the pictures before.
    type: path
    required: true
  after:
    description:
      - The folder with the pictures after.
    type: path
    required: true
  most_difference:
    description:
      - The share of pixels that may differ, in percent. A page that differs more counts in RV(differs).
    type: float
    default: 0.01
  must_match:
    description:
      - Whether the task fails, with the error kind V(check_failed), if a page differs by more than O(most_difference).
    type: bool
    default: false
  report:
    description:
      - The path of an HTML page to write, with before, after and difference of what differs. It is one file that loads
        nothing.
    type: path
requirements:
  - numpy >= 1.26
  - pillow >= 10.1
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Compare the shop before and after a deployment
  hosting.management.site_compare:
    before: pictures/before
    after: pictures/after
    must_match: true
    report: pictures/comparison.html
  delegate_to: localhost
"""

RETURN = r"""
differs:
  description: Whether a page differs by more than O(most_difference), or is in one set only.
  returned: success, or pages differ
  type: bool
differing:
  description: The pages that do.
  returned: success, or pages differ
  type: list
  elements: str
  sample: [/cart at 1400 px]
to_look_at:
  description: The pages that differ, but by no more than O(most_difference).
  returned: success, or pages differ
  type: list
  elements: str
  sample: [/ at 400 px]
greatest:
  description: The greatest share of pixels that differs, in percent.
  returned: success, or pages differ
  type: float
  sample: 12.4
report:
  description: The path of the page, or null.
  returned: success, or pages differ
  type: str
pictures:
  description: Each page and width.
  returned: success, or pages differ
  type: list
  elements: dict
  contains:
    page:
      description: The path of the page's address.
      type: str
      sample: /cart
    width:
      description: The width of the window, in pixels.
      type: int
      sample: 1400
    before:
      description: The name of the file in O(before), or null if there is none.
      type: str
    after:
      description: The name of the file in O(after), or null if there is none.
      type: str
    share:
      description: The share of pixels that differs, in percent.
      type: float
      sample: 12.4
    differs:
      description: Whether that is more than O(most_difference).
      type: bool
    regions:
      description: Where the pictures differ, the largest first. At most 20.
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
    problem:
      description: Why there was nothing to compare, or null.
      type: str
      sample: there is no picture of it before
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

from ..module_utils._arguments import ModuleSpec, Option, api_options
from ..module_utils._comparing import checked_percent, compare_sets
from ..module_utils._entry import run_module

SPEC = ModuleSpec(
    api_options(),
    {
        "before": {"type": "path", "required": True},
        "after": {"type": "path", "required": True},
        "most_difference": Option(checked_percent, type="float", default=0.01),
        "must_match": {"type": "bool", "default": False},
        "report": {"type": "path"},
    },
    needs_service=False,
)

run = compare_sets


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
