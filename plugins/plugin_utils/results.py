# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tasks have returned: above all the one that has read an environment, reading by reading."""

from __future__ import annotations

from ..module_utils._verdicts import Update
from .plain_values import Record

IN_DOUBT = ("outcome_unknown", "timeout", "connection", "service", "malformed_response", "unexpected")
"""The kinds of errors after which nobody knows whether a write was carried out."""


def is_not_offered(result: Record) -> bool:
    """Tell whether a task has failed because the service does not offer what it asked for."""
    return (result.get("error") or {}).get("is_offered") is False


def update_named(one: Record) -> str:
    """Return an update for people, of a plugin, a theme or PHP.

    :param one: what is remembered of it, as update_info returns it.
    """
    return str(Update(one["kind"], one["name"], one["version"]))


def end_of_log(log: Record) -> str:
    """Return the last lines of a site's error log as the end of a message; nothing where it was not read.

    :param log: the result of site_log_info.
    """
    if log.get("lines"):
        return f"The end of its error log: {' | '.join(log['lines'])}"
    return "The service does not show its error log." if is_not_offered(log) else ""


def reading_of(read: Record, name: str) -> Record:
    """Return a reading, or ``msg`` and ``error`` of why there is none; empty when nothing was read.

    :param read: the result of environment_state_info, of a task that failed instead, or of one that was skipped.
    """
    if "readings" in read:
        return read["readings"].get(name) or read["unread"].get(name) or {}
    return {} if read.get("skipped") else read


def elements_of(read: Record, name: str, result: str) -> list[Record]:
    """Return a reading that was taken for each value of a list: what it is for each, or why there is none.

    :param result: what the reading calls its list.
    """
    if "readings" not in read or not {name, "elements"} & {*read["readings"], *read["unread"].get(name, {})}:
        return [one for one in [reading_of(read, name)] if one]
    found = read["readings"].get(name, {}).get(result, [])
    return [*found, *read["unread"].get(name, {}).get("elements", [])]
