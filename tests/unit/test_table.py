# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows become lines with aligned columns, whatever is in them."""

from __future__ import annotations

from ansible_collections.hosting.management.plugins.filter.table import table

ROWS = [{"site": "shop", "release": "v10", "needs": ""}, {"site": "magazine", "release": None, "needs": ""}]


def test_columns_are_aligned_and_empty_ones_are_left_out():
    assert table(ROWS, ["site", "release", "needs"]) == ["site      release", "shop      v10", "magazine"]


def test_without_rows_there_are_the_names_of_no_columns():
    assert table([], ["site"]) == [""]


def test_what_could_steer_a_terminal_becomes_a_space():
    assert table([{"site": "a\x1b[2J\nPLAY RECAP\u202e"}], ["site"]) == ["site", "a [2J PLAY RECAP"]


def test_long_cells_end_in_an_ellipsis():
    assert table([{"site": "x" * 20}], ["site"], widest=8)[1] == "xxxxxxx…"
    assert table([{"site": "x" * 8}], ["site"], widest=8)[1] == "x" * 8
