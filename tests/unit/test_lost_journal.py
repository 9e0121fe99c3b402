# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A journal that is lost while a task runs: the task says so, and what it has sent is not sent again."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from ansible_collections.hosting.management.plugins.module_utils._journal import open_journal, opening
from ansible_collections.hosting.management.plugins.modules import env_push, manual_backup, push_outcome, release_info
from simulator import seed

pytest_plugins = ["simulator.fixtures", "unit.postgres"]

LIVE, STAGING, SITE = seed.environment_id(1), seed.environment_id(1, seed.STAGING), seed.site_id(1)
PUSH = {"site_id": SITE, "source_env_id": STAGING, "target_env_id": LIVE, "release": "v2"}
ENDLESS = 3600
GONE = "The journal was removed, emptied or replaced while this task ran"
NOTED = f"{GONE}. PUT /sites/{SITE}/environments was sent, which is noted in the journal that is there now."


def failed(result, kind):
    assert result.get("failed"), result
    assert result["error"]["kind"] == kind, result
    return result["msg"]


@pytest.fixture(params=["removed", "replaced", "dropped"])
def lose(request, controller, tmp_path):
    """A function that loses the journal in one of the ways."""
    if request.param == "dropped":
        psycopg = pytest.importorskip("psycopg")
        address = controller.options["journal"] = request.getfixturevalue("postgres")

        def lose():
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute("drop table hosting_management_journal")

        return lose
    path, spare = controller.journal_path, tmp_path / "elsewhere" / "journal.db"

    def lose():
        for file in path.parent.glob("journal.db*"):
            if not file.name.endswith(".made"):
                file.unlink()
        if request.param == "replaced":
            other = open_journal(str(spare))
            other.replace((controller.simulator.base_url, "php_restart/x"), (), ())
            other.close()
            spare.rename(path)

    return lose


def end_of_process():
    """Close the journals that this process keeps open for its next tasks."""
    while opening._kept.journals:
        opening._kept.journals.popitem()[1].close()


def rows(controller):
    journal = open_journal(controller.options["journal"])
    try:
        return journal.read((controller.simulator.base_url, f"env_push/{LIVE}"))
    finally:
        journal.close()


def while_it_runs(controller, do, module, **options):
    """Run a task, and do something once the service has got its write; return the result."""
    before = len(controller.simulator.writes)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(controller.run, module, **options)
        while len(controller.simulator.writes) == before and not running.done():
            time.sleep(0.01)
        time.sleep(0.3)  # until the answer is there and noted
        do()
        return running.result()


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "kept"])
def test_lost_while_a_push_goes_on_it_is_told_and_the_push_is_not_repeated(is_new, lose, controller, simulator):
    if not is_new:
        assert controller.run(env_push, **{**PUSH, "release": "v1"})["changed"]
        end_of_process()
    sent = len(simulator.writes)
    simulator.settings.operation_seconds = 1
    result = while_it_runs(controller, lose, env_push, wait_timeout=20, **PUSH)
    message = failed(result, "journal")
    assert NOTED in message
    assert (result["changed"], result["error"]["operation_id"]) == (True, rows(controller)[0].operation_id)
    again = controller.run(env_push, wait_timeout=20, **PUSH)
    assert (again["changed"], len(simulator.writes)) == (False, sent + 1)
    assert controller.run(release_info, environment_id=LIVE)["release"] == "v2"


def test_lost_while_the_time_of_the_task_runs_out(lose, controller, simulator):
    simulator.settings.operation_seconds = 5
    result = while_it_runs(controller, lose, env_push, wait_timeout=3, **PUSH)
    message = failed(result, "operation_timeout")
    assert NOTED in message
    again = controller.run(env_push, wait_timeout=20, **PUSH)
    assert (again["changed"], again["operation"]["resumed"], len(simulator.writes)) == (False, True, 1)


def test_lost_before_the_answer(lose, controller, simulator):
    simulator.settings.latency = 0.8
    simulator.settings.operation_seconds = ENDLESS
    message = failed(while_it_runs(controller, lose, env_push, wait=False, **PUSH), "journal")
    assert NOTED in message
    again = controller.run(env_push, wait=False, **PUSH)
    assert (again["changed"], len(simulator.writes)) == (False, 1)


def test_lost_with_the_answer_the_user_is_asked(lose, controller, simulator):
    simulator.settings.latency = 0.8
    simulator.fault("drop_after", "PUT")
    assert NOTED in failed(while_it_runs(controller, lose, env_push, **PUSH), "journal")
    failed(controller.run(env_push, **PUSH), "outcome_unknown")
    assert controller.run(push_outcome, environment_id=LIVE, release="v2", outcome="pushed")["changed"]
    assert not controller.run(env_push, **PUSH)["changed"]


def test_lost_while_a_task_follows_what_an_earlier_one_has_sent(lose, controller, simulator):
    simulator.settings.operation_seconds = 1.2
    controller.run(env_push, wait=False, **PUSH)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(controller.run, env_push, wait_timeout=20, **PUSH)
        time.sleep(0.5)
        lose()
        assert NOTED in failed(running.result(), "journal")
    again = controller.run(env_push, wait_timeout=20, **PUSH)
    assert (again["changed"], len(simulator.writes)) == (False, 1)


def test_lost_while_it_waits_for_its_turn_nothing_is_sent(lose, controller, simulator):
    simulator.settings.operation_seconds = 1.2
    controller.run(env_push, wait=False, **PUSH)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(controller.run, manual_backup, wait_timeout=20, environment_id=LIVE, tag="x")
        time.sleep(0.5)
        lose()
        message = failed(running.result(), "journal")
    assert f"{GONE}, so it is not known any more what was sent earlier. Nothing was sent by this task." in message
    assert len(simulator.writes) == 1


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "kept"])
def test_emptied_while_a_push_goes_on_it_is_whole_again_or_told_and_nothing_is_pushed_twice(
    is_new, controller, simulator
):
    """SQLite may write back what it has beside the file: all, which mends it, or a part, which is no journal at all."""
    if not is_new:
        assert controller.run(env_push, **{**PUSH, "release": "v1"})["changed"]
        end_of_process()
    sent = len(simulator.writes)
    simulator.settings.operation_seconds = 1
    result = while_it_runs(
        controller, lambda: controller.journal_path.write_bytes(b""), env_push, wait_timeout=20, **PUSH
    )
    if result.get("failed"):
        message = failed(result, "journal")
        assert NOTED in message or "file is not a database" in message
    end_of_process()
    again = controller.run(env_push, wait_timeout=20, **PUSH)
    if again.get("failed"):
        assert "file is not a database" in failed(again, "journal")
    assert not again.get("changed")
    assert len(simulator.writes) == sent + 1


def test_a_file_that_was_emptied_is_not_taken_for_what_is_in_memory_of_it(controller):
    assert controller.run(env_push, **PUSH)["changed"]
    end_of_process()
    journal = open_journal(controller.options["journal"])
    assert journal.identity()
    controller.journal_path.write_bytes(b"")
    assert journal.identity() is None
    assert "is gone or empty now" in journal.warning()
