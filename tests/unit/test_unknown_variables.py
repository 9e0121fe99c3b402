# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables with a role's prefix that the role does not have are found, with the name that was probably meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.errors import AnsibleLookupError
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.hosting.management.plugins.lookup.unknown_variables import LookupModule

SPECS = """
argument_specs:
  main: {options: {bake_bread: {type: str}, bake_seconds: {type: int}}}
  slowly: {options: {bake_pauses: {type: int}}}
"""


@pytest.fixture
def role(tmp_path: Path) -> str:
    folder = tmp_path / "bake"
    (folder / "meta").mkdir(parents=True)
    (folder / "meta" / "argument_specs.yml").write_text(SPECS)
    return str(folder)


def unknown(role: str, *names: str, **options: str) -> list[str]:
    return LookupModule().run([role], variables=dict.fromkeys(names, ""), **options)


def test_options_of_all_entry_points_are_known(role: str):
    assert unknown(role, "bake_bread", "bake_seconds", "bake_pauses") == []


def test_a_misspelled_name_gets_the_near_one(role: str):
    (sentence,) = unknown(role, "bake_sconds")
    assert sentence.startswith("The variable bake_sconds is unknown. Did you mean bake_seconds?")


def test_a_name_that_is_near_nothing_says_so(role: str):
    (sentence,) = unknown(role, "bake_oven")
    assert "The role bake has no such variable" in sentence
    assert "list it in hosting_foreign_variables" in sentence


def test_foreign_variables_are_left_alone(role: str):
    foreign = {"hosting_foreign_variables": ["bake_oven", "bake_user*"], "bake_oven": 1, "bake_user_id": 2, "bake_o": 3}
    lookup = LookupModule(templar=Templar(loader=DataLoader()))
    (sentence,) = lookup.run([role], variables=foreign)
    assert sentence.startswith("The variable bake_o is unknown")


def test_a_list_given_as_text_excuses_only_what_it_names(role: str):
    variables = {"hosting_foreign_variables": "bake_oven,bake_user*", "bake_oven": 1, "bake_user_id": 2, "bake_o": 3}
    (sentence,) = LookupModule(templar=Templar(loader=DataLoader())).run([role], variables=variables)
    assert sentence.startswith("The variable bake_o is unknown")


def test_variables_of_others_and_those_that_the_role_registers_are_left_alone(role: str):
    assert unknown(role, "bakery_name", "hosting_site_id", "bake", "__bake_result") == []


def test_names_that_are_to_be_ignored_are_not_looked_at(role: str):
    assert unknown(role, "bake_job_id", "bake_sconds", ignore="bake_job_") == unknown(role, "bake_sconds")
    # The expression is about the beginning of a name.
    assert len(unknown(role, "bake_my_bake_job_id", ignore="bake_job_")) == 1


def test_all_of_them_are_named_in_order(role: str):
    assert [one.split()[2] for one in unknown(role, "bake_bred", "bake_avocado")] == ["bake_avocado", "bake_bred"]


@pytest.mark.parametrize("content", [None, "argument_specs: []\n", "{}\n", "argument_specs: {main: oven}\n"])
def test_a_role_without_specs_is_an_error(role: str, content: str | None):
    specs = Path(role) / "meta" / "argument_specs.yml"
    specs.unlink() if content is None else specs.write_text(content)
    with pytest.raises(AnsibleLookupError, match="has no argument_specs"):
        unknown(role)
