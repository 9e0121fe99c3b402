# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One task that reads an environment: each reading as its own module gives it, gaps, requests, and the declaration."""

from __future__ import annotations

import socketserver
import threading
from collections import Counter

import pytest

from ansible_collections.hosting.management.plugins.module_utils._declaring import ENTRIES, declaration_of
from ansible_collections.hosting.management.plugins.module_utils._gathering import READINGS
from ansible_collections.hosting.management.plugins.modules import (
    api_key_info,
    backup_info,
    denied_ips,
    dns_record,
    dns_record_info,
    downloadable_backup_info,
    env_push,
    environment,
    environment_info,
    environment_state_info,
    image_optimization,
    manual_backup,
    php_version,
    plugin_info,
    primary_domain,
    release_info,
    sftp_allowlist,
    sftp_allowlist_info,
    site_domain,
    site_plugin,
    site_theme,
    top_asns_info,
    visits_info,
    visits_usage_info,
    wp_admin_user_info,
)
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

SITE, LIVE, STAGING = seed.site_id(1), seed.environment_id(1), seed.environment_id(1, seed.STAGING)
DOMAINS = [seed.domain_id(1), seed.domain_id(1, seed.LIVE_WWW)]
EMAILS = [seed.WP_ADMIN_EMAIL, "former@example.com"]
EVERYTHING = {"site_id": SITE, "domain_ids": DOMAINS, "emails": EMAILS, "gather": list(READINGS)}
BY_SITE = {"image_optimization", "php_version", "primary_domain", "versions"}
COMPANIONS = {"backup", "denied_ips", "domains", "themes"} | BY_SITE


@pytest.fixture
def read(controller):
    """A function that reads the environment in one task."""
    return lambda check_mode=False, **options: controller.run(
        environment_state_info, check_mode=check_mode, **{"environment_id": LIVE, **options}
    )


@pytest.fixture
def furnished(simulator, controller):
    """The simulator, with something to be seen in every part, and a release in the journal."""
    environment = simulator.state.environment(LIVE)
    environment.denied_ips = ["203.0.113.7", "2001:DB8::1"]
    environment.image_optimization_type = "lossy"
    assert controller.run(manual_backup, environment_id=LIVE, tag="before-v2")["changed"]
    push = {"site_id": SITE, "source_env_id": STAGING, "target_env_id": LIVE, "release": "v2"}
    assert controller.run(env_push, **push)["changed"]
    simulator.clear_requests()
    return simulator


def own(result):
    return {name: value for name, value in result.items() if name not in ("changed", "warnings")}


def without_ages(result):
    return {"backups": [{**one, "age": None} for one in result["backups"]]} if "backups" in result else result


OWN_MODULES = {
    "key": (api_key_info, {}),
    "backup": (backup_info, {"environment_id": LIVE}),
    "sftp_allowlist": (sftp_allowlist_info, {"environment_id": LIVE}),
    "plugins": (plugin_info, {"environment_id": LIVE}),
    "versions": (environment_info, {"environment_id": LIVE, "site_id": SITE}),
    "visits": (visits_info, {"environment_id": LIVE, "time_frame": "7_days"}),
    "networks": (top_asns_info, {"environment_id": LIVE, "time_frame": "7_days"}),
    "usage": (visits_usage_info, {"site_id": SITE}),
    "downloads": (downloadable_backup_info, {"environment_id": LIVE}),
    "releases": (release_info, {"environment_id": LIVE, "groups": ["shops"]}),
}


@pytest.mark.parametrize("name", OWN_MODULES)
@pytest.mark.usefixtures("furnished")
def test_a_reading_is_what_its_module_returns(name, controller, read):
    module, options = OWN_MODULES[name]
    alone = own(controller.run(module, **options))
    given = {one: value for one, value in options.items() if one != "environment_id"}
    together = read(gather=[name], **given)
    assert together["unread"] == {}
    assert without_ages(together["readings"][name]) == without_ages(alone)


def test_what_is_read_several_times_is_what_its_module_returns_each_time(controller, read):
    readings = read(**EVERYTHING)["readings"]
    assert readings["dns_records"]["domains"] == [
        {"domain_id": domain, **own(controller.run(dns_record_info, domain_id=domain))} for domain in DOMAINS
    ]
    assert readings["administrators"]["users"] == [
        {"email": email, **own(controller.run(wp_admin_user_info, environment_id=LIVE, email=email))}
        for email in EMAILS
    ]


@pytest.mark.usefixtures("furnished")
def test_what_has_no_module_of_its_own_is_read_too(read):
    readings = read(**EVERYTHING)["readings"]
    assert list(readings) == list(READINGS)
    assert readings["denied_ips"] == {"denied_ips": ["203.0.113.7", "2001:DB8::1"]}
    assert readings["image_optimization"] == {"image_optimization_type": "lossy"}
    assert readings["php_version"]["php_version"] == "8.3"
    assert readings["primary_domain"] == {"primary_domain": {"id": DOMAINS[0], "name": "shop.example.com"}}
    assert [one["name"] for one in readings["domains"]["domains"]] == ["shop.example.com", "www.shop.example.com"]
    themes = readings["themes"]["themes"]
    assert [(one["name"], one["version"], one["is_update_available"]) for one in themes] == [
        ("twentytwentyfive", "1.2", True),
        ("storefront", "4.5.0", True),
        ("twentytwentyfour", "1.4", False),
    ]


def test_nothing_is_asked_twice_and_nothing_is_sent(furnished, read):
    result = read(**EVERYTHING)
    assert (result["unread"], result["changed"], furnished.writes) == ({}, False, [])
    asked = Counter(f"{one.path} {one.query}" for one in furnished.requests)
    assert set(asked.values()) == {1}
    assert len(asked) == 16  # 18 readings, of which two are read twice, four share an answer, and one asks nobody


@pytest.mark.usefixtures("furnished")
def test_check_mode_makes_no_difference(read):
    def plainly(result):
        return {**result, "readings": {**result["readings"], "backup": without_ages(result["readings"]["backup"])}}

    assert plainly(read(check_mode=True, **EVERYTHING)) == plainly(read(**EVERYTHING))


def test_by_default_all_is_read_that_can_be_declared(furnished, read):
    result = read(site_id=SITE, domain_ids=DOMAINS)
    assert set(result["readings"]) == set(result["declaration"]) == set(ENTRIES)
    assert len(furnished.requests) == 9


# The law: to give back what was read changes nothing


def tasks_of(declaration):
    """What each module is given to keep an environment as it is declared."""
    here = {"environment_id": LIVE}
    yield manual_backup, {**here, **declaration["backup"]}
    yield denied_ips, {**here, "ip_list": declaration["denied_ips"]}
    yield sftp_allowlist, {**here, "ip_allowlist": declaration["sftp_allowlist"]}
    yield image_optimization, {**here, "site_id": SITE, "image_optimization_type": declaration["image_optimization"]}
    yield php_version, {**here, "site_id": SITE, **declaration["php_version"]}
    yield primary_domain, {**here, "site_id": SITE, "domain_name": declaration["primary_domain"]}
    modules = {"domains": site_domain, "themes": site_theme, "plugins": site_plugin}
    for name, module in modules.items():
        for one in declaration[name]:
            yield module, {**here, **one}
    for one in declaration["dns_records"]:
        yield dns_record, one


def test_to_give_back_what_was_read_changes_nothing(controller, furnished, read):
    declaration = read(site_id=SITE, domain_ids=DOMAINS)["declaration"]
    assert declaration["denied_ips"] == ["203.0.113.7", "2001:db8::1"]
    assert declaration["backup"] == {"tag": "before-v2"}
    assert declaration["primary_domain"] == "shop.example.com"
    assert {"name": "storefront", "update_version": "4.5.0"} in declaration["themes"]
    tasks = list(tasks_of(declaration))
    assert len(tasks) == 6 + 2 + 3 + 4 + 4
    for module, options in tasks:
        result = controller.run(module, **options)
        assert not result.get("failed"), (module.__name__, result.get("msg"))
        assert not result["changed"], module.__name__
    assert furnished.writes == []


@pytest.mark.parametrize("part", ENTRIES)
def test_a_part_given_back_alone_changes_nothing(part, controller, furnished, read):
    declaration = read(site_id=SITE, domain_ids=DOMAINS, gather=[part])["declaration"]
    assert list(declaration) == [part]
    result = controller.run(environment, environment_id=LIVE, site_id=SITE, **declaration)
    assert (result.get("msg"), result["changed"], furnished.writes) == (None, False, [])


@pytest.mark.parametrize("settings", [{}, {"interface_only": True}], ids=["all", "documented endpoints only"])
@pytest.mark.parametrize("number", [1, 2])
def test_an_environment_given_back_changes_nothing(number, settings, controller, furnished, read):
    for name, value in settings.items():
        setattr(furnished.settings, name, value)
    ids = {"environment_id": seed.environment_id(number), "site_id": seed.site_id(number)}
    state = read(**ids, domain_ids=[seed.domain_id(number)])
    result = controller.run(environment, **ids, **state["declaration"], diff=True)
    assert (result.get("msg"), result["changed"], furnished.writes) == (None, False, [])
    assert set(result["parts"]) == set(state["declaration"])


# What cannot be read


def test_a_service_with_documented_endpoints_only_shows_the_rest(simulator, read):
    simulator.settings.interface_only = True
    result = read(**EVERYTHING)
    assert set(result["unread"]) == COMPANIONS
    assert set(result["readings"]) == set(READINGS) - COMPANIONS
    assert not any(one["error"]["is_offered"] for one in result["unread"].values())
    assert set(result["declaration"]) == {"sftp_allowlist", "dns_records", "plugins"}


def test_without_companions_none_is_asked_for(simulator, read):
    result = read(**EVERYTHING, companions=False)
    assert set(result["unread"]) == COMPANIONS
    assert not any(one["error"]["is_offered"] for one in result["unread"].values())
    assert {one.status for one in simulator.requests} == {200}
    assert not any(one.path.endswith(("/environments", "/themes", "/backups")) for one in simulator.requests)


def test_a_gap_ends_nothing(furnished, read):
    furnished.fault("status", "GET", f"/sites/environments/{LIVE}/wp-plugins", times=None, status=500)
    furnished.fault("wrong_shape", "GET", f"/sites/environments/{LIVE}/backups", times=None)
    result = read(**EVERYTHING)
    assert not result.get("failed")
    assert set(result["readings"]) == set(READINGS) - {"plugins", "backup"}
    assert set(result["unread"]) == {"plugins", "backup"}
    plugins = result["unread"]["plugins"]
    assert (plugins["error"]["status"], plugins["error"]["is_offered"]) == (500, True)
    assert "500" in plugins["msg"]
    assert "plugins" not in result["declaration"]


def test_a_failed_answer_that_several_need_is_asked_for_once(simulator, read):
    simulator.fault("status", "GET", f"/sites/{SITE}/environments", times=None, status=503)
    result = read(**EVERYTHING)
    assert set(result["unread"]) == BY_SITE
    assert [one.status for one in simulator.requests].count(503) == 1


def test_of_what_is_read_several_times_the_rest_is_read(simulator, read):
    simulator.fault("status", "GET", f"/domains/{DOMAINS[0]}/dns-records", status=500)
    result = read(gather=["dns_records"], domain_ids=DOMAINS)
    assert [one["domain_id"] for one in result["readings"]["dns_records"]["domains"]] == DOMAINS[1:]
    unread = result["unread"]["dns_records"]
    assert unread["error"]["status"] == 500
    assert [(one["domain_id"], one["error"]["status"]) for one in unread["elements"]] == [(DOMAINS[0], 500)]
    assert {one["domain_id"] for one in result["declaration"]["dns_records"]} == set(DOMAINS[1:])


def test_an_id_that_is_missing_is_told_where_it_is_needed(read):
    result = read()
    assert set(result["unread"]) == {"image_optimization", "php_version", "primary_domain", "dns_records"}
    assert "site_id" in result["unread"]["php_version"]["msg"]
    assert "domain_ids" in result["unread"]["dns_records"]["msg"]
    assert read(gather=["dns_records"], domain_ids=[])["readings"] == {"dns_records": {"domains": []}}


def test_an_environment_that_the_site_does_not_have_is_told(read):
    result = read(site_id=seed.site_id(2), gather=["php_version", "denied_ips"])
    assert "has no environment" in result["unread"]["php_version"]["msg"]
    assert "denied_ips" in result["readings"]


@pytest.mark.parametrize("gather", [["visits"], list(READINGS)], ids=["one", "all"])
def test_a_key_that_is_refused_fails_the_task(gather, read):
    result = read(**{**EVERYTHING, "gather": gather}, api_key="wrong-key")
    assert result["failed"]
    assert result["error"]["kind"] == "unauthorized"


@pytest.mark.parametrize("body", ["<html>", "[]"])
def test_an_address_that_is_none_of_the_service_fails_the_task(body, simulator, read):
    simulator.fault("status", times=None, status=200, body=body)
    result = read(**EVERYTHING)
    assert result["failed"]
    assert result["error"]["kind"] == "malformed_response"


class HangingUp(socketserver.BaseRequestHandler):
    """Takes a connection, and ends it before anything is agreed on."""

    def handle(self):
        self.server.calls += 1


def test_without_a_way_to_the_service_the_task_fails_at_once(read):
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), HangingUp) as server:
        server.calls = 0
        threading.Thread(target=server.serve_forever, daemon=True).start()
        result = read(**EVERYTHING, base_url=f"https://127.0.0.1:{server.server_address[1]}/v2")
        server.shutdown()
    assert result["failed"]
    assert result["error"]["kind"] == "connection"
    assert server.calls == 1


@pytest.mark.parametrize("path", ["/backups", "/themes"], ids=["the first", "another"])
def test_a_connection_that_breaks_for_one_is_a_gap(path, simulator, read):
    simulator.fault("drop_before", "GET", f"/sites/environments/{LIVE}{path}", times=None)
    result = read(site_id=SITE, domain_ids=[])
    assert [one["error"]["kind"] for one in result["unread"].values()] == ["connection"]
    assert "plugins" in result["readings"]


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"domain_ids": ["shop.example.com"]}, "domain_ids"),
        ({"emails": ["nobody"]}, "emails"),
        ({"start": "2026-02-01", "end": "2026-01-01"}, "start"),
        ({"query_names": {"phone": "p"}}, "query_names"),
    ],
    ids=str,
)
def test_a_value_that_cannot_be_sent_is_refused_before_anything_is(options, name, simulator, read):
    result = read(**options)
    assert result["error"]["kind"] == "invalid_input"
    assert result["msg"].startswith(name)
    assert simulator.requests == []


def test_query_names_are_those_of_all_readings(simulator, read):
    names = {"time_frame": "span", "email": "mail"}
    read(gather=["visits", "administrators"], emails=EMAILS[:1], time_frame="7_days", query_names=names)
    assert [set(one.query) for one in simulator.requests[-2:]] == [{"span", "company_id"}, {"mail"}]


# The declaration


def declared(name, **reading):
    declaration, errors = declaration_of({name: reading})
    return declaration.get(name), str(errors.get(name, ""))


def test_what_a_module_would_not_take_is_left_out_and_told():
    assert declared("denied_ips", denied_ips=["somewhere"])[0] is None
    assert "somewhere" in declared("denied_ips", denied_ips=["somewhere"])[1]
    assert declared("php_version", php_version=None, automatic_updates=True)[0] is None
    assert declared("image_optimization", image_optimization_type=None)[0] is None
    assert declared("image_optimization", image_optimization_type=7)[0] is None
    plugins = [{"name": "forms", "version": "1.0"}, {"name": "drop-in", "version": None}, {"name": "odd", "version": 7}]
    value, why = declared("plugins", plugins=plugins)
    assert value == [{"name": "forms", "update_version": "1.0"}]
    assert "drop-in" in why


def test_what_is_not_there_needs_no_words():
    assert declared("primary_domain", primary_domain=None) == (None, "")
    assert declared("backup", backups=[]) == (None, "")
    automatic = {"id": 1, "type": "automatic", "tag": "x", "created_at": 1}
    untagged = {"id": 2, "type": "manual", "tag": None, "created_at": 2}
    assert declared("backup", backups=[automatic, untagged]) == (None, "")
    assert declared("domains", domains=[]) == ([], "")


def test_the_newest_tag_is_declared():
    backups = [{"id": one, "type": "manual", "tag": f"v{one}", "created_at": one} for one in (1, 3, 2)]
    assert declared("backup", backups=backups) == ({"tag": "v3"}, "")


def test_a_version_is_declared_without_what_is_not_shown_of_it():
    assert declared("php_version", php_version="8.3", automatic_updates=None) == ({"version": "8.3"}, "")
    both = {"version": "8.3", "automatic_updates": False}
    assert declared("php_version", php_version="8.3", automatic_updates=False) == (both, "")


def test_a_name_by_which_the_module_would_not_find_it_is_left_out():
    domains = [{"name": "Shop.Example.com"}, {"name": "münchen.example.com"}, {"name": "*.shop.example.com"}]
    value, why = declared("domains", domains=domains)
    assert [one["domain_name"] for one in value] == ["shop.example.com", "*.shop.example.com"]
    assert "münchen" in why


def test_a_record_in_pieces_is_one_record():
    def record(value, **more):
        return {"type": "a", "name": "Shop.example.com.", "ttl": 300, "rdata": [value], **more}

    pieces = [record("192.0.2.1"), record("192.0.2.2", ttl=600), record("192.0.2.1")]
    other = {"type": "MX", "name": "shop.example.com", "ttl": None, "rdata": []}
    value, why = declared("dns_records", domains=[{"domain_id": DOMAINS[0], "dns_records": [*pieces, other]}])
    assert value == [
        {
            "domain_id": DOMAINS[0],
            "type": "A",
            "name": "shop.example.com",
            "ttl": 300,
            "values": ["192.0.2.1", "192.0.2.2"],
        }
    ]
    assert "values" in why
