# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Environments as variables of a host: what the inventory plugin and environment_info have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ._answers import Answer, Record
from ._interface import GET_ENVIRONMENTS, GET_SITES, VALIDATE_KEY, Request

Variables = dict[str, Any]
"""The variables of a host that stands for an environment."""

Send = Callable[[Request], Answer]
"""What sends a read: a client's send, or a context's."""


def variables_of_company(send: Send, company_id: str | None, source_environment: str) -> list[Variables]:
    """Return the variables of all environments of a company, by default that of the key."""
    company_id = company_id or send(VALIDATE_KEY()).at("company", str)
    answer = send(GET_SITES(query={"company": company_id, "include_environments": "true"}))
    return _variables(answer, "company.sites", answer.records("company.sites"), company_id, source_environment)


def variables_of_site(send: Send, site_id: str, source_environment: str) -> list[Variables]:
    """Return the variables of the environments of a site. The service says nothing of the site itself here."""
    answer = send(GET_ENVIRONMENTS(site_id=site_id))
    site = {"id": site_id, "environments": answer.records("site.environments")}
    return _variables(answer, "site.environments", [site], None, source_environment)


def _variables(answer: Answer, path: str, sites: list[Record], company_id: str | None, source: str) -> list[Variables]:
    try:
        return list(_of_sites(sites, company_id, source))
    except (AttributeError, TypeError):
        raise answer.malformed(path) from None


def _of_sites(sites: Iterable[Record], company_id: str | None, source_environment: str) -> Iterator[Variables]:
    for site in sites:
        environments = site.get("environments") or []
        source: Record = next((one for one in environments if one.get("name") == source_environment), {})
        for environment in environments:
            primary = environment.get("primaryDomain") or {}
            ssh = environment.get("ssh_connection") or {}
            yield {
                "hosting_company_id": company_id,
                "hosting_site_id": site.get("id"),
                "hosting_site_name": site.get("name"),
                "hosting_site_display_name": site.get("display_name"),
                "hosting_site_status": site.get("status"),
                "hosting_site_labels": [label.get("name") for label in site.get("siteLabels") or []],
                "hosting_environment_id": environment.get("id"),
                "hosting_environment_name": environment.get("name"),
                "hosting_environment_display_name": environment.get("display_name"),
                "hosting_source_environment_id": _other(source.get("id"), environment.get("id")),
                "hosting_is_premium": environment.get("is_premium"),
                "hosting_is_blocked": environment.get("is_blocked"),
                "hosting_domains": [domain.get("name") for domain in environment.get("domains") or []],
                "hosting_primary_domain": primary.get("name"),
                "hosting_primary_domain_id": primary.get("id"),
                "hosting_php_version": php_version_of(environment),
                "hosting_wordpress_version": environment.get("wordpress_version"),
                "hosting_image_optimization_type": environment.get("image_optimization_type"),
                "hosting_cdn_cache_id": environment.get("cdn_cache_id"),
                "hosting_web_root": environment.get("web_root"),
                "hosting_ssh_host": (ssh.get("ssh_ip") or {}).get("external_ip"),
                "hosting_ssh_port": _number(ssh.get("ssh_port")),
            }


def php_version_of(environment: Record) -> str | None:
    """Return the PHP version of an environment's record, or None when it is not shown. The service calls 8.3 php8.3."""
    container = environment.get("container_info")
    version = container.get("php_engine_version") if isinstance(container, dict) else None
    return version.removeprefix("php") if isinstance(version, str) else None


def automatic_updates_of(environment: Record) -> bool | None:
    """Return whether the service updates PHP of an environment's record by itself, or None when it is not shown."""
    is_opted_out = environment.get("is_opt_out_from_automatic_php_update")
    return not is_opted_out if isinstance(is_opted_out, bool) else None


def _number(text: Any) -> int | None:
    try:
        return int(text)
    except (TypeError, ValueError):
        return None


def _other(source_id: str | None, environment_id: str | None) -> str | None:
    return None if source_id == environment_id else source_id
