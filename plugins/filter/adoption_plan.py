# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: adoption_plan
short_description: Say which files declare a fleet as it is
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Turns what the role P(hosting.management.adopt#role) read of each host into files of variables, for
    M(hosting.management.variable_files). What is in the folder already is read, and nothing is written.
positional: _input
options:
  _input:
    description: The names of the hosts.
    type: list
    elements: str
    required: true
  asked:
    description: What P(hosting.management.adopt_host#lookup) returned for each host, in the order of the names.
    type: list
    elements: dict
    required: true
  read:
    description: The result of M(hosting.management.environment_state_info) for each host, in the same order.
    type: list
    elements: dict
    required: true
  groups:
    description: The hosts of each group of the inventory, as C(groups) has them.
    type: dict
    required: true
  users:
    description: The result of the task that lists the users of the company, empty without one.
    type: dict
    required: true
  settings:
    description: The C(settings) of P(hosting.management.adopt_host#lookup).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Show which files would be written
  ansible.builtin.debug:
    msg: "{{ plan.files | map(attribute='path') }}"
  vars:
    plan: >-
      {{ ['shop-live'] | hosting.management.adoption_plan(asked=[host], read=[state], groups=groups, users={},
      settings=host.settings) }}
"""

RETURN = r"""
_value:
  description:
    - C(files) are options of M(hosting.management.variable_files), and C(problems) a sentence for each reason not to
      write any. C(declared) is what the files say of each host, as M(hosting.management.environment) takes it.
    - C(hosts) are those that are adopted. C(not_adopted), C(conflicts), C(gaps) and C(notes) are for
      P(hosting.management.adoption_summary#filter).
  type: dict
  contains:
    problems:
      description: A sentence for each reason not to write anything.
      type: list
      elements: str
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..plugin_utils.adoption_files import plan_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"adoption_plan": adoption_plan}


def adoption_plan(hosts: Any, asked: Any, read: Any, groups: Any, users: Any, settings: Any) -> dict[str, Any]:
    folder = Path(str(settings["folder"]))
    return plan_of(
        [str(host) for host in hosts],
        asked=asked,
        read=read,
        groups=groups,
        users=users,
        settings=settings,
        look=lambda path: _text(folder / path),
        rivals=lambda path: _rivals(folder, path),
    )


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(error.strerror or "it is not readable") from None


def _rivals(folder: Path, path: str) -> list[str]:
    """Return the other files that Ansible would read for the same host or group."""
    stem = folder / path.removesuffix(".yml")
    others = [stem, *(Path(f"{stem}{extension}") for extension in (".yaml", ".json"))]
    if path.partition("/")[0] not in ("group_vars", "host_vars"):
        return []
    return [str(one.relative_to(folder)) for one in others if one.exists()]
