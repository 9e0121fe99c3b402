#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: release_info
short_description: Show which release was last pushed to an environment, and what locks it
version_added: 0.2.0
description:
  - Reads the journal, the collection's record of what it requested from the service. Shows which release was last
    pushed to an environment, which parts of it were pushed, and how each push ended. If a backup was restored since,
    shows the backup instead.
  - Also shows the locks that stop deployments to the environment, see M(hosting.management.deploy_lock).
  - The service itself does not show releases. Pushes made without this journal, by hand or with another tool, are
    unknown to the module.
  - Nothing is sent to the service.
options:
  groups:
    description:
      - The inventory groups that the environment belongs to, such as C(group_names), for the locks of groups. The locks
        of the group V(all) always count.
    type: list
    elements: str
    default: []
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Find out which release the environment has
  hosting.management.release_info:
    environment_id: "{{ hosting_environment_id }}"
  register: released

- name: Show the release and the state of its push
  ansible.builtin.debug:
    msg: "{{ released.release | default('no release', true) }} ({{ released.state | default('never pushed', true) }})"
"""

RETURN = r"""
release:
  description: The release that was pushed last. Null if none is known, if the last push had no release, or if a backup
    was restored since.
  returned: success
  type: str
  sample: v2.4.1
state:
  description:
    - The state of the last push. V(sent) means that another run is waiting for the service's answer, V(in_progress)
      that the service has accepted the push, V(unknown) that its answer was lost (record the outcome with
      M(hosting.management.push_outcome)). Null if no push is known, or if a backup was restored since.
  returned: success
  type: str
  sample: finished
sent_at:
  description: When the last push was sent, in ISO 8601, UTC.
  returned: success
  type: str
  sample: "2026-11-02T00:00:00Z"
is_interrupted:
  description: Whether the last push is not known to have ended, and the run that sent it no longer lives.
  returned: success
  type: bool
is_restarted:
  description: Whether PHP was restarted since the last push. If not, the run that pushed did not come that far. Null if
    no push is known, or if a backup was restored since.
  returned: success
  type: bool
cleared_caches:
  description:
    - The caches that were cleared for the release since its last push, as in
      O(hosting.management.cache_clear#module:caches).
  returned: success
  type: list
  elements: str
  sample: [edge, site]
parts:
  description: The pushes that make up the release, oldest first. There are several if its parts were pushed separately.
  returned: success
  type: list
  elements: dict
  contains:
    source_env_id:
      description: The id of the environment that was pushed from.
      type: str
    push_db:
      description: Whether the database was pushed.
      type: bool
    push_files:
      description: Whether files were pushed.
      type: bool
    run_search_and_replace:
      description: Whether the source's domain was replaced in the database.
      type: bool
    file_list:
      description: The files that were pushed. Empty if all were.
      type: list
      elements: str
    state:
      description: The state of this push, as in RV(state).
      type: str
    sent_at:
      description: When the request was sent, in ISO 8601, UTC.
      type: str
    ended_at:
      description: When it reached this state, in ISO 8601, UTC. Null while it is in progress.
      type: str
    operation_id:
      description: The id of the operation that the service accepted, if there is one.
      type: str
backup:
  description:
    - The backup from before the release, which M(hosting.management.manual_backup) took with its option
      O(ignore:release). Null if there is no release, or no such backup on record.
  returned: success
  type: dict
  contains:
    id:
      description: The id of the backup. Null if the service did not show it.
      type: int
      sample: 1201
    tag:
      description: The label of the backup.
      type: str
      sample: before-v2.4.1
    problem:
      description: Why it must not be restored to undo the release, or null.
      type: str
updates:
  description: What is remembered of the updates of the environment, oldest first, as by
    M(hosting.management.update_info).
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: What was updated, V(plugin), V(theme) or V(php).
      type: str
      sample: plugin
    name:
      description: The slug of the plugin or theme, or V(php).
      type: str
      sample: example-forms
    version:
      description: The version that it was updated to.
      type: str
      sample: 2.5.0
    previous_version:
      description: The version before, or null if it is not known.
      type: str
      sample: 2.4.1
    verdict:
      description:
        - V(works) or V(broke_it), or V(not_known) as long as nobody has looked at the site since the update.
      type: str
      sample: works
    reason:
      description: What the verdict is based on.
      type: str
    environment_id:
      description: The id of the environment.
      type: str
    environment:
      description: What the environment is called in messages.
      type: str
      sample: shop-live
    updated_at:
      description: When the update was noted, in ISO 8601, UTC, by the clock of the controller.
      type: str
      sample: "2026-11-02T00:00:00Z"
restored_backup:
  description: The backup that M(hosting.management.backup_restore) restored last. Null if there is none, or if a push
    was sent since.
  returned: success
  type: dict
  contains:
    backup_id:
      description: The id of the backup.
      type: int
    release:
      description: What the backup was restored for, or null.
      type: str
    state:
      description: The state of the restore, as in RV(state).
      type: str
    sent_at:
      description: When the request was sent, in ISO 8601, UTC.
      type: str
    ended_at:
      description: When it reached this state, in ISO 8601, UTC. Null while it is in progress.
      type: str
    operation_id:
      description: The id of the operation that the service accepted, if there is one.
      type: str
php_restart:
  description: The last restart of PHP. Null if none is known.
  returned: success
  type: dict
  contains:
    release:
      description: The release that PHP was restarted for, or null.
      type: str
    state:
      description: The state of the restart, as in RV(state).
      type: str
    sent_at:
      description: When the request was sent, in ISO 8601, UTC.
      type: str
    ended_at:
      description: When it reached this state, in ISO 8601, UTC. Null while it is in progress.
      type: str
    operation_id:
      description: The id of the operation that the service accepted, if there is one.
      type: str
locks:
  description: The locks in force for the environment or one of O(groups), those that end first at the front.
  returned: success
  type: list
  elements: dict
  contains:
    environment_id:
      description: The id of the environment that is locked. Null for a group.
      type: str
    group:
      description: The name of the group that is locked. Null for an environment.
      type: str
    reason:
      description: Why.
      type: str
    author:
      description: Who has set the lock.
      type: str
    since:
      description: When it was set, in ISO 8601, UTC.
      type: str
    until:
      description: When it ends, in ISO 8601, UTC.
      type: str
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
from ..module_utils._readings.releases import OPTIONS, run

SPEC = ModuleSpec(api_options(), {"environment_id": environment_option()}, OPTIONS)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
