# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nights and deployments that overlap, are killed and have wrong clocks: what a run must know of the others.

What is right is told by the service's record: by what is installed and contained, and by the promises that chaos
judges, too.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from chaos import judge
from chaos.fleet import Fleet
from chaos.plays import Play, prepare

from integration.playbook import Ansible, Step
from simulator import Simulator, seed

pytestmark = pytest.mark.story

OLD, NEW = "2.4.1", "2.5.0"
NEW_FORMS = f"plugin example-forms {NEW}"
SHOP, BLOG, MAGAZINE = "shop", "blog", "magazine"
UPDATE = "wp-plugin:bulk-update"
LATE, EARLY, A_DAY_BEFORE = 600, -600, -86400  # seconds that a controller's clock is off
LONG = 3600  # seconds of an operation that goes on until the test lets it end
STANDS_STILL = 6  # seconds without a result of any task, after which a run waits for something


class Nights:
    """Three sites, playbooks in front of them, and the judge."""

    def __init__(self, folder: Path, scratch: Path, simulator: Simulator) -> None:
        simulator.reset()
        self.folder, self.simulator = folder, simulator
        self.ansible = Ansible(folder, scratch, simulator)
        (folder / "home").mkdir()
        self.fleet = Fleet(simulator, (SHOP, BLOG, MAGAZINE), ("v1", "v2", "v3"), broken={"v2"})
        self.record = self.fleet.record
        self.seconds = simulator.settings.seconds_by_operation
        self._plays: list[Play] = []

    def start(self, playbook: str, clock: float = 0, **variables: object) -> Play:
        """Start a playbook on a controller whose clock is so many seconds ahead."""
        hosts = "maintain_hosts" if playbook == "maintain" else "deploy_hosts"
        inventory = {"all": {"hosts": self.fleet.hosts, "vars": self.fleet.variables}}
        (self.folder / "inventory.json").write_text(json.dumps(inventory))
        surroundings = {
            "HOSTING_BASE_URL": self.simulator.base_url,
            "HOSTING_API_KEY": self.simulator.api_key,
            "HOSTING_JOURNAL": str(self.ansible.journal),
        }
        name = f"hosting.management.{playbook}"
        play = Play(name, self.folder, {hosts: "all", **variables}, surroundings, clock)
        self._plays.append(play)
        return play

    def end(self, play: Play) -> Play:
        """Wait for a run."""
        play.wait()
        assert "Traceback" not in play.output
        return play

    def run(self, playbook: str, clock: float = 0, **variables: object) -> Play:
        return self.end(self.start(playbook, clock, **variables))

    def close(self) -> None:
        """End what a test that failed has left."""
        for play in self._plays:
            play.kill()

    def night(self, **variables: object) -> Play:
        """A night that updates plugins."""
        return self.run("maintain", maintain_update_plugins="updatable", **variables)

    def await_operation(self, play: Play, kind: str, name: str, count: int = 1) -> None:
        """Wait until the service has accepted so many operations of a kind."""
        while len(self.operations(name, kind)) < count:
            assert play.is_alive, "the run has ended before"
            time.sleep(0.01)

    def operations(self, name: str, *kinds: str) -> list:
        _settled = self.simulator.state
        return self.record.operations(name, *kinds)

    def await_following(self, play: Play, kind: str, name: str, count: int = 1) -> None:
        """Wait until the run that has sent it asks for the last operation of a kind, so that the journal knows it."""
        self.await_operation(play, kind, name, count)
        path = f"/operations/{self.operations(name, kind)[-1].id}"
        while path not in [one.path for one in self.simulator.requests]:
            assert play.is_alive, "the run has ended before"
            time.sleep(0.01)

    def let_end(self, kind: str, name: str, play: Play) -> None:
        """Let what goes on at an environment end, once a run waits for that, or has ended without waiting."""
        self.seconds[kind] = 0
        count, since = 0, time.monotonic()
        while play.is_alive and (not count or time.monotonic() - since < STANDS_STILL):
            if len(play.results) != count:
                count, since = len(play.results), time.monotonic()
            time.sleep(0.05)
        for operation in self.operations(name, kind):
            if operation.ended_at is None:
                operation.ends_at = 0

    def end_operations(self) -> None:
        """Wait until nothing goes on at the service."""
        while self.simulator.state.operations.running:
            time.sleep(0.02)

    def is_broken(self, name: str) -> bool:
        return self.simulator.state.is_broken(self.record.environment(name))

    def versions(self) -> list[str]:
        """The versions of the plugin that nights update, by environment."""
        _settled = self.simulator.state
        return [self.record.environment(name).plugins[0].version for name in self.record.names]

    def there(self, name: str = SHOP) -> str:
        """The release that is there."""
        _settled = self.simulator.state
        return self.record.environment(name).content.files.split(" ")[0]

    def shown(self, name: str = SHOP) -> dict:
        """What the journal knows of the releases of an environment."""
        [done] = self.ansible.run(Step("release_info", {"environment_id": self.record.names[name]}))
        return done.result

    def violations(self) -> list:
        self.end_operations()
        return list(judge.violations(self.record))


@pytest.fixture(scope="session")
def running() -> Iterator[Simulator]:
    """A service; the process that plays come from is started once, and has its home until the last test of all."""
    with tempfile.TemporaryDirectory(prefix="hosting-", ignore_cleanup_errors=True) as home, Simulator(sites=3) as one:
        prepare(Path(home))
        yield one


@pytest.fixture
def nights(tmp_path: Path, running: Simulator) -> Iterator[Nights]:
    with tempfile.TemporaryDirectory(prefix="hosting-", ignore_cleanup_errors=True) as scratch:
        nights = Nights(tmp_path, Path(scratch), running)
        yield nights
        nights.close()


# ---- what broke a site ----------------------------------------------------------------------------------------------


@pytest.fixture
def breaking(nights: Nights) -> Nights:
    """Nights with an update that every site breaks by."""
    nights.simulator.settings.breaking = frozenset([NEW_FORMS])
    return nights


def findings(night: Play, host: str, level: str) -> set[str]:
    """The names of an environment's findings of that level."""
    return {one["name"] for one in night.fact(host, "maintain_result")["findings"] if one["level"] == level}


def must_hold(nights: Nights, night: Play) -> None:
    """See that a night has named the one site that is broken, and has updated no other one."""
    assert nights.versions() == [NEW, OLD, OLD]
    assert night.in_need == {SHOP}
    assert night.status == 2
    for name in (BLOG, MAGAZINE):
        assert "plugins" in findings(night, name, "held")
    assert nights.violations() == []


def test_an_update_that_broke_a_site_reaches_no_other_one_in_any_later_night(breaking: Nights):
    for number in range(3):
        night = breaking.night()
        must_hold(breaking, night)
        if number:
            assert "site" in findings(night, SHOP, "fail")
            assert night.fact(SHOP, "maintain_result")["done"] == []


def test_the_canary_of_a_night_that_was_killed_is_judged_by_the_next_one(breaking: Nights):
    killed = breaking.start("maintain", maintain_update_plugins="updatable")
    breaking.await_operation(killed, UPDATE, SHOP)
    killed.kill()
    must_hold(breaking, breaking.night())
    must_hold(breaking, breaking.night())


def test_a_night_waits_for_the_canary_of_another_one(breaking: Nights):
    breaking.seconds[UPDATE] = LONG
    first = breaking.start("maintain", maintain_update_plugins="updatable")
    breaking.await_following(first, UPDATE, SHOP)
    second = breaking.start("maintain", maintain_update_plugins="updatable")
    breaking.let_end(UPDATE, SHOP, second)
    must_hold(breaking, breaking.end(second))
    must_hold(breaking, breaking.end(first))


def test_a_site_that_nobody_can_look_at_does_not_go_first(breaking: Nights):
    page = f"{breaking.simulator.base_url.removesuffix('/v2')}/_simulator/sites"
    addresses = f"{{{{ [] if inventory_hostname == '{SHOP}' else ['{page}/' ~ maintain_environment_id] }}}}"
    night = breaking.night(maintain_verify_urls=addresses)
    assert breaking.versions() == [OLD, NEW, OLD], night.said


def test_a_night_waits_for_an_update_that_takes_longer_than_the_night_before(breaking: Nights):
    breaking.seconds[UPDATE] = LONG
    breaking.night(maintain_wait_timeout=0.5)
    assert breaking.versions() == [OLD, OLD, OLD]
    second = breaking.start("maintain", maintain_update_plugins="updatable")
    breaking.let_end(UPDATE, SHOP, second)
    must_hold(breaking, breaking.end(second))


def test_a_newer_version_is_a_new_update(breaking: Nights):
    breaking.night()
    for name in breaking.record.names:
        breaking.record.environment(name).plugins[0].update_version = "2.5.1"
    night = breaking.night()
    assert breaking.versions()[1:] == ["2.5.1", "2.5.1"], night.said


def test_what_works_again_is_held_back_no_more(breaking: Nights):
    breaking.night()
    breaking.simulator.settings.breaking = frozenset()
    assert breaking.night().status == 0
    # Environments are compared side by side: one may be before the site that broke was seen to work again.
    night = breaking.night()
    assert night.status == 0, night.said
    assert breaking.versions() == [NEW, NEW, NEW]
    assert night.in_need == set()


def test_a_person_may_say_that_an_update_works(breaking: Nights):
    breaking.night()
    environment_id = breaking.record.names[SHOP]
    verdict = {"environment_id": environment_id, "kind": "plugin", "name": "example-forms", "version": NEW}
    [done] = breaking.ansible.run(Step("update_verdict", {**verdict, "verdict": "works"}))
    assert done.changed
    breaking.simulator.settings.breaking = frozenset()
    assert breaking.night().status == 0
    assert breaking.versions() == [NEW, NEW, NEW]


def test_a_site_that_does_not_work_is_never_nothing_to_do(nights: Nights):
    nights.run("deploy", deploy_release="v2", deploy_rollback=False, deploy_hosts=BLOG)
    assert nights.is_broken(BLOG)
    night = nights.run("maintain")
    assert (night.status, night.in_need) == (2, {BLOG})
    assert "site" in findings(night, BLOG, "fail")
    assert nights.run("maintain", maintain_check_site=False).in_need == set()


# ---- which backup is good -------------------------------------------------------------------------------------------


def test_no_backup_is_taken_of_an_environment_that_a_killed_run_restores(nights: Nights):
    nights.run("deploy", deploy_release="v1", deploy_hosts=SHOP)
    nights.seconds[judge.RESTORE] = LONG
    killed = nights.start("deploy", deploy_release="v2", deploy_hosts=SHOP)
    nights.await_following(killed, judge.RESTORE, SHOP)
    killed.kill()
    again = nights.start("deploy", deploy_release="v2", deploy_hosts=SHOP)
    nights.let_end(judge.RESTORE, SHOP, again)
    assert nights.end(again).status == 2
    assert nights.there() == "v1", again.said
    rolled_back = nights.run("rollback", deploy_hosts=SHOP)
    assert rolled_back.status == 0, rolled_back.said
    assert nights.there() == "v1"
    assert nights.violations() == []


def test_the_backup_before_a_release_is_of_what_the_push_before_it_has_brought(nights: Nights):
    nights.run("deploy", deploy_release="v1", deploy_hosts=SHOP)
    nights.seconds[judge.PUSH] = LONG
    other = nights.start("deploy", deploy_release="v3", deploy_hosts=SHOP)
    nights.await_following(other, judge.PUSH, SHOP, count=2)
    this = nights.start("deploy", deploy_release="v2", deploy_hosts=SHOP)
    nights.let_end(judge.PUSH, SHOP, this)
    nights.end(other)  # may see the page of this run already
    assert nights.end(this).status == 2
    assert nights.there() == "v3", this.said
    assert nights.violations() == []


def test_nothing_is_backed_up_while_nobody_knows_whether_a_restore_was_carried_out(nights: Nights):
    nights.run("deploy", deploy_release="v1", deploy_hosts=SHOP)
    nights.simulator.fault("drop_after", method="POST", path=r".*/backups/restore")
    nights.run("deploy", deploy_release="v2", deploy_hosts=SHOP)
    backups = len(nights.operations(SHOP, judge.BACKUP))
    done = nights.run("deploy", deploy_release="v3", deploy_hosts=SHOP)
    assert done.status == 2
    assert len(nights.operations(SHOP, judge.BACKUP)) == backups
    assert "not known whether v3 was pushed" not in done.said
    assert nights.violations() == []


# ---- two pushes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_push_waits_for_another_run_s_push_of_another_release(is_killed: bool, nights: Nights):
    nights.seconds[judge.PUSH] = LONG
    other = nights.start("deploy", deploy_release="v1", deploy_hosts=SHOP)
    nights.await_following(other, judge.PUSH, SHOP)
    if is_killed:
        other.kill()
    this = nights.start("deploy", deploy_release="v3", deploy_hosts=SHOP)
    nights.let_end(judge.PUSH, SHOP, this)
    assert nights.end(this).status == 0, this.said
    nights.end(other)
    nights.end_operations()
    assert nights.there() == "v3"
    assert nights.shown()["release"] == "v3"
    assert nights.violations() == []


def test_the_module_waits_for_a_push_of_another_release_too(nights: Nights):
    nights.seconds[judge.PUSH] = 3
    shop = nights.fleet.hosts[SHOP]
    target = {"site_id": shop["hosting_site_id"], "target_env_id": shop["hosting_environment_id"]}
    releases = [{**target, "source_env_id": shop["sources"][name], "release": name} for name in ("v1", "v3")]
    run = nights.ansible.run(Step("env_push", {**releases[0], "wait": False}), Step("env_push", releases[1]))
    assert [done.failed for done in run] == [False, False], run.output
    nights.end_operations()
    assert nights.there() == nights.shown()["release"] == "v3"
    assert list(judge.one_overwrites_at_a_time(nights.record)) == []


# ---- clocks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("clock", [EARLY, LATE], ids=["behind", "ahead"])
def test_a_release_that_does_not_work_is_rolled_back_by_a_controller_with_a_wrong_clock(clock: int, nights: Nights):
    nights.run("deploy", deploy_release="v1", deploy_hosts=SHOP)
    done = nights.run("deploy", clock, deploy_release="v2", deploy_hosts=SHOP)
    assert re.search("rolled back to backup", " ".join(done.said.split())), done.said
    assert nights.there() == "v1"
    assert nights.violations() == []


def test_controllers_with_wrong_clocks_deploy_once_with_one_backup(nights: Nights):
    for release, clock in (("v1", EARLY), ("v1", LATE), ("v3", LATE), ("v3", EARLY)):
        done = nights.run("deploy", clock, deploy_release=release, deploy_hosts=SHOP)
        assert done.status == 0, done.said
    assert len(nights.operations(SHOP, judge.PUSH)) == len(nights.operations(SHOP, judge.BACKUP)) == 2
    assert nights.violations() == []


def test_a_return_to_a_release_is_backed_up_after_a_run_that_was_a_day_behind(nights: Nights):
    for release, clock in (("v1", 0), ("v3", A_DAY_BEFORE), ("v1", 0)):
        done = nights.run("deploy", clock, deploy_release=release, deploy_hosts=SHOP)
        assert done.status == 0, done.said
        assert nights.there() == nights.shown()["release"] == release
    assert nights.violations() == []


def test_a_rollback_goes_by_the_record_and_not_by_the_clock(nights: Nights):
    for release, clock in (("v1", 0), ("v3", A_DAY_BEFORE)):
        assert nights.run("deploy", clock, deploy_release=release, deploy_hosts=SHOP).status == 0
    done = nights.run("rollback", LATE, deploy_hosts=SHOP)
    assert done.status == 0, done.said
    assert nights.there() == "v1"
    assert nights.violations() == []


# ---- updates that are undone ----------------------------------------------------------------------------------------

UNDO = {"maintain_rollback": True, "maintain_notified_user_id": seed.user_id(1)}


def test_an_update_that_broke_a_site_is_undone_and_held_back_everywhere(breaking: Nights):
    night = breaking.night(**UNDO, maintain_keep_backups=2)
    assert breaking.versions() == [OLD, OLD, OLD], night.said
    assert (night.status, night.in_need) == (2, {SHOP})
    assert len(breaking.operations(SHOP, judge.RESTORE)) == 1
    [finding] = [one for one in night.fact(SHOP, "maintain_result")["findings"] if one["level"] == "fail"]
    held = f"Held back everywhere: example-forms {NEW}"
    for words in ("rolled back to backup", "the site works again", held, "PHP Fatal error"):
        assert words in finding["text"]
    again = breaking.night(**UNDO)
    assert (again.status, again.in_need) == (0, set()), again.said
    assert breaking.versions() == [OLD, OLD, OLD]
    for name in (SHOP, BLOG, MAGAZINE):
        assert "plugins" in findings(again, name, "held")
        assert len(breaking.operations(name, judge.RESTORE)) == (name == SHOP)
    assert breaking.violations() == []


def test_a_restore_after_updates_that_was_killed_is_taken_up_by_the_next_night(breaking: Nights):
    breaking.seconds[judge.RESTORE] = LONG
    killed = breaking.start("maintain", maintain_update_plugins="updatable", **UNDO)
    breaking.await_following(killed, judge.RESTORE, SHOP)
    killed.kill()
    again = breaking.start("maintain", maintain_update_plugins="updatable", **UNDO)
    breaking.let_end(judge.RESTORE, SHOP, again)
    breaking.end(again)
    assert len(breaking.operations(SHOP, judge.RESTORE)) == 1
    assert breaking.versions() == [OLD, OLD, OLD]
    assert "rolled back to backup" in str(again.fact(SHOP, "maintain_result")["findings"])
    assert again.in_need == {SHOP}
    assert breaking.night(**UNDO).status == 0
    assert breaking.violations() == []
