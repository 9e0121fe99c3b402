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
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from functools import partial

import pytest

from ansible_collections.hosting.management.plugins.module_utils import (
    _context,
    _decision,
    _operations,
    _retries,
)
from ansible_collections.hosting.management.plugins.module_utils._convergence import waiting
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, SqliteJournal, digest_of, sql
from ansible_collections.hosting.management.plugins.module_utils._progress import (
    FAILED,
    FINISHED,
    IN_PROGRESS,
    SENT,
    UNKNOWN,
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

PART = json.dumps(
    {
        "source_env_id": STAGING,
        "push_db": True,
        "push_files": False,
        "run_search_and_replace": True,
        "file_list": [],
    },
    sort_keys=True,
)
PUSH_ROW = {
    "subject": f"env_push/{LIVE}",
    "wanted": digest_of(["v1", PART]),
    "key": digest_of(PART),
    "release": "v1",
    "part": PART,
}
RESTART_ROW = {"subject": f"php_restart/{LIVE}", "wanted": digest_of(["v1", None]), "release": "v1"}
ADD_ROW = {"subject": f"site_domain/{LIVE}/{DOMAIN}", "wanted": digest_of("present")}


def backup_row(tag):
    return {"subject": f"manual_backup/{LIVE}/{tag or ''}", "wanted": digest_of([tag, None]), "release": tag}


STATES = [(denied_ips, DENY), (company_user_role, ROLE), (site_domain, ADD)]
ACTIONS = [(php_restart, RESTART), (env_push, PUSH), (manual_backup, BACKUP)]
UNREPEATABLE = [(site_domain, ADD), (env_push, PUSH), (manual_backup, BACKUP)]


NO_DOMAINS = {"status": 200, "body": {"environment": {"site_domains": []}}}


def each(cases):
    return pytest.mark.parametrize(("module", "options"), cases, ids=[name_of(module) for module, _options in cases])


def name_of(module):
    return module.__name__.rpartition(".")[2]


@pytest.fixture(autouse=True)
def short_graces(monkeypatch):
    monkeypatch.setattr(_operations, "VISIBLE_AFTER", 0.2)
    monkeypatch.setattr(_operations, "FAILED_AFTER", 0.1)
    monkeypatch.setattr(_operations, "FAILING_INTERVAL", 0.02)
    monkeypatch.setattr(_decision, "READS_LAG", 0.3)
    monkeypatch.setattr(waiting, "SHORTEST_LOOK", 0.02)


@pytest.fixture
def note(controller):
    """A function that leaves a row in the journal, as an earlier run would have."""

    def note(row, progress=SENT, *, operation_id=None, age=0, sender=None, answer_by=None):
        sent_at = time.time() - age
        entry = Entry(
            row["wanted"],
            progress,
            sent_at,
            sent_at + 60 if answer_by is None else answer_by,
            sender or dead_process(),
            operation_id,
            sent_at if progress in (FINISHED, FAILED, UNKNOWN) else None,
            row.get("release"),
            row.get("part"),
            row.get("key", ""),
        )
        journal = SqliteJournal(controller.journal_path)
        assert journal.replace((row.get("service", controller.simulator.base_url), row["subject"]), (), (entry,))
        journal.close()

    return note


@pytest.fixture
def noted(controller):
    """A function that returns how a row of the journal stands, or None."""

    def noted(row):
        journal = SqliteJournal(controller.journal_path)
        rows = journal.read((controller.simulator.base_url, row["subject"]))
        journal.close()
        return next((entry.progress for entry in rows if entry.key == row.get("key", "")), None)

    return noted


def dead_process():
    """The sender of a row whose process has ended."""
    source = "from ansible_collections.hosting.management.plugins.module_utils._journal import Entry;"
    source += "print(Entry.sent_now('', 0).sender)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


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
    wanted = digest_of(DENY["ip_list"])
    note({"subject": f"denied_ips/{STAGING}", "wanted": wanted}, FINISHED)
    note({"service": "https://b.example/v2", "subject": f"denied_ips/{LIVE}", "wanted": wanted}, FINISHED)
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
def test_an_action_without_a_key_is_taken_every_time(module, options, controller, simulator):
    options = {**options, "release": None, "tag": None}
    assert [did(controller.run(module, **options))[0] for _run in range(2)] == [True, True]
    assert len(simulator.writes) == 2


@each(ACTIONS)
def test_an_action_with_another_key_is_another_action(module, options, controller, simulator):
    controller.run(module, **options)
    assert did(controller.run(module, **{**options, "release": "v2", "tag": "v2"}))[0]
    assert len(simulator.writes) == 2


def test_each_part_of_a_release_is_pushed_once(controller, simulator):
    files = {**PUSH, "push_db": False, "push_files": True}
    assert [did(controller.run(env_push, **options))[0] for options in (PUSH, files, PUSH, files)] == [
        True,
        True,
        False,
        False,
    ]
    assert [(write.body["push_db"], write.body["push_files"]) for write in simulator.writes] == [
        (True, False),
        (False, True),
    ]


@each([(env_push, PUSH), (php_restart, RESTART)])
def test_a_release_that_was_left_is_brought_back(module, options, controller, simulator):
    releases = ["v1", "v2", "v2", "v1", "v1"]
    results = [controller.run(module, **{**options, "release": release}) for release in releases]
    assert [did(result)[0] for result in results] == [True, True, False, True, False]
    assert len(simulator.writes) == 3


def test_all_parts_of_a_release_count_no_more_when_another_one_came_between(controller, simulator):
    files = {**PUSH, "push_db": False, "push_files": True}
    for options in (PUSH, files, {**PUSH, "release": "v2"}, PUSH):
        assert did(controller.run(env_push, **options))[0]
    assert did(controller.run(env_push, **files))[0]
    assert len(simulator.writes) == 5


def test_a_push_without_a_release_leaves_none_that_is_known(controller, simulator):
    for options in (PUSH, {**PUSH, "release": None}, PUSH):
        assert did(controller.run(env_push, **options))[0]
    assert len(simulator.writes) == 3


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


@each([(site_domain, ADD), (manual_backup, BACKUP)])
def test_a_read_that_is_not_there_is_asked_for_once_a_task(module, options, controller, simulator):
    simulator.fault("status", "GET", ".*/(domains|backups)", status=404, times=0)
    controller.run(module, **options)
    assert sum(request.path.endswith(("domains", "backups")) for request in simulator.requests) == 2, "with the write"


@each([*STATES, *ACTIONS])
def test_only_the_leaving_of_a_request_that_must_not_be_sent_twice_waits_for_the_disk(
    module, options, controller, monkeypatch
):
    writes, replace = [], SqliteJournal.replace

    def noting(journal, subject, seen, now, *, durable):
        writes.append((SENT in {entry.progress for entry in now}, durable))
        return replace(journal, subject, seen, now, durable=durable)

    monkeypatch.setattr(SqliteJournal, "replace", noting)
    controller.run(module, **options)
    assert writes[-1] == (False, False)
    assert next(durable for is_leaving, durable in writes if is_leaving) == ((module, options) in UNREPEATABLE)
    assert not any(durable for is_leaving, durable in writes if not is_leaving)


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


@pytest.mark.parametrize("state", [FINISHED, IN_PROGRESS])
def test_without_companions_what_was_accepted_counts_as_done(state, controller, simulator, note):
    note(PUSH_ROW, state, operation_id="environments:push-1")
    assert did(controller.run(env_push, **PUSH, companions=False)) == (False, "journal")
    assert simulator.requests == []


def test_a_failed_action_is_taken_again(controller, simulator, noted):
    simulator.fault("fail_operation")
    result = controller.run(env_push, **PUSH)
    assert "failed" in failed(result, "operation_failed")
    assert result["error"]["operation_id"] in simulator.state.operations.by_id
    assert noted(PUSH_ROW) == FAILED
    assert did(controller.run(env_push, **PUSH)) == (True, "journal")
    assert noted(PUSH_ROW) == FINISHED
    assert len(simulator.writes) == 2


@pytest.mark.parametrize("state", [SENT, UNKNOWN])
def test_a_push_whose_answer_was_lost_is_not_sent_again(state, controller, simulator, note):
    note(PUSH_ROW, state, age=DAY)
    sent_on = time.strftime("%Y-%m-%d", time.gmtime(time.time() - DAY))
    message = failed(controller.run(env_push, **PUSH), "outcome_unknown")
    assert f"was sent at {sent_on}" in message
    assert "force: true" in message
    assert simulator.writes == []
    assert did(controller.run(env_push, **PUSH, force=True)) == (True, "journal")
    assert did(controller.run(env_push, **PUSH)) == (False, "journal")
    assert len(simulator.writes) == 1


@pytest.mark.parametrize("state", [SENT, UNKNOWN])
def test_a_restart_whose_answer_was_lost_is_sent_again(state, controller, simulator, note):
    note(RESTART_ROW, state)
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
    note(backup_row(tag), FINISHED, age=DAY)
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
    assert noted(PUSH_ROW) == UNKNOWN
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
def test_after_a_lost_request_it_is_sent_again_only_long_after(module, options, controller, simulator, monkeypatch):
    simulator.fault("drop_before", "POST")
    failed(controller.run(module, **options), "outcome_unknown")
    assert "run again later" in failed(controller.run(module, **options, wait_timeout=0.2), "outcome_unknown").lower()
    assert len(simulator.writes) == 1
    monkeypatch.setattr(_decision, "HORIZON", 0)
    assert did(controller.run(module, **options, wait_timeout=0.2)) == (True, "service")
    assert len(simulator.writes) == 2


def test_after_a_lost_answer_a_state_that_is_shown_no_more_is_no_reason_to_send_again(controller, simulator, note):
    note(ADD_ROW, UNKNOWN)
    simulator.fault("delay", "GET", seconds=0)
    simulator.fault("status", "GET", status=404, times=0)
    failed(controller.run(site_domain, **ADD, wait_timeout=0.1), "outcome_unknown")
    assert simulator.writes == []


KILLED_RUN = """
import json, sys
from importlib import import_module
from ansible_collections.hosting.management.plugins.module_utils._context import Context
from ansible_collections.hosting.management.plugins.module_utils._entry import perform
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
    assert noted(PUSH_ROW) == SENT
    failed(controller.run(env_push, **PUSH), "outcome_unknown")
    assert len(simulator.writes) == 1


def test_a_push_killed_while_it_waits_is_resumed(controller, simulator, noted):
    simulator.settings.operation_seconds = ENDLESS

    def looked():
        return any(request.path.startswith("/operations/") for request in simulator.requests)

    kill_a_run_once(looked, env_push, controller.params(env_push, **PUSH))
    assert noted(PUSH_ROW) == IN_PROGRESS
    end_operations(simulator)
    result = controller.run(env_push, **PUSH)
    assert did(result) == (False, "journal")
    assert (result["operation"]["state"], result["operation"]["resumed"]) == ("finished", True)
    assert noted(PUSH_ROW) == FINISHED
    assert len(simulator.writes) == 1


def test_a_domain_whose_run_was_killed_before_its_answer_is_looked_for_first(controller, simulator, note):
    note(ADD_ROW, SENT, age=1)
    failed(controller.run(site_domain, **ADD, wait_timeout=0.1), "outcome_unknown")
    assert simulator.writes == []
    note({**ADD_ROW, "subject": f"site_domain/{LIVE}/other.example.com"}, SENT, age=_decision.HORIZON + 1)
    assert did(controller.run(site_domain, **{**ADD, "domain_name": "other.example.com"})) == (True, "service")
    assert len(simulator.writes) == 1


def test_an_answer_that_another_hosts_run_waits_for_is_waited_for_until_it_can_come_no_more(
    controller, simulator, note
):
    note(PUSH_ROW, SENT, sender="another-host:1", answer_by=time.time() + 0.5)
    failed(controller.run(env_push, **PUSH), "outcome_unknown")
    assert controller.lines == ["another run has sent a request for the same: waiting for its answer"]
    assert simulator.writes == []


# What the journal keeps when a request is refused


@pytest.mark.parametrize("status", [400, 401, 404, 429])
def test_a_refusal_leaves_no_trace(status, controller, simulator, noted):
    simulator.fault("status", "PUT", status=status)
    assert "Nothing was done" in controller.run(env_push, **PUSH)["msg"]
    assert noted(PUSH_ROW) is None
    assert did(controller.run(env_push, **PUSH)) == (True, "none")


def test_a_refused_connection_leaves_no_trace(controller, noted):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v2"
        assert "was not sent" in failed(controller.run(env_push, **PUSH, base_url=address), "connection")
    assert noted(PUSH_ROW) is None


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


def test_a_lost_answer_followed_by_a_refusal_makes_the_value_doubtful(controller, simulator, monkeypatch):
    controller.options["companions"] = False
    controller.run(denied_ips, **DENY)
    monkeypatch.setattr(_retries, "PATIENCE", 0.3)
    simulator.fault("drop_after")
    simulator.fault("status", status=429, times=0)
    failed(controller.run(denied_ips, **{**DENY, "ip_list": ["192.0.2.1"]}, retries=1), "rate_limited")
    simulator.clear_faults()
    controller.run(denied_ips, **DENY)
    assert deny_list(simulator) == DENY["ip_list"]


def test_a_journal_that_cannot_be_written_stops_everything_before_it_is_sent(controller, simulator):
    controller.journal_path.mkdir(parents=True)
    failed(controller.run(env_push, **PUSH), "journal")
    assert simulator.writes == []


def test_a_journal_that_breaks_after_the_request_does_not_hide_the_operation(controller, simulator, monkeypatch):
    monkeypatch.setattr(sql, "LOCK_TIMEOUT", 0.1)
    simulator.fault("delay", "PUT", seconds=0.6)
    results = []
    thread = threading.Thread(target=lambda: results.append(controller.run(env_push, **PUSH)))
    thread.start()
    while not simulator.writes:
        time.sleep(0.01)
    with closing(sqlite3.connect(controller.journal_path, isolation_level=None)) as other:
        other.execute("begin exclusive")
        thread.join()
    message = failed(results[0], "journal")
    operation_id = results[0]["error"]["operation_id"]
    assert operation_id in simulator.state.operations.by_id
    assert results[0]["changed"]
    assert f"was accepted before as operation {operation_id}" in message


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
    """The results of equal runs that begin at the same time."""
    return at_once([lambda: controller.run(module, **options)] * count)


def at_once(runs):
    """The results of functions that begin at the same time."""
    start, results = threading.Barrier(len(runs)), []

    def wait_and_run(run):
        start.wait()
        results.append(run())

    threads = [threading.Thread(target=wait_and_run, args=[run]) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@each([*STATES, *ACTIONS])
@pytest.mark.parametrize("companions", [True, False])
def test_of_many_runs_at_once_exactly_one_writes(companions, module, options, controller, simulator):
    simulator.settings.operation_seconds = 0.2
    for method in ("PUT", "POST"):
        simulator.fault("delay", method, seconds=0.1, times=0)
    results = all_at_once(controller, module, {**options, "companions": companions}, count=8)
    assert sorted(did(result)[0] for result in results) == [False] * 7 + [True]
    assert len(simulator.writes) == 1


def test_addresses_that_runs_add_at_once_are_all_there(controller, simulator):
    simulator.fault("delay", "PUT", seconds=0.05, times=0)
    addresses = [f"192.0.2.{number}" for number in range(1, 7)]
    results = at_once(
        [
            lambda address=address: controller.run(denied_ips, environment_id=LIVE, ip_list=[address], exclusive=False)
            for address in addresses
        ]
    )
    assert all(did(result)[0] for result in results)
    assert deny_list(simulator) == addresses


def test_an_address_is_not_added_to_a_list_that_lags_behind_another_run(controller, simulator, monkeypatch):
    monkeypatch.setattr(_decision, "READS_LAG", 60)
    monkeypatch.setattr(_context, "POLL_INTERVAL", 0.02)

    def add(address):
        return controller.run(denied_ips, environment_id=LIVE, ip_list=[address], exclusive=False)

    add("192.0.2.1")
    stale = {"environment": {"id": LIVE, "ip_list": []}}
    simulator.fault("status", "GET", "/sites/tools/denied-ips", times=2, status=200, body=stale)
    assert did(add("192.0.2.2")) == (True, "service")
    assert deny_list(simulator) == ["192.0.2.1", "192.0.2.2"]


def test_a_list_that_lags_behind_another_run_until_the_time_is_over(controller, simulator, monkeypatch):
    monkeypatch.setattr(_decision, "READS_LAG", 60)
    add = {"environment_id": LIVE, "exclusive": False}
    controller.run(denied_ips, **add, ip_list=["192.0.2.1"])
    monkeypatch.setattr(_context, "WAIT_TIMEOUT", 0.1)
    monkeypatch.setattr(_context, "POLL_INTERVAL", 0.02)
    stale = {"environment": {"id": LIVE, "ip_list": []}}
    simulator.fault("status", "GET", "/sites/tools/denied-ips", times=0, status=200, body=stale)
    message = failed(controller.run(denied_ips, **add, ip_list=["192.0.2.2"]), "operation_timeout")
    assert "the service does not show that yet. Nothing was sent by this run. Run again." in message
    assert len(simulator.writes) == 1


@each([(site_domain, ADD), (manual_backup, BACKUP)])
def test_a_read_that_lags_behind_the_run_before_makes_nothing_twice(
    module, options, controller, simulator, monkeypatch
):
    monkeypatch.setattr(_decision, "READS_LAG", 60)
    controller.run(module, **options)
    for path, body in (
        (".*/domains", NO_DOMAINS["body"]),
        (".*/backups", {"environment": {"display_name": "Live", "backups": []}}),
    ):
        simulator.fault("status", "GET", path, times=3, status=200, body=body)
    assert did(controller.run(module, **options)) == (False, "service")
    assert len(simulator.writes) == 1


@each(UNREPEATABLE)
def test_what_another_run_finishes_after_our_look_is_not_taken_for_missing(module, options, controller, simulator):
    """The look of this run is answered with the state before the other run; its journal tells what has happened."""
    before = {
        ".*/domains": NO_DOMAINS["body"],
        ".*/backups": {"environment": {"display_name": "Live", "backups": []}},
    }
    for path, body in before.items():
        simulator.fault("status", "GET", path, times=1, status=200, body=body)
    controller.run(module, **options)
    for path, body in before.items():
        simulator.fault("status", "GET", path, times=1, status=200, body=body)
    assert not did(controller.run(module, **options))[0]
    assert len(simulator.writes) == 1


def test_when_the_run_that_came_first_is_refused_another_one_sends(controller, simulator, note):
    note({"subject": "another subject", "wanted": ""})
    simulator.fault("status", "PUT", status=400)
    results = all_at_once(controller, env_push, PUSH, count=2)
    assert sorted(result.get("failed", False) for result in results) == [False, True]
    assert len(simulator.writes) == 2


# Operations


@pytest.mark.parametrize("failures", [1, 2, 7])
def test_some_500s_in_a_row_are_no_verdict_on_an_operation(failures, controller, simulator):
    simulator.fault("status", "GET", "/operations/environments.*", times=failures, status=500)
    assert did(controller.run(env_push, **PUSH)) == (True, "none")
    assert len(simulator.writes) == 1


@pytest.mark.parametrize("probe", [{"status": 500}, {"status": 429}, {"status": 401}, {"kind": "drop_before"}])
def test_while_the_service_is_not_well_its_500s_are_no_verdict(probe, controller, simulator):
    simulator.fault("status", "GET", "/operations/environments.*", times=0, status=500)
    simulator.fault(probe.pop("kind", "status"), "GET", "/operations/none.*", times=0, **probe)
    failed(controller.run(env_push, **PUSH, wait_timeout=0.5), "operation_timeout")
    simulator.clear_faults()
    assert did(controller.run(env_push, **PUSH)) == (False, "journal")
    assert len(simulator.writes) == 1


@each([*STATES, *ACTIONS])
def test_a_200_whose_body_says_500_is_no_success(module, options, controller, simulator):
    said = {"message": "Error", "status": 500, "result": None, "operation_id": "a:b-1"}
    for method in ("PUT", "POST"):
        simulator.fault("status", method, status=200, body=said)
    assert "Whether anything was done is not known" in failed(controller.run(module, **options), "service")


def test_a_500_and_then_a_404_in_the_first_seconds_are_waited_out(controller, simulator):
    simulator.fault("status", "GET", "/operations/environments.*", status=500)
    simulator.fault("status", "GET", "/operations/environments.*", status=404, times=2)
    assert did(controller.run(env_push, **PUSH)) == (True, "none")


def test_where_operations_are_not_shown_a_wait_that_ends_makes_nothing_twice(controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    simulator.fault("status", "GET", "/operations/.*", status=405, times=0)
    for _run in range(2):
        message = failed(controller.run(site_domain, **ADD, wait_timeout=0.1), "operation_timeout")
        assert "does not show its effect yet" in message
    end_operations(simulator)
    assert did(controller.run(site_domain, **ADD)) == (False, "service")
    assert len(simulator.writes) == 1


def test_an_accepted_request_without_an_operation_is_told_without_one(controller, simulator):
    simulator.fault("status", "POST", status=202, body={})
    failed(controller.run(site_domain, **ADD, wait_timeout=0.1), "operation_timeout")
    message = failed(controller.run(site_domain, **ADD, wait_timeout=0.1), "operation_timeout")
    assert "was accepted at" in message
    assert "None" not in message


def test_a_service_that_shows_no_operations_is_learned_once(controller, simulator):
    simulator.settings.interface_only = True
    asked = []
    for release in ("v1", "v2", "v3", "v4", "v5"):
        simulator.clear_requests()
        controller.run(php_restart, **{**RESTART, "release": release})
        asked.append([request.path for request in simulator.requests if request.path.startswith("/operations/")])
    assert all(len(looks) > 1 for looks in asked[:3]), "one operation that is not shown says nothing of the others"
    assert len(set(asked[2])) == 3, "before it concludes, it asks for the other two again"
    assert [len(looks) for looks in asked[3:]] == [1, 1]
    assert len(set(controller.warnings[3:])) == 1, "Ansible shows the same words once a run"
    assert "The service shows no operations" in controller.warnings[-1]


def test_late_operations_do_not_make_it_conclude_that_none_are_shown(controller, simulator):
    simulator.settings.visible_after = 0.3  # a little later than the grace
    for release in ("v1", "v2", "v3"):
        controller.run(php_restart, **{**RESTART, "release": release})
    simulator.settings.visible_after = 0.1
    simulator.settings.operation_seconds = 0.1
    assert controller.run(php_restart, **{**RESTART, "release": "v4"})["operation"]["state"] == "finished"


def test_hosts_side_by_side_learn_together_that_no_operations_are_shown(controller, simulator):
    simulator.settings.interface_only = True
    tasks = [(php_restart, RESTART), (env_push, PUSH), (manual_backup, BACKUP)]
    at_once([partial(controller.run, module, **options) for module, options in tasks])
    simulator.clear_requests()
    controller.run(php_restart, **{**RESTART, "release": "v9"})
    assert [request.method for request in simulator.requests] == ["POST", "GET"]


def learn_that_no_operations_are_shown(controller, simulator):
    simulator.settings.interface_only = True
    for release in ("x1", "x2", "x3"):
        controller.run(php_restart, **{**RESTART, "release": release})
    simulator.settings.interface_only = False


def test_that_a_service_shows_operations_after_all_is_learned_too(controller, simulator):
    learn_that_no_operations_are_shown(controller, simulator)
    controller.run(php_restart, **{**RESTART, "release": "v2"})
    simulator.settings.visible_after = 0.1
    assert controller.run(php_restart, **{**RESTART, "release": "v3"})["operation"]["state"] == "finished"


def test_what_was_learned_of_operations_is_forgotten_after_a_day(controller, simulator, monkeypatch):
    learn_that_no_operations_are_shown(controller, simulator)
    monkeypatch.setattr(_operations, "REMEMBERED_FOR", 0)
    simulator.settings.visible_after = 0.1
    assert controller.run(php_restart, **{**RESTART, "release": "v2"})["operation"]["state"] == "finished"


def test_operations_that_the_service_has_forgotten_do_not_teach_that_none_are_shown(controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    restarts = [{**RESTART, "environment_id": environment} for environment in (LIVE, STAGING, seed.environment_id(2))]
    for options in restarts:
        controller.run(php_restart, **options, wait=False)
    simulator.state.operations.by_id.clear()
    time.sleep(0.3)
    for options in restarts:
        assert controller.run(php_restart, **options)["operation"]["resumed"]
    assert len(controller.warnings) == 3
    simulator.settings.operation_seconds = simulator.settings.visible_after = 0.1
    assert controller.run(php_restart, **{**RESTART, "release": "v2"})["operation"]["state"] == "finished"


def test_an_operation_that_the_service_has_forgotten_is_warned_of_once(controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    first = controller.run(env_push, **PUSH, wait=False)
    simulator.state.operations.by_id.clear()
    time.sleep(0.3)
    assert did(controller.run(env_push, **PUSH)) == (False, "journal")
    assert len(controller.warnings) == 1
    assert first["operation"]["id"] in controller.warnings[0]
    assert did(controller.run(env_push, **PUSH)) == (False, "journal")
    assert len(controller.warnings) == 1
    assert len(simulator.writes) == 1


@pytest.mark.parametrize("status", [401, 429])
def test_after_a_push_was_accepted_no_failure_says_that_nothing_was_done(status, controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    simulator.fault("status", "GET", "/operations/.*", times=0, status=status)
    result = controller.run(env_push, **PUSH, wait_timeout=1)
    assert result["failed"]
    assert result["changed"]
    assert result["error"]["operation_id"] in simulator.state.operations.by_id
    assert f"Operation {result['error']['operation_id']} was accepted" in result["msg"]
    assert "was accepted before as operation" not in result["msg"], "the message has named it already"
    assert "Nothing was" not in result["msg"]


def test_after_a_write_was_accepted_a_read_that_fails_says_so(controller, simulator):
    simulator.fault("status", "GET", ".*/domains", status=200, body=NO_DOMAINS["body"])
    simulator.fault("status", "GET", ".*/domains", status=503, times=0)
    result = controller.run(site_domain, **ADD)
    assert "was accepted before as operation" in failed(result, "service")
    assert result["changed"]


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
    assert noted(PUSH_ROW) == FAILED


def test_an_error_while_waiting_leaves_the_operation_to_the_next_run(controller, simulator):
    simulator.fault("status", "GET", "/operations/.*", status=401)
    result = controller.run(env_push, **PUSH)
    failed(result, "unauthorized")
    assert result["error"]["operation_id"] in simulator.state.operations.by_id
    assert did(controller.run(env_push, **PUSH)) == (False, "journal")
    assert len(simulator.writes) == 1


def test_an_operation_that_ends_without_its_effect_is_a_failure_and_asked_for_anew(controller, simulator, noted):
    simulator.fault("status", "GET", ".*/domains", times=0, **NO_DOMAINS)
    result = controller.run(site_domain, **ADD)
    assert "ended, but the service does not show its effect" in failed(result, "operation_failed")
    assert result["error"]["operation_id"] in simulator.state.operations.by_id
    assert noted(ADD_ROW) == FAILED
    simulator.state.environment(LIVE).domains.pop()
    failed(controller.run(site_domain, **ADD), "operation_failed")
    assert len(simulator.writes) == 2


def test_an_effect_may_be_seen_only_some_time_after_its_operation(controller, simulator, monkeypatch):
    monkeypatch.setattr(_decision, "READS_LAG", 60)
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
    assert noted({"subject": f"company_user_role/{seed.COMPANY_ID}/{USER}"}) == FINISHED


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
    assert noted(PUSH_ROW) == IN_PROGRESS


def test_check_mode_predicts_that_a_failed_operation_is_asked_for_anew(controller, simulator, noted):
    simulator.fault("fail_operation")
    controller.run(env_push, **PUSH, wait=False)
    assert did(controller.run(env_push, check_mode=True, **PUSH)) == (True, "journal")
    assert noted(PUSH_ROW) == IN_PROGRESS
    assert len(simulator.writes) == 1


def test_check_mode_predicts_that_a_lost_answer_stops_the_run(controller, simulator, note, noted):
    note(PUSH_ROW, UNKNOWN)
    failed(controller.run(env_push, check_mode=True, **PUSH), "outcome_unknown")
    assert noted(PUSH_ROW) == UNKNOWN
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
