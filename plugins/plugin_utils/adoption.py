# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was read of a fleet, as variables of the role maintain: which belong to a group, and which to a host.

All of it is plain values; adoption_files turns them into files.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..module_utils._text import printable
from .plain_values import Record
from .results import is_not_offered
from .variable_yaml import has_expression

DENIED, ADDITIONAL = "maintain_denied_ips", "maintain_additional_denied_ips"
VARIABLES = {
    "php_version": ("maintain_php_version", "maintain_php_automatic_updates"),
    "image_optimization": ("maintain_image_optimization",),
    "primary_domain": ("maintain_primary_domain",),
    "denied_ips": (DENIED,),
    "sftp_allowlist": ("maintain_sftp_allowlist",),
    "themes": ("maintain_themes",),
    "plugins": ("maintain_plugins",),
    "dns_records": ("maintain_dns_records",),
}
"""The variables that declare each part, in the order of the files."""
ORDER = [name for names in VARIABLES.values() for name in ([*names, ADDITIONAL] if DENIED in names else names)]

SAFE_NAME = re.compile(r"[^\W][\w.@+-]*")
FILE_EXTENSIONS = (".yml", ".yaml", ".json")
LONGEST_NAME = 200  # bytes, of a file name that may have 255 with its extension
NOT_SHOWN = "the service does not show it"
MISSING = object()


@dataclass(frozen=True)
class Wanted:
    """What is to be declared of a host: ``values`` by variable, and for what is not known, why (``gaps``).

    ``group`` is the one whose common values the host takes, empty for none.
    """

    host: str
    group: str = ""
    values: Record = field(default_factory=dict)
    gaps: dict[str, str] = field(default_factory=dict)


# ---- one environment ------------------------------------------------------------------------------------------------


def wanted_of(host: str, group: str, read: Record, parts: Iterable[str]) -> Wanted:
    """Return what is to be declared of a host.

    :param read: the result of environment_state_info, or of the task that failed instead.
    :param parts: the parts that are adopted.
    """
    declaration, unread = read.get("declaration") or {}, read.get("unread") or {}
    values: Record = {}
    gaps: dict[str, str] = {}
    for part in VARIABLES:
        if part not in parts:
            continue
        if part in declaration:
            values.update(_variables_of(part, declaration[part]))
        if part in unread:
            gaps[VARIABLES[part][0]] = NOT_SHOWN if is_not_offered(unread[part]) else str(unread[part].get("msg"))
        elif "declaration" not in read:
            gaps[VARIABLES[part][0]] = str(read.get("msg") or "nothing could be read")
    return Wanted(host, group, values, gaps)


def _variables_of(part: str, declared: Any) -> Record:
    """Return the variables that declare a part, with lists in an order that does not depend on the service's."""
    names = VARIABLES[part]
    if part == "php_version":
        keys = ("version", "automatic_updates")
        return {name: declared[key] for name, key in zip(names, keys, strict=True) if declared.get(key) is not None}
    if part in ("denied_ips", "sftp_allowlist"):
        return {names[0]: in_order(declared)}
    if part == "dns_records":
        records = [{**one, "values": sorted(one["values"])} for one in declared]
        return {names[0]: sorted(records, key=lambda one: (one["domain_id"], one["name"], one["type"]))}
    if part in ("themes", "plugins"):
        return {names[0]: sorted(declared, key=lambda one: str(one["name"]))}
    return {names[0]: declared}


def in_order(addresses: Iterable[str]) -> list[str]:
    """Return each address once, in the order of their numbers."""
    return sorted(set(addresses), key=_place)


def _place(address: str) -> tuple[int, int, int, str]:
    try:
        network = ipaddress.ip_network(address, strict=False)
    except ValueError:
        return 9, 0, 0, address
    return network.version, int(network.network_address), network.prefixlen, address


def problem_of_name(host: str) -> str:
    """Return why no file can be named after a host, or nothing."""
    is_safe = SAFE_NAME.fullmatch(host) and len(host.encode()) <= LONGEST_NAME
    if not is_safe or host.lower().endswith(FILE_EXTENSIONS):
        return f"no file can be named after {printable(repr(host))}; give the host another name in the inventory"
    return ""


def is_name_of_group(group: str) -> bool:
    """Tell whether a file can be named after a group, and whether that file is of these hosts alone."""
    return bool(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", group)) and group != "ungrouped"


# ---- many: what is common, and what deviates ------------------------------------------------------------------------


def common_of(members: list[Wanted]) -> Record:
    """Return the variables that most of a group's hosts have alike, and the addresses that most of them deny."""
    common: Record = {}
    for name in ORDER:
        values = [one.values[name] for one in members if name in one.values]
        if name == DENIED:
            denied = _mostly_denied(values, len(members))
            if denied is not None:
                common[name] = denied
            continue
        counted = Counter(map(digest, values))
        most, count = counted.most_common(1)[0] if counted else ("", 0)
        if count > 1 and 2 * count > len(members):
            common[name] = next(value for value in values if digest(value) == most)
    return common


def _mostly_denied(lists: list[list[str]], members: int) -> list[str] | None:
    """Return the addresses that most deny; None where that says nothing of most of them."""
    counted = Counter(address for one in lists for address in set(one))
    shared = in_order(address for address, count in counted.items() if 2 * count > members)
    containing = [one for one in lists if set(shared) <= set(one) and (shared or not one)]
    return shared if len(containing) > 1 and 2 * len(containing) > members else None


def own_of(wanted: Wanted, common: Record) -> Record:
    """Return the variables that a host needs for itself where its group has these common ones.

    What is not known of the host is null there, so that nobody takes it for what the group has.
    """
    own: Record = {}
    for name, value in wanted.values.items():
        if name == DENIED:
            own.update(_denied_of(value, common))
        elif name not in common or digest(common[name]) != digest(value):
            own[name] = value
    own.update({name: None for name in common if name not in wanted.values and name != ADDITIONAL})
    if ADDITIONAL in common:
        own[ADDITIONAL] = [] if DENIED in wanted.values else None
    return {name: own[name] for name in ORDER if name in own}


def _denied_of(addresses: list[str], common: Record) -> Record:
    shared = common.get(DENIED)
    if not isinstance(shared, list) or has_expression(shared) or ADDITIONAL in common:
        return {DENIED: addresses}
    if not set(shared) <= set(addresses):
        return {DENIED: addresses}
    more = [address for address in addresses if address not in shared]
    return {ADDITIONAL: more} if more else {}


def effective(name: str, own: Mapping[str, Any], common: Mapping[str, Any]) -> Any:
    """Return the value that files give a variable of a host, MISSING for none; of denied addresses all of them."""
    value = own.get(name, common.get(name, MISSING))
    if name != DENIED:
        return value
    more = own.get(ADDITIONAL, common.get(ADDITIONAL))
    if more is None or has_expression(value):
        return value
    if not isinstance(more, list) or has_expression(more):
        return more
    return in_order(map(str, [*(value if isinstance(value, list) else []), *more]))


# ---- again: what a person has edited, and what the service has changed ----------------------------------------------


def digest(value: Any) -> str:
    """Return a digest of a value, alike for lists in any order."""
    text = json.dumps(_canonical(value), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _canonical(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _canonical(item) for name, item in value.items()}
    if isinstance(value, list):
        return sorted((_canonical(item) for item in value), key=lambda one: json.dumps(one, sort_keys=True))
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def step_of(base: str | None, declared: Any, now: Any) -> str:
    """Return what becomes of a variable that was adopted before: ``keep``, ``take`` or ``conflict``.

    :param base: the digest of what was adopted, None where nothing was.
    :param declared: what the files say, MISSING for nothing.
    :param now: what the service shows.
    """
    if declared is not MISSING and not has_expression(declared) and digest(declared) == digest(now):
        return "keep"
    if base is None:
        return "take" if declared is MISSING or declared is None else "conflict"
    if digest(now) == base:
        return "keep"  # a person has changed it, or removed it, and the service has not
    if declared is not MISSING and not has_expression(declared) and digest(declared) == base:
        return "take"
    return "conflict"
