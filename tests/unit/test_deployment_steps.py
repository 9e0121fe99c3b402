# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a deployment has come, from what its tasks have registered, and what is left of it, row by row."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.deployment_steps import done_of, known_of, steps_of
from unit.test_deployment_plan import HOST, KNOWN

SETTINGS: dict[str, Any] = {
    **HOST,
    "environment_id": "id of shop",
    "pushes": True,
    "pictures": {},
    "declaration": {},
    "runs_after_push": False,
    "rolls_back": True,
    "rollback_within": 60.0,
    "reads": {"push": {"release": "v2"}},
    "pause_when_unknown": 5,
}
REGISTERED: dict[str, Any] = {
    name: {}
    for name in (
        *("journal", "look", "verified", "backup", "push", "push_end", "parts", "kept", "wp_cli", "restore", "now"),
        *("log", "pictures_before", "compared", "failure", "chosen", "return"),
    )
} | {"waited": [{}, {}]}
NOW = 1000.0


def journal(releases: dict[str, Any], push: dict[str, Any]) -> dict[str, Any]:
    return {"environments": {"id of shop": {"releases": {**KNOWN, **releases}, "push": push}, "id of blog": {}}}


def waited(*ends: dict[str, Any]) -> dict[str, Any]:
    """What a wait for two kinds of operations has registered, of which the second are this environment's."""
    others = {"environments": {"id of blog": {"operations": [{"id": "1", "state": "finished"}]}}}
    return {"results": [others, {"environments": {"id of shop": {"operations": list(ends)}}}]}


def steps(registered: dict[str, Any], **settings: Any) -> dict[str, Any]:
    asked = {**SETTINGS, **settings}
    return steps_of(done_of({**REGISTERED, **registered}, asked), asked, NOW)


def done(registered: dict[str, Any], **settings: Any) -> dict[str, Any]:
    return done_of({**REGISTERED, **registered}, {**SETTINGS, **settings})


PUSHED = {"changed": True, "operation": {"id": "7", "state": "in_progress"}}
THERE, DUE_NOW = {"is_pushed": False}, {"is_pushed": True}
STEPS = {
    "the release is to come": ({}, {}, DUE_NOW, {}, {"brings": "push", "refreshes": False, "reads_again": True}),
    "its push has ended well": (
        {},
        {},
        DUE_NOW,
        {"push": PUSHED, "waited": [waited({"id": "6", "state": "failed"}, {"id": "7", "state": "finished"}), {}]},
        {"brings": "push", "refreshes": True, "reads_again": False},
    ),
    "nobody has seen its end": (
        {},
        {},
        DUE_NOW,
        {"push": PUSHED, "waited": [waited({"id": "7", "state": "unknown"}), {}]},
        {"brings": "push", "refreshes": True, "reads_again": True},
    ),
    "no operation was accepted": (
        {},
        {},
        DUE_NOW,
        {"push": {"changed": True}, "waited": [waited({"id": None, "state": "finished"}), {}]},
        {"brings": "push", "refreshes": True, "reads_again": True},
    ),
    "it is there": ({}, {}, THERE, {}, {"brings": "nothing", "refreshes": False, "reads_again": False}),
    "it is on its way": (
        {},
        {"state": "in_progress"},
        THERE,
        {},
        {"brings": "push", "refreshes": False, "reads_again": True},
    ),
    "it is of unknown outcome": (
        {},
        {},
        {"error": {"kind": "outcome_unknown"}},
        {},
        {"brings": "push", "refreshes": False, "reads_again": True},
    ),
    "nothing is pushed at all": ({}, {}, {}, {}, {"brings": "nothing", "refreshes": False, "reads_again": False}),
    "PHP was not restarted since": (
        {},
        {"is_restarted": False},
        THERE,
        {},
        {"brings": "nothing", "refreshes": True, "reads_again": False},
    ),
    "nothing is to be restarted": (
        {"restarts_php": False},
        {"is_restarted": False},
        THERE,
        {},
        {"brings": "nothing", "refreshes": False, "reads_again": False},
    ),
    "a cache was not cleared": (
        {},
        {"cleared_caches": ["site"]},
        THERE,
        {},
        {"brings": "nothing", "refreshes": True, "reads_again": False},
    ),
    "something failed": (
        {},
        {},
        THERE,
        {"failure": {"step": "verify", "error": {}}},
        {"brings": "nothing", "refreshes": False, "reads_again": True},
    ),
    "it went back": (
        {},
        {},
        THERE,
        {"return": {"backup_id": 5}},
        {"brings": "nothing", "refreshes": False, "reads_again": True},
    ),
}


@pytest.mark.parametrize(("host", "known", "prediction", "registered", "expected"), STEPS.values(), ids=STEPS)
def test_which_steps_are_left(host, known, prediction, registered, expected):
    found = steps({"journal": journal(known, prediction), **registered}, **host)
    found["refreshes"] = bool(found["declaration"])
    assert {name: found[name] for name in expected} == expected


def test_where_the_journal_could_not_be_read_the_release_is_left_alone_and_read_again():
    assert steps({})["brings"] == "nothing"
    assert steps({"push": PUSHED})["declaration"]


PICTURES = {"before": "/pictures/before"}
BRINGS = {
    "as it is": ({}, "push"),
    "pages are compared": ({"pictures": PICTURES}, "push_with_pictures"),
    "pages are not compared in check mode": ({"pictures": PICTURES, "check_mode": True}, "push"),
}


@pytest.mark.parametrize(("host", "brings"), BRINGS.values(), ids=BRINGS)
def test_how_the_release_is_brought(host, brings):
    assert steps({"journal": journal({}, DUE_NOW)}, **host)["brings"] == brings


def test_what_a_site_forgets_is_what_is_wanted_once_for_the_release():
    host = {"caches": ["site", "cdn"], "cdn_cache_id": "7"}
    once = {"release": "v2", "force": True}
    found = steps({"push": PUSHED}, **host)
    caches = [
        {**once, "if_offered": True, "cache": "site"},
        {**once, "if_offered": True, "cache": "cdn", "cdn_cache_id": "7"},
    ]
    assert found["declaration"] == {"php_restart": once, "caches": caches}
    assert steps({"push": PUSHED}, **host | {"restarts_php": False})["declaration"] == {"caches": caches}
    without_id = steps({"push": PUSHED}, **host | {"cdn_cache_id": ""})["declaration"]["caches"]
    assert without_id[1] == {**once, "if_offered": True, "cache": "cdn"}
    assert steps({"push": PUSHED}, **host | {"caches": []})["declaration"] == {"php_restart": once}
    assert steps({"push": PUSHED}, **host | {"restarts_php": False, "caches": []})["declaration"] == {}


HALF_DONE = journal({"is_restarted": False}, THERE)
NEWS = {
    "this run has pushed it": ({"push": PUSHED}, {}, ("v2", True)),
    "it was there": ({"journal": journal({}, THERE)}, {}, ("v2", False)),
    "an earlier run did not come to the restart": ({"journal": HALF_DONE}, {}, ("v2", True)),
    "nobody wants a restart": ({"journal": HALF_DONE}, {"restarts_php": False}, ("v2", False)),
    "nothing is pushed": ({"journal": HALF_DONE}, {"pushes": False}, ("v2", False)),
    "a backup was restored": (
        {"push": PUSHED, "chosen": {"release": "v2", "backup_id": 5}, "restore": {"changed": True}},
        {},
        ("v2, backup 5", True),
    ),
    "it had been restored before": (
        {"push": PUSHED, "chosen": {"release": "v2", "backup_id": 5}, "restore": {"changed": False}},
        {},
        ("v2, backup 5", False),
    ),
}


@pytest.mark.parametrize(("registered", "host", "news"), NEWS.values(), ids=NEWS)
def test_for_what_a_site_forgets_what_was_there(registered, host, news):
    assert tuple(done(registered, **host)["news"].values()) == news


def test_what_one_task_has_found_out_for_all_is_taken_of_this_environment_only():
    verified = {"sites": {"shop": {"failed": True}, "blog": {"failed": False}}}
    found = done({"verified": verified, "waited": [waited({"id": "7"}), waited({"id": "8"})]})
    assert found["site"] == {"failed": True}
    assert found["ends"] == [{"id": "7"}, {"id": "8"}]
    assert found["looked"] == {}


def test_after_a_rollback_the_site_is_asked_anew():
    verified = {"sites": {"shop": {"failed": True}}}
    assert done({"verified": verified, "chosen": {"backup_id": 5}})["site"] == {}


def test_the_backup_is_as_the_push_has_seen_its_end():
    begun = {"changed": True, "removed": [{"id": 1}], "backup": {"id": None, "tag": "before-v2"}}
    assert done({"backup": begun})["backup"] == begun
    assert done({"backup": begun, "push": {"backup": {"id": 5}}})["backup"] == {**begun, "backup": {"id": 5}}
    assert done({"backup": {"skipped": True}})["backup"] == {"changed": False, "removed": [], "backup": {}}


DECLARED = {"declaration": {"domains": [{"domain_name": "shop.example.com"}], "denied_ips": []}}
DECLARES = {
    "something": ({}, DECLARED, True),
    "nothing": ({}, {}, False),
    "seen to before the commands": ({"parts": {"parts": {"domains": {"changed": True}}}}, DECLARED, False),
    "it went back": ({"chosen": {"backup_id": 5}}, DECLARED, False),
}


@pytest.mark.parametrize(("registered", "host", "declares"), DECLARES.values(), ids=DECLARES)
def test_what_is_declared_is_seen_to_once(registered, host, declares):
    found = steps(registered, **host)
    assert found["declares"] is declares
    assert found["declaration"] == (DECLARED["declaration"] if declares else {})


def test_what_is_declared_and_what_a_site_forgets_are_seen_to_together():
    declared = {"domains": [{"domain_name": "shop.example.com"}]}
    assert list(steps({"push": PUSHED}, declaration=declared)["declaration"]) == ["domains", "php_restart", "caches"]


BEGUN: dict[str, Any] = {"changed": True, "operation": {"id": "8", "state": "in_progress"}}
BEGUN["operations"] = [BEGUN["operation"]]
ENDED = {"waited": [waited({"id": "8", "state": "finished"}), {}]}
DUE: dict[str, Any] = {"journal": journal({}, {"is_pushed": True}), "push": BEGUN}
WORKS: dict[str, Any] = {"verified": {"sites": {"shop": {"failed": False}}}}
BROKEN: dict[str, Any] = {"verified": {"sites": {"shop": {"failed": True, "msg": "It answered 500."}}}}
FILES = {
    "all has ended well, and the site works": (
        {**DUE, **ENDED, **WORKS},
        {"verifies": True},
        ("refresh", "nothing", "nothing"),
    ),
    "the site does not work": ({**DUE, **ENDED, **BROKEN}, {"verifies": True}, ("refresh", "verify", "verify")),
    "the site was not asked with the others": ({**DUE, **ENDED}, {"verifies": True}, ("refresh", "verify", "verify")),
    "nothing is verified": ({**DUE, **ENDED}, {}, ("refresh", "nothing", "nothing")),
    "nothing is verified in check mode": (
        {**DUE, **ENDED},
        {"verifies": True, "check_mode": True},
        ("refresh", "nothing", "nothing"),
    ),
    "nothing has to be forgotten": (
        {"journal": journal({}, {"is_pushed": False})},
        {"verifies": True},
        ("nothing", "verify", "verify"),
    ),
    "commands come between": ({**DUE, **ENDED}, {"runs_after_push": True}, ("after_push", "nothing", "nothing")),
    "tasks come last": ({**DUE, **ENDED}, {"after_tasks": ["a.yml"]}, ("refresh", "last", "last")),
    "pictures are compared": (
        {**DUE, **ENDED, "pictures_before": {"pictures": ["home"]}},
        {"verifies": True},
        ("refresh", "last", "last"),
    ),
    "nobody has seen the push ending": (DUE, {"verifies": True}, ("after_push", "ended", "verify")),
    "a cache is still being cleared": (
        {**DUE, **ENDED, "kept": {"operations": [{"id": "9", "state": "in_progress"}]}},
        {"verifies": True},
        ("refresh", "ended", "verify"),
    ),
}


@pytest.mark.parametrize(("registered", "host", "files"), FILES.values(), ids=FILES)
def test_which_steps_come_next(registered, host, files):
    found = steps(registered, **host)
    assert (found["after_push"], found["last"], found["verification"]) == files


TAKEN = {"pictures": ["home"]}
COMPARES = {
    "there are some from before": (TAKEN, PUSHED, True),
    "nothing was pushed": (TAKEN, {"changed": False}, False),
    "there are none": ({}, PUSHED, False),
    "a page did not work": ({**TAKEN, "error": {"kind": "check_failed"}}, PUSHED, False),
}


@pytest.mark.parametrize(("before", "push", "compares"), COMPARES.values(), ids=COMPARES)
def test_pictures_are_compared_with_those_from_right_before_the_push(before, push, compares):
    assert steps({"pictures_before": before, "push": push})["compares_pictures"] is compares


LOCK = {"until": "2026-12-01", "author": "ops", "reason": "sale", "group": None}
LOCKS = {"none": ([], False, False), "one": ([LOCK], False, True), "one to be ignored": ([LOCK], True, False)}


@pytest.mark.parametrize(("locks", "ignores", "meets"), LOCKS.values(), ids=LOCKS)
def test_a_lock_is_met_unless_it_is_to_be_ignored(locks, ignores, meets):
    found = steps({"journal": journal({"locks": locks}, DUE_NOW)}, ignores_lock=ignores)
    assert found["meets_locks"] is meets
    assert bool(found["locks"]["refused"]) is meets


BROKEN = {"step": "verify", "task": "Ask the site", "msg": "no", "error": {"kind": "check_failed"}}
THERE_NOW = {"release": "v2", "state": "finished", "sent_at": "1970-01-01T00:16:00+00:00"}  # 40 s ago
GOES_BACK = {
    "the site does not work": ({}, {}, True),
    "nothing failed": ({"failure": {}}, {}, False),
    "nothing was sent in check mode": ({}, {"check_mode": True}, False),
    "nobody wants to": ({}, {"rolls_back": False}, False),
    "the push is too long ago": ({}, {"rollback_within": 30.0}, False),
    "this run has pushed it": ({"push": PUSHED}, {"rollback_within": 30.0}, True),
    "nobody knows whether its push has ended": (
        {"push": PUSHED, "push_end": {"operation": {"state": "unknown"}}, "now": {"release": "v2", "state": "unknown"}},
        {},
        True,
    ),
    "nor anybody else": (
        {"push": {**PUSHED, "operation": {"state": "unknown"}}, "now": {"release": "v2", "state": "unknown"}},
        {},
        True,
    ),
    "its push goes on": ({"push": PUSHED, "now": {"release": "v2", "state": "in_progress"}}, {}, False),
}


@pytest.mark.parametrize(("registered", "host", "goes_back"), GOES_BACK.values(), ids=GOES_BACK)
def test_whether_it_goes_back(registered, host, goes_back):
    assert steps({"failure": BROKEN, "now": THERE_NOW, **registered}, **host)["goes_back"] is goes_back


ACCEPTED = {"id": "8", "state": "in_progress"}
OPEN = {
    "nothing was begun": ({}, [], False),
    "it goes on": ({"operations": [ACCEPTED]}, [], True),
    "it has ended well": ({"operations": [ACCEPTED]}, [{"id": "8", "state": "finished"}], False),
    "it has failed": ({"operations": [ACCEPTED]}, [{"id": "8", "state": "failed"}], True),
    "it had ended before": ({"operations": [{"id": "8", "state": "finished"}]}, [], False),
    "it has to wait": ({"operations": [], "parts": {"domains": {"waits_for": "a push"}}}, [], True),
}


@pytest.mark.parametrize(("kept", "ends", "is_open"), OPEN.values(), ids=OPEN)
def test_what_has_not_ended_well_is_looked_at_by_the_host_itself(kept, ends, is_open):
    assert steps({"kept": kept, "waited": [{}, waited(*ends)]})["is_open"] is is_open


def test_a_push_that_nobody_has_seen_ending_is_looked_at_by_the_host_itself():
    accepted = {"changed": True, "operation": ACCEPTED, "operations": [ACCEPTED]}
    assert steps({"push": accepted})["push_is_open"] is True
    assert steps({"push": accepted, "waited": [waited({"id": "8", "state": "finished"}), {}]})["push_is_open"] is False


ACCEPTED_PUSH = {"changed": True, "operation": ACCEPTED, "operations": [ACCEPTED]}
PUSH_TO_END = {"release": "v2", "started": ACCEPTED_PUSH, "pause_when_unknown": 5}
ENDED_BY_ITSELF = {"operation": {"id": "8", "state": "finished", "seconds": 3.1}}
OPEN = {
    "nobody has seen it": ({}, {**PUSH_TO_END, "ended": {"operations": []}}),
    "it is known not to have ended in time": (
        {"waited": [waited({"id": "8", "state": "in_progress"}), {}]},
        {**PUSH_TO_END, "ended": {"operations": [{"id": "8", "state": "in_progress"}]}},
    ),
    "one wait has seen it": ({"waited": [waited({"id": "8", "state": "finished"}), {}]}, {}),
    "it was brought to its end with the rest": ({"kept": {"push": ENDED_BY_ITSELF}}, {}),
    "it was brought to its end before the rest": ({"push_end": ENDED_BY_ITSELF}, {}),
    "it has failed": ({"failure": {"step": "push", "error": {}}}, {}),
}


@pytest.mark.parametrize(("registered", "push"), OPEN.values(), ids=OPEN)
def test_the_push_that_is_brought_to_its_end_with_the_rest(registered, push):
    assert steps({"push": ACCEPTED_PUSH, **registered})["open_push"] == push


def test_a_push_that_was_brought_to_its_end_with_the_rest_is_known_to_have_ended():
    registered = {**looked(False), "push": ACCEPTED_PUSH, "kept": {"push": ENDED_BY_ITSELF}}
    assert steps(registered)["reads_again"] is False
    found = done(registered)
    assert (found["push_end"], found["ends"]) == (ENDED_BY_ITSELF, [ENDED_BY_ITSELF["operation"]])


def test_what_a_host_has_looked_at_alone_counts_more_than_what_was_read_for_all():
    own, skipped = looked(True)["journal"], {"changed": False, "skipped": True}
    for journal_ in (skipped, {}, looked(False)["journal"]):
        assert done({"look": own, "journal": journal_})["looked"]["is_busy"] is True
    assert done({"look": {}, "journal": own})["looked"]["is_busy"] is True


def looked(is_busy: bool, *, is_pushed: bool = True, **known: Any) -> dict[str, Any]:
    at_shop = {"releases": {**KNOWN, **known}, "push": {"is_pushed": is_pushed}, "is_busy": is_busy}
    return {"journal": {"environments": {"id of shop": at_shop}}}


WAYS = {
    "just a push": (looked(False), {}, ("environment", False, "push")),
    "something is under way": (looked(True), {}, ("environment_with_more", True, "push")),
    "the journal could not be read": ({}, {}, ("environment_with_more", True, "nothing")),
    "there is a lock": (looked(False, locks=[LOCK]), {}, ("environment_with_more", True, "push")),
    "commands come after": (looked(False), {"runs_after_push": True}, ("environment_with_more", False, "push")),
    "tasks come before": (looked(False), {"before_tasks": ["a.yml"]}, ("environment_with_more", True, "push")),
    "the release is there": (looked(False, is_pushed=False), {}, ("environment_with_more", False, "nothing")),
    "pages are compared": (
        looked(False),
        {"pictures": PICTURES},
        ("environment_with_more", False, "push_with_pictures"),
    ),
}


@pytest.mark.parametrize(("registered", "host", "way"), WAYS.values(), ids=WAYS)
def test_where_there_is_just_a_push_nothing_else_is_looked_for(registered, host, way):
    found = steps(registered, **host)
    assert (found["way"], found["has_more_before"], found["brings"]) == way


VARIABLES = {name: f"__deploy_{name}" for name in ("settings", *REGISTERED)} | {
    "waited": ["__deploy_one", "__deploy_two"]
}


def known(registered: dict[str, Any], **settings: Any) -> dict[str, Any]:
    """What the lookup deploy_steps returns for a host whose tasks have registered these."""
    values = {"settings": {**SETTINGS, **settings}, **REGISTERED, **registered}
    variables = {VARIABLES[name]: value for name, value in values.items() if name != "waited"}
    return known_of(VARIABLES, {**variables, **dict(zip(VARIABLES["waited"], values["waited"], strict=True))})


def test_a_lookup_finds_in_the_variables_how_far_a_host_has_come():
    shown = {"failed": True, "checks": ["home"]}
    registered = {
        "journal": journal({}, DUE_NOW),
        "push": {**PUSHED, "backup": {"id": 3}},
        "verified": {"sites": {HOST["environment"]: shown}},
        "waited": [{}, waited({"id": "7", "state": "finished"})],
    }
    found = known(registered)
    values = {**REGISTERED, **registered}
    assert found["done"] == done_of(values, SETTINGS)
    assert {name: found[name] for name in steps(registered)} == steps(registered)
    assert found["looked"] == journal({}, DUE_NOW)["environments"]["id of shop"]
    assert found["site"] == shown
    assert found["ended"] == {"operations": [{"id": "7", "state": "finished"}]}
    assert found["for_hooks"] == {"backup": {"id": 3}, "is_pushed": True}


def test_nothing_has_ended_where_nothing_was_waited_for():
    assert known({"journal": journal({}, DUE_NOW)})["ended"] == {}


@pytest.mark.parametrize(("ago", "goes_back"), [(30, True), (90, False)])
def test_a_lookup_goes_by_the_time_at_which_it_is_asked(ago, goes_back):
    sent_at = datetime.fromtimestamp(time.time() - ago, UTC).isoformat()
    broken = {"failure": BROKEN, "now": {**THERE_NOW, "sent_at": sent_at}}
    assert known(broken)["goes_back"] is goes_back
