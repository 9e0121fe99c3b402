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
  - It reads variables that tasks have registered. A template that named each of them would cost each host more than all
    that is decided here.
options:
  _terms:
    description:
      - A dictionary with the names of the variables that have what is known so far. C(settings) names what
        P(hosting.management.deploy_host#lookup) returned, C(journal) what M(hosting.management.deployment_info)
        returned for all, C(look) what it returned for this environment alone, and C(verified) what
        M(hosting.management.site_check) did after the deployment. C(waited) are the names of those that have the
        results of waiting.
      - The results of the tasks are named by their steps (C(backup), C(push), C(push_end), C(parts), C(kept),
        C(wp_cli), C(restore)); C(now) names what M(hosting.management.release_info) returned in the end, C(log) the
        log, C(pictures_before) and C(compared) the pictures, C(failure) the failure, C(chosen) the backup that was
        chosen, and C(return) how going back to it went. What never came is empty.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Bring the release where it is not there
  ansible.builtin.include_tasks: "{{ lookup('hosting.management.deploy_steps', names).brings }}.yml"
"""

RETURN = r"""
_list:
  description:
    - C(way), C(brings), C(after_push), C(last) and C(verification) are the names of the steps that come next, each
      V(nothing) where there is none. C(has_more_before) tells whether something comes before the push, C(declares)
      whether domains and denied addresses are to be seen to; C(declaration) is what M(hosting.management.environment)
      takes for them, for the restart of PHP, and for the caches. C(push_is_open) and
      C(is_open) tell whether the push, or not all of that, has ended well. C(open_push) is the push as the same module
      takes it, to bring it to its end. C(asks_site), C(compares_pictures),
      C(goes_back) and C(reads_again) tell whether the site is still to be asked, pictures are to be compared, the
      backup is to be restored, and what is there now has to be read.
    - C(meets_locks) and C(locks) are about the locks of the environment. C(looked) is what the journal has of it,
      C(site) what was found out about its site, and C(ended) the operations that were waited for, as other modules take
      them. C(for_hooks) has the C(backup) and whether the release C(is_pushed). C(done) is what
      P(hosting.management.deploy_result#filter) takes.
  type: list
  elements: dict
"""

from typing import Any

from ansible.plugins.lookup import LookupBase

from ..plugin_utils.deployment_steps import known_of
from ..plugin_utils.plain_values import Record


class LookupModule(LookupBase):
    def run(self, terms: list[Record], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[Record]:
        self.set_options(var_options=variables, direct=kwargs)
        return [known_of(names, variables or {}) for names in terms]
