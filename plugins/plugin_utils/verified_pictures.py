# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of pages before and after a change: what the variables of a role ask for, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..module_utils._comparing import checked_percent
from ..module_utils._journal import default_location
from ..module_utils._shots import checked_selectors, checked_widths
from ..module_utils._text import without_login
from .plain_values import Record
from .role_variables import addresses_of, listed

CHECK_FAILED = "check_failed"

CHECKS: dict[str, Callable[[Any], Any]] = {
    "verify_most_difference": checked_percent,
    "verify_widths": checked_widths,
    "verify_hide": checked_selectors,
    "verify_mask": checked_selectors,
}

OPTIONS = {"widths": "widths", "hide": "hide", "mask": "mask", "validate_site_certs": "validate_certs"}
"""The options of site_snapshot, with what the names of the variables end with."""


def pictures_of(role: str, values: Record, environment_id: str) -> Record:
    """Return the paths for the pictures of an environment: ``before``, ``after`` and ``report``; nothing where none
    are wanted. ``before_set`` and ``after_set`` are what site_snapshot takes for them, with those of other sites.

    :param role: what the names of the variables begin with, such as ``deploy``.
    :param values: the role's variables, by their names.
    """
    pages = listed(values.get(f"{role}_verify_pictures"))
    if not pages:
        return {}
    given = values.get(f"{role}_pictures_folder")
    folder = Path(given).expanduser().absolute() if given else Path(default_location()).with_name("pictures")
    place = folder / environment_id
    paths = {"before": str(place / "before"), "after": str(place / "after")}
    taken = {option: values.get(f"{role}_verify_{name}") for option, name in OPTIONS.items()}
    taken = {option: value for option, value in taken.items() if value is not None}
    # Facts are shown with -v; addresses with a login are refused.
    taken["pages"] = [without_login(page) for page in pages]
    sets = {f"{name}_set": {**taken, "folder": path} for name, path in paths.items()}
    return {**paths, **sets, "report": str(place / "comparison.html")}


def problems_of_pictures(role: str, values: Record) -> Iterator[str]:
    """Yield a sentence for each variable about pictures that cannot be right."""
    pages = listed(values.get(f"{role}_verify_pictures"))
    if not pages:
        return
    yield from addresses_of(f"{role}_verify_pictures", pages)
    for name, check in CHECKS.items():
        value = values.get(f"{role}_{name}")
        try:
            if value is not None:  # which is told as such
                check(value)
        except ValueError as error:
            yield f"{role}_{name} {error}."


def of_pictures(before: Record, compared: Record, after: Record | None = None) -> Record:
    """Return what became of the comparison, for the role's result: ``problem`` says why there was none.

    :param before: the result of site_snapshot before the change.
    :param compared: the result of site_compare after it.
    :param after: the result of site_snapshot after it, where a failure of that does not end the role.
    """
    return {
        "report": compared.get("report"),
        "differing": compared.get("differing") or [],
        "to_look_at": compared.get("to_look_at") or [],
        "greatest": compared.get("greatest"),
        "problem": _problem(before, [after or {}, compared]),
    }


def _problem(before: Record, later: list[Record]) -> str:
    if before.get("error"):
        return f"Pictures were not compared, because of what was there before: {before.get('msg')}"
    failed = [one for one in later if one.get("error") and one["error"]["kind"] != CHECK_FAILED]
    return f"Pictures were not compared: {failed[0].get('msg')}" if failed else ""


def words_of_pictures(pictures: Record) -> Iterator[str]:
    """Yield what a person should know, though it failed nothing.

    :param pictures: what of_pictures returned.
    """
    if pictures["problem"]:
        yield pictures["problem"]
    if pictures["to_look_at"]:
        yield f"These pages look slightly different: {', '.join(pictures['to_look_at'])}. See {pictures['report']}."


def looks_different(after: Record, compared: Record) -> str:
    """Return what is wrong with how a site looks, as sentences; nothing if nothing is, or nobody could look.

    :param after: the result of site_snapshot after the change.
    :param compared: the result of site_compare after it.
    """
    found = [one for one in (after, compared) if (one.get("error") or {}).get("kind") == CHECK_FAILED]
    return " ".join(str(one.get("msg") or "") for one in found)
