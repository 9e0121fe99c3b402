# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text from elsewhere, and addresses with a login, as messages may have them."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.filter.printable import FilterModule
from ansible_collections.hosting.management.plugins.module_utils._text import last_lines, without_login

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


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("PHP Warning:  mysqli(): \x1b[31mdenied\x1b[0m\x07", "PHP Warning:  mysqli(): denied"),
        ("define('DB_PASSWORD', 'x')", "define('DB_PASSWORD', ********)"),
        ("invalid nonce, the password is wrong", "invalid nonce, the password is wrong"),
        ('unexpected token "}", expecting ";"', 'unexpected token "}", expecting ";"'),
        ("DB_PASSWORD='correct horse'; host=a", "DB_PASSWORD=********; host=a"),
        ('["password"]=> "correct horse"', '["password"]=> ********'),
        ("{'user_pass': 'x'}", "{'user_pass': ********}"),
        ("GET /?api_key=0f3c&page=2 HTTP/1.1", "GET /?api_key=********&page=2 HTTP/1.1"),
        ("GET /?_wpnonce=0f3c HTTP/1.1", "GET /?_wpnonce=******** HTTP/1.1"),
        ("token: abc, next", "token: ********, next"),
        ("Authorization: Bearer ab.c-d==", "Authorization: Bearer ********"),
        ("cannot open https://me:hush@shop.example.com/a", "cannot open https://********@shop.example.com/a"),
    ],
)
def test_a_line_of_a_log_shows_no_secret_and_steers_nothing(line, shown):
    assert last_lines(f"{line}\n", 5) == [shown]


def test_the_last_lines_are_those_that_say_something():
    assert last_lines("a\n\nb\r\n \nc\n\n", 2) == ["b", "c"]
    assert last_lines("", 2) == []
    assert last_lines("x" * 900, 2) == ["x" * 500]
