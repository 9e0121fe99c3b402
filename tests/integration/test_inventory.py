# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory plugin, as ansible-inventory and ansible-playbook use it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from simulator import Simulator, seed

BIN = Path(sys.executable).parent
PLUGIN = "hosting.management.environments"

pytest_plugins = ["simulator.fixtures"]
pytestmark = pytest.mark.core


class Inventory:
    """An inventory file, and what Ansible makes of it."""

    def __init__(self, folder: Path, simulator: Simulator, environment: dict[str, str]) -> None:
        self.folder = folder
        self.simulator = simulator
        self.environment = {
            **environment,
            "HOSTING_BASE_URL": simulator.base_url,
            "HOSTING_API_KEY": simulator.api_key,
        }

    def run(
        self, command: str, *arguments: str, name: str = "company.hosting.yml", **options
    ) -> subprocess.CompletedProcess:
        """Run an Ansible command with the plugin's options in a file of that name."""
        (self.folder / name).write_text(yaml.safe_dump({"plugin": PLUGIN, "retries": 0, **options}))
        return subprocess.run(
            [BIN / command, "-i", name, *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def list(self, **options) -> dict:
        """Return what ansible-inventory lists, which must have gone well."""
        done = self.run("ansible-inventory", "--list", **options)
        assert done.returncode == 0, done.stderr
        assert "WARNING" not in done.stderr, done.stderr
        return _plain(json.loads(done.stdout))

    def hosts(self, **options) -> dict[str, dict]:
        """Return the variables of the hosts, by name."""
        return self.list(**options)["_meta"]["hostvars"]

    def refusal(self, **options) -> str:
        """Return what Ansible says about an inventory that cannot be read."""
        return self.run("ansible-inventory", "--list", "--playbook-dir", ".", **options).stderr.replace("\n", " ")


@pytest.fixture
def inventory(tmp_path, simulator, ansible) -> Inventory:
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir(exist_ok=True)
    return Inventory(tmp_path, simulator, {**ansible.environment, "ANSIBLE_COLLECTIONS_PATH": _collections_path()})


def _collections_path() -> str:
    return str(Path(__file__).parents[2] / "build" / "collections")


def _plain(value):
    """Return a listed value without the marks that Ansible puts on what is no template."""
    if isinstance(value, dict):
        return (
            value["__ansible_unsafe"]
            if set(value) == {"__ansible_unsafe"}
            else {k: _plain(v) for k, v in value.items()}
        )
    return [_plain(item) for item in value] if isinstance(value, list) else value


@pytest.mark.sample
def test_each_environment_is_a_host_with_the_variables_that_modules_and_roles_take(inventory):
    hosts = inventory.hosts()
    assert sorted(hosts) == ["blog-live", "blog-staging", "shop-live", "shop-staging"]
    live = hosts["shop-live"]
    assert live["ansible_connection"] == "local"
    assert live["ansible_python_interpreter"] == "{{ ansible_playbook_python }}"
    assert live["hosting_company_id"] == seed.COMPANY_ID
    assert live["hosting_site_id"] == seed.site_id(1)
    assert live["hosting_environment_id"] == seed.environment_id(1, seed.LIVE)
    assert live["hosting_source_environment_id"] == seed.environment_id(1, seed.STAGING)
    assert live["hosting_domains"] == ["shop.example.com", "www.shop.example.com"]
    assert live["hosting_primary_domain"] == "shop.example.com"
    assert live["hosting_primary_domain_id"] == seed.domain_id(1, seed.LIVE)
    assert live["hosting_site_labels"] == ["retail"]
    assert live["hosting_wordpress_version"] == "6.9"
    assert re.fullmatch(r"8\.\d", live["hosting_php_version"])
    assert hosts["shop-staging"]["hosting_source_environment_id"] is None


def test_hosts_are_in_groups_by_site_environment_label_and_premium(inventory, simulator):
    simulator.state.environment(seed.environment_id(2, seed.LIVE)).is_premium = True
    groups = inventory.list()
    assert set(groups["site_shop"]["hosts"]) == {"shop-live", "shop-staging"}
    assert set(groups["environment_live"]["hosts"]) == {"shop-live", "blog-live"}
    assert set(groups["label_editorial"]["hosts"]) == {"blog-live", "blog-staging"}
    assert groups["premium"]["hosts"] == ["blog-live"]
    assert len(groups["hosting"]["hosts"]) == 4


def test_graph_shows_the_groups(inventory):
    done = inventory.run("ansible-inventory", "--graph")
    assert done.returncode == 0
    assert "@environment_live:" in done.stdout
    assert "--shop-live" in done.stdout


def test_filters_hostname_and_constructed_options_apply(inventory):
    listed = inventory.list(
        filters=["hosting_environment_name == 'live'", "'retail' in hosting_site_labels"],
        hostname="hosting_primary_domain",
        compose={"shout": "hosting_site_name | upper"},
        groups={"modern": "hosting_php_version is version('8.0', '>=')"},
        keyed_groups=[
            {"key": "hosting_wordpress_version", "prefix": "wp"},
            {"key": "hosting_php_version", "prefix": "php"},
        ],
    )
    assert list(listed["_meta"]["hostvars"]) == ["shop.example.com"]
    assert listed["_meta"]["hostvars"]["shop.example.com"]["shout"] == "SHOP"
    assert listed["modern"]["hosts"] == ["shop.example.com"]
    assert listed["wp_6_9"]["hosts"] == listed["php_8_3"]["hosts"] == ["shop.example.com"]


def test_names_are_valid_and_unique(inventory, simulator):
    for number in (1, 2):
        simulator.state.sites[seed.site_id(number)].name = "Shop & Söhne"
    done = inventory.run("ansible-inventory", "--list", filters=["hosting_environment_name == 'live'"])
    assert "would share the group" in done.stderr
    names = sorted(json.loads(done.stdout)["_meta"]["hostvars"])
    assert names == [f"Shop-S-hne-live-{seed.environment_id(number)}" for number in (1, 2)]


@pytest.mark.parametrize("option", ["filters", "hostname", "compose"])
def test_an_undefined_variable_fails_with_strict_only(inventory, option):
    expression = {"filters": ["nowhere == 1"], "hostname": "nowhere", "compose": {"x": "nowhere"}}[option]
    assert "nowhere" in inventory.refusal(strict=True, **{option: expression})
    done = inventory.run("ansible-inventory", "--list", strict=False, **{option: expression})
    assert (done.returncode, "[WARNING]: " in done.stderr, "'nowhere' is undefined" in done.stderr) == (0, True, True)


def test_the_cache_spares_requests_and_holds_no_key(inventory, simulator):
    cache = {
        "cache": True,
        "cache_plugin": "ansible.builtin.jsonfile",
        "cache_connection": str(inventory.folder / "cache"),
    }
    first = inventory.hosts(**cache)
    simulator.clear_requests()
    assert inventory.hosts(**cache) == first
    assert simulator.requests == []
    files = list((inventory.folder / "cache").iterdir())
    assert files
    assert all(simulator.api_key not in file.read_text() for file in files)
    flushed = inventory.run("ansible-inventory", "--list", "--flush-cache", **cache)
    assert flushed.returncode == 0
    assert simulator.requests


def test_the_key_may_be_a_template(inventory):
    inventory.environment["KEY_ELSEWHERE"] = inventory.environment.pop("HOSTING_API_KEY")
    assert inventory.hosts(api_key="{{ lookup('ansible.builtin.env', 'KEY_ELSEWHERE') }}")


def test_the_company_is_asked_for_only_when_it_is_not_given(inventory, simulator):
    inventory.hosts(company_id=seed.COMPANY_ID)
    assert [request.path for request in simulator.requests] == ["/sites"]


def test_a_service_that_lists_no_sites_gets_the_documented_alternative(inventory, simulator):
    simulator.settings.interface_only = True
    assert "Write a plain YAML inventory instead" in inventory.refusal()


def test_a_wrong_key_is_named_but_not_shown(inventory):
    said = inventory.refusal(api_key="wrong-key-wrong-key")
    assert "HOSTING_API_KEY" in said
    assert "wrong-key-wrong-key" not in said


def test_a_key_that_the_service_echoes_is_not_shown(inventory, simulator):
    simulator.fault("echo_key", times=0)
    assert simulator.api_key not in inventory.refusal()


@pytest.mark.parametrize(
    ("option", "value"),
    [("base_url", "http://api.example.com/v2"), ("company_id", "nobody"), ("api_key", "two words")],
)
def test_bad_options_are_refused_before_anything_is_sent(inventory, simulator, option, value):
    assert f"{option} " in inventory.refusal(**{option: value})
    assert simulator.requests == []


def test_an_unknown_option_is_refused_with_what_was_probably_meant(inventory, simulator):
    said = inventory.refusal(filter=["hosting_environment_name == 'live'"])
    assert "The option filter is unknown. Did you mean filters?" in said
    assert simulator.requests == []


def test_an_answer_of_another_shape_is_an_error_and_no_crash(inventory, simulator):
    simulator.fault("wrong_shape", path="/sites")
    assert "another shape" in inventory.refusal()


def test_other_file_names_are_left_to_other_plugins(inventory, simulator):
    inventory.run("ansible-inventory", "--list", name="company.yml")
    assert simulator.requests == []


def test_hosts_deploy_with_the_role_as_they_are(inventory, simulator):
    done = inventory.run(
        "ansible-playbook",
        "hosting.management.deploy",
        "-e",
        "deploy_hosts=environment_live deploy_release=v1 deploy_verify=false",
    )
    assert done.returncode == 0, done.stdout
    pushes = [request for request in simulator.writes if request.path.endswith("/environments")]
    assert {request.body["source_env_id"] for request in pushes} == {
        seed.environment_id(number, seed.STAGING) for number in (1, 2)
    }


def test_the_cache_of_one_key_or_service_is_not_served_to_another(inventory, simulator):
    cache = {
        "cache": True,
        "cache_plugin": "ansible.builtin.jsonfile",
        "cache_connection": str(inventory.folder / "cache"),
    }
    assert inventory.hosts(**cache)
    simulator.clear_requests()
    done = inventory.run("ansible-inventory", "--list", **cache, api_key="another-key")
    assert [request.status for request in simulator.requests] == [401]
    assert "another-key" not in done.stdout + done.stderr
    simulator.clear_requests()
    inventory.run("ansible-inventory", "--list", **cache, base_url=simulator.base_url.replace("127.0.0.1", "localhost"))
    assert simulator.requests


def test_the_port_of_ssh_is_a_number(inventory):
    assert {type(host["hosting_ssh_port"]) for host in inventory.hosts().values()} == {int}
