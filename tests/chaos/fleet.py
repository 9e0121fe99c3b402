# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet whose releases the service can tell apart: each is pushed from an environment of its own."""

from __future__ import annotations

from collections.abc import Iterable

from chaos.judge import Record
from simulator import Simulator, seed
from simulator.state import Content, Environment

FIRST_SOURCE = 4  # of the numbers that a site's environments have in the seeded world


class Fleet:
    """The live environments of the first sites, with their releases, as Ansible's hosts and for the judge."""

    def __init__(self, simulator: Simulator, names: Iterable[str], releases: Iterable[str], broken: set[str]) -> None:
        """Add the environments that the releases are pushed from.

        :param names: the names of the hosts; the first one is the first site.
        :param broken: those of the releases with which no page works.
        """
        self.record = Record(simulator.state, {}, {})
        self.hosts: dict[str, dict] = {}
        for number, name in enumerate(names, start=1):
            self.record.names[name] = seed.environment_id(number)
            sources = {}
            for position, release in enumerate(releases, start=FIRST_SOURCE):
                source = Environment(seed.environment_id(number, position), release, release, seed.site_id(number))
                kind = "broken" if release in broken else "works"
                source.content = Content(f"{release} {kind}", f"database of {release}")
                simulator.state.add_environment(source)
                sources[release] = source.id
                self.record.releases[source.id] = release
            self.hosts[name] = {
                "hosting_site_id": seed.site_id(number),
                "hosting_environment_id": seed.environment_id(number),
                "sources": sources,
            }
        page = f"{simulator.control_url}/sites"
        self.variables = {
            "deploy_source_environment_id": "{{ sources[deploy_release] }}",
            "deploy_rollback": True,
            "deploy_notified_user_id": seed.user_id(1),
            "deploy_check_key": False,
            "deploy_ensure_domains": False,
            "deploy_restart_php": False,
            "deploy_clear_caches": False,
            "deploy_pause_when_unknown": 0,
            "deploy_verify_urls": [page + "/{{ deploy_environment_id }}"],
            "deploy_verify_attempts": 1,
            "deploy_verify_pause": 0,
            "maintain_pause_when_unknown": 0,
            "maintain_verify_urls": [page + "/{{ maintain_environment_id }}"],
            "maintain_verify_attempts": 1,
        }
