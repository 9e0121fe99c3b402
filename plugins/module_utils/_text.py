# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text that comes from the service, made fit for a terminal and a log."""

from __future__ import annotations

import re
import unicodedata

LONGEST_QUOTE = 300  # characters of the service's words that a message repeats
LONGEST_LINE = 500  # characters of a line of a log
_CONTROLLING = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control characters, direction marks, surrogates, line separators
_JOINERS = "\u200c\u200d"  # which scripts and emoji are written with
# What colours text, moves the cursor, or sets the terminal's title.
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")


# A value behind a name that tells of a secret: name=value, "name": "value", 'name' => 'value', define('NAME', 'value').
_SECRET_VALUE = re.compile(
    r"""(?i)([\w-]*(?:passw|_pass|pwd|secret|token|api_?-?key|nonce)[\w-]*(?:["'\]]*\s*(?:=>?|:)|["']\s*,)\s*)"""
    r"""("[^"]*"|'[^']*'|[^\s&;,)\]}"']+)"""
)


def has_controlling(text: str) -> bool:
    """Tell whether a text has characters that could steer a terminal, or that nobody could copy from there."""
    return any(_is_controlling(character) for character in text)


def _is_controlling(character: str) -> bool:
    return unicodedata.category(character) in _CONTROLLING and character not in _JOINERS


def printable(text: str, longest: int = LONGEST_QUOTE) -> str:
    """Return the text on one line, without characters that could steer a terminal, and not longer than ``longest``."""
    clean = "".join(" " if _is_controlling(character) else character for character in text)
    return " ".join(clean.split())[:longest]


def printable_lines(text: str) -> list[str]:
    """Return the lines of the text as they are, without what could steer a terminal; tabs become spaces."""
    without_sequences = _SEQUENCE.sub("", text.expandtabs(4).replace("\r\n", "\n"))
    return [
        "".join(" " if _is_controlling(character) else character for character in line).rstrip()
        for line in without_sequences.split("\n")
    ]


def columns_of(text: str) -> int:
    """Return how wide a text is, in columns of a terminal: the letters of East Asia are as wide as two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def last_lines(log: str, most: int) -> list[str]:
    """Return the last lines of a log that are not blank, printable, and without what looks like a secret in them."""
    lines = [line for line in printable_lines(log) if line.strip()]
    return [_without_secrets(line)[:LONGEST_LINE] for line in lines[-most:]]


def _without_secrets(line: str) -> str:
    """Return a line with asterisks for logins in addresses, bearer keys, and values whose names tell of a secret."""
    line = re.sub(r"(?<=://)[^/\s@]+@", "********@", line)
    line = re.sub(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]+", r"\1 ********", line)
    return _SECRET_VALUE.sub(r"\1********", line)


def without_login(address: str) -> str:
    """Return an address, or what was meant to be one, without all that may be a login: what is before the last @."""
    return re.sub(r"(?s)^.*@", "********@", address)
