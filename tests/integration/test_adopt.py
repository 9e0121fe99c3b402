# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook adopt, run as users run it: what it writes is what maintain then finds."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

import runs
from integration.playbook import ROOT, Ansible
from simulator import Simulator, seed
from simulator.state import Domain, Theme

pytest_plugins = ["simulator.fixtures"]

HOSTILE = "{{ lookup('pipe', 'touch owned') }}\x1b[31m"


class Operator:
    """Somebody at a shell in an empty folder, in front of a simulator."""

    def __init__(self, folder: Path, simulator: Simulator, environment: dict[str, str]) -> None:
        (folder / "home").mkdir(exist_ok=True)
        self.folder, self.fleet, self.simulator = folder, folder / "fleet", simulator
        self.environment = {
            **environment,
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "collections"),
            "ANSIBLE_FORKS": "10",
            "HOSTING_BASE_URL": simulator.base_url,
            "HOSTING_API_KEY": simulator.api_key,
            "HOSTING_JOURNAL": str(folder / "journal.db"),
        }

    def run(self, playbook: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        self.simulator.clear_requests()
        return runs.run(f"hosting.management.{playbook}", *arguments, cwd=self.folder, env=self.environment)

    def adopt(self, *arguments: str) -> str:
        done = self.run("adopt", "-i", "fleet", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        assert self.simulator.writes == []
        return done.stdout

    def maintain(self, *arguments: str) -> str:
        # The sites are nowhere, so nobody looks for them.
        silent = ("-e", "maintain_check_site=false", "-e", "maintain_verify=false")
        done = self.run("maintain", "-i", "fleet", "-e", "maintain_hosts=all", *silent, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.fleet)): path.read_bytes() for path in self.fleet.rglob("*") if path.is_file()
        }


@pytest.fixture
def operator(tmp_path: Path, simulator: Simulator, ansible: Ansible) -> Operator:
    return Operator(tmp_path, simulator, {**ansible.environment, "HOME": str(tmp_path / "home")})


def test_from_an_empty_folder_to_files_that_maintain_has_nothing_to_do_with(operator: Operator):
    done = operator.run("adopt", "-i", "fleet", "--check")
    assert (done.returncode, "Nothing was read, and nothing was written." in done.stdout) == (2, True), done.stdout
    assert not operator.fleet.exists()

    done = operator.run("adopt", "--check")
    assert "The inventory has no hosts (/etc/ansible/hosts)" in " ".join((done.stdout + done.stderr).split())

    said = operator.adopt()
    assert "4 environments" in said
    assert "nothing differs (4 environments)" in said
    files = operator.files()
    assert "group_vars/environment_live.yml" in files
    assert "simulator-key" not in "".join(map(str, files.values()))

    assert "4 environments: 0 would be changed, 4 had nothing to do, 0 need a person." in operator.maintain("--check")
    assert "0 files written" in operator.adopt()
    assert operator.files() == files


@pytest.mark.sample
def test_check_mode_shows_the_files_and_writes_none(operator: Operator):
    operator.fleet.mkdir()
    (operator.fleet / "company.hosting.yml").write_text("plugin: hosting.management.environments\n")
    said = operator.adopt("--check", "--diff")
    assert "+maintain_sftp_allowlist:" in said
    assert "files would be written" in said
    assert list(operator.files()) == ["company.hosting.yml"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-e", "adopt_folders=x"], "Did you mean adopt_folder?"),
        (["-e", "adopt_parts=denied"], "value of adopt_parts must be one or more of"),
        (["-e", "adopt_hosts=environment_life"], "Did you mean environment_live?"),
    ],
)
def test_mistakes_are_told_before_anything_is_read(arguments: list[str], words: str, operator: Operator):
    operator.fleet.mkdir()
    (operator.fleet / "company.hosting.yml").write_text("plugin: hosting.management.environments\n")
    done = operator.run("adopt", "-i", "fleet", *arguments)
    assert done.returncode != 0
    assert words in " ".join((done.stdout + done.stderr).split())
    assert list(operator.files()) == ["company.hosting.yml"]


@pytest.mark.story
def test_a_fleet_whose_sites_all_differ_and_of_which_one_is_hostile(tmp_path: Path, ansible: Ansible):
    """Adopt, check, change one line, see and apply it, and merge what the service has changed meanwhile."""
    with Simulator(sites=5, brownfield=True) as simulator:
        operator = Operator(tmp_path, simulator, {**ansible.environment, "HOME": str(tmp_path / "home")})
        spoil(simulator)
        everything = ["-e", "adopt_inventory=true", "-e", "{adopt_parts: [" + ", ".join(PARTS) + "]}"]
        said = operator.adopt(*everything)
        assert "nothing differs (10 environments)" in said, said
        assert "10 environments: 0 would be changed, 10 had nothing to do" in operator.maintain("--check")
        assert not list(tmp_path.rglob("owned"))
        assert "!unsafe" in (operator.fleet / "host_vars" / "all-live.yml").read_text()

        path = operator.fleet / "host_vars" / "shop-live.yml"
        path.write_text(
            path.read_text().replace("maintain_image_optimization: lossless", "maintain_image_optimization: lossy")
        )
        assert "10 environments: 1 changed" in operator.maintain()
        simulator.state.environment(seed.environment_id(5)).denied_ips = ["192.0.2.250"]
        edited = path.read_text()
        assert "nothing differs (10 environments)" in operator.adopt("-e", "adopt_merge=true", *everything)
        assert path.read_text() == edited
        found = yaml.safe_load((operator.fleet / "host_vars" / "site-5-live.yml").read_text())
        assert found["maintain_denied_ips"] == ["192.0.2.250"]


PARTS = [
    "php_version",
    "image_optimization",
    "primary_domain",
    "denied_ips",
    "sftp_allowlist",
    "dns_records",
    "themes",
    "plugins",
    "access",
]


def spoil(simulator: Simulator) -> None:
    """Give a site the name of Ansible's own group, and put hostile text wherever the service takes any."""
    world = simulator.state
    site = world.site(seed.site_id(4))
    site.name, site.display_name = "all", HOSTILE
    live = world.environment(seed.environment_id(4))
    live.display_name = HOSTILE
    live.themes.append(Theme("hostile", HOSTILE, HOSTILE))
    for user in world.company.users.values():
        user.full_name = HOSTILE
    domain: Domain = live.primary_domain
    domain.dns_records.append(seed.dns_record("TXT", f"x.{domain.name}", HOSTILE[:35]))
