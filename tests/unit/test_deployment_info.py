# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a deployment would find, in one task: what is there, what a push would do, and where the ids lead."""

from __future__ import annotations

from unittest.mock import ANY

import pytest

from ansible_collections.hosting.management.plugins.modules import (
    deployment_info,
    env_push,
    environment_info,
    release_info,
)
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

SITE, LIVE, STAGING = seed.site_id(1), seed.environment_id(1), seed.environment_id(1, seed.STAGING)
V1 = {"site_id": SITE, "source_env_id": STAGING, "release": "v1"}


def look(controller, **options):
    result = controller.run(deployment_info, environment_id=LIVE, **options)
    assert "failed" not in result, result["msg"]
    assert not result["changed"]
    return result


def push(controller, **options):
    return controller.run(env_push, target_env_id=LIVE, **{**V1, **options})


def test_it_is_what_the_three_modules_tell(controller, simulator):
    assert push(controller)["changed"]
    simulator.clear_requests()
    found = look(controller, site_id=SITE, push=V1)
    assert [one.path.removeprefix("/v2") for one in simulator.requests] == [f"/sites/{SITE}/environments"]
    known = controller.run(release_info, environment_id=LIVE)
    assert found["releases"] == {name: value for name, value in known.items() if name not in ("changed", "warnings")}
    assert found["releases"]["release"] == "v1"
    listed = controller.run(environment_info, site_id=SITE)
    assert found["site"] == {"environments": listed["environments"], "msg": None, "error": None}
    assert found["push"] == {"is_pushed": False, "msg": None, "error": None}


@pytest.mark.parametrize(
    ("options", "is_pushed"),
    [({}, False), ({"release": "v2"}, True), ({"force": True}, True), ({"push_db": False}, True)],
    ids=["the same", "another release", "forced", "another part"],
)
def test_it_foresees_the_push_without_a_request(options, is_pushed, controller, simulator):
    push(controller)
    simulator.clear_requests()
    assert look(controller, push={**V1, **options})["push"]["is_pushed"] is is_pushed
    assert simulator.requests == []
    assert push(controller, **options)["changed"] is is_pushed


def test_a_push_of_unknown_outcome_is_foreseen_as_it_would_fail(controller, simulator):
    simulator.fault("drop_after", "PUT")
    assert push(controller)["failed"]
    foreseen = look(controller, push=V1)["push"]
    failed = push(controller)
    assert foreseen == {"is_pushed": False, "msg": failed["msg"], "error": failed["error"]}
    assert failed["error"]["kind"] == "outcome_unknown"


@pytest.mark.parametrize("status", [404, 500])
def test_a_service_that_does_not_list_the_environments_fails_nothing(status, controller, simulator):
    simulator.fault("status", "GET", status=status, times=5)
    site = look(controller, site_id=SITE)["site"]
    assert site["environments"] is None
    assert (site["error"]["status"], site["error"]["is_offered"]) == (status, status != 404)
    assert site["msg"]


def test_a_key_that_is_refused_fails_the_task(controller):
    result = controller.run(deployment_info, environment_id=LIVE, site_id=SITE, api_key="wrong")
    assert result["error"]["kind"] == "unauthorized"


def test_what_is_not_asked_for_is_null(controller, simulator):
    found = look(controller)
    assert (found["push"], found["site"]) == (None, None)
    assert simulator.requests == []


def test_many_environments_are_looked_up_in_the_journal_alone(controller, simulator):
    push(controller)
    other = seed.environment_id(2)
    simulator.clear_requests()
    wanted = [
        {"environment_id": LIVE, "push": V1, "groups": ["shops"]},
        {"environment_id": other, "push": {**V1, "site_id": seed.site_id(2)}},
    ]
    found = controller.run(deployment_info, environments=wanted)["environments"]
    alone = look(controller, push=V1)
    assert found[LIVE] == {**{name: alone[name] for name in ("is_busy", "releases", "push")}, "read_at": ANY}
    assert (found[other]["releases"]["release"], found[other]["push"]["is_pushed"]) == (None, True)
    assert simulator.requests == []


def test_what_is_declared_is_compared_where_nothing_is_pushed(controller, simulator):
    declared = {"domains": ["new.example.com"], "denied_ips": ["198.51.100.7"]}
    assert "parts" not in look(controller, push=V1, compare_with=declared), "it is to be pushed first"
    push(controller)
    simulator.clear_requests()
    found = look(controller, push=V1, compare_with=declared)
    assert found["differs"] == ["denied_ips", "domains"]
    assert found["parts"]["denied_ips"]["after"] == ["198.51.100.7"]
    assert not simulator.writes
    assert look(controller, compare_with={"denied_ips": []})["differs"] == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"compare_with": {"denied_ips": ["x"]}}, "compare_with: denied_ips.ip_list has an entry that is no"),
        ({"push": {"site_id": SITE}}, "push: missing required arguments: source_env_id"),
        ({"push": {**V1, "source_env_id": LIVE}}, "push.source_env_id is the environment itself"),
        ({"push": {**V1, "what": 1}}, "push has no option what"),
        ({"push": {**V1, "push_db": False, "push_files": False}}, "push_db and push_files are both false"),
        ({"push": "v1"}, "push must be a dictionary with the options site_id"),
        ({"site_id": "shop"}, "site_id"),
    ],
)
def test_bad_options_are_refused(options, said, controller, simulator):
    result = controller.run(deployment_info, environment_id=LIVE, **options)
    assert result["error"]["kind"] == "invalid_input"
    assert said in result["msg"]
    assert simulator.requests == []


def test_the_push_to_one_of_many_environments_is_checked_as_that_to_one(controller):
    wanted = [{"environment_id": LIVE}, {"environment_id": STAGING, "push": V1}]
    result = controller.run(deployment_info, environments=wanted)
    assert result["error"]["kind"] == "invalid_input"
    assert "environments[1]: push.source_env_id is the environment itself" in result["msg"]
