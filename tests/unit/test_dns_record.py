# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A DNS record: single values, the time to live, what counts as equal, and how its domain is found."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.module_utils._dns import canonical_value
from ansible_collections.hosting.management.plugins.modules import dns_record
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

DOMAIN = seed.domain_id(1)
A = {"domain_id": DOMAIN, "type": "A", "name": "shop.example.com"}
TXT = {"domain_id": DOMAIN, "type": "TXT", "name": "shop.example.com"}


@pytest.fixture
def domain(simulator):
    """The domain as the service has it."""
    return simulator.state.domain(DOMAIN)


def bodies(simulator):
    return [(write.method, write.body) for write in simulator.writes]


def values(*texts):
    return [{"value": text} for text in texts]


def test_a_record_is_created_once_with_a_time_to_live(controller, simulator):
    added = {**A, "name": "new.example.com", "values": ["192.0.2.2", "192.0.2.1"]}
    checked = controller.run(dns_record, check_mode=True, diff=True, **added)
    results = [controller.run(dns_record, **added) for _run in range(2)]
    assert [one["changed"] for one in (checked, *results)] == [True, True, False]
    record = {"ttl": 3600, "rdata": ["192.0.2.1", "192.0.2.2"]}
    assert checked["diff"] == {"before": {"dns_record": "absent"}, "after": {"dns_record": record}}
    assert results[1]["dns_record"] == {"type": "A", "name": "new.example.com", **record}
    named = {"type": "A", "name": "new.example.com"}
    body = {**named, "ttl": 3600, "resource_records": values("192.0.2.2", "192.0.2.1")}
    assert bodies(simulator) == [("POST", body)]


def test_values_are_replaced_by_what_differs(controller, simulator):
    result = controller.run(dns_record, **A, values=["192.0.2.10", "192.0.2.20"])
    assert result["dns_record"]["rdata"] == ["192.0.2.10", "192.0.2.20"]
    controller.run(dns_record, **A, values=["192.0.2.20"])
    named = {"type": "A", "name": "shop.example.com", "ttl": 3600}
    assert bodies(simulator) == [
        ("PUT", {**named, "new_resource_records": values("192.0.2.20")}),
        ("PUT", {**named, "removed_resource_records": values("192.0.2.10")}),
    ]


def test_only_a_given_time_to_live_is_changed(controller, simulator, domain):
    domain.dns_record("A", "shop.example.com")["ttl"] = 60
    assert not controller.run(dns_record, **A, values=["192.0.2.10"])["changed"]
    result = controller.run(dns_record, **A, values=["192.0.2.10"], ttl=120)
    assert (result["changed"], result["dns_record"]["ttl"]) == (True, 120)
    assert bodies(simulator) == [("PUT", {"type": "A", "name": "shop.example.com", "ttl": 120})]


def test_single_values_are_added_and_removed_and_the_last_one_takes_the_record_with_it(controller, simulator, domain):
    added = {**A, "values": ["192.0.2.20"], "exclusive": False}
    assert [controller.run(dns_record, **added)["changed"] for _run in range(2)] == [True, False]
    removed = {**A, "values": ["192.0.2.10", "192.0.2.99"], "state": "absent", "ttl": 5}
    results = [controller.run(dns_record, **removed) for _run in range(2)]
    assert [(one["changed"], one["dns_record"]["rdata"]) for one in results] == [
        (True, ["192.0.2.20"]),
        (False, ["192.0.2.20"]),
    ]
    assert domain.dns_record("A", "shop.example.com")["ttl"] == 3600
    last = {**A, "values": ["192.0.2.20"], "state": "absent"}
    results = [controller.run(dns_record, **last) for _run in range(2)]
    gone = {"type": "A", "name": "shop.example.com", "ttl": None, "rdata": []}
    assert [(one["changed"], one["dns_record"]) for one in results] == [(True, gone), (False, gone)]
    assert [method for method, _body in bodies(simulator)] == ["PUT", "PUT", "DELETE"]


def test_the_services_spelling_is_no_difference_and_is_what_it_gets_back(controller, simulator, domain):
    text = '"v=spf1 include:example.net " "-all"'
    domain.dns_records = [
        {"type": "TXT", "name": "Shop.example.com.", "ttl": 60, "resource_records": values(text, '"other"')}
    ]
    both = ["other", "v=spf1 include:example.net -all"]
    assert controller.run(dns_record, **TXT, values=both)["changed"] is False
    assert controller.run(dns_record, **TXT, values=["other"])["changed"]
    named = {"type": "TXT", "name": "Shop.example.com.", "ttl": 60}
    assert bodies(simulator) == [("PUT", {**named, "removed_resource_records": values(text)})]


@pytest.mark.parametrize(
    ("record_type", "value", "canonical"),
    [
        ("A", " 192.0.2.1 ", "192.0.2.1"),
        ("A", "what nobody knows", "what nobody knows"),
        ("AAAA", "2001:DB8:0::1", "2001:db8::1"),
        ("CNAME", "WWW.Example.com.", "www.example.com"),
        ("MX", "10  Mail.example.com.", "10 mail.example.com"),
        ("TXT", "Capital Letters.", "Capital Letters."),
        ("TXT", r'"with \"quotes\""', 'with "quotes"'),
        ("CAA", '0 issue "ca.example.com"', '0 issue "ca.example.com"'),
    ],
)
def test_values_that_mean_the_same_are_equal(record_type, value, canonical):
    assert canonical_value(record_type, value) == canonical
    assert canonical_value(record_type, canonical) == canonical


def test_the_domain_is_found_by_its_name(controller, simulator, domain):
    by_name = {"type": "A", "name": "shop.example.com", "domain_name": "SHOP.example.com", "values": ["192.0.2.20"]}
    assert [controller.run(dns_record, **by_name)["changed"] for _run in range(2)] == [True, False]
    assert domain.dns_record("A", "shop.example.com")["resource_records"] == values("192.0.2.20")
    for options, words in [({"domain_name": "nothing.example.com"}, "has no domain"), ({"companions": False}, "Give")]:
        result = controller.run(dns_record, **{**by_name, **options, "force": True})
        assert result["error"]["kind"] == "invalid_input"
        assert words in result["msg"]
    assert len(simulator.writes) == 1


def test_with_its_id_the_record_is_read_also_without_companions(controller, simulator):
    options = {**A, "values": ["192.0.2.10"], "companions": False}
    assert controller.run(dns_record, **options)["changed"] is False
    assert simulator.writes == []


def test_a_record_with_another_shape_is_told(controller, domain):
    domain.dns_records = [{"type": "A", "name": None, "ttl": 60, "resource_records": []}]
    assert controller.run(dns_record, **A, values=["192.0.2.10"])["error"]["kind"] == "malformed_response"


def test_what_to_change_is_not_told_from_a_read_that_lags_behind_an_earlier_change(controller, simulator, domain):
    simulator.settings.reads_lag = 0.4
    earlier = controller.run(dns_record, **A, values=["192.0.2.20"], wait_timeout=0.1)
    assert earlier["error"]["kind"] == "operation_timeout"
    assert controller.run(dns_record, **A, values=["192.0.2.30"])["changed"]
    assert domain.dns_record("A", "shop.example.com")["resource_records"] == values("192.0.2.30")


@pytest.mark.parametrize(
    ("fault", "kind", "done"), [("drop_before", "outcome_unknown", 0), ("drop_after", "outcome_unknown", 1)]
)
def test_a_lost_answer_is_looked_after_and_never_repeated(fault, kind, done, controller, simulator):
    simulator.fault(fault, "PUT", "/domains/.*")
    changed = {**A, "values": ["192.0.2.20"]}
    assert controller.run(dns_record, **changed, retries=3)["error"]["kind"] == kind
    again = controller.run(dns_record, **changed, wait_timeout=0.1)
    assert again.get("changed", False) is False
    assert bool(again.get("failed")) is not bool(done)
    assert len(simulator.writes) == 1
