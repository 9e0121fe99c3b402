# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: git_tag
short_description: Find the tag in the payload of a Git server's webhook
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Returns the tag that was pushed or created, or that was published as a release, as GitHub and GitLab tell of it. For
    branches, deleted tags and everything else it returns an empty text.
  - The job templates that the role P(hosting.management.awx#role) creates use it for the name of the release.
options:
  _input:
    description: The payload, which AWX gives to a job as C(awx_webhook_payload).
    type: raw
    required: true
"""

EXAMPLES = r"""
- name: Show the tag
  ansible.builtin.debug:
    msg: "{{ {'ref': 'refs/tags/v2.4.1'} | hosting.management.git_tag }}"
"""

RETURN = r"""
_value:
  description: The tag, or an empty text.
  type: str
  sample: v2.4.1
"""

from collections.abc import Callable

from ..plugin_utils.webhooks import tag_of


class FilterModule:
    def filters(self) -> dict[str, Callable[..., object]]:
        return {"git_tag": tag_of}
