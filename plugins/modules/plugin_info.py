#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: plugin_info
short_description: List the plugins of an environment
version_added: 0.1.0
description:
  - Lists the plugins of an environment (C(GET /sites/environments/{env_id}/wp-plugins), interface section 4.5), and
    sums up which are vulnerable and which have an update.
  - Without O(status) and O(column), lists all plugins.
  - If the service does not have that endpoint, the module uses one beyond the documented interface (C(GET
    /sites/environments/{env_id}/plugins)), which does not show which plugins are vulnerable. The module then issues a
    warning, and RV(vulnerable) is null.
options:
  status:
    description:
      - The status of the plugins to list. V(active) is the value that the interface documents.
    type: str
  column:
    description:
      - The column to filter plugins by. V(updatesAvailable) is the value that the interface documents. It lists the
        plugins that have an update.
    type: str
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: List all plugins
  hosting.management.plugin_info:
    environment_id: "{{ hosting_environment_id }}"
    status: ""
    column: ""
  register: listed

- name: Show which plugins have an update
  ansible.builtin.debug:
    msg: "{{ item.name }} {{ item.version }} can be updated to {{ item.update_version }}"
  loop: "{{ listed.plugins | selectattr('name', 'in', listed.updatable) }}"
  loop_control:
    label: "{{ item.name }}"

- name: Warn about vulnerable plugins
  ansible.builtin.debug:
    msg: "Vulnerable: {{ listed.vulnerable | join(', ') }}"
  when: listed.vulnerable | length > 0
"""

RETURN = r"""
plugins:
  description: The plugins, as the service returns them.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: The plugin's slug.
      type: str
      sample: contact-form
    title:
      description: The plugin's title.
      type: str
    status:
      description: The status of the plugin.
      type: str
      sample: active
    version:
      description: The installed version.
      type: str
    is_update_available:
      description: Whether an update is available. (The service's own C(update), a text, is also present. Jinja can
        access it only as C(plugin['update']).)
      type: bool
    update_version:
      description: The version that the update would install.
      type: str
    update_status:
      description: The status of the last update.
      type: str
    is_version_vulnerable:
      description: Whether the installed version is vulnerable.
      type: bool
    is_update_version_vulnerable:
      description: Whether the version that the update would install is vulnerable.
      type: bool
    auto_update_type:
      description: How the plugin is updated automatically.
      type: str
vulnerable:
  description: The slugs of the listed plugins whose installed version is vulnerable. Null if the service does not show
    this.
  returned: success
  type: list
  elements: str
updatable:
  description: The slugs of the listed plugins that have an update.
  returned: success
  type: list
  elements: str
last_updated_at:
  description: When the service last updated its list of plugins, in ISO 8601, UTC. Null if it does not say.
  returned: success
  type: str
  sample: "2026-11-02T00:00:00.000Z"
answer:
  description: The service's answer, unchanged.
  returned: success
  type: dict
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

from ..module_utils._arguments import ModuleSpec, api_options, environment_option
from ..module_utils._entry import run_module
from ..module_utils._readings.plugins import OPTIONS, run

SPEC = ModuleSpec(api_options(), {"environment_id": environment_option()}, OPTIONS)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
