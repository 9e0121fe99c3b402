# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of addresses that may use SFTP: single ones, the last one, and how the service names it."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.modules import sftp_allowlist
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE = seed.environment_id(1)
ADDED = {"environment_id": LIVE, "ip_allowlist": ["192.0.2.1"], "exclusive": False}
REMOVED = {"environment_id": LIVE, "state": "absent"}


@pytest.fixture
def environment(simulator):
    """The environment as the service has it."""
    return simulator.state.environment(LIVE)


def test_single_addresses_are_let_in_and_shut_out_again(controller, simulator, environment):
    environment.sftp_ip_allowlist = ["203.0.113.24/32", "2001:db8:0::1"]
    checked = controller.run(sftp_allowlist, check_mode=True, diff=True, **ADDED)
    results = [controller.run(sftp_allowlist, **ADDED) for _run in range(2)]
    assert [one["changed"] for one in (checked, *results)] == [True, True, False]
    assert checked["diff"] == {
        "before": {"sftp_ip_allowlist": ["203.0.113.24", "2001:db8::1"]},
        "after": {"sftp_ip_allowlist": ["192.0.2.1", "203.0.113.24", "2001:db8::1"]},
    }
    addresses = ["192.0.2.1/32", "2001:DB8::1", "198.51.100.99"]
    results = [controller.run(sftp_allowlist, ip_allowlist=addresses, **REMOVED) for _run in range(2)]
    assert [(one["changed"], one["sftp_ip_allowlist"]) for one in results] == [
        (True, ["203.0.113.24"]),
        (False, ["203.0.113.24"]),
    ]
    assert len(simulator.writes) == 2


def test_the_last_address_is_not_removed_because_an_empty_list_is_open_to_all(controller, simulator):
    result = controller.run(sftp_allowlist, ip_allowlist=list(seed.SFTP_IP_ALLOWLIST), **REMOVED)
    assert result["error"]["kind"] == "invalid_input"
    assert "ip_allowlist: [] with state: present" in result["msg"]
    assert simulator.writes == []
    assert controller.run(sftp_allowlist, environment_id=LIVE, ip_allowlist=[])["changed"]
    result = controller.run(sftp_allowlist, ip_allowlist=["192.0.2.1"], **REMOVED)
    assert (result["changed"], result["sftp_ip_allowlist"]) == (False, [])


def test_the_list_is_read_also_without_companions_because_the_document_shows_it(controller):
    assert controller.run(sftp_allowlist, companions=False, **ADDED)["sftp_ip_allowlist"] == [
        "192.0.2.1",
        *seed.SFTP_IP_ALLOWLIST,
    ]
    assert controller.run(sftp_allowlist, companions=False, **ADDED)["changed"] is False


def test_an_entry_that_cannot_be_sent_back_is_told(controller, simulator, environment):
    environment.sftp_ip_allowlist = ["2001:db8::/64"]
    result = controller.run(sftp_allowlist, **ADDED)
    assert result["error"]["kind"] == "invalid_input"
    assert "2001:db8::/64" in result["msg"]
    assert simulator.writes == []
    whole = controller.run(sftp_allowlist, environment_id=LIVE, ip_allowlist=["192.0.2.1"])
    assert (whole["changed"], whole["state_source"]) == (True, "service")


def test_an_unknown_environment_is_the_services_to_tell(controller, simulator):
    result = controller.run(sftp_allowlist, **{**ADDED, "environment_id": "00000000-0000-4000-8000-000000000000"})
    assert result["error"]["kind"] == "not_found"
    assert simulator.writes == []
