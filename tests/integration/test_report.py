# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report role and playbook, run as users run them."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
import yaml

import runs
from integration.playbook import ROOT, Ansible
from integration.table import row_of
from simulator import Simulator, seed
from unit.report_fleet import HOSTILE

pytest_plugins = ["simulator.fixtures"]

TIME = "2026-11-21T06:00:00Z"


def host_of(number: int) -> dict[str, str]:
    """The variables of a site's live environment, as the inventory plugin sets them."""
    return {
        "hosting_site_id": seed.site_id(number),
        "hosting_site_name": seed.site_name(number),
        "hosting_environment_id": seed.environment_id(number),
        "hosting_environment_name": "live",
        "hosting_primary_domain_id": seed.domain_id(number),
    }


class Reporter:
    """The report playbook in front of a simulator."""

    def __init__(self, folder: Path, simulator: Simulator, environment: dict[str, str]) -> None:
        for name in ("home", "tmp"):
            (folder / name).mkdir(exist_ok=True)
        self.folder = folder
        self.simulator = simulator
        self.environment = {
            **environment,
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "collections"),
            "ANSIBLE_INVENTORY": "inventory.yml",
            "HOSTING_BASE_URL": simulator.base_url,
            "HOSTING_API_KEY": simulator.api_key,
            "HOSTING_JOURNAL": str(folder / "journal.db"),
        }
        self.hosts = {name: host_of(number) for number, name in enumerate(("shop", "blog"), start=1)}

    def run(self, *arguments: str, playbook: str = "report", **variables: object) -> subprocess.CompletedProcess[str]:
        """Report, and return the finished process; its requests are those in the simulator's log."""
        inventory = {"all": {"hosts": self.hosts, "vars": variables}}
        (self.folder / "inventory.yml").write_text(yaml.safe_dump(inventory))
        self.simulator.clear_requests()
        return runs.run(f"hosting.management.{playbook}", *arguments, cwd=self.folder, env=self.environment)

    def report(self, *arguments: str, **variables: object) -> dict:
        """Report, which must go well, and return the document."""
        done = self.run(*arguments, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads((self.folder / "hosting-report.json").read_text())

    @property
    def page(self) -> str:
        return (self.folder / "hosting-report.html").read_text()


@pytest.fixture
def reporter(tmp_path: Path, simulator: Simulator, ansible: Ansible) -> Reporter:
    return Reporter(tmp_path, simulator, {**ansible.environment, "HOME": str(tmp_path / "home")})


# ---- a fleet --------------------------------------------------------------------------------------------------------


@pytest.mark.story
@runs.as_users_do()
def test_a_fleet_of_which_one_site_fails_and_one_has_hostile_names(tmp_path: Path):
    """Twelve sites in one run, which sends no write, and whose gap is named in the page and in the output."""
    with Simulator(sites=12) as simulator, tempfile.TemporaryDirectory(prefix="hosting-") as scratch:
        visits = f"/sites/environments/{seed.environment_id(7)}/analytics/visits"
        simulator.fault("status", method="GET", path=visits, times=None, status=404)
        plugin = simulator.state.environment(seed.environment_id(3)).plugins[0]
        plugin.name = plugin.title = plugin.version = HOSTILE
        reporter = Reporter(tmp_path, simulator, Ansible(tmp_path, Path(scratch), simulator).environment)
        reporter.hosts = {f"{seed.site_name(number)}-live": host_of(number) for number in range(1, 13)}
        done = reporter.run("--forks", "10")
        assert done.returncode == 0, done.stdout + done.stderr
        assert simulator.writes == []
    document = json.loads((tmp_path / "hosting-report.json").read_text())
    assert document["summary"]["environments"] == document["summary"]["sites"] == 12
    assert document["summary"]["visits_this_month"] == sum(1000 * number + 234 for number in range(1, 13))
    assert len(document["visits"]) == 30
    assert [one["name"] for one in document["plugins"] if one["is_version_vulnerable"]] == ["example-gallery"]
    assert all(one["dns"] and one["sftp_allowlist"] and one["backups"] for one in document["environments"])
    assert [(one["subject"], one["part"], one["status"]) for one in document["not_read"]] == [
        ("site-7-live", "visits", 404)
    ]
    assert "not read: visits of site-7-live:" in done.stdout
    assert "What could not be read" in reporter.page
    assert "{{ 7*7 }}" in reporter.page
    assert "<img" not in reporter.page
    assert reporter.page.count("<script") == 1
    assert reporter.page.count("<svg") >= 12
    assert len(reporter.page) < 1_000_000


# ---- one run and the next -------------------------------------------------------------------------------------------


def changed(done: subprocess.CompletedProcess[str]) -> int:
    return sum(map(int, re.findall(r"changed=(\d+)", done.stdout)))


def test_the_same_data_at_the_same_time_gives_the_same_report(reporter: Reporter):
    assert changed(reporter.run(report_time=TIME)) == 2
    first = reporter.page
    again = reporter.run(report_time=TIME)
    assert again.returncode == 0
    assert changed(again) == 0
    assert reporter.page == first


def test_changes_and_open_questions_are_told(reporter: Reporter, ansible: Ansible, simulator: Simulator):
    """The second night compares with the first, and a push whose answer was lost in between is a question."""
    options = {"report_previous": "hosting-report.json", "report_parts": ["versions", "releases"]}
    assert "yet" in reporter.report(**options)["changes"]["problem"]
    simulator.state.environment(seed.environment_id(1)).php_engine_version = "php8.4"
    simulator.fault("drop_after", "PUT")
    ansible.journal = reporter.folder / "journal.db"
    assert ansible.run(row_of("env_push").step(release="v2"))[0].failed
    document = reporter.report(**options)
    assert document["changes"]["versions"] == [{"host": "shop", "software": "PHP", "from": "8.3", "to": "8.4"}]
    assert document["changes"]["releases"] == [{"host": "shop", "from": None, "to": "v2"}]
    (question,) = next(one for one in document["environments"] if one["host"] == "shop")["open_questions"]
    assert (question["what"], question["release"], question["state"]) == ("push", "v2", "unknown")
    assert document["summary"]["open_questions"] == 1


@pytest.mark.sample
def test_check_mode_writes_nothing(reporter: Reporter):
    done = reporter.run(
        "--check", "--diff", "-e", "report_key_days=91", "-e", "report_charts=false", report_parts=["usage"]
    )
    assert done.returncode == 0
    assert "would be written:" in done.stdout
    assert "soon: The API key simulator expires in" in done.stdout  # also when the days came as text
    assert not list(reporter.folder.glob("hosting-report.*"))


# ---- what is missing ------------------------------------------------------------------------------------------------


def test_gaps_fail_the_run_on_request_after_the_report_is_written(reporter: Reporter):
    reporter.hosts = {"bare": {}, **reporter.hosts}
    done = reporter.run(report_fail_on_gaps=True, report_parts=["usage"])
    assert done.returncode == 2
    assert "has gaps: 1 of what was asked for could not be read." in " ".join(done.stdout.split())
    assert "not read: all of bare: The host has neither" in done.stdout
    assert "Usage of each site" in reporter.page


def test_a_service_with_the_documented_interface_only_and_no_library(reporter: Reporter, simulator: Simulator):
    simulator.settings.interface_only = True
    reporter.environment["HOSTING_COMPANIONS"] = "false"
    (reporter.folder / "sitecustomize.py").write_text("import sys\nsys.modules['matplotlib'] = None\n")
    reporter.environment["PYTHONPATH"] = str(reporter.folder)
    for one in reporter.hosts.values():
        one["hosting_php_version"] = "php8.2"
    done = reporter.run(report_fail_on_gaps=True)
    assert done.returncode == 0, done.stdout
    document = json.loads((reporter.folder / "hosting-report.json").read_text())
    assert [one["part"] for one in document["not_shown"]] == ["versions", "backups"]
    assert document["not_read"] == []
    assert document["versions"]["php"] == [{"version": "php8.2", "environments": 2}]
    assert document["summary"]["visits"] > 0
    assert "What this service does not show" in reporter.page
    assert "Visits of each environment" in reporter.page
    assert "<svg" not in reporter.page
    assert "no charts: matplotlib is not installed" in done.stdout


# ---- drift ----------------------------------------------------------------------------------------------------------


def test_who_has_drifted_from_what_is_declared_and_from_a_plan(reporter: Reporter, simulator: Simulator):
    """A plan is made, somebody changes one of two environments by hand, and the report tells them apart."""
    declared = {
        "maintain_denied_ips": ["198.51.100.7"],
        "maintain_php_version": "8.3",
        "maintain_plugins": [{"name": "example-forms", "update_version": "2.5.0"}],
    }
    options = {"report_parts": ["drift"]}
    reporter.hosts["undeclared"] = host_of(3)
    for name in ("shop", "blog"):
        reporter.hosts[name].update(declared)
    planned = reporter.run(
        *("--check", "--limit", "shop,blog", "-e", "maintain_hosts=all", "-e", "maintain_plan_file=plan.json"),
        playbook="maintain",
        maintain_check_site=False,
        maintain_verify=False,
    )
    assert (reporter.folder / "plan.json").exists(), planned.stdout + planned.stderr
    simulator.state.environment(seed.environment_id(2)).denied_ips = ["203.0.113.9"]
    by_plan = reporter.report(**options, report_drift_plan="plan.json", report_hosts="shop,blog")
    assert simulator.writes == []
    drift = {one["host"]: one["drift"] for one in by_plan["environments"]}
    assert drift["shop"]["differs"] == []
    assert {one["part"] for one in drift["shop"]["planned"]} == {"denied_ips", "plugins"}
    assert [(one["part"], one["text"]) for one in drift["blog"]["differs"]] == [
        ("denied_ips", "The list has 203.0.113.9, not declared, and lacks 198.51.100.7.")
    ]
    done = reporter.run(**options)
    assert "2 environments differ from what is declared: blog, shop." in done.stdout
    document = json.loads((reporter.folder / "hosting-report.json").read_text())
    assert {one["host"]: one["drift"] and bool(one["drift"]["differs"]) for one in document["environments"]} == {
        "shop": True,
        "blog": True,
        "undeclared": None,
    }
    assert "Drift from what is declared" in reporter.page
    assert simulator.writes == []


# ---- what is refused ------------------------------------------------------------------------------------------------


def test_hosts_that_are_not_there_are_told_and_nothing_is_written(reporter: Reporter, simulator: Simulator):
    done = reporter.run("-e", "report_hosts=shp")
    assert done.returncode != 0
    assert "report_hosts names shp, which is neither a host nor a group. Did you mean shop?" in done.stderr
    assert not (reporter.folder / "hosting-report.json").exists()
    assert simulator.requests == []


def test_a_key_that_is_refused_ends_the_run_at_once(reporter: Reporter, simulator: Simulator):
    reporter.environment["HOSTING_API_KEY"] = "wrong"
    done = reporter.run()
    assert done.returncode == 2
    assert [request.path for request in simulator.requests] == ["/validate"]
    assert not list(reporter.folder.glob("hosting-report.*"))


def test_wrong_variables_of_some_hosts_are_refused_together_before_anything_is_read(
    reporter: Reporter, simulator: Simulator
):
    for variables in reporter.hosts.values():
        variables["report_visit_budget"] = "5"
    reporter.hosts["blog"]["report_key_days"] = "soon"
    reporter.hosts["mine"] = host_of(3)
    done = reporter.run()
    assert done.returncode == 2
    (said,) = (line for line in done.stdout.splitlines() if line.startswith("fatal: "))
    assert said.count("report_visit_budget is unknown. Did you mean report_visits_budget?") == 1
    assert "report_key_days" in said
    assert "Nothing was read." in said
    assert simulator.requests == []
    assert not list(reporter.folder.glob("hosting-report.*"))
