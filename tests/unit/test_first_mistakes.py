# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong for those who begin, and the words that they get for it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _entry
from ansible_collections.hosting.management.plugins.module_utils._arguments import problem_of_core
from ansible_collections.hosting.management.plugins.module_utils._errors import InvalidInput
from ansible_collections.hosting.management.plugins.modules import (
    api_key_info,
    dns_record,
    env_push,
    php_restart,
    release_info,
)
from integration.table import row_of
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

PUSH = row_of("env_push").options
RECORD = {"domain_id": seed.domain_id(1), "type": "TXT", "name": "new.shop.example.com", "values": ["x"]}
REFUSING = "http://127.0.0.1:9"


@pytest.mark.parametrize("version", ["2.9.27", "2.18.0", "2.18.19"])
def test_an_ansible_core_that_is_too_old_is_told_which_one_is_needed(version):
    assert problem_of_core(version).startswith(
        f"hosting.management needs ansible-core 2.19 or newer, and this is {version}."
    )


@pytest.mark.parametrize("version", ["2.19.0", "2.19.0b3", "2.20.1.dev0", "2.21.0", "3.0.0"])
def test_any_newer_one_will_do(version):
    assert problem_of_core(version) is None


def test_a_missing_library_is_told_with_the_command_for_this_very_python(controller, monkeypatch):
    monkeypatch.setattr(_entry, "REQUESTS_IMPORT_ERROR", "Traceback: no requests")
    result = controller.run(api_key_info)
    assert result["error"]["kind"] == "missing_library"
    assert f"{shlex.quote(sys.executable)} -m pip install 'requests>=2.31' 'urllib3>=2.0.2'." in result["msg"]


@pytest.mark.parametrize(("option", "variable"), [("base_url", "hosting_base_url"), ("api_key", "hosting_api_key")])
def test_a_missing_address_or_key_names_every_way_to_give_it(option, variable, controller):
    with pytest.raises(InvalidInput) as raised:
        controller.context(php_restart, environment_id=seed.environment_id(1), **{option: None})
    for way in (f"option {option}", f"HOSTING_{option.upper()}", "module_defaults", f"the variable {variable}"):
        assert way in str(raised.value)


def test_https_to_what_speaks_http_is_called_by_its_name(controller, simulator):
    result = controller.run(api_key_info, base_url=simulator.base_url.replace("http:", "https:"))
    assert result["error"]["kind"] == "connection"
    assert "This looks like http, not https, at this address: check scheme and port of base_url." in result["msg"]


def test_a_proxy_that_refuses_is_named_without_its_login(controller, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret-of-mine@127.0.0.1:9")
    message = controller.run(api_key_info, base_url="https://api.example.com/v2")["msg"]
    assert message.startswith("Cannot connect to https://api.example.com/v2 through the proxy http://127.0.0.1:9: ")
    assert "secret-of-mine" not in message


def test_a_proxy_that_has_no_part_in_it_is_not_named(controller, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", REFUSING)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    message = controller.run(api_key_info, base_url="https://127.0.0.1:9/v2")["msg"]
    assert message.startswith("Cannot connect to https://127.0.0.1:9/v2: ")


@pytest.mark.parametrize(("ttl", "is_explained"), [(60, True), (299, True), (300, False), (None, False)])
def test_a_ttl_that_the_service_refuses_is_explained(ttl, is_explained, controller, simulator):
    simulator.fault("status", "POST", ".*/dns-records", status=400)
    result = controller.run(dns_record, **RECORD, ttl=ttl)
    assert result["error"]["kind"] == "bad_request"
    assert (f"it is {ttl} seconds, and services with this interface take 300 or more" in result["msg"]) is is_explained


def test_a_push_whose_run_was_killed_is_told_from_one_of_another_run(controller, simulator):
    simulator.settings.operation_seconds = 3600
    controller.run(env_push, **PUSH, wait=False)
    assert controller.run(release_info, environment_id=PUSH["target_env_id"])["is_interrupted"] is False
    killed = (
        "import json, sys; from unit.conftest import Controller;"
        "from ansible_collections.hosting.management.plugins.modules import env_push\n"
        "class Service: base_url, api_key = sys.argv[1:3]\n"
        "controller = Controller(Service, sys.argv[3])\n"
        "print(controller.run(env_push, **json.loads(sys.argv[4]))['operation']['state'])"
    )
    other = {**PUSH, "target_env_id": PUSH["source_env_id"], "source_env_id": PUSH["target_env_id"]}
    options = json.dumps({**other, "wait": False})
    arguments = [simulator.base_url, simulator.api_key, str(controller.journal_path), options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", killed, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "in_progress\n", done.stderr
    info = controller.run(release_info, environment_id=other["target_env_id"])
    assert (info["state"], info["is_interrupted"]) == ("in_progress", True)
