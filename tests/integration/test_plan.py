# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans, as users make, read and apply them: a fleet whose sites differ is looked at, planned, and brought about."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from integration.test_deploy import USER, contents, stage
from integration.test_maintain import EVERYTHING, Nights, host_of

# For their fixtures.
pytest_plugins = ["simulator.fixtures", "integration.test_deploy", "integration.test_maintain"]

SITES = 7
DECLARED = {name: value for name, value in EVERYTHING.items() if "domain" not in name and "dns" not in name}
"""What is the same for all sites."""

PLAN = ("-e", "maintain_plan=plan.json")


def plan_in(folder: Path, name: str = "plan.json") -> dict:
    return json.loads((folder / name).read_text())


@pytest.fixture
def fleet(nights: Nights) -> Nights:
    """Sites of which the first three have denied addresses of their own."""
    nights.hosts = {f"site{number:02}": host_of(number) for number in range(1, SITES + 1)}
    for number in range(1, 4):
        nights.environment_of(number).denied_ips = [f"192.0.2.{number}"]
    return nights


@pytest.mark.story
def test_what_is_planned_is_what_is_done(fleet: Nights):
    """See the plan, apply it, apply it again; then a site changes, and a plan from before does not fit any more."""
    seen = fleet.run("--check", "-e", "maintain_plan_file=plan.json", **DECLARED)
    assert seen.status == 0, seen.output
    assert fleet.written == {}
    plan = plan_in(fleet.folder)
    assert f"The plan is in {fleet.folder}/plan.json and {fleet.folder}/plan.html." in seen.output
    assert plan["totals"]["changed"] == SITES
    assert (fleet.folder / "plan.html").read_text().count("<tr>") == 1 + 4
    lines = [line for line in seen.output.splitlines() if "denied addresses +1" in line]
    assert [bool(re.search("REMOVES denied 192.0.2.[123];", line)) for line in lines] == [True, True, True, False]
    assert "plugin example-forms 2.4.1 → 2.5.0 (canary)" in lines[0]
    assert "4 environments: site04, site05, site06, …" in lines[3]
    fleet.environment_of(2).denied_ips.append("192.0.2.66")
    fleet.environment_of(3).plugins[0].version = "2.4.2"
    done = fleet.run(*PLAN, **DECLARED)
    assert done.status == 2
    stale = {"site02": "denied_ips", "site03": "plugins"}
    for host, part in stale.items():
        assert done.of(host)["done"] == []
        assert "The state is another than the plan saw" in done.text(host, part)
        assert "Nothing was changed at this environment. Make a new plan." in done.text(host, "php_version")
    # The backups are those from before the updates.
    assert set(fleet.written.values()) == {SITES - len(stale)}
    for host in set(fleet.hosts) - set(stale):
        assert {one["text"] for one in done.of(host)["changes"]} == {
            one["text"].removesuffix(" (canary)")
            for each in plan["environments"]
            if each["environment"] == host
            for one in each["changes"]
        }
    again = fleet.run(*PLAN, "--limit", "all:!site02:!site03", **DECLARED)
    assert (again.status, again.changed, fleet.written) == (0, 0, {})
    fleet.run("--check", "-e", "maintain_plan_file=plan.json", **DECLARED)
    assert fleet.run(*PLAN, **DECLARED).status == 0
    assert set(fleet.written.values()) == {len(stale)}


def test_what_is_declared_since_is_not_done(fleet: Nights):
    fleet.hosts = {"site01": fleet.hosts["site01"], "site02": fleet.hosts["site02"]}
    fleet.run("--check", "-e", "maintain_plan_file=plan.json", maintain_denied_ips=["198.51.100.7"])
    night = fleet.run(*PLAN, maintain_denied_ips=["198.51.100.8"], maintain_php_version="8.4")
    assert (night.status, fleet.written) == (2, {})
    assert "It would become another than the plan has" in night.text("site01", "denied_ips")
    assert "the plan has no change of it" in night.text("site01", "php_version")
    fleet.hosts["site09"] = host_of(9)
    refused = fleet.run(*PLAN, maintain_denied_ips=["198.51.100.7"])
    assert "The plan has no site09. Leave it out with --limit, or make a new plan." in refused.output
    assert "Nothing was done." in refused.output
    assert fleet.simulator.requests == []


@pytest.mark.story
def test_a_deployment_and_its_rollback_are_planned(deployment):
    """The plan of a release is applied, but not where somebody else has deployed; then the plan of going back."""
    deployment.changes(release="v1")
    before = contents(deployment)
    stage(deployment, "v2")
    plan = ("-e", "deploy_plan=plan.json")
    assert deployment.changes("--check", "-e", "deploy_plan_file=plan.json", release="v2") > 0
    assert deployment.written() == {}
    texts = [[each["text"] for each in one["changes"]] for one in plan_in(deployment.folder)["environments"]]
    assert texts[0] == ["backup before-v2", "push v1 → v2", "PHP restart", "caches"]
    assert "OVERWRITES the database and all files (kept in the backup before-v2)" in (
        (deployment.folder / "plan.html").read_text()
    )
    refused = deployment.run(*plan, release="v3")
    assert "has another push: of another release" in refused.stdout + refused.stderr
    assert deployment.simulator.requests == []
    others = list(deployment.hosts)[1:]
    deployment.changes("--limit", others[0], release="v9")
    one_wave = ("-e", "deploy_serial=100%", "-e", "deploy_max_fail_percentage=90")
    done = deployment.run(*plan, *one_wave, release="v2")
    assert done.returncode == 2
    assert "It has v9, and the plan saw v1." in done.stdout
    assert deployment.written()["push"] == len(deployment.hosts) - 1
    assert deployment.changes(*plan, "--limit", "shop", release="v2") == 0
    back = {"release": None, "hosts": "shop", "playbook": "rollback", "deploy_notified_user_id": USER}
    assert deployment.changes("--check", "-e", "deploy_plan_file=back.json", **back) > 0
    (restore, *_rest) = plan_in(deployment.folder, "back.json")["environments"][0]["changes"]
    assert restore["before"] == "v2"
    assert "CANNOT BE UNDONE" in restore["warnings"][0]
    stale = deployment.run("-e", "deploy_plan=back.json", "-e", "deploy_rollback_backup_id=1", **back)
    assert stale.returncode == 2
    assert deployment.written() == {}
    assert deployment.changes("-e", "deploy_plan=back.json", **back) == 2
    assert contents(deployment) == before
