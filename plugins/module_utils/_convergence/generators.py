# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What waits where there is something to wait for, so that a task with several changes goes on with the others."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import wraps
from typing import ParamSpec, TypeVar

Thing = TypeVar("Thing")
Given = ParamSpec("Given")

Steps = Generator[None, None, Thing]
"""What yields where it would wait, and returns a thing in the end. Whoever goes on with it lets it wait."""


def in_one_go(begin: Callable[Given, Steps[Thing]]) -> Callable[Given, Thing]:
    """Return the function that does the same, and waits wherever there is something to wait for."""

    @wraps(begin)
    def to_the_end(*args: Given.args, **kwargs: Given.kwargs) -> Thing:
        steps = begin(*args, **kwargs)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return end.value

    return to_the_end
