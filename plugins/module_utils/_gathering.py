# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads much of an environment in one task: no answer is asked for twice, and no gap ends it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ._analytics import QUERY_NAMES
from ._arguments import Option
from ._checks import checked_each, checked_email, checked_query_names, checked_uuid
from ._context import Context
from ._declaring import ENTRIES, declaration_of
from ._errors import (
    ConnectionFailed,
    HostingError,
    InvalidInput,
    JournalError,
    MalformedResponse,
    SwitchedOff,
    TimedOut,
    Unauthorized,
)
from ._readings import (
    administrators,
    backups,
    denied_ips,
    dns,
    domains,
    downloads,
    image_optimization,
    key,
    networks,
    php_version,
    plugins,
    primary_domain,
    releases,
    sftp,
    themes,
    usage,
    versions,
    visits,
)

OF_ALL = (Unauthorized, ConnectionFailed, TimedOut, MalformedResponse)
"""What goes wrong with the key, the address or the way to the service: then it goes wrong with every reading."""


@dataclass(frozen=True)
class Each:
    """A reading that is taken for each value of a list.

    ``option`` of the task is the list, ``item`` the reading's option for one of its values, and ``result`` what the
    results together are called.
    """

    option: str
    item: str
    result: str


@dataclass(frozen=True)
class Reading:
    """What can be read. ``is_companion`` says that no documented endpoint shows it, ``needs`` which option it needs."""

    module: ModuleType
    is_companion: bool = False
    needs: str = "environment_id"
    each: Each | None = None


READINGS = {
    "key": Reading(key),
    "backup": Reading(backups, is_companion=True),
    "denied_ips": Reading(denied_ips, is_companion=True),
    "sftp_allowlist": Reading(sftp),
    "image_optimization": Reading(image_optimization, is_companion=True, needs="site_id"),
    "php_version": Reading(php_version, is_companion=True, needs="site_id"),
    "primary_domain": Reading(primary_domain, is_companion=True, needs="site_id"),
    "domains": Reading(domains, is_companion=True),
    "dns_records": Reading(dns, needs="domain_ids", each=Each("domain_ids", "domain_id", "domains")),
    "themes": Reading(themes, is_companion=True),
    "plugins": Reading(plugins),
    "versions": Reading(versions, is_companion=True),
    "visits": Reading(visits),
    "networks": Reading(networks),
    "usage": Reading(usage, needs="site_id"),
    "downloads": Reading(downloads),
    "administrators": Reading(administrators, needs="emails", each=Each("emails", "email", "users")),
    "releases": Reading(releases),
}
"""What can be read, by its name."""

OPTIONS: dict[str, dict[str, Any]] = {
    **visits.OPTIONS,
    **releases.OPTIONS,
    "query_names": Option(checked_query_names([*QUERY_NAMES, *administrators.QUERY_NAMES]), type="dict"),
    "domain_ids": Option(checked_each(checked_uuid), type="list", elements="str"),
    "emails": Option(checked_each(checked_email), type="list", elements="str"),
    "gather": {"type": "list", "elements": "str", "choices": sorted(READINGS), "default": list(ENTRIES)},
}
"""The options of a task that gathers, besides the environment's and the site's id."""

OF_ENVIRONMENT = sorted({*READINGS} - {"administrators", "networks", "visits"})
"""What can be read without options of its own, besides the ids of domains."""


def gather_options() -> dict[str, dict[str, Any]]:
    """The options of a task that gathers after it has done something else."""
    return {
        "gather": {"type": "list", "elements": "str", "choices": OF_ENVIRONMENT, "default": []},
        "domain_ids": OPTIONS["domain_ids"],
    }


def gather(context: Context) -> dict[str, Any]:
    """Return the readings that the task asks for, what could not be read and why, and the declaration.

    Raises the first error when nothing at all could be read because of the key, the address or the way to the service.
    """
    gathering = _gathered(context)
    declaration, left_out = declaration_of(gathering.readings)
    problems = {name: _problem(error) for name, error in left_out.items()}
    return {
        "readings": gathering.readings,
        "unread": {**problems, **gathering.unread},
        "declaration": declaration,
    }


def gather_after(result: dict[str, Any], context: Context) -> dict[str, Any]:
    """Return the result of a task that has kept an environment, with the readings that it asks for besides.

    What the service has shown before is asked again only where the task has sent something since. What an earlier task
    has read, whose work this one goes on with, is there, too.
    """
    result = _read_after(result, context)
    earlier = context.started or {}
    for name in ("readings", "unread"):
        before = {one: value for one, value in (earlier.get(name) or {}).items() if one not in context["gather"]}
        if before:
            result[name] = {**before, **(result.get(name) or {})}
    return result


def _read_after(result: dict[str, Any], context: Context) -> dict[str, Any]:
    if not context["gather"]:
        return result
    if result["changed"]:
        context.forget_looks()
    try:
        gathering = _gathered(context)
    except HostingError as error:
        # It was told already by the parts; where there are none, it is all there is to tell.
        failure = {} if result.get("failed") else {"failed": True, **error.as_result()}
        unread = dict.fromkeys(context["gather"], _problem(error))
        return {**result, **failure, "readings": {}, "unread": unread}
    return {**result, "readings": gathering.readings, "unread": gathering.unread}


def _gathered(context: Context) -> _Gathering:
    """Return what the task asks for and could be read; raise what is wrong for all readings."""
    gathering = _Gathering(context)
    for name, reading in READINGS.items():
        if name in context["gather"]:
            gathering.take(name, reading)
    gathering.refuse_nothing()
    return gathering


class _Gathering:
    """What a task has read so far, and what it could not."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.readings: dict[str, dict[str, Any]] = {}
        self.unread: dict[str, dict[str, Any]] = {}
        self.is_heard = False  # whether the service has answered as it should, or refused one reading alone
        self.first_of_all: HostingError | None = None

    def take(self, name: str, reading: Reading) -> None:
        """Read one thing, and note it, or why it could not be read."""
        try:
            self._check(reading)
        except InvalidInput as error:
            self.unread[name] = _problem(error)
            return
        results, problems = [], []
        for item in self._items(reading):
            try:
                results.append({**item, **self._read(reading, item)})
            except HostingError as error:
                self._weigh(error)
                problems.append({**item, **_problem(error)})
        if reading.each and (results or not problems):
            self.readings[name] = {reading.each.result: results}
        elif results:
            self.readings[name] = results[0]
        if problems:
            elements = {"elements": problems} if reading.each else {}
            self.unread[name] = {**{field: problems[0][field] for field in ("msg", "error")}, **elements}

    def refuse_nothing(self) -> None:
        """Raise what is wrong for all readings, when none says otherwise."""
        if self.first_of_all and not self.is_heard:
            raise self.first_of_all

    def _check(self, reading: Reading) -> None:
        if reading.is_companion and not self.context.companions:
            raise SwitchedOff(
                "The documented interface does not show it, and companions are switched off. Nothing was sent for it."
            )
        if self.context[reading.needs] is None:
            raise InvalidInput(f"It is read by {reading.needs}, which is missing. Nothing was sent for it.")

    def _items(self, reading: Reading) -> Iterator[dict[str, str]]:
        if reading.each is None:
            yield {}
        else:
            yield from ({reading.each.item: value} for value in self.context[reading.each.option])

    def _read(self, reading: Reading, item: dict[str, str]) -> dict[str, Any]:
        options = reading.module.OPTIONS.items()
        defaults = {name: option.get("default") for name, option in options if name not in self.context}
        result: dict[str, Any] = reading.module.run(self.context.narrowed({**defaults, **item}))
        self.is_heard = self.is_heard or reading.module is not releases
        return result

    def _weigh(self, error: HostingError) -> None:
        """Note whether an error is one of all readings. With no way to the service, the others need not be tried."""
        if isinstance(error, OF_ALL):
            self.first_of_all = self.first_of_all or error
            is_unreachable = isinstance(error, (ConnectionFailed, TimedOut)) and error.nothing_done
            if is_unreachable and not self.is_heard:
                raise self.first_of_all
        elif not isinstance(error, (InvalidInput, JournalError)):
            self.is_heard = True


def _problem(error: HostingError) -> dict[str, Any]:
    """Return why something could not be read, as a failed task would."""
    result = error.as_result()
    return {"msg": result["msg"], "error": result["error"]}
