# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text that comes from the service, made fit for a terminal and a log."""

from __future__ import annotations

import re
import unicodedata

LONGEST_QUOTE = 300  # characters of the service's words that a message repeats
_CONTROLLING = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control characters, direction marks, surrogates, line separators


def printable(text: str, longest: int = LONGEST_QUOTE) -> str:
    """Return the text on one line, without characters that could steer a terminal, and not longer than ``longest``."""
    clean = "".join(" " if unicodedata.category(character) in _CONTROLLING else character for character in text)
    return " ".join(clean.split())[:longest]


def without_login(address: str) -> str:
    """Return an address, or what was meant to be one, without all that may be a login: what is before the last @."""
    return re.sub(r"(?s)^.*@", "********@", address)
