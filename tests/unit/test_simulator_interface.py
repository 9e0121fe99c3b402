# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator answers the 19 endpoints as the interface document says."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from simulator import seed
from simulator.errors import CAPABILITIES_FAILURE, MESSAGES
from simulator.interface import INTERFACE

pytest_plugins = ["simulator.fixtures"]

COMPANY, SITE, OTHER_SITE = seed.COMPANY_ID, seed.site_id(1), seed.site_id(2)
LIVE, STAGING = seed.environment_id(1), seed.environment_id(1, seed.STAGING)
NOBODY = "00000000-0000-4000-8000-000000000000"
NO_UUID = "12345"


@dataclass
class Case:
    """An endpoint with a request that it accepts and, for reads, the answer."""

    section: str
    method: str
    path: str
    errors: tuple[int, ...]
    body: dict | None = None
    query: dict | None = None
    operation: str = ""
    answer: Any = None
    ids: dict = field(default_factory=dict)

    def url(self, **ids: str) -> str:
        """The path with the seeded ids, or with others."""
        return self.path.format(**{"env_id": LIVE, "site_id": SITE, "company_id": COMPANY, **self.ids, **ids})

    def request(self) -> dict:
        """Body and query of the accepted request."""
        return {"json": self.body, "params": self.query}


ENV = "/sites/environments/{env_id}"
CASES = [
    Case(
        "4.1",
        "POST",
        "/company/{company_id}/users/company-capabilities",
        (401, 404, 500),
        {"user_id": seed.user_id(2), "role": "company-admin"},
        operation="company:set-company-user-capabilities",
    ),
    Case("4.2", "GET", "/validate", (401, 500), answer={"name": "simulator", "company": COMPANY, "status": "active"}),
    Case(
        "4.3",
        "POST",
        ENV + "/domains",
        (400, 401, 500),
        {"domain_name": "new.example.com", "is_wildcardless": True, "setup_type": "quick"},
        operation="sites:add-domain",
    ),
    Case(
        "4.4",
        "PUT",
        "/sites/tools/denied-ips",
        (401, 500),
        {"environment_id": LIVE, "ip_list": ["192.0.2.1", "198.51.100.0/24", "2001:db8::1"]},
        answer={"result": None},
    ),
    Case("4.5", "GET", ENV + "/wp-plugins", (401, 404, 500), {"status": "active", "column": "updatesAvailable"}),
    Case(
        "4.6",
        "PUT",
        ENV + "/change-primary-domain",
        (400, 401, 500),
        {"domain_id": seed.domain_id(1, seed.LIVE_WWW), "run_search_and_replace": True},
        operation="sites:change-primary-domain",
    ),
    Case(
        "4.7",
        "PUT",
        "/sites/cdn/image-optimization",
        (401, 500),
        {"environment_id": LIVE, "image_optimization_type": "lossy"},
        operation="cdn:update-image-optimization",
    ),
    Case(
        "4.8",
        "POST",
        "/sites/{site_id}/environments/plain",
        (400, 401, 500),
        {"display_name": "Load test", "is_premium": True},
        operation="environment:clone",
    ),
    Case(
        "4.9",
        "PUT",
        ENV + "/themes",
        (400, 401, 500),
        {"name": "storefront", "update_version": "4.6.0"},
        operation="wp-theme:update",
    ),
    Case(
        "4.10",
        "POST",
        ENV + "/manual-backups",
        (400, 401, 500),
        {"tag": "before-release"},
        operation="backups:add-manual",
    ),
    Case("4.11", "POST", "/sites/tools/restart-php", (401, 500), {"environment_id": LIVE}, operation="php:restart"),
    Case("4.12", "GET", ENV + "/analytics/visits", (400, 401, 404, 500), query={"company_id": COMPANY}),
    Case("4.13", "GET", ENV + "/analytics/top-asns", (400, 401, 404, 500), query={"company_id": COMPANY}),
    Case(
        "4.14",
        "GET",
        ENV + "/wpa-user-exists",
        (400, 401, 404, 500),
        query={"email": "Admin@example.com"},
        answer={"has_wp_admin_user": True},
    ),
    Case(
        "4.15",
        "GET",
        ENV + "/next-downloadable-backup-available",
        (401, 404, 500),
        answer={"is_backup_available": True},
    ),
    Case(
        "4.16",
        "GET",
        ENV + "/ssh/get-allowed-ips",
        (400, 401, 404, 500),
        answer={"environment": {"active_container": {"sftp_ip_allowlist": list(seed.SFTP_IP_ALLOWLIST)}}},
    ),
    Case("4.17", "GET", "/domains/{domain_id}/dns-records", (401, 500), ids={"domain_id": seed.domain_id(1)}),
    Case(
        "4.18",
        "GET",
        "/sites/{site_id}/usage/visits/this-month",
        (400, 401, 404, 500),
        answer={"site": {"id": SITE, "this_month_usage": {"visits": 1234}}},
    ),
    Case(
        "4.19",
        "PUT",
        "/sites/{site_id}/environments",
        (400, 401, 500),
        {
            "source_env_id": STAGING,
            "target_env_id": LIVE,
            "push_db": True,
            "push_files": True,
            "run_search_and_replace": False,
            "push_files_option": "SPECIFIC_FILES",
            "file_list": ["wp-content/uploads", "index.php"],
        },
        operation="environments:push",
    ),
]
BY_SECTION = {case.section: case for case in CASES}
WITH_BODY = [case for case in CASES if case.body]
WITH_PATH_ID = [case for case in CASES if "{" in case.path]


def named(case: Case) -> str:
    return case.section


def assert_error(response, status: int) -> None:
    assert response.status_code == status, response.text
    assert response.json() == {"message": MESSAGES[status], "status": status}


def first_documented(case: Case, *statuses: int) -> int:
    return next(status for status in statuses if status in case.errors)


def test_the_nineteen_endpoints_are_served():
    assert {(case.method, case.path) for case in CASES} == {(one.method, one.path) for one in INTERFACE}
    assert len(CASES) == 19


@pytest.mark.parametrize("case", CASES, ids=named)
def test_documented_errors_are_data(case):
    endpoint = next(one for one in INTERFACE if (one.method, one.path) == (case.method, case.path))
    assert endpoint.errors == set(case.errors)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_success(case, call, simulator):
    response = call(case.method, case.url(), **case.request())
    content = response.json()
    assert response.headers["Content-Type"] == "application/json"
    if case.operation:
        status = 200 if case.section == "4.1" else 202
        assert response.status_code == content["status"] == status
        assert content.keys() == {"message", "status", "operation_id"}
        assert re.fullmatch(case.operation + r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", content["operation_id"])
        assert content["operation_id"] in simulator.state.operations.by_id
    else:
        assert response.status_code == 200
        assert case.answer is None or case.answer.items() <= content.items()


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer wrong", "Basic simulator-key", "simulator-key"])
@pytest.mark.parametrize("case", CASES, ids=named)
def test_key_is_checked_first(case, header, call, simulator):
    answer = call(case.method, case.url(env_id=NO_UUID), data="no JSON", headers={"Authorization": header})
    assert_error(answer, 401)
    assert not simulator.state.operations.by_id


@pytest.mark.parametrize("case", WITH_PATH_ID, ids=named)
def test_unknown_id_in_path(case, call):
    unknown = dict.fromkeys(("env_id", "site_id", "company_id", "domain_id"), NOBODY)
    assert_error(call(case.method, case.url(**unknown), **case.request()), first_documented(case, 404, 400, 500))


@pytest.mark.parametrize("case", WITH_PATH_ID, ids=named)
def test_malformed_id_in_path(case, call):
    malformed = dict.fromkeys(("env_id", "site_id", "company_id", "domain_id"), NO_UUID)
    status = first_documented(case, 400, 404, 500)
    assert_error(call(case.method, case.url(**malformed), **case.request()), status)


@pytest.mark.parametrize("case", [case for case in CASES if 400 in case.errors], ids=named)
def test_undocumented_query_parameter(case, call):
    query = {**(case.query or {}), "undocumented": "1"}
    assert_error(call(case.method, case.url(), json=case.body, params=query), 400)


@pytest.mark.parametrize("case", WITH_BODY, ids=named)
def test_undocumented_field(case, call):
    assert_error(call(case.method, case.url(), json={**case.body, "undocumented": 1}), 400)


@pytest.mark.parametrize("case", WITH_BODY, ids=named)
@pytest.mark.parametrize("wrong", [1, 1.5, None, {"a": 1}, [1], ["x", 1]], ids=str)
def test_wrong_type(case, wrong, call, simulator):
    for name in case.body:
        assert_error(call(case.method, case.url(), json={**case.body, name: wrong}), 400)
    assert not simulator.state.operations.by_id


@pytest.mark.parametrize(
    ("section", "name"),
    [(case.section, name) for case in WITH_BODY for name, value in case.body.items() if isinstance(value, bool)],
)
def test_text_is_no_boolean(section, name, call):
    case = BY_SECTION[section]
    for wrong in ("1", "true", "True", 1, 0):
        assert_error(call(case.method, case.url(), json={**case.body, name: wrong}), 400)


REQUIRED = {
    "4.1": ["user_id", "role"],
    "4.3": ["domain_name"],
    "4.4": ["environment_id", "ip_list"],
    "4.6": ["domain_id"],
    "4.7": ["environment_id", "image_optimization_type"],
    "4.8": ["display_name"],
    "4.9": ["name", "update_version"],
    "4.11": ["environment_id"],
    "4.19": ["source_env_id", "target_env_id"],
}


@pytest.mark.parametrize(("section", "name"), [(section, name) for section in REQUIRED for name in REQUIRED[section]])
def test_missing_field(section, name, call):
    case = BY_SECTION[section]
    rest = {key: value for key, value in case.body.items() if key != name}
    assert_error(call(case.method, case.url(), json=rest), 400)


@pytest.mark.parametrize("case", WITH_BODY, ids=named)
@pytest.mark.parametrize(
    "options",
    [
        {"data": '{"a": '},
        {"data": ""},
        {"data": "null"},
        {"data": "[]"},
        {"data": '"text"'},
        {"data": b"\xff\xfe"},
        pytest.param({"data": "[" * 100_000}, id="deeply nested"),
        {"data": '"\\ud800"'},
        {"data": "{}", "headers": {"Content-Type": "text/plain"}},
        {"data": "{}", "headers": {"Content-Type": "application/x-www-form-urlencoded"}},
        {"data": "{}", "headers": {"Content-Type": None}},
    ],
    ids=str,
)
def test_bad_body(case, options, call):
    assert_error(call(case.method, case.url(), **{"headers": {"Content-Type": "application/json"}, **options}), 400)


@pytest.mark.parametrize("case", WITH_BODY, ids=named)
@pytest.mark.parametrize("content_type", [None, "text/plain"])
def test_content_type_is_required(case, content_type, call):
    prepared = json.dumps(case.body)
    assert_error(call(case.method, case.url(), data=prepared, headers={"Content-Type": content_type}), 400)
    assert call(case.method, case.url(), data=prepared, headers={"Content-Type": "application/json; charset=utf-8"}).ok


@pytest.mark.parametrize("case", [case for case in CASES if not case.body], ids=named)
def test_body_where_none_is_documented(case, call):
    assert_error(call(case.method, case.url(), params=case.query, json={"a": 1}), 400)


@pytest.mark.parametrize(
    ("section", "change", "status"),
    [
        ("4.1", {"user_id": NOBODY}, 404),
        ("4.1", {"user_id": NO_UUID}, 400),
        ("4.1", {"role": "owner"}, 400),
        ("4.3", {"domain_name": "shop.example.com"}, 400),
        ("4.3", {"domain_name": "SHOP.example.com"}, 400),
        ("4.3", {"domain_name": ""}, 400),
        ("4.3", {"domain_name": "no host.example.com"}, 400),
        ("4.3", {"domain_name": "https://shop.example.com/"}, 400),
        ("4.3", {"custom_ssl_key": "key"}, 400),
        ("4.3", {"custom_ssl_cert": "certificate"}, 400),
        ("4.4", {"environment_id": NOBODY}, 500),
        ("4.4", {"environment_id": NO_UUID}, 400),
        ("4.4", {"ip_list": ["192.0.2.256"]}, 400),
        ("4.4", {"ip_list": ["192.0.2.0/33"]}, 400),
        ("4.4", {"ip_list": ["192.0.2.0/255.255.255.0"]}, 400),
        ("4.4", {"ip_list": ["192.0.2.0/"]}, 400),
        ("4.4", {"ip_list": ["2001:db8::/32"]}, 400),
        ("4.4", {"ip_list": ["fe80::1%eth0"]}, 400),
        ("4.4", {"ip_list": ["example.com"]}, 400),
        ("4.5", {"status": "unheard-of"}, 400),
        ("4.5", {"column": "unheard-of"}, 400),
        ("4.6", {"domain_id": seed.domain_id(1, seed.STAGING)}, 400),
        ("4.6", {"domain_id": NOBODY}, 400),
        ("4.6", {"domain_id": NO_UUID}, 400),
        ("4.7", {"environment_id": NOBODY}, 500),
        ("4.7", {"image_optimization_type": "tiny"}, 400),
        ("4.8", {"display_name": ""}, 400),
        ("4.9", {"name": "unknown-theme"}, 400),
        ("4.9", {"update_version": ""}, 400),
        ("4.11", {"environment_id": NOBODY}, 500),
        ("4.11", {"environment_id": NO_UUID}, 400),
        ("4.19", {"source_env_id": LIVE}, 400),
        ("4.19", {"source_env_id": NOBODY}, 400),
        ("4.19", {"target_env_id": NOBODY}, 400),
        ("4.19", {"target_env_id": seed.environment_id(2)}, 400),
        ("4.19", {"file_list": []}, 400),
        ("4.19", {"file_list": ["/etc/passwd"]}, 400),
        ("4.19", {"file_list": ["a/../../b"]}, 400),
        ("4.19", {"file_list": [""]}, 400),
        ("4.19", {"push_files_option": "SOME_FILES"}, 400),
    ],
)
def test_refused_value(section, change, status, call, simulator):
    case = BY_SECTION[section]
    assert_error(call(case.method, case.url(), json={**case.body, **change}), status)
    assert not simulator.state.operations.by_id


@pytest.mark.parametrize("section", ["4.12", "4.13"])
@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"time_span": "24_hours"}, 200),
        ({"time_span": "60_days"}, 200),
        ({"from": "2026-01-01", "to": "2026-01-31"}, 200),
        ({"from": "2026-01-01T00:00:00.000Z", "to": "2026-01-02T00:00:00.000Z"}, 200),
        ({"time_span": "1_year"}, 400),
        ({"from": "yesterday"}, 400),
        ({"from": "2026-02-01", "to": "2026-01-01"}, 400),
        ({"company_id": None}, 400),
        ({"company_id": NO_UUID}, 400),
        ({"company_id": NOBODY}, 404),
        ({"start": "2026-01-01"}, 400),
    ],
    ids=str,
)
def test_time_frame(section, query, status, call):
    case = BY_SECTION[section]
    response = call(case.method, case.url(), params={**case.query, **query})
    assert response.status_code == status
    assert status == 200 or response.json() == {"message": MESSAGES[status], "status": status}


def test_visits_shape(call):
    query = {"company_id": COMPANY, "from": "2026-01-01", "to": "2026-01-03"}
    response = call("GET", BY_SECTION["4.12"].url(), params=query).json()["analytics"]["analytics_response"]
    (item,) = response["data"]
    assert response["key"] == "uniqueip"
    assert [point["key"] for point in item["dataset"]] == [f"2026-01-0{day}T00:00:00.000Z" for day in (1, 2, 3)]
    assert item["total"] == sum(int(point["value"]) for point in item["dataset"])


@pytest.mark.parametrize(("span", "points"), [("24_hours", 24), ("7_days", 7), ("30_days", 30), ("60_days", 60)])
def test_visits_of_a_time_span(span, points, call):
    response = call("GET", BY_SECTION["4.12"].url(), params={"company_id": COMPANY, "time_span": span}).json()
    assert len(response["analytics"]["analytics_response"]["data"][0]["dataset"]) == points


def test_top_asns_shape(call):
    response = call("GET", BY_SECTION["4.13"].url(), params={"company_id": COMPANY}).json()
    assert response["analytics"]["analytics_response"]["key"] == "asns"
    views = [int(item["views"]) for item in response["analytics"]["analytics_response"]["data"]]
    assert views == sorted(views, reverse=True)
    assert len(views) > 2


@pytest.mark.parametrize("query", [{}, {"email": "no address"}, {"e-mail": "admin@example.com"}], ids=str)
def test_email_query(query, call):
    assert_error(call("GET", BY_SECTION["4.14"].url(), params=query), 400)


def test_unknown_email(call):
    response = call("GET", BY_SECTION["4.14"].url(), params={"email": "nobody@example.com"})
    assert response.json() == {"has_wp_admin_user": False}


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({}, ["example-forms", "example-gallery", "example-seo", "example-importer"]),
        ({"status": "active"}, ["example-forms", "example-gallery", "example-seo"]),
        ({"column": "updatesAvailable"}, ["example-forms"]),
    ],
    ids=str,
)
def test_plugin_filter(body, names, call):
    plugins = call("GET", BY_SECTION["4.5"].url(), json=body).json()["environment"]["plugins"]
    assert [item["name"] for item in plugins["items"]] == names
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", plugins["last_updated_at"])
    assert plugins["items"][0] == {
        "name": "example-forms",
        "title": "Example Forms",
        "status": "active",
        "version": "2.4.1",
        "update": "available",
        "update_version": "2.5.0",
        "update_status": "updated",
        "is_version_vulnerable": False,
        "is_update_version_vulnerable": False,
        "auto_update_type": "Hosting Automatic Update",
    }


def test_dns_record_shape(call):
    records = call("GET", BY_SECTION["4.17"].url()).json()["domain"]["dns_records"]
    assert records[0] == {
        "type": "A",
        "name": "shop.example.com",
        "ttl": 3600,
        "resource_records": [{"value": "192.0.2.10"}],
    }


def test_key_expires_in_90_days_and_a_half(call):
    record = call("GET", "/validate").json()
    now = time.time()
    assert abs(int(record["expires_at"]) / 1000 - now - 90.5 * 86400) < 600


def test_upper_case_ids_are_the_same_ids(call):
    assert call("GET", BY_SECTION["4.16"].url(env_id=LIVE.upper())).ok
    assert call("PUT", "/sites/tools/denied-ips", json={"environment_id": LIVE.upper(), "ip_list": []}).ok


def test_a_backup_needs_no_tag(call, simulator):
    assert call("POST", BY_SECTION["4.10"].url(), json={}).ok
    assert simulator.state.environment(LIVE).backups[-1].note is None


def test_capability_edit_has_its_own_500(call, simulator):
    case = BY_SECTION["4.1"]
    simulator.fault("status", status=500)
    assert call(case.method, case.url(), json=case.body).json() == {"message": CAPABILITIES_FAILURE, "status": 500}


EFFECTS = {
    "4.1": lambda world: world.company.users[seed.user_id(2)].role == "company-admin",
    "4.3": lambda world: world.environment(LIVE).domain_named("new.example.com") is not None,
    "4.6": lambda world: world.environment(LIVE).primary_domain.name == "www.shop.example.com",
    "4.7": lambda world: world.environment(LIVE).image_optimization_type == "lossy",
    "4.8": lambda world: world.site(SITE).environments[-1].display_name == "Load test",
    "4.9": lambda world: world.environment(LIVE).theme_named("storefront").version == "4.6.0",
    "4.10": lambda world: world.environment(LIVE).backups[-1].note == "before-release",
    "4.11": lambda world: world.environment(LIVE).php_restarts == 1,
    "4.19": lambda world: [push["source_env_id"] for push in world.environment(LIVE).pushes] == [STAGING],
}


@pytest.mark.parametrize("section", EFFECTS)
def test_effect_shows_when_the_operation_ends(section, call, simulator):
    case, has_effect = BY_SECTION[section], EFFECTS[section]
    simulator.settings.operation_seconds = 60
    operation_id = call(case.method, case.url(), json=case.body).json()["operation_id"]
    assert not has_effect(simulator.state)
    simulator.state.operations.by_id[operation_id].ends_at = 0
    assert has_effect(simulator.state)


@pytest.mark.parametrize("section", EFFECTS)
def test_failed_operation_has_no_effect(section, call, simulator):
    case, has_effect = BY_SECTION[section], EFFECTS[section]
    simulator.fault("fail_operation")
    operation_id = call(case.method, case.url(), json=case.body).json()["operation_id"]
    assert not has_effect(simulator.state)
    assert simulator.state.operations.by_id[operation_id].state == "failed"


def test_domain_with_www(call, simulator):
    body = {"domain_name": "new.example.com", "add_with_www_subdomain": True, "custom_ssl_key": "key"}
    assert call("POST", BY_SECTION["4.3"].url(), json={**body, "custom_ssl_cert": "certificate"}).ok
    live = simulator.state.environment(LIVE)
    assert live.domain_named("www.new.example.com").has_custom_certificate
    assert_error(call("POST", BY_SECTION["4.3"].url(), json={"domain_name": "www.new.example.com"}), 400)


def test_second_of_two_equal_additions_fails_at_its_end(call, simulator):
    simulator.settings.operation_seconds = 60
    case = BY_SECTION["4.3"]
    ids = [call(case.method, case.url(), json=case.body).json()["operation_id"] for _unused in range(2)]
    operations = simulator.state.operations.by_id
    for operation_id in ids:
        operations[operation_id].ends_at = 0
    assert [simulator.state.operations.by_id[one].state for one in ids] == ["finished", "failed"]


def test_deny_list_is_replaced(call, simulator):
    for ip_list in (["192.0.2.1"], ["2001:db8::1", "198.51.100.0/24"], []):
        call("PUT", "/sites/tools/denied-ips", json={"environment_id": LIVE, "ip_list": ip_list})
        assert simulator.state.environment(LIVE).denied_ips == ip_list
