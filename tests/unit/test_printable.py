# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text from elsewhere, and addresses with a login, as messages may have them."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.filter.printable import FilterModule
from ansible_collections.hosting.management.plugins.module_utils._text import without_login

printable = FilterModule().filters()["printable"]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("deploy key", "deploy key"),
        ("\x1b[2J\x1b]0;owned\x07key\n\nof CI", "[2J ]0;owned key of CI"),
        ("a\x9b31mb\u202ec\u2028d", "a 31mb c d"),
        (7, "7"),
    ],
)
def test_nothing_steers_a_terminal(text, clean):
    assert printable(text) == clean


def test_a_long_text_is_cut():
    assert printable("abcdef", 3) == "abc"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://shop.example.com/a", "https://shop.example.com/a"),
        ("https://me:hush@shop.example.com/a", "********@shop.example.com/a"),
        ("https://me:hu@sh/x\n@shop.example.com", "********@shop.example.com"),
        ("me:hush@shop.example.com", "********@shop.example.com"),
    ],
)
def test_no_login_is_shown(address, shown):
    assert without_login(address) == shown
