# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the simulator remembers of operations, and how sites break by what is installed and work again."""

from __future__ import annotations

import time
from urllib.parse import urljoin

import pytest
import requests

from simulator import seed
from simulator.state import Content

pytest_plugins = ["simulator.fixtures"]

LIVE, STAGING, SITE = seed.environment_id(1), seed.environment_id(1, seed.STAGING), seed.site_id(1)
ENV = f"/sites/environments/{LIVE}"
PUSH = {"source_env_id": STAGING, "target_env_id": LIVE}


def page(simulator) -> int:
    """The status of the home page of the live environment."""
    return requests.get(f"{simulator.control_url}/sites/{LIVE}", timeout=10).status_code


def the_operation(simulator, kind: str):
    [operation] = [one for one in simulator.state.operations.by_id.values() if one.kind == kind]
    return operation


def test_an_operation_remembers_what_it_was_about_and_when_it_was_under_way(call, simulator):
    simulator.settings.operation_seconds = 0.1
    before = time.monotonic()
    call("PUT", f"/sites/{SITE}/environments", json=PUSH)
    push = the_operation(simulator, "environments:push")
    assert push.environment_id == LIVE
    assert push.asked["source_env_id"] == STAGING
    assert before < push.accepted_at < time.monotonic()
    assert push.ended_at is None
    assert push.is_under_way(time.monotonic())
    assert not push.is_under_way(push.accepted_at)
    time.sleep(0.15)
    assert the_operation(simulator, "environments:push").ended_at == pytest.approx(push.accepted_at + 0.1)
    assert not push.is_under_way(push.ended_at)


def test_an_operation_that_failed_has_ended(call, simulator):
    simulator.fault("fail_operation")
    call("PUT", f"/sites/{SITE}/environments", json=PUSH)
    push = the_operation(simulator, "environments:push")
    assert (push.state, push.ended_at is None) == ("failed", False)


def test_an_operation_that_is_made_to_end_ends_then(call, simulator):
    simulator.settings.operation_seconds = 60
    call("PUT", f"/sites/{SITE}/environments", json=PUSH)
    push = the_operation(simulator, "environments:push")
    push.ends_at = 0
    _settled = simulator.state
    assert push.accepted_at < push.ended_at <= time.monotonic()


def test_kinds_of_operations_take_their_own_time(call, simulator):
    simulator.settings.seconds_by_operation["environments:push"] = 60
    call("PUT", f"/sites/{SITE}/environments", json=PUSH)
    call("POST", f"{ENV}/manual-backups", json={"tag": "x"})
    assert the_operation(simulator, "environments:push").ended_at is None
    backup = the_operation(simulator, "backups:add-manual")
    assert (backup.environment_id, backup.state) == (LIVE, "finished")
    simulator.reset()
    assert simulator.settings.seconds_by_operation == {}


UPDATES = {
    "plugin example-forms 2.5.0": ("PUT", f"{ENV}/plugins", {"name": "example-forms", "update_version": "2.5.0"}),
    "theme storefront 4.6.0": ("PUT", f"{ENV}/themes/bulk-update", {"themes": [{"name": "storefront"}]}),
}


@pytest.mark.parametrize("software", UPDATES)
def test_a_site_breaks_by_an_update_and_works_again_after_a_restore(software, call, simulator):
    simulator.settings.breaking = frozenset([software])
    call("POST", f"{ENV}/manual-backups", json={"tag": "before"})
    backup = simulator.state.environment(LIVE).backups[-1]
    assert page(simulator) == 200
    method, path, body = UPDATES[software]
    assert call(method, path, json=body).ok
    assert page(simulator) == 500
    update = next(one for one in simulator.state.operations.by_id.values() if one.kind.startswith("wp-"))
    assert update.installed == {software}
    call("POST", f"{ENV}/backups/restore", json={"backup_id": backup.id, "notified_user_id": seed.user_id(1)})
    assert page(simulator) == 200
    assert call(method, path, json=body).ok
    assert page(simulator) == 500


def test_a_site_breaks_by_a_php_version_and_works_with_the_other(call, simulator):
    simulator.settings.breaking = frozenset(["php 8.4"])
    for version, status in (("8.4", 500), ("8.3", 200)):
        call("PUT", "/sites/tools/modify-php-version", json={"environment_id": LIVE, "php_version": version})
        assert page(simulator) == status


def test_what_is_not_active_breaks_nothing(simulator):
    simulator.settings.breaking = frozenset(["plugin example-importer 0.9.0"])
    assert page(simulator) == 200


def test_a_site_breaks_by_what_is_pushed_and_works_again_after_a_restore(call, simulator):
    live, staging = (simulator.state.environment(one) for one in (LIVE, STAGING))
    staging.content = Content("broken", "database")
    call("PUT", f"/sites/{SITE}/environments", json=PUSH)
    assert page(simulator) == 500
    body = {"backup_id": live.backups[0].id, "notified_user_id": seed.user_id(1)}
    call("POST", f"{ENV}/backups/restore", json=body)
    assert page(simulator) == 200


@pytest.mark.parametrize(
    ("where", "status"), [("", 500), (" at shop-live", 500), (f" at {LIVE}", 500), (" at shop-staging", 200)]
)
def test_a_site_breaks_after_a_push_and_works_again_after_a_restore(where, status, call, simulator):
    simulator.settings.breaking = frozenset([f"push{where}"])
    assert page(simulator) == 200
    call("PUT", f"/sites/{SITE}/environments", json=PUSH)
    assert page(simulator) == status
    backup = simulator.state.environment(LIVE).backups[0]
    call("POST", f"{ENV}/backups/restore", json={"backup_id": backup.id, "notified_user_id": seed.user_id(1)})
    assert page(simulator) == 200


def test_an_update_breaks_the_environment_that_is_named_only(call, simulator):
    simulator.settings.breaking = frozenset(["plugin example-forms 2.5.0 at blog-live"])
    method, path, body = UPDATES["plugin example-forms 2.5.0"]
    assert call(method, path, json=body).ok
    assert page(simulator) == 200


def test_the_layout_of_a_shop_collapses_by_an_update_though_it_answers(call, simulator):
    address = f"{simulator.control_url}/sites/{LIVE}/shop"

    def status_of_sheet() -> int:
        shown = requests.get(address, timeout=10)
        assert shown.status_code == 200
        sheet = shown.text.partition('stylesheet" href="')[2].partition('"')[0]
        return requests.get(urljoin(address, sheet), timeout=10).status_code

    simulator.settings.collapsing = frozenset(["plugin example-forms 2.5.0"])
    assert status_of_sheet() == 200
    assert requests.get(address, timeout=10).text != requests.get(address, timeout=10).text
    method, path, body = UPDATES["plugin example-forms 2.5.0"]
    assert call(method, path, json=body).ok
    assert page(simulator) == 200
    assert status_of_sheet() == 404
    simulator.settings.breaking = simulator.settings.collapsing
    assert requests.get(address, timeout=10).status_code == 500
