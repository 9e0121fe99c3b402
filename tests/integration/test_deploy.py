# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The deploy role and playbook, run as users run them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest
import yaml

import runs
from simulator import seed
from simulator.state import Content

pytest_plugins = ["simulator.fixtures"]

COLLECTIONS = str(Path(__file__).parents[2] / "build" / "collections")
HOSTS = {
    name: {
        "hosting_site_id": seed.site_id(number),
        "hosting_environment_id": seed.environment_id(number, seed.LIVE),
        "hosting_source_environment_id": seed.environment_id(number, seed.STAGING),
    }
    for number, name in enumerate(("shop", "blog"), start=1)
}
SITES = r"/sites/[0-9a-f-]{36}"
WRITES = {
    "backup": ("POST", r"/sites/environments/[0-9a-f-]{36}/manual-backups"),
    "push": ("PUT", rf"{SITES}/environments"),
    "domain": ("POST", r"/sites/environments/[0-9a-f-]{36}/domains"),
    "denied IPs": ("PUT", "/sites/tools/denied-ips"),
    "restart": ("POST", "/sites/tools/restart-php"),
    "cache": ("POST", "/sites/tools/clear-cache"),
    "edge cache": ("POST", "/sites/edge-caching/clear"),
    "restore": ("POST", r"/sites/environments/[0-9a-f-]{36}/backups/restore"),
}
FIRST = [name for name in WRITES if name != "restore"]
USER = "d0000000-0000-4000-8000-000000000001"
ROLLBACK = {"deploy_rollback": True, "deploy_notified_user_id": USER}


class Deployment:
    """The deploy playbook in front of the simulator."""

    def __init__(self, folder, simulator, environment):
        self.folder = folder
        self.simulator = simulator
        self.journal = folder / "journal.db"
        self.environment = {
            **environment,
            "ANSIBLE_COLLECTIONS_PATH": COLLECTIONS,
            "HOSTING_BASE_URL": simulator.base_url,
            "HOSTING_API_KEY": simulator.api_key,
            "HOSTING_JOURNAL": str(self.journal),
        }
        self.variables = {
            "deploy_domains": [{"domain_name": "{{ inventory_hostname }}.example.org"}],
            "deploy_denied_ips": ["198.51.100.7"],
            "deploy_pause_when_unknown": 0,
            "deploy_verify_urls": [f"{simulator.base_url[:-3]}/_simulator/sites/{{{{ deploy_environment_id }}}}"],
            "deploy_verify_attempts": 2,
            "deploy_verify_pause": 0,
        }
        self.hosts = HOSTS
        self.said = ""
        """What the last run has shown that went well."""

    def run(self, *arguments, release="v1", hosts="all", playbook="deploy", **variables):
        """Run the playbook, and return the finished process; its requests are those in the simulator's log."""
        process = self.start(*arguments, release=release, hosts=hosts, playbook=playbook, **variables)
        output, errors = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def start(self, *arguments, release="v1", hosts="all", playbook="deploy", **variables):
        """Start the playbook, and return its process."""
        inventory = {"all": {"hosts": self.hosts, "vars": {**self.variables, **variables}}}
        (self.folder / "inventory.yml").write_text(yaml.safe_dump(inventory))
        self.simulator.clear_requests()
        extra = {name: value for name, value in (("deploy_release", release), ("deploy_hosts", hosts)) if value}
        name = f"hosting.management.{playbook}" if playbook else "own.yml"
        surroundings = {**self.environment, "ANSIBLE_INVENTORY": "inventory.yml"}
        return runs.start(name, "-e", json.dumps(extra), *arguments, cwd=self.folder, env=surroundings)

    def changes(self, *arguments, **options):
        """Deploy, which must go well, and return the number of changed tasks."""
        done = self.run(*arguments, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        self.said = done.stdout
        return sum(map(int, re.findall(r"changed=(\d+)", done.stdout)))

    def written(self, host=""):
        """Return how many writes of each kind the last run sent, in all or for one host."""
        target = HOSTS[host]["hosting_environment_id"] if host else ""
        writes = [one for one in self.simulator.writes if target in f"{one.path} {one.body}"]
        names = [next(name for name in WRITES if is_a(name, one)) for one in writes]
        return {name: names.count(name) for name in WRITES if name in names}


def is_a(name, request):
    """Whether a request is the write of that name."""
    method, path = WRITES[name]
    return request.method == method and bool(re.fullmatch(path, request.path))


def as_text(output):
    """What ansible-playbook has shown, which writes some characters as in JSON."""
    return re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), output)


@pytest.fixture
def deployment(tmp_path, simulator, ansible):
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir(exist_ok=True)
    return Deployment(tmp_path, simulator, ansible.environment)


@pytest.fixture(params=["with companions", "documented endpoints only"])
def either_service(request, deployment, simulator):
    if request.param == "documented endpoints only":
        simulator.settings.interface_only = True
        deployment.environment["HOSTING_COMPANIONS"] = "false"
        # Of the end of an operation, such a service shows nothing.
        deployment.variables["deploy_pause_when_unknown"] = 1
    return deployment


def wrong(number=1, **ids):
    names = {"site": "hosting_site_id", "target": "hosting_environment_id", "source": "hosting_source_environment_id"}
    return {**HOSTS["shop" if number == 1 else "blog"], **{names[name]: value for name, value in ids.items()}}


def test_ids_that_are_not_where_they_should_be_are_told_before_anything_is_done(deployment, simulator):
    live, staging, other = (seed.environment_id(*one) for one in ((1, seed.LIVE), (1, seed.STAGING), (2, seed.LIVE)))
    nobody = "00000000-0000-4000-8000-000000000000"
    deployment.hosts = {
        **HOSTS,
        "swapped": wrong(target=staging, source=live),
        "elsewhere": wrong(target=other),
        "nowhere": wrong(source=nobody),
        "no-site": wrong(site=nobody),
    }
    done = deployment.run("--check")
    assert done.returncode
    for words in (
        "swapped would push from live to staging",
        f"elsewhere: deploy_environment_id {other} is live of the site blog",
        f"nowhere: the site {HOSTS['shop']['hosting_site_id']} has no environment {nobody}",
        f"no-site: the company of the key has no site {nobody}",
    ):
        assert words in done.stdout
    assert simulator.writes == []
    paths = [request.path for request in simulator.requests]
    assert sum(path.endswith("/environments") for path in paths) == len(deployment.hosts)
    assert paths.count("/sites") == 1


THREE_STEPS = 3  # tasks that change an environment: the backup, the push, and all that comes after it


@pytest.mark.sample("with companions")
def test_the_first_run_changes_and_the_second_sends_no_write(either_service):
    companions = [] if "HOSTING_COMPANIONS" in either_service.environment else ["cache", "edge cache"]
    assert either_service.changes() == 2 * THREE_STEPS
    assert either_service.written() == dict.fromkeys([*FIRST[:5], *companions], 2)
    backup, push = (
        next(one for one in either_service.simulator.writes if is_a(name, one)) for name in ("backup", "push")
    )
    if not companions:
        assert push.time - backup.time >= 1, "its end is not shown, so it has been paused for"
    assert ("(not checked: " in either_service.said) == (not companions), either_service.said
    assert either_service.changes() == 0
    assert either_service.written() == {}


AGAIN = {"backup": 1, "push": 1, "restart": 1, "cache": 1, "edge cache": 1}


def test_each_release_is_backed_up_and_pushed_also_an_earlier_one_a_forced_one_and_one_that_is_not_on_record(
    deployment,
):
    name = "v2 \N{ROCKET}: 'a' \"b\" #c"
    deployment.changes("--limit", "shop")
    for release, options in ((name, {}), ("v1", {}), ("v1", {"deploy_force_push": True})):
        # A forced push asks for a backup that is not older than a second.
        time.sleep(1)
        assert deployment.changes("--limit", "shop", release=release, **options) == THREE_STEPS
        assert deployment.written() == AGAIN
    for file in deployment.folder.glob("journal.db*"):
        file.unlink()
    # The backups that are there may be from before anything: a new one is taken before the push.
    assert deployment.changes("--limit", "shop") == THREE_STEPS
    assert deployment.written() == AGAIN
    backups = deployment.simulator.state.environment(seed.environment_id(1)).backups
    notes = [one.note for one in backups if one.type == "manual"][-5:]
    assert notes == ["before-v1", f"before-{name}", "before-v1", "before-v1", "before-v1"]


def test_check_mode_predicts_and_writes_nothing(deployment):
    assert deployment.changes("--check", "--diff", "-e", "deploy_serial='[1, 1]'") == 2 * THREE_STEPS
    assert "Waves (deploy_serial): 1, then 1." in deployment.said
    assert "shop: staging → live (shop.example.com)" in as_text(deployment.said)
    assert "/sites" not in [request.path for request in deployment.simulator.requests]
    assert deployment.written() == {}
    assert not deployment.journal.exists()


def test_limit_and_serial_apply_to_environments_and_one_with_nothing_to_do_is_not_visited(deployment):
    options = {"deploy_domains": [], "deploy_set_denied_ips": False, "deploy_verify": False}
    (deployment.folder / "left.txt").write_text("blog\n")
    assert deployment.changes("--limit", "@left.txt", **options) == THREE_STEPS
    assert deployment.changes("-e", "deploy_serial='1,1'", **options) == THREE_STEPS
    assert "Waves (deploy_serial): 1, then 1." in deployment.said
    assert deployment.changes("-e", "deploy_serial=2", **options) == 0
    assert "2 environments: 0 changed, 2 had nothing to do, 0 failed." in deployment.said
    # The tasks of all environments together count for the first one.
    [counts] = [line for line in deployment.said.splitlines() if line.startswith("shop ")]
    assert sum(int(re.search(rf"{name}=(\d+)", counts)[1]) for name in ("ok", "skipped")) <= 7, counts


def test_each_step_can_be_switched_off(deployment, simulator):
    off = {
        "shop": ("deploy_backup", "deploy_ensure_domains", "deploy_set_denied_ips", "deploy_push_db"),
        "blog": ("deploy_push", "deploy_restart_php", "deploy_clear_caches"),
    }
    deployment.hosts = {name: {**HOSTS[name], **dict.fromkeys(off[name], False)} for name in off}
    deployment.changes("-e", "deploy_check_key=false", "-e", '{"deploy_release": 20261101}', release=None)
    assert deployment.written("shop") == {"push": 1, "restart": 1, "cache": 1, "edge cache": 1}
    assert deployment.written("blog") == {"domain": 1, "denied IPs": 1}
    (push,) = (one for one in simulator.writes if is_a("push", one))
    assert push.body["push_db"] is False
    assert "/validate" not in [request.path for request in simulator.requests]


def test_a_key_that_expires_soon_stops_everything(deployment, simulator):
    simulator.state.api_key.name = "key\x1b]0;owned\x07 of\x9b31m CI"
    done = deployment.run(deploy_key_valid_days=365)
    assert done.returncode
    assert "The API key key ]0;owned of 31m CI is active" in done.stdout
    assert not set("\x1b\x07\x9b") & set(done.stdout)
    assert "Create a new key" in done.stdout
    assert deployment.written() == {}


def test_a_failed_push_says_which_backup_to_go_back_to(deployment, simulator):
    simulator.fault("fail_operation", method="PUT", path=rf"{SITES}/environments")
    done = deployment.run("--limit", "shop")
    assert done.returncode
    (backup,) = [one for one in simulator.state.environment(seed.environment_id(1)).backups if one.type == "manual"]
    assert "The push of v1 failed on its way, so parts of it may be there" in done.stdout
    assert f"restore the backup with the tag before-v1 (id {backup.id}, taken" in done.stdout
    assert deployment.written() == {"backup": 1, "push": 1}
    assert deployment.changes("--limit", "shop") == THREE_STEPS - 1
    assert "backup" not in deployment.written(), "the backup from before the failed push is the one to go back to"


def test_what_is_missing_or_cannot_be_meant_is_named_of_all_before_anything_is_sent(deployment, simulator):
    blog = {**HOSTS["blog"], "hosting_source_environment_id": None}
    deployment.hosts = {"blog": blog, "shop": {"hosting_site_id": seed.site_id(1)}}
    done = deployment.run("-e", "deploy_serial=one", release=None, deploy_push_bd=True)
    assert done.stdout.count("fatal: ") == done.stdout.count('"msg": "The variable deploy_push_bd is unknown.') == 1
    both = "(shop, blog|blog, shop) lack"
    assert re.search(rf"{both} deploy_release, the name of the release \(-e deploy", done.stdout)
    assert re.search(rf"{both} deploy_source_environment_id, the id of the environment to push from", done.stdout)
    for lacking in (
        "shop lacks deploy_environment_id, the id of the environment to deploy to (hosting_environment_id in the",
        "deploy_serial has one, which is neither a number of environments nor a percentage",
    ):
        assert lacking in done.stdout
    assert simulator.requests == []


def test_it_runs_on_localhost_with_plain_variables(deployment):
    ids = {
        "deploy_site_id": seed.site_id(1),
        "deploy_environment_id": seed.environment_id(1, seed.LIVE),
        "deploy_source_environment_id": seed.environment_id(1, seed.STAGING),
    }
    extra = [argument for name, value in ids.items() for argument in ("-e", f"{name}={value}")]
    assert deployment.changes(*extra, hosts="localhost") == THREE_STEPS
    assert deployment.written() == dict.fromkeys(FIRST, 1)


def test_lists_may_be_given_as_text(deployment):
    (deployment.folder / "note.yml").write_text("- ansible.builtin.debug:\n    msg: noted {{ deployment.release }}\n")
    url = f"{deployment.simulator.base_url[:-3]}/_simulator/sites/{seed.environment_id(1)}"
    texts = (f"deploy_verify_urls={url}", "deploy_file_list=wp-content/a,wp-content/b", "deploy_after_tasks=note.yml")
    done = deployment.run("--limit", "shop", *(argument for text in texts for argument in ("-e", text)))
    assert done.returncode == 0, done.stdout
    assert "the database and wp-content/a, wp-content/b" in done.stdout
    assert f"asking 1 address of each site, such as {url}." in done.stdout
    assert "noted v1" in done.stdout
    (push,) = (one for one in deployment.simulator.writes if is_a("push", one))
    assert push.body["push_files_option"] == "SPECIFIC_FILES"
    assert push.body["file_list"] == ["wp-content/a", "wp-content/b"]


def test_the_role_may_be_used_in_a_loop(deployment, simulator):
    (deployment.folder / "note.yml").write_text("- ansible.builtin.debug:\n    msg: noted {{ item.name }}\n")
    variables = {
        "deploy_release": "v1",
        "deploy_verify": False,
        "deploy_site_id": "{{ item.site }}",
        "deploy_environment_id": "{{ item.live }}",
        "deploy_source_environment_id": "{{ item.staging }}",
        "deploy_domains": [{"domain_name": "{{ item.name }}.example.org"}],
        "deploy_after_tasks": ["note.yml"],
    }
    live, staging = seed.LIVE, seed.STAGING
    sites = [
        {"name": f"site{one}", "site": seed.site_id(one)}
        | {"live": seed.environment_id(one, live), "staging": seed.environment_id(one, staging)}
        for one in (1, 2)
    ]
    task = {"ansible.builtin.include_role": {"name": "hosting.management.deploy"}, "vars": variables, "loop": sites}
    play = {"hosts": "localhost", "gather_facts": False, "tasks": [task]}
    (deployment.folder / "own.yml").write_text(yaml.safe_dump([play]))
    done = deployment.run(release=None, hosts=None, playbook=None)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "noted site2" in done.stdout
    assert [one.body["domain_name"] for one in simulator.writes if one.path.endswith("domains")] == [
        "site1.example.org",
        "site2.example.org",
    ]


def test_a_push_of_unknown_outcome_is_not_rolled_back_and_forced_by_a_variable(deployment, simulator):
    simulator.fault("drop_after", method="PUT", path=rf"{SITES}/environments")
    done = deployment.run("--limit", "shop", **ROLLBACK)
    assert "It is not known whether v1 was pushed" in done.stdout
    assert deployment.written() == {"backup": 1, "push": 1}
    done = deployment.run("--limit", "shop", **ROLLBACK)
    assert "run it with force: true" in done.stdout or "run with force: true" in done.stdout
    assert "deploy_force_push: true" in done.stdout
    assert deployment.written() == {}
    assert deployment.changes("--limit", "shop", deploy_force_push=True) == THREE_STEPS - 1, "the backup counts"
    assert deployment.written()["push"] == 1


def test_while_a_push_goes_on_nothing_is_restored_and_nobody_is_told_to(deployment, simulator):
    simulator.settings.seconds_by_operation = {"environments:push": 3600}
    said = deployment.run("--limit", "shop", deploy_wait_timeout=1, **ROLLBACK).stdout
    assert "v1 is still being pushed" in said
    assert "Do not restore a backup before the push has ended." in said
    assert "was not pushed" not in said
    assert deployment.written() == {"backup": 1, "push": 1}


def contents(deployment, number=1):
    """What the live environment of a site contains."""
    return deployment.simulator.state.environment(seed.environment_id(number)).content


def stage(deployment, files):
    """Put files into the staging environments; with the word broken in them, a site does not work."""
    for number in (1, 2):
        deployment.simulator.state.environment(seed.environment_id(number, seed.STAGING)).content = Content(files, "db")


# ---- before anything is done ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("playbook", ["deploy", "releases"])
def test_hosts_must_be_there(playbook, deployment, simulator):
    done = deployment.run(hosts="all:!blgo", playbook=playbook)
    assert done.returncode
    said = "deploy_hosts names blgo, which is neither a host nor a group. Did you mean blog?"
    assert said in done.stdout + done.stderr
    assert simulator.requests == []


def test_a_journal_that_cannot_be_used_leaves_no_doubt(deployment):
    deployment.environment["HOSTING_JOURNAL"] = "/proc/nowhere/journal.db"
    said = deployment.run("--limit", "shop", deploy_backup=False).stdout
    assert "It is not known" not in said
    assert "v1 was not pushed: Cannot use the journal" in said
    assert deployment.written() == {}


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"deploy_push_db": "fales"}, ("fales",)),
        (
            {
                **ROLLBACK,
                "deploy_backup": False,
                "deploy_denied_ips": None,
                "deploy_after_tasks": ["nowhere.yml"],
                "deploy_verify_urls": ["https://me:hush@shop.example.com"],
                "deploy_summary_file": "nowhere/summary.json",
            },
            (
                "deploy_rollback needs deploy_backup",
                "deploy_denied_ips has no value (null)",
                "deploy_after_tasks has nowhere.yml, and there is no such file",
                "has ********@shop.example.com, which is not",
                "is no folder that can be written in",
            ),
        ),
        ({"deploy_serial": 5}, ("deploy_serial and deploy_max_fail_percentage apply to all hosts at once",)),
        ({"deploy_max_fail_percentage": 5}, ("so they have no effect in the inventory: give them with -e",)),
    ],
    ids=["a type", "many", "waves", "failures"],
)
def test_bad_variables_are_told_before_anything_is_sent(variables, said, deployment, simulator):
    deployment.variables.pop("deploy_denied_ips")
    deployment.hosts = {"shop": {**HOSTS["shop"], **variables}}
    done = deployment.run()
    assert done.returncode
    for words in said:
        assert words in done.stdout
    assert "hush" not in done.stdout + done.stderr
    assert simulator.writes == []


def test_the_plan_says_what_will_be_done_and_the_list_what_is_there(deployment):
    deployment.changes("--limit", "shop")
    said = deployment.run("--check", release="v2", **ROLLBACK).stdout
    assert "Release v2 for 2 environments, check mode: nothing will be changed." in said
    assert "To push: 2. There already: 0." in said
    assert "Releases there now: not known (1), v1 (1)." in said
    assert "Waves (deploy_serial): 1, then 100%." in said
    assert "the backup is restored (deploy_rollback)" in said
    done = deployment.run("-e", "deploy_summary_file=releases.json", release=None, hosts=None, playbook="releases")
    assert re.search(r"shop +v1 +finished +20", done.stdout), done.stdout
    assert re.search(r"blog +not known", done.stdout)
    blog, shop = json.loads((deployment.folder / "releases.json").read_text())
    assert (shop["release"], shop["state"], blog["release"]) == ("v1", "finished", "not known")


# ---- verification and going back -----------------------------------------------------------------------------------


def test_the_summary_comes_once_when_some_of_each_wave_fail(deployment):
    deployment.hosts = {
        name: {
            "hosting_site_id": seed.site_id(number),
            "hosting_environment_id": seed.environment_id(number, kind),
            "deploy_verify_urls": [f"http://127.0.0.1:9/{name}"],
            "deploy_verify": name in "ac",
        }
        for name, (number, kind) in zip("abcd", product((1, 2), (seed.LIVE, seed.STAGING)), strict=True)
    }
    off = [f"deploy_{step}=false" for step in ("push", "restart_php", "clear_caches", "ensure_domains")]
    arguments = [argument for one in (*off, "deploy_serial=2") for argument in ("-e", one)]
    done = deployment.run(*arguments, "-e", "deploy_max_fail_percentage=50", deploy_verify_attempts=1)
    assert done.stdout.count("4 environments: ") == 1, done.stdout


def test_environments_need_not_wait_for_each_other(deployment):
    role = {"role": "hosting.management.deploy", "deploy_release": "v1"}
    play = {"hosts": "all", "connection": "local", "gather_facts": False, "strategy": "free", "roles": [role]}
    (deployment.folder / "own.yml").write_text(yaml.safe_dump([play]))
    done = deployment.run(release=None, hosts=None, playbook=None)
    assert done.returncode == 0, done.stdout
    assert deployment.written()["push"] == 2


def test_a_release_that_does_not_work_is_rolled_back(deployment):
    deployment.changes("--limit", "shop")
    before = contents(deployment)
    stage(deployment, "broken v2")
    done = deployment.run("--limit", "shop", "-e", "deploy_summary_file=summary.json", release="v2", **ROLLBACK)
    assert done.returncode
    assert "It was rolled back to backup" in done.stdout
    assert "and the site works again" in done.stdout
    assert contents(deployment) == before
    assert deployment.written() == {
        "backup": 1,
        "push": 1,
        "restart": 2,
        "cache": 2,
        "edge cache": 2,
        "restore": 1,
    }
    summary = json.loads((deployment.folder / "summary.json").read_text())
    assert summary["totals"]["rolled_back"] == 1
    (shop,) = summary["environments"]
    assert (shop["before"], shop["rolled_back"], shop["error"]["kind"]) == ("v1", True, "check_failed")
    stage(deployment, "v1")
    assert deployment.changes("--limit", "shop", release="v1") == THREE_STEPS, (
        "what is there is not v1 as it was pushed"
    )


def test_a_task_after_the_push_that_fails_is_a_reason_to_go_back(deployment):
    (deployment.folder / "migrate.yml").write_text(
        "- name: Migrate the database\n  ansible.builtin.fail: {msg: 'no such table, {{ deployment.release }}'}\n"
    )
    before = contents(deployment)
    done = deployment.run("--limit", "shop", deploy_after_push_tasks=["migrate.yml"], **ROLLBACK)
    assert "The task 'Migrate the database' of deploy_after_push_tasks failed: no such table, v1" in done.stdout
    assert contents(deployment) == before


def test_hooks_run_in_their_places(deployment):
    for name in ("before", "after_push", "after"):
        (deployment.folder / f"{name}.yml").write_text(
            f"- name: Note it\n  ansible.builtin.lineinfile: {{path: {deployment.folder}/noted, create: true,"
            f" line: '{name} {{{{ deployment.is_pushed | default(deployment.push) }}}}', mode: '600'}}\n"
        )
    hooks = {f"deploy_{name}_tasks": [f"{name}.yml"] for name in ("before", "after_push", "after")}
    deployment.changes("--limit", "shop", **hooks)
    assert (deployment.folder / "noted").read_text().split("\n") == ["before due", "after_push True", "after True", ""]


def test_what_comes_after_a_push_comes_also_when_an_earlier_run_has_sent_it(deployment, simulator):
    deployment.changes("--limit", "shop")
    (deployment.folder / "note.yml").write_text(
        "- ansible.builtin.debug:\n    msg: pushed {{ deployment.is_pushed }}\n"
    )
    simulator.settings.operation_seconds = 4
    forced = ("-e", "deploy_force_push=true", "-e", "deploy_backup=false", "-e", "deploy_wait_timeout=0.5")
    done = deployment.run("--limit", "shop", *forced)
    assert "v1 is still being pushed" in done.stdout
    done = deployment.run("--limit", "shop", deploy_after_push_tasks=["note.yml"])
    assert "pushed True" in done.stdout
    assert deployment.written() == {"restart": 1, "cache": 1, "edge cache": 1}


def test_a_migration_that_failed_is_told_again_that_there_was_a_push(deployment):
    migrate = deployment.folder / "migrate.yml"
    migrate.write_text("- ansible.builtin.fail:\n  when: deployment.is_pushed\n")
    hook = {"deploy_after_push_tasks": ["migrate.yml"], "deploy_verify": False}
    assert deployment.run("--limit", "shop", **hook).returncode
    migrate.write_text("- ansible.builtin.debug:\n    msg: pushed {{ deployment.is_pushed }}\n")
    assert "pushed True" in deployment.run("--limit", "shop", **hook).stdout
    assert "pushed False" in deployment.run("--limit", "shop", **hook).stdout
    assert deployment.written() == {}


def test_a_service_that_cannot_restore_is_told_beforehand(deployment, simulator):
    simulator.settings.interface_only = True
    deployment.environment["HOSTING_COMPANIONS"] = "false"
    stage(deployment, "broken")
    done = deployment.run("--limit", "shop", **ROLLBACK)
    assert "This service cannot restore backups through its API" in done.stdout
    assert "Restore before-v1 by hand" in done.stdout


def test_a_release_that_does_not_work_stays_unless_somebody_asked_to_go_back_and_it_has_just_come(deployment):
    stage(deployment, "broken v1")
    done = deployment.run("--limit", "shop")
    assert done.returncode
    assert "The site does not work" in done.stdout
    assert "hosting.management.rollback" in done.stdout
    assert contents(deployment).files == "broken v1"
    done = deployment.run("--limit", "shop", deploy_rollback_within=0, **ROLLBACK)
    assert done.returncode
    assert deployment.written() == {}
    done = deployment.run("--limit", "shop", **ROLLBACK)
    assert "It was rolled back" in done.stdout
    assert deployment.written()["restore"] == 1


def test_the_rollback_playbook_goes_back_once_and_to_a_backup_that_is_named(deployment):
    deployment.changes("--limit", "shop")
    first = contents(deployment)
    seeded = deployment.simulator.state.environment(seed.environment_id(1)).backups[0]
    stage(deployment, "v2")
    deployment.changes("--limit", "shop", release="v2")
    options = {"release": None, "hosts": "shop", "playbook": "rollback", "deploy_notified_user_id": USER}
    refused = deployment.run("-e", "deploy_release=v1", **options)
    assert refused.returncode
    assert "shop has v2, and deploy_release is v1" in refused.stdout
    assert deployment.written() == {}
    assert deployment.changes(**options) == 2
    assert contents(deployment) == first
    assert deployment.written() == {"restore": 1, "restart": 1, "cache": 1, "edge cache": 1}
    again = deployment.run(**options)
    assert "1 environment: 0 changed, 1 had nothing to do, 0 failed." in again.stdout
    assert deployment.written() == {}
    assert deployment.changes("-e", f"deploy_rollback_backup_id={seeded.id}", **options) == 2
    assert contents(deployment) == seeded.content


@pytest.mark.story
def test_a_restore_of_unknown_outcome_is_settled_by_the_task_that_the_run_names(deployment, simulator):
    live = seed.environment_id(1)
    rollback = {"release": None, "hosts": "shop", "playbook": "rollback", "deploy_notified_user_id": USER}
    deployment.changes("--limit", "shop")
    simulator.fault("drop_after", method="POST", path=r".*/backups/restore")
    backup = simulator.state.environment(live).backups[-1].id
    named = f"hosting.management.settle: {{environment_id: {live}, backup_id: {backup}, outcome: done}}"
    for options in (rollback, {"release": "v3", "hosts": "shop"}, rollback):
        done = deployment.run(**options)
        assert done.returncode
        assert named in done.stdout
        assert "It is not known whether v" not in done.stdout
        assert "push" not in deployment.written()
    listed = deployment.run(release=None, hosts=None, playbook="releases")
    assert f"hosting.management.settle (backup_id {backup})" in listed.stdout
    assert deployment.changes("-e", "deploy_force_restore=true", **rollback) >= 1
    assert deployment.written()["restore"] == 1
    simulator.fault("drop_after", method="POST", path=r".*/backups/restore")
    deployment.run("-e", "deploy_force_restore=true", **rollback)
    task = {"hosts": "shop", "connection": "local", "gather_facts": False, "tasks": [yaml.safe_load(named)]}
    (deployment.folder / "own.yml").write_text(yaml.safe_dump([task]))
    assert deployment.changes(release=None, hosts=None, playbook=None) == 1
    assert deployment.changes("--limit", "shop", release="v3")
    assert deployment.written()["push"] == 1


def test_text_from_the_service_is_no_template(deployment, simulator):
    body = {"status": 400, "message": "{{ 7 * 191 }} {% raw %} \N{ROCKET}\x85\x7f", "data": None}
    simulator.fault("status", method="PUT", path=rf"{SITES}/environments", status=400, body=body)
    said = deployment.run("--limit", "shop").stdout
    assert "1337" not in said
    assert "v1 was not pushed" in said
    assert "{{ 7 * 191 }}" in said


# ---- killed runs ---------------------------------------------------------------------------------------------------


def kill_after(deployment, writes, **options):
    """Run the playbook, and kill all of it when the service has got that many writes."""
    process = deployment.start("--limit", "shop", **options)
    while len(deployment.simulator.writes) < writes and process.poll() is None:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.mark.story
@pytest.mark.parametrize("writes", [2, 3, 6])
def test_a_run_that_was_killed_is_finished_by_the_next_one(writes, deployment, simulator):
    stage(deployment, "broken v1")
    before = contents(deployment)
    simulator.settings.operation_seconds = 0.1
    kill_after(deployment, writes, deploy_domains=[], deploy_set_denied_ips=False, **ROLLBACK)
    sent = [one.path for one in simulator.writes]
    done = deployment.run("--limit", "shop", deploy_domains=[], deploy_set_denied_ips=False, **ROLLBACK)
    sent += [one.path for one in simulator.writes]
    pushes, restores = (
        sum(bool(re.fullmatch(path, one)) for one in sent) for path in (WRITES["push"][1], WRITES["restore"][1])
    )
    if "It is not known" in done.stdout:
        assert pushes == 1, "a push whose answer was lost with the run is for a person to settle"
        return
    assert contents(deployment) == before, done.stdout
    assert (pushes, restores) in {(1, 1), (2, 2)}, "the second time, the whole deployment was tried again"


# ---- around a release -----------------------------------------------------------------------------------------------


@pytest.mark.story
def test_a_release_updates_the_database_once_and_makes_room_for_its_backup(deployment, simulator):
    live = simulator.state.environment(HOSTS["shop"]["hosting_environment_id"])
    simulator.settings.most_backups = sum(one.type == "manual" for one in live.backups) + 3
    commands = live.wp_cli_commands
    options = {"hosts": "shop", "deploy_wp_cli": ["core update-db"], "deploy_keep_backups": 3}
    planned = deployment.run("--check", **options)
    assert "wp core update-db" in planned.stdout
    assert commands == []
    for count, release in enumerate(("v1", "v2", "v3", "v4"), start=1):
        deployment.changes(release=release, **options)
        assert commands == ["wp core update-db"] * count
    assert "removed: " in deployment.said
    assert "before-v1" in deployment.said
    assert len(commands) == 4
    refused = deployment.run(release="v5", hosts="shop")
    assert refused.returncode != 0
    assert "deploy_keep_backups" in as_text(refused.stdout)


@pytest.mark.story
def test_a_command_whose_answer_is_lost_runs_once_and_is_settled_as_the_message_says(deployment, simulator):
    options = {"hosts": "shop", "deploy_wp_cli": ["core update-db"]}
    simulator.fault("drop_after", "POST", r".*/run-wp-cli-command")
    for count in (1, 0):
        done = deployment.run(**options)
        assert done.returncode != 0
        assert sum(one.path.endswith("/run-wp-cli-command") for one in simulator.writes) == count
        [told] = [line for line in as_text(done.stdout).splitlines() if line.strip().startswith('"shop: Failed at')]
        task = re.search(r"hosting\.management\.settle: (\{.*?\}) \(or not_done\)", told)
        assert task, told
    command = [Path(sys.executable).parent / "ansible", "localhost", "-m", "hosting.management.settle"]
    settle = [*command, "-a", json.dumps(yaml.safe_load(task[1]))]
    settled = subprocess.run(settle, env=deployment.environment, capture_output=True, text=True, check=False)
    assert settled.returncode == 0, settled.stdout
    done = deployment.run(**options)
    assert done.returncode == 0, done.stdout
    assert not any(one.path.endswith("/run-wp-cli-command") for one in simulator.writes)


@pytest.mark.story
def test_a_site_that_does_not_work_shows_the_end_of_its_error_log(deployment, simulator):
    simulator.state.environment(HOSTS["shop"]["hosting_source_environment_id"]).content = Content("broken", "db")
    done = deployment.run(hosts="shop")
    assert done.returncode != 0
    assert as_text(done.stdout).count("The end of its error log: PHP Fatal error:") >= 1
    assert "shop: the end of its error log: PHP Fatal error:" in as_text(done.stdout)
    without = deployment.run(hosts="shop", deploy_log_lines=0)
    assert "PHP Fatal error" not in without.stdout
