# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures in the roles: what variables ask for, and what people are told."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.verified_pictures import (
    looks_different,
    of_pictures,
    pictures_of,
    problems_of_pictures,
    words_of_pictures,
)

URL = "https://shop.example.com/"
VALUES = {
    "deploy_verify_pictures": [URL],
    "deploy_verify_most_difference": 30.0,
    "deploy_verify_widths": [1400],
    "deploy_verify_hide": [],
    "deploy_verify_mask": [".clock"],
    "deploy_verify_validate_certs": False,
    "deploy_pictures_folder": "",
}
DIFFERENT = {"error": {"kind": "check_failed"}, "msg": "It looks different.", "report": "/p/c.html", "differing": ["/"]}
NO_WAY = {"error": {"kind": "connection"}, "msg": "Nobody answers."}


def test_pictures_are_kept_beside_the_journal_or_where_the_user_wants(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    place = f"{tmp_path}/hosting.management/pictures/e-1"
    taken = {"pages": [URL], "widths": [1400], "hide": [], "mask": [".clock"], "validate_site_certs": False}
    assert pictures_of("deploy", VALUES, "e-1") == {
        "before": f"{place}/before",
        "after": f"{place}/after",
        "before_set": {**taken, "folder": f"{place}/before"},
        "after_set": {**taken, "folder": f"{place}/after"},
        "report": f"{place}/comparison.html",
    }
    elsewhere = pictures_of("deploy", {**VALUES, "deploy_pictures_folder": "seen"}, "e-1")
    assert elsewhere["report"] == f"{tmp_path}/seen/e-1/comparison.html"


def test_without_addresses_nothing_is_wanted_and_nothing_is_wrong():
    values = {**VALUES, "deploy_verify_pictures": [], "deploy_verify_widths": [1]}
    assert pictures_of("deploy", values, "e-1") == {}
    assert list(problems_of_pictures("deploy", values)) == []


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("verify_pictures", ["shop.example.com?x=hush"], "deploy_verify_pictures has shop.example.com, which is not"),
        ("verify_pictures", ["https://me:hush@a.example/"], "deploy_verify_pictures has ********@a.example/, which is"),
        ("verify_most_difference", 101.0, "deploy_verify_most_difference must be a share in percent, from 0 to 100"),
        ("verify_widths", [100], "deploy_verify_widths must have widths from 200 to 4000 pixels"),
        ("verify_hide", ["a{b}"], "deploy_verify_hide must have CSS selectors such as .cookie-banner, not 'a{b}'"),
        ("verify_mask", [""], "deploy_verify_mask must have CSS selectors such as .cookie-banner, not ''"),
    ],
)
def test_what_cannot_be_meant_is_told_before_anything_is_done(name, value, problem):
    (told,) = problems_of_pictures("deploy", {**VALUES, f"deploy_{name}": value})
    assert told.startswith(problem)
    assert "hush" not in told
    assert told.endswith(".")


def test_what_can_be_meant_is_no_problem():
    assert list(problems_of_pictures("deploy", VALUES)) == []


def test_what_people_are_told_of_pictures():
    slightly = {"to_look_at": ["/ at 400 px", "/cart at 400 px"], "report": "/p/c.html"}
    assert list(words_of_pictures(of_pictures({}, {}))) == []
    assert list(words_of_pictures(of_pictures({}, DIFFERENT))) == []  # the failure says it
    assert list(words_of_pictures(of_pictures({}, slightly))) == [
        "These pages look slightly different: / at 400 px, /cart at 400 px. See /p/c.html."
    ]
    assert list(words_of_pictures(of_pictures({**DIFFERENT, "msg": "/ answered 500."}, {}))) == [
        "Pictures were not compared, because of what was there before: / answered 500."
    ]
    assert list(words_of_pictures(of_pictures({}, {"skipped": True}, NO_WAY))) == [
        "Pictures were not compared: Nobody answers."
    ]


def test_only_what_is_seen_makes_a_site_look_different():
    assert looks_different({}, {}) == ""
    assert looks_different({"msg": ""}, DIFFERENT) == "It looks different."
    assert looks_different({**DIFFERENT, "msg": "/ answered 500."}, {"skipped": True}) == "/ answered 500."
    assert looks_different(NO_WAY, {}) == ""
