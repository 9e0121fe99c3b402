# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done once for all hosts of a wave, and for which of them."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.deployment_wave import wave_of
from unit.test_deployment_plan import HOST, KNOWN

THERE: dict[str, Any] = {"releases": KNOWN, "push": {"is_pushed": False}}
DUE: dict[str, Any] = {"releases": KNOWN, "push": {"is_pushed": True}}
WELL, BROKEN = {"failed": False, "checks": []}, {"failed": True, "checks": []}


def host(name: str, **settings: Any) -> dict[str, Any]:
    own = {
        "environment": name,
        "environment_id": f"id of {name}",
        "base_url": "https://a.example/v2",
        "wait_timeout": 600,
        "reads": {"environment_id": f"id of {name}"},
        "site_id": "s",
        "source_environment_id": "staging",
        "from_live": False,
        "verifies": True,
        "pictures": {},
        "site": {"urls": [f"https://{name}.example.com"]},
    }
    return {**HOST, **own, **settings}


KNOWN_AS = {"settings": "a", "looked": "b", "asked": "c", "failure": "d", "pictures": "e", "push": "f"}


def wave(*hosts: tuple[dict[str, Any], ...], company: dict[str, Any] | None = None) -> dict[str, Any]:
    """The wave of hosts, each with as much as is known of it, in the order of KNOWN_AS."""
    variables = [dict(zip(KNOWN_AS.values(), known, strict=False)) for known in hosts]
    return wave_of(variables, KNOWN_AS, base_url="https://a.example/v2", company=company)


def names(sites: list[dict[str, Any]]) -> list[str]:
    return [one["name"] for one in sites]


def test_one_task_gets_what_all_hosts_need():
    found = wave((host("shop"), DUE, {}, {}), (host("blog", wait_timeout=900), DUE, {}, {}))
    names_by_id = {"id of shop": "shop", "id of blog": "blog"}
    assert found["waits"] == {"names": names_by_id, "wait_timeout": 900}
    assert found["reads"] == [{"environment_id": "id of shop"}, {"environment_id": "id of blog"}]
    assert found["sites"][0] == {"name": "shop", "urls": ["https://shop.example.com"]}


def test_the_journal_of_another_service_is_read_by_the_host_itself():
    found = wave((host("shop"), DUE, {}, {}), (host("blog", base_url="https://b.example/v2"), DUE, {}, {}))
    assert found["reads"] == [{"environment_id": "id of shop"}]
    assert list(found["waits"]["names"]) == ["id of shop", "id of blog"]


def test_the_journal_is_read_where_something_is_to_be_done():
    found = wave((host("shop"), DUE, {}, {}), (host("blog", verifies=False), THERE, {}, {}))
    assert found["reads"] == [{"environment_id": "id of shop"}]


def test_a_host_that_has_not_got_so_far_is_left_out():
    typed_wrong = {"environment": "blog", "check_mode": False, "problems": ["..."], "lacks": []}
    found = wave(({}, {}, {}, {}), (typed_wrong, {}, {}, {}), (host("shop"), {}, {}, {}))
    assert (list(found["waits"]["names"]), found["sites"], found["first_sites"]) == (["id of shop"], [], [])


def test_sites_with_nothing_else_to_do_are_asked_first_and_once():
    asked = {"sites": {"shop": WELL}}
    found = wave((host("shop"), THERE, asked, {}), (host("blog"), THERE, asked, {}), (host("wiki"), DUE, asked, {}))
    assert names(found["first_sites"]) == ["blog"]


def test_sites_are_asked_after_the_deployment_where_there_was_one():
    asked = {"sites": {"shop": WELL, "blog": BROKEN}}
    found = wave(
        (host("shop"), THERE, asked, {}),
        (host("blog"), THERE, asked, {}),
        (host("wiki"), DUE, asked, {}),
        (host("news"), DUE, asked, {"step": "push"}),
        (host("docs", verifies=False), DUE, asked, {}),
    )
    assert names(found["sites"]) == ["blog", "wiki"]


def test_no_site_is_asked_in_check_mode():
    found = wave((host("shop", check_mode=True), THERE, {}, {}), (host("blog", check_mode=True), DUE, {}, {}))
    assert (found["first_sites"], found["sites"]) == ([], [])


PICTURES = {"before_set": {"folder": "/before"}, "after_set": {"folder": "/after"}}
TAKEN, PUSHED = {"pictures": ["home"]}, {"changed": True}
SETS = {
    "none yet": ((DUE, {}, {}), [{"folder": "/before"}]),
    "taken before the push": ((DUE, {}, {}, TAKEN), []),
    "pushed": ((DUE, {}, {}, TAKEN, PUSHED), [{"folder": "/after"}]),
    "it failed": ((DUE, {}, {"step": "push"}, TAKEN, PUSHED), []),
    "a page did not work": ((DUE, {}, {}, {**TAKEN, "error": {"kind": "check_failed"}}, PUSHED), []),
    "the release is there": ((THERE, {}, {}), []),
    "nothing is pushed": (({**DUE, "push": {}}, {}, {}), []),
}


@pytest.mark.parametrize(("known", "sets"), SETS.values(), ids=SETS)
def test_which_pictures_are_taken_next(known, sets):
    assert wave((host("shop", pictures=PICTURES), *known))["sets"] == sets


def test_no_pictures_are_taken_where_none_are_wanted_or_in_check_mode():
    assert wave((host("shop"), DUE))["sets"] == []
    assert wave((host("shop", pictures=PICTURES, check_mode=True), DUE))["sets"] == []


def test_the_ids_of_all_hosts_are_looked_at_together():
    twice = host("blog", environment_id="id of shop")
    targets = wave((host("shop"), DUE), (twice, DUE))["targets"]
    assert targets["are_in_doubt"] is True
    assert "shop and blog are the same environment" in targets["problems"][0]


def test_a_wave_without_hosts_waits_for_nobody():
    assert wave()["waits"] == {"names": {}, "wait_timeout": 0}


def test_a_site_whose_domains_are_as_declared_has_nothing_else_to_do():
    declares = host("shop", domains=[{"domain_name": "shop.example.com"}])
    as_declared = {**THERE, "parts": {"domains": {"differs": False}}}
    assert names(wave((declares, as_declared))["first_sites"]) == ["shop"]
    assert names(wave((declares, THERE))["first_sites"]) == []


def test_an_id_that_the_site_does_not_have_is_looked_for_among_all_sites():
    elsewhere = {"hosting_environment_id": "id of shop", "hosting_site_id": "t", "hosting_site_name": "other"}
    of_site = {"hosting_environment_id": "staging", "hosting_site_id": "s", "hosting_environment_name": "staging"}
    listed = {**DUE, "site": {"environments": [of_site]}}
    assert wave((host("shop"), listed))["targets"]["asks_company"] is True
    targets = wave((host("shop"), listed), company={"environments": [of_site, elsewhere]})["targets"]
    assert "of the site other (t), not of the site s" in targets["problems"][0]
