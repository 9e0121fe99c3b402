# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""site_log_info: the end of a site's log, as a failure message may have it."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.modules import site_log_info
from simulator import seed

pytest_plugins = ["simulator.fixtures"]

LIVE = seed.environment_id(1)


def test_the_last_lines_are_clean(controller, simulator):
    log = [f"line {number}" for number in range(1000)]
    simulator.state.environment(LIVE).logs["error"] = [*log, "", "\x1b[2J\x1b]0;owned\x07PHP \u202ewarning", "x" * 900]
    result = controller.run(site_log_info, environment_id=LIVE, lines=4)
    # The service counts blank lines, too.
    assert result == {"changed": False, "lines": ["line 999", "PHP  warning", "x" * 500]}
    assert simulator.writes == []


def test_what_broke_the_site_is_the_last_line(controller, simulator):
    simulator.settings.breaking = frozenset({"php 8.3"})
    assert controller.run(site_log_info, environment_id=LIVE)["lines"][-1].startswith("PHP Fatal error:")


def test_the_access_log_shows_no_token(controller, simulator):
    simulator.state.environment(LIVE).logs["access"] = ["GET /?token=abc&b=1"]
    result = controller.run(site_log_info, environment_id=LIVE, file="access")
    assert result["lines"] == ["GET /?token=********&b=1"]


@pytest.mark.parametrize("lines", [0, -1])
def test_no_lines_are_no_number(lines, controller, simulator):
    result = controller.run(site_log_info, environment_id=LIVE, lines=lines)
    assert result["error"]["kind"] == "invalid_input"
    assert simulator.requests == []


def test_a_service_that_shows_no_log_says_so(controller, simulator):
    simulator.settings.interface_only = True
    result = controller.run(site_log_info, environment_id=LIVE)
    assert (result["error"]["kind"], result["error"]["is_offered"]) == ("not_found", False)


def test_an_answer_of_another_shape_is_told(controller, simulator):
    simulator.fault("status", "GET", status=200, body={"environment": {"container_info": {"logs": None}}})
    assert controller.run(site_log_info, environment_id=LIVE)["error"]["kind"] == "malformed_response"
