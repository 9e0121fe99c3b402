# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""release_info and push_outcome: what the journal knows of an environment's releases, and how it is set right."""

from __future__ import annotations

import pytest

from integration.playbook import MODES, Ansible, Step
from integration.table import LIVE, STAGING, row_of
from simulator import Simulator, seed

pytest_plugins = ["simulator.fixtures"]

INFO = Step("release_info", {"environment_id": LIVE})
NOTHING_KNOWN = {
    "release": None,
    "state": None,
    "sent_at": None,
    "parts": [],
    "restored_backup": None,
    "php_restart": None,
    "locks": [],
}


def settle(outcome: str, release: str = "v2", **keywords) -> Step:
    return Step(
        "push_outcome",
        {"environment_id": LIVE, "release": release, "outcome": outcome},
        f"settle {outcome}",
        None,
        keywords,
    )


@pytest.mark.parametrize("mode", MODES)
def test_an_environment_tells_its_release_and_parts(mode: str, ansible: Ansible):
    push = row_of("env_push")
    database = {"push_db": True, "push_files": False, "push_files_option": "{{ omit }}", "file_list": "{{ omit }}"}
    before, push_of_files, push_of_data, _restart, after, elsewhere = ansible.run(
        INFO,
        push.step(push_db=False),
        push.step(**database),
        row_of("php_restart").step(),
        INFO,
        Step("release_info", {"environment_id": STAGING}),
        hosts=mode,
    )
    for done in (before, elsewhere):
        assert not done.changed
        assert {name: done.result[name] for name in NOTHING_KNOWN} == NOTHING_KNOWN
    assert push_of_files.changed
    assert push_of_data.changed
    assert (after.result["release"], after.result["state"]) == ("v2", "finished")
    assert after.result["sent_at"].endswith("Z")
    files, data = after.result["parts"]
    assert (files["push_db"], files["push_files"]) == (False, True)
    assert files["file_list"] == ["./robots.txt", "wp-content/themes"]
    assert (data["push_db"], data["push_files"], data["file_list"]) == (True, False, [])
    for part in (files, data):
        assert part["source_env_id"] == STAGING
        assert part["state"] == "finished"
        assert part["sent_at"] <= part["ended_at"]
        assert part["operation_id"].startswith("environments:push-")
    assert (after.result["php_restart"]["release"], after.result["php_restart"]["state"]) == ("v2", "finished")
    assert before.requests == after.requests == []


@pytest.mark.sample
def test_another_release_takes_the_place_of_the_one_before(ansible: Ansible):
    push = row_of("env_push")
    *_pushes, info = ansible.run(push.step(), push.step(push_db=False), push.step(release="v3"), INFO)
    assert info.result["release"] == "v3"
    assert len(info.result["parts"]) == 1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("outcome", "pushes"), [("pushed", 0), ("not_pushed", 1)])
def test_an_unknown_outcome_is_settled(mode: str, outcome: str, pushes: int, ansible: Ansible, simulator: Simulator):
    simulator.fault("drop_after", "PUT")
    push = row_of("env_push")
    lost, info, checked, settled, again, pushed = ansible.run(
        push.step(),
        INFO,
        settle(outcome, check_mode=True, diff=True),
        settle(outcome),
        settle(outcome),
        push.step(),
        hosts=mode,
    )
    assert lost.error["kind"] == "outcome_unknown"
    assert "hosting.management.settle: " in lost.msg
    assert info.result["state"] == "unknown"
    assert (checked.changed, checked.result["outcome"]) == (True, outcome)
    assert checked.result["diff"] == {"before": {"outcome": "unknown"}, "after": {"outcome": outcome}}
    assert settled.changed
    assert (again.changed, again.result["outcome"]) == (False, outcome)
    assert (pushed.changed, len(pushed.writes)) == (bool(pushes), pushes)
    assert checked.requests == settled.requests == []


def test_what_is_known_is_not_settled_otherwise(ansible: Ansible, simulator: Simulator):
    simulator.settings.operation_seconds = 3600
    push = row_of("env_push")
    going_on, settled, unknown_release = ansible.run(
        push.step(wait=False), settle("not_pushed"), settle("pushed", release="v9")
    )
    assert going_on.changed
    assert settled.error["kind"] == unknown_release.error["kind"] == "invalid_input"
    assert "goes on" in settled.msg
    assert "knows nothing of the push of v9, only of the push of v2" in unknown_release.msg


def test_a_finished_push_stays_finished(ansible: Ansible):
    _pushed, settled, again = ansible.run(row_of("env_push").step(), settle("not_pushed"), row_of("env_push").step())
    assert (settled.changed, settled.result["outcome"]) == (False, "pushed")
    assert not again.changed


@pytest.mark.parametrize("mode", MODES)
def test_after_a_restore_the_same_release_is_pushed_again(mode: str, ansible: Ansible, simulator: Simulator):
    live = simulator.state.environment(LIVE)
    before, seen = live.content, []
    push = row_of("env_push")
    whole = {"push_files_option": "{{ omit }}", "file_list": "{{ omit }}"}
    backup = Step("manual_backup", {"environment_id": LIVE, "tag": "before-v2", "poll_interval": 0.05})
    options = {"backup_id": "{{ omit }}", "tag": "before-v2", "notified_user_id": seed.user_id(1)}
    restore = row_of("backup_restore").step

    def look():
        seen.append(live.content)

    _backup, pushed, checked, restored, again, info, pushed_again, restored_again, _last = ansible.run(
        backup,
        push.step(**whole),
        restore(before=look, keywords={"check_mode": True}, **options),
        restore(**options),
        restore(before=look, **options),
        INFO,
        push.step(**whole),
        restore(before=look, **options),
        Step("release_info", {"environment_id": LIVE}, before=look),
        hosts=mode,
    )
    assert [done.changed for done in (pushed, checked, restored, again)] == [True, True, True, False]
    assert checked.writes == again.writes == []
    assert restored.result["backup"]["tag"] == "before-v2"
    assert info.result["release"] is None
    assert info.result["restored_backup"]["backup_id"] == restored.result["backup"]["id"]
    assert pushed_again.changed
    assert restored_again.changed
    staging = simulator.state.environment(STAGING).content
    assert seen == [staging, before, staging, before]


@pytest.mark.parametrize("mode", MODES)
def test_beside_a_push_nothing_is_restored(mode: str, ansible: Ansible, simulator: Simulator):
    simulator.settings.operation_seconds = 3600
    started, refused, forced = ansible.run(
        row_of("env_push").step(wait=False),
        row_of("backup_restore").step(wait_timeout=0.3),
        row_of("backup_restore").step(force=True, wait=False),
        hosts=mode,
    )
    assert refused.error["kind"] == "operation_timeout"
    assert refused.error["operation_id"] == started.result["operation"]["id"]
    assert refused.writes == []
    assert forced.changed
