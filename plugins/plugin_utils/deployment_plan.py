# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role deploy says before it does anything: what is missing or misspelled, and what it is going to do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from os.path import isfile, realpath
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ..module_utils._progress import FAILED, FINISHED, IN_PROGRESS, SENT, UNKNOWN
from ..module_utils._text import printable, without_login
from .plain_values import Record, plain
from .preflight import LIVE

RELEASE = ("deploy_release", "the name of the release", "-e deploy_release=v1.2.3")
SITE = ("deploy_site_id", "the id of its site", "hosting_site_id in the inventory")
TARGET = (
    "deploy_environment_id",
    "the id of the environment to deploy to",
    "hosting_environment_id in the inventory",
)
SOURCE = (
    "deploy_source_environment_id",
    "the id of the environment to push from",
    "hosting_source_environment_id in the inventory; nothing is pushed with deploy_push: false",
)
NOTIFIED = (
    "deploy_notified_user_id",
    "the id of the user of the company whom the service tells when a rollback has ended",
    "-e deploy_notified_user_id=..., or hosting_notified_user_id in the inventory",
)
ROLLED_BACK = (
    "deploy_environment_id",
    "the id of the environment to roll back",
    "hosting_environment_id in the inventory",
)
HOOKS = ("deploy_before_tasks", "deploy_after_push_tasks", "deploy_after_tasks")
MOST_RELEASES = 8  # that the plan names
NEEDS = {
    FAILED: "deploy again, or roll back",
    IN_PROGRESS: "accepted; its end was not seen yet",
    SENT: "waits for an answer",
}
"""What a push or restore needs that has come so far."""


def listed(value: Any) -> list[str]:
    """Return a list that may have been given as ``-e name=value``, which is a text with commas."""
    return [str(one) for one in (value.split(",") if isinstance(value, str) else value or []) if one]


def problems_of(
    given: Record,
    host: str,
    *,
    options: Record | None = None,
    waves: Record | None = None,
    is_file: Callable[[str], bool] = isfile,
) -> list[str]:
    """Return a sentence for each variable that is missing or cannot be meant. Of wrong types, nothing else is told.

    :param given: the values of the role's variables that are set, by their names.
    :param host: the name of the environment.
    :param options: what the variables of a deployment have to be, as an argument spec. Without it, it is about a
        rollback, whose variables its modules check.
    :param waves: of the playbook deploy: ``sizes``, and whether they are those that Ansible uses (``are_in_force``).
    :param is_file: tells whether there is a file of that name.
    """
    given = plain(given)
    found = [f"{name} has no value (null). Give it one, or leave it out." for name, one in given.items() if one is None]
    if options is None:
        return found + _lacking(given, host, [ROLLED_BACK, NOTIFIED])
    wanted, wrong = _checked(given, options)
    if wrong:
        return wrong
    return [
        *found,
        *_lacking(given, host, _required(wanted)),
        *_contradictions(given, wanted),
        *_problems_of_waves(waves or {}),
        *(
            f"{name} has {file}, and there is no such file. A relative path begins at the folder that ansible-playbook"
            " runs in."
            for name in HOOKS
            for file in listed(given.get(name))
            if not is_file(realpath(file))
        ),
    ]


def _checked(given: Record, options: Record) -> tuple[Record, list[str]]:
    """Return the values as the role's types have them, and a sentence for each that cannot be of its type."""
    checked = ArgumentSpecValidator(plain(options)).validate({k: v for k, v in given.items() if v is not None})
    return checked.validated_parameters, [f"{printable(one)}." for one in checked.error_messages]


def _required(wanted: Record) -> list[tuple[str, str, str]]:
    required = [RELEASE, SITE, TARGET]
    if wanted.get("deploy_push"):
        required.append(SOURCE)
    if wanted.get("deploy_rollback"):
        name, what, how = NOTIFIED
        required.append((name, what, f"{how}; nothing is rolled back with deploy_rollback: false"))
    return required


def _lacking(given: Record, host: str, required: list[tuple[str, str, str]]) -> list[str]:
    return [
        f"{host} lacks {name}, {what} ({how})."
        for name, what, how in required
        if given.get(name, "") is not None and not str(given.get(name, "")).strip()
    ]


def _contradictions(given: Record, wanted: Record) -> Iterator[str]:
    if isinstance(given.get("deploy_release"), float):
        yield (
            f"deploy_release is the number {given['deploy_release']}. Write it in quotes: without them, 1.10 and 1.1"
            " are the same."
        )
    if wanted.get("deploy_rollback") and not wanted.get("deploy_backup"):
        yield "deploy_rollback needs deploy_backup: there would be nothing to go back to."
    if wanted.get("deploy_rollback") and not wanted.get("deploy_push"):
        yield "deploy_rollback needs deploy_push: there would be nothing to go back from."
    if wanted.get("deploy_verify"):
        yield from _problems_of_verification(wanted)
    if wanted.get("deploy_set_denied_ips") and "deploy_denied_ips" not in given:
        yield "deploy_set_denied_ips needs deploy_denied_ips, the addresses."


def _problems_of_verification(wanted: Record) -> Iterator[str]:
    for url in wanted.get("deploy_verify_urls") or []:
        if not re.match(r"(?i)https?://[^/?#@\s]+([/?#]|$)", url.strip()):
            yield (
                f"deploy_verify_urls has {printable(without_login(url))}, which is not an address such as"
                " https://shop.example.com, without a login."
            )
    attempts, pause, timeout = (
        wanted.get(f"deploy_verify_{name}", fallback)
        for name, fallback in (("attempts", 1), ("pause", 0), ("timeout", 1))
    )
    if attempts < 1 or pause < 0 or timeout <= 0:
        yield (
            "deploy_verify_attempts must be 1 or more, deploy_verify_pause 0 or more, and deploy_verify_timeout more"
            " than 0."
        )


def _problems_of_waves(waves: Record) -> Iterator[str]:
    if not waves.get("are_in_force", True):
        yield (
            "deploy_serial and deploy_max_fail_percentage apply to all hosts at once, so they have no effect in the"
            " inventory: give them with -e."
        )
    for size in waves.get("sizes") or []:
        if not re.fullmatch("[0-9]+%?", str(size)):
            yield f"deploy_serial has {size}, which is neither a number of environments nor a percentage such as 50%."


def preflight_of(host: Record, known: Record, prediction: Record, line: str) -> Record:
    """Return what an environment has before a deployment, and what the push is going to be: what hooks get.

    ``push`` is ``off``, ``due``, ``there``, ``in progress`` or ``unknown``. ``is_due`` is False where all is on record
    already, and nothing is done at each run.

    :param host: ``environment``, ``release``, ``environment_name`` (as the service names it), ``ignores_lock``;
        and what is wanted: ``tasks``, ``domains``, ``sets_denied_ips``, ``restarts_php``, ``caches``, ``verifies``.
    :param known: the result of release_info.
    :param prediction: the result of env_push in check mode; empty if nothing is pushed.
    :param line: the environment's line of the plan.
    """
    host, known, prediction = plain(host), plain(known), plain(prediction)
    push = _push(known, prediction)
    restored = known["restored_backup"]
    return {
        "environment": host["environment"],
        "release": str(host["release"]),
        "release_before": known["release"] or "",
        "there": f"backup {restored['backup_id']}" if restored else known["release"] or "not known",
        "locks": known["locks"],
        "ignores_lock": bool(host["ignores_lock"]),
        "is_live": (host["environment_name"] or LIVE) == LIVE,
        "is_interrupted": bool(known["is_interrupted"]),
        "state_before": known["state"] or "",
        "push": push,
        "is_due": push != "there" or _is_more_due(host, known),
        "line": str(line),
    }


def _is_more_due(host: Record, known: Record) -> bool:
    """Tell whether anything is left to do once the release is there."""
    if host["tasks"] or host["domains"] or host["sets_denied_ips"] or host["verifies"]:
        return True
    restart = known["php_restart"] or {}
    is_restarted = (
        known["is_restarted"] and restart.get("release") == str(host["release"]) and restart["state"] == FINISHED
    )
    is_cleared = set(listed(host["caches"])) <= set(known["cleared_caches"])
    return not is_cleared or (bool(host["restarts_php"]) and not is_restarted)


def _push(known: Record, prediction: Record) -> str:
    kind = (prediction.get("error") or {}).get("kind")
    if not prediction or prediction.get("skipped"):
        return "off"
    if kind == "outcome_unknown":
        return "unknown"
    if prediction.get("is_pushed") or kind:
        return "due"
    return "in progress" if known["state"] in (IN_PROGRESS, SENT) else "there"


def plan_of(environments: list[Record], settings: Record, backups: Record | None = None) -> Record:
    """Return what a deployment is going to do.

    :param environments: those that passed the preflight (``preflight_of``).
    :param settings: the role's variables ``deploy_push_db``, ``deploy_push_files``, ``deploy_file_list``,
        ``deploy_verify_urls`` (empty if nothing is verified) and ``deploy_rollback``, without their prefix.
    :param backups: the result of backup_info, which tells whether the service can restore any.
    """
    environments, settings = plain(environments), plain(settings)
    by_push: dict[str, list[Record]] = {}
    for one in environments:
        by_push.setdefault(one["push"], []).append(one)
    due, waiting = by_push.get("due", []), by_push.get("in progress", [])
    files = [", ".join(listed(settings["file_list"])) or "all files"] if settings["push_files"] else []
    releases = sorted(Counter(one["there"] for one in environments).items(), key=lambda one: one[0].lower())
    goes_back = "no"
    if settings["rollback"]:
        goes_back = "yes" if plain(backups or {}).get("backups") is not None else "cannot"
    return {
        "environments": len(environments),
        "due": len(due),
        "live_due": sum(one["is_live"] for one in due),
        "there": len(by_push.get("there", [])),
        "interrupted": sum(one["is_interrupted"] for one in waiting),
        "waiting": sum(not one["is_interrupted"] for one in waiting),
        "unknown": [one["environment"] for one in by_push.get("unknown", [])],
        "parts": " and ".join((["the database"] if settings["push_db"] else []) + files),
        "releases": [f"{name} ({count})" for name, count in releases[:MOST_RELEASES]],
        "verify_urls": [printable(url) for url in listed(settings["verify_urls"])],
        "goes_back": goes_back,
        "lines": [one["line"] for one in environments],
    }


def releases_of(hosts: list[str], ids: list[Any], known: list[Record]) -> list[Record]:
    """Return which release each environment has, as the playbook releases lists them.

    :param hosts: the names of the environments.
    :param ids: their ids; empty where there is none.
    :param known: the results of release_info; empty where it was not asked.
    """
    return [
        {"environment": str(host), "environment_id": str(environment_id or ""), **_release_of(plain(seen or {}))}
        for host, environment_id, seen in zip(hosts, ids, known, strict=True)
    ]


def _release_of(seen: Record) -> Record:
    back = seen.get("restored_backup")
    shown = back or seen
    state, parts = shown.get("state") or "", seen.get("parts") or []
    ended = back["ended_at"] if back else next((one["ended_at"] for one in parts[-1:]), None)
    what = f"backup_id {back['backup_id']}" if back else f"release {seen.get('release')}"
    if not back and not seen.get("release"):
        what = "what: push"
    return {
        "release": f"backup {back['backup_id']}" if back else seen.get("release") or "not known",
        "state": state,
        "since": ended or shown.get("sent_at") or "",
        "needs": f"hosting.management.settle ({what})" if state == UNKNOWN else NEEDS.get(state, ""),
        "lock": "; ".join(
            f"until {one['until']} by {one['author']}: {one['reason']}" for one in seen.get("locks") or []
        ),
    }
