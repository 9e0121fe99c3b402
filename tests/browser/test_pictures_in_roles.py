# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A layout that collapses while the page answers 200: seen by the roles deploy and maintain, and undone."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

import runs
from ansible_collections.hosting.management.plugins.module_utils._snapshots import browser_of
from integration.playbook import ROOT, Ansible
from simulator import Simulator, seed
from simulator.state import Content
from simulator.storefront import UNSTABLE

pytest_plugins = ["simulator.fixtures"]

HOSTS = {
    name: {
        "hosting_site_id": seed.site_id(number),
        "hosting_environment_id": seed.environment_id(number),
        "hosting_source_environment_id": seed.environment_id(number, seed.STAGING),
        "hosting_notified_user_id": seed.user_id(1),
    }
    for number, name in enumerate(("shop", "blog"), start=1)
}
LIMITS = ("_serial", "_max_fail_percentage")


class Playbook:
    """A playbook of the collection in front of the simulator."""

    def __init__(self, folder: Path, simulator: Simulator, environment: dict[str, str]) -> None:
        self.folder, self.simulator = folder, simulator
        (folder / "home").mkdir()
        self.pictures = folder / "pictures"
        self.environment = {
            **environment,
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "collections"),
            "HOSTING_BASE_URL": simulator.base_url,
            "HOSTING_API_KEY": simulator.api_key,
            "HOSTING_JOURNAL": str(folder / "journal.db"),
        }

    def run(
        self, role: str, *, hosts: str = "all", playbook: str = "", **variables: object
    ) -> subprocess.CompletedProcess[str]:
        page = f"{self.simulator.control_url}/sites/{{{{ {role}_environment_id }}}}"
        always = {
            "hosts": hosts,
            "verify_urls": [page],
            "verify_attempts": 1,
            "verify_pictures": [f"{page}/shop"],
            "verify_widths": [800],
            "verify_mask": list(UNSTABLE),
            "pictures_folder": str(self.pictures),
            "pause_when_unknown": 0,
            "rollback": True,
            "summary_file": "summary.json",
        }
        given = {f"{role}_{name}": value for name, value in {**always, **variables}.items()}
        (self.folder / "inventory.yml").write_text(
            yaml.safe_dump({"all": {"hosts": HOSTS, "vars": given}}, sort_keys=False)
        )
        # What Ansible reads before it has variables of hosts.
        extra = {f"{role}_hosts": hosts} | {name: given[name] for name in given if name.endswith(LIMITS)}
        return runs.run(
            *(playbook or f"hosting.management.{role}", "-i", "inventory.yml", "-e", json.dumps(extra)),
            cwd=self.folder,
            env=self.environment,
        )

    def summary_of(self, host: str) -> dict:
        summary = json.loads((self.folder / "summary.json").read_text())
        return next(one for one in summary["environments"] if one["environment"] == host)


@pytest.fixture
def playbook(tmp_path: Path, simulator: Simulator) -> Iterator[Playbook]:
    with tempfile.TemporaryDirectory(prefix="hosting-", ignore_cleanup_errors=True) as scratch:
        environment = Ansible(tmp_path, Path(scratch), simulator).environment
        yield Playbook(tmp_path, simulator, {**environment, "HOME": str(tmp_path / "home")})


@pytest.fixture
def release(simulator: Simulator) -> Callable[[str], None]:
    """Put something into the environments that releases are pushed from."""

    def put(files: str) -> None:
        for number in (1, 2):
            staging = simulator.state.environment(seed.environment_id(number, seed.STAGING))
            staging.content = Content(files, "the same database")
            simulator.state.environment(seed.environment_id(number)).content = Content("v1", "the same database")

    return put


@pytest.fixture
def starts(playbook, tmp_path: Path) -> Callable[[], int]:
    """Return how often a browser has been started."""
    log, browser = tmp_path / "starts", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho start >>{log}\nexec {browser_of(None)} "$@"\n')
    browser.chmod(0o755)
    playbook.environment["CHROMIUM"] = str(browser)
    return lambda: len(log.read_text().splitlines())


def files_of(simulator: Simulator, number: int) -> str:
    return simulator.state.environment(seed.environment_id(number)).content.files


def test_a_release_that_loses_the_layout_is_rolled_back(playbook, release, simulator):
    release("v2 collapsed")
    done = playbook.run("deploy", hosts="shop", release="v2")
    assert done.returncode == 2, done.stdout
    told = playbook.summary_of("shop")
    report = playbook.pictures / seed.environment_id(1) / "comparison.html"
    assert (told["failed"], told["rolled_back"], files_of(simulator, 1)) == (True, True, "v1")
    assert re.match(r"The site looks different: \S+/shop at 800 px \(\d+\.\d\d % differ\)\.", told["problem"])
    assert f"At most 30 % may differ. See {report}." in told["problem"]
    assert (told["pictures"]["report"], len(told["pictures"]["differing"])) == (str(report), 1)
    assert "<img" in report.read_text()


def test_a_release_that_keeps_the_layout_stays_and_the_second_run_takes_no_pictures(
    playbook, release, simulator, starts
):
    release("v2 works")
    done = playbook.run("deploy", release="v2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert playbook.summary_of("shop")["pictures"]["greatest"] == 0
    assert files_of(simulator, 2) == "v2 works"
    taken = starts()
    assert taken == 4, "a wave of one site, and a wave of the other"
    again = playbook.run("deploy", release="v2")
    assert again.returncode == 0
    assert starts() == taken


def test_an_update_that_loses_the_layout_is_undone_and_goes_nowhere_else(playbook, release, simulator):
    release("v1")
    simulator.settings.collapsing = frozenset({"plugin example-forms 2.5.0"})
    night = playbook.run("maintain", update_plugins="updatable", rollback=True)
    assert night.returncode == 2, night.stdout
    [found] = [one for one in playbook.summary_of("shop")["findings"] if one["name"] == "well"]
    assert "The site looks different: " in found["text"]
    assert "It was rolled back to backup" in found["text"]
    versions = [simulator.state.environment(seed.environment_id(number)).plugins[0].version for number in (1, 2)]
    assert versions == ["2.4.1", "2.4.1"]
    # The next night remembers.
    night = playbook.run("maintain", update_plugins="updatable", rollback=True)
    assert "is held back, because it broke shop (The site looks different" in night.stdout
    versions = [simulator.state.environment(seed.environment_id(number)).plugins[0].version for number in (1, 2)]
    assert versions == ["2.4.1", "2.4.1"]


def test_an_update_that_loses_the_layout_and_is_not_undone_goes_nowhere_else_the_next_night(
    playbook, release, simulator
):
    release("v1")
    simulator.settings.collapsing = frozenset({"plugin example-forms 2.5.0"})
    assert playbook.run("maintain", update_plugins="updatable", rollback=False).returncode == 2
    night = playbook.run("maintain", update_plugins="updatable", rollback=False)
    versions = [simulator.state.environment(seed.environment_id(number)).plugins[0].version for number in (1, 2)]
    assert versions == ["2.5.0", "2.4.1"], night.stdout
    assert "example-forms 2.5.0 is held back everywhere, because it broke this site" in night.stdout


def test_updates_that_keep_the_layout_go_everywhere(playbook, release, simulator):
    release("v1")
    night = playbook.run("maintain", update_plugins="updatable")
    assert night.returncode == 0, night.stdout
    assert playbook.summary_of("blog")["pictures"]["greatest"] == 0
    versions = [simulator.state.environment(seed.environment_id(number)).plugins[0].version for number in (1, 2)]
    assert versions == ["2.5.0", "2.5.0"]


def test_all_sites_of_a_wave_share_one_browser_before_and_one_after(playbook, release, simulator, starts):
    release("v2 works")
    collapsing = simulator.state.environment(seed.environment_id(2, seed.STAGING))
    collapsing.content = Content("v2 collapsed", "the same database")
    done = playbook.run("deploy", release="v2", serial="100%", max_fail_percentage=100)
    assert done.returncode == 2, done.stdout
    assert starts() == 2
    shop, blog = (playbook.summary_of(host) for host in HOSTS)
    assert (shop["failed"], shop["pictures"]["greatest"], files_of(simulator, 1)) == (False, 0, "v2 works")
    assert (blog["failed"], blog["rolled_back"], files_of(simulator, 2)) == (True, True, "v1")


def test_updates_of_several_sites_share_a_browser_and_a_site_whose_page_is_missing_leaves_the_other_alone(
    playbook, release, simulator, starts
):
    release("v1")
    page = f"{simulator.control_url}/sites/{{{{ maintain_environment_id }}}}"
    pages = [f"{page}/{{{{ 'nowhere' if inventory_hostname == 'shop' else 'shop' }}}}"]
    night = playbook.run("maintain", update_plugins="updatable", canary=False, verify_pictures=pages)
    assert night.returncode == 0, night.stdout
    assert starts() == 2
    shop, blog = (playbook.summary_of(host)["pictures"] for host in HOSTS)
    assert "because of what was there before" in shop["problem"]
    assert (blog["problem"], blog["greatest"]) == ("", 0)
    versions = [simulator.state.environment(seed.environment_id(number)).plugins[0].version for number in (1, 2)]
    assert versions == ["2.5.0", "2.5.0"]


def test_sites_that_do_not_wait_for_each_other_take_their_own_pictures(playbook, release, starts):
    release("v2 works")
    role = "hosting.management.deploy"
    play = {"hosts": "all", "connection": "local", "gather_facts": False, "strategy": "free", "roles": [role]}
    (playbook.folder / "own.yml").write_text(yaml.safe_dump([play]))
    done = playbook.run("deploy", release="v2", playbook="own.yml")
    assert done.returncode == 0, done.stdout
    assert starts() == 4
    assert len(list(playbook.pictures.glob("*/after/manifest.json"))) == 2


def test_a_page_that_does_not_work_before_is_not_compared(playbook, release, simulator):
    release("v2 works")
    missing = f"{simulator.control_url}/sites/{seed.environment_id(1)}/nowhere"
    done = playbook.run("deploy", hosts="shop", release="v2", verify_pictures=[missing])
    assert done.returncode == 0, done.stdout
    assert "Pictures were not compared, because of what was there before: " in done.stdout
    assert files_of(simulator, 1) == "v2 works"


@pytest.mark.parametrize(
    ("role", "variables"), [("deploy", {"release": "v2"}), ("maintain", {"update_plugins": "updatable"})]
)
def test_without_a_browser_nothing_is_done(role, variables, playbook, release, simulator):
    release("v2 works")
    playbook.environment["CHROMIUM"] = "/nowhere/chromium"
    done = playbook.run(role, hosts="shop", **variables)
    assert done.returncode == 2
    assert "/nowhere/chromium is no program that can be run" in done.stdout
    assert role == "maintain" or not simulator.writes
    assert files_of(simulator, 1) == "v1"
    assert simulator.state.environment(seed.environment_id(1)).plugins[0].version == "2.4.1"
