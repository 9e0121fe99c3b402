# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addresses that are denied access to an environment."""

from __future__ import annotations

from typing import Any

from .._addresses import AddressList, denied_ips_in
from .._context import NOT_SHOWN, Context
from .._convergence import Steps, in_one_go
from .._interface import GET_DENIED_IPS, UPDATE_DENIED_IPS, Request


def _read(context: Context) -> list[Any] | None:
    answer = context.companion(GET_DENIED_IPS(query=context.given("environment_id")))
    return NOT_SHOWN if answer is NOT_SHOWN else denied_ips_in(answer)


def _write(context: Context, addresses: list[str]) -> Request:
    return UPDATE_DENIED_IPS(body={**context.given("environment_id"), "ip_list": addresses})


DENIED_IPS = AddressList("denied_ips", option="ip_list", result="denied_ips", read=_read, write=_write)

OPTIONS = DENIED_IPS.options()


def steps(context: Context) -> Steps[dict[str, Any]]:
    """Keep the list of denied addresses of an environment (interface section 4.4)."""
    return (yield from DENIED_IPS.keep(context))


run = in_one_go(steps)
