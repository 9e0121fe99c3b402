# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""wp_cli: a command is run once for a release, never twice by itself, and shows no secret."""

from __future__ import annotations

import re

import pytest
import yaml

from ansible_collections.hosting.management.plugins.module_utils._checks import secrets_of_wp_command
from ansible_collections.hosting.management.plugins.module_utils._context import secrets_within
from ansible_collections.hosting.management.plugins.modules import env_push, operation_wait, settle, wp_cli
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE, STAGING, SITE = seed.environment_id(1), seed.environment_id(1, seed.STAGING), seed.site_id(1)
PUSH = {"site_id": SITE, "source_env_id": STAGING, "target_env_id": LIVE, "release": "v1"}
UPDATE = {"environment_id": LIVE, "command": "core update-db", "release": "v1"}
ENDLESS = 3600


@pytest.fixture
def run_commands(simulator):
    """A function that returns the commands that were run."""
    return lambda: simulator.state.environment(LIVE).wp_cli_commands


def changed(result):
    assert "failed" not in result, result["msg"]
    return result["changed"]


def failed(result, kind):
    assert result.get("failed"), result
    assert result["error"]["kind"] == kind, result
    return result["msg"]


def test_a_command_is_run_once_for_each_release(controller, run_commands):
    for release, is_due in [("v1", True), ("v1", False), ("v2", True), ("v2", False), ("v1", True)]:
        result = controller.run(wp_cli, **{**UPDATE, "release": release})
        assert (changed(result), result["command"]) == (is_due, "wp core update-db")
    assert run_commands() == ["wp core update-db"] * 3


def test_each_command_of_a_release_is_run_with_or_without_wp_before_it(controller, run_commands):
    commands = ["core update-db", "wp core update-db", " core update-db ", "cron event run --due-now", "wp-x list"]
    assert [changed(controller.run(wp_cli, **{**UPDATE, "command": one})) for one in commands] == [
        True,
        False,
        False,
        True,
        True,
    ]
    assert run_commands() == ["wp core update-db", "wp cron event run --due-now", "wp wp-x list"]


def test_one_whose_answer_was_lost_is_not_sent_again_until_it_is_settled(controller, run_commands, simulator):
    simulator.fault("drop_after", "POST")
    message = failed(controller.run(wp_cli, retries=3, **UPDATE), "outcome_unknown")
    assert failed(controller.run(wp_cli, **UPDATE), "outcome_unknown")
    assert len(simulator.writes) == len(run_commands()) == 1
    task = yaml.safe_load(re.search(r"hosting\.management\.settle: (\{.*\}) \(or not_done\)", message)[1])
    assert task == {"environment_id": LIVE, "release": "v1", "what": "command", "outcome": "done"}
    assert controller.run(settle, **task) == {"changed": True, "outcome": "done", "what": "command"}
    assert not changed(controller.run(wp_cli, **UPDATE))
    assert len(run_commands()) == 1


def test_one_that_was_not_carried_out_is_sent_once_that_is_settled(controller, run_commands, simulator):
    simulator.fault("drop_before", "POST")
    failed(controller.run(wp_cli, environment_id=LIVE, command="core update-db"), "outcome_unknown")
    named = {"environment_id": LIVE, "what": "command"}
    assert controller.run(settle, outcome="not_done", **named)["changed"]
    simulator.fault("drop_before", "POST")
    failed(controller.run(wp_cli, **UPDATE), "outcome_unknown")
    assert controller.run(settle, outcome="not_done", release="v1", **named)["changed"]
    assert changed(controller.run(wp_cli, **UPDATE))
    assert run_commands() == ["wp core update-db"]


def test_a_push_of_the_same_release_is_settled_by_itself(controller, simulator):
    simulator.fault("drop_after", "POST")
    failed(controller.run(wp_cli, **UPDATE), "outcome_unknown")
    message = failed(controller.run(settle, environment_id=LIVE, release="v1", outcome="done"), "invalid_input")
    assert "knows nothing of the push of v1" in message
    assert "the WP-CLI command for v1, sent at 20" in message


def test_it_waits_for_a_push_and_a_push_waits_for_it(controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    assert changed(controller.run(wp_cli, wait=False, **UPDATE))
    message = failed(controller.run(env_push, wait=False, **PUSH), "operation_timeout")
    assert "The WP-CLI command for v1 goes on" in message
    assert len(simulator.writes) == 1


def test_after_a_push_of_unknown_outcome_nothing_is_run(controller, run_commands, simulator):
    simulator.fault("drop_after", "PUT")
    failed(controller.run(env_push, **PUSH), "outcome_unknown")
    assert "was not sent" in failed(controller.run(wp_cli, **UPDATE), "outcome_unknown")
    assert run_commands() == []


def test_it_is_started_waited_for_and_judged(controller, run_commands, simulator):
    simulator.settings.operation_seconds = 0.3
    started = controller.run(wp_cli, wait_until="accepted", **UPDATE)
    assert (changed(started), started["operation"]["state"]) == (True, "in_progress")
    waited = controller.run(operation_wait, environment_ids=[LIVE], kinds=["command"], wait_timeout=10)
    ended = controller.run(wp_cli, started=started, ended=waited["environments"][LIVE], **UPDATE)
    assert (changed(ended), ended["operation"]["state"]) == (False, "finished")
    assert len(run_commands()) == 1


def test_a_command_that_fails_is_a_failure_and_runs_again(controller, run_commands, simulator):
    simulator.fault("fail_operation", "POST")
    failed(controller.run(wp_cli, wait_timeout=30, **UPDATE), "operation_failed")
    assert changed(controller.run(wp_cli, **UPDATE))
    assert len(run_commands()) == 1


def test_a_service_that_runs_no_commands_is_a_clear_word(controller, simulator):
    simulator.settings.interface_only = True
    result = controller.run(wp_cli, **UPDATE)
    message = failed(result, "not_found")
    assert "run it over SSH" in message
    assert "Nothing was done" in message
    assert result["error"]["is_offered"] is False


SECRET = "correct-horse"


@pytest.mark.parametrize(
    "parameter",
    [f"--user_pass={SECRET}", f"--dbpass='{SECRET}'", f'--api-KEY="{SECRET}"', f"--x-secret={SECRET} --y=z"],
)
def test_no_secret_of_a_command_shows(parameter, controller, simulator):
    options = {**UPDATE, "command": f"user update admin {parameter}"}
    params = controller.params(wp_cli, **options)
    assert SECRET in secrets_within(params, wp_cli.SPEC.options)
    context = controller.context(wp_cli, **options)
    assert SECRET in context["command"]
    simulator.fault("drop_after", "POST")
    failed(controller.run(wp_cli, **options), "outcome_unknown")
    assert SECRET not in "".join(
        path.read_bytes().decode("latin-1") for path in controller.journal_path.parent.iterdir()
    )
    assert simulator.writes[0].body["wp_command"].endswith(parameter)


def test_what_is_no_secret_stays():
    assert secrets_of_wp_command("wp search-replace a.example b.example --all-tables --skip-columns=guid") == set()
    assert secrets_of_wp_command("wp user update 1 --user_pass=abc") == set(), "so little would be found everywhere"


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("", "must be a command of WP-CLI"),
        ("wp ", "must be a command of WP-CLI"),
        ("core update-db\nwp db drop", "must be one command on one line"),
        ("x" * 4998, "must not have more than 5000 characters, but has 5001"),
    ],
    ids=["empty", "wp alone", "two", "too long"],
)
def test_what_is_no_command_is_refused_before_anything_is_sent(command, problem, controller, simulator):
    assert problem in failed(controller.run(wp_cli, **{**UPDATE, "command": command}), "invalid_input")
    assert simulator.requests == []
