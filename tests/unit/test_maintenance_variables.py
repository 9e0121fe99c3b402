# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role maintain says of variables that it cannot work with, before it sends anything."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.hosting.management.plugins.lookup.maintain_problems import LookupModule
from ansible_collections.hosting.management.plugins.plugin_utils.maintenance_variables import problems_of_waves

ROLE = Path(__file__).resolve().parents[2] / "roles" / "maintain"
GOOD = {
    "inventory_hostname": "shop",
    "maintain_environment_id": "e0000000-0000-4000-8000-000000000011",
    "maintain_site_id": "a0000000-0000-4000-8000-000000000001",
}


def problems(**values) -> list[str]:
    defaults = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text())
    plain = {name: value for name, value in defaults.items() if "{{" not in str(value)}
    lookup = LookupModule(templar=Templar(loader=DataLoader()))
    return lookup.run([str(ROLE)], variables={**plain, **GOOD, **values})


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"maintain_backup_max_age": 3600, "maintain_check_backup_max_age": "7d"},
        {"maintain_php_version": "8.4", "maintain_themes": [{"name": "a", "update_version": "1.10"}]},
        {"maintain_verify_urls": "https://a.example,https://b.example/shop"},
        {"maintain_verify_urls": ["not checked"], "maintain_verify": "false"},
        {"maintain_check_visits": None, "maintain_site_id": ""},
        {"maintain_summary_file": "summary.json"},
    ],
)
def test_what_the_role_can_work_with_is_no_problem(values):
    assert problems(**values) == []


PROBLEMS = {
    "no environment": ({"maintain_environment_id": ""}, "shop lacks maintain_environment_id"),
    "null": ({"maintain_canary": None}, "maintain_canary has no value (null)."),
    "no site": (
        {"maintain_site_id": "", "maintain_check_visits": 9},
        "maintain_check_visits needs maintain_site_id (or hosting_site_id) of shop.",
    ),
    "a number for a version": ({"maintain_php_version": 8.4}, "maintain_php_version is the number 8.4. Write it in"),
    "a number in a theme": (
        {"maintain_themes": [{"name": "storefront", "update_version": 1.1}]},
        "maintain_themes has the number 1.1 for storefront.",
    ),
    "an age": ({"maintain_backup_max_age": "soon"}, "maintain_backup_max_age must be a duration such as 3600, 15m"),
    "updates": (
        {"maintain_update_plugins": "all"},
        "maintain_update_plugins must be updatable or vulnerable, not all.",
    ),
    "two names for a domain": (
        {"maintain_primary_domain": "a.example", "maintain_primary_domain_id": "x"},
        "shop has both maintain_primary_domain and maintain_primary_domain_id",
    ),
    "an address": ({"maintain_verify_urls": ["shop.example"]}, "maintain_verify_urls has shop.example, which is not"),
    "a file in no folder": (
        {"maintain_summary_file": "/nowhere/summary.json"},
        "maintain_summary_file is /nowhere/summary",
    ),
    "a folder": ({"maintain_summary_file": "/"}, "maintain_summary_file is /, which is a folder"),
    "a wave": ({"serial": [2, "half"]}, "maintain_serial has half, which is neither a number of environments"),
    "a type": ({"maintain_verify_attempts": "often"}, "maintain_verify_attempts"),
    "a choice": ({"maintain_warn_only": ["everything"]}, "maintain_warn_only"),
    "a record": ({"maintain_dns_records": [{"type": "A"}]}, "name"),
}


@pytest.mark.parametrize(("values", "said"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_problem_is_told_in_a_sentence(values, said):
    if "serial" in values:
        (sentence,) = problems_of_waves(values["serial"], are_of_play=True)
    else:
        (sentence,) = problems(**values)
    assert said in sentence
    assert sentence.endswith(".")


def test_a_login_in_an_address_is_not_shown():
    (sentence,) = problems(maintain_verify_urls=["https://anna:secret@shop.example"])
    assert "secret" not in sentence


def test_waves_of_the_inventory_have_no_effect():
    (sentence,) = problems_of_waves([1], are_of_play=False)
    assert "give them with -e" in sentence
