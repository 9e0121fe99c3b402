# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: deploy_steps
short_description: Tell which steps a deployment to an environment still has before it
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Tells which steps the role P(hosting.management.deploy#role) takes for an environment, so that those with nothing to
    do cost nothing.
positional: settings
options:
  _input:
    description:
      - What the tasks have registered so far. What M(hosting.management.deployment_info) returned (C(looked)), the
        results of the C(push), of M(hosting.management.environment) (C(kept)) and of the C(restore), the operations
        that were waited for (C(ends)), the C(failure), and C(return), how going back to the backup went. What has not
        come yet is empty. C(news) has the C(release) that PHP is restarted for, and whether this run has brought it
        (C(is_new)).
    type: dict
    required: true
  settings:
    description:
      - What P(hosting.management.deploy_settings#filter) returned for the host.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Push where the release is not there
  ansible.builtin.include_tasks: push.yml
  when: (results | hosting.management.deploy_steps(asked)).pushes
"""

RETURN = r"""
_value:
  description:
    - C(pushes) and C(refreshes) tell whether the release is to be pushed, and whether PHP is to be restarted and caches
      are to be cleared. C(php_restart) and C(caches) are what M(hosting.management.environment) takes for that.
      C(push_is_open) and C(is_open) tell whether the push, or not all of that, has ended well, and C(reads_again)
      whether what is there now has to be read.
  type: dict
"""

from collections.abc import Callable

from ..plugin_utils.deployment_plan import steps_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_steps": steps_of}
