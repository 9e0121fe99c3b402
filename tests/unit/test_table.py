# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows become lines with aligned columns, whatever is in them."""

from __future__ import annotations

from ansible_collections.hosting.management.plugins.filter.table import table
from ansible_collections.hosting.management.plugins.plugin_utils.text_table import LONGEST_UNFOLDED, folded

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


def rows_of(count, **values):
    return [{"environment": f"site{number}", "done": "push", **values} for number in range(count)]


def test_a_long_table_has_one_row_for_all_that_are_alike():
    rows = [*rows_of(LONGEST_UNFOLDED), {"environment": "shop", "done": "-"}]
    assert folded(rows) == [
        {"environment": f"{LONGEST_UNFOLDED} environments: site0, site1, site2, …", "done": "push"},
        {"environment": "shop", "done": "-"},
    ]
    assert folded(rows_of(LONGEST_UNFOLDED)) == rows_of(LONGEST_UNFOLDED)


def test_a_row_for_many_has_the_least_and_the_greatest_of_their_numbers():
    rows = [*rows_of(9, seconds=4.5), *rows_of(2, seconds=61), *rows_of(1, seconds=None), *rows_of(1, is_new=True)]
    assert [(row.get("seconds"), row.get("is_new")) for row in folded(rows)] == [
        ("4.5 to 61", None),
        (None, None),
        (None, True),
    ]
