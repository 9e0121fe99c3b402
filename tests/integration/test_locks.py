# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks in playbooks: set with one, met by the others, shown, ignored and released; and the question at a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

import runs
from integration.playbook import MODES, Step
from integration.test_deploy import FIRST, ROLLBACK, deployment  # noqa: F401 # pylint: disable=unused-import
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE = seed.environment_id(1)
LOCK = {"group": "environment_live", "reason": "Black Friday", "until": "3h", "author": "anna"}
SET = ("deploy_lock_group=all", "deploy_lock_until=3h", "deploy_lock_author=anna")
PATIENCE = 60  # seconds


def lock(deployment, *settings, reason="Black Friday {{ '{{' }} 7 * 191 }}"):  # noqa: F811
    """Run the playbook deploy_lock, which must go well, and return the number of changes."""
    arguments = [part for one in settings for part in ("-e", one)]
    return deployment.changes(
        *arguments, "-e", json.dumps({"deploy_lock_reason": reason}), release=None, hosts=None, playbook="deploy_lock"
    )


def words(done):
    return re.sub(r"\s+", " ", done.stdout + done.stderr)


@pytest.mark.sample("controller")
@pytest.mark.parametrize("mode", MODES)
def test_a_lock_is_set_once_and_shown_with_the_release(mode: str, ansible):
    info = Step("release_info", {"environment_id": LIVE, "groups": ["environment_live"]})
    first, again, shown, released, gone = ansible.run(
        *(Step("deploy_lock", LOCK) for _time in range(2)),
        info,
        Step("deploy_lock", {"group": "environment_live", "author": "anna", "state": "absent"}),
        info,
        hosts=mode,
    )
    assert [done.changed for done in (first, again, released)] == [True, False, True]
    assert shown.result["locks"] == [first.result["lock"]] == again.result["locks"]
    assert gone.result["locks"] == []
    assert first.requests == []


@pytest.mark.story
def test_a_lock_stops_deployments_and_rollbacks_until_it_is_ignored_or_released(deployment):  # noqa: F811
    assert [lock(deployment, *SET) for _time in range(2)] == [1, 0]

    refused = deployment.run()
    assert refused.returncode == 2
    assert deployment.written() == {}
    said = "blog, shop are locked until "
    assert said in words(refused)
    assert ": Black Friday {{ 7 * 191 }}. Nothing was done. Wait until then, or agree with anna" in words(refused)

    listed = deployment.run(release=None, hosts=None, playbook="releases")
    assert len(re.findall(r"until 20\S+ by anna: Black Friday \{\{ 7 \* 191 \}\}", listed.stdout)) == 2

    rollback = deployment.run(release=None, playbook="rollback", **ROLLBACK)
    assert rollback.returncode == 2
    assert "shop is locked until " in words(rollback)
    assert deployment.written() == {}

    ignoring = deployment.run("-e", "deploy_ignore_lock=true")
    assert ignoring.returncode == 0, ignoring.stdout
    assert set(deployment.written()) == set(FIRST)
    assert "This run goes on in spite of it (deploy_ignore_lock)." in words(ignoring)

    assert [lock(deployment, *SET, "deploy_lock_state=absent") for _time in range(2)] == [1, 0]
    assert deployment.changes() == 0


def test_a_lock_that_is_set_while_a_wave_is_deployed_stops_the_next(deployment, tmp_path):  # noqa: F811
    """The tasks of the first environment set the lock that the second one meets."""
    (tmp_path / "freeze.yml").write_text(
        f"""
- name: Freeze
  hosting.management.deploy_lock:
    environment_id: {seed.environment_id(1)}
    reason: an incident
    until: 1h
"""
    )
    done = deployment.run(deploy_after_tasks=["freeze.yml"])
    assert done.returncode == 2
    assert deployment.written()["push"] == 1
    assert "shop is locked until " in words(done)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (("deploy_lock_grup=all",), "Did you mean deploy_lock_group?"),
        (("deploy_lock_group=all", "deploy_lock_until=Monday 06:00"), "06:00 was cut off at a blank."),
        (("deploy_lock_group=all", "deploy_lock_until="), "state is present but all of the following are missing"),
    ],
)
def test_a_lock_that_would_lock_nothing_is_refused(settings, said, deployment):  # noqa: F811
    arguments = [part for one in settings for part in ("-e", one)]
    done = deployment.run(*arguments, "-e", "deploy_lock_reason=why", release=None, hosts=None, playbook="deploy_lock")
    assert done.returncode == 2
    assert said in words(done)
    assert not deployment.journal.exists()


# ---- the question at a terminal -------------------------------------------------------------------------------------


# In a process of its own, because the one of the tests has the threads of the simulator.
WITH_TERMINAL = "import os, sys; os.login_tty(0); os.execv(sys.argv[1], sys.argv[1:])"


class Terminal:
    """A playbook at a pseudo-terminal, with somebody who reads and types."""

    def __init__(self, deployment, *arguments, **environment):  # noqa: F811
        deployment.run("--version", release=None, hosts=None)  # writes the inventory
        self.shown = ""
        self.descriptor, terminal = pty.openpty()
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-c", WITH_TERMINAL),
                *runs.command("hosting.management.deploy", is_forked=False),
                *("-e", "deploy_hosts=all", "-e", "deploy_release=v1", *arguments),
            ],
            cwd=deployment.folder,
            env={**deployment.environment, "ANSIBLE_INVENTORY": "inventory.yml", "TERM": "xterm", **environment},
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
        )
        os.close(terminal)

    def read(self, until="\0"):
        """Read until this text is shown, or the end."""
        deadline = time.monotonic() + PATIENCE
        while until not in self.shown and time.monotonic() < deadline:
            if not select.select([self.descriptor], [], [], 1)[0]:
                continue
            try:
                self.shown += os.read(self.descriptor, 65536).decode(errors="replace")
            except OSError:  # the other end is closed
                break
        return " ".join(self.shown.split())

    def end(self):
        """Read to the end, and return how the playbook ended."""
        self.read()
        return self.process.wait(PATIENCE)


@pytest.mark.parametrize(("answer", "status"), [("2", 0), ("3", 2)])
def test_the_number_of_live_environments_is_typed_before_they_are_pushed(answer, status, deployment):  # noqa: F811
    terminal = Terminal(deployment)
    assert "v1 is about to be pushed to 2 environments, of which 2 are live." in terminal.read("to go on")
    assert "Release v1 for 2 environments." in terminal.shown
    time.sleep(1)
    assert deployment.written() == {}
    os.write(terminal.descriptor, answer.encode() + b"\r")
    assert terminal.end() == status, terminal.shown
    assert deployment.written().get("push", 0) == (0 if status else 2)
    assert ("The answer was not 2" in terminal.shown) == bool(status)


def test_nobody_is_asked_in_a_job_of_awx(deployment):  # noqa: F811
    terminal = Terminal(deployment, AWX_PRIVATE_DATA_DIR="/runner")
    assert terminal.end() == 0, terminal.shown
    assert "about to be pushed" not in terminal.shown


def test_without_a_terminal_nobody_is_asked_nor_warned(deployment):  # noqa: F811
    done = deployment.run("-e", "deploy_confirm=true")
    assert done.returncode == 0
    assert "about to be pushed" not in done.stdout
    assert "interactive" not in done.stdout + done.stderr
