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
from . import plan as plans
from .deployment import name_of
from .deployment_outcome import result_of
from .locks import met
from .plain_values import Record, plain
from .preflight import LIVE
from .text_table import LONGEST_UNFOLDED

MOST_RELEASES = 8  # that the plan names
LEFT_ALONE = ("there", "not planned")
AT_EACH_RUN = ("before_tasks", "after_push_tasks", "after_tasks", "wp_cli")
NEEDS = {
    FAILED: "deploy again, or roll back",
    IN_PROGRESS: "accepted; its end was not seen yet",
    SENT: "waits for an answer",
}
"""What a push or restore needs that has come so far."""


def preflight_of(
    settings: Record,
    known: Record,
    prediction: Record,
    line: str,
    parts: Record | None = None,
    site: Record | None = None,
) -> Record:
    """Return what an environment has before a deployment, and what the push is going to be: what hooks get.

    ``push`` is ``off``, ``due``, ``there``, ``in progress`` or ``unknown``, or ``not planned`` where it is due and the
    plan, which the run is held to, does not fit. ``is_due`` is False there, and where all is as it should be already,
    as far as that is known, and nothing is done at each run. ``asks_site`` says that only the site has to be asked yet.

    :param settings: what is asked of the host, as deployment_settings.settings_of returns it.
    :param known: what release_info returns.
    :param prediction: what deployment_info has of the push; empty if nothing is pushed.
    :param line: the environment's line of the plan.
    :param parts: how the environment differs from what is declared (deployment_info), if it was compared.
    :param site: what site_check has found out about its site, if that was asked.
    """
    settings, known, prediction = plain(settings), plain(known), plain(prediction)
    push = state_of_push(known, prediction)
    if push == "due" and _is_unplanned(settings, known):
        push = "not planned"
    is_more_due = _is_more_due(settings, known, plain(parts or {}))
    asks_site = push == "there" and not is_more_due and settings["verifies"] and not settings["check_mode"]
    is_well = not asks_site or plain(site or {}).get("failed") is False
    return {
        "environment": settings["environment"],
        "release": settings["release"],
        "release_before": known["release"] or "",
        "there": _words_of(known),
        "locks": known["locks"],
        "ignores_lock": settings["ignores_lock"],
        "is_live": (settings["environment_name"] or LIVE) == LIVE,
        "is_interrupted": bool(known["is_interrupted"]),
        "state_before": known["state"] or "",
        "push": push,
        "is_due": push != "not planned" and (push != "there" or is_more_due or not is_well),
        "asks_site": asks_site,
        "line": str(line),
    }


def result_without_work(preflight: Record, settings: Record, known: Record, now: float) -> Record:
    """Return the result of an environment with nothing to do, or nothing that is planned; else an empty one."""
    if preflight["is_due"]:
        return {}
    result = result_of({"before": known, "now": known}, settings, began=now, now=now)
    if preflight["push"] == "not planned":
        result.update(
            failed=True,
            error={"kind": "check_failed"},
            problem=_why_unplanned(settings, known),
            advice="Nothing was done there. Make a new plan.",
        )
    return result


def _is_unplanned(settings: Record, known: Record) -> bool:
    """Tell whether a push that is due is not the one that the plan has."""
    planned = settings.get("planned")
    if planned is None:
        return False
    push = plans.change_of(planned, "push")
    return push is None or push["before"] != name_of(known)


def _why_unplanned(settings: Record, known: Record) -> str:
    push, there = plans.change_of(settings["planned"], "push"), name_of(known) or "no known release"
    if push is None:
        return f"{settings['release']} is to be pushed, and the plan has no push: it has {there} now."
    return f"It has {there}, and the plan saw {push['before'] or 'no known release'}."


def _is_more_due(settings: Record, known: Record, parts: Record) -> bool:
    """Tell whether anything is left to do once the release is there."""
    wanted = {"domains": settings["domains"], "denied_ips": settings["sets_denied_ips"]}
    are_there = all(parts.get(name, {}).get("differs") is False for name, is_wanted in wanted.items() if is_wanted)
    return any(settings[name] for name in AT_EACH_RUN) or not are_there or not is_refreshed(settings, known)


def is_refreshed(settings: Record, known: Record) -> bool:
    """Tell whether PHP was restarted for the release, and the caches were cleared, as far as that is wanted."""
    restart = known["php_restart"] or {}
    is_restarted = (
        known["is_restarted"] and restart.get("release") == settings["release"] and restart["state"] == FINISHED
    )
    is_cleared = set(settings["caches"]) <= set(known["cleared_caches"])
    return is_cleared and bool(is_restarted or not settings["restarts_php"])


def state_of_push(known: Record, prediction: Record) -> str:
    """Return what becomes of the push: ``off``, ``due``, ``there``, ``in progress`` or ``unknown``."""
    kind = (prediction.get("error") or {}).get("kind")
    if not prediction:
        return "off"
    if kind == "outcome_unknown":
        return "unknown"
    if prediction.get("is_pushed") or kind:
        return "due"
    return "in progress" if known["state"] in (IN_PROGRESS, SENT) else "there"


def _words_of(known: Record) -> str:
    """Return which release is there; of one whose push has failed, or nobody knows how it ended, also that."""
    name = name_of(known) or "not known"
    state = None if known.get("restored_backup") else known["state"]
    return name + {UNKNOWN: ", unknown", FAILED: ", failed"}.get(state or "", "")


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
    unplanned = [one["environment"] for one in by_push.get("not planned", [])]
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
        "unplanned": unplanned,
        "unknown": [one["environment"] for one in by_push.get("unknown", [])],
        "parts": plans.pushed_parts(settings["push"]),
        "releases": [f"{name} ({count})" for name, count in releases[:MOST_RELEASES]],
        "verify_urls": [printable(url) for url in settings["verify_urls"]],
        "goes_back": goes_back,
    }
    confirms = plan["live_due"] > 1 if settings["confirms"] is None else settings["confirms"]
    return {
        **plan,
        "confirms": bool(confirms and due and not settings["check_mode"]),
        "locks": met(environments),
        "text": [*_text(plan, settings), *_lines([one for one in environments if one["push"] not in LEFT_ALONE])],
    }


def _lines(environments: list[Record]) -> list[str]:
    """Return the lines of the environments; of many, one for all that get the same."""
    if len(environments) <= LONGEST_UNFOLDED:
        return [one["line"] for one in environments]
    alike: dict[str, list[str]] = {}
    for one in environments:
        what = str(one["line"]).removeprefix(f"{one['environment']}: ").partition(" (")[0]
        alike.setdefault(what, []).append(one["environment"])
    return [f"{what}: {', '.join(map(printable, names))}" for what, names in alike.items()]


def _text(plan: Record, settings: Record) -> Iterator[str]:
    """Yield what is going to be done in all environments."""
    many, tag = plan["environments"] != 1, settings["backup_tag"]
    check_mode = ", check mode: nothing will be changed" if settings["check_mode"] else ""
    yield f"Release {settings['release']} for {plan['environments']} environment{'s' if many else ''}{check_mode}."
    if settings["pushes"]:
        yield " ".join(_text_of_pushes(plan))
        if plan["due"]:
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
    if plan["unplanned"]:
        yield f"Not as the plan saw them, to be left alone: {', '.join(plan['unplanned'])}."
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
