# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put a collection of the community into a folder: `community.py awx.awx build/awx`.

The package `ansible` on PyPI carries it. Its dependencies are not needed, and of its hundred collections only this one
is kept. Any Python can unpack it, although pip would install it on a newer one only.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from zipfile import ZipFile

PACKAGE = "ansible>=13,<14"
ITS_PYTHON = "3.12"


def unpack(name: str, parent: Path) -> None:
    """Make `parent`/ansible_collections/<namespace>/<name>."""
    inside = f"ansible_collections/{name.replace('.', '/')}/"
    with tempfile.TemporaryDirectory(prefix="community-") as folder:
        options = ["--no-deps", "--only-binary=:all:", "--python-version", ITS_PYTHON, "--dest", folder]
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *options, PACKAGE], check=True)
        [wheel] = Path(folder).glob("ansible-*.whl")
        with ZipFile(wheel) as archive:
            archive.extractall(parent, [one for one in archive.namelist() if one.startswith(inside)])
    if not (parent / inside / "MANIFEST.json").is_file():
        sys.exit(f"{PACKAGE} does not have the collection {name} any more.")


if __name__ == "__main__":
    unpack(sys.argv[1], Path(sys.argv[2]))
