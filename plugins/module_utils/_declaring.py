# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was read of an environment, as the declaration that keeps it so.

The keys are the parts of an environment, and each value is what its module takes: giving it back changes nothing. What
a module would not take, or not find again by its name, is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ._answers import Record
from ._backups import is_manual
from ._declared_parts import PARTS, Part
from ._dns import canonical_name, canonical_value
from ._errors import HostingError, InvalidInput, MalformedResponse

Options = dict[str, Any]
"""Values by the names of a module's options."""


def declaration_of(readings: dict[str, Record]) -> tuple[dict[str, Any], dict[str, HostingError]]:
    """Return the declaration, and for each part of which something is left out the error that says what and why.

    :param readings: what was read, by the names of the readings.
    """
    declaration: dict[str, Any] = {}
    errors: dict[str, HostingError] = {}
    parts = {part.name: part for part in PARTS}
    for name in ENTRIES:
        if name not in readings:
            continue
        declared, problems = _declared(parts[name], readings[name])
        if problems:
            errors[name] = MalformedResponse(
                f"The declaration leaves out what cannot be declared of {name}: {'; '.join(problems)}."
            )
        if parts[name].option.several:
            declaration[name] = declared
        elif declared:
            declaration[name] = declared[0]
    return declaration, errors


def _declared(part: Part, reading: Record) -> tuple[list[Any], list[str]]:
    """Return the values that can be declared, and what is wrong with the others."""
    declared, problems = [], []
    for entry in ENTRIES[part.name](reading):
        try:
            taken = _taken(part, entry)
        except (InvalidInput, TypeError, ValueError, AttributeError) as error:
            problems.append(str(error).removesuffix(". Nothing was sent.") or "it has another shape")
        else:
            declared.append(next(iter(taken.values())) if part.name in ALONE else taken)
    return declared, problems


def _taken(part: Part, entry: Options) -> Options:
    """Return options in the form in which the part takes them; raise for what it does not take."""
    missing = [name for name, value in entry.items() if value is None]
    if missing:
        named = f" of {entry['name']}" if entry.get("name") else ""
        raise ValueError(f"the service does not show {missing[0]}{named}")
    spec = part.option.spec
    params = {**{name: option.get("default") for name, option in spec.options.items()}, **entry}
    spec.check(params)
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


ENTRIES: dict[str, Callable[[Record], Iterable[Options]]] = {
    "backup": _backup,
    "denied_ips": lambda reading: [{"ip_list": reading["denied_ips"]}],
    "sftp_allowlist": lambda reading: [{"ip_allowlist": reading["sftp_ip_allowlist"]}],
    "image_optimization": lambda reading: [{"image_optimization_type": reading["image_optimization_type"]}],
    "php_version": _php_version,
    "primary_domain": _primary_domain,
    "domains": _domains,
    "dns_records": _dns_records,
    "themes": _versions("themes"),
    "plugins": _versions("plugins"),
}
"""What can be declared of an environment: for each part the options for each of what was read."""
ALONE = ("denied_ips", "sftp_allowlist", "image_optimization", "primary_domain")
"""Parts with one option, whose value alone is declared."""
