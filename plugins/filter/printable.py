# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: printable
short_description: Make text from elsewhere fit for a terminal
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Returns the text on one line. Line breaks and other characters that could affect a terminal become spaces.
  - Use it where you print what the service or a site returned, such as the name of an API key.
positional: longest
options:
  _input:
    description: The text.
    type: str
    required: true
  longest:
    description: The maximum number of characters. Longer text is cut.
    type: int
    default: 5000
"""

EXAMPLES = r"""
- name: Show a name
  ansible.builtin.debug:
    msg: "{{ 'shop' | hosting.management.printable }}"
"""

RETURN = r"""
_value:
  description: The text without such characters.
  type: str
  sample: shop
"""

from collections.abc import Callable

from ..module_utils._errors import LONGEST_MESSAGE
from ..module_utils._text import printable


def clean(text: object, longest: int = LONGEST_MESSAGE) -> str:
    """Return a text on one line, without characters that could steer a terminal."""
    return printable(str(text), longest)


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"printable": clean}
