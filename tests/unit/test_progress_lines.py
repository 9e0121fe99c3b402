# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of progress of a task that waits: what they have to say is said once a minute."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _context
from ansible_collections.hosting.management.plugins.module_utils._context import Context


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still: its only element is the time."""
    now = [1000.0]
    monkeypatch.setattr(_context.time, "monotonic", lambda: now[0])
    return now


def test_a_line_that_says_the_same_comes_once_a_minute(clock):
    lines: list[str] = []
    context = Context({}, report=lines.append)
    for seconds in (0, 5, 59.9, 60, 61, 120):
        clock[0] = 1000 + seconds
        context.report("waiting for the effect")
    assert len(lines) == 3


@pytest.mark.usefixtures("clock")
def test_lines_that_say_something_new_come_at_once():
    lines: list[str] = []
    context = Context({}, report=lines.append)
    for line in ("1 of 3", "2 of 3", "1 of 3"):
        context.report(line)
    assert lines == ["1 of 3", "2 of 3"]


@pytest.mark.usefixtures("clock")
def test_the_parts_of_a_task_say_the_same_together_once():
    lines: list[str] = []
    context = Context({}, report=lines.append)
    for part in (context.narrowed({}), context.narrowed({})):
        part.report("waiting for an answer")
    assert lines == ["waiting for an answer"]
