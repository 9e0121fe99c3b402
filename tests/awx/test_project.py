# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The project folder: its playbooks are the collection's, and its image can be built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import runs
from awx.controller import PLAYBOOK

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "extensions" / "awx"
BIN = Path(sys.executable).parent
VARIABLES = DataLoader().load_from_file(str(ROOT / "roles" / "awx" / "vars" / "main.yml"))
JOBS = [one["name"] for one in VARIABLES["__awx_job_templates"]]
DEFINITION = yaml.safe_load((PROJECT / "execution-environment.yml").read_text())


def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


def test_each_job_template_has_its_playbook():
    playbooks = {path.stem for path in PROJECT.glob("*.yml") if PLAYBOOK.search(path.read_text())}
    assert playbooks == set(JOBS)


@pytest.mark.parametrize("job", JOBS)
def test_a_playbook_imports_that_of_the_collection(job: str):
    [imported] = yaml.safe_load((PROJECT / f"{job}.yml").read_text())
    assert imported["ansible.builtin.import_playbook"] == f"hosting.management.{job}"
    assert (ROOT / "playbooks" / f"{job}.yml").is_file()


@pytest.mark.parametrize("job", JOBS)
def test_a_playbook_can_be_run(job: str, tmp_path: Path):
    runs.run(
        *("--syntax-check", "--inventory", "host,", "-e", "deploy_hosts=all", f"{job}.yml"),
        cwd=PROJECT,
        env=environment(tmp_path) | {"ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "collections")},
        check=True,
    )


def test_the_inventories_are_those_of_the_role():
    defaults = yaml.safe_load((ROOT / "roles" / "awx" / "defaults" / "main.yml").read_text())
    for name in ("awx_inventory_file", "awx_deploy_inventory_file"):
        inventory = yaml.safe_load((PROJECT / defaults[name]).read_text())
        assert inventory["plugin"] == "hosting.management.environments"


def test_the_image_can_be_described_for_a_build(tmp_path: Path):
    subprocess.run(
        [BIN / "ansible-builder", "create", "--file", "execution-environment.yml", "--context", tmp_path],
        cwd=PROJECT,
        env=environment(tmp_path),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    [recipe] = [path for path in tmp_path.iterdir() if path.name in ("Containerfile", "Dockerfile")]
    assert f'ARG EE_BASE_IMAGE="{DEFINITION["images"]["base_image"]["name"]}"' in recipe.read_text()
    installed = tmp_path / "_build" / "requirements.yml"
    assert yaml.safe_load(installed.read_text())["collections"][0]["name"] == "hosting.management"


def test_the_image_has_what_the_collection_can_use(tmp_path: Path):
    user_pip = tmp_path / "requirements.txt"
    user_pip.write_text("\n".join(DEFINITION["dependencies"]["python"]))
    done = subprocess.run(
        [BIN / "ansible-builder", "introspect", ROOT / "build" / "collections", "--user-pip", user_pip],
        env=environment(tmp_path),
        check=True,
        capture_output=True,
        text=True,
    )
    found = [Requirement(line.partition("#")[0]).name for line in yaml.safe_load(done.stdout)["python"]]
    assert sorted(found) == ["matplotlib", "psycopg", "requests", "rich", "urllib3"]


def test_the_image_has_an_ansible_core_that_is_supported_and_a_python_that_runs_it():
    supported = SpecifierSet(yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())["requires_ansible"])
    core = Requirement(DEFINITION["dependencies"]["ansible_core"]["package_pip"]).specifier
    assert "2.18.9" not in core
    for version in ("2.19.0", "2.22.0", "2.23.0"):
        assert version in core
    assert "2.19.0" in supported
    assert DEFINITION["dependencies"]["python_interpreter"]["package_system"] in ("python3.12", "python3.13")
