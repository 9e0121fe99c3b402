#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: environment_state_info
short_description: Read an environment in one task
version_added: 0.2.0
description:
  - Reads as much of an environment as O(gather) asks for, in one task. No answer of the service is asked for twice.
  - Returns the readings, what could not be read and why, and a declaration of the environment, which
    M(hosting.management.environment) takes. With O(compare_with), it also returns how the environment differs from what
    is declared.
  - What cannot be read does not fail the task. It fails only if nothing at all can be read because of the API key, the
    address or the network.
options:
  environment_id:
    description:
      - The id of the environment.
    type: str
    required: true
    aliases: [env_id]
  site_id:
    description:
      - The id of the environment's site. Without it, V(image_optimization), V(php_version), V(primary_domain) and
        V(usage) cannot be read, and V(versions) lists all sites of the company to find the environment.
    type: str
  domain_ids:
    description:
      - The ids of the domains whose DNS records are read. Needed for V(dns_records).
    type: list
    elements: str
  emails:
    description:
      - The e-mail addresses that may belong to WordPress administrators. Needed for V(administrators).
    type: list
    elements: str
  gather:
    description:
      - What to read. By default, all that can be declared.
      - V(backup) lists the backups as M(hosting.management.backup_info) does, V(sftp_allowlist) the addresses as
        M(hosting.management.sftp_allowlist_info), V(plugins) the plugins as M(hosting.management.plugin_info).
        V(dns_records) lists the DNS records of each of O(domain_ids) as M(hosting.management.dns_record_info).
      - V(denied_ips), V(image_optimization), V(php_version), V(primary_domain), V(domains) and V(themes) have no
        module that only reads them.
      - V(key) is read as by M(hosting.management.api_key_info), V(versions) as by
        M(hosting.management.environment_info), V(visits) as by M(hosting.management.visits_info), V(networks) as by
        M(hosting.management.top_asns_info), V(usage) as by M(hosting.management.visits_usage_info), V(downloads) as by
        M(hosting.management.downloadable_backup_info), V(administrators) for each of O(emails) as by
        M(hosting.management.wp_admin_user_info).
      - V(releases) is read from the journal, as by M(hosting.management.release_info).
    type: list
    elements: str
    choices:
      - administrators
      - backup
      - denied_ips
      - dns_records
      - domains
      - downloads
      - image_optimization
      - key
      - networks
      - php_version
      - plugins
      - primary_domain
      - releases
      - sftp_allowlist
      - themes
      - usage
      - versions
      - visits
    default:
      - backup
      - denied_ips
      - sftp_allowlist
      - image_optimization
      - php_version
      - primary_domain
      - domains
      - dns_records
      - themes
      - plugins
  compare_with:
    description:
      - What is declared of the environment, as O(hosting.management.environment#module:declaration). RV(parts) and
        RV(differs) tell how the environment differs from it. Nothing is changed.
      - A part that cannot be compared does not fail the task.
    type: raw
  canary:
    description:
      - For O(compare_with), whether an update that M(hosting.management.environment) would leave out with the option of
        the same name counts as no difference.
    type: bool
    default: false
  environment_name:
    description:
      - For O(compare_with), what to call the environment in messages about other environments. Defaults to its id.
    type: str
  query_names:
    description:
      - The names of the query parameters, by option, for a service that uses other names than the public service. The
        public service uses V(time_span) for O(time_frame), V(company_id) for O(company_id), V(from) for O(start),
        V(to) for O(end), and V(email) for the addresses of O(emails).
    type: dict
  groups:
    description:
      - For V(releases), the inventory groups that the environment belongs to, such as C(group_names), for the locks of
        groups. The locks of the group V(all) always count.
    type: list
    elements: str
    default: []
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.analytics
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Read all that can be declared
  hosting.management.environment_state_info:
    environment_id: "{{ hosting_environment_id }}"
    site_id: "{{ hosting_site_id }}"
    domain_ids: ["{{ hosting_primary_domain_id }}"]
  register: state

- name: Show the declaration
  ansible.builtin.debug:
    msg: "{{ state.declaration | ansible.builtin.to_nice_yaml }}"

- name: Tell how the environment differs from what is declared
  hosting.management.environment_state_info:
    environment_id: "{{ hosting_environment_id }}"
    gather: [plugins]
    compare_with:
      denied_ips: [198.51.100.7, 203.0.113.0/24]
      plugins: vulnerable

- name: Give back parts of what was read, which changes nothing
  hosting.management.environment:
    environment_id: "{{ hosting_environment_id }}"
    site_id: "{{ hosting_site_id }}"
    denied_ips: "{{ state.declaration.denied_ips }}"
    php_version: "{{ state.declaration.php_version }}"

- name: Show what could not be read, where the service offers it
  ansible.builtin.debug:
    msg: "{{ item.key }}: {{ item.value.msg }}"
  loop: "{{ state.unread | ansible.builtin.dict2items | selectattr('value.error.is_offered') }}"
  loop_control:
    label: "{{ item.key }}"

- name: Read the traffic and the release
  hosting.management.environment_state_info:
    environment_id: "{{ hosting_environment_id }}"
    gather: [visits, networks, releases]
    time_frame: 7_days
    groups: "{{ group_names }}"
"""

RETURN = r"""
readings:
  description:
    - What was read, by the names of O(gather). Each is what its module returns.
    - In V(dns_records), C(domains) is a list with a C(domain_id) and the result of the module for each domain; in
      V(administrators), C(users) is a list with an C(email) and the result of the module for each address.
  returned: success
  type: dict
  sample:
    php_version:
      php_version: "8.3"
      automatic_updates: true
unread:
  description: What could not be read or not be declared, by the names of O(gather).
  returned: success
  type: dict
  sample:
    themes:
      msg: The hosting service at https://api.example.com/v2 did not find what GET
        /sites/environments/e0000000-0000-4000-8000-000000000011/themes is about, ...
      error:
        kind: not_found
        status: 404
        is_offered: false
        message:
        method: GET
        path: /sites/environments/e0000000-0000-4000-8000-000000000011/themes
        operation_id:
declaration:
  description:
    - The environment as it is, as a value by part. A part that was not asked for, or that the service does not show, is
      left out. It is what M(hosting.management.environment) takes, and giving it back changes nothing.
  returned: success
  type: dict
  contains:
    backup:
      description: The newest manual backup that has a tag, as options of M(hosting.management.manual_backup).
      returned: if there is one
      type: dict
      sample: {"tag": before-v2.4.1}
    denied_ips:
      description: The denied addresses.
      returned: if they are shown
      type: list
      elements: str
    sftp_allowlist:
      description: The addresses that may use SFTP and SSH.
      returned: if they are shown
      type: list
      elements: str
    image_optimization:
      description: How images are optimized.
      returned: if it is shown
      type: str
      sample: lossy
    php_version:
      description: The version of PHP, and whether it is updated automatically, where the service shows that.
      returned: if it is shown
      type: dict
      sample: {"version": "8.3", "automatic_updates": true}
    primary_domain:
      description: The name of the primary domain.
      returned: if there is one
      type: str
      sample: shop.example.com
    domains:
      description: The domains, as options of M(hosting.management.site_domain).
      returned: if they are shown
      type: list
      elements: dict
    dns_records:
      description: The DNS records, as options of M(hosting.management.dns_record).
      returned: if they were read
      type: list
      elements: dict
    themes:
      description: The themes with their versions, as options of M(hosting.management.site_theme).
      returned: if they are shown
      type: list
      elements: dict
    plugins:
      description: The plugins with their versions, as options of M(hosting.management.site_plugin).
      returned: if they are shown
      type: list
      elements: dict
parts:
  description:
    - How each declared part differs, with C(differs), C(before), C(after), C(failed) and all else that
      M(hosting.management.environment) returns of a part in check mode.
  returned: if O(compare_with) is given
  type: dict
  sample:
    denied_ips:
      differs: true
      before: [198.51.100.7]
      after: [198.51.100.7, 203.0.113.0/24]
differs:
  description: The names of the parts that differ from what is declared.
  returned: if O(compare_with) is given
  type: list
  elements: str
  sample: [denied_ips]
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

from typing import Any

from ..module_utils._analytics import EXCLUSIVE, check_span
from ..module_utils._arguments import ModuleSpec, api_options, environment_option, uuid_option
from ..module_utils._compose import compare
from ..module_utils._context import Context
from ..module_utils._declared_parts import declaration_option
from ..module_utils._entry import run_module
from ..module_utils._gathering import OPTIONS, gather
from ..module_utils._verdicts import canary_options

SPEC = ModuleSpec(
    api_options(),
    {"environment_id": environment_option(), "site_id": uuid_option(required=False), **canary_options()},
    {"compare_with": declaration_option()},
    OPTIONS,
    rule=check_span,
    mutually_exclusive=EXCLUSIVE,
)


def run(context: Context) -> dict[str, Any]:
    """Return what is read of the environment, and how it differs from the declaration that is given, if one is."""
    return {**gather(context), **compare(context, context["compare_with"])}


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
