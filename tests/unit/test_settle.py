# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""settle: every request of unknown outcome is settled by the very task that its error names."""

from __future__ import annotations

import re
import time

import pytest
import yaml

from ansible_collections.hosting.management.plugins.module_utils._decision import HORIZON
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, SqliteJournal
from ansible_collections.hosting.management.plugins.module_utils._progress import SENT
from ansible_collections.hosting.management.plugins.module_utils._settling import thing_of
from ansible_collections.hosting.management.plugins.modules import (
    backup_restore,
    dns_record,
    env_push,
    manual_backup,
    plain_environment,
    push_outcome,
    release_info,
    settle,
    site_domain,
)
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE, STAGING, SITE = seed.environment_id(1), seed.environment_id(1, seed.STAGING), seed.site_id(1)
DOMAIN = seed.domain_id(1)
PUSH = {"site_id": SITE, "source_env_id": STAGING, "target_env_id": LIVE, "release": "v1"}
RESTORE = {"environment_id": LIVE, "backup_id": 1, "notified_user_id": seed.user_id(1), "release": "v1"}
BACKUP = {"environment_id": LIVE, "tag": "before/v1"}

SHOWN_BY_NONE = [
    (env_push, PUSH, {"environment_id": LIVE, "release": "v1"}, "push"),
    (env_push, {**PUSH, "release": "v '1' {x}, y: z"}, {"environment_id": LIVE, "release": "v '1' {x}, y: z"}, "push"),
    (backup_restore, RESTORE, {"environment_id": LIVE, "backup_id": 1}, "restore"),
    (manual_backup, BACKUP, {"environment_id": LIVE, "tag": "before/v1"}, "backup"),
    (
        plain_environment,
        {"site_id": SITE, "display_name": "Pre/view"},
        {"site_id": SITE, "display_name": "Pre/view"},
        "environment",
    ),
    (
        site_domain,
        {"environment_id": LIVE, "domain_name": "New.Example.com"},
        {"environment_id": LIVE, "domain_name": "new.example.com"},
        "domain",
    ),
]
"""What is asked for, the options that settle it, and what settle calls it, where the service shows no state."""

RECORD = {"domain_id": DOMAIN, "type": "txt", "name": "new.example.com", "values": ["x"]}


def task_in(message):
    """The options of the task that a message names."""
    return yaml.safe_load(re.search(r"hosting\.management\.settle: (\{.*\}) \(or not_done\)", message)[1])


def failed(result, kind):
    assert result.get("failed"), result
    assert result["error"]["kind"] == kind, result
    return result["msg"]


def lose(controller, module, options, *, arrives=True):
    """Run a task whose answer is lost, and return its message."""
    controller.simulator.fault("drop_after" if arrives else "drop_before", "PUT" if module is env_push else "POST")
    return failed(controller.run(module, **options), "outcome_unknown")


@pytest.fixture
def bare(controller):
    """A controller of a service with nothing but the documented endpoints and restores."""
    controller.options["companions"] = False
    return controller


@pytest.mark.parametrize("outcome", ["done", "not_done"])
@pytest.mark.parametrize(
    ("module", "options", "named", "what"),
    SHOWN_BY_NONE,
    ids=["push", "odd-name", "restore", "backup", "environment", "domain"],
)
def test_the_task_of_the_error_settles_it(module, options, named, what, outcome, bare, simulator):
    first = lose(bare, module, options, arrives=outcome == "done")
    later = failed(bare.run(module, **options), "outcome_unknown")
    assert task_in(first) == task_in(later) == {**named, "outcome": "done"}
    sent = len(simulator.writes)
    assert sent == 1
    task = {**task_in(later), "outcome": outcome}
    checked = bare.run(settle, check_mode=True, diff=True, **task)
    assert (checked["changed"], checked["outcome"], checked["what"]) == (True, outcome, what)
    assert checked["diff"] == {"before": {"outcome": "unknown"}, "after": {"outcome": outcome}}
    assert bare.run(settle, **task) == {"changed": True, "outcome": outcome, "what": what}
    again = bare.run(settle, diff=True, **task)
    assert (again["changed"], again["diff"]["before"], bare.warnings) == (False, again["diff"]["after"], [])
    assert len(simulator.writes) == sent, "nothing is sent to the service"
    assert bare.run(module, **{"wait": False, **options})["changed"] == (outcome == "not_done")
    assert len(simulator.writes) == sent + (outcome == "not_done")


def test_a_dns_record_that_does_not_show_is_sent_again_when_it_is_settled(controller, simulator):
    lose(controller, dns_record, RECORD, arrives=False)
    message = failed(controller.run(dns_record, wait=False, **RECORD), "outcome_unknown")
    task = task_in(message)
    assert task == {"domain_id": DOMAIN, "type": "TXT", "name": "new.example.com", "outcome": "done"}
    result = controller.run(settle, **{**task, "outcome": "not_done"})
    assert (result["changed"], result["what"]) == (True, "dns_record")
    assert controller.run(dns_record, **RECORD)["changed"]
    assert [write.carried_out for write in simulator.writes] == [False, True]


def test_a_restore_is_settled_for_all_that_wait_for_it(controller):
    lose(controller, backup_restore, RESTORE)
    other = {**RESTORE, "release": "v2"}
    task = task_in(failed(controller.run(backup_restore, **other), "outcome_unknown"))
    assert controller.run(settle, **task)["changed"]
    assert controller.run(release_info, environment_id=LIVE)["restored_backup"]["state"] == "finished"
    assert controller.run(env_push, **PUSH)["changed"]


def test_a_restore_may_be_named_with_the_release_it_was_for(controller):
    lose(controller, backup_restore, RESTORE)
    named = {"environment_id": LIVE, "backup_id": 1}
    message = failed(controller.run(settle, release="v2", outcome="done", **named), "invalid_input")
    assert "knows nothing of the restore of backup 1 for v2, only of the restore of backup 1." in message
    assert controller.run(settle, release="v1", outcome="done", **named)["changed"]


@pytest.mark.parametrize(
    ("module", "options", "what"),
    [
        (env_push, {**PUSH, "release": None}, "push"),
        (manual_backup, {**BACKUP, "tag": None}, "backup"),
    ],
    ids=["push", "backup"],
)
def test_what_has_no_name_is_settled_by_its_kind(module, options, what, bare):
    task = task_in(lose(bare, module, options))
    assert task == {"environment_id": LIVE, "what": what, "outcome": "done"}
    assert bare.run(settle, **task) == {"changed": True, "outcome": "done", "what": what}
    assert not bare.run(settle, **task)["changed"]


def test_what_a_killed_run_has_left_is_settled(controller):
    controller.run(env_push, **PUSH)
    subject = (controller.simulator.base_url, f"env_push/{LIVE}")
    journal = SqliteJournal(controller.journal_path)
    rows = journal.read(subject)
    left = [Entry(**{**vars(row), "progress": SENT, "answer_by": time.time() - 1, "ended_at": None}) for row in rows]
    assert journal.replace(subject, rows, tuple(left))
    journal.close()
    task = task_in(failed(controller.run(env_push, **PUSH), "outcome_unknown"))
    assert controller.run(settle, **{**task, "outcome": "not_done"})["changed"]
    assert controller.run(env_push, **PUSH)["changed"]


def test_what_is_known_stays_as_it_is_and_the_user_is_told(controller):
    controller.run(env_push, **PUSH)
    result = controller.run(settle, environment_id=LIVE, release="v1", outcome="not_done")
    assert result == {"changed": False, "outcome": "done", "what": "push"}
    assert controller.warnings == [
        "The journal knows already that the push of v1 was carried out, so nothing was changed."
    ]


def test_what_goes_on_is_not_settled(controller, simulator):
    simulator.settings.operation_seconds = HORIZON
    controller.run(env_push, wait=False, **PUSH)
    message = failed(controller.run(settle, environment_id=LIVE, release="v1", outcome="done"), "invalid_input")
    assert "goes on as operation environments:push-" in message


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"environment_id": LIVE}, "The task does not name what is to be settled."),
        ({"release": "v1"}, "To settle this (push), give environment_id, too."),
        ({"display_name": "x"}, "To settle this (environment), give site_id, too."),
        ({"name": "a.example.com"}, "To settle this (dns_record), give domain_id and type, too."),
        ({"what": "restore", "environment_id": LIVE}, "To settle this (restore), give backup_id, too."),
        ({"environment_id": LIVE, "release": "v1", "tag": "x"}, "To settle this (push), leave out tag."),
        (
            {"environment_id": LIVE, "release": "v9"},
            "nothing of the push of v9, only of the restore of backup 1.",
        ),
        ({"environment_id": STAGING, "release": "v1"}, "knows nothing of the push of v1. Check the ids"),
    ],
    ids=lambda one: one if isinstance(one, str) else "-".join(one),
)
def test_who_asks_wrongly_is_told_what_is_open(options, problem, controller):
    lose(controller, backup_restore, RESTORE)
    lose(controller, plain_environment, {"site_id": SITE, "display_name": "Preview"})
    message = failed(controller.run(settle, outcome="done", **options), "invalid_input")
    assert problem in message
    assert "Nothing was changed." in message
    restore = f"hosting.management.settle: {{environment_id: {LIVE}, backup_id: 1, outcome: done}}"
    assert "the restore of backup 1, sent at 20" in message
    assert restore in message
    assert ("Preview" in message) == (options.get("environment_id") != LIVE), "its own, where it has any"


def test_without_anything_open_the_error_says_so(controller):
    message = failed(controller.run(settle, environment_id=LIVE, release="v1", outcome="done"), "invalid_input")
    assert "The journal has nothing of unknown outcome." in message


@pytest.mark.parametrize(
    ("module", "options"),
    [
        (settle, {"environment_id": LIVE, "release": "v1", "outcome": "done"}),
        (push_outcome, {"environment_id": LIVE, "release": "v1", "outcome": "pushed"}),
    ],
    ids=["settle", "push_outcome"],
)
def test_without_a_journal_nothing_can_be_settled(module, options, controller):
    controller.options["journal"] = ""
    assert "There is no journal" in failed(controller.run(module, **options), "invalid_input")


def test_push_outcome_settles_pushes_only(controller):
    lose(controller, backup_restore, RESTORE)
    message = failed(controller.run(push_outcome, environment_id=LIVE, release="v1", outcome="pushed"), "invalid_input")
    assert "backup_id: 1, " in message


def test_what_may_be_repeated_needs_no_settling():
    assert thing_of(f"php_restart/{LIVE}", Entry.sent_now("", 0)) is None


def push(controller, release, **options):
    return controller.run(env_push, **{**PUSH, "release": release, **options})


def settle_push(controller, release, outcome):
    return controller.run(settle, environment_id=LIVE, release=release, outcome=outcome)


def test_what_was_there_before_a_push_that_was_never_carried_out_is_known_again(controller, simulator):
    assert push(controller, "v3")["changed"]
    lose(controller, env_push, {**PUSH, "release": "v1"}, arrives=False)
    pushes = len(simulator.writes)
    assert settle_push(controller, "v1", "not_done")["changed"]
    known = controller.run(release_info, environment_id=LIVE)
    assert (known["release"], known["state"], len(known["parts"])) == ("v3", "finished", 1)
    assert not push(controller, "v3")["changed"], "v3 is there still"
    assert len(simulator.writes) == pushes
    again = settle_push(controller, "v1", "not_done")
    assert (again["changed"], controller.warnings) == (False, [])
    assert push(controller, "v1")["changed"]
    assert push(controller, "v3")["changed"], "v1 took its place"


def test_what_was_there_before_a_restore_that_was_never_carried_out_is_known_again(bare, simulator):
    push(bare, "v3")
    lose(bare, backup_restore, RESTORE, arrives=False)
    pushes = len(simulator.writes)
    bare.run(settle, environment_id=LIVE, backup_id=1, outcome="not_done")
    assert bare.run(release_info, environment_id=LIVE)["release"] == "v3"
    assert not push(bare, "v3")["changed"]
    assert len(simulator.writes) == pushes


def test_what_was_there_before_is_known_again_where_the_service_shows_no_operations(bare, simulator):
    push(bare, "v3", wait=False)
    lose(bare, env_push, {**PUSH, "release": "v1"}, arrives=False)
    pushes = len(simulator.writes)
    settle_push(bare, "v1", "not_done")
    assert not push(bare, "v3")["changed"]
    assert len(simulator.writes) == pushes


def test_what_was_there_before_is_not_known_where_two_pushes_were_of_unknown_outcome(controller):
    push(controller, "v3")
    lose(controller, env_push, {**PUSH, "release": "v1"})
    lose(controller, env_push, {**PUSH, "release": "v2", "force": True}, arrives=False)
    settle_push(controller, "v2", "not_done")
    assert push(controller, "v3")["changed"], "v1 may have taken its place"


def test_what_was_there_before_stays_replaced_by_a_push_that_was_carried_out(controller):
    push(controller, "v3")
    lose(controller, env_push, {**PUSH, "release": "v1"})
    settle_push(controller, "v1", "done")
    assert controller.run(release_info, environment_id=LIVE)["release"] == "v1"
    assert push(controller, "v3")["changed"]
