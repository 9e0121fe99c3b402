# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was read of an environment, as the declaration that keeps it so.

The keys are the parts of an environment, and each value is what its module takes: giving it back changes nothing. What
a module would not take, or not find again by its name, is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ._arguments import ModuleSpec
from ._backups import is_manual
from ._client import Record
from ._dns import canonical_name, canonical_value
from ._errors import HostingError, InvalidInput, MalformedResponse
from ._parts import (
    backup,
    denied_ips,
    dns_records,
    domains,
    image_optimization,
    php_version,
    plugins,
    primary_domain,
    sftp_allowlist,
    themes,
)

Options = dict[str, Any]
"""Values by the names of a module's options."""


@dataclass(frozen=True)
class Part:
    """How a reading becomes a part of the declaration.

    ``entries`` are the options for each of what was read. ``alone`` is the option whose value alone is declared, and
    ``is_list`` says that there may be several.
    """

    module: ModuleType
    entries: Callable[[Record], Iterable[Options]]
    alone: str = ""
    is_list: bool = False


def declaration_of(readings: dict[str, Record]) -> tuple[dict[str, Any], dict[str, HostingError]]:
    """Return the declaration, and for each part of which something is left out the error that says what and why.

    :param readings: what was read, by the names of the readings.
    """
    declaration: dict[str, Any] = {}
    errors: dict[str, HostingError] = {}
    for name, part in PARTS.items():
        if name not in readings:
            continue
        declared, problems = _declared(part, readings[name])
        if problems:
            errors[name] = MalformedResponse(
                f"The declaration leaves out what cannot be declared of {name}: {'; '.join(problems)}."
            )
        if part.is_list:
            declaration[name] = declared
        elif declared:
            declaration[name] = declared[0]
    return declaration, errors


def _declared(part: Part, reading: Record) -> tuple[list[Any], list[str]]:
    """Return the values that can be declared, and what is wrong with the others."""
    declared, problems = [], []
    for entry in part.entries(reading):
        try:
            taken = _taken(part.module, entry)
        except (InvalidInput, TypeError, ValueError, AttributeError) as error:
            problems.append(str(error).removesuffix(". Nothing was sent.") or "it has another shape")
        else:
            declared.append(taken[part.alone] if part.alone else taken)
    return declared, problems


def _taken(module: ModuleType, entry: Options) -> Options:
    """Return options in the form in which the part's module takes them; raise for what it does not take."""
    missing = [name for name, value in entry.items() if value is None]
    if missing:
        named = f" of {entry['name']}" if entry.get("name") else ""
        raise ValueError(f"the service does not show {missing[0]}{named}")
    params = {**{name: option.get("default") for name, option in module.OPTIONS.items()}, **entry}
    ModuleSpec(module.OPTIONS, rule=getattr(module, "RULE", None), needs_service=False).check(params)
    taken = {name: params[name] for name in entry}
    for name in ("domain_name", "name"):
        if name in entry and taken[name] != entry[name]:
            raise ValueError(f"{entry[name]} would not be found by this name")
    return taken


# ---- a part each ----------------------------------------------------------------------------------------------------


def _php_version(reading: Record) -> Iterator[Options]:
    automatic = reading["automatic_updates"]
    yield {"version": reading["php_version"], **({} if automatic is None else {"automatic_updates": automatic})}


def _primary_domain(reading: Record) -> Iterator[Options]:
    primary = reading["primary_domain"]
    if primary is not None:
        yield {"domain_name": _lower(primary["name"])}


def _domains(reading: Record) -> Iterator[Options]:
    for domain in reading["domains"]:
        yield {"domain_name": _lower(domain["name"])}


def _lower(name: object) -> str | None:
    return name.lower() if isinstance(name, str) else None


def _dns_records(reading: Record) -> Iterator[Options]:
    """Yield each record with all its values, which the service may show in several pieces."""
    for domain in reading["domains"]:
        found: dict[tuple[str, str], Options] = {}
        for record in domain["dns_records"]:
            key = (record["type"].upper(), canonical_name(record["name"]))
            ttl = record.get("ttl")
            known = found.setdefault(
                key,
                {
                    "domain_id": domain["domain_id"],
                    **dict(zip(("type", "name"), key, strict=True)),
                    **({"ttl": ttl} if isinstance(ttl, int) else {}),
                    "values": {},
                },
            )
            known["values"].update({canonical_value(key[0], value): value for value in record["rdata"]})
        for known in found.values():
            yield {**known, "values": list(known["values"].values())}


def _versions(name: str) -> Callable[[Record], Iterator[Options]]:
    def entries(reading: Record) -> Iterator[Options]:
        for one in reading[name]:
            yield {"name": one.get("name"), "update_version": one.get("version")}

    return entries


def _backup(reading: Record) -> Iterator[Options]:
    """Yield the newest backup that has a tag: it is there already."""
    tagged = [one for one in reading["backups"] if is_manual(one) and one["tag"]]
    if tagged:
        yield {"tag": max(tagged, key=lambda one: one["created_at"])["tag"]}


PARTS = {
    "backup": Part(backup, _backup),
    "denied_ips": Part(denied_ips, lambda reading: [{"ip_list": reading["denied_ips"]}], alone="ip_list"),
    "sftp_allowlist": Part(
        sftp_allowlist, lambda reading: [{"ip_allowlist": reading["sftp_ip_allowlist"]}], alone="ip_allowlist"
    ),
    "image_optimization": Part(
        image_optimization,
        lambda reading: [{"image_optimization_type": reading["image_optimization_type"]}],
        alone="image_optimization_type",
    ),
    "php_version": Part(php_version, _php_version),
    "primary_domain": Part(primary_domain, _primary_domain, alone="domain_name"),
    "domains": Part(domains, _domains, is_list=True),
    "dns_records": Part(dns_records, _dns_records, is_list=True),
    "themes": Part(themes, _versions("themes"), is_list=True),
    "plugins": Part(plugins, _versions("plugins"), is_list=True),
}
"""What can be declared of an environment."""
