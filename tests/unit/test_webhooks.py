# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tag that a Git server's webhook tells of, as GitHub and GitLab do."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.webhooks import tag_of

COMMIT, NONE = "4f1c" * 10, "0" * 40


@pytest.mark.parametrize(
    "payload",
    [
        {"ref": "refs/tags/v2/1", "after": COMMIT, "deleted": False, "created": True},
        {"ref": "v2/1", "ref_type": "tag", "master_branch": "main"},
        {"action": "published", "release": {"tag_name": "v2/1", "draft": False}},
        {"object_kind": "tag_push", "ref": "refs/tags/v2/1", "after": COMMIT},
        {"object_kind": "release", "action": "create", "tag": "v2/1"},
    ],
    ids=["GitHub push", "GitHub create", "GitHub release", "GitLab tag", "GitLab release"],
)
def test_a_tag_that_was_made_is_found(payload: dict):
    assert tag_of(payload) == "v2/1"


@pytest.mark.parametrize(
    "payload",
    [
        {"ref": "refs/heads/main", "after": COMMIT},
        {"ref": "feature", "ref_type": "branch", "master_branch": "main"},
        {"ref": "refs/tags/v2", "after": NONE, "deleted": True},
        {"ref": "v2", "ref_type": "tag", "pusher_type": "user"},
        {"object_kind": "tag_push", "ref": "refs/tags/v2", "after": NONE},
        {"action": "deleted", "release": {"tag_name": "v2"}},
        {"action": "created", "release": {"tag_name": "v2", "draft": True}},
        {"object_kind": "release", "action": "delete", "tag": "v2"},
        {"action": "published", "release": {"tag_name": ["v2"]}},
        {"zen": "Keep it logically awesome."},
        {},
        "refs/tags/v2",
        None,
    ],
)
def test_anything_else_is_no_release(payload: object):
    assert tag_of(payload) == ""
