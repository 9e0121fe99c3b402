# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role deploy says before it does anything: what each environment has, and what is going to be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ..module_utils._progress import FAILED, FINISHED, IN_PROGRESS, SENT, UNKNOWN
from ..module_utils._text import printable
from .deployment import name_of
from .deployment_outcome import result_of
from .locks import met
from .plain_values import Record, plain
from .preflight import LIVE

MOST_RELEASES = 8  # that the plan names
AT_EACH_RUN = ("before_tasks", "after_push_tasks", "after_tasks", "domains", "sets_denied_ips", "verifies")
NEEDS = {
    FAILED: "deploy again, or roll back",
    IN_PROGRESS: "accepted; its end was not seen yet",
    SENT: "waits for an answer",
}
"""What a push or restore needs that has come so far."""


def preflight_of(settings: Record, known: Record, prediction: Record, line: str) -> Record:
    """Return what an environment has before a deployment, and what the push is going to be: what hooks get.

    ``push`` is ``off``, ``due``, ``there``, ``in progress`` or ``unknown``. ``is_due`` is False where all is on record
    already, and nothing is done at each run.

    :param settings: what is asked of the host, as deployment_settings.settings_of returns it.
    :param known: the result of release_info.
    :param prediction: the result of env_push in check mode; empty if nothing is pushed.
    :param line: the environment's line of the plan.
    """
    settings, known, prediction = plain(settings), plain(known), plain(prediction)
    push = _push(known, prediction)
    return {
        "environment": settings["environment"],
        "release": settings["release"],
        "release_before": known["release"] or "",
        "there": name_of(known) or "not known",
        "locks": known["locks"],
        "ignores_lock": settings["ignores_lock"],
        "is_live": (settings["environment_name"] or LIVE) == LIVE,
        "is_interrupted": bool(known["is_interrupted"]),
        "state_before": known["state"] or "",
        "push": push,
        "is_due": push != "there" or _is_more_due(settings, known),
        "line": str(line),
    }


def result_without_work(preflight: Record, settings: Record, known: Record, now: float) -> Record:
    """Return the result of an environment with nothing to do; an empty one where something is due."""
    if preflight["is_due"]:
        return {}
    return result_of({"before": known, "now": known}, settings, began=now, now=now)


def _is_more_due(settings: Record, known: Record) -> bool:
    """Tell whether anything is left to do once the release is there."""
    if any(settings[name] for name in AT_EACH_RUN):
        return True
    restart = known["php_restart"] or {}
    is_restarted = (
        known["is_restarted"] and restart.get("release") == settings["release"] and restart["state"] == FINISHED
    )
    is_cleared = set(settings["caches"]) <= set(known["cleared_caches"])
    return not is_cleared or (settings["restarts_php"] and not is_restarted)


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
    """Return what a deployment is going to do: numbers, and the ``text`` for people, line by line.

    ``confirms`` tells whether somebody at a terminal is to be asked, and ``locks`` what is said of them (locks.met).

    :param environments: those that passed the preflight (``preflight_of``).
    :param settings: what is asked of one of the hosts, as deployment_settings.settings_of returns it.
    :param backups: the result of backup_info, which tells whether the service can restore any.
    """
    environments, settings = plain(environments), plain(settings)
    by_push: dict[str, list[Record]] = {}
    for one in environments:
        by_push.setdefault(one["push"], []).append(one)
    due, waiting = by_push.get("due", []), by_push.get("in progress", [])
    releases = sorted(Counter(one["there"] for one in environments).items(), key=lambda one: one[0].lower())
    goes_back = "no"
    if settings["rolls_back"]:
        goes_back = "yes" if plain(backups or {}).get("backups") is not None else "cannot"
    plan = {
        "environments": len(environments),
        "due": len(due),
        "live_due": sum(one["is_live"] for one in due),
        "there": len(by_push.get("there", [])),
        "interrupted": sum(one["is_interrupted"] for one in waiting),
        "waiting": sum(not one["is_interrupted"] for one in waiting),
        "unknown": [one["environment"] for one in by_push.get("unknown", [])],
        "parts": _parts(settings["push"]),
        "releases": [f"{name} ({count})" for name, count in releases[:MOST_RELEASES]],
        "verify_urls": [printable(url) for url in settings["verify_urls"]],
        "goes_back": goes_back,
    }
    confirms = plan["live_due"] > 1 if settings["confirms"] is None else settings["confirms"]
    return {
        **plan,
        "confirms": bool(confirms and due and not settings["check_mode"]),
        "locks": met(environments),
        "text": [*_text(plan, settings), *(one["line"] for one in environments)],
    }


def _parts(push: Record) -> str:
    files = [", ".join(push["file_list"]) or "all files"] if push["push_files"] else []
    return " and ".join((["the database"] if push["push_db"] else []) + files)


def _text(plan: Record, settings: Record) -> Iterator[str]:
    """Yield what is going to be done in all environments."""
    many, tag = plan["environments"] != 1, settings["backup_tag"]
    check_mode = ", check mode: nothing will be changed" if settings["check_mode"] else ""
    yield f"Release {settings['release']} for {plan['environments']} environment{'s' if many else ''}{check_mode}."
    if settings["pushes"]:
        yield " ".join(_text_of_pushes(plan))
        backup = f", after a backup ({tag})" if settings["takes_backup"] else ", WITHOUT a backup"
        yield f"Each push brings {plan['parts']}{backup}."
    else:
        yield "Nothing is pushed (deploy_push is false)."
    yield f"Releases there now: {', '.join(plan['releases'])}."
    if plan["environments"] > 1:
        yield (
            f"Waves (deploy_serial): {', then '.join(map(str, settings['waves']))}. More than"
            f" {settings['may_fail']:g} % of failures in a wave stop the rest (deploy_max_fail_percentage)."
        )
    yield _text_of_verification(plan["verify_urls"], settings["verify"])
    if plan["goes_back"] == "yes":
        yield "When the push, the tasks after it or the verification fails, the backup is restored (deploy_rollback)."
    elif plan["goes_back"] == "cannot":
        yield f"This service cannot restore backups through its API. When something fails, restore {tag} by hand."
    elif settings["pushes"] and settings["takes_backup"]:
        yield "Nothing is rolled back automatically (deploy_rollback is false)."


def _text_of_pushes(plan: Record) -> Iterator[str]:
    yield f"To push: {plan['due']}. There already: {plan['there']}."
    if plan["waiting"]:
        yield f"Being pushed by another run, to be waited for: {plan['waiting']}."
    if plan["interrupted"]:
        yield f"Being pushed since an interrupted run, to be waited for: {plan['interrupted']}."
    if plan["unknown"]:
        yield f"Of unknown outcome, for you to settle: {', '.join(plan['unknown'])}."


def _text_of_verification(urls: list[str], is_wanted: bool) -> str:
    if not urls:
        return f"NOT verified: {'no address is known (deploy_verify_urls)' if is_wanted else 'deploy_verify is false'}."
    many = "" if len(urls) == 1 else "es"
    return f"Verified by asking {len(urls)} address{many} of each site, such as {urls[0]}."


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
        "release": name_of(seen) or "not known",
        "state": state,
        "since": ended or shown.get("sent_at") or "",
        "needs": f"hosting.management.settle ({what})" if state == UNKNOWN else NEEDS.get(state, ""),
        "lock": "; ".join(
            f"until {one['until']} by {one['author']}: {one['reason']}" for one in seen.get("locks") or []
        ),
    }
