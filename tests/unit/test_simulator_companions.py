# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator's companions: the reads that show state, operations, and the writes beyond the document."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from simulator import endpoints, seed, state
from simulator.companions import COMPANIONS
from simulator.errors import MESSAGES
from simulator.state import Content

pytest_plugins = ["simulator.fixtures"]

COMPANY, SITE = seed.COMPANY_ID, seed.site_id(1)
LIVE, STAGING = seed.environment_id(1), seed.environment_id(1, seed.STAGING)
NOBODY = "00000000-0000-4000-8000-000000000000"
ENV = f"/sites/environments/{LIVE}"
READS = [
    f"/sites/tools/denied-ips?environment_id={LIVE}",
    f"{ENV}/domains",
    f"/sites/{SITE}/environments",
    f"/sites?company={COMPANY}&include_environments=true",
    f"{ENV}/themes",
    f"{ENV}/backups",
    f"/company/{COMPANY}/users",
    f"/domains?company={COMPANY}",
    f"{ENV}/logs?file_name=error&lines=5",
]
ENVIRONMENT_FIELDS = {
    "id",
    "name",
    "display_name",
    "is_blocked",
    "id_edge_cache",
    "cdn_cache_id",
    "is_opt_out_from_automatic_php_update",
    "web_root",
    "image_optimization_type",
    "is_premium",
    "wordpress_version",
    "domains",
    "primaryDomain",
    "ssh_connection",
    "container_info",
}


def assert_error(response, status: int) -> None:
    assert response.status_code == status, response.text
    assert response.json() == {"message": MESSAGES[status], "status": status}


@pytest.mark.parametrize("path", READS)
def test_reads(path, call):
    assert call("GET", path).status_code == 200
    assert_error(call("GET", path, headers={"Authorization": "Bearer wrong"}), 401)
    assert_error(call("GET", path, json={"a": 1}), 400)


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize(("replacement", "status"), [(NOBODY, 404), ("12345", 400)])
def test_unknown_and_malformed_ids(path, replacement, status, call):
    for known in (LIVE, SITE, COMPANY):
        path = path.replace(known, replacement)
    assert_error(call("GET", path), status)


@pytest.mark.parametrize("path", ["/sites", "/domains", "/sites/tools/denied-ips", f"{READS[3]}&page=2"])
def test_wrong_query(path, call):
    assert_error(call("GET", path), 400)


def test_denied_ips(call):
    ip_list = ["192.0.2.1", "2001:db8::1"]
    call("PUT", "/sites/tools/denied-ips", json={"environment_id": LIVE, "ip_list": ip_list})
    assert call("GET", READS[0]).json() == {"environment": {"id": LIVE, "ip_list": ip_list}}


def test_site_domains(call):
    domains = call("GET", f"{ENV}/domains").json()["environment"]["site_domains"]
    assert domains == [
        {"id": seed.domain_id(1), "name": "shop.example.com"},
        {"id": seed.domain_id(1, seed.LIVE_WWW), "name": "www.shop.example.com"},
    ]


def test_environments(call):
    live, staging = call("GET", f"/sites/{SITE}/environments").json()["site"]["environments"]
    assert live.keys() == staging.keys() == ENVIRONMENT_FIELDS
    assert (live["id"], live["display_name"], staging["id"], staging["display_name"]) == (
        LIVE,
        "Live",
        STAGING,
        "Staging",
    )
    assert live["primaryDomain"] == {
        "id": seed.domain_id(1),
        "name": "shop.example.com",
        "type": "live",
        "site_id": SITE,
        "is_active": True,
    }
    assert live["primaryDomain"] in live["domains"]
    assert live["ssh_connection"].keys() == {"ssh_port", "ssh_ip"}


def test_environment_without_domains_has_no_primary_domain(call):
    call("POST", f"/sites/{SITE}/environments/plain", json={"display_name": "Empty", "is_premium": False})
    added = call("GET", f"/sites/{SITE}/environments").json()["site"]["environments"][-1]
    assert (added["display_name"], added["domains"], added["primaryDomain"]) == ("Empty", [], None)


def test_sites(call):
    sites = call("GET", READS[3]).json()["company"]["sites"]
    assert [(site["id"], site["name"]) for site in sites] == [(SITE, "shop"), (seed.site_id(2), "blog")]
    assert sites[0].keys() == {"id", "name", "display_name", "status", "siteLabels", "environments"}
    assert [label["name"] for label in sites[0]["siteLabels"]] == ["retail"]
    assert len(sites[0]["environments"]) == 2
    without = call("GET", f"/sites?company={COMPANY}").json()["company"]["sites"]
    assert "environments" not in without[0]


def test_themes_after_an_update(call):
    before = call("GET", f"{ENV}/themes").json()["environment"]["container_info"]["wp_themes"]["data"]
    assert before[0] == {
        "name": "twentytwentyfive",
        "title": "Twenty Twenty-Five",
        "status": "parent",
        "version": "1.2",
        "update": "available",
        "update_version": "1.3",
        "update_status": "updated",
    }
    call("PUT", f"{ENV}/themes", json={"name": "twentytwentyfive", "update_version": "1.3"})
    after = call("GET", f"{ENV}/themes").json()["environment"]["container_info"]["wp_themes"]["data"]
    assert (after[0]["version"], after[0]["update"]) == ("1.3", "none")


def test_tag_of_a_backup_is_its_note(call):
    call("POST", f"{ENV}/manual-backups", json={"tag": "before-release"})
    automatic, manual = call("GET", f"{ENV}/backups").json()["environment"]["backups"]
    assert (automatic["type"], automatic["note"]) == ("automatic", None)
    assert (manual["type"], manual["note"]) == ("manual", "before-release")
    assert abs(manual["created_at"] / 1000 - time.time()) < 60
    assert isinstance(manual["id"], int)


def test_users_have_no_role(call):
    users = call("GET", READS[6]).json()["company"]["users"]
    assert [user["user"]["id"] for user in users] == [seed.user_id(number) for number in (1, 2, 3)]
    assert users[0]["user"].keys() == {"id", "email", "image", "full_name"}


def test_domains_of_the_company(call):
    domains = call("GET", READS[7]).json()["company"]["domains"]
    assert len(domains) == 6
    assert domains[0] == {"id": seed.domain_id(1), "name": "shop.example.com", "site_id": SITE, "is_active": True}


def test_remove_domain(call):
    second = seed.domain_id(1, seed.LIVE_WWW)
    response = call("DELETE", f"{ENV}/domains", json={"domain_ids": [second]})
    assert response.status_code == response.json()["status"] == 202
    assert len(call("GET", f"{ENV}/domains").json()["environment"]["site_domains"]) == 1
    assert_error(call("DELETE", f"{ENV}/domains", json={"domain_ids": [second]}), 400)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"domain_ids": []},
        {"domain_ids": "x"},
        {"domain_ids": [NOBODY]},
        {"domain_ids": [seed.domain_id(1)]},
        {"domain_ids": [seed.domain_id(1, seed.STAGING)]},
        {"domain_ids": [seed.domain_id(1, seed.LIVE_WWW)], "force": True},
    ],
    ids=str,
)
def test_refused_removal(body, call, simulator):
    assert_error(call("DELETE", f"{ENV}/domains", json=body), 400)
    assert len(simulator.state.environment(LIVE).domains) == 2


SHOP_LIVE = Content("files of shop live", "database of shop live")
SHOP_STAGING = Content("files of shop staging", "database of shop staging")
PUSH = {"source_env_id": STAGING, "target_env_id": LIVE}


@pytest.mark.parametrize(
    ("options", "content"),
    [
        ({}, SHOP_STAGING),
        ({"push_files": False}, Content(SHOP_LIVE.files, SHOP_STAGING.database)),
        ({"push_db": False}, Content(SHOP_STAGING.files, SHOP_LIVE.database)),
        (
            {"push_db": False, "push_files_option": "SPECIFIC_FILES", "file_list": ["robots.txt"]},
            Content("files of shop live, with robots.txt of files of shop staging", SHOP_LIVE.database),
        ),
    ],
    ids=["all", "database", "files", "one file"],
)
def test_a_push_copies_content_when_it_ends(options, content, call, simulator):
    simulator.settings.operation_seconds = 0.1
    operation_id = call("PUT", f"/sites/{SITE}/environments", json={**PUSH, **options}).json()["operation_id"]
    live, staging = (simulator.state.environment(one) for one in (LIVE, STAGING))
    assert live.content == SHOP_LIVE
    time.sleep(0.15)
    assert call("GET", f"/operations/{operation_id}").status_code == 200
    assert (live.content, staging.content) == (content, SHOP_STAGING)


def ended(call, method: str, path: str, body: dict) -> dict:
    """The answer to a request whose operation has ended meanwhile."""
    accepted = call(method, path, json=body).json()
    assert call("GET", f"/operations/{accepted['operation_id']}").status_code == 200
    return accepted


def test_a_restore_brings_back_what_a_backup_holds(call, simulator):
    live, staging = (simulator.state.environment(one) for one in (LIVE, STAGING))
    ended(call, "POST", f"{ENV}/manual-backups", {"tag": "x"})
    backup = live.backups[-1]
    ended(call, "PUT", f"/sites/{SITE}/environments", PUSH)
    assert (live.content, backup.content) == (SHOP_STAGING, SHOP_LIVE)
    for environment in (live, staging):
        body = {"backup_id": backup.id, "notified_user_id": seed.user_id(1)}
        accepted = ended(call, "POST", f"/sites/environments/{environment.id}/backups/restore", body)
        assert accepted["status"] == 202
        assert accepted["operation_id"].startswith("backups:restore-")
        assert (environment.content, environment.restores) == (SHOP_LIVE, [backup.id])


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"backup_id": 4711}, 404),
        ({"backup_id": "1"}, 400),
        ({"backup_id": None}, 400),
        ({"notified_user_id": NOBODY}, 400),
        ({"notified_user_id": "ada@example.com"}, 400),
        ({"force": True}, 400),
    ],
    ids=str,
)
def test_refused_restore(change, status, call, simulator):
    body = {"backup_id": 1, "notified_user_id": seed.user_id(1), **change}
    assert_error(call("POST", f"{ENV}/backups/restore", json=body), status)
    assert simulator.state.environment(LIVE).restores == []


def test_a_backup_is_removed(call, simulator):
    call("POST", f"{ENV}/manual-backups", json={"tag": "a"})
    number = simulator.state.environment(LIVE).backups[-1].id
    done = call("DELETE", f"/sites/environments/backups/{number}")
    assert done.status_code == 202
    assert done.json()["operation_id"].startswith("backups:remove-")
    assert number not in [one.id for one in simulator.state.environment(LIVE).backups]
    assert_error(call("DELETE", f"/sites/environments/backups/{number}"), 404)
    assert_error(call("DELETE", "/sites/environments/backups/first"), 400)


def test_only_so_many_manual_backups_are_kept(call, simulator):
    simulator.settings.most_backups = 1
    assert call("POST", f"{ENV}/manual-backups", json={"tag": "a"}).status_code == 202
    refused = call("POST", f"{ENV}/manual-backups", json={"tag": "b"})
    assert refused.status_code == 400
    assert refused.json()["message"] == "You have reached the limit of 1 manual backups. Delete one, and try again."


def test_a_command_is_run(call, simulator):
    done = call("POST", f"{ENV}/run-wp-cli-command", json={"wp_command": "wp core update-db"})
    assert (done.status_code, simulator.state.environment(LIVE).wp_cli_commands) == (202, ["wp core update-db"])
    for body in ({}, {"wp_command": ""}, {"wp_command": "x" * 5001}, {"wp_command": "x", "y": 1}):
        assert_error(call("POST", f"{ENV}/run-wp-cli-command", json=body), 400)


def test_the_last_lines_of_a_log_and_what_broke_the_site(call, simulator):
    def lines(name="error", number=2):
        found = call("GET", f"{ENV}/logs?file_name={name}&lines={number}").json()
        return found["environment"]["container_info"]["logs"].splitlines()

    simulator.state.environment(LIVE).logs = {"error": ["a", "b", "c"], "access": ["GET /"]}
    assert (lines(), lines("access")) == (["b", "c"], ["GET /"])
    simulator.settings.breaking = frozenset({"php 8.3"})
    assert lines()[-1].startswith("PHP Fatal error:")
    assert_error(call("GET", f"{ENV}/logs?file_name=other&lines=2"), 400)


def test_a_backup_of_another_site_is_not_restored(call, simulator):
    foreign = simulator.state.environment(seed.environment_id(2)).backups[0]
    body = {"backup_id": foreign.id, "notified_user_id": seed.user_id(1)}
    assert_error(call("POST", f"{ENV}/backups/restore", json=body), 404)


@pytest.mark.parametrize(
    ("path", "body", "operation", "cleared"),
    [
        ("/sites/tools/clear-cache", {}, "cache:clear", {"cache": "site"}),
        (
            "/sites/edge-caching/clear",
            {},
            "edgeCache:clear",
            {"cache": "edge", "url": None, "clear_subdirectories": False},
        ),
        (
            "/sites/edge-caching/clear",
            {"url": "https://shop.example.com/new", "clear_subdirectories": True},
            "edgeCache:clear",
            {"cache": "edge", "url": "https://shop.example.com/new", "clear_subdirectories": True},
        ),
        ("/sites/cdn/clear-cache", {"cdn_cache_id": "cdn-11"}, "cdn-cache:clear", {"cache": "cdn"}),
    ],
    ids=["site", "edge", "part of edge", "cdn"],
)
def test_cleared_caches_are_counted(path, body, operation, cleared, call, simulator):
    accepted = ended(call, "POST", path, {"environment_id": LIVE, **body})
    assert accepted["status"] == 202
    assert accepted["operation_id"].startswith(f"{operation}-")
    assert simulator.state.environment(LIVE).cache_clears == [cleared]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/sites/tools/clear-cache", {"environment_id": NOBODY}),
        ("/sites/tools/clear-cache", {"environment_id": LIVE, "url": "x"}),
        ("/sites/edge-caching/clear", {"environment_id": LIVE, "url": ""}),
        ("/sites/edge-caching/clear", {"environment_id": LIVE, "clear_subdirectories": "yes"}),
        ("/sites/cdn/clear-cache", {"environment_id": LIVE}),
        ("/sites/cdn/clear-cache", {"environment_id": LIVE, "cdn_cache_id": "cdn-12"}),
    ],
    ids=str,
)
def test_refused_clearing(path, body, call, simulator):
    assert_error(call("POST", path, json=body), 400)
    assert simulator.state.environment(LIVE).cache_clears == []


def test_reads_lag(call, simulator, monkeypatch):
    now = time.monotonic()
    for module in (endpoints, state):
        monkeypatch.setattr(module, "time", SimpleNamespace(time=time.time, monotonic=lambda: now))
    simulator.settings.reads_lag = 4
    body = {"environment_id": LIVE, "ip_list": ["192.0.2.1"]}
    assert call("PUT", "/sites/tools/denied-ips", json=body).status_code == 200
    call("POST", f"{ENV}/domains", json={"domain_name": "new.example.com"})

    def shown() -> tuple[list, int]:
        listed = call("GET", READS[0]).json()["environment"]["ip_list"]
        return listed, len(call("GET", f"{ENV}/domains").json()["environment"]["site_domains"])

    assert shown() == ([], 2)
    assert simulator.state.environment(LIVE).denied_ips == ["192.0.2.1"]
    assert len(simulator.state.environment(LIVE).domains) == 3
    now += 2
    body["ip_list"].append("192.0.2.2")
    call("PUT", "/sites/tools/denied-ips", json=body)
    now += 2.5
    assert shown() == (["192.0.2.1"], 3), "each write shows in its own time"
    now += 2
    assert shown() == (["192.0.2.1", "192.0.2.2"], 3)


def test_reads_lag_behind_the_effect_of_an_operation_and_not_its_end(call, simulator):
    simulator.settings.operation_seconds = 0.1
    simulator.settings.reads_lag = 60
    operation_id = begin_operation(call)
    time.sleep(0.15)
    assert call("GET", f"/operations/{operation_id}").status_code == 200
    assert len(call("GET", f"{ENV}/backups").json()["environment"]["backups"]) == 1
    simulator.settings.reads_lag = 0
    assert len(call("GET", f"{ENV}/backups").json()["environment"]["backups"]) == 2


@pytest.mark.parametrize(
    ("addresses", "status"),
    [
        ([], 200),
        (["192.0.2.1", "203.0.113.0/24", "2001:db8::1"], 200),
        (["192.0.2.300"], 400),
        (["2001:db8::/64"], 400),
        ("192.0.2.1", 400),
    ],
    ids=str,
)
def test_the_sftp_allowlist_is_set(addresses, status, call):
    before = call("GET", f"{ENV}/ssh/get-allowed-ips").json()["environment"]["active_container"]["sftp_ip_allowlist"]
    response = call("POST", f"{ENV}/ssh/set-allowed-ips", json={"ip_allowlist": addresses})
    assert response.status_code == status
    after = call("GET", f"{ENV}/ssh/get-allowed-ips").json()["environment"]["active_container"]["sftp_ip_allowlist"]
    assert after == (addresses if status == 200 else before)


def test_the_php_version_is_set(call):
    body = {"environment_id": LIVE, "php_version": "8.4", "is_opt_out_from_automatic_php_update": True}
    response = call("PUT", "/sites/tools/modify-php-version", json=body)
    assert response.status_code == 202
    assert response.json()["operation_id"].startswith("php:modify-version-")
    shown = call("GET", f"/sites/{SITE}/environments").json()["site"]["environments"][0]
    assert shown["container_info"]["php_engine_version"] == "php8.4"
    assert shown["is_opt_out_from_automatic_php_update"] is True
    for wrong in ({"php_version": "php8.4"}, {"php_version": 8.4}, {"environment_id": NOBODY}):
        assert_error(call("PUT", "/sites/tools/modify-php-version", json={**body, **wrong}), 400)


RECORDS = f"/domains/{seed.domain_id(1)}/dns-records"
NAMED = {"type": "A", "name": "shop.example.com"}


def values(*texts: str) -> list[dict]:
    return [{"value": text} for text in texts]


def test_a_dns_record_is_created_changed_and_removed(call):
    def shown() -> list[dict]:
        listed = call("GET", RECORDS).json()["domain"]["dns_records"]
        return [record for record in listed if record["type"] == "MX"]

    named = {"type": "MX", "name": "shop.example.com"}
    record = {**named, "ttl": 300, "resource_records": values("10 mail.example.com")}
    response = call("POST", RECORDS, json=record)
    assert response.status_code == 202
    assert response.json()["operation_id"].startswith("domains:create-dns-record-")
    assert shown() == [record]
    changes = {"new_resource_records": values("20 b"), "removed_resource_records": values("10 mail.example.com")}
    assert call("PUT", RECORDS, json={**named, "ttl": 600, **changes}).status_code == 202
    assert shown() == [{**named, "ttl": 600, "resource_records": values("20 b")}]
    assert call("DELETE", RECORDS, json=named).status_code == 202
    assert shown() == []


@pytest.mark.parametrize(
    ("method", "body"),
    [
        ("POST", {**NAMED, "ttl": 300, "resource_records": values("192.0.2.20")}),
        ("POST", {"type": "A", "name": "new.example.com", "resource_records": values("192.0.2.20")}),
        ("POST", {"type": "A", "name": "new.example.com", "ttl": 300, "resource_records": []}),
        ("PUT", {"type": "A", "name": "new.example.com", "new_resource_records": values("192.0.2.20")}),
        ("PUT", {**NAMED, "removed_resource_records": values("192.0.2.20")}),
        ("PUT", {**NAMED, "removed_resource_records": values("192.0.2.10")}),
        ("DELETE", {"type": "A", "name": "new.example.com"}),
    ],
    ids=["there", "no ttl", "no values", "unknown", "removes what is not there", "removes all", "not there"],
)
def test_refused_dns_records(method, body, call):
    before = call("GET", RECORDS).json()
    assert_error(call(method, RECORDS, json=body), 400)
    assert call("GET", RECORDS).json() == before


def versions_of(call, kind: str) -> dict[str, str]:
    container = call("GET", f"{ENV}/{kind}").json()["environment"]["container_info"]
    return {one["name"]: one["version"] for one in container[f"wp_{kind}"]["data"]}


def test_a_plugin_is_updated_to_a_version(call):
    body = {"name": "example-seo", "update_version": "7.2.0"}
    response = call("PUT", f"{ENV}/plugins", json=body)
    assert response.status_code == response.json()["status"] == 202
    assert versions_of(call, "plugins")["example-seo"] == "7.2.0"
    assert_error(call("PUT", f"{ENV}/plugins", json={**body, "name": "nothing"}), 400)
    assert_error(call("PUT", f"{ENV}/plugins", json={"name": "example-seo"}), 400)


@pytest.mark.parametrize(
    ("kind", "outdated", "newest", "current"),
    [
        ("plugins", "example-forms", "2.5.0", "example-seo"),
        ("themes", "storefront", "4.6.0", "twentytwentyfour"),
    ],
)
def test_several_are_updated_to_their_newest_versions(kind, outdated, newest, current, call):
    before = versions_of(call, kind)
    body = {kind: [{"name": outdated}, {"name": current}]}
    response = call("PUT", f"{ENV}/{kind}/bulk-update", json=body)
    assert (response.status_code, response.json()["status"]) == (200, 202)
    assert call("GET", f"/operations/{response.json()['operation_id']}").status_code == 200
    assert versions_of(call, kind) == {**before, outdated: newest}
    for wrong in ([], [{"name": outdated}, {"name": "nothing"}], [outdated]):
        assert_error(call("PUT", f"{ENV}/{kind}/bulk-update", json={kind: wrong}), 400)


def begin_operation(call) -> str:
    return call("POST", f"{ENV}/manual-backups", json={"tag": "x"}).json()["operation_id"]


def test_life_of_an_operation(call, simulator):
    simulator.settings.operation_seconds = 0.3
    simulator.settings.visible_after = 0.1
    operation_id = begin_operation(call)
    seen = []
    deadline = time.monotonic() + 5
    while 200 not in seen and time.monotonic() < deadline:
        response = call("GET", f"/operations/{operation_id}")
        assert response.json()["status"] == response.status_code
        if response.status_code == 202:
            assert response.json()["message"] == "Operation in progress"
        if response.status_code not in seen:
            seen.append(response.status_code)
    assert seen == [404, 202, 200]
    assert response.json()["data"] == {"id": simulator.state.environment(LIVE).backups[-1].id}


def test_operation_without_result_data(call):
    operation_id = call("POST", "/sites/tools/restart-php", json={"environment_id": LIVE}).json()["operation_id"]
    assert call("GET", f"/operations/{operation_id}").json() == {"status": 200, "message": "Finished"}


def test_failed_operation(call, simulator):
    simulator.fault("fail_operation", times=None)
    assert_error(call("GET", f"/operations/{begin_operation(call)}"), 500)


@pytest.mark.parametrize("operation_id", ["backups:add-manual-" + NOBODY, "x"])
def test_unknown_operation(operation_id, call):
    assert_error(call("GET", f"/operations/{operation_id}"), 404)


@pytest.mark.parametrize(("fails", "outcome"), [(False, 200), (True, 500)])
def test_the_outcome_of_an_operation_may_be_in_the_body_of_a_200(fails, outcome, call, simulator):
    simulator.settings.operations = "body"
    simulator.settings.operation_seconds = 3600
    if fails:
        simulator.fault("fail_operation")
    operation_id = begin_operation(call)
    answer = call("GET", f"/operations/{operation_id}")
    assert (answer.status_code, answer.json()["status"]) == (200, 202)
    simulator.state.operations.by_id[operation_id].ends_at = 0
    answer = call("GET", f"/operations/{operation_id}")
    assert (answer.status_code, answer.json()["status"]) == (200, outcome)


def test_a_service_may_answer_500_for_an_operation_that_it_does_not_know(call, simulator):
    simulator.settings.unknown_operation = 500
    assert_error(call("GET", "/operations/none:none-1"), 500)
    assert call("GET", f"/operations/{begin_operation(call)}").status_code == 200


def test_a_service_may_have_no_endpoint_for_operations(call, simulator):
    simulator.settings.operations = "absent"
    answer = call("GET", f"/operations/{begin_operation(call)}")
    assert (answer.status_code, answer.json()) == (404, {"detail": "Not Found"})


def test_operation_id_may_be_percent_encoded(call):
    assert call("GET", f"/operations/{begin_operation(call).replace(':', '%3A')}").status_code == 200


def test_interface_only(call, simulator):
    simulator.settings.interface_only = True
    for endpoint in COMPANIONS:
        ids = {"env_id": LIVE, "site_id": SITE, "domain_id": seed.domain_id(1), "company_id": COMPANY}
        path = endpoint.path.format(**ids, operation_id="x", backup_id=1)
        assert_error(call(endpoint.method, path), 404)
    assert_error(call("GET", f"/operations/{begin_operation(call)}"), 404)
    assert call("GET", "/validate").ok
    simulator.settings.interface_only = False
    assert call("GET", READS[0]).ok


@pytest.mark.parametrize("is_interface_only", [True, False])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", ""),
        ("GET", "/"),
        ("GET", "/regions"),
        ("GET", "//validate"),
        ("GET", "/validate/"),
        ("POST", "/validate"),
        ("PATCH", f"{ENV}/domains"),
        ("GET", f"{ENV}/manual-backups"),
        ("GET", "/../openapi.json"),
        ("GET", "/docs"),
    ],
)
def test_unknown_path_or_method(method, path, is_interface_only, call, simulator):
    simulator.settings.interface_only = is_interface_only
    assert_error(call(method, path), 404)
