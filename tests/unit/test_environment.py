# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An environment as one value: all parts in one task, side by side, and each for itself."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _journal
from ansible_collections.hosting.management.plugins.module_utils._context import secrets_within
from ansible_collections.hosting.management.plugins.module_utils._declared_parts import UPDATES
from ansible_collections.hosting.management.plugins.module_utils._errors import InvalidInput
from ansible_collections.hosting.management.plugins.modules import deploy_lock, env_push, environment, site_plugin
from simulator import seed
from simulator.state import Content

pytest_plugins = ["simulator.fixtures", "unit.postgres"]

LIVE, SITE, DOMAIN = seed.environment_id(1), seed.site_id(1), seed.domain_id(1)
IDS = {"environment_id": LIVE, "site_id": SITE}
DECLARED = {
    "backup": "night",
    "denied_ips": ["198.51.100.9"],
    "sftp_allowlist": ["198.51.100.9"],
    "image_optimization": "lossy",
    "domains": ["new.example.com"],
    "primary_domain": "new.example.com",
    "dns_records": [{"domain_id": DOMAIN, "type": "TXT", "name": "shop.example.com", "values": ["hello"]}],
    "themes": [{"name": "storefront", "update_version": "4.6.0"}],
    "plugins": [{"name": "example-forms", "update_version": "2.5.0"}],
    "php_version": "8.4",
}
"""What differs from an environment as the simulator has it, in every part."""

SEVEN = {
    "backup": "night",
    "denied_ips": [],
    "sftp_allowlist": list(seed.SFTP_IP_ALLOWLIST),
    "image_optimization": "off",
    "php_version": "8.3",
    "primary_domain": {"domain_id": DOMAIN},
    "plugins": {"names": ["example-seo"]},
}
"""What an environment is like from the start, but for the backup."""


@pytest.fixture
def live(simulator):
    return simulator.state.environment(LIVE)


@pytest.fixture
def keep(controller):
    """A function that runs the module with these parts."""

    def keep(*, check_mode=False, diff=False, **options):
        return controller.run(environment, check_mode=check_mode, diff=diff, **IDS, **options)

    return keep


def of_parts(result, name):
    return {part: values[name] for part, values in result["parts"].items()}


def messages(result):
    return result.get("msg"), [one["msg"] for one in result["parts"].values() if one["msg"]]


def writes(simulator):
    return [f"{one.method} {one.path}" for one in simulator.writes]


def test_all_parts_are_brought_about_and_the_second_run_sends_no_write(keep, simulator, live):
    first = keep(**DECLARED)
    assert not first.get("failed"), messages(first)
    assert of_parts(first, "changed") == dict.fromkeys(DECLARED, True)
    assert len(simulator.writes) == len(DECLARED)
    assert live.denied_ips == live.sftp_ip_allowlist == ["198.51.100.9"]
    assert (live.image_optimization_type, live.php_engine_version) == ("lossy", "php8.4")
    assert live.primary_domain.name == "new.example.com"
    assert [backup.note for backup in live.backups if backup.type == "manual"] == ["night"]
    again = keep(**DECLARED)
    assert not again.get("failed"), messages(again)
    assert of_parts(again, "changed") == of_parts(again, "differs") == dict.fromkeys(DECLARED, False)
    assert not again["changed"]
    assert len(simulator.writes) == len(DECLARED)


def test_a_part_is_kept_as_by_its_own_module(keep, controller, simulator):
    keep(plugins=DECLARED["plugins"])
    assert not controller.run(site_plugin, environment_id=LIVE, **DECLARED["plugins"][0])["changed"]
    assert len(simulator.writes) == 1


def test_what_is_not_declared_is_left_alone(keep, simulator):
    result = keep(denied_ips=None, dns_records=[], themes=[])
    assert (result["changed"], simulator.requests) == (False, [])
    assert set(result["parts"]) == {"dns_records", "themes"}


@pytest.mark.parametrize(
    ("part", "options"),
    [
        ("backup", {"tag": "night", "max_age": "1h"}),
        ("denied_ips", {"ip_list": ["198.51.100.9/32"]}),
        ("sftp_allowlist", {"ip_allowlist": "198.51.100.9"}),
        ("image_optimization", {"image_optimization_type": "lossy"}),
        ("domains", {"domain_name": "NEW.example.com."}),
        ("domains", "new.example.com"),
        ("plugins", {"names": ["example-forms"]}),
        ("plugins", "updatable"),
        ("themes", {"names": ["storefront"]}),
        ("php_version", {"version": "php8.4", "automatic_updates": None}),
    ],
)
def test_a_value_alone_means_the_same_as_the_options_of_the_module(part, options, keep, simulator):
    assert keep(**{part: DECLARED[part]})["changed"]
    assert not keep(**{part: options})["changed"]
    assert len(simulator.writes) == 1


def test_a_declaration_means_the_same_as_its_parts(keep, live):
    predicted = [keep(check_mode=True, **options) for options in ({"declaration": DECLARED}, DECLARED)]
    assert predicted[0] == predicted[1]
    declaration = {**DECLARED, "themes": None, "denied_ips": ["203.0.113.9"]}
    result = keep(declaration=declaration, denied_ips=DECLARED["denied_ips"])
    assert list(of_parts(result, "changed").values()) == [True] * (len(DECLARED) - 1)
    assert live.denied_ips == DECLARED["denied_ips"], "the part's own option comes first"
    assert "themes" not in result["parts"]


def test_operations_that_do_not_depend_on_each_other_are_under_way_side_by_side(keep, simulator):
    simulator.settings.operation_seconds = 0.4
    result = keep(**DECLARED)
    assert not result.get("failed"), messages(result)
    paths = [f"{one.method} {one.path}" for one in simulator.requests]
    looks = [path for path in paths if "/operations/" in path]
    sent_at_first = writes(simulator)[: len([one for one in paths[: paths.index(looks[0])] if one[:4] != "GET "])]
    ends = [path.rpartition("/")[2] for path in sent_at_first]
    assert ends == ["manual-backups", "denied-ips", "set-allowed-ips", "image-optimization", "domains", "dns-records"]
    # The rest waits: the updates for the backup and for each other, the primary domain for the domain.
    rest = [path.rpartition("/")[2] for path in writes(simulator)[len(ends) :]]
    assert sorted(rest) == sorted(["change-primary-domain", "themes", "plugins", "modify-php-version"])
    assert [one for one in rest if one != "change-primary-domain"] == ["themes", "plugins", "modify-php-version"]


def test_nothing_is_waited_for_before_all_has_begun_that_may(keep, simulator):
    simulator.settings.operation_seconds = 0.2
    domains = [f"new{number}.example.com" for number in range(6)]
    result = keep(domains=domains, image_optimization="lossy", php_version="8.4")
    assert not result.get("failed"), messages(result)
    is_look = ["/operations/" in one.path for one in simulator.requests]
    last_write = max(number for number, one in enumerate(simulator.requests) if one.method != "GET")
    assert is_look.index(True) > last_write
    assert len(simulator.writes) == 8


def test_one_bad_part_stops_no_other_and_is_told_at_the_end(keep, live):
    result = keep(**{**DECLARED, "primary_domain": "nobody.example.com"})
    assert result["failed"]
    assert result["changed"]
    assert result["error"]["part"] == "primary_domain"
    assert result["error"]["kind"] == "invalid_input"
    assert result["msg"].startswith("primary_domain: The environment has no domain nobody.example.com. It has: ")
    bad = result["parts"]["primary_domain"]
    assert (bad["failed"], bad["changed"], bad["differs"], bad["error"]["kind"]) == (True, False, None, "invalid_input")
    assert [name for name, is_changed in of_parts(result, "changed").items() if not is_changed] == ["primary_domain"]
    assert live.php_engine_version == "php8.4"


def test_all_failures_are_told_and_one_entry_of_several_is_named(keep, simulator):
    simulator.fault("status", "PUT", ".*/denied-ips", status=400)
    records = [{**DECLARED["dns_records"][0], "name": f"{name}.example.com"} for name in ("a", "b")]
    simulator.fault("status", "POST", ".*/dns-records", status=400)
    result = keep(denied_ips=["192.0.2.1"], dns_records=records, image_optimization="lossy")
    lines = result["msg"].splitlines()
    assert [line.partition(":")[0] for line in lines] == ["denied_ips", "dns_records[0]"]
    assert (result["error"]["part"], result["error"]["status"]) == ("denied_ips", 400)
    dns = result["parts"]["dns_records"]
    assert (dns["changed"], dns["failed"], dns["error"]["method"]) == (True, True, "POST")
    assert [(one["name"], one["changed"], one["failed"]) for one in dns["entries"]] == [
        ("TXT a.example.com", False, True),
        ("TXT b.example.com", True, False),
    ]


def test_updates_are_not_made_after_a_backup_that_failed(keep, simulator, live):
    simulator.fault("status", "POST", ".*/manual-backups", status=400)
    result = keep(**DECLARED)
    failed = [name for name, is_failed in of_parts(result, "failed").items() if is_failed]
    assert failed == ["backup", "themes", "plugins", "php_version"]
    assert (result["error"]["part"], result["changed"]) == ("backup", True)
    assert "the backup that comes before updates was not taken" in result["parts"]["plugins"]["msg"]
    assert result["parts"]["plugins"]["differs"]
    assert live.php_engine_version == "php8.3"
    assert all(path.rpartition("/")[2] not in ("themes", "plugins", "modify-php-version") for path in writes(simulator))


def test_what_needs_no_update_is_not_held_up_by_a_backup_that_failed(keep, simulator):
    simulator.fault("status", "POST", ".*/manual-backups", status=400)
    result = keep(backup="night", php_version="8.3", plugins="vulnerable")
    assert [name for name, is_failed in of_parts(result, "failed").items() if is_failed] == ["backup"]


def test_check_mode_predicts_all_parts_and_shows_them_in_one_diff(keep, simulator):
    predicted = keep(check_mode=True, diff=True, **DECLARED)
    assert not predicted.get("failed"), messages(predicted)
    assert (simulator.writes, of_parts(predicted, "changed")) == ([], dict.fromkeys(DECLARED, True))
    assert predicted["diff"]["states"] == {
        "before": {
            "backup": None,
            "denied_ips": [],
            "sftp_allowlist": ["198.51.100.7", "203.0.113.24"],
            "image_optimization": "off",
            "domains": {"new.example.com": "absent"},
            "primary_domain": "shop.example.com",
            "dns_records": {"TXT shop.example.com": "absent"},
            "themes": {"storefront": "4.5.0"},
            "plugins": {"example-forms": "2.4.1"},
            "php_version": {"version": "8.3"},
        },
        "after": {
            "backup": "night",
            "denied_ips": ["198.51.100.9"],
            "sftp_allowlist": ["198.51.100.9"],
            "image_optimization": "lossy",
            "domains": {"new.example.com": "present"},
            "primary_domain": "new.example.com",
            "dns_records": {"TXT shop.example.com": {"ttl": 3600, "rdata": ["hello"]}},
            "themes": {"storefront": "4.6.0"},
            "plugins": {"example-forms": "2.5.0"},
            "php_version": {"version": "8.4"},
        },
    }
    done = keep(diff=True, **DECLARED)
    assert done["diff"] == predicted["diff"]
    after = done["diff"]["states"]["after"]
    assert keep(diff=True, **DECLARED)["diff"] == {"prepared": "", "states": {"before": after, "after": after}}


def test_a_diff_is_one_line_that_says_whose_it_is(keep):
    few = {"denied_ips": ["198.51.100.9"], "php_version": "8.4", "image_optimization": "lossy"}
    said = "denied_ips: +198.51.100.9; image_optimization: off → lossy; php_version.version: 8.3 → 8.4"
    assert keep(diff=True, check_mode=True, environment_name="shop", **few)["diff"]["prepared"] == f"shop: {said}"
    assert keep(diff=True, check_mode=True, **few)["diff"]["prepared"] == f"{IDS['environment_id']}: {said}"


def test_a_diff_that_is_too_long_for_a_line_has_one_for_each_value(keep):
    addresses = [f"198.51.100.{number}" for number in range(1, 99)]
    diff = keep(diff=True, check_mode=True, denied_ips=addresses, php_version="8.4")["diff"]["prepared"]
    first, denied, *others = diff.split("\n")
    assert first == f"{IDS['environment_id']}:"
    assert denied == f"  denied_ips: {' '.join(f'+{one}' for one in addresses)}"
    assert others == ["  php_version.version: 8.3 → 8.4"]


def test_a_site_that_does_not_work_gets_no_updates_and_all_else(keep, simulator, live):
    live.content = Content("broken", "database")
    page = f"{simulator.base_url[:-3]}/_simulator/sites/{IDS['environment_id']}"
    result = keep(site_check={"urls": [page], "attempts": 1}, **DECLARED)
    assert (result["failed"], result["error"]["kind"], result["error"]["part"]) == (True, "check_failed", "site_check")
    assert result["msg"].startswith(f"site_check: {page} answered 500")
    assert result["site_check"]["checks"][0]["status"] == 500
    assert {name for name, changed in of_parts(result, "changed").items() if not changed} == set(UPDATES)
    assert [result["parts"][name]["differs"] for name in UPDATES] == [True] * 3
    live.content = Content("v1", "database")
    works = keep(site_check=page, **DECLARED)
    assert (works["site_check"]["failed"], works["site_check"]["has_ended"]) == (False, True)
    assert {name for name, changed in of_parts(works, "changed").items() if changed} == set(UPDATES)


def test_the_password_of_a_site_is_a_secret():
    site = {"urls": ["https://shop.example"], "url_username": "anna", "url_password": "s3cr3t-of-anna"}
    assert "s3cr3t-of-anna" in secrets_within({"site_check": site}, environment.SPEC.options)


def test_a_locked_environment_gets_no_updates_and_all_else(keep, controller):
    assert keep(lock_groups=[], check_mode=True, **DECLARED)["locks"] == []
    lock = {"group": "shops", "reason": "Black Friday", "until": "3h", "author": "anna"}
    assert controller.run(deploy_lock, **lock)["changed"]
    result = keep(lock_groups=["shops"], **DECLARED)
    assert [one["reason"] for one in result["locks"]] == ["Black Friday"]
    assert {name for name, changed in of_parts(result, "changed").items() if not changed} == set(UPDATES)
    assert not result.get("failed")
    assert keep(lock_groups=["blogs"], **DECLARED)["changed"]


def test_what_is_compared_is_not_changed_and_counts_as_no_change(keep, simulator):
    result = keep(diff=True, compare=["php_version", "dns_records", "backup"], **DECLARED)
    compared = {name: one for name, one in result["parts"].items() if not one["changed"]}
    assert set(compared) == {"php_version", "dns_records", "backup"}
    assert all(one["differs"] for one in compared.values())
    assert result["parts"]["php_version"]["after"] == {"version": "8.4"}
    assert len(simulator.writes) == len(DECLARED) - 3
    assert not compared.keys() & result["diff"]["states"]["after"].keys()
    only = keep(compare=list(DECLARED), **DECLARED)
    assert (only["changed"], of_parts(only, "differs")["php_version"]) == (False, True)


class Killed(BaseException):
    """What nothing catches."""


def test_a_run_that_is_killed_between_parts_is_gone_on_with(keep, simulator, monkeypatch):
    simulator.settings.operation_seconds = 0.5
    sleep = time.sleep

    def die(seconds):
        if threading.current_thread() is threading.main_thread():
            raise Killed
        sleep(seconds)

    monkeypatch.setattr(time, "sleep", die)
    with pytest.raises(Killed):
        keep(**DECLARED)
    monkeypatch.setattr(time, "sleep", sleep)
    assert 0 < len(simulator.writes) < len(DECLARED)
    result = keep(**DECLARED)
    assert not result.get("failed"), messages(result)
    assert len(simulator.writes) == len(DECLARED)
    assert not result["parts"]["backup"]["changed"]
    assert not keep(**DECLARED)["changed"]


def test_two_runs_at_once_send_each_request_once(keep, simulator):
    simulator.settings.operation_seconds = 0.2
    start = threading.Barrier(2)

    def run(_number):
        start.wait()
        return keep(wait_timeout=30, **DECLARED)

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, range(2)))
    assert [messages(result) for result in results if result.get("failed")] == []
    # A list that is set as a whole may be set twice, by two runs that have both seen the old one.
    assert len(set(writes(simulator))) == len(DECLARED)
    assert sorted(set(writes(simulator))) == sorted(writes(simulator))
    assert not keep(**DECLARED)["changed"]


def test_a_service_with_the_documented_endpoints_only(keep, simulator):
    simulator.settings.interface_only = True
    documented = {
        **{name: DECLARED[name] for name in ("backup", "denied_ips", "image_optimization", "domains", "themes")},
        "primary_domain": {"domain_id": seed.domain_id(1, seed.LIVE_WWW)},
    }
    first = keep(companions=False, **documented)
    assert not first.get("failed"), messages(first)
    assert all(of_parts(first, "changed").values())
    again = keep(companions=False, **documented)
    assert set(of_parts(again, "changed").values()) == {False}
    assert set(of_parts(again, "state_source").values()) == {"journal"}
    assert len(simulator.writes) == len(documented)


@pytest.mark.parametrize("name", ["shop.example.com", None])
def test_an_environment_that_is_as_declared_costs_few_requests(name, keep, simulator):
    keep(backup="night")
    simulator.clear_requests()
    result = keep(**{**SEVEN, "primary_domain": {"domain_name": name} if name else SEVEN["primary_domain"]})
    assert not result["changed"]
    assert len(simulator.requests) == (6 if name else 5)
    assert len({one.path for one in simulator.requests}) == len(simulator.requests)


def test_a_look_of_another_part_may_only_end_in_nothing_to_do(keep, simulator):
    result = keep(image_optimization="off", php_version="8.4")
    assert result["parts"]["php_version"]["changed"]
    paths = [f"{one.method} {one.path.rpartition('/')[2]}" for one in simulator.requests]
    assert paths[:3] == ["GET environments", "GET environments", "PUT modify-php-version"]


def test_a_refusal_for_what_another_part_has_read_is_looked_at_again(keep, simulator):
    result = keep(domains=["shop.example.com"], primary_domain="nobody.example.com")
    assert result["error"]["part"] == "primary_domain"
    looks = [one for one in simulator.requests if one.path.endswith("/domains")]
    assert len(looks) == 2


def test_without_waiting_what_has_to_wait_says_so(keep, simulator):
    simulator.settings.operation_seconds = 3600
    result = keep(wait=False, **DECLARED)
    assert not result.get("failed"), messages(result)
    assert [name for name, text in of_parts(result, "waits_for").items() if text] == [
        "primary_domain",
        "themes",
        "plugins",
        "php_version",
    ]
    assert "The backup night goes on" in result["parts"]["plugins"]["waits_for"]
    assert {one["part"] for one in result["operations"]} == {"backup", "image_optimization", "domains", "dns_records"}
    assert {one["state"] for one in result["operations"]} == {"in_progress"}


def test_without_waiting_no_update_begins_before_a_backup_that_has_to_wait(keep, controller, simulator):
    simulator.settings.operation_seconds = 3600
    push = {"site_id": SITE, "source_env_id": seed.environment_id(1, seed.STAGING), "target_env_id": LIVE}
    controller.run(env_push, wait=False, release="v1", **push)
    result = keep(wait=False, backup="night", php_version="8.4", compare=[])
    assert not result.get("failed"), messages(result)
    assert "The push of v1 goes on" in result["parts"]["backup"]["waits_for"]
    assert "the backup that comes before updates was not taken" in result["parts"]["php_version"]["waits_for"]
    assert len(simulator.writes) == 1


def test_with_force_each_part_is_sent_once(keep, simulator):
    simulator.settings.operation_seconds = 0.1
    keep(**DECLARED)
    simulator.clear_requests()
    forced = {name: DECLARED[name] for name in ("backup", "denied_ips", "image_optimization", "php_version")}
    result = keep(force=True, **forced)
    assert not result.get("failed"), messages(result)
    assert len(simulator.writes) == len(forced)


def test_the_canary_of_the_task_holds_for_its_updates(controller):
    options = {"plugins": "updatable", "php_version": "8.4", "canary": True}
    controller.run(environment, **IDS, environment_name="shop", **options)
    other = {"environment_id": seed.environment_id(2), "site_id": seed.site_id(2)}
    held = controller.run(environment, **other, **options)
    assert [one["name"] for one in held["parts"]["plugins"]["held"]] == ["example-forms"]
    assert [one["environment"] for one in held["parts"]["php_version"]["held"]] == ["shop"]
    assert not held["changed"]
    own = controller.run(environment, **other, **{**options, "plugins": {"names": ["*"], "canary": False}})
    assert of_parts(own, "changed") == {"plugins": True, "php_version": False}


def test_a_database_is_connected_to_once_for_all_tasks_of_a_process(keep, controller, postgres, monkeypatch):
    import psycopg

    keep(backup="night")
    controller.options["journal"] = postgres
    keep(**SEVEN)
    _journal.kept_journal(postgres).close()
    opened, connect = [], psycopg.connect
    monkeypatch.setattr(psycopg, "connect", lambda *args, **options: opened.append(1) or connect(*args, **options))
    for _task in range(3):
        assert not keep(**SEVEN)["changed"]
    assert opened == [1]


def test_while_a_task_waits_it_is_not_connected_to_its_database(keep, controller, simulator, postgres):
    import psycopg

    controller.options["journal"] = postgres
    simulator.settings.operation_seconds = 1
    others, of_database = [], "datname = current_database() and pid <> pg_backend_pid()"
    with ThreadPoolExecutor(1) as pool, psycopg.connect(postgres, autocommit=True) as connection:
        running = pool.submit(keep, backup="night")
        while not running.done():
            (number,) = connection.execute(f"select count(*) from pg_stat_activity where {of_database}").fetchone()
            others += [number] if simulator.writes else []
            time.sleep(0.02)
        assert running.result()["changed"]
    assert 0 in others


KEY = "-----BEGIN KEY-----\nc2VjcmV0\n-----END KEY-----"


@pytest.mark.parametrize("is_list", [True, False])
def test_secrets_within_a_part_are_known(is_list):
    domain = {"domain_name": "a.example.com", "custom_ssl_key": KEY, "custom_ssl_cert": "c"}
    params = {"domains": [domain, "b.example.com"] if is_list else domain}
    assert {KEY, "c2VjcmV0"} <= secrets_within(params, environment.SPEC.options)
    assert "c" not in secrets_within(params, environment.SPEC.options)


RECORD = DECLARED["dns_records"][0]
BAD = {
    "no address": ({"denied_ips": ["198.51.100"]}, "denied_ips.ip_list has an entry that is no IPv4 address"),
    "no dictionary": ({"dns_records": ["A"]}, r"dns_records\[0\] must be a dictionary with the options domain_id, "),
    "a list for a text": ({"image_optimization": ["lossy"]}, "image_optimization must be a dictionary .* alone"),
    "a number for a text": ({"php_version": 8.1}, r"php_version.version is the number 8\.1"),
    "a number within": ({"php_version": {"version": 8.1}}, r"php_version.version is the number 8\.1"),
    "a number in a list": (
        {"plugins": [{"name": "a", "update_version": "1"}, {"name": "b", "update_version": 1.1}]},
        r"plugins\[1\].update_version is the number 1\.1",
    ),
    "malformed": ({"php_version": "latest"}, "php_version.version must be a version of PHP"),
    "the third": ({"dns_records": [RECORD, RECORD, {**RECORD, "ttl": 0}]}, r"dns_records\[2\].ttl must be a number"),
    "wrong type": ({"dns_records": [{**RECORD, "ttl": "soon"}]}, r"dns_records\[0\]: .*ttl.*int"),
    "wrong address": (
        {"dns_records": [{**RECORD, "type": "A", "values": ["x"]}]},
        r"dns_records\[0\].values of type A must be IPv4 addresses",
    ),
    "misspelled": (
        {"backup": {"tagg": "night"}},
        r"backup has no option tagg\. Supported parameters include: .*max_age.*tag",
    ),
    "missing": ({"themes": {"name": "storefront"}}, "themes: parameters are required together: name, update_version"),
    "no choice": ({"plugins": "all"}, "plugins: value of select must be one of: updatable, vulnerable, got: all"),
    "an action": ({"backup": {}}, "backup: one of the following is required: tag, max_age, newer_than"),
    "empty": ({"backup": ""}, "backup.tag must not be empty"),
    "empty names": ({"plugins": {"names": []}}, "plugins.names is empty"),
    "null within": ({"domains": [{"domain_name": None}]}, r"domains\[0\].domain_name has no value"),
    "null in a list": ({"domains": [None]}, r"domains\[0\] must be a dictionary"),
    "two versions": (
        {"plugins": [{"name": "a", "update_version": "1"}, {"name": "a", "update_version": "2"}]},
        r"plugins\[0\] and plugins\[1\] are both about a, so they would undo each other\. Leave one",
    ),
    "there and away": (
        {"domains": ["a.example.com", "b.example.com", {"domain_name": "A.example.com", "state": "absent"}]},
        r"domains\[0\] and domains\[2\] are both about a\.example\.com",
    ),
    "two values": (
        {"declaration": {"dns_records": [RECORD, {**RECORD, "type": "txt", "values": ["other"]}]}},
        r"dns_records\[0\] and dns_records\[1\] are both about TXT shop\.example\.com",
    ),
    "within a declaration": (
        {"declaration": {"denied_ips": ["198.51.100"]}},
        r"declaration[.:] ?denied_ips.ip_list has an entry that is no IPv4 address",
    ),
    "a misspelled part": ({"declaration": {"denied_ip": []}}, "declaration has no option denied_ip"),
    "no declaration": ({"declaration": ["denied_ips"]}, "declaration must be a dictionary with the options backup, "),
    "a boolean": ({"image_optimization": False}, "image_optimization.image_optimization_type is a boolean"),
}


def test_entries_that_only_add_may_be_about_the_same_record(keep):
    added = [{**RECORD, "exclusive": False, "values": [value]} for value in ("one", "two")]
    assert keep(dns_records=added)["parts"]["dns_records"]["changed"]
    assert not keep(dns_records=added)["changed"]


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_values_are_told_with_their_place_before_anything_is_sent(options, message, keep, controller, simulator):
    with pytest.raises(InvalidInput, match=message) as caught:
        controller.context(environment, **IDS, **{"image_optimization": "lossy", **options})
    assert str(caught.value).endswith("Nothing was sent.")
    result = keep(**{"image_optimization": "lossy", **options})
    assert (result["failed"], result["error"]["kind"], simulator.requests) == (True, "invalid_input", [])


def test_parts_share_the_client_the_journal_and_what_is_warned_of(controller):
    context = controller.context(environment, **IDS)
    part = context.narrowed({"version": "8.4"}, check_mode=True)
    assert (part["version"], part["environment_id"], part.check_mode, context.check_mode) == ("8.4", LIVE, True, False)
    assert part.client is context.client
    assert part.journal is context.journal
    assert isinstance(part.journal, _journal.SqliteJournal)
    for one in (part, context, context.narrowed({})):
        one.warn("Look out.")
    assert controller.warnings == ["Look out."]


GATHERED = ["backup", "plugins", "usage", "versions", "releases"]


def test_what_the_parts_have_read_is_not_asked_for_twice(keep, simulator):
    keep(backup="night")
    simulator.clear_requests()
    result = keep(**SEVEN, gather=GATHERED)
    assert (result["changed"], sorted(result["readings"]), result["unread"]) == (False, sorted(GATHERED), {})
    assert len(simulator.requests) == 6, "one more than without gather"
    assert result["readings"]["plugins"]["plugins"]


def test_what_is_gathered_is_as_it_is_after_the_changes(keep):
    result = keep(**DECLARED, gather=["backup", "plugins", "denied_ips"])
    readings = result["readings"]
    assert readings["denied_ips"]["denied_ips"] == DECLARED["denied_ips"]
    assert readings["backup"]["backups"][0]["tag"] == "night"
    versions = {one["name"]: one["version"] for one in readings["plugins"]["plugins"]}
    assert versions["example-forms"] == "2.5.0"


def test_what_cannot_be_gathered_fails_nothing(keep):
    result = keep(denied_ips=[], gather=["plugins", "dns_records"])
    assert "failed" not in result
    assert (list(result["readings"]), list(result["unread"])) == (["plugins"], ["dns_records"])


def test_a_key_that_does_not_count_is_told_once(keep, controller):
    controller.options["api_key"] = "another"
    declared = keep(denied_ips=[], gather=["plugins"])
    alone = keep(gather=["plugins"])
    assert declared["error"]["part"] == "denied_ips"
    assert declared["unread"]["plugins"]["error"]["kind"] == alone["error"]["kind"] == "unauthorized"
    assert (alone["failed"], alone["readings"], declared["readings"]) == (True, {}, {})


# ---- actions --------------------------------------------------------------------------------------------------------

REFRESH = {"php_restart": "v1", "caches": [{"cache": "site", "release": "v1"}, {"cache": "edge", "release": "v1"}]}


def test_php_is_restarted_and_caches_are_cleared_once_for_a_release(keep, simulator):
    first = keep(**REFRESH, denied_ips=["198.51.100.9"])
    assert not first.get("failed"), messages(first)
    assert of_parts(first, "changed") == {"denied_ips": True, "php_restart": True, "caches": True}
    assert [one["name"] for one in first["parts"]["caches"]["entries"]] == ["site", "edge"]
    assert len(simulator.writes) == 4
    assert not keep(**REFRESH)["changed"]
    forced = keep(php_restart={"release": "v1", "force": True}, caches=REFRESH["caches"])
    assert of_parts(forced, "changed") == {"php_restart": True, "caches": False}
    assert keep(php_restart={})["changed"], "without a release, it is restarted each time"


def test_actions_come_after_updates(keep, simulator):
    result = keep(**REFRESH, plugins=DECLARED["plugins"], php_version="8.4")
    assert not result.get("failed"), messages(result)
    ends = [path.rpartition("/")[2] for path in writes(simulator)]
    assert ends[:2] == ["plugins", "modify-php-version"]
    assert sorted(ends[2:]) == ["clear", "clear-cache", "restart-php"]


@pytest.mark.parametrize("status", [400, 404, 405])
def test_a_cache_that_cannot_be_cleared_may_be_no_failure(status, keep, simulator):
    simulator.fault("status", "POST", ".*/edge-caching/clear", status=status, times=2)
    entries = [{**one, "if_offered": True} for one in REFRESH["caches"]]
    result = keep(caches=entries)
    assert not result.get("failed"), messages(result)
    site, edge = result["parts"]["caches"]["entries"]
    assert (site["changed"], edge["changed"]) == (True, False)
    assert str(status) in edge["result"]["problem"]
    assert keep(caches=REFRESH["caches"])["failed"]


def test_a_cache_that_is_refused_for_another_reason_is_a_failure(keep, simulator):
    simulator.fault("status", "POST", ".*/edge-caching/clear", status=422)
    assert keep(caches=[{"cache": "edge", "if_offered": True}])["failed"]


@pytest.mark.parametrize(
    ("caches", "said"),
    [
        ([{"cache": "site", "url": "https://a.example"}], "url goes with the cache edge"),
        ([{"cache": "edge", "clear_subdirectories": True}], "clear_subdirectories needs url"),
        ([{"cache": "page"}], "value of cache must be one of: site, edge, cdn"),
        (["site", "site"], "caches[0] and caches[1] are both about site"),
    ],
)
def test_a_cache_that_makes_no_sense_is_refused(caches, said, keep, simulator):
    result = keep(caches=caches)
    assert result["error"]["kind"] == "invalid_input"
    assert said in result["msg"]
    assert simulator.writes == []


def test_the_cache_of_a_cdn_is_looked_up_or_named(keep, simulator, controller):
    assert keep(caches=["cdn"])["changed"]
    assert any("/environments" in one.path for one in simulator.requests if one.method == "GET")
    result = controller.run(environment, environment_id=LIVE, caches=["cdn"])
    assert "needs cdn_cache_id, or site_id to ask for it" in result["msg"]
