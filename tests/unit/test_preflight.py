# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role deploy finds out about its ids before it sends anything, a row a case."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.preflight import asked_of, target_of, targets_of

SHOP, BLOG, NO_SITE = (f"a0000000-0000-4000-8000-00000000000{number}" for number in (1, 2, 9))
LIVE, STAGING, BLOG_LIVE, NOWHERE = (f"e0000000-0000-4000-8000-0000000000{number}" for number in (11, 12, 21, 99))


def environment(environment_id, name, site_id=SHOP, domain=None):
    return {
        "hosting_environment_id": environment_id,
        "hosting_environment_name": name,
        "hosting_site_id": site_id,
        "hosting_site_name": {SHOP: "shop", BLOG: "blog"}[site_id],
        "hosting_primary_domain": domain,
    }


OF_SHOP = [environment(LIVE, "live", domain="shop.example.com"), environment(STAGING, "staging")]
OF_COMPANY = [*OF_SHOP, environment(BLOG_LIVE, "live", BLOG)]
NOT_FOUND = {"failed": True, "msg": "not found", "error": {"kind": "not_found", "is_offered": False}}
OUT_OF_ORDER = {"failed": True, "msg": "The service failed (503).", "error": {"kind": "service", "is_offered": True}}

CASES = {
    "as it should be": ({}, "shop: staging → live (shop.example.com)", None),
    "in capitals": (
        {"site_id": SHOP.upper(), "environment_id": LIVE.upper(), "source_environment_id": STAGING.upper()},
        "shop: staging → live (shop.example.com)",
        None,
    ),
    "nothing is pushed": ({"source_environment_id": ""}, "shop: live (shop.example.com)", None),
    "swapped": (
        {"environment_id": STAGING, "source_environment_id": LIVE},
        "shop: live → staging",
        (
            f"shop would push from live to staging: deploy_source_environment_id is live ({LIVE}). Swap the two ids, or"
            " say that you mean it: deploy_from_live: true."
        ),
    ),
    "from live, as it was said": (
        {"environment_id": STAGING, "source_environment_id": LIVE, "from_live": True},
        "shop: live → staging",
        None,
    ),
    "one and the same": (
        {"source_environment_id": LIVE},
        "shop: live → live (shop.example.com)",
        f"shop: source and target are the same environment, live ({LIVE}).",
    ),
    "no such target": (
        {"environment_id": NOWHERE},
        f"shop: staging → {NOWHERE}",
        (
            f"shop: the site {SHOP} has no environment {NOWHERE} (deploy_environment_id). It has: live ({LIVE}),"
            f" staging ({STAGING})."
        ),
    ),
    "no such source": (
        {"source_environment_id": NOWHERE},
        f"shop: {NOWHERE} → live (shop.example.com)",
        (
            f"shop: the site {SHOP} has no environment {NOWHERE} (deploy_source_environment_id). It has: live ({LIVE}),"
            f" staging ({STAGING})."
        ),
    ),
    "another site's target": (
        {"environment_id": BLOG_LIVE},
        f"shop: staging → {BLOG_LIVE}",
        f"shop: deploy_environment_id {BLOG_LIVE} is live of the site blog ({BLOG}), not of the site {SHOP}.",
    ),
    "another site's target, said to be from live": (
        {"environment_id": BLOG_LIVE, "source_environment_id": LIVE, "from_live": True},
        f"shop: live → {BLOG_LIVE}",
        f"shop: deploy_environment_id {BLOG_LIVE} is live of the site blog ({BLOG}), not of the site {SHOP}.",
    ),
    "a site without environments": (
        {"listed": {"environments": []}, "company": {}, "source_environment_id": ""},
        f"shop: {LIVE}",
        f"shop: the site {SHOP} has no environment {LIVE} (deploy_environment_id). It has: none.",
    ),
    "no such site": (
        {"site_id": NO_SITE, "listed": NOT_FOUND, "environment_id": NOWHERE, "source_environment_id": ""},
        f"shop: {NOWHERE} (not checked: the service does not show the environments of the site)",
        f"shop: the company of the key has no site {NO_SITE} (deploy_site_id).",
    ),
    "no such site, and the environments are another's": (
        {"site_id": NO_SITE, "listed": NOT_FOUND},
        f"shop: {STAGING} → {LIVE} (not checked: the service does not show the environments of the site)",
        (
            f"shop: the company of the key has no site {NO_SITE} (deploy_site_id). deploy_environment_id {LIVE} is live"
            f" of the site shop ({SHOP}). deploy_source_environment_id {STAGING} is staging of the site shop ({SHOP})."
        ),
    ),
    "a site that only the company's list has": (
        {"listed": NOT_FOUND},
        "shop: staging → live (shop.example.com)",
        None,
    ),
    "a service that lists nothing": (
        {"listed": NOT_FOUND, "company": NOT_FOUND},
        f"shop: {STAGING} → {LIVE} (not checked: the service does not show the environments of the site)",
        None,
    ),
    "a service that is out of order": (
        {"listed": OUT_OF_ORDER, "site_id": NO_SITE},
        f"shop: {STAGING} → {LIVE} (not checked: The service failed (503).)",
        None,
    ),
    "not asked": (
        {"listed": {"skipped": True}, "company": {"skipped": True}},
        f"shop: {STAGING} → {LIVE} (not checked: deploy_check_ids is false)",
        None,
    ),
    "names that the service leaves out": (
        {"listed": {"environments": [{"hosting_environment_id": LIVE}, {"hosting_environment_id": STAGING}]}},
        f"shop: {STAGING} → {LIVE}",
        None,
    ),
    "environments that have no names": (
        {
            "environment_id": NOWHERE,
            "source_environment_id": "",
            "listed": {"environments": [{"hosting_environment_id": LIVE}]},
        },
        f"shop: {NOWHERE}",
        f"shop: the site {SHOP} has no environment {NOWHERE} (deploy_environment_id). It has: {LIVE}.",
    ),
    "another site's target that has no name": (
        {"environment_id": BLOG_LIVE, "company": {"environments": [environment(BLOG_LIVE, None, BLOG)]}},
        f"shop: staging → {BLOG_LIVE}",
        (
            f"shop: deploy_environment_id {BLOG_LIVE} is an environment of the site blog ({BLOG}), not of the site"
            f" {SHOP}."
        ),
    ),
    "a display name where there is no other": (
        {
            "environment_id": STAGING,
            "source_environment_id": LIVE,
            "listed": {
                "environments": [
                    {"hosting_environment_id": LIVE, "hosting_environment_display_name": "Live"},
                    {"hosting_environment_id": STAGING},
                ]
            },
        },
        f"shop: Live → {STAGING}",
        (
            f"shop would push from live to {STAGING}: deploy_source_environment_id is Live ({LIVE}). Swap the two ids,"
            " or say that you mean it: deploy_from_live: true."
        ),
    ),
}


def asked(**more):
    """Return what is asked, the environments of the site, and those of the company."""
    settings = {
        "environment": "shop",
        "base_url": "",
        "site_id": SHOP,
        "environment_id": LIVE,
        "source_environment_id": STAGING,
        "from_live": False,
        **more,
    }
    return (
        settings,
        settings.pop("listed", {"environments": OF_SHOP}),
        settings.pop("company", {"environments": OF_COMPANY}),
    )


@pytest.mark.parametrize(("more", "line", "problem"), CASES.values(), ids=CASES)
def test_ids(more, line, problem):
    target = target_of(asked_of(*asked(**more)))
    assert target.line == line
    assert target.problems == ([problem] if problem else [])


OF_BLOG = {
    "environment": "blog",
    "site_id": BLOG,
    "environment_id": BLOG_LIVE,
    "source_environment_id": "",
    "listed": {"environments": [environment(BLOG_LIVE, "live", BLOG)]},
}


def of_all(*hosts, company=None):
    """Return what is found for several hosts, of each of which it is given what differs from the usual."""
    made = [asked(**more) for more in hosts]
    return targets_of([{"settings": settings, "listed": listed} for settings, listed, _company in made], company)


@pytest.mark.parametrize(
    ("more", "asks", "is_wrong"),
    [
        ({}, False, False),
        ({"environment_id": STAGING, "source_environment_id": LIVE}, False, True),
        ({"environment_id": NOWHERE}, True, True),
        ({"source_environment_id": BLOG_LIVE}, True, True),
        ({"listed": NOT_FOUND}, True, False),
        ({"listed": OUT_OF_ORDER}, False, False),
        ({"listed": {"skipped": True}}, False, False),
    ],
)
def test_all_sites_are_asked_for_only_where_that_can_tell_more(more, asks, is_wrong):
    found = of_all(OF_BLOG, more)
    assert found["asks_company"] is asks
    assert bool(found["problems"]) is is_wrong
    assert found["are_in_doubt"] is (asks or is_wrong)


def test_the_sites_of_one_service_say_nothing_of_another():
    found = of_all({"environment_id": NOWHERE}, {"base_url": "https://other.example"})
    assert found["asks_company"] is False
    assert found["are_in_doubt"] is True


def test_the_problems_of_all_hosts_are_told_and_a_host_that_has_not_got_so_far_has_none():
    found = targets_of([{"settings": {}, "listed": {}}])
    assert found == {"problems": [], "asks_company": False, "are_in_doubt": False}
    found = of_all({"environment": "a", "environment_id": NOWHERE}, {"environment": "b", "source_environment_id": LIVE})
    assert [problem[:2] for problem in found["problems"]] == ["a:", "b:"]


def test_hosts_that_are_the_same_environment_are_refused():
    found = of_all({"environment": "a"}, {"environment": "b", "environment_id": LIVE.upper()}, OF_BLOG)
    assert found["problems"] == [
        f"a and b are the same environment, {LIVE} (deploy_environment_id): leave out all but one."
    ]
    elsewhere = {"environment": "b", "base_url": "https://other.example"}
    assert of_all({"environment": "a"}, elsewhere)["problems"] == []


def test_without_the_list_of_all_sites_a_wrong_id_is_a_problem_all_the_same():
    assert of_all({"environment_id": NOWHERE}, company=NOT_FOUND)["problems"]
