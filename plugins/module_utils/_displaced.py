# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The row whose place a request takes in the journal: what is there still, if the request was never carried out.

A subject has one row for each key. A run that is killed between noting its request and sending it would otherwise leave
nothing of what the environment has, and that would be sent a second time. Pure rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ._journal import BEFORE, Entry
from ._progress import FINISHED, IN_PROGRESS, NOT_DONE


def is_displaced(entry: Entry) -> bool:
    """Tell whether another request has taken this row's place."""
    return entry.key.startswith(BEFORE)


def claimed(rows: Iterable[Entry], entry: Entry) -> tuple[Entry, ...]:
    """Return the rows of a subject once ``entry`` has taken its place; what was accepted there is kept beside it.

    What has failed or is of unknown outcome is not kept: nobody can say of it that it is there.
    """
    rows = tuple(rows)
    own = (entry.key, entry.key_of_displaced)
    kept = [
        replace(one, key=own[1]) for one in rows if one.key == entry.key and one.progress in (FINISHED, IN_PROGRESS)
    ]
    return (*(one for one in rows if one.key not in own), *kept, entry)


def taken_back(rows: Iterable[Entry], entry: Entry, before: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the rows of a subject without ``entry``, with what was in its place ``before``."""
    own = (entry.key, entry.key_of_displaced)
    return (*(one for one in rows if one.key not in own), *(one for one in before if one.key in own))


def with_what_is_there(rows: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the rows of a subject so that what was never carried out leaves its place to what is there still."""
    rows = tuple(rows)
    missed = [one for one in rows if one.progress == NOT_DONE and not is_displaced(one)]
    keys = {one.key for one in rows}
    places = {one.key_of_displaced: one.key for one in missed if one.key_of_displaced in keys}
    places |= {key: before for before, key in places.items()}
    return tuple(replace(one, key=places.get(one.key, one.key)) for one in rows)
