# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Endpoints beyond the 19 that the public service documents: reads that show state, operations, and further writes."""

from __future__ import annotations

import zlib
from typing import Annotated, Literal

from fastapi import Query
from pydantic import AfterValidator, ConfigDict, Field

from .endpoints import EXTENSION_FIELDS, Endpoints, Strict, Text, Uuid, record
from .errors import BadRequestError, UnknownIdError, error_body
from .interface import checked_ip
from .state import Backup, Domain, Environment, Extension, World

COMPANIONS = Endpoints()
READ_ERRORS = (400, 401, 404, 500)
WRITE_ERRORS = (400, 401, 500)


class EnvironmentQuery(Strict):
    """Query of the deny list."""

    environment_id: Uuid


class CompanyQuery(Strict):
    """Query of a list that belongs to a company."""

    company: Uuid


class SitesQuery(CompanyQuery):
    """Query of the list of sites."""

    include_environments: Literal["true", "false"] = "false"


class DomainRemoval(Strict):
    """Body that names the domains to remove."""

    domain_ids: Annotated[list[Uuid], Field(min_length=1)]


class BackupRestore(Strict):
    """Body that names the backup to restore, and who is told of its end."""

    backup_id: int
    notified_user_id: Uuid


class CacheClear(Strict):
    """Body that names the environment whose cache is cleared."""

    environment_id: Uuid


class EdgeCacheClear(CacheClear):
    """The same for the edge cache, or for a part of it."""

    clear_subdirectories: bool = False
    url: Text = None


class CdnCacheClear(CacheClear):
    """The same for the cache of the CDN."""

    cdn_cache_id: Text


class RecordName(Strict):
    """Body that names a DNS record."""

    type: Text
    name: Text


class RecordValue(Strict):
    """One value of a DNS record."""

    value: Text


class NewRecord(RecordName):
    """Body with a DNS record."""

    ttl: Annotated[int, Field(gt=0)]
    resource_records: Annotated[list[RecordValue], Field(min_length=1)]


class RecordChange(RecordName):
    """Body with the changes of a DNS record."""

    ttl: Annotated[int, Field(gt=0)] = None
    new_resource_records: list[RecordValue] = []
    removed_resource_records: list[RecordValue] = []


class PhpVersion(Strict):
    """Body with the PHP version of an environment."""

    environment_id: Uuid
    php_version: Literal["8.1", "8.2", "8.3", "8.4"]
    is_opt_out_from_automatic_php_update: bool = None


class PluginUpdate(Strict):
    """Body with the version of a plugin."""

    name: Text
    update_version: Text


class ExtensionName(Strict):
    """A plugin or theme that is updated to its newest version."""

    name: Text


class PluginUpdates(Strict):
    """Body with the plugins that are updated to their newest versions."""

    plugins: Annotated[list[ExtensionName], Field(min_length=1)]


class ThemeUpdates(Strict):
    """Body with the themes that are updated to their newest versions."""

    themes: Annotated[list[ExtensionName], Field(min_length=1)]


class WpCliCommand(Strict):
    """Body with a command of WP-CLI."""

    wp_command: Annotated[str, Field(min_length=1, max_length=5000)]


class LogQuery(Strict):
    """Query of a log: which one, and how many of its last lines."""

    model_config = ConfigDict(strict=False, extra="forbid")

    file_name: Literal["error", "access"]
    lines: Annotated[int, Field(gt=0, le=20000)] = 1000


class Allowlist(Strict):
    """Body with the addresses that may use SFTP and SSH."""

    ip_allowlist: list[Annotated[str, AfterValidator(checked_ip)]]


@COMPANIONS.add("GET", "/operations/{operation_id}", errors=READ_ERRORS)
def get_operation(world: World, operation_id: str):
    """How an accepted operation stands; unknown as long as it is not visible."""
    settings = world.settings
    operation = world.operations.visible(operation_id)
    if settings.operations == "absent":
        return 404, {"detail": "Not Found"}  # as a framework says it of what has no route
    if operation is None:
        return settings.unknown_operation, error_body(settings.unknown_operation)
    status, message = {
        "in progress": (202, "Operation in progress"),
        "finished": (200, "Finished"),
        "failed": (500, error_body(500)["message"]),
    }[operation.state]
    data = {} if operation.data is None else {"data": operation.data}
    return 200 if settings.operations == "body" else status, {"status": status, "message": message, **data}


@COMPANIONS.add("GET", "/sites/tools/denied-ips", errors=READ_ERRORS)
def get_denied_ips(world: World, query: Annotated[EnvironmentQuery, Query()]):
    """The deny list of an environment."""
    environment = world.environment(query.environment_id)
    return {"environment": {"id": environment.id, "ip_list": environment.denied_ips}}


@COMPANIONS.add("GET", "/sites/environments/{env_id}/domains", errors=READ_ERRORS)
def list_site_domains(world: World, env_id: str):
    """The domains of an environment."""
    domains = world.environment(env_id).domains
    return {"environment": {"site_domains": [record(domain, "id", "name") for domain in domains]}}


@COMPANIONS.add(
    "DELETE",
    "/sites/environments/{env_id}/domains",
    success=202,
    errors=READ_ERRORS,
    operation="sites:delete-domains",
    message="Deleting domains in progress",
)
def remove_site_domains(world: World, env_id: str, body: DomainRemoval):
    """Remove domains from an environment; its primary domain has to stay."""
    environment = world.environment(env_id)
    domains = [domain for domain in environment.domains if domain.id in body.domain_ids]
    if len(domains) != len(set(body.domain_ids)) or environment.primary_domain in domains:
        raise BadRequestError

    def effect():
        if environment.primary_domain in domains or not all(domain in environment.domains for domain in domains):
            raise BadRequestError
        for domain in domains:
            world.remove_domain(environment, domain)

    return effect


@COMPANIONS.add("GET", "/sites/{site_id}/environments", errors=READ_ERRORS)
def list_environments(world: World, site_id: str):
    """The environments of a site."""
    return {"site": {"environments": [environment_record(one) for one in world.site(site_id).environments]}}


@COMPANIONS.add("GET", "/sites", errors=READ_ERRORS)
def list_sites(world: World, query: Annotated[SitesQuery, Query()]):
    """The sites of a company, on request with their environments."""
    world.company_with(query.company)
    sites = []
    for site in world.sites.values():
        sites.append({**record(site, "id", "name", "display_name", "status"), "siteLabels": site.labels})
        if query.include_environments == "true":
            sites[-1]["environments"] = [environment_record(one) for one in site.environments]
    return {"company": {"sites": sites}}


@COMPANIONS.add("GET", "/sites/environments/{env_id}/themes", errors=READ_ERRORS)
def list_themes(world: World, env_id: str):
    """The themes of an environment."""
    environment = world.environment(env_id)
    themes = [record(theme, *EXTENSION_FIELDS) for theme in environment.themes]
    container = {"id": container_id(environment), "wp_themes": {"data": themes}}
    return {"environment": {"id": environment.id, "container_info": container}}


@COMPANIONS.add("GET", "/sites/environments/{env_id}/plugins", errors=READ_ERRORS)
def list_all_plugins(world: World, env_id: str):
    """The plugins of an environment; whether they are vulnerable is not shown."""
    environment = world.environment(env_id)
    plugins = [record(plugin, *EXTENSION_FIELDS) for plugin in environment.plugins]
    container = {"id": container_id(environment), "wp_plugins": {"data": plugins}}
    return {"environment": {"id": environment.id, "container_info": container}}


@COMPANIONS.add("GET", "/sites/environments/{env_id}/backups", errors=READ_ERRORS)
def list_backups(world: World, env_id: str):
    """The backups of an environment; a manual backup's tag is its note."""
    environment = world.environment(env_id)
    backups = [record(backup, "id", "name", "note", "type", "created_at") for backup in environment.backups]
    return {"environment": {"display_name": environment.display_name, "backups": backups}}


@COMPANIONS.add(
    "POST",
    "/sites/environments/{env_id}/backups/restore",
    success=202,
    errors=READ_ERRORS,
    operation="backups:restore",
    message="Restoring a backup to environment in progress",
)
def restore_backup(world: World, env_id: str, body: BackupRestore):
    """Put an environment back to what it was at the time of a backup, which may be of another one of the site."""
    environment = world.environment(env_id)
    backup = _backup_of_site(world, environment, body.backup_id)
    if body.notified_user_id not in world.company.users:
        raise BadRequestError

    def effect():
        environment.restore(backup)

    return effect


@COMPANIONS.add(
    "DELETE",
    "/sites/environments/backups/{backup_id}",
    success=202,
    errors=READ_ERRORS,
    operation="backups:remove",
    message="Removing backup in progress",
)
def remove_backup(world: World, backup_id: str):
    """Remove a backup of any environment."""

    def environment() -> Environment:
        of = (one for one in world.environments.values() if any(backup.id == int(backup_id) for backup in one.backups))
        found = next(of, None)
        if found is None:
            raise UnknownIdError
        return found

    environment()

    def effect():
        backups = environment().backups
        backups[:] = [backup for backup in backups if backup.id != int(backup_id)]

    return effect


def _backup_of_site(world: World, environment: Environment, backup_id: int) -> Backup:
    backups = [backup for one in world.site(environment.site_id).environments for backup in one.backups]
    found = next((backup for backup in backups if backup.id == backup_id), None)
    if found is None:
        raise UnknownIdError
    return found


@COMPANIONS.add(
    "POST",
    "/sites/tools/clear-cache",
    success=202,
    errors=WRITE_ERRORS,
    operation="cache:clear",
    message="Clearing cache in progress",
)
def clear_site_cache(world: World, body: CacheClear):
    """Clear the cache of an environment."""
    return _clearing(world.environment(body.environment_id), "site")


@COMPANIONS.add(
    "POST",
    "/sites/edge-caching/clear",
    success=202,
    errors=WRITE_ERRORS,
    operation="edgeCache:clear",
    message="Clearing edge cache in progress",
)
def clear_edge_cache(world: World, body: EdgeCacheClear):
    """Clear the edge cache of an environment: all of it, or what belongs to an address."""
    part = {"url": body.url, "clear_subdirectories": body.clear_subdirectories}
    return _clearing(world.environment(body.environment_id), "edge", **part)


@COMPANIONS.add(
    "POST",
    "/sites/cdn/clear-cache",
    success=202,
    errors=WRITE_ERRORS,
    operation="cdn-cache:clear",
    message="Clearing CDN cache in progress",
)
def clear_cdn_cache(world: World, body: CdnCacheClear):
    """Clear what the CDN keeps of an environment."""
    environment = world.environment(body.environment_id)
    if body.cdn_cache_id != environment.cdn_cache_id:
        raise BadRequestError
    return _clearing(environment, "cdn")


def _clearing(environment: Environment, cache: str, **part: object):
    def effect():
        environment.cache_clears.append({"cache": cache, **part})

    return effect


@COMPANIONS.add(
    "POST",
    "/domains/{domain_id}/dns-records",
    success=202,
    errors=WRITE_ERRORS,
    operation="domains:create-dns-record",
    message="Creating DNS record in progress",
)
def create_dns_record(world: World, domain_id: str, body: NewRecord):
    """Create a DNS record of a domain that has none of this type and name."""
    domain = world.domain(domain_id)
    _refuse_unless(domain.dns_record(body.type, body.name) is None)

    def effect():
        _refuse_unless(domain.dns_record(body.type, body.name) is None)
        domain.dns_records.append(body.model_dump())

    return effect


@COMPANIONS.add(
    "PUT",
    "/domains/{domain_id}/dns-records",
    success=202,
    errors=WRITE_ERRORS,
    operation="domains:update-dns-record",
    message="Updating DNS record in progress",
)
def update_dns_record(world: World, domain_id: str, body: RecordChange):
    """Add values to a DNS record, and remove others, which have to be there."""
    domain = world.domain(domain_id)
    added, removed = (
        [one.value for one in values] for values in (body.new_resource_records, body.removed_resource_records)
    )

    def changed_values() -> list[str]:
        known = domain.dns_record(body.type, body.name)
        values = [one["value"] for one in known["resource_records"]] if known else []
        _refuse_unless(known and set(removed) <= set(values))
        values = [value for value in dict.fromkeys([*values, *added]) if value not in removed]
        _refuse_unless(values)
        return values

    changed_values()

    def effect():
        known = domain.dns_record(body.type, body.name)
        known["resource_records"] = [{"value": value} for value in changed_values()]
        known["ttl"] = body.ttl or known["ttl"]

    return effect


@COMPANIONS.add(
    "DELETE",
    "/domains/{domain_id}/dns-records",
    success=202,
    errors=WRITE_ERRORS,
    operation="domains:delete-dns-record",
    message="Deleting DNS record in progress",
)
def delete_dns_record(world: World, domain_id: str, body: RecordName):
    """Remove a DNS record with all its values."""
    domain = world.domain(domain_id)
    _refuse_unless(domain.dns_record(body.type, body.name))

    def effect():
        _refuse_unless(domain.dns_record(body.type, body.name))
        domain.dns_records.remove(domain.dns_record(body.type, body.name))

    return effect


def _refuse_unless(condition: object) -> None:
    if not condition:
        raise BadRequestError


@COMPANIONS.add(
    "PUT",
    "/sites/environments/{env_id}/plugins",
    success=202,
    errors=WRITE_ERRORS,
    operation="wp-plugin:update",
    message="Updating WordPress plugin in progress",
)
def update_plugin(world: World, env_id: str, body: PluginUpdate):
    """Update a plugin to a version."""
    [plugin] = _named(world.environment(env_id).plugins, [body])

    def effect():
        plugin.update_to(body.update_version)

    return effect


@COMPANIONS.add(
    "PUT",
    "/sites/environments/{env_id}/plugins/bulk-update",
    says=202,
    errors=WRITE_ERRORS,
    operation="wp-plugin:bulk-update",
    message="Updating WordPress plugins in progress",
)
def update_plugins(world: World, env_id: str, body: PluginUpdates):
    """Update plugins to their newest versions."""
    return _update_of_all(_named(world.environment(env_id).plugins, body.plugins))


@COMPANIONS.add(
    "PUT",
    "/sites/environments/{env_id}/themes/bulk-update",
    says=202,
    errors=WRITE_ERRORS,
    operation="wp-theme:bulk-update",
    message="Updating WordPress themes in progress",
)
def update_themes(world: World, env_id: str, body: ThemeUpdates):
    """Update themes to their newest versions."""
    return _update_of_all(_named(world.environment(env_id).themes, body.themes))


def _named(extensions: list[Extension], wanted: list) -> list[Extension]:
    """Those of the plugins or themes that are wanted; each has to be there."""
    by_name = {extension.name: extension for extension in extensions}
    _refuse_unless(all(one.name in by_name for one in wanted))
    return [by_name[one.name] for one in wanted]


def _update_of_all(extensions: list[Extension]):
    def effect():
        for extension in extensions:
            if extension.update_version:
                extension.update_to(extension.update_version)

    return effect


@COMPANIONS.add(
    "PUT",
    "/sites/tools/modify-php-version",
    success=202,
    errors=WRITE_ERRORS,
    operation="php:modify-version",
    message="Modifying PHP version in progress",
)
def modify_php_version(world: World, body: PhpVersion):
    """Set the PHP version of an environment, and whether it is updated by itself."""
    environment = world.environment(body.environment_id)

    def effect():
        environment.php_engine_version = f"php{body.php_version}"
        if body.is_opt_out_from_automatic_php_update is not None:
            environment.updates_php_itself = not body.is_opt_out_from_automatic_php_update

    return effect


@COMPANIONS.add(
    "POST",
    "/sites/environments/{env_id}/run-wp-cli-command",
    success=202,
    errors=READ_ERRORS,
    operation="wp-cli:run-command",
    message="Running WP-CLI command in progress",
)
def run_wp_cli_command(world: World, env_id: str, body: WpCliCommand):
    """Run a command of WP-CLI in an environment."""
    environment = world.environment(env_id)

    def effect():
        environment.wp_cli_commands.append(body.wp_command)

    return effect


@COMPANIONS.add("GET", "/sites/environments/{env_id}/logs", errors=READ_ERRORS)
def get_log(world: World, env_id: str, query: Annotated[LogQuery, Query()]):
    """The last lines of a log of an environment."""
    environment = world.environment(env_id)
    lines = environment.logs.get(query.file_name, [])
    if query.file_name == "error" and world.is_broken(environment):
        lines = [*lines, "PHP Fatal error:  Uncaught Error: Call to undefined function shop() in functions.php:7"]
    text = "".join(f"{line}\n" for line in lines[-query.lines :])
    return {"environment": {"container_info": {"id": container_id(environment), "logs": text}}}


@COMPANIONS.add("POST", "/sites/environments/{env_id}/ssh/set-allowed-ips", errors=WRITE_ERRORS)
def set_sftp_allowlist(world: World, env_id: str, body: Allowlist):
    """Set the SFTP/SSH allowlist of an environment."""
    world.environment(env_id).sftp_ip_allowlist = list(body.ip_allowlist)
    return {"result": None}


@COMPANIONS.add("GET", "/company/{company_id}/users", errors=READ_ERRORS)
def list_users(world: World, company_id: str):
    """The users of a company; their roles are not shown."""
    users = world.company_with(company_id).users.values()
    return {"company": {"users": [{"user": record(user, "id", "email", "image", "full_name")} for user in users]}}


@COMPANIONS.add("GET", "/domains", errors=READ_ERRORS)
def list_domains(world: World, query: Annotated[CompanyQuery, Query()]):
    """The domains of a company."""
    world.company_with(query.company)
    domains = world.domains.values()
    return {"company": {"domains": [record(domain, "id", "name", "site_id", "is_active") for domain in domains]}}


def environment_record(environment: Environment) -> dict:
    """An environment as the lists show it."""
    primary = environment.primary_domain
    return {
        **record(
            environment, "id", "name", "display_name", "image_optimization_type", "is_premium", "wordpress_version"
        ),
        "is_blocked": False,
        "id_edge_cache": None,
        "cdn_cache_id": environment.cdn_cache_id,
        "web_root": "/public",
        "domains": [domain_record(domain) for domain in environment.domains],
        "primaryDomain": primary and domain_record(primary),
        "ssh_connection": {
            "ssh_port": str(10000 + zlib.crc32(environment.id.encode()) % 50000),
            "ssh_ip": {"external_ip": "192.0.2.10"},
        },
        "container_info": {
            "id": container_id(environment),
            "php_engine_version": environment.php_engine_version,
        },
        "is_opt_out_from_automatic_php_update": not environment.updates_php_itself,
    }


def domain_record(domain: Domain) -> dict:
    """A domain as the lists of environments show it."""
    return record(domain, "id", "name", "type", "site_id", "is_active")


def container_id(environment: Environment) -> str:
    """The id of the container that runs an environment."""
    return "9" + environment.id[1:]
