# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the variables of the role maintain, beyond their types: sentences for people."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..module_utils._checks import checked_duration
from ..module_utils._text import printable, without_login
from .plain_values import Record

VERSIONS = ("maintain_php_version", "maintain_check_php_version", "maintain_check_wordpress_version")
AGES = ("maintain_backup_max_age", "maintain_update_backup_max_age", "maintain_check_backup_max_age")
NEED_SITE = ("maintain_check_visits", "maintain_check_php_version", "maintain_check_wordpress_version")


def problems_of(values: Record, given: Record, required: Iterable[str], host: str) -> Iterator[str]:
    """Yield a sentence for each value that the role cannot work with.

    :param values: the role's variables, by name, in their types.
    :param given: the same as the user has given them.
    :param required: the names of those that must not be null.
    :param host: the name of the host that they are of.
    """
    for name in required:
        if values.get(name) is None:
            yield f"{name} has no value (null). Give it one, or leave it out."
    if not str(values.get("maintain_environment_id") or ""):
        yield f"{host} lacks maintain_environment_id (or hosting_environment_id): a variable of the host."
    if not str(values.get("maintain_site_id") or ""):
        for name in NEED_SITE:
            if values.get(name) is not None:
                yield f"{name} needs maintain_site_id (or hosting_site_id) of {host}."
    yield from _numbers_for_versions(given)
    yield from _bad_ages(values)
    if values.get("maintain_update_plugins") not in (None, "updatable", "vulnerable"):
        yield f"maintain_update_plugins must be updatable or vulnerable, not {values['maintain_update_plugins']}."
    if values.get("maintain_primary_domain") and values.get("maintain_primary_domain_id"):
        yield f"{host} has both maintain_primary_domain and maintain_primary_domain_id: give one of them."
    yield from _bad_addresses(values)
    yield from _bad_summary_file(values.get("maintain_summary_file"))


def problems_of_waves(sizes: Iterable[Any], are_of_play: bool) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with the waves.

    :param sizes: how many environments each wave has, or the percentage.
    :param are_of_play: whether the play goes by them, which it does not when they are from the inventory.
    """
    for size in sizes:
        if not re.fullmatch(r"[0-9]+%?", str(size)):
            yield f"maintain_serial has {size}, which is neither a number of environments nor a percentage such as 50%."
    if not are_of_play:
        yield (
            "maintain_serial and maintain_max_fail_percentage apply to all hosts at once, so they have no effect in the"
            " inventory: give them with -e."
        )


def _numbers_for_versions(values: Record) -> Iterator[str]:
    for name in VERSIONS:
        if isinstance(values.get(name), float):
            yield (f"{name} is the number {values[name]}. Write it in quotes: without them, 8.10 and 8.1 are the same.")
    for theme in values.get("maintain_themes") or []:
        if isinstance(theme, dict) and isinstance(theme.get("update_version"), float):
            yield (
                f"maintain_themes has the number {theme['update_version']} for {theme.get('name')}. Write the version"
                " in quotes: without them, 1.10 and 1.1 are the same."
            )


def _bad_ages(values: Record) -> Iterator[str]:
    for name in AGES:
        age = values.get(name)
        try:
            if age is not None:
                checked_duration(str(age))
        except ValueError as error:
            yield f"{name} {error}."


def _bad_addresses(values: Record) -> Iterator[str]:
    for url in values.get("maintain_verify_urls") or []:
        if values.get("maintain_verify") and not re.match(r"(?i)https?://[^/?#@\s]+([/?#]|$)", url.strip()):
            yield (
                f"maintain_verify_urls has {printable(without_login(url))}, which is not an address such as"
                " https://shop.example.com, without a login."
            )


def _bad_summary_file(path: Any) -> Iterator[str]:
    if path:
        real = os.path.realpath(str(path))
        if os.path.isdir(real) or not os.path.isdir(os.path.dirname(real)):
            yield f"maintain_summary_file is {path}, which is a folder, or is in none."
