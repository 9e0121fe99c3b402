# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clearing several caches in one task: which of them are cleared, and what is told when one of them fails."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.modules import cache_clear
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE, SITE = seed.environment_id(1), seed.site_id(1)
CLEAR = {"environment_id": LIVE, "caches": ["site", "edge", "cdn"], "cdn_cache_id": "cdn-11", "release": "v1"}
URL = "https://shop.example.com/new"


@pytest.fixture
def clears(simulator):
    """A function that returns the caches that were cleared since it was last called."""
    recorded = simulator.state.environment(LIVE).cache_clears

    def clears():
        caches = [one["cache"] for one in recorded]
        recorded.clear()
        return caches

    return clears


def test_each_cache_is_cleared_once_a_release(controller, clears):
    result = controller.run(cache_clear, **CLEAR)
    assert (result["changed"], result["caches"], result["state_source"]) == (True, ["site", "edge", "cdn"], "none")
    assert [(one["cache"], one["state"]) for one in result["operations"]] == [
        ("site", "finished"),
        ("edge", "finished"),
        ("cdn", "finished"),
    ]
    assert clears() == ["site", "edge", "cdn"]
    result = controller.run(cache_clear, **CLEAR)
    assert (result["changed"], result["caches"], result["state_source"]) == (False, [], "journal")
    assert result["operations"] == []
    assert controller.run(cache_clear, **{**CLEAR, "release": "v2"})["changed"]
    assert controller.run(cache_clear, **CLEAR)["changed"]
    assert clears() == ["site", "edge", "cdn"] * 2


def test_a_cache_that_is_added_is_the_only_one_that_is_cleared(controller, clears):
    controller.run(cache_clear, **{**CLEAR, "caches": ["site"]})
    result = controller.run(cache_clear, **{**CLEAR, "caches": ["site", "edge", "site"]})
    assert (result["changed"], result["caches"], result["state_source"]) == (True, ["edge"], "none")
    assert clears() == ["site", "edge"]


def test_each_part_of_the_edge_cache_is_cleared_once(controller, clears):
    edge = {**CLEAR, "caches": ["edge"]}
    parts = [{}, {"url": URL}, {"url": URL, "clear_subdirectories": False}, {"url": URL, "clear_subdirectories": True}]
    results = [controller.run(cache_clear, **edge, **part)["changed"] for part in [*parts, *parts]]
    assert results == [True, True, False, True, False, False, False, False]
    assert clears() == ["edge"] * 3


def test_without_a_release_caches_are_cleared_at_each_run(controller, clears):
    assert [controller.run(cache_clear, **{**CLEAR, "release": None})["changed"] for _run in range(2)] == [True, True]
    assert len(clears()) == 6


def test_check_mode_names_what_would_be_cleared(controller, simulator):
    controller.run(cache_clear, **{**CLEAR, "caches": ["edge"]})
    result = controller.run(cache_clear, check_mode=True, **CLEAR)
    assert (result["changed"], result["caches"], result["operations"]) == (True, ["site", "cdn"], [])
    assert len(simulator.writes) == 1


def test_a_failure_tells_what_was_cleared_before_and_the_next_run_goes_on_there(controller, simulator, clears):
    simulator.fault("status", "POST", "/sites/edge-caching/clear", status=400)
    result = controller.run(cache_clear, **CLEAR)
    assert result["failed"]
    assert result["error"]["path"] == "/sites/edge-caching/clear"
    assert (result["changed"], result["caches"]) == (True, ["site"])
    assert [one["cache"] for one in result["operations"]] == ["site"]
    assert "Cleared before: site." in result["msg"]
    result = controller.run(cache_clear, **CLEAR)
    assert (result["changed"], result["caches"]) == (True, ["edge", "cdn"])
    assert clears() == ["site", "edge", "cdn"]


def test_a_lost_answer_lets_the_cache_be_cleared_again(controller, simulator, clears):
    simulator.fault("drop_after", "POST")
    assert controller.run(cache_clear, **CLEAR)["failed"]
    assert controller.run(cache_clear, **CLEAR)["caches"] == ["site", "edge", "cdn"]
    assert clears() == ["site", "site", "edge", "cdn"]


def test_operations_are_waited_for_later(controller, simulator):
    simulator.settings.operation_seconds = 0.2
    started = controller.run(cache_clear, wait=False, **CLEAR)
    assert {one["state"] for one in started["operations"]} == {"in_progress"}
    waited = controller.run(cache_clear, **CLEAR)
    assert (waited["changed"], waited["caches"]) == (False, [])
    assert {(one["state"], one["resumed"]) for one in waited["operations"]} == {("finished", True)}
    assert [one["id"] for one in waited["operations"]] == [one["id"] for one in started["operations"]]
    assert len(simulator.writes) == 3


def test_the_id_of_the_cdn_cache_is_asked_for_before_anything_is_cleared(controller, simulator, clears):
    of_site = {**CLEAR, "cdn_cache_id": None, "site_id": SITE}
    assert controller.run(cache_clear, **of_site)["caches"] == ["site", "edge", "cdn"]
    assert clears() == ["site", "edge", "cdn"]
    simulator.state.environment(LIVE).cdn_cache_id = None
    for options, words in [({}, "has no CDN cache"), ({"companions": False}, "Give cdn_cache_id")]:
        result = controller.run(cache_clear, **{**of_site, **options, "release": "v2"})
        assert result["error"]["kind"] == "invalid_input"
        assert words in result["msg"]
    assert clears() == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"caches": []}, "caches is empty"),
        ({"caches": ["site"], "url": URL}, "url needs caches to have edge"),
        ({"clear_subdirectories": True}, "clear_subdirectories needs url"),
        ({"cdn_cache_id": None}, "needs cdn_cache_id, or site_id"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(options, words, controller, simulator):
    result = controller.run(cache_clear, **{**CLEAR, **options})
    assert result["error"]["kind"] == "invalid_input"
    assert words in result["msg"]
    assert simulator.requests == []
