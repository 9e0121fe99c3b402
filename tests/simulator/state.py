# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The world behind the service: company, users, sites, environments and what they hold."""

from __future__ import annotations

import copy
import threading
import time
import uuid
from dataclasses import dataclass, field, fields

from .errors import UnknownIdError
from .operations import Operations


@dataclass
class Settings:
    """How the service behaves; may be changed while it runs."""

    operation_seconds: float = 0.0
    visible_after: float = 0.0
    interface_only: bool = False
    latency: float = 0.0
    reads_lag: float = 0.0  # seconds after which a read shows what was written
    clock_ahead: float = 0.0  # seconds by which the service's clock is ahead; it dates answers and backups
    # Where the outcome of an operation is: in the HTTP "status", in the "body" of a 200, or nowhere ("absent").
    operations: str = "status"
    unknown_operation: int = 404  # what is answered for an operation that is not known
    most_backups: int | None = None  # manual ones of an environment; another one is refused
    # By how the ids of operations begin, such as environments:push: how long these take instead.
    seconds_by_operation: dict[str, float] = field(default_factory=dict)
    # What sites do not get on with: "push", "plugin example-forms 2.5.0", "theme storefront 4.6.0", "php 8.4"; of one
    # environment only with its name or id behind it, as in "push at shop-live".
    breaking: frozenset[str] = frozenset()
    # The same for those whose pages answer, but without their layout.
    collapsing: frozenset[str] = frozenset()

    def seconds_of(self, kind: str) -> float:
        """How long an operation of that kind takes."""
        return self.seconds_by_operation.get(kind, self.operation_seconds)

    def update(self, other: Settings) -> None:
        """Take over the values of other settings, keeping this object."""
        for one in fields(self):
            setattr(self, one.name, copy.copy(getattr(other, one.name)))


@dataclass
class ApiKey:
    """The record of the only key (section 2.2)."""

    secret: str
    name: str
    expires_at: str | None
    company: str
    status: str = "active"


@dataclass
class User:
    """A member of the company."""

    id: str
    email: str
    full_name: str
    role: str
    image: str = ""


@dataclass
class Domain:
    """A domain of an environment, with its DNS records (section 2.4)."""

    id: str
    name: str
    site_id: str
    dns_records: list[dict] = field(default_factory=list)
    type: str = "live"
    is_active: bool = True
    is_wildcardless: bool = False
    setup_type: str = "quick"
    has_custom_certificate: bool = False

    def dns_record(self, record_type: str, name: str) -> dict | None:
        """The DNS record of that type and name."""
        return next((one for one in self.dns_records if (one["type"], one["name"]) == (record_type, name)), None)


@dataclass
class Extension:
    """What themes and plugins have in common."""

    name: str
    title: str
    version: str
    update_version: str = ""
    status: str = "active"
    update_status: str = "updated"

    @property
    def update(self) -> str:
        """Whether there is a newer version: "available" or "none"."""
        return "available" if self.update_version else "none"

    def update_to(self, version: str) -> None:
        """Install another version."""
        self.version, self.update_version = version, ""


@dataclass
class Theme(Extension):
    """A theme of an environment."""


@dataclass
class Plugin(Extension):
    """A plugin of an environment (section 2.3)."""

    is_version_vulnerable: bool = False
    is_update_version_vulnerable: bool = False
    auto_update_type: str = "Hosting Automatic Update"

    def update_to(self, version: str) -> None:
        """Install another version, which is as vulnerable as it was said to be."""
        super().update_to(version)
        self.is_version_vulnerable, self.is_update_version_vulnerable = self.is_update_version_vulnerable, False


@dataclass(frozen=True)
class Content:
    """What an environment contains: labels that stand for its files and its database."""

    files: str = "no files"
    database: str = "no database"
    is_pushed: bool = field(default=False, compare=False)


@dataclass
class Backup:
    """A backup of an environment; `created_at` is epoch milliseconds."""

    id: int
    name: str
    note: str | None
    type: str
    created_at: int
    content: Content = Content()
    plugins: list[Plugin] = field(default_factory=list)
    themes: list[Theme] = field(default_factory=list)


@dataclass
class Environment:
    """An environment of a site and all it holds."""

    id: str
    name: str
    display_name: str
    site_id: str
    is_premium: bool = False
    domains: list[Domain] = field(default_factory=list)
    primary_domain: Domain | None = None
    image_optimization_type: str = "off"
    themes: list[Theme] = field(default_factory=list)
    plugins: list[Plugin] = field(default_factory=list)
    plugins_updated_at: str = "2026-01-01T00:00:00.000Z"
    backups: list[Backup] = field(default_factory=list)
    denied_ips: list[str] = field(default_factory=list)
    sftp_ip_allowlist: list[str] = field(default_factory=list)
    wp_admin_emails: set[str] = field(default_factory=set)
    is_backup_available: bool = True
    reset_at: str = ""
    wordpress_version: str = ""
    php_engine_version: str = "php8.3"
    updates_php_itself: bool = True
    cdn_cache_id: str | None = None
    content: Content = Content()
    php_restarts: int = 0
    pushes: list[dict] = field(default_factory=list)
    restores: list[int] = field(default_factory=list)
    cache_clears: list[dict] = field(default_factory=list)
    wp_cli_commands: list[str] = field(default_factory=list)
    logs: dict[str, list[str]] = field(default_factory=dict)  # the lines of "error" and "access"

    @property
    def software(self) -> set[str]:
        """What runs here, as Settings.breaking names it. What is not active does not run."""
        running = {
            f"{kind} {one.name} {one.version}"
            for kind, those in (("plugin", self.plugins), ("theme", self.themes))
            for one in those
            if one.status != "inactive"
        }
        return running | {f"php {self.php_engine_version.removeprefix('php')}"}

    def restore(self, backup: Backup) -> None:
        """Put contents, plugins and themes back to what they were at the time of a backup."""
        self.restores.append(backup.id)
        self.content = backup.content
        for now, then in ((self.plugins, backup.plugins), (self.themes, backup.themes)):
            by_name = {one.name: one for one in then}
            for one in now:
                if one.name in by_name:
                    # In place, because an update that goes on is of this object.
                    vars(one).update(vars(by_name[one.name]))

    def domain_named(self, name: str) -> Domain | None:
        """The domain with that name, upper and lower case alike."""
        return next((domain for domain in self.domains if domain.name.lower() == name.lower()), None)

    def theme_named(self, name: str) -> Theme | None:
        """The theme with that slug."""
        return next((theme for theme in self.themes if theme.name == name), None)


@dataclass
class Site:
    """A site with its environments."""

    id: str
    name: str
    display_name: str
    status: str = "live"
    labels: list[dict] = field(default_factory=list)
    environments: list[Environment] = field(default_factory=list)
    visits_this_month: int = 0


@dataclass
class Company:
    """The company that owns everything; users by id."""

    id: str
    users: dict[str, User] = field(default_factory=dict)


class World:
    """Everything that the service knows. Hold `lock` while reading or changing it."""

    def __init__(self, settings: Settings) -> None:
        self.lock = threading.RLock()
        self.settings = settings
        self.generation = 0
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.generation += 1
        self.api_key: ApiKey | None = None
        self.company: Company | None = None
        self.sites: dict[str, Site] = {}
        self.environments: dict[str, Environment] = {}
        self.domains: dict[str, Domain] = {}
        self.operations = Operations()
        self.last_backup_id = 0
        self._earlier: list[tuple[float, World]] = []

    def remember(self, until: float) -> None:
        """Keep the state as it is now, for reads that lag: `until` (time.monotonic()) it was that of the world."""
        if self.settings.reads_lag:
            state = copy.copy(self)
            # In one piece, because a domain is in an environment and in the list of all domains.
            state.company, state.sites, state.environments, state.domains = copy.deepcopy(
                (self.company, self.sites, self.environments, self.domains)
            )
            self._earlier.append((until, state))

    def shown(self) -> World:
        """The world as reads show it. Operations, the key and the settings are those of now."""
        since = time.monotonic() - self.settings.reads_lag
        while self._earlier and self._earlier[0][0] <= since:
            del self._earlier[0]
        return self._earlier[0][1] if self._earlier else self

    def is_broken(self, environment: Environment) -> bool:
        """Whether the pages of an environment fail: "broken" is in its files, or it does not get on with its software.

        A push that brings other files repairs the one, and a restored backup of before the update the other.
        """
        return "broken" in environment.content.files or self._has_any_of(environment, self.settings.breaking)

    def is_collapsed(self, environment: Environment) -> bool:
        """Whether the pages of an environment answer without their layout, for the same reasons: see is_broken()."""
        return "collapsed" in environment.content.files or self._has_any_of(environment, self.settings.collapsing)

    def _has_any_of(self, environment: Environment, software: frozenset[str]) -> bool:
        has = environment.software | ({"push"} if environment.content.is_pushed else set())
        names = {environment.id, f"{self.sites[environment.site_id].name}-{environment.name}"}
        return bool(
            has
            & {what for what, _at, where in (one.partition(" at ") for one in software) if not where or where in names}
        )

    def settle(self) -> None:
        """Let every operation that is due take effect."""
        self.operations.settle(self.remember)

    def company_with(self, company_id: str) -> Company:
        """The company with that id, or UnknownIdError."""
        if self.company is None or company_id != self.company.id:
            raise UnknownIdError
        return self.company

    def site(self, site_id: str) -> Site:
        """The site with that id, or UnknownIdError."""
        return found(self.sites, site_id)

    def environment(self, environment_id: str) -> Environment:
        """The environment with that id, or UnknownIdError."""
        return found(self.environments, environment_id)

    def domain(self, domain_id: str) -> Domain:
        """The domain with that id, or UnknownIdError."""
        return found(self.domains, domain_id)

    def add_site(self, site: Site) -> Site:
        """Add a site without environments."""
        self.sites[site.id] = site
        return site

    def add_environment(self, environment: Environment) -> Environment:
        """Add an environment to its site."""
        self.sites[environment.site_id].environments.append(environment)
        self.environments[environment.id] = environment
        return environment

    def add_domain(self, environment: Environment, domain: Domain) -> Domain:
        """Add a domain to an environment; the first one becomes the primary domain."""
        environment.domains.append(domain)
        environment.primary_domain = environment.primary_domain or domain
        self.domains[domain.id] = domain
        return domain

    def remove_domain(self, environment: Environment, domain: Domain) -> None:
        """Take a domain away from an environment."""
        environment.domains.remove(domain)
        del self.domains[domain.id]

    def add_backup(self, environment: Environment, backup_type: str, note: str | None) -> Backup:
        """Take a backup now."""
        self.last_backup_id += 1
        name = f"backup-{self.last_backup_id}"
        created_at = epoch_milliseconds() + round(self.settings.clock_ahead * 1000)
        backup = Backup(self.last_backup_id, name, note, backup_type, created_at, environment.content)
        backup.plugins, backup.themes = copy.deepcopy((environment.plugins, environment.themes))
        environment.backups.append(backup)
        return backup


def found(things: dict, identifier: str):
    """The thing with that id, or UnknownIdError."""
    if identifier not in things:
        raise UnknownIdError
    return things[identifier]


def epoch_milliseconds(days_from_now: float = 0) -> int:
    """Epoch time in milliseconds."""
    return round((time.time() + days_from_now * 86400) * 1000)


def new_id() -> str:
    """An id for something that did not exist before."""
    return str(uuid.uuid4())
