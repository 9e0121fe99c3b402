# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells the test what ansible-playbook does, as it does it, and lets the test act between two tasks.

Each task's start is written as a JSON line, and the playbook goes on when the test has answered with a line of its own.
Each result is written as a JSON line, without waiting.
"""

from __future__ import annotations

import json
import os

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = r"""
name: events
type: notification
short_description: Tells the test what happens
description:
  - Writes task starts and results as JSON lines.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "events"

    def __init__(self):
        super().__init__()
        self._events = os.fdopen(int(os.environ["EVENTS_TO"]), "w", buffering=1)
        self._answers = os.fdopen(int(os.environ["ANSWERS_FROM"]))

    def v2_playbook_on_task_start(self, task, is_conditional):
        self._write(event="start", task=task.name)
        self._answers.readline()

    def v2_runner_on_ok(self, result):
        self._write_result(result, failed=False)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._write_result(result, failed=True)

    def v2_runner_on_unreachable(self, result):
        self._write_result(result, failed=True)

    def v2_runner_on_skipped(self, result):
        self._write_result(result, failed=False)

    def _write_result(self, result, failed):
        values = {**result.result, "failed": failed}
        self._write(event="result", task=result.task.name, host=result.host.name, result=values)

    def _write(self, **event):
        self._events.write(json.dumps(event, default=str) + "\n")
