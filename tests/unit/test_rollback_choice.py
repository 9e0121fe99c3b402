# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which backup a rollback restores, row by row."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.filter.rollback_choice import FilterModule
from ansible_collections.hosting.management.plugins.plugin_utils.deployment import rollback_choice

BACKUPS = [
    {"id": 3, "tag": "before-v2", "created_at": 300},
    {"id": 2, "tag": "before-v2", "created_at": 200},
    {"id": 1, "tag": "before-v1", "created_at": 100},
]
ON_RECORD = {"id": 2, "tag": "before-v2", "problem": None}
THERE = {"release": "v2", "state": "finished", "restored_backup": None, "backup": ON_RECORD}
RESTORED = {"release": None, "backup": None, "restored_backup": {"backup_id": 2, "release": "v2", "state": "finished"}}
NOTHING = {"release": None, "backup": None, "restored_backup": None}
NAME_ONE = "Name one with -e deploy_rollback_backup_id=ID; hosting.management.backup_info lists them."

CHOSEN = {
    "the backup on record, not the newest": (THERE, {}, (2, "before-v2", "v2")),
    "the release is named": (THERE, {"release": "v2"}, (2, "before-v2", "v2")),
    "the one that the user names": (THERE, {"backup_id": 1}, (1, "before-v1", "v2")),
    "named as a text, as -e gives it": (THERE, {"backup_id": "3"}, (3, "before-v2", "v2")),
    "named where nothing is on record": ({**THERE, "backup": None}, {"backup_id": 3}, (3, "before-v2", "v2")),
    "named where no release is known": (NOTHING, {"backup_id": 1}, (1, "before-v1", "rollback to 1")),
    "named after a restore": (RESTORED, {"backup_id": 3}, (3, "before-v2", "v2")),
    "the one that was restored already": (RESTORED, {}, (2, "before-v2", "v2")),
    "restored, and another release is named": (RESTORED, {"release": "v9"}, (2, "before-v2", "v2")),
    "restored for no release": (
        {**RESTORED, "restored_backup": {"backup_id": 2, "release": None}},
        {},
        (2, "before-v2", "rollback to 2"),
    ),
    "restored, and removed since": (
        {**RESTORED, "restored_backup": {"backup_id": 9, "release": "v2"}},
        {},
        (9, "", "v2"),
    ),
    "no id is given as an empty text": (THERE, {"backup_id": ""}, (2, "before-v2", "v2")),
}

REFUSED = {
    "there is no such backup": (
        THERE,
        {"backup_id": 8},
        "shop-live has no backup 8; hosting.management.backup_info lists those that it has. Nothing was done.",
    ),
    "no release is known": (
        NOTHING,
        {},
        (
            "The journal knows no release of shop-live, so it is not known which backup was taken before it."
            f" {NAME_ONE} Nothing was done."
        ),
    ),
    "another release is there": (
        THERE,
        {"release": "v3"},
        (
            "shop-live has v2, and deploy_release is v3. Going back is for the release that is there: leave"
            " deploy_release out, or set it to v2. Nothing was done."
        ),
    ),
    "no backup is on record": (
        {**THERE, "backup": None},
        {},
        f"The journal has no backup of shop-live from before the push of v2. {NAME_ONE} Nothing was restored.",
    ),
    "it is of the wrong moment": (
        {**THERE, "backup": {**ON_RECORD, "problem": "it was begun while something overwrote the environment"}},
        {},
        (
            "The backup before-v2 of shop-live (id 2) cannot undo v2: it was begun while something overwrote the"
            f" environment. {NAME_ONE} Nothing was restored."
        ),
    ),
    "its id is not known": (
        {**THERE, "backup": {"id": None, "tag": "before-v2", "problem": "its id is not known"}},
        {},
        f"The backup before-v2 of shop-live cannot undo v2: its id is not known. {NAME_ONE} Nothing was restored.",
    ),
    "it was removed": (
        {**THERE, "backup": {**ON_RECORD, "id": 9}},
        {},
        (
            "The backup before-v2 of shop-live (id 9) was taken before v2, and the service does not have it any more."
            f" {NAME_ONE} Nothing was restored."
        ),
    ),
}


@pytest.mark.parametrize(("known", "options", "chosen"), CHOSEN.values(), ids=CHOSEN)
def test_the_backup_that_is_chosen(known, options, chosen):
    backup_id, tag, release = chosen
    choice = rollback_choice(known, BACKUPS, "shop-live", **options)
    assert choice == {"backup_id": backup_id, "tag": tag, "release": release, "problem": ""}


@pytest.mark.parametrize(("known", "options", "problem"), REFUSED.values(), ids=REFUSED)
def test_why_none_is_chosen(known, options, problem):
    choice = rollback_choice(known, BACKUPS, "shop-live", **options)
    assert choice == {"backup_id": None, "tag": "", "release": "", "problem": problem}


def test_times_have_no_part_in_it():
    moved = [{**one, "created_at": -one["created_at"]} for one in reversed(BACKUPS)]
    assert rollback_choice(THERE, moved, "shop-live") == rollback_choice(THERE, BACKUPS, "shop-live")


def test_the_filter_is_the_function():
    assert FilterModule().filters() == {"rollback_choice": rollback_choice}


RESTORE = {"changes": [{"part": "restore", "before": "v2", "after": 2}]}
HELD = {
    "as planned": (THERE, RESTORE, 2),
    "restored already": (RESTORED, RESTORE, 2),
    "restored already, not planned": (RESTORED, {"changes": []}, 2),
    "another backup": (THERE, {"changes": [{"part": "restore", "before": "v2", "after": 1}]}, None),
    "another release": (THERE, {"changes": [{"part": "restore", "before": "v1", "after": 2}]}, None),
    "nothing planned": (THERE, {"changes": []}, None),
}


@pytest.mark.parametrize(("known", "planned", "chosen"), HELD.values(), ids=HELD)
def test_only_the_planned_backup_is_chosen(known, planned, chosen):
    choice = rollback_choice(known, BACKUPS, "shop", planned=planned)
    assert choice["backup_id"] == chosen
    assert choice["problem"].endswith("Nothing was done. Make a new plan.") is (chosen is None)


@pytest.mark.parametrize(
    ("known", "planned", "problem"),
    [
        (
            THERE,
            {"changes": [{"part": "restore", "before": "v1", "after": 1}]},
            "shop has v2, to be replaced by backup 2, and the plan has the restore of backup 1 over v1.",
        ),
        (
            {**THERE, "release": None},
            {"changes": []},
            "shop has no known release, to be replaced by backup 2, and the plan has no restore.",
        ),
    ],
)
def test_what_is_not_planned_says_what_is_there_and_what_the_plan_has(known, planned, problem):
    choice = rollback_choice(known, BACKUPS, "shop", backup_id=2, planned=planned)
    assert choice["problem"] == f"{problem} Nothing was done. Make a new plan."
