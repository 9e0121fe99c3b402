# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json

from ansible_collections.hosting.management.plugins.plugin_utils.plain_values import plain


class ResultOfAnEmptyLoop(dict):
    """Warns as ansible-core 2.21 does, when its deprecated value is read."""

    def __getitem__(self, name):
        assert name != "skipped_reason", "It was read."
        return super().__getitem__(name)

    def items(self):
        return [(name, self[name]) for name in self]


def test_the_deprecated_value_of_an_empty_loop_is_not_read():
    result = ResultOfAnEmptyLoop(skipped=True, results=[], skipped_reason="No items in the list")
    assert plain({"themes": result}) == {"themes": {"skipped": True, "results": []}}


def test_values_can_be_written_as_json():
    value = {1: (float("nan"), float("inf"), 2.5, None, True), "text": "é"}
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == {
        "1": [None, None, 2.5, None, True],
        "text": "é",
    }
