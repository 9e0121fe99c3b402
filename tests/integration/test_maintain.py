# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The maintain role and playbook, run as users run them: nights of a fleet, of which parts and sites fail."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

import runs
from integration.playbook import ROOT, Ansible
from integration.table import row_of
from simulator import Simulator, seed
from simulator.state import Content

SITES = 12  # more than Ansible handles at once
SHARED, OF_SITE = "198.51.100.7", "192.0.2.44"


def host_of(number: int) -> dict[str, object]:
    """The variables of a site's live environment, as the inventory plugin sets them."""
    return {
        "hosting_site_id": seed.site_id(number),
        "hosting_environment_id": seed.environment_id(number),
        "hosting_primary_domain_id": seed.domain_id(number),
        "site_name": seed.site_name(number),
    }


EVERYTHING = {
    "maintain_backup_max_age": "24h",
    "maintain_denied_ips": [SHARED],
    "maintain_sftp_allowlist": [SHARED],
    "maintain_image_optimization": "lossy",
    "maintain_primary_domain": "www.{{ site_name }}.example.com",
    "maintain_dns_records": [{"type": "A", "name": "{{ site_name }}.example.com", "values": ["192.0.2.20"]}],
    "maintain_themes": [{"name": "storefront", "update_version": "4.6.0"}],
    "maintain_update_plugins": "updatable",
    "maintain_php_version": "8.4",
}
"""Each part, with something to do in each site."""

TITLES = {
    "plugins": "plugins",
    "themes": "themes",
    "php_version": "PHP version",
    "backup": "backup",
    "denied_ips": "denied addresses",
    "sftp_allowlist": "SFTP allowlist",
    "image_optimization": "image optimization",
    "primary_domain": "primary domain",
    "dns_records": "DNS records",
}
"""What the summary calls what was done, by the names of findings."""

CHECKS = {
    "maintain_check_vulnerable_plugins": True,
    "maintain_check_visits": 2000,
    "maintain_check_backup_max_age": "2d",
    "maintain_check_php_version": "8.3",
    "maintain_check_wordpress_version": "6.8",
}


class Nights:
    """The maintain playbook in front of a simulator."""

    def __init__(self, folder: Path, simulator: Simulator, environment: dict[str, str]) -> None:
        (folder / "home").mkdir(exist_ok=True)
        self.folder = folder
        self.simulator = simulator
        self.environment = {
            **environment,
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "collections"),
            "ANSIBLE_INVENTORY": "inventory.yml",
            "ANSIBLE_FORKS": "10",
            "HOSTING_BASE_URL": simulator.base_url,
            "HOSTING_API_KEY": simulator.api_key,
            "HOSTING_JOURNAL": str(folder / "journal.db"),
        }
        self.hosts = {f"site{number:02}": host_of(number) for number in range(1, 4)}

    def start(self, *arguments: str, playbook: str = "hosting.management.maintain", **variables: object):
        """Start the playbook, and return its process."""
        defaults = {
            "maintain_verify_urls": [
                f"{self.simulator.base_url[:-3]}/_simulator/sites/{{{{ maintain_environment_id }}}}"
            ],
            "maintain_verify_attempts": 1,
            "maintain_pause_when_unknown": 0,
            "maintain_summary_file": "summary.json",
        }
        inventory = {"all": {"hosts": self.hosts, "vars": {**defaults, **variables}}}
        (self.folder / "inventory.yml").write_text(yaml.safe_dump(inventory))
        self.simulator.clear_requests()
        return runs.start(
            *(playbook, "-e", "maintain_hosts=all", *arguments),
            cwd=self.folder,
            env=self.environment,
            stderr=subprocess.STDOUT,
        )

    def run(self, *arguments: str, **variables: object) -> Night:
        """Run the playbook to its end; its requests are those in the simulator's log."""
        (self.folder / "summary.json").unlink(missing_ok=True)
        process = self.start(*arguments, **variables)
        output, _none = process.communicate(timeout=200)
        return Night(process.returncode, output, self.folder)

    @property
    def written(self) -> Counter[str]:
        """How many writes of each kind were sent, by the ends of their paths."""
        return Counter(write.path.rpartition("/")[2] for write in self.simulator.writes)

    def environment_of(self, number: int):
        return self.simulator.state.environment(seed.environment_id(number))


class Night:
    """What became of a night: its exit status, its output and its summary."""

    def __init__(self, status: int, output: str, folder: Path) -> None:
        self.status, self.output = status, output
        file = folder / "summary.json"
        self.summary = json.loads(file.read_text()) if file.exists() else None

    @property
    def changed(self) -> int:
        return sum(map(int, re.findall(r"changed=(\d+)", self.output)))

    def of(self, host: str) -> dict:
        assert self.summary, self.output
        return next(one for one in self.summary["environments"] if one["environment"] == host)

    def found(self, host: str, level: str = "fail") -> set[str]:
        """The names of an environment's findings of that level."""
        return {one["name"] for one in self.of(host)["findings"] if one["level"] == level}

    def text(self, host: str, name: str) -> str:
        return next(one["text"] for one in self.of(host)["findings"] if one["name"] == name)


@pytest.fixture(scope="module")
def running() -> Iterator[Simulator]:
    with Simulator(sites=SITES) as simulator:
        yield simulator


@pytest.fixture
def nights(tmp_path: Path, running: Simulator) -> Iterator[Nights]:
    running.reset()
    running.settings.operation_seconds = 0
    with tempfile.TemporaryDirectory(prefix="hosting-", ignore_cleanup_errors=True) as scratch:
        environment = Ansible(tmp_path, Path(scratch), running).environment
        yield Nights(tmp_path, running, {**environment, "HOME": str(tmp_path / "home")})


# ---- a fleet --------------------------------------------------------------------------------------------------------


@pytest.mark.story
@runs.as_users_do()
def test_a_fleet_is_as_declared_after_a_night_and_the_next_night_sends_no_write(nights: Nights):
    """Twelve sites, of which one adds an address, another one makes an exception, and one has too many visits."""
    nights.hosts = {f"site{number:02}": host_of(number) for number in range(1, SITES + 1)}
    nights.hosts["site07"]["maintain_additional_denied_ips"] = [OF_SITE]
    nights.hosts["site08"]["maintain_plugin_exceptions"] = ["example-f*"]
    declared = {
        "maintain_backup_max_age": "24h",
        "maintain_denied_ips": [SHARED],
        "maintain_update_plugins": "updatable",
        "maintain_check_visits": 12_000,
    }
    first = nights.run(**declared)
    assert nights.written == {"manual-backups": SITES, "denied-ips": SITES, "bulk-update": SITES - 1}
    updates = [write.path for write in nights.simulator.writes if write.path.endswith("bulk-update")]
    assert seed.environment_id(1) in updates[0]
    environments = {number: nights.environment_of(number) for number in range(1, SITES + 1)}
    assert [len(environments[number].denied_ips) for number in (6, 7, 8)] == [1, 2, 1]
    assert [environments[number].plugins[0].version for number in (7, 8, 9)] == ["2.5.0", "2.4.1", "2.5.0"]
    assert first.of("site01")["done"] == ["plugins: example-forms 2.5.0", "backup", "denied addresses"]
    second = nights.run(**declared)
    assert nights.written == {}
    assert second.changed == 0
    for night in (first, second):
        assert night.status == 2
        assert night.summary["totals"]["need_a_person"] == 1
        assert night.text(f"site{SITES}", "visits") == "12,234 visits this month are more than 12,000."
    assert "12 environments: 12 changed, 0 had nothing to do, 1 needs a person." in first.output
    assert "12 environments: 0 changed, 11 had nothing to do, 1 needs a person." in second.output


# ---- a night, its prediction, and the next one ----------------------------------------------------------------------


def test_every_part_is_predicted_brought_about_and_left_alone(nights: Nights):
    wanted = {**EVERYTHING, **CHECKS, "maintain_warn_only": ["vulnerable_plugins", "visits"]}
    predicted = nights.run("--check", "--limit", "site01:site02", **wanted)
    assert nights.written == {}
    night = nights.run("--limit", "site01:site02", **wanted)
    assert night.status == predicted.status == 0, night.output
    assert len(nights.simulator.writes) == 2 * len(EVERYTHING)
    # What a night may do at once, and what only one environment does first; one task predicts both.
    assert (predicted.changed, night.changed) == (2, 2 * 2)
    assert len(night.summary["environments"]) == 2
    for host in ("site01", "site02"):
        assert night.of(host)["done"] == predicted.of(host)["done"]
        assert night.found(host, "warn") == predicted.found(host, "warn")
    assert night.found("site01", "warn") == {"vulnerable_plugins"}
    assert night.found("site02", "warn") == {"vulnerable_plugins", "visits"}
    assert nights.run("--limit", "site01:site02", **wanted).changed == 0
    assert nights.written == {}


def test_a_service_with_the_documented_endpoints_only(nights: Nights):
    """What has an endpoint is done, and what has none is named."""
    nights.simulator.settings.interface_only = True
    nights.hosts = {"site01": {**nights.hosts["site01"], "hosting_wordpress_version": "6.7"}}
    wanted = {
        **EVERYTHING,
        **CHECKS,
        "maintain_primary_domain": None,
        "maintain_primary_domain_id": seed.domain_id(1, seed.LIVE_WWW),
        "maintain_warn_only": ["vulnerable_plugins", "old_wordpress"],
    }
    nights.environment["HOSTING_COMPANIONS"] = "false"
    night = nights.run(**wanted)
    assert night.status == 0, night.output
    assert night.of("site01")["done"] == [
        *("themes: storefront 4.6.0", "backup", "denied addresses", "image optimization", "primary domain")
    ]
    missing = {"plugins", "php_version", "sftp_allowlist", "dns_records"}
    assert night.found("site01", "cannot") == missing | {"old_backup", "old_php"}
    assert night.found("site01", "warn") == {"vulnerable_plugins", "old_wordpress"}
    assert nights.run(**wanted).changed == 0
    assert nights.written == {}


# ---- what fails -----------------------------------------------------------------------------------------------------

REFUSED = {
    "backup": ("POST", f"/sites/environments/{seed.environment_id(2)}/manual-backups"),
    "primary_domain": ("PUT", f"/sites/environments/{seed.environment_id(3)}/change-primary-domain"),
    "sftp_allowlist": ("POST", f"/sites/environments/{seed.environment_id(4)}/ssh/set-allowed-ips"),
    "dns_records": ("PUT", f"/domains/{seed.domain_id(5)}/dns-records"),
    "themes": ("PUT", f"/sites/environments/{seed.environment_id(6)}/themes"),
    "visits": ("GET", f"/sites/{seed.site_id(7)}/usage/visits/this-month"),
    "old_backup": ("GET", f"/sites/environments/{seed.environment_id(8)}/backups"),
}
"""By the finding: what the service refuses, of site 2 and those after it."""


def test_what_fails_in_one_site_hides_neither_its_other_parts_nor_other_sites(nights: Nights):
    """Each site fails in another part and has everything else. The first, which is well, is the canary."""
    nights.hosts = {f"site{number:02}": host_of(number) for number in range(1, 12)}
    failing = {f"site{number:02}": {name} for number, name in enumerate(REFUSED, start=2)}
    for method, path in REFUSED.values():
        nights.simulator.fault("status", method=method, path=path, times=0, status=400)
    updates = {"themes", "plugins", "php_version"}
    failing["site02"] |= {"update_backup"} | updates
    failing["site08"] |= {"backup", "update_backup"} | updates  # whether there is a backup is not known
    nights.environment_of(9).content = Content("broken", "database")
    failing["site09"] = {"site"} | updates
    nights.hosts["site10"]["maintain_themes"] = [{"name": "no-such-theme", "update_version": "1.0"}]
    failing["site10"] = {"themes"}
    # What can never be is refused before anything is sent.
    nights.hosts["site11"]["maintain_denied_ips"] = ["no address"]
    failing["site11"] = {"declaration"} | TITLES.keys()
    night = nights.run(**EVERYTHING, maintain_check_visits=20_000, maintain_check_backup_max_age="2d")
    assert night.status == 2
    for host in nights.hosts:
        missing = failing.get(host, set())
        found = {"declaration"} if host == "site11" else missing
        assert night.found(host) == found, night.of(host)
        assert {one.partition(":")[0] for one in night.of(host)["done"]} >= {
            title for name, title in TITLES.items() if name not in missing
        }
        assert (f"fatal: [{host}]" in night.output.partition("Fail if something needs attention")[2]) == bool(missing)
    assert "could not be checked" in night.text("site07", "visits")
    assert "Not updated, because the site did not work before." in night.text("site09", "plugins")
    assert night.text("site11", "declaration").startswith("denied_ips[0] must be") or "no address" in night.text(
        "site11", "declaration"
    )
    assert night.of("site11")["done"] == []
    assert "11 environments: 10 changed, 0 had nothing to do, 10 need a person." in night.output


@pytest.mark.story
def test_a_canary_that_breaks_holds_the_updates_of_the_others_and_nothing_else(nights: Nights):
    """Also of those in later waves."""
    canary = nights.environment_of(1)

    class Page(BaseHTTPRequestHandler):
        """The page of a site that does not get on with an update."""

        def do_GET(self) -> None:
            self.send_response(200 if canary.plugins[0].version == "2.4.1" else 500)
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        night = nights.run(
            *("-e", '{"maintain_serial": [2, 1]}'),
            maintain_denied_ips=[SHARED],
            maintain_update_plugins="updatable",
            maintain_verify_urls=[f"http://127.0.0.1:{server.server_port}"],
        )
        server.shutdown()
    assert night.status == 2
    assert nights.written == {"denied-ips": 3, "manual-backups": 2, "bulk-update": 1}
    assert night.found("site01") == {"well"}
    assert re.search(r"restore the backup \d+ with the tag maintenance", night.text("site01", "well"))
    assert night.found("site02", "held") == {"plugins"}
    assert "until site01, which goes first, is seen to work with it" in night.text("site02", "plugins")
    assert night.found("site02") == set()


def test_updates_of_a_locked_environment_wait_and_nothing_else(nights: Nights, tmp_path: Path):
    nights.hosts = {"site01": host_of(1)}
    (tmp_path / "freeze.yml").write_text(
        """
- hosts: all
  connection: local
  gather_facts: false
  tasks:
    - hosting.management.deploy_lock: {group: all, reason: Black Friday, until: 3h, author: anna}
"""
    )
    process = nights.start(playbook="freeze.yml")
    assert process.wait(60) == 0, process.communicate()
    night = nights.run(maintain_denied_ips=[SHARED], maintain_update_plugins="updatable")
    assert night.status == 0, night.output
    assert nights.written == {"denied-ips": 1}
    assert night.found("site01", "held") == {"plugins"}
    assert re.search(r"It waits, because .* by anna \(group all\): Black Friday\.", night.text("site01", "plugins"))
    assert nights.run("-e", "maintain_ignore_lock=true", maintain_update_plugins="updatable").status == 0
    assert nights.written == {"manual-backups": 1, "bulk-update": 1}


def test_too_many_failures_in_a_wave_end_the_run_if_wanted(nights: Nights):
    nights.simulator.fault("status", method="PUT", path="/sites/tools/denied-ips", status=400)
    night = nights.run("-e", "maintain_serial=1", "-e", "maintain_max_fail_percentage=0", maintain_denied_ips=[SHARED])
    assert night.status == 2
    assert len(nights.simulator.writes) == 1
    assert night.found("site01") == {"denied_ips"}
    assert "3 environments: 0 changed, 0 had nothing to do, 1 needs a person, 2 not reached." in night.output


# ---- two nights at once, and one that is killed ---------------------------------------------------------------------


@pytest.mark.story
def test_nights_that_overlap_send_nothing_twice(nights: Nights):
    nights.simulator.settings.operation_seconds = 0.2
    processes = [nights.start(**EVERYTHING) for _night in range(2)]
    for process in processes:
        output, _none = process.communicate(timeout=200)
        assert process.returncode == 0, output
    assert sorted(nights.written.values()) == [3] * len(EVERYTHING)


@pytest.mark.story
def test_the_night_after_one_that_was_killed_does_the_rest(nights: Nights):
    nights.simulator.settings.operation_seconds = 0.5
    process = nights.start(**EVERYTHING)
    while len(nights.simulator.writes) < 17:
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    before = nights.written
    night = nights.run(**EVERYTHING)
    assert night.status == 0, night.output
    assert night.summary["totals"]["need_a_person"] == 0
    assert before["manual-backups"] + nights.written["manual-backups"] == 3
    for number in range(1, 4):
        environment = nights.environment_of(number)
        assert environment.plugins[0].version == "2.5.0"
        assert environment.php_engine_version == "php8.4"


def test_all_that_is_declared_can_be_compared_only(nights: Nights):
    nights.hosts = {"site01": nights.hosts["site01"]}
    nights.environment_of(1).backups.clear()
    night = nights.run(**EVERYTHING, maintain_compare_only=True)
    assert night.status == 2
    assert nights.written == {}
    assert night.found("site01") == {*TITLES}
    assert night.text("site01", "backup") == "There is none that is new enough."
    assert nights.run(**EVERYTHING, maintain_compare_only=True, maintain_warn_only=[*TITLES]).status == 0


# ---- what is found --------------------------------------------------------------------------------------------------


def test_what_is_only_compared_is_told_and_not_changed(nights: Nights):
    """Findings fail or warn by choice; those of the journal and of the key are made without being asked for."""
    nights.hosts = {"site01": nights.hosts["site01"]}
    nights.simulator.fault("drop_after", "PUT")
    with tempfile.TemporaryDirectory(prefix="hosting-") as scratch:
        ansible = Ansible(nights.folder, Path(scratch), nights.simulator)
        assert ansible.run(row_of("env_push").step(release="v2"))[0].failed
    nights.environment_of(1).backups.clear()
    wanted = {
        **EVERYTHING,
        "maintain_backup_max_age": None,
        "maintain_check_only": [name for name in TITLES if name != "backup"],
        "maintain_check_key_days": 90,
        "maintain_check_vulnerable_plugins": True,
        "maintain_check_visits": 1000,
        "maintain_check_backup_max_age": "7d",
        "maintain_check_php_version": "8.10",
        "maintain_check_wordpress_version": "6.9",
        "maintain_check_dns_domain_ids": [seed.domain_id(1)],
    }
    night = nights.run(**wanted)
    compared = {*wanted["maintain_check_only"]}
    looked_at = {"journal", "vulnerable_plugins", "visits", "old_backup", "old_php", "unexpected_dns"}
    assert night.status == 2
    assert nights.written == {}
    assert night.found("site01") == compared | looked_at
    assert night.text("site01", "sftp_allowlist") == "The list has 203.0.113.24, not declared."
    assert "192.0.2.10 (TTL 3600) instead of 192.0.2.20" in night.text("site01", "dns_records")
    assert night.text("site01", "plugins") == "example-forms 2.4.1 has the update 2.5.0."
    assert night.text("site01", "php_version") == "It is 8.3 instead of 8.4."
    assert night.text("site01", "old_php") == "PHP 8.3 is older than 8.10."
    assert "AAAA shop.example.com is not declared: 2001:db8::10." in night.text("site01", "unexpected_dns")
    assert "release v2 was pushed" in night.text("site01", "journal")
    assert "The API key simulator expires on" in night.summary["key"][0]["text"]
    forgiving = nights.run(**wanted, maintain_warn_only=sorted(compared | looked_at | {"key"}))
    assert forgiving.status == 0
    assert forgiving.summary["needs_person"] is False
    assert forgiving.found("site01", "warn") == compared | looked_at


# ---- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.sample
def test_mistakes_are_told_before_anything_is_sent(nights: Nights):
    nights.hosts["site02"]["maintain_denied_ip"] = [SHARED]
    nights.hosts["site03"] = {"maintain_php_version": 8.4, "maintain_serial": 1, "maintain_update_plugins": "all"}
    night = nights.run(maintain_denied_ips=[SHARED])
    said = " ".join(night.output.split())
    assert night.status == 2
    assert "maintain_denied_ip is unknown. Did you mean maintain_denied_ips?" in said
    assert "site03 lacks maintain_environment_id (or hosting_environment_id)" in said
    assert "maintain_php_version is the number 8.4." in said
    assert "maintain_update_plugins must be updatable or vulnerable, not 'all'." in said
    assert "they have no effect in the inventory: give them with -e." in said
    assert nights.simulator.requests == []


def test_the_role_in_a_play_of_ones_own(nights: Nights):
    play = {"hosts": "all", "connection": "local", "gather_facts": False, "roles": ["hosting.management.maintain"]}
    (nights.folder / "own.yml").write_text(yaml.safe_dump([play]))
    nights.hosts = {"site01": nights.hosts["site01"]}
    night = nights.run("-e", "maintain_check_key_days=90", playbook="own.yml", **EVERYTHING)
    assert night.status == 2
    assert night.of("site01")["needs_person"] is False
    assert "The API key simulator expires on" in night.output.partition("Fail if something needs attention")[2]
    assert "PHP version: 8.4" in night.of("site01")["done"]
