# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may start at an environment beside what is under way there: the table, and tasks that meet."""

from __future__ import annotations

import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product

import pytest
import yaml

from ansible_collections.hosting.management.plugins.module_utils import _operations
from ansible_collections.hosting.management.plugins.module_utils._convergence import giving_way
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, SqliteJournal, open_journal
from ansible_collections.hosting.management.plugins.module_utils._progress import (
    FAILED,
    FINISHED,
    IN_PROGRESS,
    SENT,
    UNKNOWN,
)
from ansible_collections.hosting.management.plugins.module_utils._under_way import (
    Beside,
    Kind,
    beside,
    in_the_way,
    kind_of,
    named,
)
from ansible_collections.hosting.management.plugins.modules import (
    backup_restore,
    env_push,
    manual_backup,
    php_restart,
    release_info,
    settle,
    site_plugin,
)
from simulator import seed

pytest_plugins = ["simulator.fixtures", "unit.postgres"]

LIVE, STAGING, SITE = seed.environment_id(1), seed.environment_id(1, seed.STAGING), seed.site_id(1)
PUSH = {"site_id": SITE, "source_env_id": STAGING, "target_env_id": LIVE, "release": "v2"}
NEXT = {**PUSH, "release": "v3"}
RESTORE = {"environment_id": LIVE, "backup_id": 1, "notified_user_id": seed.user_id(1), "release": "v2"}
BACKUP = {"environment_id": LIVE, "tag": "before-v3"}
ENDLESS = 3600
LONG = 0.6  # seconds of an operation that others wait for

OVERWRITES, CHANGES = (Kind.PUSH, Kind.RESTORE), tuple(kind for kind in Kind if kind is not Kind.OTHER)

TABLE = {
    **{(kind, under_way, SENT): Beside.WAITS for kind, under_way in product(CHANGES, CHANGES)},
    **{(kind, under_way, IN_PROGRESS): Beside.WAITS for kind, under_way in product(CHANGES, CHANGES)},
    **{(kind, under_way, UNKNOWN): Beside.ASKS for kind, under_way in product(CHANGES, OVERWRITES)},
    **{(Kind.REMOVAL, Kind.REMOVAL, progress): Beside.MAY for progress in (SENT, IN_PROGRESS)},
}
"""What does not just start. All else may."""


@pytest.mark.parametrize("progress", [SENT, IN_PROGRESS, UNKNOWN, FINISHED, FAILED])
@pytest.mark.parametrize("under_way", Kind, ids=lambda kind: kind.name.lower())
@pytest.mark.parametrize("starting", Kind, ids=lambda kind: kind.name.lower())
def test_the_table(starting, under_way, progress):
    assert beside(starting, under_way, progress) is TABLE.get((starting, under_way, progress), Beside.MAY)


def row(progress=IN_PROGRESS, *, sender=None, answer_by=None, **values):
    entry = Entry.sent_now("d", 60, **values)
    return Entry(
        **{
            **vars(entry),
            "progress": progress,
            "sender": sender or entry.sender,
            "answer_by": answer_by or entry.answer_by,
        }
    )


RESTORED = json.dumps({"backup_id": 7, "release": "v2"})


@pytest.mark.parametrize(
    ("subject", "entry", "kind", "name"),
    [
        ("env_push/1", row(release="v2"), Kind.PUSH, "The push of v2"),
        ("env_push/1", row(), Kind.PUSH, "A push without a release"),
        ("env_push/1", row(release="x", part=RESTORED), Kind.RESTORE, "The restore of backup 7"),
        ("manual_backup/1/before-v2", row(release="before-v2"), Kind.BACKUP, "The backup before-v2"),
        ("manual_backup/1/", row(), Kind.BACKUP, "A backup"),
        ("site_plugin/1", row(), Kind.UPDATE, "An update of plugins"),
        ("site_theme/1", row(), Kind.UPDATE, "An update of themes"),
        ("php_version/1", row(), Kind.UPDATE, "A change of the PHP version"),
        ("backup_removal/1/7", row(), Kind.REMOVAL, "The removal of backup 7"),
        ("wp_cli/1", row(release="v2"), Kind.COMMAND, "The WP-CLI command for v2"),
        ("wp_cli/1", row(), Kind.COMMAND, "A WP-CLI command"),
        ("php_restart/1", row(release="v2"), Kind.OTHER, None),
        ("taken_backups/1", row(release="before-v2"), Kind.OTHER, None),
        ("release_backup/1", row(release="v2"), Kind.OTHER, None),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_rows_are_told_apart_and_named(subject, entry, kind, name):
    subject = ("https://a.example/v2", subject)
    assert kind_of(subject, entry) is kind
    if name:
        assert named(subject, entry) == name


def test_a_row_that_can_get_no_answer_any_more_is_of_unknown_outcome_and_ones_own_is_not_in_the_way():
    subject = ("https://a.example/v2", "env_push/1")
    lost = row(SENT, release="v1", answer_by=time.time() - 1)
    own = row(SENT, release="v2")
    assert in_the_way(Kind.PUSH, [(subject, lost), (subject, own)], own) == [(subject, lost.as_known(), Beside.ASKS)]
    assert in_the_way(Kind.BACKUP, [(subject, own)]) == [(subject, own, Beside.WAITS)]
    assert in_the_way(Kind.OTHER, [(subject, lost), (subject, own)]) == []


# ---- tasks that meet ------------------------------------------------------------------------------------------------


@pytest.fixture
def live(simulator):
    return simulator.state.environment(LIVE)


@pytest.fixture
def together(controller):
    """A function that runs tasks at the same time, each in a thread with a journal of its own; returns the results."""

    def together(*tasks):
        start = threading.Barrier(len(tasks))

        def run(task):
            module, options = task
            start.wait()
            return controller.run(module, **{"wait_timeout": 20, **options})

        with ThreadPoolExecutor(len(tasks)) as pool:
            return list(pool.map(run, tasks))

    return together


def changed(result):
    assert "failed" not in result, result["msg"]
    return result["changed"]


def failed(result, kind):
    assert result.get("failed"), result
    assert result["error"]["kind"] == kind, result
    return result["msg"]


def test_a_push_beside_that_of_another_release_waits_and_ends_as_the_later_one(controller, simulator, live):
    simulator.settings.operation_seconds = LONG
    changed(controller.run(env_push, wait=False, **PUSH))
    assert changed(controller.run(env_push, **NEXT))
    assert "waiting until this has ended: The push of v2" in controller.lines
    assert [push["release"] for push in _pushed(controller)] == ["v3"]
    assert (len(live.pushes), controller.run(release_info, environment_id=LIVE)["release"]) == (2, "v3")
    assert not changed(controller.run(env_push, **NEXT))
    assert _overlaps(simulator) == []


def _pushed(controller):
    info = controller.run(release_info, environment_id=LIVE)
    return [{"release": info["release"], **part} for part in info["parts"]]


def _overlaps(simulator):
    """Pairs of writes of which the second was carried out before the operation of the first had ended."""
    seconds = simulator.settings.operation_seconds
    times = sorted(write.time for write in simulator.writes if write.carried_out)
    return [(one, next_) for one, next_ in pairwise(times) if next_ - one < seconds]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ((env_push, PUSH), (manual_backup, BACKUP)),
        ((backup_restore, RESTORE), (manual_backup, BACKUP)),
        ((backup_restore, RESTORE), (env_push, NEXT)),
        ((env_push, PUSH), (backup_restore, {**RESTORE, "release": None})),
        ((manual_backup, BACKUP), (env_push, NEXT)),
        ((site_plugin, {"environment_id": LIVE, "select": "updatable"}), (manual_backup, BACKUP)),
        ((site_plugin, {"environment_id": LIVE, "select": "updatable"}), (env_push, NEXT)),
        ((manual_backup, BACKUP), (backup_restore, RESTORE)),
        ((manual_backup, BACKUP), (manual_backup, {**BACKUP, "tag": "x"})),
        ((env_push, PUSH), (env_push, {**PUSH, "push_files": False})),
        ((env_push, {**PUSH, "release": None}), (env_push, {**PUSH, "release": None})),
    ],
    ids=[
        "backup-beside-push",
        "backup-beside-restore",
        "push-beside-restore",
        "restore-beside-push",
        "push-beside-backup",
        "backup-beside-update",
        "push-beside-update",
        "restore-beside-backup",
        "backup-beside-backup",
        "push-beside-another-part",
        "push-at-each-run",
    ],
)
def test_what_starts_waits_for_what_is_under_way(first, then, controller, simulator):
    simulator.settings.operation_seconds = LONG
    changed(controller.run(first[0], wait=False, **first[1]))
    assert changed(controller.run(then[0], check_mode=True, **then[1])), "check mode waits for nothing"
    assert changed(controller.run(then[0], **then[1]))
    assert len(simulator.writes) == 2
    assert _overlaps(simulator) == []


@pytest.mark.parametrize("patience", [{"wait": False}, {"wait_timeout": 0.1}], ids=["wait-false", "timeout"])
@pytest.mark.parametrize(
    ("module", "options"),
    [(env_push, NEXT), (manual_backup, BACKUP), (backup_restore, RESTORE)],
    ids=["push", "backup", "restore"],
)
def test_who_may_not_wait_so_long_sends_nothing_and_is_told_what_goes_on(
    module, options, patience, controller, simulator
):
    simulator.settings.operation_seconds = ENDLESS
    started = controller.run(env_push, wait=False, **PUSH)
    began = time.monotonic()
    result = controller.run(module, **patience, **options)
    assert time.monotonic() - began < 5
    message = failed(result, "operation_timeout")
    assert f"The push of v2 goes on (operation {started['operation']['id']}). Nothing was sent. Run again" in message
    assert result["error"]["operation_id"] == started["operation"]["id"]
    assert len(simulator.writes) == 1
    assert controller.run(release_info, environment_id=LIVE)["release"] == "v2"


def test_with_force_it_is_sent_whatever_goes_on(controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    changed(controller.run(env_push, wait=False, **PUSH))
    changed(controller.run(env_push, wait=False, force=True, **NEXT))
    assert len(simulator.writes) == 2


def test_what_overwrites_nothing_does_not_wait(controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    changed(controller.run(env_push, wait=False, **PUSH))
    changed(controller.run(php_restart, wait=False, environment_id=LIVE, release="v2"))
    assert len(simulator.writes) == 2


def test_another_environment_is_no_matter(controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    changed(controller.run(env_push, wait=False, **PUSH))
    changed(controller.run(manual_backup, wait=False, environment_id=STAGING, tag="x"))
    assert len(simulator.writes) == 2


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("module", "options"),
    [(env_push, NEXT), (manual_backup, BACKUP), (backup_restore, {**RESTORE, "backup_id": 2})],
    ids=["push", "backup", "restore"],
)
@pytest.mark.parametrize("lost", [(env_push, PUSH), (backup_restore, RESTORE)], ids=["push", "restore"])
def test_where_nobody_knows_the_user_is_asked_by_the_task_that_settles_it(
    lost, module, options, check_mode, controller, simulator, live
):
    for _number in range(2):
        simulator.state.add_backup(live, "manual", "x")
    simulator.fault("drop_after", "PUT" if lost[0] is env_push else "POST")
    failed(controller.run(lost[0], **lost[1]), "outcome_unknown")
    message = failed(controller.run(module, check_mode=check_mode, **options), "outcome_unknown")
    name = "The push of v2" if lost[0] is env_push else "The restore of backup 1"
    assert f"{name} was sent at 20" in message
    assert " was not sent. Look at the service" in message
    task = yaml.safe_load(re.search(r"hosting\.management\.settle: (\{.*\}) \(or not_done\)", message)[1])
    assert len(simulator.writes) == 1
    assert changed(controller.run(settle, **task))
    assert changed(controller.run(module, check_mode=check_mode, **options))


def test_a_backup_of_unknown_outcome_stops_no_push(controller, simulator):
    controller.options["companions"] = False
    simulator.fault("drop_after", "POST")
    failed(controller.run(manual_backup, **BACKUP), "outcome_unknown")
    assert changed(controller.run(env_push, **NEXT))


def test_what_has_failed_is_over(controller, simulator):
    simulator.fault("fail_operation", "PUT")
    changed(controller.run(env_push, wait=False, **PUSH))
    assert changed(controller.run(env_push, wait_timeout=30, **NEXT))
    assert controller.run(release_info, environment_id=LIVE)["release"] == "v3"


def test_an_end_that_the_service_does_not_show_counts_as_done(controller, simulator, monkeypatch):
    monkeypatch.setattr(_operations, "VISIBLE_AFTER", 0.2)
    simulator.settings.interface_only = True
    controller.options["companions"] = False
    changed(controller.run(env_push, wait=False, **PUSH))
    assert changed(controller.run(manual_backup, **BACKUP))
    assert changed(controller.run(env_push, **NEXT))
    assert simulator.requests == simulator.writes, "nothing but the documented endpoints"


def test_the_answer_that_another_run_still_awaits_is_waited_for(controller, simulator):
    simulator.settings.latency = 0.5
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(controller.run, env_push, wait=False, **PUSH)
        while not _rows(controller, f"env_push/{LIVE}"):
            time.sleep(0.01)
        assert changed(controller.run(manual_backup, wait_timeout=30, **BACKUP))
        assert changed(other.result())
    assert [write.method for write in simulator.writes] == ["PUT", "POST"]


def _rows(controller, subject):
    journal = SqliteJournal(controller.journal_path)
    try:
        return journal.read((controller.simulator.base_url, subject))
    finally:
        journal.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_of_those_that_start_at_once_each_has_its_turn(kind, together, controller, simulator, live, request):
    if kind == "postgres":
        controller.options["journal"] = request.getfixturevalue("postgres")
    simulator.settings.operation_seconds = 0.2
    backup_id = live.backups[0].id
    tasks = [
        (env_push, PUSH),
        (env_push, NEXT),
        (manual_backup, BACKUP),
        (backup_restore, {**RESTORE, "backup_id": backup_id}),
    ]
    assert all(changed(result) for result in together(*tasks))
    assert (len(live.pushes), len(live.restores), len(simulator.writes)) == (2, 1, 4)
    assert _overlaps(simulator) == []
    journal = open_journal(controller.options["journal"])
    left = [entry.progress for _subject, entry in journal.of_environment(simulator.base_url, LIVE)]
    journal.close()
    assert set(left) == {FINISHED}


def test_those_that_meet_in_the_journal_take_theirs_back_and_try_again(controller, simulator, monkeypatch):
    """Also while a third run notes something else of the same environment."""
    meetings = []
    look = giving_way.in_the_way
    subject = (simulator.base_url, f"env_push/{LIVE}")
    changed(controller.run(env_push, **PUSH))

    def look_and_meet(starting, remembered, own=None):
        found = look(starting, remembered, own)
        if own is None or meetings:
            return found
        meetings.append(own)
        journal = SqliteJournal(controller.journal_path)
        rows = journal.read(subject)
        assert own in rows
        other = row(FAILED, release="v1", key="another part")
        assert journal.replace(subject, rows, (*rows, other))
        journal.close()
        return [((simulator.base_url, f"manual_backup/{LIVE}/x"), row(SENT, release="x"), Beside.WAITS)]

    monkeypatch.setattr(giving_way, "in_the_way", look_and_meet)
    assert changed(controller.run(env_push, wait_timeout=5, **NEXT))
    assert (len(meetings), len(simulator.writes)) == (1, 2)
    assert [one.release for one in _rows(controller, subject[1])] == ["v3"]
