# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: interactive
short_description: Tell whether there is somebody at a terminal who can be asked
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Returns true if C(ansible.builtin.pause) would wait for an answer, and the run is no job of AWX, whose jobs have a
    terminal with nobody at it.
options:
  _terms:
    description: Not used.
"""

EXAMPLES = r"""
- name: Ask before going on, where somebody can answer
  ansible.builtin.pause:
    prompt: Press return to go on
  when: lookup('hosting.management.interactive')
"""

RETURN = r"""
_raw:
  description: One boolean.
  type: list
  elements: bool
"""

import os
from typing import Any

from ansible.errors import AnsiblePromptNoninteractive
from ansible.plugins.lookup import LookupBase
from ansible.utils.display import Display

OF_JOBS = ("AWX_PRIVATE_DATA_DIR", "AWX_ISOLATED_DATA_DIR")  # AWX sets the one, ansible-runner the other


class LookupModule(LookupBase):
    def run(self, terms: list[object], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[bool]:
        return [not any(os.environ.get(name) for name in OF_JOBS) and _has_terminal()]


def _has_terminal() -> bool:
    """Ask the parent process, since the one of a task has no terminal: with no time to wait, nobody has to answer."""
    try:
        Display().prompt_until("", seconds=0)
    except AnsiblePromptNoninteractive:
        return False
    return True
