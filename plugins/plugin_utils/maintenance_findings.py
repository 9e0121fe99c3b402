# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role maintain finds, in words: the parts and checks by their names, and the levels of findings.

A finding has a ``name`` (of the part or check), a ``title`` and a ``text`` for people, and a ``level``: ``fail`` needs
a person and makes the run fail, ``warn`` does not, ``held`` waits for the canary or the end of a lock, ``cannot`` is
what the service has no endpoint for.
"""

from __future__ import annotations

from ..module_utils._text import printable
from .plain_values import Record

PARTS = {
    "plugins": "plugins",
    "themes": "themes",
    "php_version": "PHP version",
    "backup": "backup",
    "denied_ips": "denied addresses",
    "sftp_allowlist": "SFTP allowlist",
    "image_optimization": "image optimization",
    "primary_domain": "primary domain",
    "dns_records": "DNS records",
}
"""What is declared, what people most want to know first, with the words for them."""
STEPS = {
    "declaration": "declared state",
    "update_backup": "backup before the updates",
    "well": "site",
    "updates": "updates",
    "undo": "rollback",
}
"""What belongs to no part alone."""
CHECKS = {
    "key": "API key",
    "site": "site",
    "vulnerable_plugins": "vulnerable plugins",
    "visits": "visits",
    "old_backup": "old backup",
    "old_php": "old PHP",
    "old_wordpress": "old WordPress",
    "unexpected_dns": "unexpected DNS records",
    "journal": "unknown outcome",
}
"""What is only looked at."""
READINGS = {
    "vulnerable_plugins": "plugins",
    "visits": "usage",
    "old_backup": "backup",
    "old_php": "versions",
    "old_wordpress": "versions",
    "unexpected_dns": "dns_records",
    "journal": "releases",
}
"""What each check looks at, by the names of environment_state_info."""
UPDATES = ("themes", "plugins", "php_version")
LONGEST_TEXT = 1000  # characters
LONGEST_LOG = 6000  # characters


def in_brackets(text: str) -> str:
    """Return a reason as it follows a sentence; nothing without one."""
    return f" ({text.rstrip('.')})" if text else ""


def finding_of(name: str, level: str, text: str, longest: int = LONGEST_TEXT) -> Record:
    """Return a finding about a part, a step or a check."""
    title = (PARTS | STEPS | CHECKS)[name]
    return {"name": name, "title": title, "level": level, "text": printable(text, longest)}


def graded(name: str, text: str, warn_only: list[str]) -> Record:
    """Return a finding that needs a person, unless the user only wants a warning of it."""
    return finding_of(name, "warn" if name in warn_only else "fail", text)


def message_of(result: Record) -> str:
    """Return why a task failed."""
    return str(result.get("msg") or "it has no message")
