# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What no result may show, taken out of it: Ansible itself does so only before 2.22, and in names only on demand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

# Ansible's own words for it.
WHOLE = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
PART = "********"


def without_secrets(value: Any, secrets: Iterable[str]) -> Any:
    """Return a copy of a result, or of a part of it, in which no text, number or name of an object shows a secret.

    It needs no stack, however deeply the service nests its answers.
    """
    hidden = sorted(filter(None, secrets), key=len, reverse=True)
    unfinished: list[tuple[Any, Any]] = []

    def clean(item: Any) -> Any:
        if isinstance(item, (Mapping, list, tuple, set, frozenset)):
            copy: Any = {} if isinstance(item, Mapping) else []
            unfinished.append((item, copy))
            return copy
        return _clean_plain(item, hidden)

    cleaned = clean(value)
    while unfinished:
        container, copy = unfinished.pop()
        if isinstance(container, Mapping):
            copy.update({_clean_plain(name, hidden): clean(item) for name, item in container.items()})
        else:
            copy.extend(clean(item) for item in container)
    return cleaned


def _clean_plain(value: Any, hidden: list[str]) -> Any:
    """Clean what contains nothing else; ``hidden`` begins with the longest secret, which may contain shorter ones."""
    if isinstance(value, str):
        if value in hidden:
            return WHOLE
        for secret in hidden:
            value = value.replace(secret, PART)
        return value
    if value is None or isinstance(value, (bool, date)):
        return value
    if isinstance(value, (int, float)):
        return WHOLE if any(secret in str(value) for secret in hidden) else value
    raise TypeError(f"A result cannot contain a {type(value).__name__}.")
