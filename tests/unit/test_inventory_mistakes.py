# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes in an inventory file, a row each: what was written, and what is said of it."""

from __future__ import annotations

import json

import pytest
import yaml
from ansible import constants
from ansible.errors import AnsibleParserError
from ansible.inventory.data import InventoryData
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.doc_fragments import constructed, inventory_cache
from ansible.utils.display import Display

from ansible_collections.hosting.management.plugins.inventory import environments
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

NAME = environments.InventoryModule.NAME
LIVE = "hosting_environment_name == 'live'"
EMPTY = "The filters leave none of the 4 environments, so this inventory is empty."
NAMED = "Hosts have the names of site and environment instead."

SYNTAX = {
    "a filter that does not end": ({"filters": ["hosting_environment_name == 'live"]}, "filters: "),
    "a filter with one equals sign": ({"filters": ["hosting_environment_name = 'live'"]}, "filters: "),
    "the second filter": ({"filters": [LIVE, "hosting_is_premium and"]}, "filters: 'hosting_is_premium and'"),
    "hostname": ({"hostname": "hosting_site_name ~"}, "hostname: 'hosting_site_name ~'"),
    "hostname in braces": ({"hostname": "{{ hosting_site_name"}, "hostname: '{{ hosting_site_name'"),
    "compose": ({"compose": {"shout": "hosting_site_name |"}}, "compose: shout: 'hosting_site_name |'"),
    "groups": ({"groups": {"old": "hosting_php_version is"}}, "groups: old: 'hosting_php_version is'"),
    "keyed_groups": ({"keyed_groups": [{"key": "hosting_site_name)"}]}, "keyed_groups: key 'hosting_site_name)'"),
}

UNDEFINED = {
    "a misspelled variable in a filter": (
        {"filters": ["hosting_enviroment_name == 'live'"]},
        [
            (
                f"{EMPTY} filters: \"hosting_enviroment_name == 'live'\" cannot be evaluated for any of 4 environments:"
                " 'hosting_enviroment_name' is undefined. Did you mean hosting_environment_name?"
            )
        ],
        0,
    ),
    "a misspelled variable after another filter": (
        {"filters": [LIVE, "hosting_premium"]},
        [
            (
                f"{EMPTY} filters: 'hosting_premium' cannot be evaluated for any of 2 environments: 'hosting_premium'"
                " is undefined. Did you mean hosting_is_premium?"
            )
        ],
        0,
    ),
    "a value that no environment has": (
        {"filters": ["hosting_environment_name == 'Live'"]},
        [f"{EMPTY} filters: \"hosting_environment_name == 'Live'\" is true for none of the 4 that it was asked about."],
        0,
    ),
    "a filter that is true of some": ({"filters": [LIVE]}, [], 2),
    "a filter that some cannot evaluate": ({"filters": ["hosting_source_environment_id | length > 1"]}, [], 2),
    "hostname": (
        {"hostname": "hosting_primary_domian"},
        [
            (
                "hostname: 'hosting_primary_domian' cannot be evaluated for any of 4 environments:"
                f" 'hosting_primary_domian' is undefined. Did you mean hosting_primary_domain? {NAMED}"
            )
        ],
        4,
    ),
    "compose": (
        {"compose": {"shout": "site_name | upper"}},
        [
            (
                "compose: shout: 'site_name | upper' cannot be evaluated for any of 4 environments: 'site_name' is"
                " undefined. Did you mean hosting_site_name?"
            )
        ],
        4,
    ),
    "groups": (
        {"groups": {"old": "hosting_php_verson is version('8.0', '<')"}},
        [
            (
                "groups: old: \"hosting_php_verson is version('8.0', '<')\" cannot be evaluated for any of 4"
                " environments: 'hosting_php_verson' is undefined. Did you mean hosting_php_version?"
            )
        ],
        4,
    ),
    "keyed_groups": (
        {"keyed_groups": [{"key": "hosting_label", "prefix": "x"}]},
        [
            (
                "keyed_groups: key 'hosting_label' cannot be evaluated for any of 4 environments: 'hosting_label' is"
                " undefined. Did you mean hosting_site_labels?"
            )
        ],
        4,
    ),
    "what compose has made is known to groups": (
        {"compose": {"tier": "1"}, "groups": {"first": "tier == 1"}, "keyed_groups": [{"key": "tier ~ ''"}]},
        [],
        4,
    ),
    "source_environment": (
        {"source_environment": "stagging"},
        ["source_environment: no site has an environment stagging. Did you mean staging?"],
        4,
    ),
    "source_environment that is like none": (
        {"source_environment": "test"},
        ["source_environment: no site has an environment test. There are: live, staging."],
        4,
    ),
}


@pytest.fixture
def parse(simulator, tmp_path, monkeypatch):
    """A function that reads an inventory file, and returns the inventory with the warnings."""
    definitions = {}
    for documented in (environments, constructed.ModuleDocFragment, inventory_cache.ModuleDocFragment):
        definitions |= yaml.safe_load(documented.DOCUMENTATION)["options"]
    constants.config.initialize_plugin_configuration_definitions("inventory", NAME, definitions)
    warnings = []
    monkeypatch.setattr(Display, "warning", lambda _display, text, *_more, **_options: warnings.append(text))

    def parse(**options):
        path = tmp_path / "company.hosting.yml"
        access = {"base_url": simulator.base_url, "api_key": simulator.api_key, "retries": 0}
        path.write_text(json.dumps({"plugin": NAME, **access, **options}))
        plugin = environments.InventoryModule()
        plugin._load_name, plugin._redirected_names = NAME, [NAME]
        inventory = InventoryData()
        plugin.parse(inventory, DataLoader(), str(path))
        return inventory, warnings

    return parse


@pytest.mark.parametrize(("options", "said"), SYNTAX.values(), ids=SYNTAX)
@pytest.mark.parametrize("strict", [False, True])
def test_an_error_of_syntax_is_fatal_before_anything_is_sent(options, said, strict, parse, simulator):
    with pytest.raises(AnsibleParserError, match="is no valid expression: ") as raised:
        parse(strict=strict, **options)
    assert str(raised.value).startswith(said)
    assert simulator.requests == []


@pytest.mark.parametrize(("options", "said", "count"), UNDEFINED.values(), ids=UNDEFINED)
def test_what_no_host_can_evaluate_is_warned_of(options, said, count, parse):
    inventory, warnings = parse(**options)
    assert warnings == said
    assert len(inventory.hosts) == count


def test_a_condition_that_is_neither_true_nor_false_is_warned_of(parse):
    _inventory, [warning] = parse(groups={"old": "hosting_site_name"})
    assert warning.startswith("groups: old: 'hosting_site_name' cannot be evaluated for any of 4 environments:")


def test_without_a_source_that_was_asked_for_none_is_missed(parse, simulator):
    for environment in simulator.state.environments.values():
        environment.name = "live" if environment.name == "live" else "test"
    assert parse()[1] == []


def test_sites_with_like_names_have_groups_of_their_own(parse, simulator):
    simulator.state.sites[seed.site_id(1)].name = "a b"
    simulator.state.sites[seed.site_id(2)].name = "a-b"
    inventory, [warning] = parse()
    groups = {name: {host.name for host in group.get_hosts()} for name, group in inventory.groups.items()}
    first, second = (f"site_a_b_{seed.site_id(number).replace('-', '_')}" for number in (1, 2))
    assert "site_a_b" not in groups
    assert {inventory.hosts[name].vars["hosting_site_id"] for name in groups[first]} == {seed.site_id(1)}
    assert {inventory.hosts[name].vars["hosting_site_id"] for name in groups[second]} == {seed.site_id(2)}
    assert warning == (
        "The sites 'a b', 'a-b' would share the group site_a_b. Each has a group of its own instead, with its id at the"
        f" end, such as {first}."
    )


def test_labels_that_share_a_group_are_warned_of(parse, simulator):
    for number, label in ((1, "first choice"), (2, "first-choice")):
        simulator.state.sites[seed.site_id(number)].labels = [{"id": "1", "name": label}]
    assert parse()[1] == ["The labels 'first choice', 'first-choice' share the group label_first_choice."]


def test_one_site_with_two_environments_has_one_group(parse):
    inventory, warnings = parse()
    assert warnings == []
    assert len(inventory.groups["site_shop"].get_hosts()) == 2
