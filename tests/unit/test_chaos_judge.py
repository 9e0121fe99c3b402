# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The judge of make chaos-playbooks: it says nothing of what is right, and sees each promise that is broken."""

from __future__ import annotations

import time

import pytest
from chaos import judge
from chaos.fleet import Fleet

from simulator import seed

pytest_plugins = ["simulator.fixtures"]

NEW = "plugin example-forms 2.5.0"


class Service:
    """What runs ask of the service, by the names of hosts."""

    def __init__(self, call, simulator) -> None:
        self.call, self.simulator = call, simulator
        self.fleet = Fleet(simulator, ("h1", "h2"), ("v1", "v2"), broken={"v2"})
        self.record = self.fleet.record
        simulator.settings.breaking = frozenset([NEW])

    def takes(self, seconds: float, kind: str) -> None:
        self.simulator.settings.seconds_by_operation[kind] = seconds

    def push(self, release: str, name: str = "h1") -> None:
        host = self.fleet.hosts[name]
        body = {"source_env_id": host["sources"][release], "target_env_id": host["hosting_environment_id"]}
        assert self.call("PUT", f"/sites/{host['hosting_site_id']}/environments", json=body).ok

    def back_up(self, name: str = "h1") -> None:
        assert self.call("POST", f"/sites/environments/{self.record.names[name]}/manual-backups", json={"tag": "b"}).ok

    def restore(self, backup_id: int, name: str = "h1") -> None:
        body = {"backup_id": backup_id, "notified_user_id": seed.user_id(1)}
        assert self.call("POST", f"/sites/environments/{self.record.names[name]}/backups/restore", json=body).ok

    def update(self, name: str) -> None:
        body = {"plugins": [{"name": "example-forms"}]}
        assert self.call("PUT", f"/sites/environments/{self.record.names[name]}/plugins/bulk-update", json=body).ok

    def newest_backup(self, name: str = "h1") -> int:
        _settled = self.simulator.state
        return self.record.environment(name).backups[-1].id

    def broken(self) -> set[str]:
        _settled = self.simulator.state
        return {promise for promise, _sentence in judge.violations(self.record)}


@pytest.fixture
def service(call, simulator) -> Service:
    return Service(call, simulator)


def test_it_says_nothing_of_a_deployment_that_is_rolled_back(service):
    for release in ("v1", "v2"):
        service.back_up()
        service.push(release)
    service.restore(service.newest_backup())
    service.update("h1")
    assert service.broken() == set()


def test_a_backup_that_was_begun_during_a_push(service):
    service.back_up()
    service.takes(0.2, judge.PUSH)
    service.push("v2")
    service.back_up()
    time.sleep(0.25)
    assert service.broken() == set()
    service.restore(service.newest_backup())
    assert service.broken() == {"backup of the wrong moment"}


def test_a_backup_into_which_something_was_pushed(service):
    service.back_up()
    service.takes(0.2, judge.BACKUP)
    service.back_up()
    service.push("v2")
    time.sleep(0.25)
    service.restore(service.newest_backup())
    assert service.broken() == {"backup of the wrong moment"}


@pytest.mark.parametrize("is_restore", [False, True])
def test_two_at_once(is_restore, service):
    service.back_up()
    service.takes(0.2, judge.PUSH)
    service.push("v1")
    if is_restore:
        service.restore(service.newest_backup())
    else:
        service.back_up()
        service.push("v2")
    time.sleep(0.25)
    assert service.broken() == {"two at once"}


def test_a_push_without_a_backup(service):
    service.back_up()
    service.push("v1")
    service.push("v2")
    assert service.broken() == {"no backup"}


def test_a_push_that_a_person_has_forced_needs_no_backup_and_may_be_the_second_one(service):
    service.back_up()
    service.push("v1")
    service.record.forced["h1"] = [time.monotonic()]
    service.push("v1")
    assert service.broken() == set()
    service.back_up()
    service.push("v1")
    assert service.broken() == {"done twice"}


def test_a_push_after_one_that_failed_is_none_for_the_second_time(service):
    service.simulator.fault("fail_operation", "PUT")
    service.back_up()
    service.push("v1")
    service.push("v1")
    assert service.broken() == set()


def test_what_broke_a_site_breaks_another_one(service):
    service.update("h1")
    assert service.broken() == set()
    service.update("h2")
    assert service.broken() == {"canary"}


def test_what_broke_a_site_may_be_tried_again_when_that_one_was_put_back(service):
    service.back_up("h1")
    service.update("h1")
    service.restore(service.newest_backup("h1"), "h1")
    service.update("h2")
    assert service.broken() == set()


def shown(**more: object) -> dict:
    return {"release": None, "state": None, "restored_backup": None, **more}


def test_the_journal_is_compared_with_what_is_there(service):
    service.back_up()
    service.push("v1")
    backup = {"backup_id": service.newest_backup(), "state": "finished"}
    rights = {
        "v1": (shown(release="v1", state="finished"), True),
        "v2": (shown(release="v2", state="finished"), False),
        "unknown": (shown(release="v1", state="unknown"), False),
        "nothing": (shown(), False),
        "backup": (shown(restored_backup=backup), False),
    }
    for case, (journal, is_right) in rights.items():
        assert (list(judge.journal_is_right(service.record, "h1", journal)) == []) == is_right, case
    service.restore(backup["backup_id"])
    assert service.broken() == set()
    assert list(judge.journal_is_right(service.record, "h1", shown(restored_backup=backup))) == []
