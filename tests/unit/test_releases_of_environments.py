# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a push was followed by a restart of PHP, by what is on record."""

from __future__ import annotations

import time

import pytest

from ansible_collections.hosting.management.plugins.module_utils._journal import Entry
from ansible_collections.hosting.management.plugins.module_utils._progress import FAILED, FINISHED, IN_PROGRESS, UNKNOWN
from ansible_collections.hosting.management.plugins.module_utils._releases import is_restarted
from ansible_collections.hosting.management.plugins.modules import (
    backup_restore,
    cache_clear,
    env_push,
    php_restart,
    release_info,
)
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE = seed.environment_id(1)
PUSH = {
    "site_id": seed.site_id(1),
    "source_env_id": seed.environment_id(1, seed.STAGING),
    "target_env_id": LIVE,
    "push_db": True,
    "push_files": True,
    "run_search_and_replace": True,
    "push_files_option": "ALL_FILES",
    "release": "v1",
}
RESTART = {"environment_id": LIVE, "release": "v1"}


def row(sent_at: float, progress: str = FINISHED) -> Entry:
    return Entry("digest", progress, sent_at, sent_at, "process")


@pytest.mark.parametrize(
    ("push", "restarts", "expected"),
    [
        (None, [], None),
        (None, [row(1)], None),
        (row(1), [], False),
        (row(1), [row(2)], True),
        (row(2), [row(1)], False),
        (row(1.1), [row(1.2)], True),
        (row(1.2), [row(1.1)], False),
        (row(1), [row(2, FAILED)], False),
        (row(1), [row(2, UNKNOWN)], True),
        (row(1), [row(2, IN_PROGRESS)], True),
        (row(2), [row(1), row(3)], True),
    ],
    ids=[
        "nothing",
        "a restart alone",
        "a push alone",
        "after it",
        "before it",
        "after it in the same second",
        "before it in the same second",
        "failed",
        "nobody knows",
        "it goes on",
        "both",
    ],
)
def test_whether_php_was_restarted_since_a_push(push, restarts, expected):
    assert is_restarted(push, restarts) is expected


def restarted(controller):
    return controller.run(release_info, environment_id=LIVE)["is_restarted"]


def test_each_push_is_told_from_the_one_before(controller):
    assert restarted(controller) is None
    controller.run(env_push, **PUSH)
    assert restarted(controller) is False
    controller.run(php_restart, **RESTART)
    assert restarted(controller) is True
    controller.run(env_push, **PUSH, force=True)
    assert restarted(controller) is False
    controller.run(php_restart, **RESTART, force=True)
    assert restarted(controller) is True


def test_a_restart_comes_after_the_push_of_a_controller_whose_clock_is_ahead(controller, monkeypatch):
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 86400)
    controller.run(env_push, **PUSH)
    monkeypatch.setattr(time, "time", now)
    controller.run(php_restart, **RESTART)
    assert restarted(controller) is True


def test_the_caches_that_were_cleared_after_the_push_of_the_release(controller, simulator):
    def cleared():
        return controller.run(release_info, environment_id=LIVE)["cleared_caches"]

    options = {"environment_id": LIVE, "release": "v1"}
    controller.run(cache_clear, **options, caches=["site"])
    controller.run(env_push, **PUSH)
    assert cleared() == []
    controller.run(cache_clear, **options, caches=["edge"], url="https://shop.example.com/new")
    assert cleared() == [], "an address of the edge cache is not all of it"
    controller.run(cache_clear, **options, caches=["site", "edge"], force=True)
    assert cleared() == ["edge", "site"]
    simulator.fault("fail_operation", method="POST", path="/sites/tools/clear-cache")
    controller.run(cache_clear, **options, caches=["site"], force=True)
    assert cleared() == ["edge"]
    controller.run(cache_clear, **{**options, "release": "v2"}, caches=["edge"])
    assert cleared() == []


def test_a_restored_backup_is_no_push(controller, simulator):
    controller.run(env_push, **PUSH)
    backup = simulator.state.environment(LIVE).backups[0].id
    options = {"environment_id": LIVE, "backup_id": backup, "notified_user_id": seed.user_id(1)}
    assert controller.run(backup_restore, **options)["changed"]
    assert restarted(controller) is None
