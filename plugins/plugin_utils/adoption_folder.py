# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder that a fleet is adopted into: the files that are there, and those that are planned. Nothing is written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from ..module_utils._text import printable
from .plain_values import Record
from .variable_yaml import Document, block_of, document_of

RECORD = ".adopted.json"
HEAD = "---\n# Adopted by hosting.management.adopt: {}\n"

Look = Callable[[str], "str | None"]
"""What returns the text of a file of the folder by its path, None where there is none, and raises ValueError."""
Rivals = Callable[[str], "list[str]"]
"""What returns the files that Ansible would read instead of one, or beside it."""


class Folder:
    """The files as they will be. What cannot be read, or is somebody else's, is a problem."""

    def __init__(self, look: Look, rivals: Rivals, *, merges: bool) -> None:
        self._look, self._rivals, self._merges = look, rivals, merges
        self.problems: list[str] = []
        self._others: list[str] = []
        self._files: dict[str, Record] = {}
        self._before = self._record()
        self._written: dict[str, str] = dict(self._before["files"])

    @property
    def bases(self) -> dict[str, dict[str, str]]:
        """The digests of the variables of hosts, as an earlier run has written them."""
        return dict(self._before["hosts"])

    @property
    def files(self) -> list[Record]:
        """The files to write, each with ``path``, ``content`` and the digest of what is there ``before``."""
        return [self._files[path] for path in sorted(self._files)]

    def text(self, path: str) -> str | None:
        """Return the text that a file will have, None where there will be none, or none that can be read."""
        if path in self._files:
            content: str | None = self._files[path]["content"]
            return content
        try:
            return self._look(path)
        except ValueError as error:
            self.complain(f"{path} cannot be read: {error}.")
            return None

    def document(self, path: str) -> Document | None:
        """Return the YAML that a file will have, None where there will be none, or none that can be understood."""
        text = self.text(path)
        if text is None:
            return None
        try:
            return document_of(text)
        except ValueError as error:
            self.complain(f"{path}: {error}. Repair it, or move it away.")
            return None

    def values(self, path: str) -> Record:
        """Return the variables that a file will have."""
        document = self.document(path)
        return document.values if document else {}

    def is_planned(self, path: str) -> bool:
        """Tell whether a file is to be written."""
        return path in self._files

    def complain(self, problem: str) -> None:
        """Note a problem, once."""
        if problem not in self.problems:
            self.problems.append(problem)

    def is_edited(self, path: str, text: str) -> bool:
        """Tell whether the text of a file is not what an earlier run has written."""
        return self._before["files"].get(path) != _digest(text)

    def complain_of_others(self) -> None:
        """Note, in one sentence for all of them, which files would be overwritten and are somebody else's."""
        if self._others:
            paths = sorted(self._others)
            were, them = ("was", "it") if len(paths) == 1 else ("were", "them")
            self.complain(
                f"{', '.join(paths)} {were} not written by this role, or {were} edited since."
                f" adopt_merge: true keeps what is in {them}, and adds what is missing."
            )

    def put(self, path: str, text: str, more: str = "") -> None:
        """Plan that a file has a text from now on, and is removed where that is empty."""
        text += more
        try:
            before = self._look(path)
        except ValueError as error:
            self.complain(f"{path} cannot be read: {error}.")
            return
        is_ours = before is None or not self.is_edited(path, before)
        if (before or "") == text:
            if before is not None and not self._merges:
                self._written[path] = _digest(text)
            self._files.pop(path, None)
            return
        if not is_ours and not self._merges:
            self._others.append(path)
        for rival in self._rivals(path):
            self.complain(f"{rival} is there, so Ansible would not read {path} as it should. Move it to {path}.")
        if is_ours:
            self._written[path] = _digest(text)
        if not text:
            self._written.pop(path, None)
        self._files[path] = {
            "path": path,
            "content": text or None,
            "before": None if before is None else _digest(before),
        }

    def set_variable(self, path: str, name: str, value: Any, comment: str = "") -> None:
        """Plan that a file has a variable, and is otherwise as it is."""
        document = self.document(path) or document_of(HEAD.format("what deviates from the group."))
        try:
            self.put(path, document.with_variable(name, block_of(name, value, comment)).text)
        except ValueError as error:
            self.problems.append(f"{path}: {error}. Set it there by hand, or move the file away.")

    def keep_record(self, hosts: dict[str, dict[str, str]]) -> None:
        """Plan that the next run finds what this one has written, with the digests of the variables of hosts."""
        text = json.dumps({"version": 1, "files": self._written, "hosts": hosts}, indent=1, sort_keys=True) + "\n"
        try:
            before = self._look(RECORD)
        except ValueError:
            return
        if before != text:
            digest_before = None if before is None else _digest(before)
            self._files[RECORD] = {"path": RECORD, "content": text, "before": digest_before}

    def _record(self) -> Record:
        """Return what earlier runs have written: digests of ``files``, and of the variables of ``hosts``."""
        nothing: Record = {"version": 1, "files": {}, "hosts": {}}
        try:
            text = self._look(RECORD)
            found = json.loads(text) if text else nothing
            if found["version"] != 1 or not isinstance(found["files"], dict) or not isinstance(found["hosts"], dict):
                raise ValueError("a newer version of the role has written it")
        except (ValueError, KeyError, TypeError) as error:
            self.problems.append(f"{RECORD} cannot be read: {printable(str(error))}. Restore it from Git.")
            return nothing
        return {name: found[name] for name in nothing}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
