# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the controller's process: when tasks run there, and that everything works there as in a module process."""

from __future__ import annotations

import sys
from datetime import date
from functools import partial

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from integration.playbook import COLLECTION, IN_PROCESS, MODES, MODULE_PROCESS, Ansible, Step
from integration.table import LIVE, STAGING, row_of
from simulator import Simulator

pytest_plugins = ["simulator.fixtures"]
pytestmark = pytest.mark.core

NO_PYTHON = {"ansible_python_interpreter": "/nonexistent/python"}  # with this, no module process can start
PRIVATE_KEY = "-----BEGIN PRIVATE KEY-----\nnobody-may-see-this\n-----END PRIVATE KEY-----\n"


def started_processes(output: str) -> bool:
    """Whether a run with -vvv started a module process."""
    return "AnsiballZ" in output


@pytest.mark.sample
def test_a_local_task_needs_no_python_process(ansible: Ansible):
    ansible.hosts[IN_PROCESS] |= NO_PYTHON
    run = ansible.run(row_of("api_key_info").step(), row_of("env_push").step(), arguments=["-vvvv"])
    assert [done.failed for done in run] == [False, False]
    assert not started_processes(run.output)
    assert run.status == 0


@pytest.mark.sample("become")
@pytest.mark.parametrize(
    ("keywords", "host"),
    [({}, MODULE_PROCESS), ({"async": 30, "poll": 1}, IN_PROCESS), ({"become": True}, IN_PROCESS)],
    ids=["another connection", "async", "become"],
)
def test_what_cannot_run_in_process_runs_as_an_ordinary_module(keywords: dict, host: str, ansible: Ansible):
    ansible.variables["ansible_become_method"] = "oneself"
    row = row_of("php_restart")
    first, second = run = ansible.run(
        row.step(keywords=keywords), row.step(keywords=keywords), hosts=host, arguments=["-vvv"]
    )
    assert started_processes(run.output)
    assert (first.changed, len(first.writes)) == (True, 1)
    assert (second.changed, second.writes) == (False, [])


def test_a_task_left_alone_with_async_can_be_looked_after_later(ansible: Ansible, simulator: Simulator):
    simulator.settings.operation_seconds = 0.5
    _started, status = ansible.run(
        row_of("env_push").step(keywords={"async": 30, "poll": 0, "register": "push"}),
        Step(
            "ansible.builtin.async_status",
            {"jid": "{{ push.ansible_job_id }}"},
            keywords={"register": "status", "until": "status is finished", "retries": 50, "delay": 0.3},
        ),
    )
    assert status.result["changed"] is True
    assert status.result["operation"]["state"] == "finished"
    assert len(simulator.writes) == 1


@pytest.mark.parametrize("mode", MODES)
def test_the_environment_of_a_task_is_seen_by_its_options(mode: str, ansible: Ansible):
    environment = {
        "HOSTING_BASE_URL": ansible.defaults.pop("base_url"),
        "HOSTING_API_KEY": ansible.defaults.pop("api_key"),
        "HOSTING_JOURNAL": ansible.defaults.pop("journal"),
        "HOSTING_COMPANIONS": "false",
    }
    row = row_of("denied_ips")
    first, second, without, loop = ansible.run(
        row.step(keywords={"environment": environment}),
        row.step(keywords={"environment": [{"HOSTING_COMPANIONS": "nonsense"}, environment]}),
        row.step("nothing of it is left for the next task"),
        row.step("nor for the next item", keywords={"loop": [environment, {}], "environment": "{{ item }}"}),
        hosts=mode,
    )
    assert (first.changed, first.reads) == (True, [])
    assert (second.changed, second.requests) == (False, [])
    assert ansible.journal.exists()
    assert without.error["kind"] == "invalid_input"
    assert ["error" in result for result in loop.result["results"]] == [False, True]


@pytest.mark.parametrize("mode", MODES)
def test_the_environment_of_the_controller_is_seen_by_local_tasks(mode: str, ansible: Ansible):
    ansible.environment["HOSTING_BASE_URL"] = ansible.defaults.pop("base_url")
    ansible.environment["HOSTING_API_KEY"] = ansible.defaults.pop("api_key")
    [done] = ansible.run(row_of("api_key_info").step(), hosts=mode)
    assert not done.failed


def test_a_journal_that_nobody_named_is_in_the_state_directory(ansible: Ansible):
    del ansible.defaults["journal"]
    ansible.run(row_of("php_restart").step())
    assert (ansible.folder / "home/state/hosting.management/journal.db").exists()


@pytest.mark.sample("controller")
@pytest.mark.parametrize("mode", MODES)
def test_module_defaults_of_one_module_stay_with_it(mode: str, ansible: Ansible):
    defaults = {
        f"group/{COLLECTION}.all": ansible.defaults,
        f"{COLLECTION}.php_restart": {"environment_id": LIVE, "release": "from the defaults"},
    }
    restart, again, key, backup = ansible.run(
        Step("php_restart", {"poll_interval": 0.05}),
        Step("php_restart", {"release": "from the defaults"}),
        Step("api_key_info"),
        Step("manual_backup", {"tag": "x"}),
        hosts=mode,
        play={"module_defaults": defaults},
    )
    assert restart.changed
    assert not again.changed
    assert not key.failed
    assert "environment_id" in backup.msg


@pytest.mark.parametrize("mode", MODES)
def test_aliases_stand_for_their_options(mode: str, ansible: Ansible):
    run = ansible.run(
        Step("php_restart", {"env_id": LIVE, "release": "a"}),
        Step("php_restart", {"environment_id": LIVE, "release": "a"}),
        Step("php_restart", {"environment_id": LIVE, "env_id": STAGING, "release": "a"}),
        hosts=mode,
    )
    assert [done.changed for done in run[:2]] == [True, False]
    assert "environment_id and its alias env_id" in str(run[2].result["warnings"])


def test_numbers_and_booleans_may_be_given_as_text(ansible: Ansible):
    options = {"push_db": "yes", "push_files": "{{ true }}", "wait_timeout": "{{ 60 }}", "file_list": "a,b"}
    [done] = ansible.run(row_of("env_push").step(**options))
    assert done.changed
    assert done.writes[0].body["push_db"] is True
    assert done.writes[0].body["push_files"] is True
    assert done.writes[0].body["file_list"] == ["a", "b"]


@pytest.mark.sample("controller")
@pytest.mark.parametrize("mode", MODES)
def test_no_secret_is_ever_shown_or_kept(mode: str, ansible: Ansible, simulator: Simulator):
    ansible.environment["ANSIBLE_INJECT_INVOCATION"] = "true"
    domain = row_of("site_domain")
    key_alone = {"custom_ssl_key": PRIVATE_KEY}
    certificate = {**key_alone, "custom_ssl_cert": "CERTIFICATE"}
    run = ansible.run(
        row_of("api_key_info").step(),
        row_of("env_push").step(),
        row_of("api_key_info").step("echo", partial(simulator.fault, "echo_key")),
        row_of("env_push").step("echo", partial(simulator.fault, "echo_key"), force=True),
        row_of("env_push").step("lost", partial(simulator.fault, "drop_after"), force=True),
        domain.step("certificate", keywords={"diff": True}, **certificate),
        domain.step("certificate refused", partial(simulator.fault, "status", "POST", status=400), force=True),
        domain.step("key alone", **key_alone),
        domain.step("loop", **certificate, keywords={"loop": [1, 2]}),
        Step("environment", {"environment_id": LIVE, "domains": [{"domain_name": "b.example.com", **certificate}]}),
        Step("environment", {"environment_id": LIVE, "domains": {"domain_name": "c.example.com", **key_alone}}),
        hosts=mode,
        arguments=["-vvvvv"],
    )
    assert [done.failed for done in run] == [False, False, True, True, True, False, True, True, False, False, True]
    sent = [request for done in run for request in done.requests]
    assert {request.headers["authorization"] for request in sent} == {f"Bearer {simulator.api_key}"}
    assert PRIVATE_KEY in [request.body.get("custom_ssl_key") for request in sent if request.method == "POST"]
    assert "********" in run[2].msg
    kept = b"".join(file.read_bytes() for file in ansible.folder.glob("journal.db*"))
    assert kept
    results = "".join(str(done.result) for done in run)
    for secret in (simulator.api_key, PRIVATE_KEY, "nobody-may-see-this"):
        assert secret not in run.stdout
        assert secret not in run.stderr
        assert secret not in results
        assert secret.encode() not in kept
    assert run[0].result["invocation"]["module_args"]["api_key"] == "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"


@pytest.mark.parametrize("mode", MODES)
def test_the_key_may_be_a_vaulted_variable(mode: str, ansible: Ansible, simulator: Simulator):
    (ansible.folder / "password").write_text("open sesame")
    vault = VaultLib([("default", VaultSecret(b"open sesame"))])
    encrypted = vault.encrypt(simulator.api_key.encode()).decode()
    (ansible.folder / "vars.yml").write_text("key: !vault |\n" + "".join(f"  {line}\n" for line in encrypted.split()))
    ansible.defaults["api_key"] = "{{ key }}"
    run = ansible.run(
        row_of("api_key_info").step(),
        row_of("api_key_info").step(api_key="wrong"),
        hosts=mode,
        arguments=["--vault-password-file", "password", "-e", "@vars.yml", "-vvvvv"],
    )
    assert [done.failed for done in run] == [False, True]
    assert simulator.api_key not in run.output


@pytest.mark.parametrize("mode", MODES)
def test_without_requests_the_task_says_what_to_install(mode: str, ansible: Ansible):
    """The interpreter of the module process finds requests again when PYTHONPATH is empty."""
    (ansible.folder / "without").mkdir()
    (ansible.folder / "without/requests.py").write_text("raise ImportError('no requests here')\n")
    ansible.environment["PYTHONPATH"] = str(ansible.folder / "without")
    missing, handed_over = run = ansible.run(
        row_of("api_key_info").step(),
        row_of("api_key_info").step(keywords={"environment": {"PYTHONPATH": ""}}),
        hosts=mode,
    )
    assert missing.failed
    assert "requests" in missing.msg
    assert sys.executable in missing.msg
    assert "Traceback" not in missing.msg
    assert missing.requests == []
    assert not handed_over.failed, run.output


def test_many_hosts_and_forks_share_one_journal(ansible: Ansible, simulator: Simulator):
    simulator.settings.operation_seconds = 0.3
    unreachable = {"ansible_connection": "ssh", "ansible_host": "192.0.2.1", "environment_id": LIVE}
    ansible.hosts |= {f"site{number}": unreachable for number in range(8)}
    push, loop = ansible.run(
        row_of("env_push").step("the same release", keywords={"delegate_to": IN_PROCESS}),
        Step(
            "manual_backup",
            {"environment_id": "{{ environment_id }}", "tag": "{{ item }}-{{ inventory_hostname }}"},
            keywords={"delegate_to": IN_PROCESS, "loop": ["a", "b"]},
        ),
        hosts="site*",
        arguments=["--forks", "8"],
    ).by_step()
    assert sorted(done.changed for done in push) == [False] * 7 + [True]
    assert len(push[-1].writes) == 1
    assert {done.result["operation"]["id"] for done in push if done.changed} == set(
        list(simulator.state.operations.by_id)[:1]
    )
    assert [done.changed for done in loop] == [True] * 8
    assert len(loop[-1].writes) == 16
    assert len({write.body["tag"] for write in loop[-1].writes}) == 16


def test_progress_is_told_while_a_task_waits(ansible: Ansible, simulator: Simulator):
    simulator.settings.operation_seconds = 6
    run = ansible.run(row_of("php_restart").step())
    assert run[0].changed
    assert f"php_restart: [{IN_PROCESS}] php:restart-" in run.stdout
    assert "in progress for" in run.stdout


@pytest.mark.parametrize("mode", MODES)
def test_a_private_key_that_the_service_echoes_is_hidden(mode: str, ansible: Ansible, simulator: Simulator):
    lines = ["-----BEGIN PRIVATE KEY-----", *(letter * 64 for letter in "MNOP"), "-----END PRIVATE KEY-----"]
    echoed = "bad key: " + "\n".join(lines)
    simulator.fault("status", "POST", status=400, body={"status": 400, "message": echoed})
    options = {"custom_ssl_key": "\n".join(lines) + "\n", "custom_ssl_cert": "CERTIFICATE"}
    [done] = ansible.run(row_of("site_domain").step(**options), hosts=mode)
    assert done.error["kind"] == "bad_request"
    assert not any(line in str(done.result) for line in lines)


@pytest.mark.parametrize("mode", MODES)
def test_a_key_that_is_echoed_as_the_name_of_an_object_is_hidden(mode: str, ansible: Ansible, simulator: Simulator):
    echoed = {"keys": {simulator.api_key: {"is_valid": True}}}
    simulator.fault("status", "GET", status=200, body=echoed)
    step = Step("api_request", {"path": "/validate"}, keywords={"diff": True})
    run = ansible.run(step, hosts=mode, arguments=["-vvvv"])
    assert run[0].result["json"]["keys"] == {"VALUE_SPECIFIED_IN_NO_LOG_PARAMETER": {"is_valid": True}}
    assert simulator.api_key not in run.output


@pytest.mark.parametrize("mode", MODES)
def test_a_release_without_quotes_that_looks_like_a_fraction_is_refused(mode: str, ansible: Ansible):
    [done] = ansible.run(row_of("php_restart").step(release=1.10), hosts=mode)
    assert (done.error["kind"], done.requests) == ("invalid_input", [])
    assert "Write it in quotes" in done.msg


def test_both_ways_refuse_a_relative_journal(ansible: Ansible):
    """A module process runs in another folder, and would have another journal there."""
    for mode in MODES:
        [done] = ansible.run(row_of("php_restart").step(journal="journal.db"), hosts=mode)
        assert (done.error["kind"], done.requests) == ("invalid_input", [])
        assert "absolute path" in done.msg


def test_a_date_as_release_is_the_same_release_in_both_ways(ansible: Ansible):
    """Unquoted, YAML makes it a date, and pushing what looks like another release would push twice."""
    step = row_of("env_push").step(release=date(2026, 11, 21))
    changed = [ansible.run(step, hosts=mode)[0].changed for mode in (*MODES, *MODES)]
    assert changed == [True, False, False, False]
