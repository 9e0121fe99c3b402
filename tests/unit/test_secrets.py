# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What no result may show, taken out of it."""

from __future__ import annotations

from datetime import date

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _entry
from ansible_collections.hosting.management.plugins.module_utils._secrets import PART, WHOLE, without_secrets
from ansible_collections.hosting.management.plugins.modules import api_request

pytest_plugins = ["simulator.fixtures"]

KEY = "key-of-mine"


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        ("nothing of it", "nothing of it"),
        (KEY, WHOLE),
        (f"Bearer {KEY}, {KEY}", f"Bearer {PART}, {PART}"),
        ([KEY, ("x", KEY)], [WHOLE, ["x", WHOLE]]),
        ({"a": {"b": [f"<{KEY}>"]}}, {"a": {"b": [f"<{PART}>"]}}),
        ({KEY: 1}, {WHOLE: 1}),
        ({"a": [{f"of {KEY}": {KEY: True}}]}, {"a": [{f"of {PART}": {WHOLE: True}}]}),
        ([None, True, False, 7, 1.5, date(2026, 11, 21)], [None, True, False, 7, 1.5, date(2026, 11, 21)]),
    ],
)
def test_texts_and_names_show_no_secret_and_all_else_stays(value, cleaned):
    assert without_secrets(value, {KEY}) == cleaned


def test_a_longer_secret_that_contains_a_shorter_one_goes_as_a_whole():
    assert without_secrets("is abcdef.", ["cd", "abcdef"]) == f"is {PART}."


def test_a_number_that_shows_a_secret_goes_and_a_boolean_never():
    assert without_secrets([1234, 12, 0.1234, True], ["1234", "True", ""]) == [WHOLE, 12, WHOLE, True]


def test_the_original_stays_as_it_was():
    value = {"a": [KEY]}
    without_secrets(value, {KEY})
    assert value == {"a": [KEY]}


def test_no_depth_is_too_deep():
    value: list = [KEY]
    for _level in range(5000):
        value = [value]
    cleaned = without_secrets(value, {KEY})
    for _level in range(5000):
        [cleaned] = cleaned
    assert cleaned == [WHOLE]


def test_what_is_no_json_is_a_bug_of_ours():
    with pytest.raises(TypeError, match="bytes"):
        without_secrets({"a": b"x"}, {KEY})


@pytest.mark.parametrize("failure", [None, _entry.InvalidInput(f"{KEY} is wrong."), RuntimeError(KEY)])
def test_whatever_comes_of_a_module_shows_no_secret(controller, failure):
    def run(_context):
        if failure:
            raise failure
        return {"json": {KEY: KEY}, "number": 3}

    params = controller.params(api_request, path="/validate")
    context = controller.context(api_request, path="/validate")
    context.secrets.add(KEY)
    result = _entry.perform(api_request.SPEC, run, context, params)
    assert bool(result.get("failed")) == bool(failure)
    assert PART in str(result) or WHOLE in str(result)
    assert KEY not in str(result)
