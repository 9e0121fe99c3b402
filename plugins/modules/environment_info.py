#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: environment_info
short_description: List the environments of a site or a company
version_added: 0.2.0
description:
  - Lists environments with the same variables that the inventory plugin P(hosting.management.environments#inventory)
    gives to hosts. Use it in tasks that need the current state of an environment, or an environment that is not a host.
  - Requires a service that lists them (C(GET /sites/{site_id}/environments) for a site, C(GET /sites) for a company,
    both companions of the documented interface).
options:
  site_id:
    description:
      - The id of the site whose environments to list. Mutually exclusive with O(company_id).
    type: str
  company_id:
    description:
      - The id of the company whose environments to list, across all its sites. Without O(site_id), defaults to the
        company of the API key, which the module looks up.
    type: str
  environment_id:
    description:
      - The id of the only environment to list. The task fails if there is no environment with this id.
    type: str
    aliases: [env_id]
  source_environment:
    description:
      - The name of the environment that a site's releases come from. The module returns its id as
        C(hosting_source_environment_id).
    type: str
    default: staging
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Get this environment
  hosting.management.environment_info:
    site_id: "{{ hosting_site_id }}"
    environment_id: "{{ hosting_environment_id }}"
  register: found

- name: Show its domain and PHP version
  ansible.builtin.debug:
    msg: "{{ found.environments[0].hosting_primary_domain }} runs PHP {{ found.environments[0].hosting_php_version }}"

- name: List the environments of all sites
  hosting.management.environment_info:
  register: all_of_company

- name: Show the sites that run an old PHP version
  ansible.builtin.debug:
    msg: "{{ all_of_company.environments | selectattr('hosting_php_version')
      | selectattr('hosting_php_version', 'version', '8.0', '<') | map(attribute='hosting_site_name') }}"
"""

RETURN = r"""
environments:
  description:
    - The environments, in the service's order. Values that the service does not show are null. With O(site_id), these
      are the values of the company and the site, except the site's id.
  returned: success
  type: list
  elements: dict
  contains:
    hosting_company_id:
      description: The id of the company.
      type: str
    hosting_site_id:
      description: The id of the site.
      type: str
      sample: a0000000-0000-4000-8000-000000000001
    hosting_site_name:
      description: The name of the site.
      type: str
      sample: shop
    hosting_site_display_name:
      description: The display name of the site.
      type: str
    hosting_site_status:
      description: The status of the site.
      type: str
      sample: live
    hosting_site_labels:
      description: The labels of the site.
      type: list
      elements: str
    hosting_environment_id:
      description: The id of the environment.
      type: str
      sample: e0000000-0000-4000-8000-000000000011
    hosting_environment_name:
      description: The name of the environment.
      type: str
      sample: live
    hosting_environment_display_name:
      description: The display name of the environment.
      type: str
    hosting_source_environment_id:
      description: The id of the site's environment named in O(source_environment). Null for that environment itself.
      type: str
      sample: e0000000-0000-4000-8000-000000000012
    hosting_is_premium:
      description: Whether the environment is premium.
      type: bool
    hosting_is_blocked:
      description: Whether the environment is blocked.
      type: bool
    hosting_domains:
      description: The names of the domains.
      type: list
      elements: str
    hosting_primary_domain:
      description: The name of the primary domain.
      type: str
      sample: shop.example.com
    hosting_primary_domain_id:
      description: The id of the primary domain.
      type: str
    hosting_php_version:
      description: The PHP version.
      type: str
      sample: '8.3'
    hosting_wordpress_version:
      description: The WordPress version.
      type: str
    hosting_image_optimization_type:
      description: How the CDN optimizes images.
      type: str
    hosting_cdn_cache_id:
      description: The id of the CDN's cache.
      type: str
    hosting_web_root:
      description: The directory that the web server serves.
      type: str
    hosting_ssh_host:
      description: The address for SFTP and SSH.
      type: str
    hosting_ssh_port:
      description: The port for SFTP and SSH.
      type: int
error:
  description:
    - What went wrong, as values for conditions. The human-readable message is in RV(ignore:msg).
    - L(When something fails,https://github.com/hosting-management/hosting.management/blob/main/docs/failures.md)
      says which kinds there are, what to do about each, and what else the values tell.
  returned: failure
  type: dict
  contains:
    kind:
      description: What kind of failure it was.
      type: str
      sample: unauthorized
"""

from ..module_utils._arguments import ModuleSpec, api_options, uuid_option
from ..module_utils._entry import run_module
from ..module_utils._readings.versions import OPTIONS, run

SPEC = ModuleSpec(
    api_options(),
    {
        "site_id": uuid_option(required=False),
        "environment_id": uuid_option(required=False, aliases=["env_id"]),
    },
    OPTIONS,
    mutually_exclusive=[["site_id", "company_id"]],
)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
