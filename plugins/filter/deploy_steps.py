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
      - What the tasks have registered so far. What M(hosting.management.deployment_info) returned (C(journal)), and
        M(hosting.management.site_check) after the deployment (C(verified)); the results of waiting (C(waited)); the
        results of the tasks by the names of the steps (C(backup), C(push), C(push_end), C(parts), C(kept), C(wp_cli),
        C(restore)); C(now), what M(hosting.management.release_info) returned in the end; the C(log); the pictures
        (C(pictures_before), C(compared)); the C(failure); the backup that was C(chosen); and C(return), how going back
        to it went. What never came is empty.
    type: dict
    required: true
  settings:
    description:
      - What P(hosting.management.deploy_host#lookup) returned for the host.
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
    - C(way), C(brings), C(after_push), C(last) and C(verification) are the names of the steps that come next, each
      V(nothing) where there is none. C(has_more_before) tells whether something comes before the push, C(declares)
      whether domains and denied addresses are to be seen to; C(declaration) is what M(hosting.management.environment)
      takes for them, for the restart of PHP, and for the caches. C(push_is_open) and
      C(is_open) tell whether the push, or not all of that, has ended well. C(asks_site), C(compares_pictures),
      C(goes_back) and C(reads_again) tell whether the site is still to be asked, pictures are to be compared, the
      backup is to be restored, and what is there now has to be read.
    - C(meets_locks) and C(locks) are about the locks of the environment. C(looked) is what the journal has of it,
      C(site) what was found out about its site, and C(ended) the operations that were waited for, as other modules take
      them. C(for_hooks) has the C(backup) and whether the release C(is_pushed). C(done) is what
      P(hosting.management.deploy_result#filter) takes.
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
        "done": done,
        **steps_of(done, settings, time.time()),
        "looked": done["looked"],
        "site": done["site"],
        "ended": {"operations": done["ends"]} if done["ends"] else {},
        "for_hooks": {"backup": done["backup"]["backup"], "is_pushed": done["is_pushed"]},
    }
