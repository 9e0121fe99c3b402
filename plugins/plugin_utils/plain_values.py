# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of a playbook, as JSON has them: what the filters of the roles work with."""

from __future__ import annotations

from typing import Any

Record = dict[str, Any]
"""Values by their names, as JSON has them."""

NOT_READ = "skipped_reason"
"""What ansible-core 2.21 notes of a loop without items, and warns of as deprecated as soon as it is read."""


def plain(value: Any) -> Any:
    """Return a value of a playbook as JSON has it: without tags, with keys that are text, and with finite numbers.

    :param value: what a variable holds, or what a task has registered.
    """
    if isinstance(value, dict):
        return {str(name): plain(value[name]) for name in value if name != NOT_READ}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)
