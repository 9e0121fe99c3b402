# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two ways to change anything, row by row: what is sent, what is not, and what the result says.

The modules run on the simulator. States are denied_ips (at once, repeatable), company_user_role (an operation,
repeatable, shown nowhere) and site_domain (an operation, unrepeatable); actions are php_restart (repeatable), env_push
and manual_backup (unrepeatable, and the service shows its backups).
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _convergence, _operations
from ansible_collections.hosting.management.plugins.module_utils._journal import (
    ACCEPTED,
    FAILED,
    FINISHED,
    SENT,
    UNKNOWN_OUTCOME,
    Entry,
    SqliteJournal,
    digest_of,
)
from ansible_collections.hosting.management.plugins.modules import (
    company_user_role,
    denied_ips,
    env_push,
    manual_backup,
    php_restart,
    site_domain,
)
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE, STAGING, SITE = seed.environment_id(1), seed.environment_id(1, seed.STAGING), seed.site_id(1)
USER = seed.user_id(2)
DOMAIN = "new.example.com"
ENDLESS = 3600
DAY = 86400

DENY = {"environment_id": LIVE, "ip_list": ["198.51.100.7", "203.0.113.0/24"]}
ROLE = {"company_id": seed.COMPANY_ID, "user_id": USER, "role": "company-admin"}
ADD = {"environment_id": LIVE, "domain_name": DOMAIN}
PUSH = {"site_id": SITE, "source_env_id": STAGING, "target_env_id": LIVE, "push_db": True, "release": "v1"}
RESTART = {"environment_id": LIVE, "release": "v1"}
BACKUP = {"environment_id": LIVE, "tag": "v1"}

PUSH_SUBJECT = f"env_push/{SITE}/{STAGING}/{LIVE}"
RESTART_SUBJECT = f"php_restart/{LIVE}"
BACKUP_SUBJECT = f"manual_backup/{LIVE}"
ADD_SUBJECT = f"site_domain/{LIVE}/{DOMAIN}"

STATES = [(denied_ips, DENY), (company_user_role, ROLE), (site_domain, ADD)]
ACTIONS = [(php_restart, RESTART), (env_push, PUSH), (manual_backup, BACKUP)]
UNREPEATABLE = [(site_domain, ADD), (env_push, PUSH), (manual_backup, BACKUP)]


def each(cases):
    return pytest.mark.parametrize(("module", "options"), cases, ids=[name_of(module) for module, _options in cases])


def name_of(module):
    return module.__name__.rpartition(".")[2]


@pytest.fixture(autouse=True)
def short_graces(monkeypatch):
    monkeypatch.setattr(_operations, "VISIBLE_AFTER", 0.2)
    monkeypatch.setattr(_convergence, "EFFECT_VISIBLE_AFTER", 0.5)
    monkeypatch.setattr(_convergence, "SHORTEST_LOOK", 0.02)


@pytest.fixture
def note(controller):
    """A function that leaves a row in the journal, as an earlier run would have."""

    def note(subject, key="", state=SENT, *, desired="taken", operation_id=None, age=0, sender=None, answer_by=None):
        sent_at = time.time() - age
        entry = Entry(
            digest_of(desired),
            state,
            operation_id,
            sent_at,
            sent_at + 60 if answer_by is None else answer_by,
            sender or dead_process(),
        )
        slot = (controller.simulator.base_url, subject, key)
        assert SqliteJournal(controller.journal_path).replace(slot, None, entry)

    return note


@pytest.fixture
def noted(controller):
    """A function that returns the state of a row of the journal, or None."""

    def noted(subject, key=""):
        entry = SqliteJournal(controller.journal_path).read((controller.simulator.base_url, subject, key))
        return entry.state if entry else None

    return noted


def dead_process():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pid = process.pid
    return f"{socket.gethostname()}:{pid}"


def did(result):
    """What a result says was done: changed, and how that was known."""
    assert "failed" not in result, result["msg"]
    return result["changed"], result["state_source"]


def failed(result, kind):
    assert result.get("failed"), result
    assert result["error"]["kind"] == kind
    return result["msg"]


def deny_list(simulator):
    return simulator.state.environment(LIVE).denied_ips


def end_operations(simulator):
    for operation in simulator.state.operations.by_id.values():
        operation.ends_at = 0


NO_SUCH_ENDPOINT = pytest.mark.parametrize(
    "answer",
    [None, {"status": 404}, {"status": 404, "body": "<html>"}, {"status": 403}, {"status": 405}, {"status": 501}],
    ids=["companions: false", "404", "foreign 404", "403", "405", "501"],
)


def hide_state(controller, answer):
    """Let the service show nothing beyond the interface, or switch companions off."""
    if answer is None:
        controller.options["companions"] = False
    else:
        controller.simulator.fault("status", "GET", times=0, **answer)


# converge: the table


def test_a_state_that_is_as_desired_is_left_alone(controller, simulator):
    simulator.state.environment(LIVE).denied_ips = ["203.0.113.0/24", "198.51.100.7"]
    assert did(controller.run(denied_ips, **DENY)) == (False, "service")
    assert simulator.writes == []
    assert not controller.journal_path.exists()


def test_a_state_that_differs_is_written(controller, simulator):
    assert did(controller.run(denied_ips, **DENY)) == (True, "service")
    assert deny_list(simulator) == DENY["ip_list"]
    assert len(simulator.writes) == 1


def test_the_order_and_repetitions_of_a_list_do_not_count(controller, simulator):
    controller.run(denied_ips, **DENY)
    again = {**DENY, "ip_list": [*DENY["ip_list"][::-1], "198.51.100.7/32"]}
    assert did(controller.run(denied_ips, **again)) == (False, "service")
    assert len(simulator.writes) == 1


def test_what_the_service_shows_counts_more_than_the_journal(controller, simulator):
    controller.run(denied_ips, **DENY)
    simulator.state.environment(LIVE).denied_ips = []
    assert did(controller.run(denied_ips, **DENY)) == (True, "service")
    assert deny_list(simulator) == DENY["ip_list"]


@NO_SUCH_ENDPOINT
def test_where_the_state_is_not_shown_the_last_accepted_value_counts(answer, controller, simulator):
    hide_state(controller, answer)
    other = {**DENY, "ip_list": ["192.0.2.1"]}
    runs = [controller.run(denied_ips, **options) for options in (DENY, DENY, other, other, DENY)]
    assert [did(result) for result in runs] == [
        (True, "none"),
        (False, "journal"),
        (True, "journal"),
        (False, "journal"),
        (True, "journal"),
    ]
    assert deny_list(simulator) == DENY["ip_list"]
    assert len(simulator.writes) == 3


@each([(denied_ips, DENY), (company_user_role, ROLE)])
def test_without_companions_and_journal_a_state_is_written_every_time(module, options, controller, simulator):
    controller.options.update(companions=False, journal="")
    assert [did(controller.run(module, **options)) for _run in range(2)] == [(True, "none")] * 2
    assert len(simulator.writes) == 2
    assert len(simulator.requests) == 2


@each(STATES)
def test_a_second_run_sends_no_write(module, options, controller, simulator):
    assert did(controller.run(module, **options))[0]
    assert not did(controller.run(module, **options))[0]
    assert len(simulator.writes) == 1


@each([(denied_ips, DENY), (company_user_role, ROLE), *ACTIONS])
def test_force_writes_although_nothing_is_to_be_done(module, options, controller, simulator):
    controller.options["companions"] = False
    controller.run(module, **options)
    assert did(controller.run(module, **options, force=True))[0]
    assert len(simulator.writes) == 2


def test_force_writes_although_the_service_shows_the_state(controller, simulator):
    controller.run(denied_ips, **DENY)
    assert did(controller.run(denied_ips, **DENY, force=True)) == (True, "service")
    assert len(simulator.writes) == 2


def test_a_state_that_cannot_be_read_for_another_reason_is_an_error(controller, simulator):
    simulator.fault("status", "GET", status=503, times=0)
    failed(controller.run(denied_ips, **DENY), "service")
    assert simulator.writes == []


def test_entries_of_other_services_and_subjects_do_not_count(controller, simulator, note):
    desired = DENY["ip_list"]
    note(f"denied_ips/{STAGING}", state=FINISHED, desired=desired)
    SqliteJournal(controller.journal_path).replace(
        ("https://b.example/v2", f"denied_ips/{LIVE}", ""), None, Entry(digest_of(desired), FINISHED, None, 0, 0, "h:1")
    )
    assert did(controller.run(denied_ips, **DENY, companions=False)) == (True, "none")
    assert len(simulator.writes) == 1


def test_a_domain_is_added_waited_for_and_then_left_alone(controller, simulator):
    simulator.settings.operation_seconds = 0.1
    result = controller.run(site_domain, **ADD)
    assert did(result) == (True, "service")
    assert result["operation"]["state"] == "finished"
    assert not result["operation"]["resumed"]
    assert result["domain"]["name"] == DOMAIN
    result = controller.run(site_domain, **ADD)
    assert did(result) == (False, "service")
    assert "operation" not in result
    assert result["domain"]["id"] in simulator.state.domains


def test_a_domain_is_removed_and_stays_away(controller, simulator):
    www = {**ADD, "domain_name": "www.shop.example.com", "state": "absent"}
    assert did(controller.run(site_domain, **www)) == (True, "service")
    assert did(controller.run(site_domain, **www)) == (False, "service")
    assert [write.method for write in simulator.writes] == ["DELETE"]


# once: the table


@each(ACTIONS)
def test_an_action_with_a_key_is_taken_once(module, options, controller, simulator):
    assert did(controller.run(module, **options))[0]
    for _run in range(2):
        assert not did(controller.run(module, **options))[0]
    assert len(simulator.writes) == 1


@each(ACTIONS)
def test_an_action_without_a_key_is_taken_every_time_and_not_remembered(module, options, controller, simulator):
    options = {**options, "release": None, "tag": None}
    assert [did(controller.run(module, **options)) for _run in range(2)] == [(True, "none")] * 2
    assert len(simulator.writes) == 2
    assert not controller.journal_path.exists()


@each(ACTIONS)
def test_an_action_with_another_key_is_another_action(module, options, controller, simulator):
    controller.run(module, **options)
    assert did(controller.run(module, **{**options, "release": "v2", "tag": "v2"}))[0]
    assert len(simulator.writes) == 2


def test_the_same_release_with_other_options_is_not_pushed_again_but_warned_of(controller, simulator):
    controller.run(env_push, **PUSH)
    controller.run(env_push, **PUSH)
    assert controller.warnings == []
    assert did(controller.run(env_push, **{**PUSH, "push_files": True})) == (False, "journal")
    assert len(simulator.writes) == 1
    assert "other options before, under the same name (v1)" in controller.warnings[0]


@pytest.mark.parametrize("answer", [{"status": 500}, {"kind": "not_json"}])
def test_a_state_that_cannot_be_read_for_now_fails_and_says_how_to_do_without(answer, controller, simulator):
    simulator.fault(answer.pop("kind", "status"), "GET", times=0, **answer)
    result = controller.run(denied_ips, **DENY)
    assert result["failed"]
    assert "companions: false" in result["msg"]
    assert simulator.writes == []


def test_what_the_service_does_not_show_is_asked_for_once_only(controller, simulator):
    simulator.settings.interface_only = True
    controller.run(denied_ips, **DENY)
    assert [request.method for request in simulator.requests] == ["GET", "PUT"]


@pytest.mark.parametrize(
    ("release", "advice"), [("v1", "run again to wait on"), (None, "would send the request again")]
)
def test_what_to_do_after_a_timeout_depends_on_what_the_journal_knows(release, advice, controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    options = {**PUSH, "release": release, "wait_timeout": 0}
    assert advice in failed(controller.run(env_push, **options), "operation_timeout")


def test_a_push_the_other_way_is_another_action(controller, simulator):
    controller.run(env_push, **PUSH)
    back = {**PUSH, "source_env_id": LIVE, "target_env_id": STAGING}
    assert did(controller.run(env_push, **back)) == (True, "none")
    assert len(simulator.writes) == 2


@pytest.mark.parametrize("state", [FINISHED, ACCEPTED])
def test_without_companions_what_was_accepted_counts_as_done(state, controller, simulator, note):
    note(PUSH_SUBJECT, "v1", state, operation_id="environments:push-1")
    assert did(controller.run(env_push, **PUSH, companions=False)) == (False, "journal")
    assert simulator.requests == []


def test_a_failed_action_is_taken_again(controller, simulator, noted):
    simulator.fault("fail_operation")
    result = controller.run(env_push, **PUSH)
    assert "failed" in failed(result, "operation_failed")
    assert result["error"]["operation_id"] in simulator.state.operations.by_id
    assert noted(PUSH_SUBJECT, "v1") == FAILED
    assert did(controller.run(env_push, **PUSH)) == (True, "journal")
    assert noted(PUSH_SUBJECT, "v1") == FINISHED
    assert len(simulator.writes) == 2


@pytest.mark.parametrize("state", [SENT, UNKNOWN_OUTCOME])
def test_a_push_whose_answer_was_lost_is_not_sent_again(state, controller, simulator, note):
    note(PUSH_SUBJECT, "v1", state, age=DAY)
    sent_on = time.strftime("%Y-%m-%d", time.gmtime(time.time() - DAY))
    message = failed(controller.run(env_push, **PUSH), "outcome_unknown")
    assert f"was sent at {sent_on}" in message
    assert "force: true" in message
    assert simulator.writes == []
    assert did(controller.run(env_push, **PUSH, force=True)) == (True, "journal")
    assert did(controller.run(env_push, **PUSH)) == (False, "journal")
    assert len(simulator.writes) == 1


@pytest.mark.parametrize("state", [SENT, UNKNOWN_OUTCOME])
def test_a_restart_whose_answer_was_lost_is_sent_again(state, controller, simulator, note):
    note(RESTART_SUBJECT, "v1", state)
    assert did(controller.run(php_restart, **RESTART)) == (True, "journal")
    assert len(simulator.writes) == 1


def test_a_backup_with_the_tag_counts_as_taken_whoever_took_it(controller, simulator):
    state = simulator.state
    state.add_backup(state.environment(LIVE), "manual", "v1")
    result = controller.run(manual_backup, **BACKUP)
    assert did(result) == (False, "service")
    assert result["backup"]["tag"] == "v1"
    assert simulator.writes == []


def test_a_backup_that_was_deleted_is_taken_again(controller, simulator):
    controller.run(manual_backup, **BACKUP)
    simulator.state.environment(LIVE).backups.clear()
    assert did(controller.run(manual_backup, **BACKUP)) == (True, "service")
    assert len(simulator.writes) == 2


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        ({"max_age": "2d"}, False),
        ({"max_age": "12h"}, True),
        ({"tag": "v1"}, False),
        ({"tag": "v1", "max_age": "2d"}, False),
        ({"tag": "v1", "max_age": "12h"}, True),
        ({"tag": "v2", "max_age": "2d"}, True),
    ],
)
def test_max_age_narrows_the_backups_that_count(options, changed, controller, simulator):
    state = simulator.state
    state.add_backup(state.environment(LIVE), "manual", "v1").created_at -= DAY * 1000
    assert did(controller.run(manual_backup, environment_id=LIVE, **options)) == (changed, "service")
    assert len(simulator.writes) == changed


@pytest.mark.parametrize(("max_age", "changed"), [("2d", False), ("12h", True)])
@pytest.mark.parametrize("tag", [None, "v1"])
def test_max_age_narrows_the_journal_where_backups_are_not_shown(max_age, changed, tag, controller, simulator, note):
    note(BACKUP_SUBJECT, tag or "", FINISHED, age=DAY)
    options = {"environment_id": LIVE, "tag": tag, "max_age": max_age, "companions": False}
    assert did(controller.run(manual_backup, **options))[0] == changed
    assert not did(controller.run(manual_backup, **options))[0]
    assert len(simulator.writes) == changed


# Lost answers and killed runs


@each(UNREPEATABLE)
@pytest.mark.parametrize("kind", ["drop_before", "drop_after", "not_json", "truncate"])
def test_a_lost_answer_to_an_unrepeatable_request_is_not_sent_again(kind, module, options, controller, simulator):
    controller.options.update(companions=False, retries=3)
    simulator.fault(kind, times=0)
    message = failed(controller.run(module, **options), "outcome_unknown")
    assert "Whether anything was done is not known" in message
    assert "force: true" in message
    simulator.clear_faults()
    assert "answer was lost" in failed(controller.run(module, **options), "outcome_unknown")
    assert len(simulator.writes) == 1


@each(UNREPEATABLE)
def test_a_timeout_of_an_unrepeatable_request_is_not_sent_again(module, options, controller, simulator):
    controller.options.update(companions=False, retries=3, timeout=0.05)
    simulator.fault("delay", seconds=0.3)
    failed(controller.run(module, **options), "outcome_unknown")
    while not simulator.writes:
        time.sleep(0.01)
    controller.options.update(timeout=10)
    failed(controller.run(module, **options), "outcome_unknown")
    assert len(simulator.writes) == 1


def test_a_500_to_a_push_leaves_its_outcome_unknown(controller, simulator, noted):
    simulator.fault("status", status=500)
    failed(controller.run(env_push, **PUSH), "service")
    assert noted(PUSH_SUBJECT, "v1") == UNKNOWN_OUTCOME
    failed(controller.run(env_push, **PUSH), "outcome_unknown")
    assert len(simulator.writes) == 1


@each([(site_domain, ADD), (manual_backup, BACKUP)])
def test_after_a_lost_answer_the_services_state_tells_that_it_was_done(module, options, controller, simulator):
    simulator.fault("drop_after", "POST")
    failed(controller.run(module, **options), "outcome_unknown")
    assert did(controller.run(module, **options)) == (False, "service")
    assert len(simulator.writes) == 1


@each([(site_domain, ADD), (manual_backup, BACKUP)])
def test_after_a_lost_answer_the_effect_is_waited_for(module, options, controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    simulator.fault("drop_after", "POST")
    failed(controller.run(module, **options), "outcome_unknown")

    def report(line):
        assert "waiting for the effect of POST" in line
        end_operations(simulator)

    controller.report = report
    assert did(controller.run(module, **options)) == (False, "service")
    assert len(simulator.writes) == 1


@each([(site_domain, ADD), (manual_backup, BACKUP)])
def test_after_a_lost_request_it_is_sent_again_when_no_effect_shows(module, options, controller, simulator):
    simulator.fault("drop_before", "POST")
    failed(controller.run(module, **options), "outcome_unknown")
    assert did(controller.run(module, **options, wait_timeout=0.2)) == (True, "service")
    assert len(simulator.writes) == 2


def test_after_a_lost_answer_a_state_that_is_shown_no_more_is_no_reason_to_send_again(controller, simulator, note):
    note(ADD_SUBJECT, state=UNKNOWN_OUTCOME, desired="present")
    simulator.fault("delay", "GET", seconds=0)
    simulator.fault("status", "GET", status=404, times=0)
    failed(controller.run(site_domain, **ADD, wait_timeout=0.1), "outcome_unknown")
    assert simulator.writes == []


KILLED_RUN = """
import json, sys
from importlib import import_module
from ansible_collections.hosting.management.plugins.module_utils._entry import Context, perform
module = import_module("ansible_collections.hosting.management.plugins.modules." + sys.argv[1])
params = json.loads(sys.argv[2])
perform(module.SPEC, module.run, Context(params), params)
"""


def kill_a_run_once(condition, module, params):
    """Start a run in a process of its own, and kill it as soon as the condition is true."""
    arguments = [sys.executable, "-c", KILLED_RUN, name_of(module), json.dumps(params)]
    with subprocess.Popen(arguments, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}) as process:
        deadline = time.monotonic() + 30
        while not condition():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()


@pytest.mark.parametrize("companions", [True, False])
def test_a_push_killed_before_its_answer_is_neither_repeated_nor_waited_for(companions, controller, simulator, noted):
    simulator.fault("delay", "PUT", seconds=ENDLESS)
    controller.options["companions"] = companions
    kill_a_run_once(lambda: simulator.writes, env_push, controller.params(env_push, **PUSH))
    assert noted(PUSH_SUBJECT, "v1") == SENT
    failed(controller.run(env_push, **PUSH), "outcome_unknown")
    assert len(simulator.writes) == 1


def test_a_push_killed_while_it_waits_is_resumed(controller, simulator, noted):
    simulator.settings.operation_seconds = ENDLESS

    def looked():
        return any(request.path.startswith("/operations/") for request in simulator.requests)

    kill_a_run_once(looked, env_push, controller.params(env_push, **PUSH))
    assert noted(PUSH_SUBJECT, "v1") == ACCEPTED
    end_operations(simulator)
    result = controller.run(env_push, **PUSH)
    assert did(result) == (False, "journal")
    assert (result["operation"]["state"], result["operation"]["resumed"]) == ("finished", True)
    assert noted(PUSH_SUBJECT, "v1") == FINISHED
    assert len(simulator.writes) == 1


def test_a_domain_whose_run_was_killed_before_its_answer_is_looked_for_first(controller, simulator, note):
    note(ADD_SUBJECT, state=SENT, desired="present", age=1)
    assert did(controller.run(site_domain, **ADD, wait_timeout=1)) == (True, "service")
    assert len(simulator.writes) == 1


def test_an_answer_that_another_hosts_run_waits_for_is_waited_for_until_it_can_come_no_more(
    controller, simulator, note
):
    note(PUSH_SUBJECT, "v1", SENT, sender="another-host:1", answer_by=time.time() + 0.5)
    failed(controller.run(env_push, **PUSH), "outcome_unknown")
    assert controller.lines == ["another run has sent the same request: waiting for its answer"]
    assert simulator.writes == []


# What the journal keeps when a request is refused


@pytest.mark.parametrize("status", [400, 401, 404, 429])
def test_a_refusal_leaves_no_trace(status, controller, simulator, noted):
    simulator.fault("status", "PUT", status=status)
    assert "Nothing was done" in controller.run(env_push, **PUSH)["msg"]
    assert noted(PUSH_SUBJECT, "v1") is None
    assert did(controller.run(env_push, **PUSH)) == (True, "none")


def test_a_refused_connection_leaves_no_trace(controller, noted):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v2"
        assert "was not sent" in failed(controller.run(env_push, **PUSH, base_url=address), "connection")
    assert noted(PUSH_SUBJECT, "v1") is None


def test_a_refusal_leaves_what_was_accepted_before(controller, simulator):
    controller.options["companions"] = False
    controller.run(denied_ips, **DENY)
    simulator.fault("status", status=400)
    failed(controller.run(denied_ips, **{**DENY, "ip_list": ["192.0.2.1"]}), "bad_request")
    assert did(controller.run(denied_ips, **DENY)) == (False, "journal")


def test_a_lost_answer_makes_the_value_accepted_before_doubtful(controller, simulator):
    controller.options["companions"] = False
    controller.run(denied_ips, **DENY)
    simulator.fault("drop_after")
    failed(controller.run(denied_ips, **{**DENY, "ip_list": ["192.0.2.1"]}), "connection")
    assert did(controller.run(denied_ips, **DENY)) == (True, "journal")
    assert deny_list(simulator) == DENY["ip_list"]


def test_a_lost_answer_followed_by_a_refusal_makes_the_value_accepted_before_doubtful(controller, simulator):
    controller.options["companions"] = False
    controller.run(denied_ips, **DENY)
    simulator.fault("drop_after")
    simulator.fault("status", status=429)
    failed(controller.run(denied_ips, **{**DENY, "ip_list": ["192.0.2.1"]}, retries=1), "rate_limited")
    controller.run(denied_ips, **DENY)
    assert deny_list(simulator) == DENY["ip_list"]


def test_a_journal_that_cannot_be_written_stops_everything_before_it_is_sent(controller, simulator):
    controller.journal_path.mkdir(parents=True)
    failed(controller.run(env_push, **PUSH), "journal")
    assert simulator.writes == []


def test_a_journal_that_breaks_after_the_request_does_not_hide_the_operation(controller, simulator):
    simulator.fault("delay", "PUT", seconds=0.6)
    results = []
    thread = threading.Thread(target=lambda: results.append(controller.run(env_push, **PUSH)))
    thread.start()
    while not simulator.writes:
        time.sleep(0.01)
    shutil.rmtree(controller.journal_path.parent)
    controller.journal_path.parent.write_text("a file")
    thread.join()
    message = failed(results[0], "journal")
    operation_id = results[0]["error"]["operation_id"]
    assert operation_id in simulator.state.operations.by_id
    assert f"was sent and accepted as operation {operation_id}" in message


@each([*STATES, *ACTIONS])
def test_the_journal_holds_no_secret(module, options, controller, simulator):
    options = {**options, "custom_ssl_key": "PRIVATE-KEY", "custom_ssl_cert": "CERTIFICATE"}
    controller.run(module, **options)
    content = b"".join(file.read_bytes() for file in controller.journal_path.parent.iterdir())
    assert name_of(module).encode() in content
    for secret in (simulator.api_key, "PRIVATE-KEY", digest_of(simulator.api_key), digest_of("PRIVATE-KEY")):
        assert secret.encode() not in content


# Two runs at once


def all_at_once(controller, module, options, count=4):
    """The results of runs that begin at the same time."""
    start, results = threading.Barrier(count), []

    def run():
        start.wait()
        results.append(controller.run(module, **options))

    threads = [threading.Thread(target=run) for _run in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@each(UNREPEATABLE)
@pytest.mark.parametrize("companions", [True, False])
def test_of_many_runs_at_once_exactly_one_writes(companions, module, options, controller, simulator, note):
    note("another subject")
    simulator.settings.operation_seconds = 0.2
    simulator.fault("delay", "PUT" if module is env_push else "POST", seconds=0.1)
    results = all_at_once(controller, module, {**options, "companions": companions})
    assert sorted(did(result)[0] for result in results) == [False, False, False, True]
    assert len(simulator.writes) == 1


def test_when_the_run_that_came_first_is_refused_another_one_sends(controller, simulator, note):
    note("another subject")
    simulator.fault("status", "PUT", status=400)
    results = all_at_once(controller, env_push, PUSH, count=2)
    assert sorted(result.get("failed", False) for result in results) == [False, True]
    assert len(simulator.writes) == 2


# Operations


@each([(site_domain, ADD), *ACTIONS])
def test_without_waiting_the_next_run_goes_on_with_the_operation(module, options, controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    first = controller.run(module, **options, wait=False)
    assert did(first)[0]
    assert (first["operation"]["state"], first["operation"]["resumed"]) == ("in_progress", False)
    second = controller.run(module, **options, wait=False)
    assert not did(second)[0]
    assert second["operation"] == {**first["operation"], "message": "Operation in progress", "resumed": True}
    failed(controller.run(module, **options, wait_timeout=0.05), "operation_timeout")
    end_operations(simulator)
    third = controller.run(module, **options)
    assert not did(third)[0]
    assert len(simulator.writes) == 1


@each([(site_domain, ADD), (company_user_role, ROLE), *ACTIONS])
def test_a_run_that_waits_too_long_says_so_and_the_next_one_waits_on(module, options, controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    result = controller.run(module, **options, wait_timeout=0.05)
    assert "run again to wait on" in failed(result, "operation_timeout")
    threading.Timer(0.1, end_operations, [simulator]).start()
    assert not did(controller.run(module, **options))[0]
    assert len(simulator.writes) == 1


def test_an_operation_that_failed_meanwhile_is_asked_for_anew(controller, simulator):
    simulator.fault("fail_operation")
    simulator.settings.operation_seconds = ENDLESS
    first = controller.run(env_push, **PUSH, wait=False)
    end_operations(simulator)
    simulator.settings.operation_seconds = 0
    second = controller.run(env_push, **PUSH)
    assert did(second) == (True, "journal")
    assert second["operation"]["id"] != first["operation"]["id"]
    assert len(simulator.writes) == 2


def test_a_failed_operation_is_remembered_as_such_when_asking_anew_is_refused(controller, simulator, noted):
    simulator.fault("fail_operation")
    controller.run(env_push, **PUSH, wait=False)
    simulator.fault("status", "PUT", status=400)
    failed(controller.run(env_push, **PUSH), "bad_request")
    assert noted(PUSH_SUBJECT, "v1") == FAILED


def test_an_error_while_waiting_leaves_the_operation_to_the_next_run(controller, simulator):
    simulator.fault("status", "GET", "/operations/.*", status=401)
    result = controller.run(env_push, **PUSH)
    failed(result, "unauthorized")
    assert result["error"]["operation_id"] in simulator.state.operations.by_id
    assert did(controller.run(env_push, **PUSH)) == (False, "journal")
    assert len(simulator.writes) == 1


NO_DOMAINS = {"status": 200, "body": {"environment": {"site_domains": []}}}


def test_an_operation_that_ends_without_its_effect_is_a_failure_and_asked_for_anew(controller, simulator, noted):
    simulator.fault("status", "GET", ".*/domains", times=0, **NO_DOMAINS)
    result = controller.run(site_domain, **ADD)
    assert "ended, but the service does not show its effect" in failed(result, "operation_failed")
    assert result["error"]["operation_id"] in simulator.state.operations.by_id
    assert noted(ADD_SUBJECT) == FAILED
    simulator.state.environment(LIVE).domains.pop()
    failed(controller.run(site_domain, **ADD), "operation_failed")
    assert len(simulator.writes) == 2


def test_an_effect_may_be_seen_only_some_time_after_its_operation(controller, simulator, monkeypatch):
    monkeypatch.setattr(_convergence, "EFFECT_VISIBLE_AFTER", 60)
    simulator.fault("status", "GET", ".*/domains", times=4, **NO_DOMAINS)
    result = controller.run(site_domain, **ADD)
    assert did(result) == (True, "service")
    assert result["domain"]["name"] == DOMAIN
    assert controller.lines
    assert len(simulator.writes) == 1


def test_where_operations_are_not_shown_the_state_tells_that_one_has_ended(controller, simulator):
    simulator.settings.operation_seconds = 0.2
    simulator.fault("status", "GET", "/operations/.*", status=405, times=0)
    result = controller.run(site_domain, **ADD)
    assert did(result) == (True, "service")
    assert result["operation"]["state"] == "finished"
    assert controller.warnings == []


@each([(company_user_role, ROLE), *ACTIONS])
def test_a_service_with_the_documented_endpoints_only_is_enough(module, options, controller, simulator):
    simulator.settings.interface_only = True
    result = controller.run(module, **options)
    assert did(result) == (True, "none")
    assert result["operation"]["state"] == "unknown"
    assert len(controller.warnings) == 1
    assert "set companions: false" in controller.warnings[0]
    assert did(controller.run(module, **options)) == (False, "journal")
    assert len(simulator.writes) == 1


@each([(company_user_role, ROLE), (site_domain, ADD), *ACTIONS])
def test_without_companions_nothing_but_the_write_is_sent(module, options, controller, simulator):
    controller.options["companions"] = False
    result = controller.run(module, **options)
    assert did(result) == (True, "none")
    assert result["operation"]["state"] == "unknown"
    assert controller.warnings == []
    assert len(simulator.requests) == 1


def test_an_accepted_request_without_an_operation_id_is_accepted_all_the_same(controller, simulator):
    simulator.fault("status", "PUT", status=202, body={"message": "Pushing", "status": 202})
    result = controller.run(env_push, **PUSH)
    assert did(result) == (True, "none")
    assert (result["operation"]["id"], result["operation"]["state"]) == (None, "unknown")
    assert did(controller.run(env_push, **PUSH)) == (False, "journal")
    assert len(simulator.writes) == 1


def test_a_role_that_is_set_at_once_is_no_operation(controller, simulator, noted):
    simulator.fault("status", "POST", status=200, body={"message": "Set", "status": 200})
    result = controller.run(company_user_role, **ROLE)
    assert did(result) == (True, "none")
    assert "operation" not in result
    assert noted(f"company_user_role/{seed.COMPANY_ID}/{USER}") == FINISHED


# Check mode and diff


@each([*STATES, *ACTIONS])
@pytest.mark.parametrize("companions", [True, False])
def test_check_mode_predicts_and_leaves_no_trace(companions, module, options, controller, simulator):
    controller.options["companions"] = companions
    predicted = did(controller.run(module, check_mode=True, **options))
    assert simulator.writes == []
    assert not controller.journal_path.parent.exists()
    assert predicted == did(controller.run(module, **options))
    assert predicted[0]
    assert not did(controller.run(module, check_mode=True, **options))[0]
    assert did(controller.run(module, check_mode=True, force=True, **options))[0]
    assert len(simulator.writes) == 1


def test_check_mode_does_not_wait_for_an_operation(controller, simulator, noted):
    simulator.settings.operation_seconds = ENDLESS
    controller.run(env_push, **PUSH, wait=False)
    result = controller.run(env_push, check_mode=True, **PUSH)
    assert did(result) == (False, "journal")
    assert result["operation"]["state"] == "in_progress"
    end_operations(simulator)
    assert did(controller.run(env_push, check_mode=True, **PUSH)) == (False, "journal")
    assert noted(PUSH_SUBJECT, "v1") == ACCEPTED


def test_check_mode_predicts_that_a_failed_operation_is_asked_for_anew(controller, simulator, noted):
    simulator.fault("fail_operation")
    controller.run(env_push, **PUSH, wait=False)
    assert did(controller.run(env_push, check_mode=True, **PUSH)) == (True, "journal")
    assert noted(PUSH_SUBJECT, "v1") == ACCEPTED
    assert len(simulator.writes) == 1


def test_check_mode_predicts_that_a_lost_answer_stops_the_run(controller, simulator, note, noted):
    note(PUSH_SUBJECT, "v1", UNKNOWN_OUTCOME)
    failed(controller.run(env_push, check_mode=True, **PUSH), "outcome_unknown")
    assert noted(PUSH_SUBJECT, "v1") == UNKNOWN_OUTCOME
    assert simulator.writes == []


@pytest.mark.parametrize("check_mode", [True, False])
def test_diff_shows_before_and_after(check_mode, controller, simulator):
    simulator.state.environment(LIVE).denied_ips = ["192.0.2.1"]
    result = controller.run(denied_ips, diff=True, check_mode=check_mode, **DENY)
    assert result["diff"] == {"before": {"denied_ips": ["192.0.2.1"]}, "after": {"denied_ips": DENY["ip_list"]}}


def test_diff_of_what_is_as_desired_shows_no_difference(controller):
    controller.run(denied_ips, **DENY)
    diff = controller.run(denied_ips, diff=True, **DENY)["diff"]
    assert diff["before"] == diff["after"] == {"denied_ips": DENY["ip_list"]}


def test_diff_says_when_the_state_before_is_not_shown(controller):
    result = controller.run(company_user_role, diff=True, **ROLE)
    assert result["diff"] == {"before": {"role": "(not shown by the service)"}, "after": {"role": "company-admin"}}


@each([(denied_ips, DENY), (env_push, PUSH)])
def test_there_is_no_diff_without_asking_or_of_an_action(module, options, controller):
    assert "diff" not in controller.run(module, diff=module is env_push, **options)
