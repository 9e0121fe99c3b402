# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role maintain says at the end, line by line."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.maintenance_text import text_of
from ansible_collections.hosting.management.plugins.plugin_utils.plan import change, environment_of, plan_of

ROWS = [
    {"environment": "shop", "done": "plugins: forms 2.5.0; restored backup 7", "needs a person": "", "to know": "PHP"},
    {"environment": "blog", "done": "-", "needs a person": "site", "to know": ""},
]
TOTALS = {"environments": 2, "changed": 1, "unchanged": 0, "need_a_person": 1, "not_reached": 0}


def note(level: str, title: str, text: str, where: str = "shop, blog") -> dict[str, str]:
    return {"level": level, "title": title, "text": text, "where": where}


def summary(**values: Any) -> dict[str, Any]:
    """A summary of two environments, as far as it is told."""
    return {"check_mode": False, "rows": ROWS, "totals": TOTALS, "notes": [], "plan": None, "key": [], **values}


def planned(**values: Any) -> dict[str, Any]:
    """The summary of a run in check mode that would change the denied addresses of one environment."""
    of_list = {"before": ["192.0.2.1"], "after": ["192.0.2.2"], "details": ["+ 192.0.2.2", "− 192.0.2.1"]}
    changes = [change("denied_ips", "denied addresses +1 −1", **of_list)]
    environments = [environment_of("shop", "e1", changes), environment_of("blog", "e2", [], needs=["site"])]
    return summary(check_mode=True, plan=plan_of("maintain", environments, 0), **values)


def test_what_was_done_is_a_table_and_then_the_totals():
    assert text_of(summary()) == [
        "environment  done                                     needs a person  to know",
        "shop         plugins: forms 2.5.0; restored backup 7                  PHP",
        "blog         -                                        site",
        "2 environments: 1 changed, 0 had nothing to do, 1 needs a person.",
    ]


def test_findings_are_told_by_their_levels_the_most_urgent_first_and_in_their_order_within_one():
    notes = [
        note("cannot", "PHP version", "This service cannot."),
        note("held", "plugins", "forms 2.5.0 waits.", "shop"),
        note("warn", "visits", "Many."),
        note("fail", "site", "It does not work."),
        note("fail", "API key", "It expires.", "all"),
    ]
    assert text_of(summary(notes=notes))[3:-1] == [
        "NEEDS A PERSON: shop, blog: site: It does not work.",
        "NEEDS A PERSON: all: API key: It expires.",
        "warning: shop, blog: visits: Many.",
        "held back: shop: plugins: forms 2.5.0 waits.",
        "not possible with this service: shop, blog: PHP version: This service cannot.",
    ]


@pytest.mark.parametrize(
    ("totals", "said"),
    [
        ({"environments": 1, "need_a_person": 0}, "1 environment: 1 changed, 0 had nothing to do, 0 need a person."),
        ({"need_a_person": 2}, "2 environments: 1 changed, 0 had nothing to do, 2 need a person."),
        ({"not_reached": 3}, "2 environments: 1 changed, 0 had nothing to do, 1 needs a person, 3 not reached."),
    ],
)
def test_totals_are_a_sentence(totals: dict[str, int], said: str):
    assert text_of(summary(totals={**TOTALS, **totals}))[-1] == said


@pytest.mark.parametrize(
    ("level", "said"), [("fail", "0 need a person (the API key does)."), ("warn", "0 need a person.")]
)
def test_totals_do_not_deny_that_the_key_needs_a_person(level: str, said: str):
    key = [{"level": level, "title": "API key", "text": "It expires."}]
    assert text_of(summary(totals={**TOTALS, "need_a_person": 0}, key=key))[-1].endswith(said)


def test_check_mode_shows_the_plan():
    assert text_of(planned()) == [
        "environments  would do                needs a person",
        "shop          denied addresses +1 −1",
        "blog          -                       site",
        "2 environments: 1 would be changed, 0 had nothing to do, 1 needs a person.",
    ]


def test_the_details_of_a_plan_are_lines_of_their_own():
    lines = text_of(planned(), plan_details=True)
    assert [line.strip() for line in lines[2:4]] == ["└ + 192.0.2.2", "└ − 192.0.2.1"]


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("/tmp/plan.json", "The plan is in /tmp/plan.json and /tmp/plan.html."),
        ("/tmp/plan.html", "The plan is in /tmp/plan.html."),
    ],
)
def test_where_the_plan_is_stands_before_the_totals_and_only_in_check_mode(file: str, said: str):
    assert text_of(planned(), file)[-2] == said
    assert said not in text_of(summary(), file)
    assert not any("The plan is in" in line for line in text_of(planned()))
