# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addresses that may use SFTP and SSH."""

from __future__ import annotations

from typing import Any

from .._addresses import AddressList, sftp_allowlist_in
from .._context import Context
from .._convergence import Steps, in_one_go
from .._interface import GET_SFTP_ALLOWLIST, SET_SFTP_ALLOWLIST, Request


def _read(context: Context) -> list[Any] | None:
    return sftp_allowlist_in(context.send(GET_SFTP_ALLOWLIST(env_id=context["environment_id"])))


def _write(context: Context, addresses: list[str]) -> Request:
    return SET_SFTP_ALLOWLIST(env_id=context["environment_id"], body={"ip_allowlist": addresses})


ALLOWLIST = AddressList(
    "sftp_allowlist",
    option="ip_allowlist",
    result="sftp_ip_allowlist",
    read=_read,
    write=_write,
    opens_when_empty=True,
)

OPTIONS = ALLOWLIST.options()


def steps(context: Context) -> Steps[dict[str, Any]]:
    """Keep the list of addresses that may use SFTP and SSH (a companion of the interface)."""
    return (yield from ALLOWLIST.keep(context))


run = in_one_go(steps)
