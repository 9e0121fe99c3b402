# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that are forked from a process which has imported Ansible are those that were asked for."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml

import runs
from integration.playbook import ROOT

SHOWN = "{{ lookup('env', 'GIVEN') }} {{ lookup('pipe', 'pwd') }} {{ lookup('config', 'DEFAULT_FORKS') }}"


@pytest.fixture
def run(tmp_path: Path):
    """Run a task, with more in the environment."""

    def run_task(task: dict, **environment: str) -> subprocess.CompletedProcess[str]:
        play = {"hosts": "localhost", "gather_facts": False, "tasks": [task]}
        (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
        surroundings = {
            "HOME": str(tmp_path),
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "collections"),
        }
        return runs.run("play.yml", cwd=tmp_path, env=surroundings | environment)

    return run_task


def test_a_run_has_its_own_folder_environment_and_settings(run, tmp_path: Path):
    (tmp_path / "ansible.cfg").write_text("[defaults]\nforks = 7\n")
    done = run({"ansible.builtin.debug": {"msg": SHOWN}}, GIVEN="a word")
    assert f'"msg": "a word {tmp_path} 7"' in done.stdout
    assert done.returncode == 0


def test_a_run_ends_as_it_ends(run):
    done = run({"ansible.builtin.fail": {"msg": "no"}})
    assert (done.returncode, '"msg": "no"' in done.stdout) == (2, True)


@pytest.mark.parametrize(
    "environment", [{"ANSIBLE_STRATEGY": "wrong"}, {"PYTHONPATH": "{folder}"}], ids=["setting", "path for Python"]
)
def test_what_is_read_as_ansible_is_imported_is_read_anew(run, tmp_path: Path, environment: dict[str, str]):
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit('Invalid: read anew')")
    given = {name: value.format(folder=tmp_path) for name, value in environment.items()}
    done = run({"ansible.builtin.debug": {}}, **given)
    assert done.returncode == 1
    assert "Invalid" in done.stderr


def test_a_run_is_a_fork(run):
    names = run({"ansible.builtin.debug": {"msg": "{{ lookup('pipe', 'ps -o args= -p $PPID') }}"}}).stdout
    assert ("--serve" in names) == (runs.command()[0] != runs.PLAYBOOK)
