# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the diff of a primary domain shows, which has names in place of ids."""

from __future__ import annotations

from ansible_collections.hosting.management.plugins.modules import primary_domain
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE, SITE = seed.environment_id(1), seed.site_id(1)
WWW = {"environment_id": LIVE, "site_id": SITE, "domain_id": seed.domain_id(1, seed.LIVE_WWW)}


def test_a_diff_names_both_domains(controller):
    diff = controller.run(primary_domain, check_mode=True, diff=True, **WWW)["diff"]
    assert diff == {
        "before": {"primary_domain": "shop.example.com"},
        "after": {"primary_domain": "www.shop.example.com"},
    }


def test_an_id_of_another_shape_is_shown_as_it_is(controller, simulator):
    environment = {"id": LIVE, "domains": "none", "primaryDomain": {"id": {"not": "a text"}}}
    body = {"site": {"id": SITE, "environments": [environment]}}
    simulator.fault("status", "GET", times=0, status=200, body=body)
    diff = controller.run(primary_domain, check_mode=True, diff=True, **WWW)["diff"]
    assert diff == {"before": {"primary_domain": {"not": "a text"}}, "after": {"primary_domain": WWW["domain_id"]}}
