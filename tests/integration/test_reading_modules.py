# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules that only read: they send the documented request, change nothing, and give the same result in both modes."""

from __future__ import annotations

from typing import Any

import pytest

import runs
from integration.playbook import IN_PROCESS, MODES, MODULE_PROCESS, Ansible, Step
from integration.table import COMPANY, LIVE, READING, SITE, STAGING, row_of
from simulator import Simulator, seed

pytest_plugins = ["simulator.fixtures"]


def test_each_sends_the_documented_request_and_nothing_else(ansible: Ansible):
    run = ansible.run(*(row.step() for row in READING if row.module != "operation_info"))
    rows = [row for row in READING if row.module != "operation_info"]
    for row, done in zip(rows, run, strict=True):
        assert not done.changed, done.name
        [request] = done.requests
        assert (request.method, request.path) == (row.method, row.path)
        assert (request.query, request.body) == (row.query, row.body), done.name
        assert request.status == 200, done.name


def test_check_mode_makes_no_difference(ansible: Ansible):
    run = ansible.run(*(row.step(keywords={"check_mode": checked}) for row in READING for checked in (False, True)))
    for really, checked in zip(run[::2], run[1::2], strict=True):
        assert _without_time(checked.result) == _without_time(really.result), checked.name
        assert [request.path for request in checked.requests] == [request.path for request in really.requests]


def _without_time(result: Any) -> Any:
    """A result without what another moment changes: when it was read, and the age of a backup, which has just come."""
    if isinstance(result, list):
        return [_without_time(one) for one in result]
    if not isinstance(result, dict):
        return result
    assert 0 <= result.get("age", 0) < 300
    return {name: _without_time(value) for name, value in result.items() if name not in ("read_at", "age")}


@runs.as_users_do()  # a module process has the interval of looks that users have
def test_a_module_process_gives_the_same(ansible: Ansible):
    results: dict[str, Any] = {}
    for mode in MODES:
        run = ansible.run(*(row.step() for row in READING), hosts=mode)
        results[mode] = [(done.name, _without_time(done.result), len(done.requests)) for done in run]
    assert results[IN_PROCESS] == results[MODULE_PROCESS]


@pytest.mark.sample
def test_values_are_what_the_service_says(ansible: Ansible, simulator: Simulator):
    environment = simulator.state.environment(LIVE)
    run = {done.name.partition(": ")[2]: done.result for done in ansible.run(*(row.step() for row in READING))}
    key = run["api_key_info"]["api_key"]
    assert (key["name"], key["company"], key["expires_in_days"]) == ("simulator", COMPANY, 90)
    assert {plugin["name"] for plugin in run["plugin_info"]["plugins"]} == {"example-forms"}
    visits = run["visits_info"]["visits"]
    assert visits["total"] > 0
    assert all(isinstance(point["visits"], int) for point in visits["points"])
    assert all(isinstance(asn["views"], int) for asn in run["top_asns_info"]["asns"])
    assert run["wp_admin_user_info"]["has_wp_admin_user"] is True
    assert run["downloadable_backup_info"]["is_backup_available"] is True
    assert run["downloadable_backup_info"]["reset_at"] == environment.reset_at
    assert run["sftp_allowlist_info"]["sftp_ip_allowlist"] == list(seed.SFTP_IP_ALLOWLIST)
    assert [(record["type"], record["resource_records"]) for record in run["dns_record_info"]["dns_records"]] == [
        ("A", [{"value": "192.0.2.10"}]),
        ("AAAA", [{"value": "2001:db8::10"}]),
    ]
    assert run["visits_usage_info"]["visits"] == 1234
    assert run["api_request"]["json"]["company"] == COMPANY
    assert run["operation_info"]["operations"][0]["state"] == "unknown"


def test_query_names_rename_what_is_sent(ansible: Ansible):
    names = {"time_frame": "frame", "company_id": "customer", "start": "begin", "end": "stop"}
    visits, asns, user = ansible.run(
        row_of("visits_info").step(query_names=names),
        row_of("top_asns_info").step(query_names=names),
        row_of("wp_admin_user_info").step(query_names={"email": "mail"}),
    )
    assert visits.requests[0].query == {"frame": "7_days", "customer": COMPANY}
    assert list(asns.requests[0].query) == ["customer", "begin", "stop"]
    assert user.requests[0].query == {"mail": "admin@example.com"}
    # The simulated service knows the public names only.
    assert {done.error["kind"] for done in (visits, asns, user)} == {"bad_request"}


def test_any_request_can_be_sent_and_its_operation_waited_for(ansible: Ansible, simulator: Simulator):
    simulator.settings.operation_seconds = 0.15
    restart = {
        "method": "POST",
        "path": "/sites/tools/restart-php",
        "body": {"environment_id": LIVE},
        "poll_interval": 0.05,
    }
    checked, sent, read = ansible.run(
        Step("api_request", restart, keywords={"check_mode": True}),
        Step("api_request", restart),
        Step("api_request", {"path": "/sites", "query": {"company": COMPANY, "include_environments": True}}),
    )
    assert (checked.changed, checked.requests) == (True, [])
    assert sent.changed
    assert len(sent.writes) == 1
    assert sent.result["operation"]["state"] == "finished"
    assert sent.result["status"] == 202
    assert simulator.state.environment(LIVE).php_restarts == 1
    assert not read.changed
    assert read.requests[0].query == {"company": COMPANY, "include_environments": "true"}
    assert read.result["json"]["company"]["sites"][0]["name"] == "shop"


def test_all_plugins_are_listed_unless_some_are_asked_for(ansible: Ansible):
    everything, some = ansible.run(
        Step("plugin_info", {"environment_id": LIVE}),
        Step("plugin_info", {"environment_id": LIVE, "status": "active", "column": "updatesAvailable"}),
    )
    assert len(everything.result["plugins"]) == 4
    assert everything.result["vulnerable"] == ["example-gallery"]
    assert [plugin["name"] for plugin in some.result["plugins"]] == ["example-forms"]


@pytest.mark.parametrize("status", [404, 405, 501])
def test_plugins_are_read_in_another_way_where_the_documented_one_is_missing(
    status: int, ansible: Ansible, simulator: Simulator
):
    simulator.fault("status", "GET", ".*/wp-plugins", times=0, status=status)
    options = {"environment_id": LIVE}
    everything, some, without = ansible.run(
        Step("plugin_info", options),
        Step("plugin_info", {**options, "status": "active", "column": "updatesAvailable"}),
        Step("plugin_info", {**options, "companions": False}),
    )
    assert len(everything.result["plugins"]) == 4
    assert everything.result["vulnerable"] is None
    assert everything.result["updatable"] == ["example-forms"]
    assert "does not tell which plugins are vulnerable" in str(everything.result["warnings"])
    assert [plugin["name"] for plugin in some.result["plugins"]] == ["example-forms"]
    assert without.error["status"] == status


def test_the_allowlist_is_found_by_both_of_its_names(ansible: Ansible, simulator: Simulator):
    body = {"environment": {"active_container": {"stfp_ip_allowlist": ["192.0.2.9"]}}}
    simulator.fault("status", "GET", ".*/get-allowed-ips", status=200, body=body)
    [done] = ansible.run(Step("sftp_allowlist_info", {"environment_id": LIVE}))
    assert done.result["sftp_ip_allowlist"] == ["192.0.2.9"]


def test_environments_are_listed_as_the_variables_of_a_host(ansible: Ansible):
    one, of_site, of_company, of_key, unknown, both = ansible.run(
        Step("environment_info", {"site_id": SITE, "env_id": LIVE}),
        Step("environment_info", {"site_id": SITE, "source_environment": "live"}),
        Step("environment_info", {"company_id": COMPANY, "environment_id": STAGING}),
        Step("environment_info"),
        Step("environment_info", {"site_id": SITE, "environment_id": seed.environment_id(2)}),
        Step("environment_info", {"site_id": SITE, "company_id": COMPANY}),
    )
    [live] = one.result["environments"]
    assert (live["hosting_environment_id"], live["hosting_source_environment_id"]) == (LIVE, STAGING)
    assert (live["hosting_primary_domain"], live["hosting_cdn_cache_id"]) == ("shop.example.com", "cdn-11")
    assert (live["hosting_site_id"], live["hosting_site_name"], live["hosting_site_labels"]) == (SITE, None, [])
    sources = {env["hosting_environment_id"]: env["hosting_source_environment_id"] for env in environments(of_site)}
    assert sources == {LIVE: None, STAGING: LIVE}
    [staging] = environments(of_company)
    assert (staging["hosting_site_name"], staging["hosting_site_labels"]) == ("shop", ["retail"])
    assert staging["hosting_company_id"] == COMPANY
    assert [request.path for request in of_company.requests] == ["/sites"]
    assert [request.path for request in of_key.requests] == ["/validate", "/sites"]
    assert len(environments(of_key)) == 4
    assert unknown.error["kind"] == both.error["kind"] == "invalid_input"
    assert f"{SITE} has no environment {seed.environment_id(2)}" in unknown.msg


def environments(done) -> list[dict[str, Any]]:
    return done.result["environments"]


@pytest.mark.parametrize("body", [{}, {"site": {"environments": [7]}}, {"site": {"environments": [{"domains": [7]}]}}])
def test_environments_of_another_shape_are_malformed(body: dict, ansible: Ansible, simulator: Simulator):
    simulator.fault("status", "GET", f"/sites/{SITE}/environments", status=200, body=body)
    [done] = ansible.run(Step("environment_info", {"site_id": SITE}))
    assert done.error["kind"] == "malformed_response"


def test_backups_are_listed_newest_first(ansible: Ansible, simulator: Simulator):
    everything, manual, tagged, other_type, nothing = ansible.run(
        Step("backup_info", {"environment_id": LIVE}, before=lambda: take_backups(simulator, "v1", "v2", "v1")),
        Step("backup_info", {"environment_id": LIVE, "type": "manual", "tag": ""}),
        Step("backup_info", {"environment_id": LIVE, "tag": "v1"}),
        Step("backup_info", {"environment_id": LIVE, "type": "automatic", "tag": "v1"}),
        Step("backup_info", {"environment_id": STAGING, "tag": "v1"}),
    )
    assert [backup["tag"] for backup in everything.result["backups"]] == ["v1", "v2", "v1", None]
    assert everything.result["backups"][-1]["type"] == "automatic"
    assert [backup["note"] for backup in manual.result["backups"]] == ["v1", "v2", "v1"]
    newest, oldest = tagged.result["backups"]
    assert newest["id"] > oldest["id"]
    assert newest["created_at"] >= oldest["created_at"]
    assert newest["created_at_iso"].endswith("Z")
    assert other_type.result["backups"] == nothing.result["backups"] == []


def take_backups(simulator: Simulator, *tags: str) -> None:
    environment = simulator.state.environment(LIVE)
    for tag in tags:
        simulator.state.add_backup(environment, "manual", tag)
    environment.backups.reverse()


@pytest.mark.parametrize("backup", [{"id": 1}, {"id": "1", "created_at": 0}, {"id": 1, "created_at": "now"}], ids=str)
def test_backups_of_another_shape_are_malformed(backup: dict, ansible: Ansible, simulator: Simulator):
    body = {"environment": {"display_name": "Live", "backups": [backup]}}
    simulator.fault("status", "GET", ".*/backups", status=200, body=body)
    [done] = ansible.run(Step("backup_info", {"environment_id": LIVE}))
    assert done.error["kind"] == "malformed_response"
