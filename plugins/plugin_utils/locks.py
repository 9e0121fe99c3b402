# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run says about the locks that it meets. Nothing here asks the journal."""

from __future__ import annotations

from .plain_values import Record, plain

MOST_NAMES = 8  # that a message names


def met(environments: list[Record], variable: str = "deploy_ignore_lock") -> dict[str, str]:
    """Return why a run refuses to go on, and what it says of locks that it ignores; each is empty if there is nothing.

    :param environments: for each its name (``environment``), its ``locks`` as release_info returns them, and whether
        this run ignores them (``ignores_lock``).
    :param variable: the variable with which a run ignores locks.
    """
    environments = plain(environments)
    refused = _sentences([one for one in environments if not one["ignores_lock"]])
    ignored = _sentences([one for one in environments if one["ignores_lock"]])
    advice = (
        f" Nothing was done. Wait until then, or agree with {named(_authors(environments))} to release the lock with"
        f" hosting.management.deploy_lock. To go on in spite of it: -e {variable}=true."
    )
    return {
        "refused": " ".join(refused) + advice if refused else "",
        "ignored": " ".join([*ignored, f"This run goes on in spite of it ({variable})."]) if ignored else "",
    }


def text_of(lock: Record) -> str:
    """Return the end, the author and the reason of a lock, in a few words."""
    scope = f" (group {lock['group']})" if lock.get("group") else ""
    return f"locked until {lock['until']} by {lock['author']}{scope}: {lock['reason']}"


def _sentences(environments: list[Record]) -> list[str]:
    """Return a sentence for each lock, with the environments that it locks."""
    locked: dict[str, list[str]] = {}
    for one in environments:
        for lock in one["locks"]:
            locked.setdefault(text_of(lock), []).append(one["environment"])
    return [f"{named(names)} {'is' if len(names) == 1 else 'are'} {text}." for text, names in locked.items()]


def _authors(environments: list[Record]) -> list[str]:
    return list(
        dict.fromkeys(lock["author"] for one in environments if not one["ignores_lock"] for lock in one["locks"])
    )


def named(names: list[str]) -> str:
    """Return the names of the first of them, and how many more there are."""
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
