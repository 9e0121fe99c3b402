# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""README's and the guides' commands run as they stand, with the files that the guides show.

A page's YAML blocks whose first line is a comment with a file name are these files. Its shell blocks run one after the
other, in a new home, with the simulator for the service.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from configparser import ConfigParser
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

import runs
from integration.playbook import ROOT, Ansible
from integration.table import row_of
from simulator import Simulator
from simulator.__main__ import TRY
from simulator.__main__ import files as simulated_files
from tools.checkout import copy

pytest_plugins = ["simulator.fixtures"]

FOLDERS = [ROOT / "docs", ROOT / "docs" / "decisions"]
GUIDES = [ROOT / "README.md", *(page for folder in FOLDERS for page in sorted(folder.glob("*.md")))]
PAGES = [*GUIDES, ROOT / "CONTRIBUTING.md"]
BLOCK = re.compile(r"^ *```(?P<language>\w*)\n(?P<text>.*?)^ *```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"# ([\w.-]+\.\w+)\n")
BIN = Path(sys.executable).parent


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, language: str) -> list[str]:
    return [block["text"] for block in BLOCK.finditer(page.read_text()) if block["language"] == language]


def files(page: Path) -> dict[str, str]:
    """The files that a page shows, by their names."""
    named = ((FILE_NAME.match(text), text) for text in blocks(page, "yaml"))
    return {name[1]: text for name, text in named if name}


def runs_make(text: str) -> bool:
    return text.startswith("make ")


COMMANDS = [page for page in GUIDES if any(not runs_make(text) for text in blocks(page, "shell"))]


@pytest.fixture
def galaxy(tmp_path: Path) -> Iterator[str]:
    """The address of a Galaxy that has the collection, built from the checkout."""
    folder = tmp_path / "galaxy"
    subprocess.run(
        [BIN / "ansible-galaxy", "collection", "build", copy(tmp_path / "tree"), "--output-path", folder],
        env={"HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    [tarball] = folder.glob("*.tar.gz")
    version = yaml.safe_load((ROOT / "galaxy.yml").read_text())["version"]
    release = {
        "namespace": {"name": "hosting"},
        "collection": {"name": "management"},
        "version": version,
        "download_url": f"/{tarball.name}",
        "artifact": {"sha256": hashlib.sha256(tarball.read_bytes()).hexdigest()},
        "metadata": {"dependencies": {}},
        "requires_ansible": ">=2.19.0",
        "href": "",
    }
    collection = "api/v3/collections/hosting/management"
    for path, answer in {
        "api": {"available_versions": {"v3": "v3/"}},
        collection: {"created_at": "2026-01-01", "updated_at": "2026-01-01"},
        f"{collection}/versions": {"data": [release], "links": {"next": None}},
        f"{collection}/versions/{version}": release,
    }.items():
        (folder / path).mkdir(parents=True, exist_ok=True)
        (folder / path / "index.html").write_text(json.dumps(answer))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def lose_the_answer_to_a_push(ansible: Ansible, simulator: Simulator) -> None:
    simulator.fault("drop_after", "PUT")
    assert ansible.run(row_of("env_push").step(release="v2.4.1"))[0].error["kind"] == "outcome_unknown"
    simulator.clear_faults()


# What has to have happened before a page's commands make sense.
BEFORE = {"docs/failures.md": lose_the_answer_to_a_push}
# Where the simulator's variables go if not into group_vars/all.yml, because the commands write that file.
VARIABLES = {"docs/adopt.md": ["fleet/group_vars/site_shop.yml", "fleet/group_vars/site_blog.yml"]}
# What Ansible warns of where a page's commands make the inventory that is not there yet.
WARNED = {"docs/adopt.md": ("as an inventory source", "No inventory was parsed", "provided hosts list is empty")}


@pytest.mark.parametrize("page", COMMANDS, ids=name_of)
def test_commands_run_as_they_stand(page: Path, ansible: Ansible, simulator: Simulator, request, tmp_path: Path):
    if before := BEFORE.get(name_of(page)):
        before(ansible, simulator)
    work = tmp_path / "work"
    work.mkdir()
    for name, text in {
        **{name: text for guide in GUIDES for name, text in files(guide).items()},
        **files(page),
    }.items():
        (work / name).write_text(text)
    # As `make simulator` prints it: its sites have addresses that do not resolve, but it shows their pages.
    for name in VARIABLES.get(name_of(page), ["group_vars/all.yml"]):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(simulated_files(simulator, 2)["group_vars/all.yml"])
    # What users set for themselves; where a block shows an address and a key, the simulator's take their place.
    service = {
        "HOSTING_BASE_URL": simulator.base_url,
        "HOSTING_API_KEY": simulator.api_key,
        "HOSTING_JOURNAL": str(ansible.journal),
    }
    environment = ansible.environment | {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null"}
    environment["PATH"] = runs.search_path(environment["PATH"])
    if "ansible-galaxy collection install" in page.read_text():
        environment["ANSIBLE_GALAXY_SERVER"] = request.getfixturevalue("galaxy")
    else:
        environment["ANSIBLE_COLLECTIONS_PATH"] = str(ROOT / "build" / "collections")
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in service.items())
    script = exports + exports.join(block for block in blocks(page, "shell") if not runs_make(block))
    done = subprocess.run(
        ["bash", "-euxo", "pipefail", "-c", script],
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout
    # ansible-core 2.21's ansible-doc complains about a collection of its own.
    expected = ("/_protomatter'", *WARNED.get(name_of(page), ()))
    lines = [line for line in done.stdout.splitlines() if "[WARNING]" in line]
    warnings = [line for line in lines if not any(words in line for words in expected)]
    assert not warnings, done.stdout


@pytest.mark.sample
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_in_a_language_that_is_tested(page: Path):
    text = page.read_text()
    found = list(BLOCK.finditer(text))
    assert len(found) * 2 == len(re.findall(r"^ *```", text, re.MULTILINE)), "a block does not end"
    assert {block["language"] for block in found} <= {"ini", "shell", "sql", "text", "yaml"}


@pytest.mark.sample
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_configuration_can_be_read(page: Path):
    for text in blocks(page, "ini"):
        read = ConfigParser()
        read.read_string(text)
        assert read.sections(), text


@pytest.mark.sample
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_yaml_can_be_read(page: Path):
    for text in blocks(page, "yaml"):
        assert yaml.safe_load(text), text


@pytest.mark.sample
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_target_of_make_exists(page: Path):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for command in re.findall(r"`(make [^`]+)`", page.read_text()) + list(filter(runs_make, blocks(page, "shell"))):
        for word in shlex.split(command)[1:]:
            assert "=" in word or word in targets, command


@pytest.mark.sample
def test_the_continuous_integration_runs_the_targets_that_shell_blocks_have():
    listed = subprocess.run([ROOT / ".ci" / "run", "--list"], capture_output=True, text=True, check=True).stdout
    steps = [line.partition(": ")[2] for line in listed.splitlines()]
    assert "make test-all" in steps
    steps.append("make test")  # a part of it
    for page in PAGES:
        for command in filter(runs_make, blocks(page, "shell")):
            assert command.strip() in steps, command


def test_the_playbook_that_the_simulator_suggests_runs(ansible: Ansible, simulator: Simulator, tmp_path: Path):
    (tmp_path / "try.yml").write_text(TRY)
    surroundings = ansible.environment | {
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "collections"),
        "HOSTING_BASE_URL": simulator.base_url,
        "HOSTING_API_KEY": simulator.api_key,
        "HOSTING_JOURNAL": str(ansible.journal),
    }
    for changed in ("changed=1", "changed=0"):
        command = ["ansible-playbook", "try.yml", "--diff"]
        done = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)
        assert changed in done.stdout, done.stdout + done.stderr
