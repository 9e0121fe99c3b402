# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: adoption_summary
short_description: Say what was adopted, and what was not
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Summarizes a run of the role P(hosting.management.adopt#role).
positional: _input
options:
  _input:
    description: What P(hosting.management.adoption_plan#filter) returned.
    type: dict
    required: true
  written:
    description: The result of M(hosting.management.variable_files).
    type: dict
    required: true
  compared:
    description:
      - For each host, the result of the task that compared what the files say with the environment. Empty where
        nothing was compared.
    type: dict
    required: true
  check_mode:
    description: Whether nothing was to be written.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Show what was adopted
  ansible.builtin.debug:
    msg: "{{ (plan | hosting.management.adoption_summary(written=written, compared={})).lines }}"
"""

RETURN = r"""
_value:
  description:
    - C(lines) are for people. C(needs) has a sentence for each thing that needs a person, and C(differs) the parts of
      each host in which the files say something else than the service.
  type: dict
  contains:
    lines:
      description: The summary, line by line.
      type: list
      elements: str
"""

from collections.abc import Callable

from ..plugin_utils.adoption_outcome import summary_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"adoption_summary": summary_of}
