# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks: when they end, where they count, who sets and releases them, and that controllers of a journal share them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _locks
from ansible_collections.hosting.management.plugins.module_utils._errors import InvalidInput
from ansible_collections.hosting.management.plugins.modules import deploy_lock, release_info
from simulator import seed

pytest_plugins = ["simulator.fixtures", "unit.postgres"]

# A Friday, two days before the clocks of Berlin are put back.
NOW = datetime.fromisoformat("2026-10-23T10:00:00+02:00").timestamp()
BERLIN = ZoneInfo("Europe/Berlin")
LIVE = seed.environment_id(1)
OTHER = seed.environment_id(2)
FREEZE = {"group": "environment_live", "reason": "Black Friday", "until": "3h", "author": "anna"}


def locks_of(controller, environment_id=LIVE, groups=("environment_live",)):
    """The reasons of the locks that stop deployments to an environment."""
    info = controller.run(release_info, environment_id=environment_id, groups=list(groups))
    return [one["reason"] for one in info["locks"]]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("90m", "2026-10-23T11:30+02:00"),
        ("3 h", "2026-10-23T13:00+02:00"),
        ("3d", "2026-10-26T09:00+01:00"),  # 72 hours, over a Sunday with 25
        ("18:00", "2026-10-23T18:00+02:00"),
        ("09:59", "2026-10-24T09:59+02:00"),
        ("10:00", "2026-10-24T10:00+02:00"),
        ("Monday 06:00", "2026-10-26T06:00+01:00"),
        ("mon 6:00", "2026-10-26T06:00+01:00"),
        ("Friday 09:00", "2026-10-30T09:00+01:00"),
        ("friday 11:00", "2026-10-23T11:00+02:00"),
        ("2026-11-30", "2026-11-30T00:00+01:00"),
        ("2026-11-30 06:00", "2026-11-30T06:00+01:00"),
        ("2026-11-30T06:00Z", "2026-11-30T06:00+00:00"),
        ("2026-11-30T06:00:30-05:00", "2026-11-30T06:00:30-05:00"),
    ],
)
def test_an_end_is_a_duration_a_time_of_the_week_or_a_date(text: str, end: str):
    assert _locks.end_of(text, BERLIN, NOW) == datetime.fromisoformat(end).timestamp()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must be a duration"),
        ("1080", "must be a duration"),  # what YAML makes of 18:00
        ("0h", "must be a duration"),
        ("soon", "must be a duration"),
        ("24:00", "must be a duration"),
        ("Montag 06:00", "must be a duration"),
        ("m 06:00", "must be a duration"),
        ("\x1b[31mnow", "not ' [31mnow'"),
        ("2026-10-23T07:59Z", "that is over: it is 2026-10-23T08:00:00Z"),
        ("2026-10-23T10:00", "that is over"),
        ("367d", "must end within 366 days"),
        ("99999999999999999999d", "must be a duration"),
    ],
)
def test_an_end_that_is_none_is_refused(text: str, said: str):
    with pytest.raises(InvalidInput, match="Nothing was changed") as caught:
        _locks.end_of(text, BERLIN, NOW)
    assert said.replace("' [", "'[") in str(caught.value)


@pytest.mark.parametrize("zone", ["Europe/Nowhere", "../etc/passwd", "/etc/localtime"])
def test_a_time_zone_that_is_none_is_refused(zone: str):
    with pytest.raises(InvalidInput, match="time_zone must be a time zone"):
        _locks.zone_of(zone)


def test_a_lock_counts_for_its_environment_or_group_and_for_all():
    locks = [
        _locks.Lock(kind, name, name, "anna", NOW, NOW + 1, "")
        for kind, name in (("environment", LIVE), ("group", "live"), ("group", "all"), ("environment", "all"))
    ]
    assert [one.name for one in _locks.locks_on(locks, LIVE, ["live"])] == [LIVE, "live", "all"]
    assert [one.name for one in _locks.locks_on(locks, OTHER, [])] == ["all"]


def test_a_lock_is_set_once_shown_where_it_counts_and_released(controller):
    predicted = controller.run(deploy_lock, **FREEZE, check_mode=True)
    assert predicted["changed"]
    assert not controller.journal_path.exists()
    assert locks_of(controller) == []

    first = controller.run(deploy_lock, **FREEZE, diff=True)
    assert first["changed"]
    assert first["diff"] == {"before": {}, "after": first["lock"]}
    assert {name: first["lock"][name] for name in ("environment_id", "group", "reason", "author")} == {
        "environment_id": None,
        **{name: FREEZE[name] for name in ("group", "reason", "author")},
    }
    again = controller.run(deploy_lock, **FREEZE)
    assert (again["changed"], again["lock"]) == (False, first["lock"])
    assert locks_of(controller) == ["Black Friday"]
    assert locks_of(controller, groups=["environment_staging"]) == []

    controller.run(deploy_lock, environment_id=LIVE, reason="import", until="2h")
    both = controller.run(deploy_lock, **FREEZE)["locks"]
    assert [one["reason"] for one in both] == ["import", "Black Friday"]
    assert locks_of(controller) == ["import", "Black Friday"]
    assert locks_of(controller, OTHER) == ["Black Friday"]

    release = {"group": "environment_live", "author": "anna", "state": "absent"}
    assert controller.run(deploy_lock, **release, check_mode=True)["changed"]
    assert locks_of(controller, OTHER) == ["Black Friday"]
    assert [controller.run(deploy_lock, **release)["changed"] for _time in range(2)] == [True, False]
    assert locks_of(controller) == ["import"]
    assert controller.simulator.requests == []


def test_another_end_or_reason_changes_the_lock(controller):
    controller.run(deploy_lock, **FREEZE)
    for change in ({"until": "4h"}, {"reason": "an incident"}):
        result = controller.run(deploy_lock, **{**FREEZE, "until": "4h", **change}, diff=True)
        assert result["changed"]
        assert result["diff"]["before"] != result["diff"]["after"]
    assert locks_of(controller) == ["an incident"]


def test_what_another_has_locked_takes_override_to_replace_or_release(controller):
    controller.run(deploy_lock, **FREEZE)
    same = controller.run(deploy_lock, **{**FREEZE, "author": "ben"})
    assert (same["changed"], same["lock"]["author"]) == (False, "anna")
    for wish in ({"until": "1h", "reason": "mine"}, {"state": "absent"}):
        refused = controller.run(deploy_lock, group="environment_live", author="ben", **wish)
        assert refused["error"]["kind"] == "invalid_input"
        assert refused["msg"].startswith("anna has locked group environment_live until 2")
        assert ": Black Friday. Nothing was changed." in refused["msg"]
    assert locks_of(controller) == ["Black Friday"]
    assert controller.run(deploy_lock, group="environment_live", author="ben", state="absent", override=True)["changed"]
    assert locks_of(controller) == []


def test_a_lock_ends_by_itself(controller, monkeypatch):
    controller.run(deploy_lock, **FREEZE)
    later = datetime.now(UTC) + timedelta(hours=3, seconds=1)
    monkeypatch.setattr(_locks.time, "time", later.timestamp)
    assert locks_of(controller) == []
    release = {"group": "environment_live", "state": "absent"}
    assert not controller.run(deploy_lock, **release)["changed"]
    # What is over is nobody's any more.
    assert controller.run(deploy_lock, **{**FREEZE, "author": "ben"})["changed"]


@pytest.mark.parametrize("text", ["two\nlines", "\x1b[2Jgone", "\u202egnorw", "  blanks ", "x" * 201])
def test_a_text_that_others_could_not_read_is_refused(controller, text: str):
    for options in ({**FREEZE, "reason": text}, {**FREEZE, "group": text}):
        refused = controller.run(deploy_lock, **options)
        assert refused["error"]["kind"] == "invalid_input"
        assert " must " in refused["msg"]
    controller.run(deploy_lock, **{**FREEZE, "author": text})
    for one in controller.run(deploy_lock, environment_id=LIVE, state="absent")["locks"]:
        assert one["author"].isprintable()


def test_without_a_journal_there_is_no_lock(controller):
    refused = controller.run(deploy_lock, **FREEZE, journal="")
    assert refused["error"]["kind"] == "journal"
    assert "Name a journal that all controllers share." in refused["msg"]
    assert controller.run(release_info, environment_id=LIVE, journal="")["locks"] == []


def test_a_lock_of_another_service_does_not_count(controller):
    controller.run(deploy_lock, **FREEZE)
    assert controller.run(release_info, environment_id=LIVE, base_url="https://b.example/v2")["locks"] == []


def test_another_controller_meets_the_lock_in_the_shared_database(controller, postgres_server):
    address = postgres_server.address(postgres_server.new_database())
    controller.options = {"journal": address}
    assert locks_of(controller) == []
    assert controller.run(deploy_lock, **FREEZE)["changed"]
    assert locks_of(controller) == ["Black Friday"]
    assert not controller.run(deploy_lock, **FREEZE)["changed"]
    controller.run(deploy_lock, group="environment_live", author="anna", state="absent")
    assert locks_of(controller) == []
