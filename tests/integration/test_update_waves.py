# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nights with updates for a wave of sites: begun on all hosts after the canary, waited for once, and judged by each."""

from __future__ import annotations

import os
import re
import signal
import time

import pytest

from integration import test_maintain
from integration.test_maintain import Nights, host_of, yaml
from simulator import seed

SITES = 4
UPDATE, BACKUP, RESTORE = "wp-plugin:bulk-update", "backups:add-manual", "backups:restore"
UPDATES = {"maintain_update_plugins": "updatable"}
FORKS = ("--forks", "2")
USER = "d0000000-0000-4000-8000-000000000001"
PAUSE = 10  # seconds

running = test_maintain.running
nights = test_maintain.nights


@pytest.fixture
def wave(nights: Nights) -> Nights:
    """Nights of four sites with two forks. The first site is the canary."""
    nights.hosts = {f"site{number:02}": host_of(number) for number in range(1, SITES + 1)}
    nights.simulator.settings.operation_seconds = 4
    return nights


def operations(wave: Nights, kind: str) -> list:
    """What the service has accepted of a kind, in its order."""
    known = wave.simulator.state.operations.by_id.values()
    return sorted((one for one in known if one.kind == kind), key=lambda one: one.accepted_at)


def sites_of(wave: Nights, kind: str) -> list[int]:
    """The sites at which the service has accepted operations of a kind, each as often as it has."""
    numbers = {seed.environment_id(number): number for number in range(1, SITES + 1)}
    return sorted(numbers[one.environment_id] for one in operations(wave, kind))


def go_on_side_by_side(some: list) -> bool:
    """Whether all of them had begun before the first one ended."""
    return max(one.accepted_at for one in some) < min(one.ended_at for one in some)


@pytest.mark.story
def test_updates_go_on_side_by_side_and_a_failure_is_of_one_alone(wave: Nights):
    path = rf".*/{seed.environment_id(3)}/plugins/bulk-update"
    wave.simulator.fault("fail_operation", method="PUT", path=path)
    wave.simulator.fault("drop_after", method="PUT", path=rf".*/{seed.environment_id(4)}/plugins/bulk-update", times=0)
    night = wave.run(*FORKS, **UPDATES)
    assert night.status == 2
    assert (night.found("site03"), night.found("site04")) == ({"plugins"}, {"plugins"})
    assert night.summary["totals"]["need_a_person"] == 2
    assert "failed" in night.text("site03", "plugins")
    canary, *others = operations(wave, UPDATE)
    assert canary.environment_id == seed.environment_id(1)
    assert others[0].accepted_at > canary.ended_at
    assert go_on_side_by_side([one for one in others if one.environment_id != seed.environment_id(4)])
    assert go_on_side_by_side(operations(wave, BACKUP))
    assert [sites_of(wave, UPDATE).count(number) for number in (1, 2, 3)] == [1, 1, 1]
    for host in ("site01", "site02"):
        assert "plugins: example-forms 2.5.0" in night.of(host)["done"]
        assert "backup before the updates" in night.of(host)["done"]
    wave.simulator.clear_faults()
    again = wave.run(*FORKS, **UPDATES)
    assert again.status == 0, again.output
    assert sites_of(wave, UPDATE).count(3) == 2, "what has failed is sent again by the next night"
    assert wave.run(*FORKS, **UPDATES).changed == 0
    assert wave.written == {}


@pytest.mark.story
def test_declared_backups_go_on_side_by_side_and_each_is_judged_alone(wave: Nights):
    declared = {"maintain_backup_max_age": "1d", "maintain_check_backup_max_age": "1d"}
    wave.simulator.fault("fail_operation", method="POST", path=rf".*/{seed.environment_id(3)}/manual-backups")
    night = wave.run(*FORKS, **declared)
    assert night.status == 2
    assert night.found("site03") >= {"backup"}
    assert "backup" in night.of("site02")["done"]
    assert night.found("site02") == set(), "the new backup is the one that is looked at"
    assert go_on_side_by_side(operations(wave, BACKUP))
    assert sites_of(wave, BACKUP) == list(range(1, SITES + 1))
    wave.simulator.clear_faults()
    assert wave.run(*FORKS, **declared).status == 0
    assert sites_of(wave, BACKUP).count(3) == 2, "what has failed is taken by the next night"
    assert wave.run(*FORKS, **declared).changed == 0
    assert len(operations(wave, BACKUP)) == SITES + 1


@pytest.mark.story
def test_what_comes_one_after_another_is_waited_for_once_each(wave: Nights):
    wanted = {**UPDATES, "maintain_themes": [{"name": "storefront", "update_version": "4.6.0"}]}
    night = wave.run(*FORKS, **wanted)
    assert night.status == 0, night.output
    for kind in ("wp-theme:update", UPDATE):
        assert sites_of(wave, kind) == list(range(1, SITES + 1))
        assert go_on_side_by_side(operations(wave, kind)[1:])
    themes, plugins = operations(wave, "wp-theme:update")[1:], operations(wave, UPDATE)[1:]
    assert max(one.ended_at for one in themes) < min(one.accepted_at for one in plugins)
    for number in range(1, SITES + 1):
        assert set(night.of(f"site{number:02}")["done"]) >= {"themes: storefront 4.6.0", "plugins: example-forms 2.5.0"}
    assert wave.run(*FORKS, **wanted).changed == 0


@pytest.mark.story
@pytest.mark.parametrize("writes", [4, 5, 8])
def test_a_night_that_is_killed_while_it_waits_is_taken_up_by_the_next_one(writes: int, wave: Nights):
    """Four backups, the update of the canary, and three more updates.

    What waits for the canary of a killed night is updated by the one after the next.
    """
    wave.simulator.settings.operation_seconds = 2
    process = wave.start(*FORKS, **UPDATES)
    while len(wave.simulator.writes) < writes and process.poll() is None:
        time.sleep(0.005)
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    for _night in range(2):
        night = wave.run(*FORKS, **UPDATES)
        assert night.status == 0, night.output
    assert sites_of(wave, UPDATE) == list(range(1, SITES + 1))
    assert [wave.environment_of(number).plugins[0].version for number in range(1, SITES + 1)] == ["2.5.0"] * SITES
    assert wave.run(*FORKS, **UPDATES).changed == 0
    assert wave.written == {}


@pytest.mark.story
def test_two_nights_of_the_same_fleet_update_each_site_once(wave: Nights):
    wave.simulator.settings.operation_seconds = 2
    processes = [wave.start(*FORKS, **UPDATES) for _unused in range(2)]
    for process in processes:
        output, _none = process.communicate(timeout=300)
        assert process.returncode == 0, output
    assert wave.run(*FORKS, **UPDATES).status == 0
    assert sites_of(wave, UPDATE) == list(range(1, SITES + 1))


@pytest.mark.story
def test_the_pause_comes_once_a_wave_where_the_service_shows_no_operations(wave: Nights):
    wave.simulator.settings.interface_only = True
    wave.simulator.settings.operation_seconds = 0
    wave.environment["HOSTING_COMPANIONS"] = "false"
    themes = [{"name": "storefront", "update_version": "4.6.0"}]
    night = wave.run(*FORKS, maintain_themes=themes, maintain_pause_when_unknown=PAUSE)
    assert night.status == 0, night.output
    backups, updates = operations(wave, BACKUP), operations(wave, "wp-theme:update")
    assert len(backups) == len(updates) == SITES
    assert updates[0].accepted_at - backups[-1].accepted_at >= PAUSE - 0.1
    assert updates[1].accepted_at - updates[0].accepted_at >= PAUSE - 0.1
    assert updates[-1].accepted_at - backups[0].accepted_at < 3 * PAUSE


@pytest.mark.story
def test_each_of_those_that_need_not_wait_for_each_other_waits_for_its_own(wave: Nights):
    wave.simulator.settings.operation_seconds = 2
    wave.simulator.fault("fail_operation", method="PUT", path=rf".*/{seed.environment_id(3)}/plugins/bulk-update")
    role = {"role": "hosting.management.maintain", "maintain_canary": False}
    play = {"hosts": "all", "connection": "local", "gather_facts": False, "strategy": "free", "roles": [role]}
    (wave.folder / "own.yml").write_text(yaml.safe_dump([play]))
    wanted = {**UPDATES, "maintain_php_version": "8.4"}
    process = wave.start(*FORKS, playbook="own.yml", **wanted)
    output, _none = process.communicate(timeout=300)
    assert process.returncode == 2, output
    for kind in (UPDATE, "php:modify-version"):
        assert sites_of(wave, kind) == list(range(1, SITES + 1)), output
    wave.simulator.clear_faults()
    assert wave.run(*FORKS, **wanted).status == 0


@pytest.mark.story
def test_updates_that_break_several_sites_are_undone_side_by_side(wave: Nights):
    """Without a canary, they reach all."""
    wave.simulator.settings.breaking = frozenset(["plugin example-forms 2.5.0"])
    undo = {"maintain_rollback": True, "maintain_notified_user_id": USER, "maintain_canary": False}
    night = wave.run(*FORKS, **UPDATES, **undo)
    assert night.status == 2
    assert sites_of(wave, RESTORE) == sites_of(wave, UPDATE) == list(range(1, SITES + 1))
    assert go_on_side_by_side(operations(wave, RESTORE))
    for number in range(1, SITES + 1):
        assert "It was rolled back to backup" in night.text(f"site{number:02}", "well")
        assert wave.environment_of(number).plugins[0].version == "2.4.1"
        assert any(re.match("restored backup", one) for one in night.of(f"site{number:02}")["done"])


@pytest.mark.story
@pytest.mark.parametrize("strategy", ["free", "host_pinned"])
def test_the_playbook_goes_step_by_step_whatever_the_strategy_of_others(wave: Nights, strategy: str):
    """Where nothing is left to do, it ends for all environments at once, which another strategy would do too early."""
    wave.simulator.settings.operation_seconds = 2
    wave.environment["ANSIBLE_STRATEGY"] = strategy
    night = wave.run(*FORKS, **UPDATES)
    assert night.status == 0, night.output
    assert sites_of(wave, UPDATE) == list(range(1, SITES + 1)), night.output
