# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a playbook gets when something goes wrong: what happened, whether anything was done, what to do next."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterable
from functools import partial
from typing import Any

import pytest

from integration.playbook import IN_PROCESS, MODES, MODULE_PROCESS, Ansible, Step
from integration.table import LIVE, SITE, STAGING, UNKNOWN, Row, row_of, rows_of_modules
from simulator import Simulator
from simulator.errors import error_body

pytest_plugins = ["simulator.fixtures"]

KINDS = {400: "bad_request", 401: "unauthorized", 404: "not_found", 500: "service"}
ADVICE = {
    400: "Check the ids and values given",
    401: r"option api_key or the environment variable HOSTING_API_KEY",
    404: "Check the ids and the permissions",
    500: "an unknown id can be the cause",
}
PUSH_PATH = f"/sites/{SITE}/environments"

BAD_OPTIONS: dict[str, tuple[str, dict[str, Any], str]] = {
    "id that is no UUID": ("php_restart", {"environment_id": "live"}, "environment_id must be a UUID"),
    "id with a path in it": ("php_restart", {"environment_id": f"{LIVE}/../x"}, "environment_id must be a UUID"),
    "malformed address": ("denied_ips", {"ip_list": ["192.0.2.300"]}, r"ip_list has an entry .*192\.0\.2\.300"),
    "malformed network": ("denied_ips", {"ip_list": ["192.0.2.0/33"]}, r"ip_list .*192\.0\.2\.0/33"),
    "network with host bits": ("denied_ips", {"ip_list": ["192.0.2.7/24"]}, r"did you mean 192\.0\.2\.0/24"),
    "IPv6 network": ("denied_ips", {"ip_list": ["2001:db8::/32"]}, "single IPv6 addresses only"),
    "malformed address that may use SFTP": (
        "sftp_allowlist",
        {"ip_allowlist": ["everybody"]},
        r"ip_allowlist has an entry .*everybody",
    ),
    "DNS record without values": ("dns_record", {"values": []}, "values is missing or empty.* give state: absent"),
    "no values to remove from a DNS record": ("dns_record", {"values": [], "state": "absent"}, "values is .* empty"),
    "DNS record with a value of another type": (
        "dns_record",
        {"values": ["2001:db8::1"]},
        "values of type A must be IPv4 addresses, not '2001:db8::1'",
    ),
    "DNS record with a relative name": ("dns_record", {"name": "www"}, "name must be a domain name"),
    "malformed type of a DNS record": ("dns_record", {"type": "A record"}, "type must be the type of a DNS record"),
    "DNS record that lives for no time": ("dns_record", {"ttl": 0}, "ttl must be a number of seconds"),
    "DNS record of no domain": ("dns_record", {"domain_id": ""}, "one of the .* required: domain_id, domain_name"),
    "primary domain without a name": ("primary_domain", {"domain_id": ""}, "is required: domain_id, domain_name"),
    "no primary domain": ("primary_domain", {"domain_id": None}, "is required: domain_id, domain_name"),
    "no backup to restore": ("backup_restore", {"backup_id": None}, "is required: backup_id, tag"),
    "no themes": ("site_theme", {"name": None, "update_version": None}, "is required: name, names"),
    "DNS record of two domains": ("dns_record", {"domain_name": "example.com"}, "mutually exclusive"),
    "no plugins": ("site_plugin", {"name": None, "update_version": None}, "is required: name, names, select"),
    "plugins in two ways": ("site_plugin", {"select": "updatable"}, "mutually exclusive: name"),
    "plugin without version": ("site_plugin", {"update_version": None}, "required together: name, update_version"),
    "PHP version as a number": ("php_version", {"version": 8.1}, r"version is the number 8\.1"),
    "malformed PHP version": ("php_version", {"version": "latest"}, "version must be a version of PHP"),
    "absolute path": ("env_push", {"file_list": ["/etc/passwd"]}, "file_list must have relative paths"),
    "path that leads out": ("env_push", {"file_list": ["wp-content/../../x"]}, "file_list must have relative paths"),
    "empty path": ("env_push", {"file_list": [" "]}, "file_list must have relative paths"),
    "specific files without a list": ("env_push", {"file_list": None}, "SPECIFIC_FILES needs a file_list"),
    "specific files, empty list": ("env_push", {"file_list": []}, "SPECIFIC_FILES needs a file_list"),
    "list without specific files": ("env_push", {"push_files_option": "ALL_FILES"}, "file_list needs"),
    "push onto itself": ("env_push", {"source_env_id": LIVE}, "the same environment"),
    "nothing to push": ("env_push", {"push_db": False, "push_files": False}, "nothing to push"),
    "key without certificate": ("site_domain", {"custom_ssl_key": "PRIVATE"}, "custom_ssl_key, custom_ssl_cert"),
    "key with an empty certificate": (
        "site_domain",
        {"custom_ssl_key": "PRIVATE", "custom_ssl_cert": ""},
        "custom_ssl_key, custom_ssl_cert.* Nothing was sent",
    ),
    "malformed domain": ("site_domain", {"domain_name": "no_dots"}, "domain_name must be a domain name"),
    "unknown role": ("company_user_role", {"role": "owner"}, "value of role must be one of: company-admin"),
    "no role": ("company_user_role", {"role": None}, "role"),
    "malformed duration": ("manual_backup", {"max_age": "a day"}, "max_age must be a duration"),
    "unknown option": (
        "php_restart",
        {"envrionment": "x"},
        r"Unsupported parameters for \(hosting.management.php_rest",
    ),
    "http to another machine": ("php_restart", {"base_url": "http://192.0.2.1/v2"}, "base_url must be https"),
    "credentials in the address": ("php_restart", {"base_url": "https://u:p@example.com"}, "base_url must not carry"),
    "key with a line break": ("php_restart", {"api_key": "two\nlines"}, r"api_key has characters .*not shown"),
    "negative timeout": ("php_restart", {"timeout": -1}, "timeout must be greater than 0"),
}


def test_bad_options_are_refused_before_anything_is_sent(ansible: Ansible):
    run = ansible.run(*bad_steps(BAD_OPTIONS))
    for (name, (_module, _options, message)), done in zip(BAD_OPTIONS.items(), run, strict=True):
        assert done.error["kind"] == "invalid_input", name
        assert re.search(message, done.msg), name
        assert done.requests == [], name
    assert not ansible.journal.exists()


def test_a_module_process_refuses_bad_options_alike(ansible: Ansible):
    ansible.environment["ANSIBLE_INJECT_INVOCATION"] = "true"
    names = [*list(BAD_OPTIONS)[::5], "key without certificate", "unknown option", "no role"]
    results = {}
    for mode in MODES:
        run = ansible.run(*bad_steps(names), hosts=mode)
        results[mode] = [(done.name, done.result, done.requests) for done in run]
    assert results[IN_PROCESS] == results[MODULE_PROCESS]


def bad_steps(names: Iterable[str]) -> list[Step]:
    return [row_of(module).step(name, **options) for name in names for module, options, _message in [BAD_OPTIONS[name]]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("option", "variable"), [("base_url", "HOSTING_BASE_URL"), ("api_key", "HOSTING_API_KEY")], ids=["address", "key"]
)
def test_without_key_or_address_both_ways_to_give_it_are_named(option: str, variable: str, mode: str, ansible: Ansible):
    del ansible.defaults[option]
    [done] = ansible.run(row_of("php_restart").step(), hosts=mode)
    assert done.error["kind"] == "invalid_input"
    assert option in done.msg
    assert variable in done.msg
    assert "Nothing was sent" in done.msg
    assert done.requests == []


@pytest.mark.parametrize("mode", MODES)
def test_a_wrong_key_is_told_with_both_ways_to_give_it(mode: str, ansible: Ansible):
    ansible.defaults["api_key"] = "not-the-key-of-the-simulator"
    [done] = ansible.run(row_of("api_key_info").step(), hosts=mode)
    assert done.error == {
        "kind": "unauthorized",
        "status": 401,
        "is_offered": True,
        "message": "No or invalid API key provided to the request",
        "method": "GET",
        "path": "/validate",
        "operation_id": None,
    }
    assert re.search(ADVICE[401], done.msg)


def test_every_documented_error_of_every_endpoint_has_its_kind_and_advice(ansible: Ansible, simulator: Simulator):
    ansible.defaults.update(journal="", companions=False)
    cases = [(row, status) for row in rows_of_modules() if row.module != "operation_info" for status in row.errors]
    run = ansible.run(
        *(
            row.step(
                f"{row} {status}",
                partial(simulator.fault, "status", row.method, re.escape(row.path), status=status),
            )
            for row, status in cases
        )
    )
    for (row, status), done in zip(cases, run, strict=True):
        part = {"part": "image_optimization"} if row.module == "environment" else {}
        assert done.error == {
            **part,
            "kind": KINDS[status],
            "status": status,
            "is_offered": not (row.is_companion and status == 404),
            "message": error_body(status, row.path)["message"],
            "method": row.method,
            "path": row.path,
            "operation_id": None,
        }, done.name
        assert re.search(ADVICE[status], done.msg), done.name
        if row.method != "GET":
            assert ("not known" if status == 500 else "Nothing was done") in done.msg, done.name
            assert len(done.writes) == 1, done.name


def test_what_does_not_exist_is_the_services_to_tell(ansible: Ansible):
    rows = [row for row in rows_of_modules() if row.unknown]
    run = ansible.run(*(row.step(**row.unknown) for row in rows))
    for row, done in zip(rows, run, strict=True):
        expected = next(status for status in (404, 400, 500) if status in row.errors)
        assert (done.error["kind"], done.error["status"]) == (KINDS[expected], expected), done.name
        assert (done.error["method"], done.error["path"]) == (row.method, path_of_unknown(row)), done.name
        assert f"{row.method} {path_of_unknown(row)}" in done.msg, done.name


def path_of_unknown(row: Row) -> str:
    path = row.path
    for name, value in row.unknown.items():
        path = path.replace(row.options[name], value or "")
    return path


def test_what_is_not_there_is_told_with_what_is(ansible: Ansible):
    theme, domain, environment = ansible.run(
        Step("site_theme", {"environment_id": LIVE, "name": "nothing", "update_version": "1"}),
        Step("primary_domain", {"environment_id": LIVE, "domain_name": "nothing.example.com"}),
        row_of("image_optimization").step(environment_id=UNKNOWN),
    )
    assert "storefront" in theme.msg
    assert "shop.example.com" in domain.msg
    assert SITE in environment.msg
    for done in (theme, domain, environment):
        assert done.error["kind"] == "invalid_input"
        assert done.writes == []


@pytest.mark.sample("controller")
@pytest.mark.parametrize("mode", MODES)
def test_a_push_whose_answer_is_lost_is_not_sent_again_until_forced(mode: str, ansible: Ansible, simulator: Simulator):
    push = row_of("env_push")
    lost, next_run, another, other_release, forced, settled = ansible.run(
        push.step("lost", partial(simulator.fault, "drop_after", "PUT", PUSH_PATH), retries=3),
        push.step("next run"),
        push.step("another run"),
        push.step("other release", release="v3"),
        push.step("forced", force=True),
        push.step("settled"),
        hosts=mode,
    )
    assert len(lost.writes) == 1
    for done in (lost, next_run, another):
        assert done.error["kind"] == "outcome_unknown"
        assert (done.error["method"], done.error["path"]) == ("PUT", PUSH_PATH)
        assert "force: true" in done.msg
    assert next_run.requests == another.requests == []
    assert re.search(r"was sent at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", next_run.msg)
    assert other_release.error["kind"] == "outcome_unknown"
    assert "hosting.management.settle: " in other_release.msg, "the push that is in doubt may still go on"
    assert other_release.requests == []
    assert forced.changed
    assert len(forced.writes) == 1
    assert (settled.changed, settled.writes) == (False, [])


def test_after_a_lost_answer_the_services_state_tells_whether_it_was_done(ansible: Ansible, simulator: Simulator):
    row = row_of("site_domain")
    simulator.settings.operation_seconds = 1
    lost, next_run, settled = ansible.run(
        row.step("lost", partial(simulator.fault, "drop_after", row.method, row.path)),
        row.step("next run, while the service is still at it"),
        row.step("settled", ansible.forget),
    )
    assert lost.error["kind"] == "outcome_unknown"
    for done in (next_run, settled):
        assert (done.changed, done.writes) == (False, [])
        assert done.result["state_source"] == "service"
    assert len(simulator.writes) == 1


def test_what_may_be_repeated_is_repeated(ansible: Ansible, simulator: Simulator):
    deny = row_of("denied_ips")
    faults = [
        ("drop_before", {}),
        ("drop_after", {}),
        ("status", {"status": 503}),
        ("status", {"status": 500}),
        ("status", {"status": 429, "headers": {"Retry-After": "0"}}),
    ]
    run = ansible.run(
        *(
            deny.step(kind, partial(simulator.fault, kind, "PUT", **options), retries=1, force=True)
            for kind, options in faults
        ),
        deny.step("too often", partial(simulator.fault, "status", "PUT", status=429, times=2), retries=0, force=True),
    )
    for done in run[:-1]:
        assert done.changed
        assert len(done.writes) == 2, done.name
    assert run[-1].error["kind"] == "rate_limited"
    assert "fewer forks" in run[-1].msg


def test_what_was_refused_for_now_is_sent_again_even_if_it_may_not_be_repeated(ansible: Ansible, simulator: Simulator):
    refused, later, pushed = ansible.run(
        row_of("env_push").step("refused", partial(simulator.fault, "status", "PUT", PUSH_PATH, status=429)),
        row_of("env_push").step(
            "once more",
            partial(simulator.fault, "status", "PUT", PUSH_PATH, status=429, headers={"Retry-After": "0"}),
            retries=1,
        ),
        row_of("env_push").step("pushed"),
    )
    assert refused.error["kind"] == "rate_limited"
    assert later.changed
    assert [write.status for write in later.writes] == [429, 202]
    assert not pushed.changed


def is_followed(simulator: Simulator) -> bool:
    return any(request.path.startswith("/operations/") for request in simulator.requests)


@pytest.mark.parametrize("mode", MODES)
def test_after_a_kill_the_next_run_waits_for_the_same_operation(mode: str, ansible: Ansible, simulator: Simulator):
    simulator.settings.operation_seconds = 2
    row = row_of("env_push")
    killed = ansible.run(row.step(), hosts=mode, kill_when=lambda: is_followed(simulator))
    assert killed.status == -9
    assert list(killed) == []
    resumed, settled = ansible.run(row.step(), row.step(), hosts=mode)
    assert not resumed.changed
    assert resumed.result["operation"]["resumed"] is True
    assert resumed.result["operation"]["state"] == "finished"
    assert settled.requests == []
    assert len(simulator.writes) == 1


def test_after_a_kill_before_the_answer_only_what_may_be_repeated_is_sent_again(ansible: Ansible, simulator: Simulator):
    ansible.defaults["companions"] = False
    for module in ("env_push", "denied_ips"):
        row = row_of(module)
        simulator.clear_requests()
        simulator.fault("delay", row.method, row.path, seconds=1)
        killed = ansible.run(row.step(), kill_when=lambda: bool(simulator.writes))
        assert killed.status == -9
        wait_for(lambda: simulator.writes[0].status is not None)
        [done] = ansible.run(row.step())
        if module == "env_push":
            assert done.error["kind"] == "outcome_unknown"
            assert done.writes == []
        else:
            assert done.changed
            assert len(done.writes) == 1


def wait_for(condition, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_an_operation_that_takes_too_long_is_named_and_waited_for_by_the_next_run(
    ansible: Ansible, simulator: Simulator
):
    simulator.settings.operation_seconds = 1.5
    row = row_of("env_push")
    late, next_run = ansible.run(row.step(wait_timeout=0.3), row.step())
    [operation_id] = simulator.state.operations.by_id
    assert late.error["kind"] == "operation_timeout"
    assert late.error["operation_id"] == operation_id
    assert operation_id in late.msg
    assert "The service goes on with it" in late.msg
    assert (next_run.changed, next_run.writes) == (False, [])
    assert next_run.result["operation"]["id"] == operation_id
    assert next_run.result["operation"]["resumed"] is True


def test_a_failed_operation_fails_the_task_and_is_asked_for_anew_by_the_next_run(
    ansible: Ansible, simulator: Simulator
):
    row = row_of("env_push")
    failed, next_run = ansible.run(row.step("failed", partial(simulator.fault, "fail_operation")), row.step("next run"))
    assert failed.error["kind"] == "operation_failed"
    assert failed.error["operation_id"] in failed.msg
    assert error_body(500)["message"] in failed.msg
    assert next_run.changed
    assert len(next_run.writes) == 1


def test_operation_info_fails_with_all_results_when_one_has_failed(ansible: Ansible, simulator: Simulator):
    backup = Step(
        "manual_backup",
        {"environment_id": "{{ item }}", "tag": "x", "wait": False},
        before=partial(simulator.fault, "fail_operation"),
        keywords={"loop": [LIVE, STAGING], "register": "backups"},
    )
    _started, info = ansible.run(
        backup, Step("operation_info", {"operation_ids": "{{ backups.results | map(attribute='operation.id') }}"})
    )
    assert info.error["kind"] == "operation_failed"
    assert [one["state"] for one in info.result["operations"]] == ["failed", "finished"]
    assert info.error["operation_id"] == info.result["operations"][0]["id"]


ANSWERS = {
    "not_json": r"\(200, text/html.*\) is no JSON",
    "truncate": "was cut off",
    "huge": "is larger than 16 MiB",
    "wrong_shape": "another shape than the interface says",
}


@pytest.mark.parametrize("mode", MODES)
def test_an_answer_that_makes_no_sense_is_an_error_of_its_own(mode: str, ansible: Ansible, simulator: Simulator):
    run = ansible.run(
        *(row_of("api_key_info").step(kind, partial(simulator.fault, kind, "GET", "/validate")) for kind in ANSWERS),
        hosts=mode,
    )
    for (kind, message), done in zip(ANSWERS.items(), run, strict=True):
        assert (done.error["kind"], done.error["path"]) == ("malformed_response", "/validate"), kind
        assert re.search(message, done.msg), kind
        assert "base_url" in done.msg, kind


@pytest.mark.parametrize("mode", MODES)
def test_a_redirect_is_not_followed_and_the_key_goes_nowhere_else(mode: str, ansible: Ansible, simulator: Simulator):
    with Simulator(api_key=simulator.api_key) as other:
        elsewhere = f"{other.base_url}/validate"
        run = ansible.run(
            row_of("api_key_info").step("read", partial(simulator.fault, "redirect", location=elsewhere)),
            row_of("denied_ips").step(
                "write", partial(simulator.fault, "redirect", "PUT", location=elsewhere, status=307)
            ),
            hosts=mode,
        )
        assert other.requests == []
    for done in run:
        assert done.error["kind"] == "malformed_response"
        assert "redirect" in done.msg
        assert "base_url" in done.msg


def test_no_answer_in_time(ansible: Ansible, simulator: Simulator):
    read, push = ansible.run(
        row_of("api_key_info").step("read", partial(simulator.fault, "delay", seconds=0.6), timeout=0.2),
        row_of("env_push").step("push", partial(simulator.fault, "delay", "PUT", seconds=0.6), timeout=0.2, retries=2),
    )
    assert read.error["kind"] == "timeout"
    assert "larger timeout" in read.msg
    assert push.error["kind"] == "outcome_unknown"
    assert len(push.writes) == 1
    wait_for(lambda: all(request.status for request in simulator.requests))


def test_no_service_there(ansible: Ansible):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    ansible.defaults["base_url"] = f"http://127.0.0.1:{port}/v2"
    row = row_of("env_push")
    for done in ansible.run(row.step(), row.step(), row_of("api_key_info").step()):
        assert done.error["kind"] == "connection"
        assert "was not sent" in done.msg
        assert "Check base_url" in done.msg


def test_without_a_usable_journal_nothing_is_sent(ansible: Ansible):
    ansible.journal.write_text("This is no database. " * 1000)
    push, deny, read = ansible.run(
        row_of("env_push").step(), row_of("denied_ips").step(), row_of("api_key_info").step()
    )
    for done in (push, deny):
        assert done.error["kind"] == "journal"
        assert str(ansible.journal) in done.msg
        assert "HOSTING_JOURNAL" in done.msg
        assert done.writes == []
    assert not read.failed


@pytest.mark.parametrize("mode", MODES)
def test_what_nobody_thinks_of_is_still_an_error_with_words(mode: str, ansible: Ansible, simulator: Simulator):
    """Each of these once ended in a traceback."""
    theme = {"name": ["a", "list"], "title": "A", "status": "active", "version": "1.0"}
    listed = {"environment": {"id": LIVE, "container_info": {"id": LIVE, "wp_themes": {"data": [theme]}}}}
    kinds_and_steps = [
        (
            "malformed_response",
            row_of("php_restart").step(
                "redirect to a broken address",
                partial(simulator.fault, "status", status=302, headers={"Location": "http://[::1"}),
            ),
        ),
        ("journal", row_of("php_restart").step("journal with a name too long", journal=f"/tmp/{'j' * 300}")),
        ("invalid_input", row_of("php_restart").step("timeout beyond all measure", timeout=1e10)),
        (
            "malformed_response",
            row_of("site_theme").step(
                "theme with a list as its name", partial(simulator.fault, "status", "GET", status=200, body=listed)
            ),
        ),
        (
            "invalid_input",
            row_of("php_restart").step(
                "malformed proxy",
                base_url="https://127.0.0.1:9/v2",
                keywords={"environment": {"HTTPS_PROXY": "http://[::1"}},
            ),
        ),
    ]
    run = ansible.run(*(step for _kind, step in kinds_and_steps), hosts=mode)
    for (kind, step), done in zip(kinds_and_steps, run, strict=True):
        assert (step.name, done.error["kind"]) == (step.name, kind)
    assert "Traceback" not in run.output


UNFORESEEN = """
import requests

def fail(*arguments, **options):
    raise KeyError("nobody has foreseen this")

requests.Request.prepare = fail
"""


@pytest.mark.parametrize("mode", MODES)
def test_a_bug_asks_for_a_report_and_shows_its_traceback_only_on_demand(mode: str, ansible: Ansible):
    (ansible.folder / "with_a_bug").mkdir()
    (ansible.folder / "with_a_bug/sitecustomize.py").write_text(UNFORESEEN)
    ansible.environment["PYTHONPATH"] = str(ansible.folder / "with_a_bug")
    step = row_of("php_restart").step()
    run = ansible.run(step, hosts=mode)
    assert run[0].error["kind"] == "unexpected"
    assert "ANSIBLE_DISPLAY_TRACEBACK=error" in run[0].msg
    assert "Traceback" not in run.output
    ansible.environment["ANSIBLE_DISPLAY_TRACEBACK"] = "error"
    assert "nobody has foreseen this" in ansible.run(step, hosts=mode).output


@pytest.mark.parametrize("mode", MODES)
def test_names_of_the_service_cannot_steer_the_terminal(mode: str, ansible: Ansible, simulator: Simulator):
    name = "a\x1b[2J\nPLAY RECAP *****"
    theme = {"name": name, "title": "A", "status": "active", "version": "1.0"}
    listed = {"environment": {"id": LIVE, "container_info": {"id": LIVE, "wp_themes": {"data": [theme]}}}}
    before = partial(simulator.fault, "status", "GET", status=200, body=listed)
    run = ansible.run(row_of("site_theme").step(before=before), hosts=mode)
    assert "a [2J PLAY RECAP" in run[0].msg
    assert "\x1b[2J" not in run.output
