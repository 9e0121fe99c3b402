# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pushes of one environment of a site to another, sent or foreseen."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from ._arguments import ModuleSpec, Nested, Option, change_options, text_option, uuid_option
from ._checks import checked_not_negative, checked_relative_paths
from ._context import Context
from ._convergence import once
from ._errors import HostingError, InvalidInput, JournalError
from ._interface import PUSH_ENVIRONMENT
from ._journal import Entry
from ._parts import backup
from ._phases import begun, in_phases, operations_of, require_result
from ._release_backups import require_backup
from ._under_way import Kind, Start

OPTIONS: dict[str, dict[str, Any]] = {
    "site_id": uuid_option(),
    "source_env_id": uuid_option(),
    "push_db": {"type": "bool"},
    "push_files": {"type": "bool"},
    "run_search_and_replace": {"type": "bool"},
    "push_files_option": {"type": "str", "choices": ["ALL_FILES", "SPECIFIC_FILES"]},
    "file_list": Option(checked_relative_paths, type="list", elements="str"),
    "release": text_option(required=False),
    "requires_backup": {"type": "bool", "default": False},
}
"""The options of a push, besides the environment that it overwrites."""

BEGUN: dict[str, dict[str, Any]] = {
    "started": {"type": "dict", "required": True},
    "ended": {"type": "dict"},
    "pause_when_unknown": Option(checked_not_negative, type="float", default=0),
}
"""The options of what an earlier task has begun, and this one brings to its end before its own work."""
TARGET: dict[str, dict[str, Any]] = {
    "target_env_id": uuid_option(),
    "backup": Nested(ModuleSpec(BEGUN, needs_service=False)),
}
SHORTEST_WAIT = 1.0  # seconds, for what should have ended long ago
BACKUP, PUSH = "backup", "push"
"""What a failure says that is not of the task's own work, but of what comes before it."""


def complete(params: dict[str, Any]) -> None:
    """Refuse a push that makes no sense, and say whether it brings files and database, lest the service decides."""
    if params.get("backup") is not None and params["release"] is None:
        raise InvalidInput("backup needs a release, which it was taken for. Nothing was sent.")
    if params["requires_backup"] and params["release"] is None:
        raise InvalidInput("requires_backup needs a release, which the backup was taken for. Nothing was sent.")
    if params["source_env_id"] == params.get("target_env_id"):
        raise InvalidInput("source_env_id and target_env_id are the same environment. Nothing was sent.")
    if params["push_files_option"] == "SPECIFIC_FILES" and not params["file_list"]:
        raise InvalidInput("push_files_option: SPECIFIC_FILES needs a file_list that is not empty. Nothing was sent.")
    if params["file_list"] and params["push_files_option"] != "SPECIFIC_FILES":
        raise InvalidInput("file_list needs push_files_option: SPECIFIC_FILES. Nothing was sent.")
    if params["push_db"] is None:
        params["push_db"] = not params["push_files"]
        if params["push_files"] is None:
            params["push_files"] = True
    elif params["push_files"] is None:
        params["push_files"] = not params["push_db"]
    if not params["push_db"] and not params["push_files"]:
        raise InvalidInput("push_db and push_files are both false, so there is nothing to push. Nothing was sent.")
    if params["push_files_option"] and not params["push_files"]:
        raise InvalidInput("push_files_option needs push_files: true. Nothing was sent.")
    if params["run_search_and_replace"] is None:
        params["run_search_and_replace"] = params["push_db"]


def push(context: Context) -> dict[str, Any]:
    """Push one environment of a site to another (interface section 4.19), unless its release is there."""
    taken = _backup_taken(context)
    body = context.given(
        "source_env_id",
        "target_env_id",
        "push_db",
        "push_files",
        "run_search_and_replace",
        "push_files_option",
        "file_list",
    )
    is_guarded = context["requires_backup"] and not context.force
    needed = partial(require_backup, context, context["target_env_id"], context["release"])
    try:
        outcome = once(
            context,
            subject=("env_push", context["target_env_id"]),
            request=PUSH_ENVIRONMENT(site_id=context["site_id"], body=body),
            release=context["release"],
            part=_part(body),
            at_each_run=context["release"] is None,
            start=Start(Kind.PUSH, context["target_env_id"]),
            prepare=needed if is_guarded else None,
            begun=begun(context),
        )
    except HostingError as error:
        error.results.update(taken)
        raise
    return outcome.result(is_pushed=outcome.changed, **taken)


def _backup_taken(context: Context) -> dict[str, Any]:
    """Return the backup that an earlier task has begun for the release, when it has ended; nothing where none has."""
    asked = context.get("backup")
    if asked is None:
        return {}
    try:
        _require_result_of(asked["started"], BACKUP, "manual_backup", "backup")
        own: dict[str, Any] = {
            **dict.fromkeys(backup.OPTIONS),
            "tag": (asked["started"]["backup"] or {}).get("tag"),
            "release": context["release"],
            "environment_id": context["target_env_id"],
            "wait_timeout": _time_left(context, context["target_env_id"], asked["started"]),
            **asked,
        }
        result = in_phases(backup.run)(context.narrowed(own))
    except HostingError as error:
        error.results["failed_step"] = BACKUP
        raise
    return {"backup": result.get("backup")}


def begun_push_options() -> dict[str, dict[str, Any]]:
    """The option of a task that brings a push to its environment to its end before its own work."""
    return {"push": Nested(ModuleSpec(OPTIONS, change_options(), BEGUN, rule=complete, needs_service=False))}


def ended_push(context: Context) -> dict[str, Any]:
    """Return the result of the push that the task's ``push`` has begun, when it has ended; nothing where none has.

    Of the operation, it also has the ``seconds`` that it took, as far as the journal tells.
    """
    asked = context["push"]
    if asked is None:
        return {}
    environment_id = context["environment_id"]
    own = {"target_env_id": environment_id, "backup": None, "wait_until": "ended", "wait": True}
    try:
        _require_result_of(asked["started"], PUSH, "env_push", "is_pushed")
        patience = {"wait_timeout": _time_left(context, environment_id, asked["started"])}
        result = in_phases(push)(context.narrowed({**asked, **own, **patience}))
    except HostingError as error:
        error.results["failed_step"] = PUSH
        raise
    operation = result.get("operation")
    if operation:
        rows = _rows_of(context, environment_id, [operation["id"]])
        taken = [round(max(0.0, row.ended_at - row.sent_at), 1) for row in rows if row.ended_at is not None]
        result["operation"] = {**operation, "seconds": next(iter(taken), None)}
    return {"push": result}


def _require_result_of(started: Mapping[str, Any], option: str, module: str, value: str) -> None:
    """Refuse what is no result of a module that has succeeded, as it then returns a certain value."""
    require_result(started, f"{option}.started")
    if started.get("failed") or value not in started:
        raise InvalidInput(
            f"{option}.started is no result of a task of {module} that has succeeded, so nobody knows whether there is"
            f" anything to wait for. Hand it the task's registered result. Nothing was sent."
        )


def _time_left(context: Context, environment_id: str, started: Mapping[str, Any]) -> float:
    """Return for how many seconds to wait for what an earlier task has begun, since its request counts.

    Many that hang are waited for one after another by the hosts of a fleet, and together so long as one of them is.
    """
    rows = _rows_of(context, environment_id, [one.get("id") for one in operations_of(started)])
    ages = [time.time() - row.sent_at for row in rows if row.is_by_this_clock()]
    return max(SHORTEST_WAIT, context.wait_timeout - max(ages, default=0.0))


def _rows_of(context: Context, environment_id: str, operation_ids: list[str | None]) -> list[Entry]:
    known = context.journal.of_environment(context.client.base_url, environment_id)
    return [row for _subject, row in known if row.operation_id and row.operation_id in operation_ids]


def foreseen(context: Context, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return whether a push to the task's environment would be sent, as the journal has it now, or why not.

    :param options: those of OPTIONS, and ``force``.
    """
    part = context.narrowed({**options, "target_env_id": context["environment_id"]}, check_mode=True)
    try:
        return {"is_pushed": push(part)["is_pushed"], "msg": None, "error": None}
    except (InvalidInput, JournalError):
        raise
    except HostingError as error:
        result = error.as_result()
        return {"is_pushed": False, "msg": result["msg"], "error": result["error"]}


def _part(body: dict[str, Any]) -> dict[str, Any]:
    """Return what of a release the push brings, in one form for all ways to say the same."""
    part = {name: value for name, value in body.items() if name not in ("target_env_id", "push_files_option")}
    part["file_list"] = sorted(set(body.get("file_list") or ()))
    return part
