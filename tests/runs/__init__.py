# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of ansible-playbook, which tests start here: as users do, or at less cost (see ``launcher.py``)."""

from __future__ import annotations

import atexit
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

PLAYBOOK = str(Path(sys.executable).parent / "ansible-playbook")
HERE = Path(__file__).parent
CHEAPER: tuple[str, ...] = (sys.executable, str(HERE / "launcher.py"))
FORKED = (sys.executable, "-I", "-S", str(HERE / "client.py"))
LONGEST_RUN = 240  # seconds

_are_plain = os.environ.get("RUNS") == "plain"


def command(*arguments: object, is_forked: bool = True) -> list[str]:
    """Return the command of a run.

    :param is_forked: whether it may be forked from a process that has imported Ansible, by a command that waits for it.
    """
    if _are_plain:
        start = (PLAYBOOK,)
    elif is_forked:
        start = (*FORKED, _server())
    else:
        start = CHEAPER
    return [*start, *map(str, arguments)]


def descendants_of(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that they have, as far as they run."""
    listing = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    children: dict[int, list[int]] = {}
    for line in listing.splitlines():
        child, parent = map(int, line.split())
        children.setdefault(parent, []).append(child)
    found: list[int] = []
    pending = [pid]
    while pending:
        following = children.get(pending.pop(), [])
        found += following
        pending += following
    return found


def search_path(path: str, is_forked: bool = True) -> str:
    """Return the PATH for what starts ``ansible-playbook`` by its name; the one that is given has the tests' Python.

    :param is_forked: as for command().
    """
    if _are_plain:
        return path
    return os.pathsep.join([str(Path(_server()).with_name("bin") if is_forked else HERE / "bin"), path])


def start(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start a run in a session of its own; the options are those of subprocess.Popen."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command(*arguments), text=True, start_new_session=True, **{**pipes, **options})


def run(*arguments: object, check: bool = False, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run to the end, however that is; the options are those of subprocess.run."""
    defaults = {"capture_output": True, "timeout": LONGEST_RUN}
    return subprocess.run(command(*arguments), check=check, text=True, **{**defaults, **options})


@contextmanager
def as_users_do(are_plain: bool = True) -> Iterator[None]:
    """Let runs be those of the command that users run."""
    global _are_plain  # noqa: PLW0603 (tests start runs through many hands)
    before, _are_plain = _are_plain, _are_plain or are_plain
    try:
        yield
    finally:
        _are_plain = before


@cache
def _server() -> str:
    """Start the process that runs are forked from, for as long as this one lives, and return where to reach it."""
    folder = tempfile.TemporaryDirectory(prefix="runs-")
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": folder.name,
        "LC_ALL": "C.UTF-8",
        "ANSIBLE_COLLECTIONS_PATH": str(HERE.parents[1] / "build" / "collections"),
    }
    address = f"{folder.name}/socket"
    script = Path(folder.name, "bin", "ansible-playbook")
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {shlex.join([*FORKED, address])} "$@"\n')
    script.chmod(0o700)
    server = subprocess.Popen(
        [*CHEAPER, "--serve", address],
        env=environment,
        cwd=folder.name,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    atexit.register(folder.cleanup)
    atexit.register(server.communicate)
    assert server.stdout
    assert server.stdout.readline() == b"ready\n", "there is nothing to fork runs from: standard error says why"
    return address
