# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates that are remembered: who may be updated to what, and what a verdict does to all others."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _judging
from ansible_collections.hosting.management.plugins.module_utils._verdicts import (
    BROKE_IT,
    NOT_KNOWN,
    WORKS,
    Guard,
    Standing,
    Trial,
    Update,
    standing,
)
from ansible_collections.hosting.management.plugins.modules import (
    php_version,
    release_info,
    site_plugin,
    site_theme,
    update_info,
    update_verdict,
)
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

HERE, THERE = seed.environment_id(1), seed.environment_id(2)
FORMS = {"name": "example-forms", "update_version": "2.5.0"}
THEME = {"name": "storefront", "update_version": "4.6.0"}
PHP_8_4 = {"site_id": seed.site_id(1), "version": "8.4"}
UPDATE = {"kind": "plugin", "name": "example-forms", "version": "2.5.0"}
ENDLESS = 3600


def trial(environment_id: str, verdict: str = NOT_KNOWN) -> Trial:
    return Trial(Update("plugin", "example-forms", "2.5.0"), environment_id, environment_id, verdict=verdict)


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        ([], Standing.FIRST),
        ([trial(HERE)], Standing.MAY),
        ([trial(HERE, WORKS)], Standing.MAY),
        ([trial(HERE, BROKE_IT)], Standing.HELD),
        ([trial(THERE)], Standing.WAITS),
        ([trial(THERE, WORKS)], Standing.MAY),
        ([trial(THERE, BROKE_IT)], Standing.HELD),
        ([trial(THERE), trial(HERE)], Standing.MAY),
        ([trial(THERE, WORKS), trial("another")], Standing.MAY),
        ([trial(THERE, WORKS), trial("another", BROKE_IT)], Standing.HELD),
        ([trial(THERE, BROKE_IT), trial(HERE, WORKS)], Standing.HELD),
    ],
)
def test_who_may_be_updated_given_what_is_known_elsewhere(trials, expected):
    verdict, because = standing(HERE, trials)
    assert verdict is expected
    assert (because is None) == (expected in (Standing.MAY, Standing.FIRST))


@pytest.fixture
def plugins(simulator):
    """A function that returns the version of the plugin at both sites."""
    return lambda: [simulator.state.environment(one).plugins[0].version for one in (HERE, THERE)]


def done(result):
    assert "failed" not in result, result["msg"]
    return result


def update(controller, environment_id=HERE, **options):
    options = {"canary": True, "environment_name": f"site {environment_id[-2]}", **options}
    return controller.run(site_plugin, environment_id=environment_id, **options)


def judge(controller, verdict, environment_id=HERE, **options):
    return done(controller.run(update_verdict, environment_id=environment_id, verdict=verdict, **options))


def verdicts(controller, environment_id=HERE):
    known = done(controller.run(update_info, environment_id=environment_id))
    return {f"{one['name']} {one['version']}": one["verdict"] for one in known["updates"]}


WAYS = pytest.mark.parametrize("way", [FORMS, {"names": ["example-forms"]}], ids=["one", "several"])


@WAYS
def test_a_second_site_waits_for_the_verdict_of_the_first(way, controller, plugins):
    assert done(update(controller, **way))["changed"]
    second = done(update(controller, THERE, **way))
    assert not second["changed"]
    assert plugins() == ["2.5.0", "2.4.1"]
    [held] = second["held"]
    assert held == {**held, **UPDATE, "verdict": NOT_KNOWN, "environment_id": HERE, "environment": "site 1"}
    [judged] = judge(controller, WORKS)["updates"]
    assert judged == {**judged, **UPDATE, "previous_version": "2.4.1", "verdict": WORKS}
    again = done(update(controller, THERE, **way))
    assert (again["changed"], again["held"]) == (True, [])
    assert plugins() == ["2.5.0", "2.5.0"]


@WAYS
def test_what_broke_one_site_is_held_back_at_all_others_and_a_newer_version_is_not(way, controller, plugins, simulator):
    done(update(controller, **way))
    judge(controller, BROKE_IT, reason="It answered 500\x1b[31m.")
    [held] = done(update(controller, THERE, **way))["held"]
    assert (held["verdict"], held["reason"]) == (BROKE_IT, "It answered 500 [31m.")
    simulator.state.environment(THERE).plugins[0].update_version = "2.5.1"
    assert done(update(controller, THERE, **{**way, **({"update_version": "2.5.1"} if way == FORMS else {})}))[
        "changed"
    ]
    assert plugins() == ["2.5.0", "2.5.1"]


def test_without_canary_nothing_is_held_back_and_all_is_remembered(controller, plugins):
    done(update(controller, canary=False, **FORMS))
    done(update(controller, THERE, canary=False, **FORMS))
    assert plugins() == ["2.5.0", "2.5.0"]
    assert verdicts(controller) == verdicts(controller, THERE) == {"example-forms 2.5.0": NOT_KNOWN}


def test_check_mode_holds_back_and_notes_nothing(controller):
    assert done(controller.run(site_plugin, check_mode=True, environment_id=HERE, canary=True, **FORMS))["changed"]
    assert verdicts(controller) == {}
    done(update(controller, **FORMS))
    predicted = done(controller.run(site_plugin, check_mode=True, environment_id=THERE, canary=True, **FORMS))
    assert (predicted["changed"], len(predicted["held"])) == (False, 1)
    result = controller.run(update_verdict, check_mode=True, environment_id=HERE, verdict=WORKS)
    assert done(result)["changed"]
    assert verdicts(controller) == {"example-forms 2.5.0": NOT_KNOWN}


def test_an_update_that_was_refused_was_no_trial(controller, simulator):
    simulator.fault("status", "PUT", status=400)
    assert update(controller, **FORMS)["failed"]
    assert verdicts(controller) == {}
    assert done(update(controller, THERE, **FORMS))["changed"]


def test_a_verdict_is_noted_once(controller):
    done(update(controller, **FORMS))
    assert judge(controller, WORKS)["changed"]
    assert not judge(controller, WORKS)["changed"]
    assert not judge(controller, WORKS, **UPDATE)["changed"]
    assert judge(controller, BROKE_IT, **UPDATE)["changed"]
    assert judge(controller, WORKS)["changed"], "a site that works again clears what broke it"


def test_a_version_that_was_rolled_back_stays_held_back(controller, simulator):
    done(update(controller, **FORMS))
    judge(controller, BROKE_IT)
    plugin = simulator.state.environment(HERE).plugins[0]
    plugin.version, plugin.update_version = "2.4.1", "2.5.0"
    assert not judge(controller, WORKS)["changed"]
    assert verdicts(controller) == {"example-forms 2.5.0": BROKE_IT}


def test_an_update_that_never_took_place_is_forgotten(controller, simulator, monkeypatch):
    monkeypatch.setattr(_judging, "READS_LAG", 0.3)
    done(update(controller, **FORMS))
    plugin = simulator.state.environment(HERE).plugins[0]
    plugin.version, plugin.update_version = "2.4.1", "2.5.0"
    for verdict in (BROKE_IT, WORKS):
        assert not judge(controller, verdict)["changed"]
    assert verdicts(controller) == {}


@pytest.mark.parametrize("kind", ["plugin", "theme", "php"])
def test_an_update_that_the_service_does_not_list_yet_is_judged_and_not_forgotten(kind, controller, simulator):
    simulator.settings.reads_lag = 1
    modules = {"plugin": (site_plugin, FORMS), "theme": (site_theme, THEME), "php": (php_version, PHP_8_4)}
    module, options = modules[kind]
    done(controller.run(module, environment_id=HERE, canary=True, wait=False, **options))
    assert done(controller.run(update_info, environment_id=HERE))["has_ended"]
    given = {"site_id": PHP_8_4["site_id"]} if kind == "php" else {}
    assert judge(controller, BROKE_IT, **given)["changed"]
    assert list(verdicts(controller).values()) == [BROKE_IT]


def test_nothing_is_judged_while_an_update_goes_on_and_info_waits_for_its_end(controller, simulator):
    simulator.settings.operation_seconds = ENDLESS
    done(update(controller, wait=False, **FORMS))
    assert not judge(controller, WORKS)["changed"]
    for patience in ({"wait": False}, {"wait_timeout": 0.2}):
        assert done(controller.run(update_info, environment_id=HERE, **patience))["has_ended"] is False
    [operation] = simulator.state.operations.by_id.values()
    operation.ends_at = 0
    assert done(controller.run(update_info, environment_id=HERE))["has_ended"] is True
    assert judge(controller, WORKS)["changed"]


@WAYS
def test_an_update_goes_on_already_when_it_becomes_a_trial(way, controller, monkeypatch):
    has_ended = []
    take = Guard.take

    def take_and_look(self, versions):
        lost = take(self, versions)
        has_ended.append(controller.run(update_info, environment_id=HERE, wait=False)["has_ended"])
        return lost

    monkeypatch.setattr(Guard, "take", take_and_look)
    done(update(controller, **way))
    assert has_ended == [False]


def test_a_person_says_of_a_version_what_is_true_for_all_sites(controller):
    for environment_id in (HERE, THERE):
        done(update(controller, environment_id, canary=False, **FORMS))
        judge(controller, BROKE_IT, environment_id)
    judged = done(controller.run(update_verdict, verdict=WORKS, **UPDATE))["updates"]
    assert {one["environment_id"] for one in judged} == {HERE, THERE}
    assert verdicts(controller, THERE) == {"example-forms 2.5.0": WORKS}


def test_a_person_may_hold_back_what_nobody_has_yet(controller, plugins):
    judge(controller, BROKE_IT, **UPDATE)
    assert done(update(controller, THERE, **FORMS))["held"]
    assert plugins() == ["2.4.1", "2.4.1"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"environment_id": HERE, "kind": "plugin", "version": "2.5.0"}, "kind and name go together"),
        ({"environment_id": HERE, "name": "example-forms"}, "kind and name go together"),
        ({"environment_id": HERE, "name": "example-forms", "kind": "plugin", "version": ""}, "version"),
        ({"environment_id": "shop"}, "environment_id"),
        ({"kind": "plugin", "name": "example-forms", "version": "9.9"}, "knows no environment"),
    ],
)
def test_bad_input_is_told(options, expected, controller):
    result = controller.run(update_verdict, **{"verdict": WORKS, **options})
    assert result["error"]["kind"] == "invalid_input"
    assert expected in result["msg"]


def test_themes_and_php_are_remembered_alike(controller):
    done(controller.run(site_theme, environment_id=HERE, canary=True, **THEME))
    done(controller.run(php_version, environment_id=HERE, canary=True, **PHP_8_4))
    assert verdicts(controller) == {"storefront 4.6.0": NOT_KNOWN, "php 8.4": NOT_KNOWN}
    [held] = done(controller.run(site_theme, environment_id=THERE, canary=True, **THEME))["held"]
    assert (held["kind"], held["name"]) == ("theme", "storefront")
    other = done(
        controller.run(php_version, environment_id=THERE, canary=True, **{**PHP_8_4, "site_id": seed.site_id(2)})
    )
    assert (other["changed"], other["php_version"], len(other["held"])) == (False, "8.3", 1)
    assert len(judge(controller, WORKS, site_id=seed.site_id(1))["updates"]) == 2
    assert done(controller.run(site_theme, environment_id=THERE, canary=True, **THEME))["changed"]


def test_release_info_shows_the_updates(controller):
    done(update(controller, **FORMS))
    [shown] = done(controller.run(release_info, environment_id=HERE))["updates"]
    assert shown == {**shown, **UPDATE, "verdict": NOT_KNOWN}
