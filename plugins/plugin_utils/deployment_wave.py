# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the hosts of a wave have in common: the tasks of the role deploy that are done once for all of them."""

from __future__ import annotations

from .deployment_plan import preflight_of
from .plain_values import Record, plain


def wave_of(
    hosts: list[Record], looked: list[Record], asked: list[Record], failures: list[Record], base_url: str = ""
) -> Record:
    """Return the options of the tasks that are done once for the hosts that are deployed to just now.

    ``ids`` and ``names`` (by id) are those of the environments, ``wait_timeout`` is the longest of theirs. ``reads`` is
    what deployment_info is asked about each. ``first_sites`` are those that site_check asks before the deployment,
    because nothing else is left to do there, and ``sites`` those that it asks after it.

    :param hosts: what is asked of each host, as deployment_settings.settings_of returns it; empty where that is not
        known yet. The other lists are in the same order.
    :param looked: what deployment_info returned for each; empty where it has not been asked yet.
    :param asked: what site_check returned before the deployment.
    :param failures: what failed at each, if anything did.
    :param base_url: the service that the tasks speak to, as far as it is known. The journal has the environments of
        each service apart, so those of others are read by their hosts.
    """
    known = [one for one in zip(plain(hosts), plain(looked), plain(asked), plain(failures), strict=True) if one[0]]
    known = [one for one in known if "environment_id" in one[0]]  # a variable of the wrong type hides the others
    wave: Record = {
        "ids": [host["environment_id"] for host, *_rest in known],
        "names": {host["environment_id"]: host["environment"] for host, *_rest in known},
        "wait_timeout": max((host["wait_timeout"] for host, *_rest in known), default=0),
        "reads": [host["reads"] for host, *_rest in known if host["base_url"] == base_url],
        "first_sites": [],
        "sites": [],
    }
    for host, seen, sites, failure in known:
        if not seen.get("releases"):
            continue
        site = (sites.get("sites") or {}).get(host["environment"])
        before = preflight_of(host, seen["releases"], seen["push"] or {}, "", seen.get("parts"), site)
        entry = {"name": host["environment"], **host["site"]}
        if before["asks_site"] and site is None:
            wave["first_sites"].append(entry)
        if before["is_due"] and host["verifies"] and not host["check_mode"] and not failure:
            wave["sites"].append(entry)
    return wave
