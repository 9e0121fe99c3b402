# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copy the files git knows, and those it would not ignore, into a collection tree.

Ansible's tools want a path that ends in ansible_collections/hosting/management, and should not see environments, build
output or what else lies in a checkout.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLLECTION = Path("ansible_collections", "hosting", "management")


def files(root: Path = ROOT) -> list[Path]:
    """The files of the checkout, relative to it; symbolic links count as files."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"This needs git and a git checkout: {getattr(error, 'stderr', None) or error}")
    found = [Path(name) for name in dict.fromkeys(names) if name]
    return [name for name in found if (root / name).is_symlink() or (root / name).is_file()]


def copy(parent: Path, root: Path = ROOT) -> Path:
    """Make `parent`/ansible_collections/hosting/management anew and return it."""
    target = parent / COLLECTION
    shutil.rmtree(target, ignore_errors=True)
    for name in files(root):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, target / name, follow_symlinks=False)
    return target


if __name__ == "__main__":
    print(copy(Path(sys.argv[1])))
