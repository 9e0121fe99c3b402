# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator as a server: start and stop, the log, the control surface, the seeded world, the command line."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import pytest
import requests
import yaml

import simulator as simulator_package
from simulator import Simulator, seed
from simulator.__main__ import files, main

pytest_plugins = ["simulator.fixtures"]

LIVE = seed.environment_id(1)
TESTS_DIRECTORY = Path(simulator_package.__file__).parent.parent


def validate(simulator: Simulator, session=requests) -> requests.Response:
    headers = {"Authorization": f"Bearer {simulator.api_key}"}
    return session.get(simulator.base_url + "/validate", headers=headers, timeout=10)


def test_stops_fast_with_open_connections_and_requests():
    outcomes = []

    def expect_lost_connection():
        with pytest.raises(requests.ConnectionError):
            validate(simulator)
        outcomes.append("lost")

    with Simulator(api_key="another key") as simulator, requests.Session() as session:
        assert simulator.base_url.startswith("http://127.0.0.1:")
        assert validate(simulator, session).ok
        simulator.fault("delay", seconds=60)
        slow = threading.Thread(target=expect_lost_connection)
        slow.start()
        while len(simulator.requests) < 2:
            time.sleep(0.005)
        begun = time.monotonic()
        simulator.stop()
        assert time.monotonic() - begun < 0.5
        slow.join(timeout=5)
        assert outcomes == ["lost"]
        with pytest.raises(requests.ConnectionError):
            validate(simulator, session)


def test_two_at_a_time():
    with Simulator() as one, Simulator(interface_only=True) as other:
        assert one.base_url != other.base_url
        assert validate(one).ok
        assert (len(one.requests), len(other.requests)) == (1, 0)


def test_port_can_be_chosen_and_is_not_shared():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with Simulator(port=port) as simulator:
        assert simulator.base_url == f"http://127.0.0.1:{port}/v2"
        with pytest.raises(OSError, match="in use"):
            Simulator(port=port).start()


def test_answers_do_not_wait_for_acknowledgements(call):
    def seconds_of_one() -> float:
        begun = time.monotonic()
        call("GET", "/validate")
        return time.monotonic() - begun

    assert min(seconds_of_one() for _unused in range(10)) < 0.03


def test_many_callers_at_once(simulator, call):
    def take_backups():
        for _unused in range(10):
            call("POST", f"/sites/environments/{LIVE}/manual-backups", json={"tag": "x"})

    threads = [threading.Thread(target=take_backups) for _unused in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    backups = simulator.state.environment(LIVE).backups
    assert len(backups) == 81
    assert len({backup.id for backup in backups}) == 81


def test_log(call, simulator):
    call("GET", "/domains", params={"company": "x", "empty": ""}, headers={"X-Trace": "7"})
    call("POST", "/sites/tools/restart-php", json={"environment_id": LIVE})
    call("POST", "/sites/tools/restart-php", data="no JSON")
    read, write, raw = simulator.requests
    assert (read.method, read.path, read.status, read.body) == ("GET", "/domains", 400, None)
    assert read.query == {"company": "x", "empty": ""}
    assert (read.headers["x-trace"], read.headers["authorization"]) == ("7", f"Bearer {simulator.api_key}")
    assert (write.path, write.status, write.body) == ("/sites/tools/restart-php", 202, {"environment_id": LIVE})
    assert (raw.status, raw.body) == (400, "no JSON")
    assert read.time <= write.time <= raw.time
    assert simulator.writes == [write, raw]
    simulator.clear_requests()
    assert simulator.requests == []


def test_reset(call, simulator):
    world = simulator.state
    simulator.settings.operation_seconds = 5
    simulator.fault("status", times=None)
    world.environment(LIVE).denied_ips = ["192.0.2.1"]
    call("GET", "/validate")
    simulator.reset()
    assert simulator.state is world
    assert (simulator.requests, simulator.faults, world.environment(LIVE).denied_ips) == ([], [], [])
    assert simulator.settings.operation_seconds == 0
    assert call("GET", "/validate").ok


def control(simulator, method: str, path: str, **options) -> requests.Response:
    return requests.request(method, simulator.control_url + path, timeout=10, **options)


def test_control_requests(call, simulator):
    call("GET", "/validate")
    (recorded,) = control(simulator, "GET", "/requests").json()
    assert recorded.keys() == {"method", "path", "query", "headers", "body", "status", "carried_out", "time"}
    assert (recorded["path"], recorded["status"]) == ("/validate", 200)
    assert control(simulator, "DELETE", "/requests").status_code == 204
    assert simulator.requests == []


def test_control_faults(call, simulator):
    wanted = {"kind": "status", "path": "/validate", "status": 429, "headers": {"Retry-After": "0"}}
    assert control(simulator, "POST", "/faults", json=wanted).status_code == 201
    assert call("GET", "/validate").status_code == 429
    (fault,) = control(simulator, "GET", "/faults").json()
    assert (fault["kind"], fault["times"], fault["hits"]) == ("status", 1, 1)
    assert control(simulator, "DELETE", "/faults").status_code == 204
    assert simulator.faults == []


def test_control_lists_the_kinds_of_faults_as_the_guide_does(simulator):
    kinds = control(simulator, "GET", "/faults/kinds").json()
    assert kinds["delay"] == {"does": "waits before doing anything", "options": {"seconds": 1.0}}
    guide = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()
    for kind, told in kinds.items():
        options = ", ".join(f"`{name}`" for name in told["options"]) or "–"
        assert f"| `{kind}` | {told['does']} | {options} |" in guide


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        ({"kind": "unheard_of"}, 400),
        ({"kind": "status", "path": "("}, 400),
        ({"kind": "delay", "x": 1}, 400),
        ({}, 422),
    ],
    ids=str,
)
def test_control_refuses_impossible_faults(wanted, status, simulator):
    assert control(simulator, "POST", "/faults", json=wanted).status_code == status
    assert simulator.faults == []


def test_control_settings(simulator):
    assert control(simulator, "GET", "/settings").json() == {
        "operation_seconds": 0.0,
        "visible_after": 0.0,
        "interface_only": False,
        "latency": 0.0,
        "reads_lag": 0.0,
        "operations": "status",
        "unknown_operation": 404,
        "most_backups": None,
        "seconds_by_operation": {},
        "breaking": [],
        "collapsing": [],
        "clock_ahead": 0.0,
    }
    wanted = {
        "operation_seconds": 3,
        "interface_only": True,
        "most_backups": 5,
        "seconds_by_operation": {"environments:push": 9},
        "breaking": ["php 8.4"],
    }
    changed = control(simulator, "PATCH", "/settings", json=wanted)
    assert changed.json() == {
        "operation_seconds": 3.0,
        "visible_after": 0.0,
        "interface_only": True,
        "latency": 0.0,
        "reads_lag": 0.0,
        "operations": "status",
        "unknown_operation": 404,
        "most_backups": 5,
        "seconds_by_operation": {"environments:push": 9.0},
        "breaking": ["php 8.4"],
        "collapsing": [],
        "clock_ahead": 0.0,
    }
    assert (simulator.settings.operation_seconds, simulator.settings.interface_only) == (3.0, True)
    assert control(simulator, "PATCH", "/settings", json={"operation_seconds": -1}).status_code == 422
    assert control(simulator, "POST", "/reset").status_code == 204
    assert simulator.settings.operation_seconds == 0
    assert (simulator.settings.seconds_by_operation, simulator.settings.breaking) == ({}, frozenset())
    assert simulator.requests == []


def test_seeded_ids_are_uuids_of_version_4(simulator):
    world = simulator.state
    ids = [seed.COMPANY_ID, *world.company.users, *world.sites, *world.environments, *world.domains]
    assert all(uuid.UUID(one).version == 4 and str(uuid.UUID(one)) == one for one in ids)
    assert len(ids) == 1 + 3 + 2 + 4 + 6
    assert seed.environment_id(2, seed.STAGING) == "e0000000-0000-4000-8000-000000000022"
    assert seed.site_id(10) == "a0000000-0000-4000-8000-00000000000a"
    assert (seed.site_name(3), seed.site_name(4)) == ("magazine", "site-4")


def test_thousand_sites():
    with Simulator(sites=1000) as simulator:
        assert len(simulator.state.environments) == 2000
        assert len(simulator.state.domains) == 3000


PARTS = {
    "php": lambda one: (one.php_engine_version, one.updates_php_itself),
    "images": lambda one: one.image_optimization_type,
    "primary domain": lambda one: one.primary_domain.name.partition(".")[0],
    "denied": lambda one: tuple(one.denied_ips),
    "sftp": lambda one: tuple(one.sftp_ip_allowlist),
    "dns": lambda one: str([{**record, "name": ""} for record in one.primary_domain.dns_records]),
    "themes": lambda one: str(one.themes),
    "plugins": lambda one: str(one.plugins),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_brownfield_has_sites_that_differ_in_every_part(part: str):
    def seen(*, brownfield: bool) -> set:
        world = Simulator(sites=6, brownfield=brownfield).state
        return {PARTS[part](world.environment(seed.environment_id(number))) for number in range(1, 7)}

    alike, different = seen(brownfield=False), seen(brownfield=True)
    assert len(different) > 1
    assert len(alike) == 1 or part == "primary domain"


def test_a_brownfield_is_there_again_after_a_reset():
    simulator = Simulator(sites=1, brownfield=True)
    before = simulator.state.environment(seed.environment_id(1)).denied_ips
    simulator.reset()
    assert simulator.state.environment(seed.environment_id(1)).denied_ips == before != []


def test_the_introduction_has_an_inventory_to_paste(simulator):
    with Simulator(sites=2, interface_only=True) as documented:
        assert yaml.safe_load(files(documented, 2)["hosts.yml"])["all"]["children"]["environment_live"][
            "hosts"
        ].keys() == {
            "shop-live",
            "blog-live",
        }
    texts = files(simulator, 2)
    assert yaml.safe_load(texts["company.hosting.yml"]) == {"plugin": "hosting.management.environments"}
    page = yaml.safe_load(texts["group_vars/all.yml"])["deploy_verify_urls"][0]
    page = page.replace("{{ deploy_environment_id }}", seed.environment_id(1))
    assert requests.get(page, timeout=10).ok


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "simulator", *arguments]


def settings_shown(process: subprocess.Popen) -> dict[str, str]:
    """The export lines of the introduction, which ends with an example command."""
    exports = {}
    for line in process.stdout:
        if line.startswith("export "):
            name, _number, value = line.removeprefix("export ").strip().partition("=")
            exports[name] = value
        if line.startswith("Try it"):
            break
    return exports


def test_the_control_surface_says_what_it_has():
    with Simulator() as simulator:
        shown = requests.get(f"{simulator.control_url}/", timeout=10).json()
    assert shown["GET /_simulator/requests"] == "The log of API requests."
    assert all(shown.values())


@pytest.mark.parametrize("stop_signal", [signal.SIGTERM, signal.SIGINT])
def test_command_line(stop_signal):
    arguments = ("--sites", "12", "--api-key", "my-key", "--interface-only", "--operation-seconds", "0.5")
    arguments += ("--breaking", "php 8.4", "--most-backups", "5")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # What a script has started in the background ignores SIGINT, and so do its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command(*arguments), cwd=TESTS_DIRECTORY, **pipes) as process:
        try:
            exports = settings_shown(process)
            headers = {"Authorization": f"Bearer {exports['HOSTING_API_KEY']}"}
            assert requests.get(exports["HOSTING_BASE_URL"] + "/validate", headers=headers, timeout=10).ok
            settings = exports["HOSTING_BASE_URL"].replace("/v2", "/_simulator/settings")
            assert requests.get(settings, timeout=10).json() == {
                "operation_seconds": 0.5,
                "visible_after": 0.0,
                "interface_only": True,
                "latency": 0.0,
                "reads_lag": 0.0,
                "operations": "status",
                "unknown_operation": 404,
                "most_backups": 5,
                "seconds_by_operation": {},
                "breaking": ["php 8.4"],
                "collapsing": [],
                "clock_ahead": 0.0,
            }
            process.send_signal(stop_signal)
            assert process.wait(timeout=60) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "no loopback address"),
        (["--host", "example.com"], "no loopback address"),
        (["--operation-seconds", "-1"], "no duration"),
        (["--port", "70000"], "not between"),
        (["--breaking", "everything"], "nothing that sites break with"),
    ],
    ids=str,
)
def test_command_line_refuses(arguments, message, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err


def test_command_line_with_a_port_in_use(simulator, capsys, monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *_unused: None)
    assert main(["--port", simulator.base_url.split(":")[2].removesuffix("/v2")]) == 1
    assert "cannot listen" in capsys.readouterr().err
