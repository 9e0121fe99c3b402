# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests the hosting service understands, as data.

The sections are those of the service's interface document, version 1.114.0. Endpoints without a section are
companions: the public service documents them, the interface document does not show them. No module needs one to do
what the documented endpoints allow.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

RETRY_STATUSES = frozenset({429, 500, 502, 503, 504})


@dataclass(frozen=True)
class Endpoint:
    """One method and path of the service. Call it to make a request: ``VALIDATE_KEY()``.

    ``repeatable`` says that sending the request twice leaves what sending it once leaves. Retries, and what happens
    after a lost answer, follow from this one flag. ``answers_with`` is a name that is in the service's own answer to a
    write: one without it is somebody else's.
    """

    method: str
    path: str
    section: str | None = None
    repeatable: bool = True
    answers_with: str | None = None
    retry_statuses: frozenset[int] = field(default=RETRY_STATUSES, repr=False)

    def __call__(
        self, *, query: dict[str, Any] | None = None, body: dict[str, Any] | None = None, **ids: str
    ) -> Request:
        """Return the Request for these ids. ``query`` and ``body`` are mappings; None means there is none."""
        path = self.path.format(**{name: quote(value, safe=":") for name, value in ids.items()})
        return Request(self, path, query, body)


@dataclass(frozen=True)
class Request:
    """An endpoint with its ids, query and body: all that is to be sent apart from the key."""

    endpoint: Endpoint
    path: str
    query: dict[str, Any] | None = None
    body: dict[str, Any] | None = None

    @property
    def method(self) -> str:
        return self.endpoint.method

    @property
    def repeatable(self) -> bool:
        return self.endpoint.repeatable

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


EDIT_COMPANY_USER = Endpoint("POST", "/company/{company_id}/users/company-capabilities", "4.1", answers_with="message")
VALIDATE_KEY = Endpoint("GET", "/validate", "4.2")
ADD_SITE_DOMAIN = Endpoint(
    "POST", "/sites/environments/{env_id}/domains", "4.3", repeatable=False, answers_with="operation_id"
)
UPDATE_DENIED_IPS = Endpoint("PUT", "/sites/tools/denied-ips", "4.4", answers_with="result")
GET_PLUGINS = Endpoint("GET", "/sites/environments/{env_id}/wp-plugins", "4.5")
CHANGE_PRIMARY_DOMAIN = Endpoint(
    "PUT", "/sites/environments/{env_id}/change-primary-domain", "4.6", answers_with="operation_id"
)
UPDATE_IMAGE_OPTIMIZATION = Endpoint("PUT", "/sites/cdn/image-optimization", "4.7", answers_with="operation_id")
CREATE_PLAIN_ENVIRONMENT = Endpoint(
    "POST", "/sites/{site_id}/environments/plain", "4.8", repeatable=False, answers_with="operation_id"
)
UPDATE_THEME = Endpoint("PUT", "/sites/environments/{env_id}/themes", "4.9", answers_with="operation_id")
ADD_MANUAL_BACKUP = Endpoint(
    "POST", "/sites/environments/{env_id}/manual-backups", "4.10", repeatable=False, answers_with="operation_id"
)
RESTART_PHP = Endpoint("POST", "/sites/tools/restart-php", "4.11", answers_with="operation_id")
GET_VISITS = Endpoint("GET", "/sites/environments/{env_id}/analytics/visits", "4.12")
GET_TOP_ASNS = Endpoint("GET", "/sites/environments/{env_id}/analytics/top-asns", "4.13")
CHECK_WP_ADMIN_USER = Endpoint("GET", "/sites/environments/{env_id}/wpa-user-exists", "4.14")
GET_NEXT_DOWNLOADABLE_BACKUP = Endpoint(
    "GET", "/sites/environments/{env_id}/next-downloadable-backup-available", "4.15"
)
GET_SFTP_ALLOWLIST = Endpoint("GET", "/sites/environments/{env_id}/ssh/get-allowed-ips", "4.16")
GET_DNS_RECORDS = Endpoint("GET", "/domains/{domain_id}/dns-records", "4.17")
GET_VISITS_USAGE = Endpoint("GET", "/sites/{site_id}/usage/visits/this-month", "4.18")
PUSH_ENVIRONMENT = Endpoint(
    "PUT", "/sites/{site_id}/environments", "4.19", repeatable=False, answers_with="operation_id"
)

# A 500 here says that the operation has failed, so it is an answer and not a reason to ask again.
GET_OPERATION = Endpoint("GET", "/operations/{operation_id}", retry_statuses=RETRY_STATUSES - {500})
GET_DENIED_IPS = Endpoint("GET", "/sites/tools/denied-ips")
GET_SITE_DOMAINS = Endpoint("GET", "/sites/environments/{env_id}/domains")
# The service refuses to remove a domain that is gone, so a repetition would fail.
DELETE_SITE_DOMAINS = Endpoint(
    "DELETE", "/sites/environments/{env_id}/domains", repeatable=False, answers_with="operation_id"
)
GET_ENVIRONMENTS = Endpoint("GET", "/sites/{site_id}/environments")
GET_SITES = Endpoint("GET", "/sites")
GET_THEMES = Endpoint("GET", "/sites/environments/{env_id}/themes")
GET_ALL_PLUGINS = Endpoint("GET", "/sites/environments/{env_id}/plugins")
GET_LOGS = Endpoint("GET", "/sites/environments/{env_id}/logs")
GET_BACKUPS = Endpoint("GET", "/sites/environments/{env_id}/backups")
# A repetition would take away what was changed since the first restore.
RESTORE_BACKUP = Endpoint(
    "POST", "/sites/environments/{env_id}/backups/restore", repeatable=False, answers_with="operation_id"
)
# The service refuses to remove a backup that is gone, so a repetition would fail.
DELETE_BACKUP = Endpoint(
    "DELETE", "/sites/environments/backups/{backup_id}", repeatable=False, answers_with="operation_id"
)
# What a command does twice, nobody knows.
RUN_WP_CLI_COMMAND = Endpoint(
    "POST", "/sites/environments/{env_id}/run-wp-cli-command", repeatable=False, answers_with="operation_id"
)
CLEAR_SITE_CACHE = Endpoint("POST", "/sites/tools/clear-cache", answers_with="operation_id")
CLEAR_EDGE_CACHE = Endpoint("POST", "/sites/edge-caching/clear", answers_with="operation_id")
CLEAR_CDN_CACHE = Endpoint("POST", "/sites/cdn/clear-cache", answers_with="operation_id")
GET_DOMAINS = Endpoint("GET", "/domains")
# Between two of them another run may have changed the record; and the service may refuse what is there, or is gone.
CREATE_DNS_RECORD = Endpoint("POST", "/domains/{domain_id}/dns-records", repeatable=False, answers_with="operation_id")
UPDATE_DNS_RECORD = Endpoint("PUT", "/domains/{domain_id}/dns-records", repeatable=False, answers_with="operation_id")
DELETE_DNS_RECORD = Endpoint(
    "DELETE", "/domains/{domain_id}/dns-records", repeatable=False, answers_with="operation_id"
)
UPDATE_PLUGIN = Endpoint("PUT", "/sites/environments/{env_id}/plugins", answers_with="operation_id")
UPDATE_PLUGINS = Endpoint("PUT", "/sites/environments/{env_id}/plugins/bulk-update", answers_with="operation_id")
UPDATE_THEMES = Endpoint("PUT", "/sites/environments/{env_id}/themes/bulk-update", answers_with="operation_id")
MODIFY_PHP_VERSION = Endpoint("PUT", "/sites/tools/modify-php-version", answers_with="operation_id")
SET_SFTP_ALLOWLIST = Endpoint("POST", "/sites/environments/{env_id}/ssh/set-allowed-ips", answers_with="result")
