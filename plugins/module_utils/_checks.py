# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks that refuse a bad value before anything is sent.

Each takes an option's value, returns it in canonical form, and raises ValueError with the end of a sentence that begins
with the option's name.
"""

from __future__ import annotations

import ipaddress
import re
import uuid
from collections.abc import Callable, Collection, Iterable
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from ._text import has_controlling

LONGEST_TIME = 86400  # seconds
LONGEST_TEXT = 500  # characters of a name, release or tag
LONGEST_COMMAND = 5000  # characters that the service takes
SHORTEST_SECRET = 4  # characters: less would be found everywhere


def checked_uuid(value: str) -> str:
    try:
        canonical = str(uuid.UUID(value))
    except ValueError:
        canonical = ""
    if not canonical or canonical != value.lower():
        raise ValueError(f"must be a UUID such as e0000000-0000-4000-8000-000000000011, not {value!r}")
    return canonical


def checked_each(check: Callable[[str], str]) -> Callable[[list[str]], list[str]]:
    """Return the check of a list, each value of which is checked so."""
    return lambda values: [check(value) for value in values]


def checked_optional_uuid(value: str) -> str | None:
    # A survey or a template that has no value sends an empty text.
    return checked_uuid(value) if value else None


def checked_optional_text(value: str) -> str | None:
    return value or None


def checked_text(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    if len(value) > LONGEST_TEXT:
        raise ValueError(f"must not have more than {LONGEST_TEXT} characters, but has {len(value)}")
    if value != value.strip():
        raise ValueError(f"must not begin or end with blanks or line breaks: {value!r}")
    if has_controlling(value):
        raise ValueError(f"must be on one line, and have no control characters: {value!r}")
    return value


def checked_domain_name(value: str) -> str:
    """Return a domain name in lower case, without a final dot, and in its ASCII form."""
    try:
        name = _in_ascii(value.strip().rstrip(".").lower())
    except ValueError:
        name = ""
    if not re.fullmatch(r"(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)+(?!\d+$)[a-z0-9-]{2,63}", name):
        raise ValueError(f"must be a domain name such as www.example.com, not {value!r}")
    return name


def _in_ascii(name: str) -> str:
    """Return a domain name in its ASCII form, by IDNA 2008. Raises ValueError for what is none."""
    if name.isascii():
        if len(name) > 253 or any(len(label) > 63 for label in name.split(".")):
            raise ValueError(name)
        return name
    import idna  # requests brings it

    wildcard = "*." if name.startswith("*.") else ""
    return wildcard + idna.encode(name.removeprefix("*."), uts46=True).decode()


def checked_positive(value: float) -> float:
    if not 0 < value < float("inf"):
        raise ValueError(f"must be greater than 0, not {value:g}")
    if value > LONGEST_TIME:
        raise ValueError(f"must not be more than {LONGEST_TIME} seconds (a day), not {value:g}")
    return value


def checked_not_negative(value: float) -> float:
    if not 0 <= value < float("inf"):
        raise ValueError(f"must not be negative, and not be infinite: it is {value:g}")
    return value


def checked_count(value: int) -> int:
    if value < 1:
        raise ValueError(f"must be 1 or more, not {value}")
    return value


def checked_api_key(value: str) -> str:
    if not re.fullmatch(r"[\x21-\x7e]+", value):
        raise ValueError("has characters that no key has, such as a space or a line break (the value is not shown)")
    return value


def checked_base_url(value: str) -> str:
    try:
        url = urlsplit(value)
        host, port = url.hostname, url.port
    except ValueError as error:
        raise ValueError(f"is no address: {error}") from None
    if url.username is not None or url.password is not None:
        raise ValueError("must not carry a user or password: the API key is the only credential")
    if re.search(r"\s", value):
        raise ValueError(f"must not have white space: {value!r}")
    if url.scheme not in ("https", "http") or not host:
        raise ValueError(f"must be an address such as https://api.example.com/v2, not {value!r}")
    if url.query or url.fragment:
        raise ValueError(f"must have neither query nor fragment: {value!r}")
    if url.scheme == "http" and not is_loopback(host):
        raise ValueError(f"must be https: http would show the API key to the network ({value!r})")
    # One service is one address: the journal goes by it.
    host = f"[{host}]" if ":" in host else host
    at_port = "" if port in (None, {"https": 443, "http": 80}[url.scheme]) else f":{port}"
    return f"{url.scheme}://{host}{at_port}{url.path.rstrip('/')}"


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked_addresses(values: Iterable[str]) -> list[str]:
    """Return the entries of a list as section 4.4 of the interface has it in canonical form, sorted, each once."""
    return sorted({canonical_address(value) for value in values}, key=_by_version_and_address)


def canonical_address(value: str) -> str:
    """Return an IPv4 address, IPv4 network or IPv6 address as canonical text; ValueError for all else."""
    value = value.strip()
    try:
        if "/" not in value:
            address = ipaddress.ip_address(value)
            if getattr(address, "scope_id", None):
                raise ValueError("has a zone")
            return str(address)
        network = ipaddress.ip_network(value)
    except ValueError as error:
        hint = _network_meant(value)
        raise ValueError(
            f"has an entry that is no IPv4 address, IPv4 network (CIDR) or IPv6 address: {value!r} ({error}){hint}"
        ) from None
    if network.version == 6:
        raise ValueError(f"has an IPv6 network, but the service takes single IPv6 addresses only: {value!r}")
    return str(network.network_address) if network.prefixlen == 32 else str(network)


def _network_meant(value: str) -> str:
    try:
        return f"; did you mean {ipaddress.IPv4Network(value, strict=False)}?"
    except ValueError:
        return ""


def _by_version_and_address(value: str) -> tuple[int, ipaddress.IPv4Network | ipaddress.IPv6Network]:
    network = ipaddress.ip_network(value)
    return network.version, network


def checked_relative_paths(values: list[str]) -> list[str]:
    """Return paths of files or directories below the site's root (interface section 4.19)."""
    for value in values:
        path = PurePosixPath(value)
        if not value.strip() or path.is_absolute() or ".." in path.parts or "\0" in value:
            raise ValueError(f"must have relative paths without '..', not {value!r}")
    return values


def checked_operation_ids(values: list[str]) -> list[str]:
    for value in values:
        if not re.fullmatch(r"[A-Za-z0-9:_-]+", value):
            raise ValueError(f"has {value!r}, which is no operation id such as environments:push-<uuid>")
    return values


def checked_wp_command(value: str) -> str:
    """Return a command of WP-CLI as the service takes it, with wp before it."""
    command = value.strip()
    if re.search(r"[\x00-\x1f\x7f]", command):
        raise ValueError("must be one command on one line")
    command = command if re.match(r"wp(\s|$)", command) else f"wp {command}"
    if not command.removeprefix("wp").strip():
        raise ValueError("must be a command of WP-CLI such as core update-db")
    if len(command) > LONGEST_COMMAND:
        raise ValueError(f"must not have more than {LONGEST_COMMAND} characters, but has {len(command)}")
    return command


def secrets_of_wp_command(value: str) -> set[str]:
    """Return the values of those parameters of a command whose names tell of a secret."""
    found = re.findall(
        r"--[\w-]*(?:pass|secret|token|key)[\w-]*=(?:\"([^\"]*)\"|'([^']*)'|(\S+))", value, re.IGNORECASE
    )
    return {secret for groups in found for secret in groups if len(secret) >= SHORTEST_SECRET}


def checked_email(value: str) -> str:
    if not re.fullmatch(r"[^@\s]+@[^@\s]+", value):
        raise ValueError(f"must be an e-mail address, not {value!r}")
    return value


def checked_image_optimization_type(value: str) -> str:
    if value in ("False", "True"):
        raise ValueError('is a boolean; write "off" in quotes, because YAML takes the bare word for one')
    return checked_text(value)


def checked_record_type(value: str) -> str:
    """Return the type of a DNS record in capital letters."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", value):
        raise ValueError(f"must be the type of a DNS record such as A or TXT, not {value!r}")
    return value.upper()


def checked_ttl(value: int) -> int:
    if not 0 < value < 2**31:
        raise ValueError(f"must be a number of seconds from 1 to {2**31 - 1}, not {value}")
    return value


def checked_query_names(known: Collection[str]) -> Callable[[dict[str, Any]], dict[str, str]]:
    """Return the check of a mapping from option names, those of ``known``, to names of query parameters."""

    def check(value: dict[str, Any]) -> dict[str, str]:
        for option, name in value.items():
            if option not in known:
                raise ValueError(f"has {option!r}, but only {', '.join(known)} have a query parameter")
            if not isinstance(name, str) or not name:
                raise ValueError(f"must name the query parameter of {option}")
        return value

    return check


def checked_request_path(value: str) -> str:
    """Return a path below base_url that cannot lead out of it."""
    parts = unquote(value).split("/")
    if not value.startswith("/") or "" in parts[1:-1] or value == "/":
        raise ValueError(f"must begin with a single / and name what lies below base_url, not {value!r}")
    if {".", ".."} & set(parts):
        raise ValueError(f"must not have the parts . or .. ({value!r})")
    if re.search(r"[?#\\\s\x00-\x1f\x7f]", unquote(value)):
        raise ValueError(f"must have neither ?, #, backslashes nor blanks; use query for the query ({value!r})")
    return value


def checked_keep(value: str) -> str | None:
    """Return a number of backups, such as 3, or a duration with its unit, such as 14d; None for an empty text."""
    text = value.strip()
    if not text:
        return None
    if not re.fullmatch(r"\d+\s*[smhdw]?", text) or not int(text.rstrip("smhdw ")):
        raise ValueError(f"must be a number of backups from 1, such as 3, or a time such as 14d, not {value!r}")
    return str(int(text)) if text.isdigit() else text


_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def checked_duration(value: str | int) -> int:
    """Return the seconds of a duration such as 90, 15m, 24h or 7d."""
    match = re.fullmatch(r"(\d+)\s*([smhdw]?)", str(value).strip())
    if not match or not int(match[1]):
        raise ValueError(f"must be a duration such as 3600, 15m, 24h or 7d, not {value!r}")
    return int(match[1]) * _UNITS[match[2]]
