# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What whole playbooks promise of a fleet, judged by the simulated service's own record and nothing else.

Each promise is a function from the world to sentences about where it was broken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from simulator.operations import Operation
from simulator.state import Backup, Environment, World

PUSH, RESTORE, BACKUP = "environments:push", "backups:restore", "backups:add-manual"
UPDATES = ("wp-plugin:update", "wp-plugin:bulk-update", "wp-theme:update", "wp-theme:bulk-update", "php:modify-version")


@dataclass
class Record:
    """What the service knows of the environments that a case is about, by their names.

    ``releases`` has the names of releases by the ids of the environments that they are pushed from. ``forced`` has the
    times (time.monotonic()) at which a person has said that something must be pushed whatever is there, by environment.
    """

    world: World
    names: dict[str, str]
    releases: dict[str, str]
    forced: dict[str, list[float]] = field(default_factory=dict)

    def operations(self, name: str, *kinds: str) -> list[Operation]:
        """The operations of these kinds that an environment had, in the order in which they were accepted."""
        return [
            one
            for one in self.world.operations.by_id.values()
            if one.environment_id == self.names[name] and one.kind in kinds
        ]

    def environment(self, name: str) -> Environment:
        return self.world.environments[self.names[name]]

    def backup(self, name: str, backup_id: int) -> Backup | None:
        return next((one for one in self.environment(name).backups if one.id == backup_id), None)

    def called(self, operation: Operation) -> str:
        """What an operation does, in words."""
        if operation.kind == PUSH:
            return f"the push of {self.releases[operation.asked['source_env_id']]}"
        if operation.kind == RESTORE:
            return f"the restore of backup {operation.asked['backup_id']}"
        return operation.kind

    def was_forced(self, name: str, operation: Operation) -> bool:
        """Whether a person forced a push of it, which counts for the first operation after that."""
        times = [moment for moment in self.forced.get(name, ()) if moment < operation.accepted_at]
        earlier = [
            one for one in self.operations(name, PUSH) if times and max(times) < one.accepted_at < operation.accepted_at
        ]
        return bool(times) and not earlier


def backups_are_of_a_settled_environment(record: Record) -> Iterator[str]:
    """No backup that was begun while something overwrote the environment is ever restored.

    Nor is one that something was put into before it was complete.
    """
    for name in record.names:
        overwriting = record.operations(name, PUSH, RESTORE)
        taken = {(one.data or {}).get("id"): one for one in record.operations(name, BACKUP) if one.state == "finished"}
        for restore in record.operations(name, RESTORE):
            backup = taken.get(restore.asked["backup_id"])
            for other in overwriting if backup else ():
                if other.is_under_way(backup.accepted_at):
                    yield f"{name}: {record.called(restore)}, which was begun during {record.called(other)}"
                elif backup.accepted_at <= other.accepted_at < backup.ended_at:
                    yield f"{name}: {record.called(restore)}, before whose end {record.called(other)} was begun"


def one_overwrites_at_a_time(record: Record) -> Iterator[str]:
    """No push and no restore begins while another push or restore of that environment goes on."""
    for name in record.names:
        overwriting = record.operations(name, PUSH, RESTORE)
        for number, one in enumerate(overwriting):
            for other in overwriting[:number]:
                if other.is_under_way(one.accepted_at):
                    yield f"{name}: {record.called(one)} was begun during {record.called(other)}"


def nothing_is_overwritten_without_a_backup(record: Record) -> Iterator[str]:
    """Before a push there is a backup of what the push before it, or a restore, had brought.

    What failed on its way needs none, since the backup of before it is the one to go back to.
    """
    for name in record.names:
        overwriting = record.operations(name, PUSH, RESTORE)
        taken = [one for one in record.operations(name, BACKUP) if one.state == "finished"]
        for number, push in enumerate(overwriting):
            last = overwriting[number - 1] if number else None
            if push.kind != PUSH or record.was_forced(name, push) or (last and last.state != "finished"):
                continue
            since = last.accepted_at if last else float("-inf")
            if not any(since <= one.accepted_at and one.ended_at <= push.accepted_at for one in taken):
                yield f"{name}: {record.called(push)} without a backup since {record.called(last) if last else 'ever'}"


def nothing_is_done_twice(record: Record) -> Iterator[str]:
    """What is there is not pushed or restored again, unless a person forces it."""
    for name in record.names:
        overwriting = record.operations(name, PUSH, RESTORE)
        for last, one in pairwise(overwriting):
            is_same = last.state != "failed" and record.called(last) == record.called(one)
            if is_same and not record.was_forced(name, one):
                yield f"{name}: {record.called(one)} for the second time"


def a_version_breaks_one_site(record: Record) -> Iterator[str]:
    """What has broken a site is installed in no other one, as long as the first was not restored from before it."""
    for software in record.world.settings.breaking:
        broken: list[tuple[str, Operation]] = []
        for name in record.names:
            broken += [(name, one) for one in record.operations(name, *UPDATES) if software in one.installed]
        broken.sort(key=lambda one: one[1].accepted_at)
        for number, (name, update) in enumerate(broken):
            for other, cause in broken[:number]:
                if other != name and not _was_restored(record, other, cause, update.accepted_at, software):
                    yield f"{name}: got {software}, although it had broken {other}"
                    break


def _was_restored(record: Record, name: str, cause: Operation, before: float, software: str) -> bool:
    """Whether an environment was put back to a backup without that software, between its update and a moment."""
    for restore in record.operations(name, RESTORE):
        backup = record.backup(name, restore.asked["backup_id"])
        held = {f"plugin {one.name} {one.version}" for one in backup.plugins} if backup else set()
        held |= {f"theme {one.name} {one.version}" for one in backup.themes} if backup else set()
        is_between = restore.ended_at and cause.ended_at <= restore.ended_at <= before
        if restore.state == "finished" and is_between and not software.startswith("php") and software not in held:
            return True
    return False


def journal_is_right(record: Record, name: str, shown: dict) -> Iterator[str]:
    """The release that is there is the one that the journal names; ``shown`` is what release_info tells."""
    there = record.environment(name).content.files
    if shown["restored_backup"]:
        state, backup_id = shown["restored_backup"]["state"], shown["restored_backup"]["backup_id"]
        backup, called = record.backup(name, backup_id), f"backup {backup_id}"
        is_there = backup is not None and backup.content.files == there
    elif shown["release"]:
        state, called = shown["state"], shown["release"]
        is_there = there.split(" ")[0] == called
    else:
        state, called = "finished", "no release"
        is_there = not record.operations(name, PUSH, RESTORE)
    if state != "finished":
        yield f"{name}: the journal says in the end that {called} is {state}"
    elif not is_there:
        yield f"{name}: the journal names {called}, and there is {there!r}"


PROMISES = {
    "backup of the wrong moment": backups_are_of_a_settled_environment,
    "two at once": one_overwrites_at_a_time,
    "no backup": nothing_is_overwritten_without_a_backup,
    "done twice": nothing_is_done_twice,
    "canary": a_version_breaks_one_site,
}
"""The promises that the service's record alone can show, by the words that violations are counted by."""


def violations(record: Record) -> Iterator[tuple[str, str]]:
    """Yield the promises that were broken, and where."""
    for promise, is_kept in PROMISES.items():
        for sentence in dict.fromkeys(is_kept(record)):
            yield promise, sentence
