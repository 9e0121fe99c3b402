#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: deploy_lock
short_description: Lock environments against deployments for a while
version_added: 0.2.0
description:
  - Locks an environment, a group or everything against deployments until a time, with a reason, or releases the lock.
    While a lock is in force, the roles P(hosting.management.deploy#role) and P(hosting.management.maintain#role) do not
    deploy, roll back or update there, and say why.
  - The lock is kept in the journal, so all controllers that share a journal see it. It ends by itself, by the clock of
    the controller that asks.
  - There is one lock for each environment and each group. Setting another one there replaces it.
  - A lock is an agreement, not a permission. Modules such as M(hosting.management.env_push) that you call yourself do
    not ask for locks, and whoever may write to the journal may release them.
  - Changes only the journal. Nothing is sent to the service.
options:
  environment_id:
    description:
      - The id of the environment to lock.
    type: str
    aliases: [env_id]
  group:
    description:
      - The name of the inventory group to lock, such as V(environment_live). V(all) locks every environment.
      - What belongs to the group, the inventory of the locked playbook says.
    type: str
  reason:
    description:
      - Why, in a few words. Everybody who meets the lock reads it. Required if O(state=present).
    type: str
  until:
    description:
      - When the lock ends. Required if O(state=present), and within 366 days.
      - A duration such as V(90m), V(3h) or V(2d), from when the lock is set. Another run does not prolong it.
      - Or the next time that the clock in O(time_zone) shows this, such as V(18:00) or V(Monday 06:00). Write it in
        quotes. The days have their English names, in full or with three letters.
      - Or a date or time in ISO 8601, such as V(2026-11-30T06:00+01:00). Without an offset it is in O(time_zone).
    type: str
  time_zone:
    description:
      - The time zone of O(until), such as V(Europe/Berlin).
    type: str
    default: UTC
  author:
    description:
      - Who locks. By default the user who runs the task.
    type: str
  override:
    description:
      - Replace or release a lock that another author has set. Without it, that fails, and says who has set the lock.
    type: bool
    default: false
  state:
    description:
      - V(present) sets the lock, V(absent) releases it.
    type: str
    choices: [present, absent]
    default: present
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.attributes
  - hosting.management.attributes.diff
"""

EXAMPLES = r"""
- name: Deploy nothing to live environments until Monday morning
  hosting.management.deploy_lock:
    group: environment_live
    reason: Black Friday
    until: Monday 06:00
    time_zone: Europe/Berlin

- name: Release the lock
  hosting.management.deploy_lock:
    group: environment_live
    state: absent

- name: Lock one environment for three hours
  hosting.management.deploy_lock:
    environment_id: "{{ hosting_environment_id }}"
    reason: The shop's owner imports products
    until: 3h
"""

RETURN = r"""
lock:
  description: The lock that is now in force for the environment or group. Null if there is none.
  returned: success
  type: dict
  contains: &lock
    environment_id:
      description: The id of the environment that is locked. Null for a group.
      type: str
    group:
      description: The name of the group that is locked. Null for an environment.
      type: str
    reason:
      description: Why.
      type: str
    author:
      description: Who has set the lock.
      type: str
    since:
      description: When it was set, in ISO 8601, UTC.
      type: str
    until:
      description: When it ends, in ISO 8601, UTC.
      type: str
locks:
  description: All locks of the service that are now in force, those that end first at the front.
  returned: success
  type: list
  elements: dict
  contains: *lock
error:
  description:
    - What went wrong, as values for conditions. The human-readable message is in RV(ignore:msg).
    - L(When something fails,https://github.com/hosting-management/hosting.management/blob/main/docs/failures.md)
      says which kinds there are, what to do about each, and what else the values tell.
  returned: failure
  type: dict
  contains:
    kind:
      description: What kind of failure it was.
      type: str
      sample: unauthorized
"""

import getpass
import os
import time
from typing import Any

from ..module_utils._arguments import ModuleSpec, api_options, optional_text_option, text_option, uuid_option
from ..module_utils._context import Context
from ..module_utils._entry import run_module
from ..module_utils._errors import InvalidInput, JournalError
from ..module_utils._journal import NoJournal
from ..module_utils._locks import (
    LONGEST_REASON,
    Lock,
    end_of,
    entry_of,
    lock_of,
    locks_in_force,
    subject_of,
    zone_of,
)
from ..module_utils._text import printable

SPEC = ModuleSpec(
    api_options(),
    {
        "environment_id": uuid_option(required=False, aliases=["env_id"]),
        "group": optional_text_option(),
        "reason": text_option(required=False),
        "until": text_option(required=False),
        "time_zone": text_option(required=False, default="UTC"),
        "author": optional_text_option(),
        "override": {"type": "bool", "default": False},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    },
    mutually_exclusive=[("environment_id", "group")],
    required_one_of=[("environment_id", "group")],
    required_if=[("state", "present", ["reason", "until"])],
)


def run(context: Context) -> dict[str, Any]:
    """Set or release a lock in the journal."""
    if isinstance(context.journal, NoJournal):
        raise JournalError(
            "A lock is kept in the journal, and journal (or HOSTING_JOURNAL) is empty. Nothing was changed. Name a"
            " journal that all controllers share."
        )
    kind, name = ("group", context["group"]) if context["group"] else ("environment", context["environment_id"])
    _require_printable("group", context["group"])
    subject = subject_of(context, kind, name)
    author = printable(context["author"] or _user(), LONGEST_REASON)
    while True:
        now = time.time()
        wanted = _wanted(context, kind, name, author, now)
        rows = context.journal.read(subject)
        before = next((lock for lock in (lock_of(subject, row) for row in rows) if lock.until > now), None)
        if before and wanted and before.is_like(wanted):
            wanted = before
        changed = wanted != before
        if changed and before and before.author != author and not context["override"]:
            raise InvalidInput(_belongs_to_another(before))
        after = (entry_of(wanted),) if wanted else ()
        if not changed or context.check_mode or context.journal.replace(subject, rows, after):
            break
    result: dict[str, Any] = {"changed": changed, "lock": wanted and wanted.as_result()}
    others = [lock for lock in locks_in_force(context, now) if (lock.kind, lock.name) != (kind, name)]
    result["locks"] = [lock.as_result() for lock in sorted([*others, *filter(None, [wanted])], key=_end)]
    if context.diff:
        result["diff"] = {"before": before.as_result() if before else {}, "after": result["lock"] or {}}
    return result


def _wanted(context: Context, kind: str, name: str, author: str, now: float) -> Lock | None:
    if context["state"] == "absent":
        return None
    _require_printable("reason", context["reason"])
    until = end_of(context["until"], zone_of(context["time_zone"]), now)
    given = f"{context['until']} {context['time_zone']}"
    return Lock(kind, name, context["reason"], author, now, until, given)


def _require_printable(name: str, text: str | None) -> None:
    """Refuse what others could not read as it was written."""
    if text is not None and (text != printable(text, LONGEST_REASON)):
        raise InvalidInput(
            f"{name} must be one line of at most {LONGEST_REASON} characters, without control characters, and without"
            " blanks at its ends or twice in a row. Nothing was changed."
        )


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container may have users without names
        return f"user {os.getuid()}"


def _end(lock: Lock) -> float:
    return lock.until


def _belongs_to_another(lock: Lock) -> str:
    shown = lock.as_result()
    return (
        f"{lock.author} has locked {lock.kind} {lock.name} until {shown['until']}: {lock.reason}. Nothing was changed."
        " Agree on it, then run again with override: true (in the playbook: -e deploy_lock_override=true)."
    )


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
