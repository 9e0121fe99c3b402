# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The access role and playbook, run as users run them."""

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
from simulator import Simulator, seed

pytest_plugins = ["simulator.fixtures"]

ADA, BEN, CLEO = (seed.user_id(number) for number in (1, 2, 3))
CAPABILITIES = f"/company/{seed.COMPANY_ID}/users/company-capabilities"
ROLES = [
    {"email": "cleo@example.com", "role": "company-developer"},
    {"user_id": ADA, "name": "Ada", "role": "company-admin"},
    {"email": "Ben@Example.com", "role": "company-billing"},
]
IDS_ONLY = [{"user_id": ADA, "role": "company-admin"}, {"user_id": BEN, "role": "company-billing"}]
FORMER = ["gone@example.com", "left@example.com"]
POLICY = ["198.51.100.0/24", "203.0.113.24", "2001:db8::/32"]
CLEAN = {"access_roles": ROLES, "access_former_staff": FORMER, "access_sftp_policy": POLICY}


class Access:
    """The access playbook in front of a simulator."""

    def __init__(self, folder: Path, simulator: Simulator, environment: dict[str, str], sites: int = 2) -> None:
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
        self.hosts: dict[str, dict] = {
            seed.site_name(number): {"hosting_environment_id": seed.environment_id(number)}
            for number in range(1, sites + 1)
        }

    def run(self, *arguments: str, hosts: str = "all", **variables: object) -> subprocess.CompletedProcess[str]:
        """Run the playbook, and return the finished process; its requests are those in the simulator's log."""
        inventory = {"all": {"hosts": self.hosts, "vars": variables}}
        (self.folder / "inventory.yml").write_text(yaml.safe_dump(inventory, sort_keys=False))
        (self.folder / "access.json").unlink(missing_ok=True)
        self.simulator.clear_requests()
        options = ["-e", f"access_hosts={hosts}", "-e", "access_summary_file=access.json"]
        return runs.run("hosting.management.access", *options, *arguments, cwd=self.folder, env=self.environment)

    def well(self, *arguments: str, **variables: object) -> tuple[dict, int]:
        """Run the playbook, which must go well, and return its summary and how many tasks have changed something."""
        done = self.run(*arguments, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return self.summary, sum(map(int, re.findall(r"changed=(\d+)", done.stdout)))

    @property
    def summary(self) -> dict:
        return json.loads((self.folder / "access.json").read_text())

    @property
    def roles(self) -> list[str]:
        """The roles that the company's users have, in their order."""
        users = self.simulator.state.company.users
        return [users[user].role.removeprefix("company-") for user in (ADA, BEN, CLEO)]

    def employ(self, email: str, *sites: int) -> None:
        """Make somebody a WordPress administrator of these sites' live environments."""
        for number in sites:
            self.simulator.state.environment(seed.environment_id(number)).wp_admin_emails.add(email)

    def allow(self, number: int, *addresses: str) -> None:
        self.simulator.state.environment(seed.environment_id(number)).sftp_ip_allowlist = list(addresses)


@pytest.fixture
def access(tmp_path: Path, simulator: Simulator, ansible: Ansible) -> Access:
    simulator.settings.operation_seconds = 0
    return Access(tmp_path, simulator, {**ansible.environment, "HOME": str(tmp_path / "home")})


def states(summary: dict) -> dict[str, str]:
    return {role["user"]: role["state"] for role in summary["roles"]}


# ---- roles ----------------------------------------------------------------------------------------------------------


def test_roles_are_predicted_set_once_administrators_first_and_set_again_when_asserted(access: Access):
    summary, changes = access.well("--check", "-e", "access_plan_file=plan.json", **CLEAN)
    assert set(states(summary).values()) == {"would be set"}
    assert (changes, access.simulator.writes) == (2, [])
    assert access.roles == ["admin", "developer", "billing"]
    summary, changes = access.well("-e", "access_plan=plan.json", **CLEAN)
    assert [write.body["user_id"] for write in access.simulator.writes] == [ADA, CLEO, BEN]
    assert access.roles == ["admin", "billing", "developer"]
    assert states(summary) == {"cleo@example.com": "set", "Ada": "set", "Ben@Example.com": "set"}
    assert changes == 2
    assert summary["totals"] | {"roles": 3, "roles_changed": 3, "failures": 0} == summary["totals"]
    assert (summary["needs"], summary["not_shown"]) == ([], [])
    # Changed elsewhere: the second run cannot see it, and says so.
    access.simulator.state.company.users[CLEO].role = "company-admin"
    summary, changes = access.well(**CLEAN)
    assert (changes, access.simulator.writes) == (0, [])
    assert set(states(summary).values()) == {"set before"}
    assert "3 of 3 were already set, according to the journal" in summary["not_shown"][0]
    assert access.roles[2] == "admin"
    _summary, changes = access.well("-e", "access_assert=true", **CLEAN)
    assert (changes, len(access.simulator.writes)) == (2, 3)
    assert access.roles[2] == "developer"


def test_nobody_loses_a_role_when_no_administrator_could_be_set(access: Access):
    access.simulator.fault("status", "POST", CAPABILITIES, times=1, status=404)
    access.employ(FORMER[0], 1)
    done = access.run(**CLEAN)
    assert done.returncode
    assert len(access.simulator.writes) == 1
    assert access.roles == ["admin", "developer", "billing"]
    assert states(access.summary) == {"cleo@example.com": "held back", "Ada": "failed", "Ben@Example.com": "held back"}
    # What is wrong with the company hides nothing of the environments.
    assert [one["administrator_in"] for one in access.summary["former_staff"]] == [["shop"], []]
    assert re.search(r"The role company-admin of Ada: .*404", done.stdout)


def test_a_role_that_fails_hides_no_other_and_an_unknown_address_is_told(access: Access):
    unknown = {"email": "new@example.com", "role": "company-developer"}
    done = access.run(access_roles=[unknown, *ROLES])
    assert done.returncode
    assert access.roles == ["admin", "billing", "developer"]
    assert states(access.summary)["new@example.com"] == "failed"
    assert "new@example.com is not a user of the company. Invite them first." in done.stdout
    assert re.findall(r"^(\w+) .*failed=1", done.stdout, re.MULTILINE) == ["shop"]


def test_an_administrator_who_is_not_on_the_list_is_enough_for_those_who_say_so(access: Access):
    others = {"access_roles": ROLES[2:], "access_other_administrators": ["ada@example.com"]}
    assert "count only with access_trust_administrators: true" in access.run(**others).stdout
    assert access.simulator.requests == []
    summary, _changes = access.well(access_trust_administrators=True, **others)
    assert "that the company still has an administrator is not guaranteed" in summary["not_shown"][0]
    assert access.roles == ["admin", "billing", "billing"]
    assert summary["totals"]["roles"] == 1


def test_roles_that_were_changed_elsewhere_do_not_cost_the_last_administrator(access: Access):
    access.well(access_roles=[ROLES[1], ROLES[2]])
    users = access.simulator.state.company.users
    # Elsewhere, Ada loses her role, and Cleo becomes the only administrator.
    users[ADA].role, users[CLEO].role = "company-developer", "company-admin"
    _summary, changes = access.well(access_roles=[ROLES[1], ROLES[2]])
    assert (changes, access.simulator.writes) == (0, []), "nobody loses a role, so nothing is sent"
    summary, _changes = access.well(**CLEAN)
    assert [write.body["user_id"] for write in access.simulator.writes] == [ADA, CLEO]
    assert access.roles == ["admin", "billing", "developer"]
    assert states(summary)["Ben@Example.com"] == "set before"


@pytest.mark.sample
def test_an_id_that_nobody_has_is_no_administrator(access: Access):
    nobody = {"user_id": "d0000000-0000-4000-8000-00000000ffff", "role": "company-admin"}
    done = access.run(access_roles=[nobody, {"user_id": ADA, "role": "company-developer"}], access_list_users=False)
    assert done.returncode
    assert access.roles[0] == "admin"
    assert states(access.summary)[ADA] == "held back"


# ---- what is refused ------------------------------------------------------------------------------------------------


def test_what_cannot_be_right_is_refused_before_anything_is_sent(access: Access):
    done = access.run(access_roles=[{**ROLES[0], "role": "company-billing"}], access_role=ROLES)
    assert done.returncode
    assert "access_roles has no company-admin, so the last administrator could be demoted" in done.stdout
    assert "The variable access_role is unknown. Did you mean access_roles?" in done.stdout
    assert access.simulator.requests == []


def test_hosts_that_disagree_or_lack_something_stop_all(access: Access):
    access.hosts["blog"] = {"access_roles": IDS_ONLY}
    done = access.run(**CLEAN)
    assert done.returncode
    assert "blog lacks access_environment_id (or hosting_environment_id)" in done.stdout
    assert "blog has a different value than shop for access_roles, which applies to the whole company" in done.stdout
    assert access.simulator.requests == []


def test_a_key_that_is_refused_ends_the_run_at_once(access: Access):
    access.environment["HOSTING_API_KEY"] = "another"
    done = access.run(**CLEAN)
    assert done.returncode
    assert [request.path for request in access.simulator.requests] == ["/validate"]
    assert "HOSTING_API_KEY" in done.stdout


# ---- environments ---------------------------------------------------------------------------------------------------


@pytest.mark.story
def test_a_fleet_with_former_staff_addresses_outside_of_the_policy_and_a_site_that_fails(tmp_path: Path):
    """Eighteen sites: what is wrong is told by address and environment, and one that cannot be read hides none."""
    with Simulator(sites=18) as simulator, tempfile.TemporaryDirectory(prefix="hosting-") as scratch:
        simulator.settings.operation_seconds = 0
        access = Access(tmp_path, simulator, Ansible(tmp_path, Path(scratch), simulator).environment, sites=18)
        access.employ(FORMER[0], 3, 17)
        access.employ(FORMER[1], 17)
        access.allow(4)
        access.allow(5, "198.51.100.7", "192.0.2.1", "198.51.0.0/16", "2001:db8::7", "localhost")
        simulator.fault("status", path=f"/sites/environments/{seed.environment_id(7)}/.*", times=None, status=404)
        done = access.run("--forks", "10", **CLEAN)
        assert done.returncode
        summary = access.summary
        assert [one["administrator_in"] for one in summary["former_staff"]] == [["magazine", "site-17"], ["site-17"]]
        assert [one["not_known_in"] for one in summary["former_staff"]] == [["site-7"], ["site-7"]]
        by_name = {one["environment"]: one for one in summary["environments"]}
        assert by_name["site-17"]["former_staff"] == {FORMER[0]: True, FORMER[1]: True}
        assert by_name["site-7"]["former_staff"] == {FORMER[0]: None, FORMER[1]: None}
        assert by_name["site-5"]["sftp_outside_policy"] == ["192.0.2.1", "198.51.0.0/16", "localhost"]
        assert by_name["site-4"]["sftp_is_open"]
        assert summary["totals"]["failures"] == 3
        assert summary["totals"]["sftp_against_policy"] == 2
        failed = re.findall(r"^(\S+) .*failed=1", done.stdout, re.MULTILINE)
        assert failed == ["magazine", "site-17", "site-4", "site-5", "site-7"]
        lines = done.stdout.partition("Report who has access")[2]
        assert re.search(r'"gone@example.com +site-17 +WordPress administrator"', lines)
        assert re.search(r'"left@example.com +site-7 +not known"', lines)
        assert re.search(r'"site-4 +SFTP and SSH are open to all addresses', lines)
        assert "8 findings need your attention (above)." in lines
        # Exit status by choice; and a second night sends nothing.
        done = access.run("--forks", "10", access_fail_on=["sftp"], **CLEAN)
        assert re.findall(r"^(\S+) .*failed=1", done.stdout, re.MULTILINE) == ["site-4", "site-5"]
        assert set(re.findall(r"changed=(\d+)", done.stdout)) == {"0"}
        assert simulator.writes == []


def test_former_staff_who_still_are_users_of_the_company_are_found(access: Access):
    done = access.run(access_roles=ROLES[1:2], access_former_staff=["Ben@example.com"])
    assert done.returncode
    assert "Ben@example.com is still a user of the company." in done.stdout
    assert access.summary["former_staff"][0]["is_company_user"]


def test_on_a_service_with_the_documented_endpoints_only_all_is_done_but_what_needs_the_list_of_users(access: Access):
    access.simulator.settings.interface_only = True
    access.environment["HOSTING_COMPANIONS"] = "false"
    access.employ(FORMER[0], 2)
    variables = {**CLEAN, "access_roles": [*IDS_ONLY, ROLES[0]], "access_fail_on": []}
    summary, _changes = access.well(**variables)
    assert states(summary) == {ADA: "set", BEN: "held back", "cleo@example.com": "failed"}
    assert "set access_trust_administrators: true" in str(summary["needs"])
    variables["access_trust_administrators"] = True
    summary, _changes = access.well(**variables)
    assert states(summary) == {ADA: "set", BEN: "set", "cleo@example.com": "failed"}
    assert access.roles == ["admin", "billing", "billing"]
    role, former = (one["text"] for one in summary["needs"])
    assert "cleo@example.com needs a user_id: the service was not asked for the users of the company" in role
    assert former == "gone@example.com is still a WordPress administrator."
    assert summary["former_staff"][0]["is_company_user"] is None
    assert "is not guaranteed" in summary["not_shown"][0]
    assert "whether former staff are still users of the company" in summary["not_shown"][1]
    summary, changes = access.well(**variables)
    assert (changes, access.simulator.writes) == (0, [])
    assert states(summary)[ADA] == "set before"
