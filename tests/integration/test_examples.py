# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples in the documentation of the modules run as they stand."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
import yaml

from integration.playbook import ROOT, Ansible, Step, in_chunks
from integration.table import COMPANY, LIVE, SITE, STAGING, row_of
from simulator import Simulator, seed

pytest_plugins = ["simulator.fixtures", "unit.postgres"]

MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("*.py"))

# An environment as a host, by the variables that the inventory plugin gives it.
HOST = {
    "hosting_company_id": COMPANY,
    "hosting_site_id": SITE,
    "hosting_environment_id": LIVE,
    "hosting_source_environment_id": STAGING,
    "hosting_primary_domain_id": seed.domain_id(1),
    "hosting_cdn_cache_id": "cdn-11",
}

PUSH = row_of("env_push").step(release="v2.4.1")
LOST = {
    "push_outcome": [PUSH],
    "settle": [
        PUSH,
        row_of("backup_restore").step(environment_id=STAGING, backup_id=1201),
        row_of("plain_environment").step(display_name="Preview", companions=False),
    ],
}
"""What is asked for before the examples, and gets no answer."""

IN_BROWSER = {"site_compare", "site_snapshot"}
"""Modules that need a browser, or what it has made: tests/browser runs them."""

ALONE = {*LOST, "journal_setup", "php_restart"}
"""Modules that need something beforehand, or are a sample of the others."""

TOGETHER = [
    *([module] for module in MODULES if module in ALONE),
    *in_chunks([module for module in MODULES if module not in ALONE | IN_BROWSER], 7),
]

OF_ANSIBLE = {"changed", "failed", "invocation", "diff", "item", "ansible_loop_var", "warnings"}


@pytest.mark.sample("php_restart")
@pytest.mark.parametrize("modules", TOGETHER, ids="-".join)
def test_examples_run_as_they_stand(modules: list[str], ansible: Ansible, simulator: Simulator, request):
    for lost in (one for module in modules for one in LOST.get(module, ())):
        simulator.fault("drop_before", row_of(lost.module).method)
        assert ansible.run(lost)[0].error["kind"] == "outcome_unknown"
    if "journal_setup" in modules:
        server = request.getfixturevalue("postgres_server")
        server.execute("drop role if exists jobs; create role jobs")
        ansible.variables["address_with_owner"] = server.address(server.new_database())
    ansible.variables.update(HOST)

    def anew() -> None:
        simulator.reset()
        ansible.forget()

    steps = [(module, step) for module in modules for step in examples_of(module, simulator)]
    for module in modules[1:]:
        first = next(step for one, step in steps if one == module)
        first.before = anew
    run = ansible.run(*(step for _module, step in steps))
    for (module, step), done in zip(steps, run, strict=True):
        assert step.name, f"an example of {module} has no name"
        assert not done.failed, f"{module}, {done.name}: {done.msg}"
        if step.module == f"hosting.management.{module}":
            for result in done.result.get("results", [done.result]):
                expect_documented(result, returned_by(module))
    assert run.status == 0


def documentation_of(module: str) -> ModuleType:
    return import_module(f"ansible_collections.hosting.management.plugins.modules.{module}")


@cache
def returned_by(module: str) -> dict[str, Any]:
    return yaml.safe_load(documentation_of(module).RETURN)


def examples_of(module: str, simulator: Simulator) -> list[Step]:
    examples = documentation_of(module).EXAMPLES
    for name, value in HOST.items():
        assert value not in examples, f"use {name}"
    # The simulator has no site of its own at that address, but it shows the pages of its sites.
    page = f"{simulator.base_url.removesuffix('/v2')}/_simulator/sites/{seed.environment_id(1)}"
    examples = re.sub(r"- https://(shop|blog)\.example\.com\n", f"- {page}\n", examples)
    steps = [step_of(task) for task in yaml.safe_load(examples)]
    assert f"hosting.management.{module}" in {step.module for step in steps}
    return steps


def expect_documented(result: dict[str, Any], returned: dict[str, Any]) -> None:
    """Check that a result has what the documentation promises for a success, and no undocumented value."""
    promised = {name for name, value in returned.items() if value["returned"] == "success"}
    assert promised <= set(result)
    assert set(result) - set(returned) <= OF_ANSIBLE
    for name, value in returned.items():
        if isinstance(result.get(name), dict):
            always = {field for field, about in value.get("contains", {}).items() if "returned" not in about}
            assert always <= set(result[name]), name


def step_of(task: dict) -> Step:
    name = task.pop("name", "")
    [module] = [keyword for keyword in task if "." in keyword]
    return Step(module, task.pop(module) or {}, name, keywords=task)
