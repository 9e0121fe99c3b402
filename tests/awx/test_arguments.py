# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of the role's tasks are those that the modules of awx.awx take, also in tasks that no test runs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.parsing.dataloader import DataLoader

ROOT = Path(__file__).parents[2]
ROLE = ROOT / "roles" / "awx"
COLLECTION = "awx.awx"
TASKS = [
    (task["name"], name.rpartition(".")[2], arguments)
    for path in sorted((ROLE / "tasks").glob("*.yml"))
    for task in DataLoader().load_from_file(str(path))
    for name, arguments in task.items()
    if name.startswith(f"{COLLECTION}.")
]


class Captured(Exception):
    """The arguments that a module has made its AnsibleModule with."""


def raising(_self: object, **given: Any) -> None:
    raise Captured(given)


@pytest.fixture
def spec_of(monkeypatch: pytest.MonkeyPatch):
    """A function that returns what a module gives to its AnsibleModule: the spec and the constraints."""
    plugins = "ansible_collections.awx.awx.plugins"
    monkeypatch.syspath_prepend(ROOT / "build" / "awx")
    controller = import_module(f"{plugins}.module_utils.controller_api").ControllerAPIModule

    def capture(name: str) -> dict[str, Any]:
        module = import_module(f"{plugins}.modules.{name}")
        monkeypatch.setattr(controller, "__init__", raising)
        with pytest.raises(Captured) as caught:
            module.main()
        return caught.value.args[0]

    return capture


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The documented options of each module, with those within them."""
    home = tmp_path_factory.mktemp("home")
    done = subprocess.run(
        [Path(sys.executable).parent / "ansible-doc", "--json", *(f"{COLLECTION}.{task[1]}" for task in TASKS)],
        env={"HOME": str(home), "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "awx"), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.rpartition(".")[2]: one["doc"]["options"] for name, one in json.loads(done.stdout).items()}


def is_template(value: object) -> bool:
    return isinstance(value, str) and "{{" in value


def complaints(arguments: dict[str, Any], options: dict[str, Any], path: str = "") -> list[str]:
    """What is wrong with arguments by the documentation: names and choices, at every depth."""
    found = []
    for name, value in arguments.items():
        option = options.get(name)
        if option is None:
            found.append(f"{path}{name} is unknown")
        elif option.get("choices") and not is_template(value) and value not in option["choices"]:
            found.append(f"{path}{name} is {value!r}")
        elif option.get("suboptions"):
            for one in value if isinstance(value, list) else [value]:
                found += [] if is_template(one) else complaints(one, option["suboptions"], f"{path}{name}.")
    return found


@pytest.mark.parametrize(("module", "arguments"), [one[1:] for one in TASKS], ids=[one[0] for one in TASKS])
def test_a_module_takes_the_arguments_of_its_task(module, arguments, spec_of, documented):
    assert complaints(arguments, documented[module]) == []
    spec = spec_of(module)
    options = spec.pop("argument_spec")
    # What is a template has no type yet: its place is taken by a value that has.
    values = {"bool": True, "int": 1, "float": 1.0, "dict": {}, "list": []}
    given = {
        name: values.get(options.get(name, {}).get("type"), "text") if is_template(value) else value
        for name, value in arguments.items()
    }
    for name, value in arguments.items():
        choices = options.get(name, {}).get("choices")
        if is_template(value) and choices:
            given[name] = choices[0]
    # Of what excludes each other, a task leaves out all but one.
    for group in spec.get("mutually_exclusive") or []:
        for name in [name for name in group if name in given][1:]:
            assert "omit" in arguments[name]
            del given[name]
    assert ArgumentSpecValidator(options, **spec).validate(given).error_messages == []


def test_a_wrong_argument_is_found():
    options = {"kind": {"choices": ["cloud"]}, "nodes": {"suboptions": {"name": {}}}}
    wrong = {"kind": "rain", "kinds": 1, "nodes": [{"nam": 1}, "{{ one }}"]}
    assert complaints(wrong, options) == ["kind is 'rain'", "kinds is unknown", "nodes.nam is unknown"]


def test_the_role_has_such_tasks():
    assert len(TASKS) == 27
    assert yaml.safe_load((ROLE / "meta" / "main.yml").read_text())
