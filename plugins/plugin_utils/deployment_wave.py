# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the hosts of a wave have in common: the tasks of the role deploy that are done once for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .deployment_plan import preflight_of
from .deployment_steps import compares_pictures
from .plain_values import Record, plain
from .preflight import targets_of

KNOWN = ("settings", "looked", "asked", "failure", "pictures", "push")
"""What is known of a host: what is asked of it, and what its tasks have registered so far."""


def wave_of(
    hosts: Iterable[Mapping[str, Any]], names: Record, base_url: str = "", company: Record | None = None
) -> Record:
    """Return the options of the tasks that are done once for the hosts that are deployed to just now.

    ``targets`` tells what is wrong with the ids of the hosts (preflight.targets_of). ``waits`` has the ``names`` of the
    environments by their ids, and the longest of their ``wait_timeout``. ``reads`` is what deployment_info is asked
    about those with something to do. ``first_sites`` are those that site_check asks before the deployment, because
    nothing else is left to do there, and ``sites`` those that it asks after it. ``sets`` are the pictures that
    site_snapshot is to take next.

    :param hosts: the variables of each host.
    :param names: which of them has what of KNOWN; one that is not there yet, or is empty, has not come so far:
        ``settings`` is what deployment_settings.settings_of returns, ``looked`` the result of deployment_info,
        ``asked`` that of site_check before the deployment, ``failure`` what failed, if anything did, ``pictures`` the
        result of site_snapshot before the push, and ``push`` that of env_push.
    :param base_url: the service that the tasks speak to, as far as it is known. The journal has the environments of
        each service apart, so those of others are read by their hosts.
    :param company: the environments of all sites, if they have been read.
    """
    every = [{one: plain(host.get(names[one]) or {}) for one in KNOWN} for host in hosts]
    # A variable of the wrong type hides the others.
    known = [one for one in every if "environment_id" in one["settings"]]
    settings = [one["settings"] for one in known]
    listed = [{"settings": one["settings"], "listed": one["looked"].get("site") or {}} for one in known]
    wave: Record = {
        "targets": targets_of(listed, company),
        "waits": {
            "names": {one["environment_id"]: one["environment"] for one in settings},
            "wait_timeout": max((one["wait_timeout"] for one in settings), default=0),
        },
        "reads": [],
        "first_sites": [],
        "sites": [],
        "sets": [],
    }
    for one in known:
        if one["looked"].get("releases"):
            _add(wave, one, base_url)
    return wave


def _add(wave: Record, known: Record, base_url: str) -> None:
    """Add what is read of one host, what is asked about its site, and the pictures of its pages."""
    host, seen = known["settings"], known["looked"]
    site = (known["asked"].get("sites") or {}).get(host["environment"])
    before = preflight_of(host, seen["releases"], seen["push"] or {}, "", seen.get("parts"), site)
    entry = {"name": host["environment"], **host["site"]}
    if before["asks_site"] and site is None:
        wave["first_sites"].append(entry)
    if before["is_due"] and host["base_url"] == base_url:
        wave["reads"].append(host["reads"])
    if not before["is_due"] or known["failure"] or host["check_mode"]:
        return
    if host["verifies"]:
        wave["sites"].append(entry)
    if host["pictures"] and not known["pictures"] and before["push"] not in ("off", "there"):
        wave["sets"].append(host["pictures"]["before_set"])
    elif compares_pictures(known["pictures"], known["push"]):
        wave["sets"].append(host["pictures"]["after_set"])
