# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the journal's rows are about, in the words of users, and how one of unknown outcome is settled.

A request that must not be repeated and whose answer was lost stays unknown until a person says what became of it, with
the module settle. All messages about that take their words from here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._journal import Entry
from ._progress import SENT, UNKNOWN

PUSH, RESTORE, BACKUP = "push", "restore", "backup"
ENVIRONMENT, DOMAIN, DNS_RECORD = "environment", "domain", "dns_record"

Options = dict[str, Any]
"""Options of the module settle, by name."""


@dataclass(frozen=True)
class Thing:
    """What a row is about: its kind, its name within a sentence, and the options of settle that name it."""

    kind: str
    name: str
    options: Options


def state_of(entry: Entry) -> str:
    """Return how a request stands: one that is sent and can get no answer any more is unknown."""
    return UNKNOWN if entry.progress == SENT and not entry.answer_may_come() else entry.progress


def part_of(entry: Entry) -> dict[str, Any]:
    """Return what of a release a push brought, as the options of env_push, or which backup was restored."""
    return json.loads(entry.part) if entry.part else {}


def is_restore(entry: Entry) -> bool:
    """Tell whether a row of the pushes is about the restore of a backup."""
    return "backup_id" in part_of(entry)


def named(entry: Entry) -> str:
    """Return what a push or a restore is called within a sentence."""
    if is_restore(entry):
        return f"the restore of backup {part_of(entry)['backup_id']}"
    return "a push without a release" if entry.release is None else f"the push of {entry.release}"


def thing_of(subject: str, entry: Entry) -> Thing | None:
    """Return what a row of this subject is about, or None when it can be sent again, and need not be settled."""
    module, _separator, ids = subject.partition("/")
    read = _READ.get(module)
    return read(ids, entry) if read else None


def how_to_settle(environment_id: str, entry: Entry) -> str:
    """Return the sentences that say how a push to an environment, or a restore, of unknown outcome is settled."""
    return how_to_settle_row(f"env_push/{environment_id}", entry)


def how_to_settle_row(subject: str, entry: Entry) -> str:
    """Return the same for a row of any subject."""
    thing = thing_of(subject, entry)
    if thing is None:
        return "Look at the service."
    return f"Look at the service, and say what you found: {task_that_settles(thing)} (or not_done)."


def task_that_settles(thing: Thing) -> str:
    """Return the task that says of a thing that it was carried out; it can be pasted into a playbook."""
    return f"hosting.management.settle: {json.dumps({**thing.options, 'outcome': 'done'}, ensure_ascii=False)}"


def _push_or_restore(environment_id: str, entry: Entry) -> Thing:
    if is_restore(entry):
        kind, option = RESTORE, {"backup_id": part_of(entry)["backup_id"]}
    else:
        kind, option = PUSH, {"what": PUSH} if entry.release is None else {"release": entry.release}
    return Thing(kind, named(entry), {"environment_id": environment_id, **option})


def _backup(ids: str, _entry: Entry) -> Thing:
    environment_id, _separator, tag = ids.partition("/")
    if not tag:
        return Thing(BACKUP, "a backup without a tag", {"environment_id": environment_id, "what": BACKUP})
    return Thing(BACKUP, f"the backup {tag}", {"environment_id": environment_id, "tag": tag})


def _environment(ids: str, _entry: Entry) -> Thing:
    site_id, _separator, name = ids.partition("/")
    return Thing(ENVIRONMENT, f"the environment {name}", {"site_id": site_id, "display_name": name})


def _domain(ids: str, _entry: Entry) -> Thing:
    environment_id, _separator, name = ids.partition("/")
    return Thing(DOMAIN, f"the change of the domain {name}", {"environment_id": environment_id, "domain_name": name})


def _dns_record(ids: str, _entry: Entry) -> Thing:
    domain_id, kind, name = ids.split("/", 2)
    return Thing(
        DNS_RECORD,
        f"the change of the {kind} record {name}",
        {"domain_id": domain_id, "type": kind, "name": name},
    )


_READ: dict[str, Callable[[str, Entry], Thing]] = {
    "env_push": _push_or_restore,
    "manual_backup": _backup,
    "plain_environment": _environment,
    "site_domain": _domain,
    "dns_record": _dns_record,
}
"""The subjects of the requests that must not be repeated, by their modules."""
