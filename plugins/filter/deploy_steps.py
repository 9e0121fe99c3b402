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
      - What the tasks have registered so far, as P(hosting.management.deploy_result#filter) takes it.
    type: dict
    required: true
  settings:
    description:
      - What P(hosting.management.deploy_settings#filter) returned for the host.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Bring the release where it is not there
  ansible.builtin.include_tasks: "{{ (registered | hosting.management.deploy_steps(asked)).brings }}.yml"
"""

RETURN = r"""
_value:
  description:
    - C(brings) is V(push) or V(push_with_pictures) where the release is to be pushed, and otherwise V(nothing).
      C(declares) tells whether domains and denied addresses are to be seen to, and C(refreshes) whether PHP is to be
      restarted and caches are to be cleared; C(php_restart) and C(caches) are what M(hosting.management.environment)
      takes for that. C(push_is_open) and C(is_open) tell whether the push, or not all of that, has ended well.
      C(compares_pictures), C(goes_back) and C(reads_again) tell whether pictures are to be compared, the backup is to
      be restored, and what is there now has to be read.
    - C(meets_locks) and C(locks) are about the locks of the environment. C(looked) is what the journal has of it,
      C(site) what was found out about its site, and C(ended) the operations that were waited for, as other modules take
      them. C(for_hooks) has the C(backup) and whether the release C(is_pushed).
  type: dict
"""

import time
from collections.abc import Callable

from ..plugin_utils.deployment_steps import done_of, steps_of
from ..plugin_utils.plain_values import Record, plain


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"deploy_steps": deploy_steps}


def deploy_steps(registered: Record, settings: Record) -> Record:
    settings = plain(settings)
    done = done_of(registered, settings)
    return {
        **steps_of(done, settings, time.time()),
        "looked": done["looked"],
        "site": done["site"],
        "ended": {"operations": done["ends"]} if done["ends"] else {},
        "for_hooks": {"backup": done["backup"]["backup"], "is_pushed": done["is_pushed"]},
    }
