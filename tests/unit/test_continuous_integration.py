# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The workflows on GitHub do what `.ci/run` does, with all that the collection supports."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tools.interpreter import supported

ROOT = Path(__file__).parents[2]
WORKFLOWS = {file.stem: yaml.safe_load(file.read_text()) for file in (ROOT / ".github" / "workflows").glob("*.yml")}
JOBS = WORKFLOWS["ci"]["jobs"]

CORES = ("2.19", "2.20", "2.21", "2.22")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SUPPORTED_PYTHONS = PYTHONS[:3]


@pytest.fixture(scope="module")
def steps() -> dict[str, str]:
    """The steps of .ci/run: names and commands."""
    done = subprocess.run([ROOT / ".ci" / "run", "--list"], capture_output=True, text=True, check=True)
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


def matrix() -> list[dict]:
    return JOBS["tests"]["strategy"]["matrix"]["include"]


def version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def without_arguments(command: str) -> str:
    """The command as it is for all who run it: how many random cases they have time for may differ."""
    return re.sub(r" CASES=\d+", "", command.partition(" ARGS=")[0])


def test_the_tests_run_on_every_core_with_every_python_it_supports():
    released = [(entry["core"], entry["python"]) for entry in matrix() if entry["core"] != "devel"]
    assert len(released) == len(set(released))
    assert set(released) == {(core, python) for core in CORES for python in PYTHONS if supported(core, version(python))}
    assert "devel" in {entry["core"] for entry in matrix()}


def test_only_what_is_not_supported_may_fail():
    for entry in matrix():
        is_supported = entry["core"] in CORES and entry["python"] in SUPPORTED_PYTHONS
        assert entry.get("ahead", False) is not is_supported, entry


def test_what_is_supported_is_what_the_documentation_says():
    readme = (ROOT / "README.md").read_text()
    assert "ansible-core 2.19 to 2.21, with Python 3.11 to 3.13" in readme
    assert "The release candidate of 2.22, with" in readme


def test_the_workflow_has_every_step_of_the_script(steps: dict[str, str]):
    tests = {step["run"] for step in JOBS["tests"]["steps"] if "run" in step}
    assert tests == {"make test-all CORE=${{ matrix.core }}"}
    # The script leaves out of the older ansible-core's sanity tests what does not depend on the version.
    of_script = {without_arguments(command) for command in steps.values() if not command.startswith("make test")}
    of_workflow = JOBS["steps"]["strategy"]["matrix"]["command"]
    assert sorted(map(without_arguments, of_workflow)) == sorted(of_script)
    assert JOBS["steps"]["steps"][-1]["run"] == "${{ matrix.command }}"


def test_the_script_runs_the_tests_on_every_core(steps: dict[str, str]):
    tests = {command for command in steps.values() if command.startswith("make test")}
    # Without CORE it is the oldest one, as long as `python3` is 3.11. The workflow runs all tests on each.
    assert {without_arguments(command) for command in tests} == {
        "make test-all",
        *(f"make test CORE={core}" for core in CORES[1:]),
    }
    assert all("tests/integration" in command for command in tests if "ARGS=" in command)


def test_every_command_is_a_target_of_make(steps: dict[str, str]):
    targets = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {command.split()[1] for command in steps.values()} <= set(targets)
    checks = {
        "test",
        "build",
        "clean",
        "simulator",
        "bench",
        "faults",
        "help",
        "release",
        "ci",
        "mutants",
        "pictures",
        "pictures-test",
        "recording",
    }
    assert set(targets) - checks <= {command.split()[1] for command in steps.values()}


def test_a_tag_publishes_what_has_passed_everything():
    release = WORKFLOWS["release"]
    # YAML reads the key `on` as true.
    assert release[True] == {"push": {"tags": ["[0-9]+.[0-9]+.[0-9]+"]}}
    assert release["jobs"]["ci"]["uses"] == "./.github/workflows/ci.yml"
    assert "workflow_call" in WORKFLOWS["ci"][True]
    assert release["jobs"]["publish"]["needs"] == "ci"
