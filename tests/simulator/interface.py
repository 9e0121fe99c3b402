# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The 19 endpoints of the interface document, section 4, in its order."""

from __future__ import annotations

import ipaddress
import re
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Annotated, Literal

from fastapi import Query
from pydantic import AfterValidator, Field, StringConstraints, model_validator

from . import analytics
from .endpoints import EXTENSION_FIELDS, Endpoints, Strict, Text, Uuid, record
from .errors import BadRequestError, LimitError, UnknownIdError
from .seed import dns_record
from .state import Content, Domain, Environment, World, new_id

INTERFACE = Endpoints()

PLUGIN_FIELDS = ("is_version_vulnerable", "is_update_version_vulnerable", "auto_update_type")
HOST_NAME = r"^(?i:([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9])$"
HostName = Annotated[str, StringConstraints(pattern=HOST_NAME, max_length=253)]
EmailAddress = Annotated[str, StringConstraints(pattern=r"^[^@\s]+@[^@\s]+$")]


def checked_ip(text: str) -> str:
    """Section 4.4: an IPv4 address, an IPv4 address with a CIDR suffix, or an IPv6 address."""
    address, slash, suffix = text.partition("/")
    version = ipaddress.ip_address(address).version
    if "%" in text or (slash and not (version == 4 and re.fullmatch(r"[0-9]{1,2}", suffix) and int(suffix) <= 32)):
        raise ValueError("not an address of the deny list")
    return text


def checked_time(text: str) -> str:
    """Sections 4.12 and 4.13: a date or a timestamp in ISO 8601."""
    point_in_time(text)
    return text


def checked_relative_path(text: str) -> str:
    """Section 4.19: a path that stays inside the environment."""
    path = PurePosixPath(text)
    if not text.strip() or path.is_absolute() or ".." in path.parts:
        raise ValueError("not a relative path")
    return text


def point_in_time(text: str) -> datetime:
    """The time that an ISO 8601 text means; without a zone it is UTC."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


class CapabilityEdit(Strict):
    """Body of 4.1."""

    user_id: Uuid
    role: Literal["company-admin", "company-developer", "company-billing"]


class NewDomain(Strict):
    """Body of 4.3."""

    domain_name: HostName
    is_wildcardless: bool = False
    add_with_www_subdomain: bool = False
    setup_type: Text = "quick"
    custom_ssl_key: Text = ""
    custom_ssl_cert: Text = ""

    @model_validator(mode="after")
    def certificate_is_whole(self) -> NewDomain:
        """A key without its certificate, or the reverse, is of no use."""
        if bool(self.custom_ssl_key) != bool(self.custom_ssl_cert):
            raise ValueError("custom_ssl_key and custom_ssl_cert belong together")
        return self


class DenyList(Strict):
    """Body of 4.4."""

    environment_id: Uuid
    ip_list: list[Annotated[str, AfterValidator(checked_ip)]]


class PluginFilter(Strict):
    """Body of 4.5, with the observed values."""

    status: Literal["active"] = None
    column: Literal["updatesAvailable"] = None


class PrimaryDomainChange(Strict):
    """Body of 4.6."""

    domain_id: Uuid
    run_search_and_replace: bool


class ImageOptimization(Strict):
    """Body of 4.7."""

    environment_id: Uuid
    image_optimization_type: Literal["off", "lossless", "lossy"]


class PlainEnvironment(Strict):
    """Body of 4.8."""

    display_name: Text
    is_premium: bool


class ThemeUpdate(Strict):
    """Body of 4.9."""

    name: Text
    update_version: Text


class ManualBackup(Strict):
    """Body of 4.10."""

    tag: str = ""


class PhpRestart(Strict):
    """Body of 4.11."""

    environment_id: Uuid


class TimeFrame(Strict):
    """Query of 4.12 and 4.13, with the publicly documented names."""

    company_id: Uuid
    time_span: Literal["24_hours", "7_days", "30_days", "60_days"] = "7_days"
    start: Annotated[str, AfterValidator(checked_time)] = Field(None, alias="from")
    end: Annotated[str, AfterValidator(checked_time)] = Field(None, alias="to")

    def times(self) -> list[datetime]:
        """The times of the data points: between start and end where given, else over the time span until now."""
        end = point_in_time(self.end) if self.end else datetime.now(UTC)
        if not self.start:
            return analytics.times_until(end, self.time_span)
        if point_in_time(self.start) > end:
            raise BadRequestError
        return analytics.days_between(point_in_time(self.start), end)


class EmailQuery(Strict):
    """Query of 4.14, with the publicly documented name."""

    email: EmailAddress


class Push(Strict):
    """Body of 4.19; what is not said is pushed, as by the public service."""

    source_env_id: Uuid
    target_env_id: Uuid
    push_db: bool = True
    push_files: bool = True
    run_search_and_replace: bool = True
    push_files_option: Literal["ALL_FILES", "SPECIFIC_FILES"] = "ALL_FILES"
    file_list: list[Annotated[str, AfterValidator(checked_relative_path)]] = Field(default_factory=list)

    @model_validator(mode="after")
    def is_complete(self) -> Push:
        """An environment is not pushed onto itself, and specific files have to be named."""
        if self.source_env_id == self.target_env_id:
            raise ValueError("source and target are the same environment")
        if self.push_files_option == "SPECIFIC_FILES" and not self.file_list:
            raise ValueError("SPECIFIC_FILES needs file_list")
        return self


@INTERFACE.add(
    "POST",
    "/company/{company_id}/users/company-capabilities",
    errors=(401, 404, 500),
    operation="company:set-company-user-capabilities",
    message="Editing user capabilities for the company in progress",
)
def edit_user_capabilities(world: World, company_id: str, body: CapabilityEdit):
    """4.1 Edit user capabilities for the company."""
    users = world.company_with(company_id).users
    if body.user_id not in users:
        raise UnknownIdError

    def effect():
        users[body.user_id].role = body.role

    return effect


@INTERFACE.add("GET", "/validate")
def validate_api_key(world: World):
    """4.2 Validate API key."""
    return record(world.api_key, "name", "expires_at", "company", "status")


@INTERFACE.add(
    "POST",
    "/sites/environments/{env_id}/domains",
    success=202,
    errors=(400, 401, 500),
    operation="sites:add-domain",
    message="Adding domain to site in progress",
)
def add_site_domain(world: World, env_id: str, body: NewDomain):
    """4.3 Add new site domain."""
    environment = world.environment(env_id)
    _refuse_second(environment, body.domain_name)

    def effect():
        _refuse_second(environment, body.domain_name)
        added = _add_domain(world, environment, body.domain_name, body)
        if body.add_with_www_subdomain and not environment.domain_named(f"www.{body.domain_name}"):
            _add_domain(world, environment, f"www.{body.domain_name}", body)
        return {"id": added.id}

    return effect


def _refuse_second(environment: Environment, name: str) -> None:
    if environment.domain_named(name):
        raise BadRequestError


def _add_domain(world: World, environment: Environment, name: str, body: NewDomain) -> Domain:
    domain = Domain(new_id(), name, environment.site_id, [dns_record("A", name, "192.0.2.10")])
    domain.is_wildcardless = body.is_wildcardless
    domain.setup_type = body.setup_type
    domain.has_custom_certificate = bool(body.custom_ssl_cert)
    return world.add_domain(environment, domain)


@INTERFACE.add("PUT", "/sites/tools/denied-ips")
def update_denied_ips(world: World, body: DenyList):
    """4.4 Update denied IP list."""
    world.environment(body.environment_id).denied_ips = list(body.ip_list)
    return {"result": None}


@INTERFACE.add("GET", "/sites/environments/{env_id}/wp-plugins", errors=(401, 404, 500))
def list_plugins(world: World, env_id: str, body: PluginFilter):
    """4.5 Get list of plugins; the request carries a body."""
    environment = world.environment(env_id)
    items = [
        record(plugin, *EXTENSION_FIELDS, *PLUGIN_FIELDS)
        for plugin in environment.plugins
        if body.status in (None, plugin.status) and (body.column is None or plugin.update == "available")
    ]
    return {"environment": {"plugins": {"items": items, "last_updated_at": environment.plugins_updated_at}}}


@INTERFACE.add(
    "PUT",
    "/sites/environments/{env_id}/change-primary-domain",
    success=202,
    errors=(400, 401, 500),
    operation="sites:change-primary-domain",
    message="Changing primary domain in progress",
)
def change_primary_domain(world: World, env_id: str, body: PrimaryDomainChange):
    """4.6 Change primary domain of an environment."""
    environment = world.environment(env_id)
    domain = world.domain(body.domain_id)
    if domain not in environment.domains:
        raise BadRequestError

    def effect():
        if domain not in environment.domains:
            raise BadRequestError
        environment.primary_domain = domain

    return effect


@INTERFACE.add(
    "PUT",
    "/sites/cdn/image-optimization",
    success=202,
    operation="cdn:update-image-optimization",
    message="Updating CDN image optimization in progress",
)
def update_image_optimization(world: World, body: ImageOptimization):
    """4.7 Update CDN image optimization."""
    environment = world.environment(body.environment_id)

    def effect():
        environment.image_optimization_type = body.image_optimization_type

    return effect


@INTERFACE.add(
    "POST",
    "/sites/{site_id}/environments/plain",
    success=202,
    errors=(400, 401, 500),
    operation="environment:clone",
    message="Creating environment in progress",
)
def create_plain_environment(world: World, site_id: str, body: PlainEnvironment):
    """4.8 Create a plain environment (no site software installed)."""
    site = world.site(site_id)

    def effect():
        name = "-".join(re.findall(r"[a-z0-9]+", body.display_name.lower())) or "environment"
        added = Environment(new_id(), name, body.display_name, site.id, is_premium=body.is_premium)
        return {"id": world.add_environment(added).id}

    return effect


@INTERFACE.add(
    "PUT",
    "/sites/environments/{env_id}/themes",
    success=202,
    errors=(400, 401, 500),
    operation="wp-theme:update",
    message="Updating WordPress theme in progress",
)
def update_theme(world: World, env_id: str, body: ThemeUpdate):
    """4.9 Update a theme."""
    theme = world.environment(env_id).theme_named(body.name)
    if theme is None:
        raise BadRequestError

    def effect():
        theme.update_to(body.update_version)

    return effect


@INTERFACE.add(
    "POST",
    "/sites/environments/{env_id}/manual-backups",
    success=202,
    errors=(400, 401, 500),
    operation="backups:add-manual",
    message="Adding a manual backup to environment in progress",
)
def add_manual_backup(world: World, env_id: str, body: ManualBackup):
    """4.10 Add a manual backup."""
    environment = world.environment(env_id)
    _refuse_beyond_the_limit(world, environment)

    def effect():
        _refuse_beyond_the_limit(world, environment)
        return {"id": world.add_backup(environment, "manual", body.tag or None).id}

    return effect


def _refuse_beyond_the_limit(world: World, environment: Environment) -> None:
    most = world.settings.most_backups
    if most is not None and sum(backup.type == "manual" for backup in environment.backups) >= most:
        raise LimitError(f"You have reached the limit of {most} manual backups. Delete one, and try again.")


@INTERFACE.add(
    "POST",
    "/sites/tools/restart-php",
    success=202,
    operation="php:restart",
    message="Restarting PHP engine in progress",
)
def restart_php(world: World, body: PhpRestart):
    """4.11 Restart an environment's PHP engine."""
    environment = world.environment(body.environment_id)

    def effect():
        environment.php_restarts += 1

    return effect


@INTERFACE.add("GET", "/sites/environments/{env_id}/analytics/visits", errors=(400, 401, 404, 500))
def get_visits(world: World, env_id: str, query: Annotated[TimeFrame, Query()]):
    """4.12 Get visits."""
    return _analytics(world, env_id, query, analytics.visits)


@INTERFACE.add("GET", "/sites/environments/{env_id}/analytics/top-asns", errors=(400, 401, 404, 500))
def get_top_asns(world: World, env_id: str, query: Annotated[TimeFrame, Query()]):
    """4.13 Get top ASNs requests."""
    return _analytics(world, env_id, query, analytics.top_asns)


def _analytics(world: World, env_id: str, query: TimeFrame, figures) -> dict:
    environment = world.environment(env_id)
    world.company_with(query.company_id)
    return {"analytics": {"analytics_response": figures(environment.id, query.times())}}


@INTERFACE.add("GET", "/sites/environments/{env_id}/wpa-user-exists", errors=(400, 401, 404, 500))
def check_wp_admin_user(world: World, env_id: str, query: Annotated[EmailQuery, Query()]):
    """4.14 Check if a WP admin user exists by email."""
    return {"has_wp_admin_user": query.email.lower() in world.environment(env_id).wp_admin_emails}


@INTERFACE.add("GET", "/sites/environments/{env_id}/next-downloadable-backup-available", errors=(401, 404, 500))
def get_next_downloadable_backup(world: World, env_id: str):
    """4.15 Get the date of the next available downloadable backup."""
    return record(world.environment(env_id), "is_backup_available", "reset_at")


@INTERFACE.add("GET", "/sites/environments/{env_id}/ssh/get-allowed-ips", errors=(400, 401, 404, 500))
def get_sftp_allowlist(world: World, env_id: str):
    """4.16 Get SFTP/SSH IP allowlist."""
    allowlist = world.environment(env_id).sftp_ip_allowlist
    return {"environment": {"active_container": {"sftp_ip_allowlist": allowlist}}}


@INTERFACE.add("GET", "/domains/{domain_id}/dns-records")
def get_dns_records(world: World, domain_id: str):
    """4.17 Get list of domain DNS records."""
    return {"domain": {"dns_records": world.domain(domain_id).dns_records}}


@INTERFACE.add("GET", "/sites/{site_id}/usage/visits/this-month", errors=(400, 401, 404, 500))
def get_visits_usage(world: World, site_id: str):
    """4.18 Get visits usage for this month."""
    site = world.site(site_id)
    return {"site": {"id": site.id, "this_month_usage": {"visits": site.visits_this_month}}}


@INTERFACE.add(
    "PUT",
    "/sites/{site_id}/environments",
    success=202,
    errors=(400, 401, 500),
    operation="environments:push",
    message="Pushing environment in progress",
)
def push_environment(world: World, site_id: str, body: Push):
    """4.19 Push an environment."""
    source, target = world.environment(body.source_env_id), world.environment(body.target_env_id)
    if {source.site_id, target.site_id} != {world.site(site_id).id}:
        raise BadRequestError

    def effect():
        target.pushes.append(body.model_dump())
        target.content = _pushed(source.content, target.content, body)

    return effect


def _pushed(source: Content, target: Content, body: Push) -> Content:
    """What the target of a push contains after it."""
    files = source.files
    if body.push_files_option == "SPECIFIC_FILES":
        files = f"{target.files}, with {', '.join(body.file_list)} of {source.files}"
    return Content(
        files if body.push_files else target.files,
        source.database if body.push_db else target.database,
        is_pushed=True,
    )
