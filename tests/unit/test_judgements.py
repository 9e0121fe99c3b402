# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role maintain and the report judge alike."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.judgements import (
    expires_soon,
    is_active,
    is_too_old,
    questions_of,
    vulnerable_of,
)


@pytest.mark.parametrize(("status", "expected"), [("active", True), ("revoked", False), (None, False)])
def test_only_an_active_key_is_active(status: str | None, expected: bool):
    assert is_active({"status": status}) is expected


@pytest.mark.parametrize(
    ("left", "days", "expected"),
    [(14, 14, True), (15, 14, False), (-1, 0, True), (0, 0, True), (None, 14, False), (1, None, False)],
)
def test_a_key_expires_soon_on_the_last_of_these_days(left: int | None, days: int | None, expected: bool):
    assert expires_soon(left, days) is expected


@pytest.mark.parametrize(("age", "expected"), [(2, False), (3, True), (None, False), (0, False)])
def test_a_backup_may_be_as_old_as_the_limit(age: int | None, expected: bool):
    assert is_too_old(age, 2) is expected


def test_that_no_plugin_is_vulnerable_is_something_else_than_not_to_know():
    assert vulnerable_of({"vulnerable": []}) == []
    assert vulnerable_of({"vulnerable": ["a", "b"]}) == ["a", "b"]
    assert vulnerable_of({"plugins": []}) is None


def known(state: str) -> dict:
    request = {"state": state, "sent_at": "2026-11-20T10:00:00Z"}
    return {
        "release": "v2",
        "parts": [request, {**request, "state": "finished"}],
        "restored_backup": {**request, "backup_id": 5, "release": None},
        "php_restart": {**request, "release": "v1"},
    }


@pytest.mark.parametrize(("state", "is_unknown"), [("unknown", True), ("sent", False), ("in_progress", False)])
def test_a_request_without_an_answer_is_a_question(state: str, is_unknown: bool):
    asked = list(questions_of(known(state)))
    assert [(one.kind, one.about) for one in asked] == [("push", "v2"), ("restore", 5), ("restart", "v1")]
    assert {one.is_unknown for one in asked} == {is_unknown}


@pytest.mark.parametrize("state", ["finished", "failed", None])
def test_what_has_an_answer_is_no_question(state: str | None):
    assert not list(questions_of(known(str(state))))
    assert not list(questions_of({"release": None, "parts": [], "restored_backup": None, "php_restart": None}))


def test_a_restore_for_a_release_is_about_the_release():
    restored = {"state": "unknown", "backup_id": 5, "release": "v2"}
    assert [one.about for one in questions_of({"restored_backup": restored})] == ["v2"]
