# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a deployment to one environment has come, and which of its steps are left."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ..module_utils._phases import operations_of
from ..module_utils._progress import FINISHED, IN_PROGRESS
from .deployment import goes_back
from .deployment_outcome import end_of_push
from .deployment_plan import is_refreshed, state_of_push
from .locks import met
from .part_differences import waiting_in
from .plain_values import Record, plain

OF_ALL = ("journal", "look", "verified", "waited")
"""The results of tasks that were run once for all environments of the wave, or as such a task."""


def known_of(names: Record, variables: Mapping[str, Any]) -> Record:
    """Return how far a host has come, and which steps are left, as documented for the lookup deploy_steps.

    :param names: the names of the variables that have what the tasks have registered.
    :param variables: those of the host.
    """
    names = plain(names)
    registered = {
        known: [variables[one] for one in name] if isinstance(name, list) else variables[name]
        for known, name in names.items()
    }
    settings = plain(registered.pop("settings"))
    done = done_of(registered, settings)
    return {
        "done": done,
        **steps_of(done, settings, time.time()),
        "looked": done["looked"],
        "site": done["site"],
        "ended": {"operations": done["ends"]} if done["ends"] else {},
        "for_hooks": {"backup": done["backup"]["backup"], "is_pushed": done["is_pushed"]},
    }


def done_of(registered: Record, settings: Record) -> Record:
    """Return what was found out and done so far, from what the tasks have registered.

    Of what one task has found out for all environments of the wave, this one's is returned: ``looked`` (what the
    journal has), ``site`` (what was found out about the site after the deployment) and ``ends``, the operations that
    were waited for. ``backup`` and ``push`` have begun in one task and ended in another, ``push_end``, which may have
    been that of ``kept``. ``is_pushed`` tells whether this release is new to the site, and ``news`` has the ``release``
    for which the site forgets what was there, and whether this run has brought it (``is_new``). All else is returned
    as it is.

    :param registered: results of the tasks: ``journal`` and ``look`` (deployment_info, for all and for this one alone),
        ``verified`` (site_check), ``waited`` (each an operation_wait, or a loop of them), ``backup`` (manual_backup),
        ``push``, ``push_end`` (env_push), ``kept``, ``parts`` (environment), ``restore`` (backup_restore),
        ``pictures_before`` (site_snapshot), the backup that was ``chosen``, and the ``failure``. What has not come yet
        is empty. They may be values of a playbook (see plain_values).
    :param settings: what is asked of the host, as deployment_settings.settings_of returns it.
    """
    environment_id = settings["environment_id"]
    # What is known of all environments grows with the wave, so the values of the others are not even looked at.
    looks = [_part_of(registered[name], "environments", environment_id) for name in ("look", "journal")]
    looked = plain(next(filter(None, looks), {}))
    site = plain(_part_of(registered["verified"], "sites", settings["environment"]))
    waited = plain(_ends(registered["waited"], environment_id))
    registered = plain({name: value for name, value in registered.items() if name not in OF_ALL})
    backup, push, ended = registered["backup"], registered["push"], registered["kept"].get("push") or {}
    ends = [*waited, *([ended["operation"]] if ended.get("operation") else [])]
    is_pushed = bool(push.get("changed") or _is_half_done(settings, looked.get("releases") or {}))
    done = {
        **registered,
        "push_end": registered["push_end"] or ended,
        "looked": looked,
        # After a rollback, it is asked anew.
        "site": {} if registered["chosen"] else site,
        "ends": ends,
        "backup": {
            "changed": bool(backup.get("changed")),
            "removed": backup.get("removed") or [],
            "backup": push.get("backup") or backup.get("backup") or {},
        },
        "is_pushed": is_pushed,
        "news": {"release": settings["release"], "is_new": is_pushed},
    }
    if registered["chosen"]:
        release = f"{registered['chosen'].get('release')}, backup {registered['chosen'].get('backup_id')}"
        done["news"] = {"release": release, "is_new": bool(registered["restore"].get("changed"))}
    return done


def steps_of(done: Record, settings: Record, now: float) -> Record:
    """Return which steps an environment has before it.

    ``brings`` says how the release comes: with ``push``, with ``push_with_pictures``, or with ``nothing``, and
    ``has_more_before`` whether something comes before that; ``way`` is ``environment`` where it is just a push, and
    otherwise ``environment_with_more``. ``open_push`` is this run's push as environment takes it, to bring it to its
    end, or empty. In the same way, ``after_push`` says whether something may come between
    (``after_push``) before the site forgets what was there (``refresh``), ``last`` whether something has to be brought
    to its end first (``ended``), and ``verification`` whether the site is asked (``verify``), because it did not work
    when all sites were asked, or was not asked with them, or whether there is more (``last``).

    ``declares`` tells whether domains and denied addresses are still to be seen to; ``declaration`` is what environment
    takes for them, and for what makes the site forget what was there. ``is_open`` tells whether not all
    that was begun so has ended well, and ``push_is_open`` whether this run's push has not. ``asks_site``,
    ``compares_pictures``, ``goes_back`` and ``reads_again`` tell about the steps at the end. ``meets_locks`` tells
    whether there is a lock that is not to be ignored, and ``locks`` what is said about them.

    :param done: what done_of returns.
    :param settings: what is asked of the host, as deployment_settings.settings_of returns it.
    :param now: the time, in seconds since the epoch.
    """
    known, push, ends = done["looked"].get("releases") or {}, done["push"], done["ends"]
    pushes = state_of_push(known, done["looked"].get("push") or {}) not in ("off", "there")
    is_seen = not pushes or end_of_push(push, ends).get("state") == FINISHED
    forgets = push.get("changed") or done["restore"] or (known and not is_refreshed(settings, known))
    news = _forgotten(settings, done["news"]) if forgets else {}
    declares = bool(settings["declaration"]) and not done["chosen"] and not done["parts"].get("parts")
    locks = known.get("locks") or []
    meets_locks = bool(locks and not settings["ignores_lock"])
    has_more_before = done["looked"].get("is_busy") is not False or meets_locks or bool(settings["before_tasks"])
    brings = _brings(settings) if pushes else "nothing"
    push_is_open = _is_open(push, ends)
    has_more = has_more_before or settings["runs_after_push"]
    steps = {
        "way": "environment" if brings == "push" and not has_more else "environment_with_more",
        "has_more_before": has_more_before,
        "brings": brings,
        "declares": declares,
        "declaration": {**(settings["declaration"] if declares else {}), **news},
        "push_is_open": push_is_open,
        "open_push": _open_push(done, settings) if push_is_open and not (done["push_end"] or done["failure"]) else {},
        "is_open": _is_open(done["kept"], ends),
        "asks_site": settings["verifies"] and not settings["check_mode"] and done["site"].get("failed") is not False,
        "compares_pictures": compares_pictures(done["pictures_before"], push),
        "goes_back": _goes_back(done, settings, now),
        "reads_again": bool(done["failure"] or done["return"] or not is_seen),
        "meets_locks": meets_locks,
        "locks": met([{**settings, "locks": locks}]),
    }
    return {**steps, **_files(steps, settings)}


def _files(steps: Record, settings: Record) -> Record:
    """Return the names of the steps of which only one is taken; the rare ones go on with the usual ones themselves."""
    verification = "verify" if steps["asks_site"] else "nothing"
    if settings["after_tasks"] or steps["compares_pictures"]:
        verification = "last"
    refresh = "refresh" if steps["declaration"] else "nothing"
    return {
        "after_push": "after_push" if settings["runs_after_push"] or steps["push_is_open"] else refresh,
        "last": "ended" if steps["is_open"] or steps["reads_again"] else verification,
        "verification": verification,
    }


def _goes_back(done: Record, settings: Record, now: float) -> bool:
    if not done["failure"] or settings["check_mode"]:
        return False
    operation = done["push_end"].get("operation") or done["push"].get("operation")
    return goes_back(
        done["failure"],
        done["now"],
        {**done["push"], "operation": operation},
        release=settings["release"],
        wanted=settings["rolls_back"],
        within=settings["rollback_within"],
        now=now,
    )


def compares_pictures(before: Record, push: Record) -> bool:
    """Tell whether there are pictures from right before this run's push."""
    return before.get("pictures") is not None and before.get("error") is None and bool(push.get("changed"))


def _is_half_done(settings: Record, known: Record) -> bool:
    """Tell whether an earlier run has brought the release, and did not come to the restart.

    Such a run was killed, or its migration failed.
    """
    return bool(settings["pushes"] and settings["restarts_php"] and known.get("is_restarted") is False)


def _part_of(result: Record, of_what: str, name: str) -> Record:
    return (result.get(of_what) or {}).get(name) or {}


def _ends(waited: list[Record], environment_id: str) -> list[Record]:
    """Return the operations of the environment that were waited for; none where each host waits for its own."""
    waits = [wait for one in waited for wait in one.get("results") or []]
    found = [_part_of(wait, "environments", environment_id) for wait in waits]
    return [operation for one in found for operation in one.get("operations") or []]


def _brings(settings: Record) -> str:
    return "push_with_pictures" if settings["pictures"] and not settings["check_mode"] else "push"


def _forgotten(settings: Record, news: Record) -> Record:
    """Return the restart and the caches that are wanted, as environment takes them."""
    once = {"release": news["release"], "force": news["is_new"]}
    cache = {**once, "if_offered": True}
    of_cdn = {"cdn_cache_id": settings["cdn_cache_id"]} if settings["cdn_cache_id"] else {}
    caches = [{**cache, "cache": name, **(of_cdn if name == "cdn" else {})} for name in settings["caches"]]
    return {**({"php_restart": once} if settings["restarts_php"] else {}), **({"caches": caches} if caches else {})}


def _open_push(done: Record, settings: Record) -> Record:
    return {
        **settings["reads"]["push"],
        "started": done["push"],
        "ended": {"operations": done["ends"]},
        "pause_when_unknown": settings["pause_when_unknown"],
    }


def _is_open(result: Record, ends: list[Record]) -> bool:
    """Tell whether something that a task has begun has not ended well, or has still to wait."""
    well = [one["id"] for one in ends if one["state"] == FINISHED]
    going_on = [one.get("id") for one in operations_of(result) if one.get("state") == IN_PROGRESS]
    return bool(waiting_in(result)) or any(one not in well for one in going_on)
