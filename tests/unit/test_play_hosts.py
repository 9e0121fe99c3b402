# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which hosts a play of the collection runs on, row by row: what is not there is told, with what is near it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.errors import AnsibleLookupError
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.hosting.management.plugins.lookup.play_hosts import LookupModule

GROUPS = {"all": ["shop", "blog"], "ungrouped": [], "environment_live": ["shop", "blog"], "site_shop": ["shop"]}


def pattern(hosts: Any, default: str | None = None, **variables: Any) -> str:
    """What the lookup returns for the variable deploy_hosts."""
    loader = DataLoader()
    variables = {"groups": GROUPS, **({} if hosts is None else {"deploy_hosts": hosts}), **variables}
    lookup = LookupModule(loader=loader, templar=Templar(loader=loader, variables=variables))
    # run() also loads what processes would load, by Ansible's loader of collections, which is not in charge here.
    return lookup._pattern("deploy_hosts", variables, default)


FOUND: dict[str, tuple[Any, dict[str, Any], str]] = {
    "all": ("all", {}, "all"),
    "a host": ("shop", {}, "shop"),
    "a group": ("environment_live", {}, "environment_live"),
    "a list": (["shop", "blog"], {}, "shop,blog"),
    "a pattern": ("environment_live:!site_shop", {}, "environment_live:!site_shop"),
    "with a limit": ("all", {"ansible_limit": "shop"}, "all"),
    "nothing, with a default": (None, {"default": "all"}, "all"),
    "another than the default": ("shop", {"default": "all"}, "shop"),
    "this machine, without an inventory": ("localhost", {"groups": {}}, "localhost"),
}

REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "nothing": (None, {}, "deploy_hosts is missing: say which hosts, such as -e deploy_hosts=environment_live. Groups"),
    "an empty text": (" ", {}, "deploy_hosts is missing: say which hosts"),
    "an empty text, with a default": (" ", {"default": "all"}, "deploy_hosts is missing: say which hosts"),
    "misspelled, with a default": ("shp", {"default": "all"}, "deploy_hosts names shp, which is neither a host nor a"),
    "a limit that leaves none of the default": (
        None,
        {"default": "site_shop", "ansible_limit": "blog"},
        "--limit blog leaves none of the 1 hosts of deploy_hosts=site_shop",
    ),
    "misspelled": ("shp", {}, "deploy_hosts names shp, which is neither a host nor a group. Did you mean shop?"),
    "excluded, and misspelled": (
        "all:!blgo",
        {},
        "deploy_hosts names blgo, which is neither a host nor a group. Did you mean blog?",
    ),
    "near nothing": ("xxxxxxxx", {}, "Groups are: all, environment_live, site_shop, ungrouped."),
    "a limit that leaves none": (
        "shop",
        {"ansible_limit": "blog"},
        "--limit blog leaves none of the 1 hosts of deploy_hosts=shop",
    ),
    "a pattern that matches none": ("shop:&blog", {}, "deploy_hosts=shop:&blog matches no host"),
    "no inventory": (
        "all",
        {"groups": {}, "ansible_inventory_sources": ["/dev/null"]},
        "The inventory has no hosts (/dev/null). Give one with -i.",
    ),
}


@pytest.mark.parametrize(("hosts", "variables", "expected"), FOUND.values(), ids=FOUND)
def test_what_a_play_runs_on(hosts, variables, expected):
    assert pattern(hosts, **variables) == expected


@pytest.mark.parametrize(("hosts", "variables", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_host_is_told(hosts, variables, said):
    with pytest.raises(AnsibleLookupError) as error:
        pattern(hosts, **variables)
    assert said in str(error.value)
    assert str(error.value).endswith("Nothing was done.")


def test_a_limit_may_be_in_a_file(tmp_path: Path):
    file = tmp_path / "left.txt"
    file.write_text("shop\n")
    assert pattern("all", ansible_limit=f"@{file}") == "all"
    file.write_text("blog\n")
    with pytest.raises(AnsibleLookupError, match="leaves none of the 1 hosts of deploy_hosts=shop"):
        pattern("shop", ansible_limit=f"@{file}")
