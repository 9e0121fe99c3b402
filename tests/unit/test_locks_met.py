# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run says about the locks that it meets: whom to ask, and how to go on in spite of them."""

from __future__ import annotations

from ansible_collections.hosting.management.plugins.plugin_utils.locks import MOST_NAMES, met, named, text_of

FREEZE = {"until": "2026-11-30T05:00:00Z", "author": "anna", "group": "live", "reason": "Black Friday"}
IMPORT = {"until": "2026-11-29T05:00:00Z", "author": "ben", "reason": "import"}
OF_FREEZE = "locked until 2026-11-30T05:00:00Z by anna (group live): Black Friday"
OF_IMPORT = "locked until 2026-11-29T05:00:00Z by ben: import"


def environment(name: str, *locks: dict, ignores: bool = False) -> dict:
    return {"environment": name, "locks": list(locks), "ignores_lock": ignores}


def test_a_lock_says_until_when_by_whom_for_which_group_and_why():
    assert text_of(FREEZE) == OF_FREEZE
    assert text_of(IMPORT) == OF_IMPORT


def test_without_locks_there_is_nothing_to_say():
    assert met([environment("shop"), environment("blog", ignores=True)]) == {"refused": "", "ignored": ""}


def test_a_lock_is_told_once_with_all_that_it_locks_and_whom_to_ask():
    said = met([environment("shop", FREEZE, IMPORT), environment("blog", FREEZE)])
    assert said["ignored"] == ""
    assert said["refused"] == (
        f"shop, blog are {OF_FREEZE}. shop is {OF_IMPORT}. Nothing was done. Wait until then, or agree with anna, ben"
        " to release the lock with hosting.management.deploy_lock. To go on in spite of it: -e deploy_ignore_lock=true."
    )


def test_a_lock_that_is_ignored_is_told_and_nobody_has_to_be_asked_about_it():
    ignoring = environment("blog", IMPORT, ignores=True)
    assert met([ignoring], "maintain_ignore_lock") == {
        "refused": "",
        "ignored": f"blog is {OF_IMPORT}. This run goes on in spite of it (maintain_ignore_lock).",
    }
    both = met([environment("shop", FREEZE), ignoring])
    assert "agree with anna to release" in both["refused"]
    assert both["ignored"].startswith("blog is")


def test_of_many_names_the_first_are_told():
    names = [f"shop{number}" for number in range(MOST_NAMES + 2)]
    assert named(names[:-2]) == ", ".join(names[:-2])
    assert named(names[:-1]) == f"{', '.join(names[:-2])} and 1 more"
    assert named(names) == f"{', '.join(names[:-2])} and 2 more"
