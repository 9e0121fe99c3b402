# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print the path of a Python interpreter that can run the given release of ansible-core.

Without a release it is the interpreter that runs this script. With one it is that interpreter too if it fits,
otherwise the first that fits on PATH or in pyenv. Ends with status 1 and the reason when there is none.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

# The controller's Python versions, from ansible-core's support matrix. A release not listed here is newer than these.
PYTHONS = {
    "2.19": ((3, 11), (3, 13)),
    "2.20": ((3, 12), (3, 14)),
    "2.21": ((3, 12), (3, 14)),
}
NEWER = ((3, 13), (3, 99))


def supported(core: str, version: tuple[int, int]) -> bool:
    oldest, newest = PYTHONS.get(core, NEWER)
    return oldest <= version <= newest


def folders() -> list[Path]:
    """Every folder that may hold interpreters: PATH, then pyenv's versions, newest first."""
    found = [Path(entry) for entry in os.environ.get("PATH", os.defpath).split(os.pathsep) if entry]
    roots = [os.environ.get("PYENV_ROOT"), Path.home() / ".pyenv"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        roots.insert(0, subprocess.run(["pyenv", "root"], capture_output=True, text=True, check=True).stdout.strip())
    for root in dict.fromkeys(str(root) for root in roots if root):
        found += sorted(Path(root, "versions").glob("*/bin"), reverse=True)
    return found


def working(path: Path) -> tuple[int, int] | None:
    """The version of the interpreter, or None when it does not start (a pyenv shim) or cannot make environments."""
    code = "import ensurepip, sys, venv; print(*sys.version_info[:2])"
    try:
        done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    major, minor = done.stdout.split()
    return int(major), int(minor)


def interpreters() -> dict[tuple[int, int], str]:
    """The first working interpreter of each version from 3.11 on."""
    found = {sys.version_info[:2]: sys.executable}
    for folder in folders():
        for minor in range(11, 20):
            path = folder / f"python3.{minor}"
            if (3, minor) not in found and os.access(path, os.X_OK) and working(path) == (3, minor):
                found[3, minor] = str(path)
    return found


def main() -> int:
    core = sys.argv[1] if len(sys.argv) > 1 else ""
    if not core or supported(core, sys.version_info[:2]):
        print(sys.executable)
        return 0
    for version, path in sorted(interpreters().items()):
        if supported(core, version):
            print(path)
            return 0
    oldest, newest = PYTHONS.get(core, NEWER)
    wanted = f"3.{oldest[1]} or newer" if newest == NEWER[1] else f"3.{oldest[1]} to 3.{newest[1]}"
    print(f"ansible-core {core} needs Python {wanted}: none found on PATH or in pyenv.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
