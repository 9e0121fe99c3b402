# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that only read and decide are done by the run itself: most of their time would go into forks."""

from __future__ import annotations

import copy
import os
import re
import sys

from ansible.executor.process import worker

DECIDES = re.compile(
    r"ansible\.builtin\.(set_fact|debug|assert|fail|include_tasks|validate_argument_spec)"
    r"|hosting\.management\.(\w+_info|site_check)"
)


def decide_without_forks() -> None:
    """Let tasks that only read and decide be done at once, by the run itself."""
    fork, set_queue, run_itself = worker.WorkerProcess.start, worker.display.set_queue, os.getpid()

    def start(self) -> None:
        if not DECIDES.fullmatch(self._task.resolved_action or self._task.action):
            fork(self)
            return
        # What a worker does to its copies of these stays in the worker.
        self._host, self._task = copy.copy(self._host), self._task.copy()
        self._detach = lambda: None
        self.run()

    def set_queue_of_worker(queue) -> None:
        if os.getpid() != run_itself:
            set_queue(queue)

    worker.WorkerProcess.start = start
    worker.display.set_queue = set_queue_of_worker
    # A worker looks there for what a task has written past Ansible.
    sys.stdout.getvalue = sys.stderr.getvalue = str
