# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a webhook of a Git server says: whoever can reach its address may have written it, and it is only read here."""

from __future__ import annotations

from typing import Any

from .plain_values import plain

_OF_TAGS = "refs/tags/"
_GONE = ("deleted", "unpublished")


def tag_of(payload: Any) -> str:
    """Return the tag that a webhook's payload says was made, or an empty text.

    It is the tag of a release that was published (GitHub, GitLab), or one that was pushed or created. A branch, a tag
    that was deleted, and anything else gives no tag.
    """
    payload = plain(payload)
    if not isinstance(payload, dict) or payload.get("deleted") is True or payload.get("action") in _GONE:
        return ""
    after = payload.get("after")
    if isinstance(after, str) and after and not after.strip("0"):  # the commit of a tag that is gone
        return ""
    release = payload.get("release")
    found: object = ""
    if isinstance(release, dict):
        found = "" if release.get("draft") is True else release.get("tag_name")
    elif payload.get("object_kind") == "release":
        found = payload.get("tag") if payload.get("action") != "delete" else ""
    elif isinstance(payload.get("ref"), str):
        ref = payload["ref"]
        if ref.startswith(_OF_TAGS):
            found = ref.removeprefix(_OF_TAGS)
        # GitHub tells of a tag that is created and of one that is deleted alike, but for this.
        elif payload.get("ref_type") == "tag" and "master_branch" in payload:
            found = ref
    return found if isinstance(found, str) else ""
