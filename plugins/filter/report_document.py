# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: report_document
short_description: Collect the data for a fleet report
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Combines what the role P(hosting.management.report#role) read from each host into one document. The role writes this
    document as JSON, and P(hosting.management.report_page#filter) turns it into a page.
positional: _input
options:
  _input:
    description: The names of the hosts.
    type: list
    elements: str
    required: true
  known:
    description:
      - What is known of each host, in the order of the names. A dictionary with C(site_id), C(site_name),
        C(environment_id), C(environment_name), C(php_version), C(wordpress_version), C(primary_domain), C(domains),
        C(is_premium), C(visits_budget), C(error), the reason for which it was not read, and C(drift), which says
        whether it C(declares) something to compare with, what is C(planned), and the C(problem) that it cannot be
        compared for. It is empty for a host that failed before.
    type: list
    elements: dict
    required: true
  read:
    description:
      - The result of M(hosting.management.environment_state_info) for each host, in the same order. It is empty for a
        host that was not read.
    type: list
    elements: dict
    required: true
  key:
    description: The result of M(hosting.management.api_key_info).
    type: dict
    required: true
  time:
    description: The time of the report, as a date or time in ISO 8601.
    type: str
    required: true
  time_frame:
    description: The time frame for visits and networks.
    type: str
    required: true
  title:
    description: The title of the report.
    type: str
    required: true
  parts:
    description: The parts of the report that were requested.
    type: list
    elements: str
    required: true
  limits:
    description: The limits C(key_days), C(backup_days) and C(budget_percent).
    type: dict
    required: true
  charts:
    description: Whether the report should have charts.
    type: bool
    default: true
  has_plan:
    description: Whether the environments were compared with a plan of the role P(hosting.management.maintain#role).
    type: bool
    default: false
  previous:
    description: The path of an earlier report's JSON file, to show what has changed since.
    type: str
    default: ""
"""

EXAMPLES = r"""
- name: Create the document
  ansible.builtin.set_fact:
    document: >-
      {{ ['shop-live'] | hosting.management.report_document(known=[{'environment_id': hosting_environment_id}],
      read=[state], key=key, time='2026-11-02T06:00:00Z', time_frame='30_days', title='Fleet', parts=['visits'],
      limits={'key_days': 30, 'backup_days': 2, 'budget_percent': 80}) }}
"""

RETURN = r"""
_value:
  description: The document.
  type: dict
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils.plain_values import Record
from ..plugin_utils.report import charts as drawings
from ..plugin_utils.report.days import ReportError
from ..plugin_utils.report.document import document_of, parts_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"report_document": report_document}


def report_document(
    hosts: list[str],
    known: list[Record],
    read: list[Record],
    *,
    key: Record,
    charts: bool = True,
    previous: str = "",
    **settings: Any,
) -> Record:
    earlier, problem = _earlier(str(previous))
    try:
        return document_of(
            [_of_host(*one) for one in zip(hosts, known, read, strict=True)],
            key,
            # To look for the library takes longer than to write the page.
            charts="off" if not charts else "drawn" if drawings.is_there() else "missing",
            previous=earlier,
            previous_problem=problem,
            **settings,
        )
    except ReportError as error:
        raise AnsibleFilterError(str(error)) from None


def _of_host(name: str, known: Record, read: Record) -> Record:
    lost = {"error": "The host failed before anything was read."}
    return {**lost, **known, "host": str(name), "parts": parts_of(read)}


def _earlier(path: str) -> tuple[object, str]:
    """Return the document of an earlier report, and why there is none."""
    if not path:
        return None, ""
    try:
        return json.loads(Path(path).expanduser().read_text(encoding="utf-8")), ""
    except FileNotFoundError:
        return None, f"There is no earlier report in {path} yet."
    except (OSError, ValueError) as error:
        return None, f"The earlier report {path} cannot be read: {error}"
