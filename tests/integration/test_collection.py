# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of the collection agree with each other: modules, action plugins, documentation, lists and these tests."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from integration.playbook import COLLECTION, ROOT
from integration.table import CHANGING, ROWS, WITHOUT_REQUESTS

pytestmark = pytest.mark.sample

MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("*.py"))
# Of what is new since the last release. `make release` says when it has to be a larger step.
NEXT = "0.2.0"
DOCUMENTED_ENDPOINTS = {f"4.{number}" for number in range(1, 20)}


@pytest.fixture(scope="session")
def documentation(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What ansible-doc says of each module."""
    home = tmp_path_factory.mktemp("home")
    done = subprocess.run(
        [Path(sys.executable).parent / "ansible-doc", "--json", *(f"{COLLECTION}.{module}" for module in MODULES)],
        env={
            "HOME": str(home),
            "ANSIBLE_HOME": str(home / "ansible"),
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "collections"),
            "LC_ALL": "C.UTF-8",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return {name.rpartition(".")[2]: shown for name, shown in json.loads(done.stdout).items()}


@cache
def spec_of(module: str):
    return import_module(f"ansible_collections.hosting.management.plugins.modules.{module}").SPEC


def release_of(module: str) -> str | None:
    """The release whose changelog lists the module as new."""
    releases = yaml.safe_load((ROOT / "changelogs" / "changelog.yaml").read_text())["releases"]
    listed = {new["name"]: version for version, release in releases.items() for new in release.get("modules", [])}
    return listed.get(module)


def test_the_table_of_these_tests_has_all_modules_and_endpoints():
    assert {row.module for row in ROWS} | WITHOUT_REQUESTS == set(MODULES)
    interface = import_module("ansible_collections.hosting.management.plugins.module_utils._interface")
    endpoints = [endpoint for endpoint in vars(interface).values() if isinstance(endpoint, interface.Endpoint)]
    documented = {endpoint.section: endpoint for endpoint in endpoints if endpoint.section}
    assert set(documented) == DOCUMENTED_ENDPOINTS
    for section, endpoint in documented.items():
        path = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(endpoint.path))
        matching = [row for row in ROWS if row.method == endpoint.method and re.fullmatch(path, row.path)]
        assert matching, f"no module for {section}"


@pytest.mark.parametrize("module", MODULES)
def test_what_changes_something_can_be_forced_and_is_in_the_table_of_changes(module: str):
    is_changing = module in {row.module for row in CHANGING}
    assert ("force" in spec_of(module).options) == is_changing


def test_the_action_group_has_exactly_the_modules():
    runtime = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())
    assert runtime["action_groups"]["all"] == MODULES
    waiting = [module for module in MODULES if "wait_timeout" in spec_of(module).options]
    assert runtime["action_groups"]["operations"] == waiting
    assert runtime["requires_ansible"] == ">=2.19.0"
    assert "plugin_routing" not in runtime


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("index", ["README.md", "docs/modules.md"])
def test_the_lists_for_users_name_the_module(module: str, index: str):
    assert f"| `{module}` |" in (ROOT / index).read_text()


@pytest.mark.parametrize("module", MODULES)
def test_the_documentation_is_complete(module: str, documentation: dict):
    shown = documentation[module]
    assert shown["doc"]["author"]
    assert shown["doc"]["version_added"] == (release_of(module) or NEXT)
    assert shown["doc"]["short_description"]
    assert not shown["doc"]["short_description"].endswith(".")
    assert f"{COLLECTION}.{module}:" in shown["examples"]
    assert {"check_mode", "diff_mode", "async", "action_group"} <= set(shown["doc"]["attributes"])
    assert "error" in shown["return"]
    for name, value in shown["return"].items():
        assert value.get("description"), name
        assert value.get("returned"), name
        assert value.get("type"), name


@pytest.mark.parametrize("module", MODULES)
def test_options_are_documented_as_they_are(module: str, documentation: dict):
    documented = documentation[module]["doc"].get("options", {})
    options = spec_of(module).options
    assert set(documented) == set(options)
    for name, option in options.items():
        shown = documented[name]
        assert shown.get("description"), name
        assert shown["type"] == option.get("type", "str"), name
        assert shown.get("default") == option.get("default"), name
        assert shown.get("elements") == option.get("elements"), name
        assert bool(shown.get("required")) == bool(option.get("required")), name
        assert shown.get("choices") == option.get("choices"), name
        assert sorted(shown.get("aliases", [])) == sorted(option.get("aliases", [])), name
        [variable] = option["fallback"][1] if "fallback" in option else [None]
        if variable:
            assert f"E({variable})" in str(shown["description"]), name


@pytest.mark.parametrize("module", MODULES)
def test_every_secret_is_kept_out_of_logs(module: str):
    for name, option in spec_of(module).options.items():
        is_secret = name in ("api_key", "custom_ssl_key", "url_password")
        assert bool(option.get("no_log")) == is_secret, name
