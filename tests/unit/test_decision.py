# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""decide(): the tables of docs/idempotence.md, row by row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.hosting.management.plugins.module_utils._decision import (
    HORIZON,
    READS_LAG,
    Decision,
    Seen,
    Sight,
    Step,
    Wanted,
    counting_entry,
    decide,
)
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry
from ansible_collections.hosting.management.plugins.module_utils._progress import (
    FAILED,
    FINISHED,
    IN_PROGRESS,
    NOT_DONE,
    SENT,
    UNKNOWN,
)

NOW = 1_800_000_000.0
OURS, ANOTHER = "our value", "another value"
DESIRED, DIFFERENT, NOT_SHOWN = (Seen(sight) for sight in (Sight.DESIRED, Sight.DIFFERENT, Sight.NOT_SHOWN))
STATE = Wanted(OURS, repeatable=True)
UNREPEATABLE = Wanted(OURS, repeatable=False)
EITHER = pytest.mark.parametrize("wanted", [STATE, UNREPEATABLE], ids=["repeatable", "unrepeatable"])


def row(progress: str, wanted: str = OURS, *, age: float = 60, **fields) -> Entry:
    """A row of the journal that was sent ``age`` seconds ago, and has ended since if it says so."""
    ended_at = NOW - age if progress in (FINISHED, FAILED, UNKNOWN) else None
    return Entry(wanted, progress, NOW - age, NOW, "somebody", **{"ended_at": ended_at, **fields})


# ---- states ---------------------------------------------------------------------------------------------------------


@EITHER
@pytest.mark.parametrize("progress", [SENT, IN_PROGRESS, FINISHED, FAILED, UNKNOWN])
@pytest.mark.parametrize("value", [OURS, ANOTHER])
def test_nothing_is_done_when_the_service_shows_the_desired_state(wanted: Wanted, progress: str, value: str):
    assert decide(wanted, DESIRED, [row(progress, value)], NOW).step is Step.NOTHING
    assert decide(wanted, DESIRED, [], NOW).step is Step.NOTHING


@EITHER
@pytest.mark.parametrize("seen", [DIFFERENT, NOT_SHOWN], ids=["different", "not shown"])
def test_what_nobody_has_asked_for_is_sent(wanted: Wanted, seen: Seen):
    assert decide(wanted, seen, [], NOW).step is Step.SEND


@EITHER
@pytest.mark.parametrize("seen", [DIFFERENT, NOT_SHOWN], ids=["different", "not shown"])
@pytest.mark.parametrize("value", [OURS, ANOTHER])
@pytest.mark.parametrize("force", [False, True])
def test_a_request_of_another_run_is_answered_first(wanted: Wanted, seen: Seen, value: str, force: bool):
    assert decide(replace(wanted, force=force), seen, [row(SENT, value)], NOW).step is Step.AWAIT_ANSWER


@EITHER
@pytest.mark.parametrize("seen", [DIFFERENT, NOT_SHOWN], ids=["different", "not shown"])
def test_an_accepted_operation_is_followed(wanted: Wanted, seen: Seen):
    assert decide(wanted, seen, [row(IN_PROGRESS)], NOW).step is Step.FOLLOW
    assert decide(wanted, seen, [row(IN_PROGRESS, ANOTHER)], NOW).step is Step.SEND


@EITHER
def test_a_finished_write_counts_where_nothing_is_shown(wanted: Wanted):
    assert decide(wanted, NOT_SHOWN, [row(FINISHED)], NOW).step is Step.NOTHING
    assert decide(wanted, NOT_SHOWN, [row(FINISHED, ANOTHER)], NOW).step is Step.SEND


@EITHER
def test_a_read_may_lag_behind_a_write_that_has_just_finished(wanted: Wanted):
    assert decide(wanted, DIFFERENT, [row(FINISHED, age=READS_LAG)], NOW).step is Step.LOOK_AGAIN
    assert decide(wanted, DIFFERENT, [row(FINISHED, age=READS_LAG + 1)], NOW).step is Step.SEND
    long_ago_but_just_ended = row(FINISHED, age=500, ended_at=NOW - 1)
    assert decide(wanted, DIFFERENT, [long_ago_but_just_ended], NOW).step is Step.LOOK_AGAIN


@EITHER
@pytest.mark.parametrize("seen", [DIFFERENT, NOT_SHOWN], ids=["different", "not shown"])
@pytest.mark.parametrize("progress", [FAILED, NOT_DONE])
def test_what_has_failed_or_was_not_done_is_sent_again(wanted: Wanted, seen: Seen, progress: str):
    assert decide(wanted, seen, [row(progress)], NOW).step is Step.SEND


@pytest.mark.parametrize("seen", [DIFFERENT, NOT_SHOWN], ids=["different", "not shown"])
def test_an_unknown_outcome_is_sent_again_if_that_does_no_harm(seen: Seen):
    assert decide(STATE, seen, [row(UNKNOWN)], NOW).step is Step.SEND


def test_an_unknown_outcome_that_must_not_be_repeated_is_looked_for_up_to_the_horizon():
    assert decide(UNREPEATABLE, DIFFERENT, [row(UNKNOWN, age=HORIZON)], NOW).step is Step.LOOK_AGAIN
    assert decide(UNREPEATABLE, DIFFERENT, [row(UNKNOWN, age=HORIZON + 1)], NOW).step is Step.SEND


@pytest.mark.parametrize("age", [1, HORIZON + 1, 400 * 86400])
def test_an_unknown_outcome_that_nothing_shows_is_for_the_user(age: float):
    assert decide(UNREPEATABLE, NOT_SHOWN, [row(UNKNOWN, age=age)], NOW).step is Step.ASK_THE_USER
    assert decide(replace(UNREPEATABLE, force=True), NOT_SHOWN, [row(UNKNOWN, age=age)], NOW).step is Step.SEND


@EITHER
def test_an_accepted_operation_that_the_service_does_not_show_is_not_sent_again(wanted: Wanted):
    entry = row(IN_PROGRESS)
    assert decide(wanted, replace(NOT_SHOWN, shows_operation=False), [entry], NOW).step is Step.NOTHING
    different = replace(DIFFERENT, shows_operation=False)
    assert decide(wanted, different, [entry], NOW).step is Step.LOOK_AGAIN
    assert decide(wanted, different, [row(IN_PROGRESS, age=HORIZON + 1)], NOW).step is Step.SEND


@pytest.mark.parametrize("seen", [DESIRED, DIFFERENT, NOT_SHOWN], ids=["desired", "different", "not shown"])
@pytest.mark.parametrize("progress", [IN_PROGRESS, FINISHED, FAILED, UNKNOWN])
def test_force_sends_whatever_is_known(seen: Seen, progress: str):
    assert decide(replace(UNREPEATABLE, force=True), seen, [row(progress)], NOW).step is Step.SEND


def test_a_list_is_not_computed_from_a_read_that_lags_behind():
    adding = replace(STATE, relative=True)
    stale, current = Seen(Sight.DIFFERENT, "the list before"), Seen(Sight.DIFFERENT, ANOTHER)
    theirs = row(FINISHED, ANOTHER, age=READS_LAG - 1)
    assert decide(adding, stale, [theirs], NOW).step is Step.LOOK_AGAIN
    assert decide(adding, current, [theirs], NOW).step is Step.SEND
    assert decide(adding, stale, [row(FINISHED, ANOTHER, age=READS_LAG + 1)], NOW).step is Step.SEND
    assert decide(STATE, stale, [theirs], NOW).step is Step.SEND


@pytest.mark.parametrize("progress", [FAILED, UNKNOWN, NOT_DONE])
def test_only_a_write_that_took_effect_makes_a_list_wait_for_the_reads(progress: str):
    theirs = row(progress, ANOTHER, age=1, ended_at=NOW)
    assert decide(replace(STATE, relative=True), Seen(Sight.DIFFERENT, "the list"), [theirs], NOW).step is Step.SEND


# ---- what this task has sent itself ---------------------------------------------------------------------------------


@EITHER
def test_what_this_task_has_sent_is_not_sent_again(wanted: Wanted):
    ours = replace(DIFFERENT, is_ours=True)
    entry = row(FINISHED, age=READS_LAG + 1)
    assert decide(wanted, ours, [entry], NOW) == Decision(Step.EFFECT_MISSING, entry)
    assert decide(wanted, ours, [], NOW) == Decision(Step.EFFECT_MISSING)
    assert decide(wanted, ours, [row(FINISHED, age=1)], NOW).step is Step.LOOK_AGAIN


@EITHER
@pytest.mark.parametrize("progress", [SENT, FINISHED, IN_PROGRESS])
def test_what_this_task_has_done_stays_done_when_another_run_sends_something_else(wanted: Wanted, progress: str):
    ours = replace(NOT_SHOWN, is_ours=True)
    assert decide(wanted, ours, [row(progress, ANOTHER)], NOW) == Decision(Step.NOTHING)
    assert decide(wanted, replace(ours, sight=Sight.DIFFERENT), [row(SENT, ANOTHER)], NOW).step is Step.AWAIT_ANSWER
    failed = row(FAILED)
    assert decide(wanted, ours, [failed], NOW) == Decision(Step.NOTHING, failed)


# ---- which row it is about ------------------------------------------------------------------------------------------


def test_the_row_is_the_one_that_counts():
    for seen in (DESIRED, DIFFERENT, NOT_SHOWN):
        for progress in (IN_PROGRESS, FINISHED, FAILED, UNKNOWN):
            entry = row(progress)
            assert decide(STATE, seen, [row(FINISHED, key="another"), entry], NOW).entry is entry
            assert decide(STATE, seen, [row(progress, ANOTHER)], NOW).entry is None


def test_of_several_answers_that_may_come_the_oldest_is_awaited():
    newer, older = row(SENT, ANOTHER, age=1), row(SENT, ANOTHER, age=2, key="k")
    rows = [row(FINISHED, age=3, key="l"), newer, older]
    assert decide(STATE, DIFFERENT, rows, NOW) == Decision(Step.AWAIT_ANSWER, older)


# ---- actions --------------------------------------------------------------------------------------------------------

FILES, DATABASE = "files", "database"


def push(release: str, part: str = FILES) -> Wanted:
    return Wanted(f"{release} {part}", repeatable=False, key=part, release=release)


def pushed(release: str, part: str = FILES, *, age: float = 60, progress: str = FINISHED) -> Entry:
    return row(progress, f"{release} {part}", age=age, key=part, release=release)


def test_the_same_release_and_part_is_not_pushed_again():
    assert decide(push("v1"), NOT_SHOWN, [pushed("v1")], NOW).step is Step.NOTHING


def test_another_part_of_the_same_release_is_pushed():
    rows = [pushed("v1", FILES)]
    assert decide(push("v1", DATABASE), NOT_SHOWN, rows, NOW).step is Step.SEND
    rows.append(pushed("v1", DATABASE, age=30))
    assert decide(push("v1", FILES), NOT_SHOWN, rows, NOW).step is Step.NOTHING
    assert decide(push("v1", DATABASE), NOT_SHOWN, rows, NOW).step is Step.NOTHING


def test_a_release_stays_when_another_was_never_pushed():
    rows = [pushed("v1", FILES, age=60), pushed("v2", DATABASE, progress=NOT_DONE, age=30)]
    assert decide(push("v1", FILES), NOT_SHOWN, rows, NOW).step is Step.NOTHING


@pytest.mark.parametrize("progress", [FINISHED, FAILED, UNKNOWN, IN_PROGRESS])
def test_an_earlier_release_is_pushed_again_when_another_was_sent_since(progress: str):
    rows = [pushed("v1", FILES, age=60), pushed("v2", DATABASE, age=30, progress=progress)]
    assert decide(push("v1"), NOT_SHOWN, rows, NOW).step is Step.SEND
    assert decide(push("v2"), NOT_SHOWN, rows, NOW).step is Step.SEND


def test_releases_that_were_sent_at_the_same_moment_do_not_replace_each_other():
    rows = [pushed("v1", FILES), pushed("v2", DATABASE)]
    assert decide(push("v1", FILES), NOT_SHOWN, rows, NOW).step is Step.NOTHING
    assert decide(push("v2", DATABASE), NOT_SHOWN, rows, NOW).step is Step.NOTHING


def test_a_push_of_any_part_or_release_is_answered_first():
    rows = [pushed("v1"), pushed("v2", DATABASE, age=1, progress=SENT)]
    assert decide(push("v1"), NOT_SHOWN, rows, NOW).step is Step.AWAIT_ANSWER


@pytest.mark.parametrize("seen", [DIFFERENT, NOT_SHOWN], ids=["different", "not shown"])
def test_what_was_taken_too_long_ago_does_not_count(seen: Seen):
    recent = replace(UNREPEATABLE, not_before=NOW - 100)
    assert decide(recent, NOT_SHOWN, [row(FINISHED, age=100)], NOW).step is Step.NOTHING
    assert decide(recent, seen, [row(FINISHED, age=101)], NOW).step is Step.SEND


def test_what_was_asked_for_too_long_ago_does_not_count_by_a_late_end():
    recent = replace(UNREPEATABLE, not_before=NOW - 100)
    late = row(FINISHED, age=101, ended_at=NOW - 1)
    assert counting_entry(recent, [late], NOW) is None
    assert decide(recent, DIFFERENT, [late], NOW).step is Step.SEND


def test_an_old_request_counts_as_long_as_it_may_still_be_carried_out():
    recent = replace(UNREPEATABLE, not_before=NOW - 100)
    assert decide(recent, NOT_SHOWN, [row(IN_PROGRESS, age=101)], NOW).step is Step.FOLLOW
    assert decide(recent, NOT_SHOWN, [row(UNKNOWN, age=101)], NOW).step is Step.ASK_THE_USER
    assert decide(recent, NOT_SHOWN, [row(UNKNOWN, age=HORIZON)], NOW).step is Step.ASK_THE_USER
    assert decide(recent, NOT_SHOWN, [row(UNKNOWN, age=HORIZON + 1)], NOW).step is Step.SEND


def test_an_accepted_request_whose_operation_is_not_shown_counts_as_done_for_as_long_as_what_was_done():
    recent, unseen = replace(UNREPEATABLE, not_before=NOW - 100), replace(NOT_SHOWN, shows_operation=False)
    assert decide(recent, unseen, [row(IN_PROGRESS, age=100)], NOW).step is Step.NOTHING
    assert decide(recent, unseen, [row(IN_PROGRESS, age=101)], NOW).step is Step.SEND


def test_the_row_that_counts_is_that_of_the_key_and_value():
    rows = [pushed("v1", FILES), pushed("v1", DATABASE, age=30)]
    assert counting_entry(push("v1", DATABASE), rows, NOW) is rows[1]
    assert counting_entry(push("v2", DATABASE), rows, NOW) is None
