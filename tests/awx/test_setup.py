# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role awx with the variables of the guide and the real modules of awx.awx, in front of a simulated AWX."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import runs
from awx.controller import ENCRYPTED, TOKEN, TYPES, Controller, running
from awx.credential import environment

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "extensions" / "awx"
GUIDE = (ROOT / "docs" / "awx.md").read_text()
VARIABLES = yaml.safe_load(re.search(r"```yaml\n# awx.yml\n(.*?)```", GUIDE, re.DOTALL)[1])
API_KEY = "key-of-the-company-58"
PASSWORD = "password-of-the-journal-73"
LONGEST_RUN = 600  # seconds: each of many modules is a process
# What the guide takes from the environment.
SECRETS = {"HOSTING_API_KEY": API_KEY, "JOURNAL_PASSWORD": PASSWORD, "SLACK_TOKEN": "token-of-slack-19"}
# Whose variables a job takes, where that is not the role of the same name.
ROLES = {"rollback": "deploy", "deploy_lock": "deploy"}
JOBS = ("deploy", "rollback", "deploy_lock", "maintain", "access", "report")


class Setup:
    """The playbook awx in front of an AWX."""

    def __init__(self, folder: Path, controller: Controller) -> None:
        self.folder = folder
        self.controller = controller
        self.variables: dict[str, Any] = dict(VARIABLES)

    def run(self, *arguments: str, **variables: Any) -> subprocess.CompletedProcess[str]:
        """Run the playbook; what it writes is then in the controller's writes."""
        given = {name: value for name, value in {**self.variables, **variables}.items() if value is not None}
        (self.folder / "awx.yml").write_text(yaml.safe_dump(given))
        self.controller.writes.clear()
        surroundings = {
            "HOME": str(self.folder),
            "LC_ALL": "C.UTF-8",
            "PATH": "/usr/bin:/bin",
            "ANSIBLE_COLLECTIONS_PATH": f"{ROOT / 'build' / 'collections'}:{ROOT / 'build' / 'awx'}",
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
            "ANSIBLE_PIPELINING": "true",
            # Each request of a module would load the machine's certificates, though the address has no TLS.
            "SSL_CERT_FILE": os.devnull,
            **SECRETS,
            "CONTROLLER_HOST": self.controller.url,
            "CONTROLLER_OAUTH_TOKEN": TOKEN,
        }
        arguments = ("hosting.management.awx", "-e@awx.yml", *arguments)
        return runs.run(*arguments, cwd=self.folder, env=surroundings, timeout=LONGEST_RUN)

    def changes(self, *arguments: str, **variables: Any) -> int:
        """Run the playbook, which must go well and show no secret, and return the number of changed tasks."""
        done = self.run(*arguments, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        for secret in SECRETS.values():
            assert secret not in done.stdout + done.stderr
        [changed] = re.findall(r"changed=(\d+)", done.stdout)
        return int(changed)


@pytest.fixture
def setup(tmp_path: Path) -> Iterator[Setup]:
    with running(PROJECT) as controller:
        yield Setup(tmp_path, controller)


def environment_of_a_job(controller: Controller) -> dict[str, str]:
    """What AWX puts into the environment of a job with the credential."""
    credential = controller.named("credentials")["Hosting"]
    injectors = controller.objects["credential_types"][credential["credential_type"]]["injectors"]
    return environment(injectors, controller.secrets[credential["id"]])


def assert_answers_are_variables(role: str, questions: list[dict[str, Any]]) -> None:
    """A question asks for a variable that the role has, and offers what the role takes."""
    file = ROOT / "roles" / role / "meta" / "argument_specs.yml"
    if not file.exists():  # a role that the collection is about to get
        return
    options = yaml.safe_load(file.read_text())["argument_specs"]["main"]["options"]
    for question in questions:
        option = options[question["variable"]]
        assert set(question.get("choices", [])) <= set(option.get("choices", ["false", "true"]))


@pytest.mark.timeout(1200)
def test_everything_is_set_up_once(setup: Setup):
    controller = setup.controller
    assert setup.changes() == 12
    assert set(controller.named("job_templates")) == {f"Hosting: {job}" for job in JOBS}
    assert controller.named("credentials")["Hosting"]["inputs"]["api_key"] == ENCRYPTED
    assert environment_of_a_job(controller) == {
        "HOSTING_BASE_URL": "https://api.example.com/v2",
        "HOSTING_API_KEY": API_KEY,
        "HOSTING_JOURNAL": "postgresql://jobs@db.example.com/hosting",
        "PGPASSWORD": PASSWORD,
    }
    assert {name: one["source_path"] for name, one in controller.named("inventory_sources").items()} == {
        "Hosting environments": "company.hosting.yml",
        "Hosting live environments": "live.hosting.yml",
    }
    deploy = controller.named("job_templates")["Hosting: deploy"]
    assert (deploy["playbook"], deploy["job_slice_count"], deploy["forks"]) == ("deploy.yml", 4, 10)
    assert deploy["inventory"] == controller.named("inventories")["Hosting live"]["id"]
    for job in JOBS:
        name = f"Hosting: {job}"
        assert controller.associated("job_templates", name, "credentials") == ["Hosting"]
        assert controller.associated("job_templates", name, "notification_templates_error") == [
            "Hosting: notifications"
        ]
        assert controller.associated("job_templates", name, "notification_templates_success") == []
        assert not controller.named("job_templates")[name]["ask_variables_on_launch"]
        assert_answers_are_variables(ROLES.get(job, job), controller.survey("job_templates", name)["spec"])
    assert {
        job: controller.defaults("job_templates", f"Hosting: {job}") for job in ("maintain", "access", "report")
    } == {
        "maintain": {"maintain_hosts": "all"},
        "access": {"access_hosts": "all"},
        "report": {"report_hosts": "all", "report_time_frame": "30_days"},
    }
    asked = controller.survey("workflow_job_templates", "Hosting: deploy and report")["spec"]
    assert [one["variable"] for one in asked] == ["deploy_release", "deploy_hosts", "deploy_rollback"]
    assert controller.steps("Hosting: deploy and report") == {
        "deploy": step("Hosting: deploy", success={"report"}),
        "report": step("Hosting: report"),
    }
    assert set(controller.named("workflow_job_templates")) == {"Hosting: deploy and report"}
    assert {name: one["rrule"] for name, one in controller.named("schedules").items()} == {
        f"Hosting: {job} every night": f"DTSTART;TZID=Europe/Berlin:20260101T{hour}0000 RRULE:FREQ=DAILY;INTERVAL=1"
        for job, hour in (("maintain", "01"), ("access", "04"), ("report", "05"))
    }

    assert setup.changes(awx_api_key="another-key") == 0
    assert controller.writes == []

    setup.variables |= {"awx_nightly": {"maintain": "02:30"}, "awx_forks": 20, "awx_api_key": "another-key"}
    assert setup.changes("--check") == 2
    assert controller.writes == []
    assert setup.changes(awx_update_secrets=True) == 4
    assert set(controller.named("schedules")) == {"Hosting: maintain every night"}
    assert {one["forks"] for one in controller.named("job_templates").values()} == {20}
    assert environment_of_a_job(controller)["HOSTING_API_KEY"] == "another-key"


def step(runs: str = "", asks: str = "", **ends: set[str]) -> dict[str, Any]:
    """A step of a workflow, as the simulated AWX tells of it."""
    return {"runs": runs, "asks": asks, **{end: ends.get(end, set()) for end in ("success", "failure", "always")}}


TEAM = {
    **yaml.safe_load(re.search(r"```yaml\n# team.yml\n(.*?)```", GUIDE, re.DOTALL)[1]),
    "awx_permissions": {"developers": ["deploy", "look"], "leads": ["approve", "rollback", "lock"], "interns": []},
    "awx_ask_variables": ["maintain"],
    "awx_instance_groups": ["europe"],
    "awx_timeouts": {"deploy": 3600},
    "awx_labels": ["hosting"],
}


@pytest.mark.story
@pytest.mark.timeout(1200)
def test_a_team_deploys_with_canary_and_approval_and_everything_can_be_removed(setup: Setup):
    controller = setup.controller
    setup.variables |= TEAM
    for kind, name in (("instance_groups", "europe"), ("teams", "interns"), ("credential_types", "Other API")):
        controller.create(kind, {"name": name, "organization": 1})
    before = {kind: set(controller.named(kind)) for kind in TYPES}
    setup.changes()

    workflow = "Hosting: deploy and report"
    again = {"report after rollback"}
    assert controller.steps(workflow) == {
        "canary": step("Hosting: deploy", success={"canary report"}, failure={"ask for canary rollback"}),
        "canary report": step("Hosting: report", always={"approval"}),
        "approval": step(asks="Deploy to the rest?", success={"deploy"}, failure={"ask for canary rollback"}),
        "deploy": step("Hosting: deploy", success={"report"}, failure={"ask for rollback"}),
        "report": step("Hosting: report"),
        "ask for canary rollback": step(asks="Roll back the canary?", success={"canary rollback"}),
        "canary rollback": step("Hosting: rollback", always=again),
        "ask for rollback": step(asks="Roll back all environments that have the release?", success={"rollback"}),
        "rollback": step("Hosting: rollback", always=again),
        "report after rollback": step("Hosting: report"),
    }
    nodes = controller.named("workflow_job_template_nodes")
    assert (nodes["canary"]["extra_data"], nodes["canary"]["job_slice_count"]) == ({"deploy_hosts": "shop-live"}, 1)
    assert nodes["rollback"]["extra_data"] == {"deploy_hosts": "environment_live"}
    assert {one["timeout"] for one in controller.named("workflow_approval_templates").values()} == {14400}
    # What a step says, the survey must not ask: AWX prefers its answer.
    asked = controller.survey("workflow_job_templates", workflow)["spec"]
    assert [one["variable"] for one in asked] == ["deploy_release", "deploy_rollback"]
    for event in ("error", "success", "approvals"):
        assert controller.associated("workflow_job_templates", workflow, f"notification_templates_{event}") == [
            "Hosting: notifications"
        ]

    git = controller.named("workflow_job_templates")["Hosting: deploy from Git"]
    assert git["webhook_service"] == "gitlab"
    assert not git.get("survey_enabled")
    everything = {one["id"]: name for name, one in controller.named("workflow_job_templates").items()}
    templates = {one.get("unified_job_template") for one in controller.objects["workflow_job_template_nodes"].values()}
    assert [everything[one] for one in templates & set(everything)] == [workflow]
    deploy = controller.named("job_templates")["Hosting: deploy"]
    release = yaml.safe_load(deploy["extra_vars"])["deploy_release"]
    assert release == "{{ awx_webhook_payload | default({}) | hosting.management.git_tag }}"

    assert controller.granted() == {
        ("developers", "execute", workflow),
        ("leads", "approval", workflow),
        ("leads", "execute", "Hosting: rollback"),
        ("leads", "execute", "Hosting: deploy_lock"),
        *(("developers", "read", f"Hosting: {job}") for job in JOBS),
        *(("developers", "read", name) for name in (workflow, "Hosting", "Hosting live")),
    }
    assert deploy["timeout"] == 3600
    assert controller.associated("job_templates", "Hosting: deploy", "instance_groups") == ["europe"]
    assert controller.associated("job_templates", "Hosting: deploy", "labels") == ["hosting"]
    asking = {name for name, one in controller.named("job_templates").items() if one["ask_variables_on_launch"]}
    assert asking == {"Hosting: maintain"}
    schedules = controller.named("schedules")
    weekly = schedules["Hosting: weekly report"]
    start = "DTSTART;TZID=Europe/Berlin:20260101T071500"
    assert weekly["rrule"] == f"{start} RRULE:FREQ=WEEKLY;BYDAY=MO,TH;INTERVAL=1"
    assert weekly["extra_data"] == {"report_time_frame": "7_days"}
    assert {f"Hosting: read the inventory of Hosting{live}" for live in ("", " live")} <= set(schedules)

    assert setup.changes() == 0
    assert controller.writes == []

    setup.changes(
        awx_canary_hosts="", awx_offer_rollback=False, awx_permissions={"leads": ["deploy"], "developers": []}
    )
    assert set(controller.steps(workflow)) == {"deploy", "report"}
    assert controller.objects["workflow_approval_templates"] == {}
    assert controller.granted() == {("leads", "execute", workflow)}

    for changed in (True, False):
        assert bool(setup.changes(awx_state="absent")) == changed
    assert controller.writes == []
    assert {kind: set(controller.named(kind)) for kind in TYPES} == before


@pytest.mark.story
@pytest.mark.timeout(600)
def test_a_new_name_leaves_no_orphan(setup: Setup):
    controller = setup.controller
    setup.variables |= {"awx_nightly": {"report": "01:00"}}
    setup.changes()
    setup.changes(awx_name="Web", awx_previous_names=["Hosting"])
    names = [name for kind in TYPES for name in controller.named(kind)]
    assert [name for name in names if "Hosting" in name] == []
    assert "Web: report every night" in names


def test_variables_of_jobs_and_what_they_are_about_can_be_given(setup: Setup):
    setup.changes(
        awx_nightly_hosts="environment_live",
        awx_job_variables={"maintain": {"maintain_serial": [1, "100%"]}},
        awx_report_folder="/reports",
    )
    controller = setup.controller
    assert controller.defaults("job_templates", "Hosting: access") == {"access_hosts": "environment_live"}
    variables = {
        name: yaml.safe_load(one["extra_vars"] or "{}") for name, one in controller.named("job_templates").items()
    }
    assert variables["Hosting: maintain"] == {"maintain_serial": [1, "100%"]}
    assert variables["Hosting: report"]["report_html"] == "/reports/hosting-report.html"
    assert variables["Hosting: deploy"] == {}


@runs.as_users_do()
def test_without_what_is_optional_it_is_set_up_too(setup: Setup):
    for name in ("awx_journal", "awx_journal_password", "awx_notification_type", "awx_notification_configuration"):
        del setup.variables[name]
    # AWX gives such variables to a job that runs this role.
    assert setup.changes("-e", "awx_job_id=7", "-e", "awx_project_revision=abc", awx_project_folder="../awx/") == 11
    # An empty HOSTING_JOURNAL would switch it off.
    assert environment_of_a_job(setup.controller)["HOSTING_JOURNAL"] == "~/.local/state/hosting.management/journal.db"
    assert environment_of_a_job(setup.controller)["PGPASSWORD"] == ""
    assert setup.controller.named("notification_templates") == {}
    assert {one["playbook"] for one in setup.controller.named("job_templates").values()} == {
        f"../awx/{job}.yml" for job in JOBS
    }


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"awx_permissions": {"leads": ["aprove"]}}, "and awx_permissions those of permissions (deploy,"),
        ({"awx_ask_variables": ["deply"]}, "awx_ask_variables, awx_timeouts and awx_schedules need the names of jobs"),
        ({"awx_schedules": [{"name": "a", "job": "b", "at": "01:00"}]}, "for awx_schedules inventory"),
        (
            {"awx_schedules": [{"name": "a", "job": "report", "at": 60}]},
            'a needs a time in quotes such as "01:30", not 60',
        ),
        ({"awx_slices": 3}, "The variable awx_slices is unknown."),
        ({"awx_base_url": None}, "missing required arguments: awx_base_url"),
        ({"awx_nightly": {"deploy": "01:00"}}, "It needs the names of jobs (maintain, access, report)"),
        ({"awx_nightly": {"report": 1350}}, 'times in quotes such as "01:30"'),
        (
            {"awx_job_variables": {"push": {}}},
            "needs the names of jobs (deploy, rollback, deploy_lock, maintain, access, report)",
        ),
        ({"awx_job_variables": {"deploy": "v1"}}, "and variables of each"),
        ({"awx_notification_type": "pigeon"}, "value of awx_notification_type must be one of"),
    ],
)
def test_bad_input_is_refused_before_anything_is_done(setup: Setup, variables: dict[str, Any], said: str):
    done = setup.run(**variables)
    assert done.returncode == 2
    assert said in re.sub(r"\s+", " ", done.stdout + done.stderr).replace('\\"', '"')
    assert setup.controller.writes == []
    assert API_KEY not in done.stdout + done.stderr
