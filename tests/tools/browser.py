# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print the path of Chromium. With --install, get it first where it is missing.

It ends with status 1 and says what to do when there is none. Uses only the standard library.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

# The shell first, as for site_snapshot: it takes half the processor time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
PACKAGES = ("chromium-headless-shell", "chromium")
APT = ["apt-get", "install", "--yes", "--quiet", "--no-install-recommends"]


def found() -> str | None:
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def install() -> None:
    """Install Debian's package, which needs root."""
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "--quiet"], *([*APT, package] for package in PACKAGES)):
        if not found():
            subprocess.run(command, env=environment, stdout=sys.stderr, check=False)


def main() -> int:
    if not found() and "--install" in sys.argv:
        install()
    path = found()
    if not path:
        print("Chromium is not installed. Install it, or name its program: CHROMIUM=/path/to/chromium", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
