# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates of plugins and themes: which are chosen, what is told of them, and what happens when some stay behind."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _decision
from ansible_collections.hosting.management.plugins.modules import site_plugin, site_theme
from simulator import seed

pytest_plugins = ["simulator.fixtures"]
pytestmark = pytest.mark.usefixtures("plugins")

LIVE = seed.environment_id(1)
FORMS = {"name": "example-forms", "previous_version": "2.4.1", "version": "2.5.0"}
GALLERY = {"name": "example-gallery", "previous_version": "1.0.3", "version": "1.0.4"}


@pytest.fixture
def plugins(simulator):
    """The plugins by their slugs, as the service has them; the vulnerable one has an update."""
    found = {plugin.name: plugin for plugin in simulator.state.environment(LIVE).plugins}
    found["example-gallery"].update_version = "1.0.4"
    return found


@pytest.fixture
def update(controller):
    """A function that runs the module."""
    return lambda check_mode=False, diff=False, **options: controller.run(
        site_plugin, check_mode=check_mode, diff=diff, environment_id=LIVE, **options
    )


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        ({"select": "updatable"}, ["example-forms", "example-gallery"]),
        ({"select": "vulnerable"}, ["example-gallery"]),
        ({"names": ["example-gallery", "example-seo", "not-installed"]}, ["example-gallery"]),
        ({"names": ["*-forms", "?xample-[g-h]*"]}, ["example-forms", "example-gallery"]),
        ({"names": ["*"], "exclude": ["*-gallery", "not-installed"]}, ["example-forms"]),
        ({"names": ["*-forms"], "select": "vulnerable"}, []),
        ({"names": ["Example-Forms"]}, []),
        ({"select": "updatable", "exclude": ["*"]}, []),
    ],
    ids=str,
)
def test_what_is_updated_can_be_chosen(options, chosen, update, simulator):
    predicted = update(check_mode=True, **options)
    assert simulator.writes == []
    result = update(**options)
    for one in (predicted, result):
        assert [plugin["name"] for plugin in one["plugins"]] == chosen
        assert one["changed"] == bool(chosen)
    assert [write.body for write in simulator.writes] == [{"plugins": [{"name": one} for one in chosen]}] * bool(chosen)
    again = update(**options)
    assert (again["changed"], again["plugins"], len(simulator.writes)) == (False, [], bool(chosen))


def test_check_mode_tells_what_the_run_then_does(update):
    predicted = update(check_mode=True, diff=True, select="updatable")
    result = update(diff=True, select="updatable")
    for one in (predicted, result):
        assert one["plugins"] == [FORMS, GALLERY]
        assert one["vulnerable"] == []
        assert one["diff"] == {
            "before": {"plugins": {"example-forms": "2.4.1", "example-gallery": "1.0.3"}},
            "after": {"plugins": {"example-forms": "2.5.0", "example-gallery": "1.0.4"}},
        }
        assert one["state_source"] == "service"


def test_what_stays_vulnerable_is_told(update, plugins):
    plugins["example-gallery"].is_update_version_vulnerable = True
    plugins["example-seo"].is_version_vulnerable = True
    for check_mode in (True, False):
        result = update(check_mode=check_mode, select="vulnerable")
        assert result["plugins"] == [GALLERY]
        assert result["vulnerable"] == ["example-gallery", "example-seo"]
    result = update(select="vulnerable")
    assert (result["changed"], result["vulnerable"]) == (False, ["example-gallery", "example-seo"])


def test_one_plugin_is_updated_to_a_version(update, simulator):
    options = {"name": "example-gallery", "update_version": "1.0.4"}
    results = [update(check_mode=True, **options), update(**options), update(**options)]
    assert [one["changed"] for one in results] == [True, True, False]
    assert [one["vulnerable"] for one in results] == [[], [], []]
    assert results[0]["plugins"] == results[1]["plugins"] == [GALLERY]
    assert results[2]["plugins"] == [{**GALLERY, "previous_version": "1.0.4"}]
    assert len(simulator.writes) == 1
    result = update(name="nothing", update_version="1")
    assert result["error"]["kind"] == "invalid_input"
    assert "has no plugin nothing. It has: example-forms" in result["msg"]
    assert result["msg"].count("Nothing was changed.") == 1


def test_an_update_that_stays_behind_is_told(update, plugins, simulator, monkeypatch):
    monkeypatch.setattr(_decision, "READS_LAG", 0)
    plugins["example-forms"].update_to = lambda _version: None
    result = update(select="updatable")
    assert result["error"]["kind"] == "operation_failed"
    assert "Not seen at their newest version: example-forms." in result["msg"]
    assert result["changed"]
    assert result["plugins"] == [{**FORMS, "version": "2.4.1"}, GALLERY]
    del plugins["example-forms"].update_to
    result = update(select="updatable")
    assert (result["changed"], result["plugins"]) == (True, [FORMS])
    assert len(simulator.writes) == 2


def test_a_version_that_is_newer_still_is_welcome(update, plugins):
    plugins["example-forms"].update_to = lambda _version: type(plugins["example-forms"]).update_to(
        plugins["example-forms"], "2.6.0"
    )
    result = update(names=["example-forms"])
    assert not result.get("failed")
    assert (result["changed"], result["plugins"]) == (True, [{**FORMS, "version": "2.6.0"}])


def test_an_operation_that_nobody_waited_for_is_waited_for_later(update, simulator):
    simulator.settings.operation_seconds = 0.2
    started = update(select="updatable", wait=False)
    assert (started["plugins"], started["operation"]["state"]) == ([FORMS, GALLERY], "in_progress")
    waited = update(select="updatable")
    assert (waited["changed"], waited["plugins"]) == (False, [FORMS, GALLERY])
    assert waited["operation"]["resumed"]
    assert len(simulator.writes) == 1


def test_a_lost_answer_lets_the_updates_be_sent_again_unless_they_are_there(update, simulator):
    for fault, writes in [("drop_after", 1), ("drop_before", 2)]:
        simulator.reset()
        simulator.fault(fault, "PUT")
        assert update(select="updatable")["error"]["kind"] == "connection"
        assert not update(select="updatable").get("failed")
        assert len(simulator.writes) == writes


def test_where_nobody_tells_what_is_vulnerable_it_cannot_be_selected(update, simulator):
    simulator.fault("status", "GET", ".*/wp-plugins", times=None, status=404)
    result = update(select="vulnerable")
    assert result["error"]["kind"] == "invalid_input"
    assert "does not tell which plugins are vulnerable" in result["msg"]
    result = update(select="updatable")
    assert (result["changed"], result["vulnerable"]) == (True, None)


def test_a_list_of_plugins_that_is_not_there_is_asked_for_once_a_task(update, simulator):
    simulator.settings.operation_seconds = 0.1
    simulator.fault("status", "GET", ".*/wp-plugins", times=None, status=404)
    assert update(select="updatable")["changed"]
    asked = [request.path.rpartition("/")[2] for request in simulator.requests]
    assert (asked.count("wp-plugins"), asked.count("plugins")) == (1, 2)


def test_several_themes_are_updated_with_one_request(controller, simulator):
    several = {"environment_id": LIVE, "names": ["twenty*", "storefront", "nothing"], "exclude": ["*five"]}
    results = [controller.run(site_theme, check_mode=check_mode, **several) for check_mode in (True, False, False)]
    updated = {"name": "storefront", "previous_version": "4.5.0", "version": "4.6.0"}
    assert [(one["changed"], one["themes"]) for one in results] == [(True, [updated]), (True, [updated]), (False, [])]
    assert [(write.path, write.body) for write in simulator.writes] == [
        (f"/sites/environments/{LIVE}/themes/bulk-update", {"themes": [{"name": "storefront"}]})
    ]


def test_several_themes_need_a_service_that_shows_them(controller, simulator):
    result = controller.run(site_theme, environment_id=LIVE, names=["*"], companions=False)
    assert result["error"]["kind"] == "invalid_input"
    assert "does not show the themes" in result["msg"]
    assert simulator.requests == []


@pytest.mark.parametrize("options", [{"names": []}, {"names": [], "select": "updatable"}, {"names": None}], ids=str)
def test_nothing_never_means_everything(options, update, simulator):
    result = update(**options)
    assert result["error"]["kind"] == "invalid_input"
    assert ("names is empty" if options["names"] == [] else "is required: name, names, select") in result["msg"]
    assert simulator.requests == []


def test_an_unknown_environment_is_the_services_to_tell(controller, simulator):
    options = {"environment_id": "00000000-0000-4000-8000-000000000000", "select": "updatable"}
    assert controller.run(site_plugin, **options)["error"]["kind"] == "not_found"
    assert simulator.writes == []
