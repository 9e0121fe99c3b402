# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of addresses that a module keeps: of those that are denied, and of those that may use SFTP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._answers import Answer
from ._arguments import Option
from ._checks import checked_addresses
from ._context import NOT_SHOWN, Context
from ._convergence import Observed, Plan, Steps, converging
from ._errors import InvalidInput
from ._interface import Request

WHOLE_LIST = "Give the whole list, with state: present and exclusive: true."


@dataclass(frozen=True)
class AddressList:
    """A list of addresses of an environment.

    ``module`` keeps it, ``option`` gives the addresses, ``result`` is what the result calls the list. ``read`` returns
    what the service shows, or NOT_SHOWN, and ``write`` the request that sets the whole list. ``opens_when_empty`` says
    that an empty list stands for all addresses.
    """

    module: str
    option: str
    result: str
    read: Callable[[Context], list[Any] | None]
    write: Callable[[Context, list[str]], Request]
    opens_when_empty: bool = False

    def options(self) -> dict[str, dict[str, Any]]:
        """Return the options that say what the list is to be."""
        return {
            self.option: Option(checked_addresses, type="list", elements="str", required=True),
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "exclusive": {"type": "bool", "default": True},
        }

    def keep(self, context: Context) -> Steps[dict[str, Any]]:
        """Bring the list about, and return the module's result."""
        outcome = yield from converging(
            context,
            subject=(self.module, context["environment_id"]),
            name=self.result,
            plan=lambda before: self._plan(context, before),
            observe=lambda: self._observe(context),
        )
        return outcome.result(**{self.result: outcome.desired})

    def _observe(self, context: Context) -> Observed | None:
        listed = self.read(context)
        if listed is NOT_SHOWN:
            return NOT_SHOWN
        try:
            return Observed(checked_addresses(listed))
        except (TypeError, ValueError, AttributeError):
            # The service knows an entry that this interface has no words for: then the list is not the desired one.
            return Observed(listed)

    def _plan(self, context: Context, before: Observed | None) -> Plan:
        if context["exclusive"] and context["state"] == "present":
            return Plan(context[self.option], self.write(context, context[self.option]))
        desired = self._changed(context, before)
        return Plan(desired, self.write(context, desired), relative=True)

    def _changed(self, context: Context, before: Observed | None) -> list[str]:
        """Return the service's list with the task's addresses added to it, or removed from it."""
        if before is NOT_SHOWN:
            raise InvalidInput(
                "The service does not show the list (or companions are switched off), so addresses cannot be added to"
                f" it or removed from it. Nothing was sent. {WHOLE_LIST}"
            )
        listed = set(context[self.option])
        kept = [address for address in before.value if address not in listed]
        if before.value and not kept and context["state"] == "absent" and self.opens_when_empty:
            raise InvalidInput(
                "That would remove the last address, and an empty list is open to all addresses. Nothing was sent. If"
                f" that is what you want, give {self.option}: [] with state: present."
            )
        try:
            return checked_addresses(kept if context["state"] == "absent" else [*kept, *listed])
        except (TypeError, ValueError, AttributeError) as error:
            raise InvalidInput(
                f"The service's own list {error}, so it cannot be sent back. Nothing was sent. {WHOLE_LIST}"
            ) from None


def denied_ips_in(answer: Answer) -> list[Any]:
    """Return the denied addresses from an answer that lists them."""
    return answer.at("environment.ip_list", list)


def sftp_allowlist_in(answer: Answer) -> list[Any]:
    """Return the addresses that may use SFTP and SSH from an answer of section 4.16."""
    container = answer.at("environment.active_container", dict)
    # The public service spells it so.
    name = "stfp_ip_allowlist" if "stfp_ip_allowlist" in container else "sftp_ip_allowlist"
    return answer.at(f"environment.active_container.{name}", list)
