# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of a role come in their types, with a sentence for each that cannot be meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.errors import AnsibleLookupError
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.hosting.management.plugins.lookup.role_variables import LookupModule

SPECS = """
argument_specs:
  main:
    options:
      bake_breads: {type: list, elements: str, default: []}
      bake_seconds: {type: int}
      bake_is_hot: {type: bool}
  slowly: {options: {bake_pauses: {type: int}}}
"""


@pytest.fixture
def role(tmp_path: Path) -> str:
    folder = tmp_path / "bake"
    (folder / "meta").mkdir(parents=True)
    (folder / "meta" / "argument_specs.yml").write_text(SPECS)
    return str(folder)


def read(role: str, variables: dict, **options) -> dict:
    lookup = LookupModule(templar=Templar(loader=DataLoader(), variables=variables))
    (result,) = lookup.run([role], variables=variables, **options)
    return result


def test_values_have_the_types_of_the_specs_and_stay_as_given_beside(role: str):
    given = {"bake_breads": "rye,spelt", "bake_seconds": "900", "bake_is_hot": "yes"}
    result = read(role, given)
    assert result["typed"] == {"bake_breads": ["rye", "spelt"], "bake_seconds": 900, "bake_is_hot": True}
    assert result["given"] == given
    assert result["wrong"] == result["unknown"] == []


def test_what_is_not_given_has_the_default_or_is_null_and_null_stays_null(role: str):
    result = read(role, {"bake_seconds": None})
    assert result["typed"] == {"bake_breads": [], "bake_seconds": None, "bake_is_hot": None}
    assert result["wrong"] == []


def test_null_is_named_where_the_role_has_a_default(role: str):
    assert read(role, {"bake_breads": None, "bake_seconds": None})["nulls"] == ["bake_breads"]


def test_a_wrong_type_is_told_in_a_sentence(role: str):
    (sentence,) = read(role, {"bake_seconds": "long"})["wrong"]
    assert "bake_seconds" in sentence
    assert sentence.endswith(".")


def test_unknown_names_are_found_and_those_of_another_entry_point_are_not(role: str):
    variables = {"bake_pauses": 1, "bake_sconds": 2, "bake_oven": 3, "hosting_foreign_variables": "bake_ov*"}
    (sentence,) = read(role, variables)["unknown"]
    assert "Did you mean bake_seconds?" in sentence


def test_another_entry_point_has_its_own_variables(role: str):
    assert read(role, {"bake_pauses": "3"}, entry_point="slowly")["typed"] == {"bake_pauses": 3}


def test_other_variables_are_null_where_they_are_not_set(role: str):
    also = ["hosting_site_id", "hosting_primary_domain"]
    assert read(role, {"hosting_site_id": "a"}, also=also)["also"] == dict.fromkeys(also) | {"hosting_site_id": "a"}


def test_only_the_named_variables_are_read(role: str):
    result = read(role, {"bake_seconds": "3", "bake_is_hot": "{{ nowhere }}", "bake_oven": 1}, only=["bake_seconds"])
    assert result["typed"] == {"bake_seconds": 3}
    assert len(result["unknown"]) == 1


def test_a_role_without_specs_is_an_error(role: str):
    with pytest.raises(AnsibleLookupError, match="has no argument_specs"):
        read(role, {}, entry_point="never")
