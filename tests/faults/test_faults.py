# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every module that writes meets every fault in-process, and some as module processes: promises are kept, and the guide
is right."""

from __future__ import annotations

import re

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _interface
from faults.cases import CHUNKS, COLUMN_OF, COLUMNS, IN_BOTH_WAYS, MISHAPS, Column, Mishap, Story, modules_of, observe
from faults.guide import in_guide, read, table_of, written
from integration.playbook import IN_PROCESS, MODULE_PROCESS
from integration.table import CHANGING, row_of

pytestmark = pytest.mark.slow

REGENERATE = "`make faults` writes what is seen into docs/failures.md"
NOT_KNOWN = "Whether anything was done is not known"
CANNOT_BE_TOLD = "It cannot be told how "
OF_OPERATIONS = ("did not carry it out", CANNOT_BE_TOLD)


@pytest.mark.parametrize("mishaps", CHUNKS, ids=lambda mishaps: " + ".join(map(str, mishaps)))
def test_every_module_meets_the_fault_as_the_guide_says(mishaps: list[Mishap]):
    stories = observe(mishaps)
    for (mishap, mode, module), story in stories.items():
        expect_promises(module, story, f"{mishap}, {module}, {mode}: {[*story]}")
    for mishap in mishaps:
        for module in modules_of(mishap, MODULE_PROCESS):
            in_process, in_module_process = (stories[mishap, mode, module] for mode in (IN_PROCESS, MODULE_PROCESS))
            assert in_process == in_module_process, f"{mishap}, {module}: the ways of running differ"
    documented = read(in_guide())
    for name, cells in table_of(stories).items():
        assert cells == documented.get(name), f"the guide says something else about {name!r}; {REGENERATE}"


def expect_promises(module: str, story: Story, where: str) -> None:
    """Check that nothing was done twice that must not be, and that every run has told the truth."""
    disturbed, following, third = story
    done = 0
    for seen in story:
        done += seen.done
        if not seen.failed:
            assert done, f"reported as done, and it was not: {where}"
            assert (seen.verdict == "changed") == bool(seen.done), where
        elif seen.done:
            assert NOT_KNOWN in seen.message, where
        elif seen.sent:
            assert any(words in seen.message for words in (NOT_KNOWN, "Nothing was done", *OF_OPERATIONS)), where
        else:
            assert any(words in seen.message for words in ("not sent again", CANNOT_BE_TOLD)), where
    if not COLUMN_OF[module].repeatable:
        assert done <= 1, f"carried out twice: {where}"
        assert disturbed.sent == 1 or disturbed.verdict == "changed", where
    assert third.sent == 0, f"the third run has sent a write: {where}"
    assert third.verdict == (following.verdict if following.failed else "ok"), where


def test_the_guide_has_every_fault_in_the_form_that_make_faults_gives_it():
    table = read(in_guide())
    assert sorted(table) == sorted(map(str, MISHAPS)), REGENERATE
    assert written({str(mishap): table[str(mishap)] for mishap in MISHAPS}) == in_guide(), REGENERATE


def test_every_module_that_changes_something_is_there():
    assert {row_of(name).module for name in COLUMN_OF} == {row.module for row in CHANGING}


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.title)
def test_one_of_each_column_meets_all_of_them_as_a_module_process(column: Column):
    assert any(row_of(module).change.waits for module in column.modules if module in IN_BOTH_WAYS)


def test_one_that_begins_no_operation_is_among_them():
    assert not all(row_of(module).change.waits for module in IN_BOTH_WAYS)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.title)
def test_the_columns_know_what_may_be_repeated(column: Column):
    for module in column.modules:
        row = row_of(module)
        assert {one.repeatable for one in endpoints(row.method, row.path)} == {column.repeatable}, module


def endpoints(method: str, path: str) -> list[_interface.Endpoint]:
    """The endpoint that a request goes to."""
    known = [one for one in vars(_interface).values() if isinstance(one, _interface.Endpoint)]
    return [one for one in known if one.method == method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", one.path), path)]
