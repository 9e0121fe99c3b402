# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Appends each result of a task to the file of the variable RESULTS, as a line of JSON; and is silent otherwise.

A run that is killed leaves what it has done so far.
"""

from __future__ import annotations

import json
import os

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: results
type: stdout
short_description: Append each result of a task to a file
description: [Append each result of a task to a file.]
"""


class CallbackModule(CallbackBase):
    """Writes lines with the host, the task's name, whether it failed, and the result."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "results"

    def v2_runner_on_ok(self, result):
        self._write(result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._write(result, failed=True, ignored=ignore_errors)

    def v2_runner_item_on_ok(self, result):
        # One task may set a fact for each of many hosts.
        if "ansible_facts" in result._result:
            self._write(result, host=result._task.delegate_to)

    def v2_runner_item_on_failed(self, result):
        self._write(result, failed=True, ignored=True)

    def v2_runner_on_unreachable(self, result):
        self._write(result, failed=True)

    def _write(self, result, failed=False, ignored=False, host=None):
        line = {
            "host": host or result._host.get_name(),
            "task": result._task.get_name(),
            "action": result._task.action,
            "failed": failed,
            "ignored": ignored,
            "result": result._result,
        }
        with open(os.environ["RESULTS"], "a") as file:
            file.write(json.dumps(line, default=str) + "\n")
