#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: variable_files
short_description: Write files of variables, all or none
version_added: 0.2.0
description:
  - Writes text files below a folder. Each is replaced in one step, so that nobody ever reads half a file.
  - Nothing is written if one of the files is not as it was when its new content was decided.
  - The role P(hosting.management.adopt#role) uses it with what P(hosting.management.adoption_plan#filter) returns. The
    module sends nothing to the hosting service, so neither O(base_url) nor O(api_key) is required.
options:
  folder:
    description:
      - The folder. It is created if it does not exist.
    type: path
    required: true
  files:
    description:
      - The files to write.
    type: list
    elements: dict
    required: true
    suboptions:
      path:
        description:
          - The path of the file, relative to O(folder). It must stay inside.
        type: str
        required: true
      content:
        description:
          - The text of the file, in UTF-8. Without it, the file is removed.
        type: str
      before:
        description:
          - The SHA-256 digest of what is in the file now, in hexadecimal. Without it, the file must not exist.
        type: str
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.attributes
  - hosting.management.attributes.diff
"""

EXAMPLES = r"""
- name: Write a file that is not there yet
  hosting.management.variable_files:
    folder: fleet
    files:
      - path: group_vars/environment_live.yml
        content: |
          ---
          maintain_denied_ips: [198.51.100.7]
  delegate_to: localhost
"""

RETURN = r"""
written:
  description: The paths of the files that were written, or would be in check mode.
  returned: success
  type: list
  elements: str
  sample: [group_vars/environment_live.yml]
removed:
  description: The paths of the files that were removed, or would be.
  returned: success
  type: list
  elements: str
  sample: []
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

import hashlib
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ..module_utils._arguments import ModuleSpec, api_options
from ..module_utils._context import Context
from ..module_utils._entry import run_module
from ..module_utils._errors import InvalidInput
from ..module_utils._text import printable

UNDONE = "Nothing was written."
MODE = 0o644

SPEC = ModuleSpec(
    api_options(),
    {
        "folder": {"type": "path", "required": True},
        "files": {
            "type": "list",
            "elements": "dict",
            "required": True,
            "options": {
                "path": {"type": "str", "required": True},
                "content": {"type": "str"},
                "before": {"type": "str"},
            },
        },
    },
    needs_service=False,
)


@dataclass(frozen=True)
class File:
    """A file: its ``name`` as it was given, where it is, and what is in it before and after; None for no file."""

    name: str
    path: Path
    before: bytes | None
    after: bytes | None


def run(context: Context) -> dict[str, Any]:
    """Write files, all or none."""
    folder = Path(os.path.realpath(context["folder"]))
    files = [_file(folder, one) for one in context["files"]]
    changed = [one for one in files if one.before != one.after]
    if not context.check_mode:
        _write(changed)
    result = {
        "changed": bool(changed),
        "written": [one.name for one in changed if one.after is not None],
        "removed": [one.name for one in changed if one.after is None],
    }
    if context.diff:
        result["diff"] = [_diff(one) for one in changed]
    return result


def _file(folder: Path, wanted: Mapping[str, Any]) -> File:
    name = wanted["path"]
    relative = PurePosixPath(name)
    path = folder.joinpath(*relative.parts)
    is_inside = relative.parts and not relative.is_absolute() and ".." not in relative.parts
    if not is_inside or name != printable(name) or not Path(os.path.realpath(path)).is_relative_to(folder):
        raise InvalidInput(f"{printable(name)} is no path that stays inside of {folder}. {UNDONE}")
    try:
        before = path.read_bytes()
    except FileNotFoundError:
        before = None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}. {UNDONE}") from None
    digest = None if before is None else hashlib.sha256(before).hexdigest()
    if digest != wanted["before"]:
        raise InvalidInput(f"{path} is not what it was a moment ago: somebody writes it, too. {UNDONE} Run it again.")
    after = wanted["content"]
    return File(name, path, before, None if after is None else after.encode("utf-8", "surrogateescape"))


def _write(files: list[File]) -> None:
    """Write the files beside their places first, so that what cannot be written is known before any is replaced."""
    beside = []
    try:
        for one in files:
            if one.after is not None:
                one.path.parent.mkdir(parents=True, exist_ok=True)
                beside.append((_beside(one, one.after), one.path))
    except OSError as error:
        for temporary, _path in beside:
            with suppress(OSError):
                os.unlink(temporary)
        raise InvalidInput(f"{one.path} cannot be written: {error.strerror}. {UNDONE}") from None
    for temporary, path in beside:
        os.replace(temporary, path)
    for one in files:
        if one.after is None:
            one.path.unlink()


def _beside(one: File, content: bytes) -> str:
    descriptor, temporary = tempfile.mkstemp(dir=one.path.parent, prefix=".adopting-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, one.path.stat().st_mode & 0o777 if one.before is not None else MODE & ~_umask())
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _diff(one: File) -> dict[str, str]:
    shown = {"before": one.before, "after": one.after}
    return {
        **{side: (content or b"").decode("utf-8", "replace") for side, content in shown.items()},
        "before_header": one.name,
        "after_header": one.name,
    }


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
