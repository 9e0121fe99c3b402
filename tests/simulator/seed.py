# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The world at the start: the same readable ids every time, so that documented examples run as they stand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from .state import ApiKey, Company, Content, Domain, Environment, Plugin, Site, Theme, User, World, epoch_milliseconds

COMPANY_ID = "c0000000-0000-4000-8000-000000000001"
LIVE, STAGING, LIVE_WWW = 1, 2, 3
SITE_NAMES = ("shop", "blog", "magazine")
SITE_LABELS = {"shop": "retail", "blog": "editorial", "magazine": "editorial"}
SFTP_IP_ALLOWLIST = ("198.51.100.7", "203.0.113.24")
WP_ADMIN_EMAIL = "admin@example.com"
USERS = (
    ("Ada Example", "ada@example.com", "company-admin"),
    ("Ben Example", "ben@example.com", "company-developer"),
    ("Cleo Example", "cleo@example.com", "company-billing"),
)


def user_id(number: int) -> str:
    """The id of the user with that number, from 1."""
    return f"d0000000-0000-4000-8000-{number:012d}"


def site_id(number: int) -> str:
    """The id of the site with that number, from 1."""
    return f"a0000000-0000-4000-8000-{number:012x}"


def environment_id(number: int, which: int = LIVE) -> str:
    """The id of a site's live (1) or staging (2) environment."""
    return f"e0000000-0000-4000-8000-{number * 10 + which:012d}"


def domain_id(number: int, which: int = LIVE) -> str:
    """The id of a site's live (1), staging (2) or second live (3) domain."""
    return f"b0000000-0000-4000-8000-{number * 10 + which:012d}"


def label_id(number: int) -> str:
    """The id of a site label."""
    return f"f0000000-0000-4000-8000-{number:012d}"


def site_name(number: int) -> str:
    """The name of the site with that number."""
    return SITE_NAMES[number - 1] if number <= len(SITE_NAMES) else f"site-{number}"


def seed(world: World, sites: int, api_key: str, brownfield: bool = False) -> None:
    """Fill an empty world; a brownfield has sites that differ in every part."""
    world.clear()
    world.company = Company(COMPANY_ID)
    for number, (full_name, email, role) in enumerate(USERS, start=1):
        world.company.users[user_id(number)] = User(user_id(number), email, full_name, role)
    world.api_key = ApiKey(api_key, "simulator", str(epoch_milliseconds(days_from_now=90.5)), COMPANY_ID)
    for number in range(1, sites + 1):
        _add_site(world, number)
        if brownfield:
            for environment in world.site(site_id(number)).environments:
                _neglect(environment, number)


def _neglect(environment: Environment, number: int) -> None:
    """Make an environment what it is when each site has been looked after by somebody else."""
    environment.php_engine_version = f"php8.{1 + number % 4}"
    environment.updates_php_itself = number % 3 != 0
    environment.image_optimization_type = ("off", "lossless", "lossy")[number % 3]
    environment.primary_domain = environment.domains[number % len(environment.domains)]
    shared = [] if number % 7 == 0 else ["203.0.113.0/24", "198.51.100.66"]  # one of seven never got the list
    environment.denied_ips = [f"2001:db8::{number:x}", *shared, f"192.0.2.{number % 256}"]
    environment.sftp_ip_allowlist = [f"203.0.113.{number % 256}", "198.51.100.7"]
    environment.themes[1].version = f"4.{number % 6}.{number}"
    environment.plugins[0].version = f"2.{number % 5}.{number}"
    environment.plugins[2].version = f"7.0.{number}"
    if number % 2:
        del environment.plugins[3]
    for domain in environment.domains:
        domain.dns_records = [
            {**dns_record("A", domain.name, f"192.0.2.{10 + number % 200}"), "ttl": 300 * (1 + number % 4)},
            dns_record("TXT", domain.name, f"v=spf1 include:mail-{number}.example.net ~all", f"verify={number:06}"),
        ]


def _add_site(world: World, number: int) -> None:
    name = site_name(number)
    label = SITE_LABELS.get(name, "bulk")
    labels = sorted({*SITE_LABELS.values(), "bulk"})
    site = world.add_site(Site(site_id(number), name, name.replace("-", " ").capitalize()))
    site.labels = [{"id": label_id(labels.index(label) + 1), "name": label}]
    site.visits_this_month = 1000 * number + 234
    live = _add_environment(world, site, number, LIVE)
    _add_domain(world, live, f"{name}.example.com", domain_id(number, LIVE))
    _add_domain(world, live, f"www.{name}.example.com", domain_id(number, LIVE_WWW))
    staging = _add_environment(world, site, number, STAGING)
    _add_domain(world, staging, f"staging.{name}.example.com", domain_id(number, STAGING))


def _add_environment(world: World, site: Site, number: int, which: int) -> Environment:
    name = {LIVE: "live", STAGING: "staging"}[which]
    environment = Environment(environment_id(number, which), name, name.capitalize(), site.id)
    environment.wordpress_version = "6.9"
    environment.cdn_cache_id = f"cdn-{number * 10 + which}"
    environment.content = Content(f"files of {site.name} {name}", f"database of {site.name} {name}")
    environment.themes = [
        Theme("twentytwentyfive", "Twenty Twenty-Five", "1.2", "1.3", status="parent"),
        Theme("storefront", "Storefront (child of Twenty Twenty-Five)", "4.5.0", "4.6.0"),
        Theme("twentytwentyfour", "Twenty Twenty-Four", "1.4", status="inactive"),
    ]
    environment.plugins = [
        Plugin("example-forms", "Example Forms", "2.4.1", "2.5.0"),
        Plugin("example-gallery", "Example Gallery", "1.0.3", is_version_vulnerable=True),
        Plugin("example-seo", "Example SEO", "7.1.0"),
        Plugin("example-importer", "Example Importer", "0.9.0", status="inactive"),
    ]
    environment.sftp_ip_allowlist = list(SFTP_IP_ALLOWLIST)
    environment.wp_admin_emails = {WP_ADMIN_EMAIL}
    reset_at = datetime.now(UTC) + timedelta(days=6)
    environment.reset_at = reset_at.strftime("%b %d, %Y, %I:%M %p UTC")
    world.add_environment(environment)
    world.add_backup(environment, "automatic", None)
    return environment


def _add_domain(world: World, environment: Environment, name: str, identifier: str) -> None:
    records = [dns_record("A", name, "192.0.2.10"), dns_record("AAAA", name, "2001:db8::10")]
    world.add_domain(environment, Domain(identifier, name, environment.site_id, records))


def dns_record(record_type: str, name: str, *values: str) -> dict:
    """A DNS record (section 2.4)."""
    return {"type": record_type, "name": name, "ttl": 3600, "resource_records": [{"value": value} for value in values]}
