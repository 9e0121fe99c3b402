# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run every linter, show what each has to say, and end with a list of what passed.

`make lint` starts this after `make build`, whose collection tree and tarball it looks at.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / "build" / "tree" / "ansible_collections" / "hosting" / "management"
HOME = ROOT / "build" / "home" / "lint"
BIN = Path(sys.executable).parent

DOCS = "lint-collection-docs --plugin-docs --validate-collection-refs=self --disallow-unknown-collection-refs"


def steps() -> dict[str, tuple[list[str], Path]]:
    """Each linter's command, and where it runs."""
    tarball = str(next((ROOT / "build" / "dist").glob("*.tar.gz")))
    return {
        "ruff check": (["ruff", "check", "--quiet", "."], ROOT),
        "ruff format": (["ruff", "format", "--quiet", "--diff", "."], ROOT),
        "mypy": (["mypy", "--no-error-summary"], ROOT),
        "yamllint": (["yamllint", "--strict", "."], ROOT),
        "ansible-lint": (["ansible-lint", "--offline", "--strict", "--profile", "production"], TREE),
        "antsibull-docs": (["antsibull-docs", *DOCS.split(), "."], TREE),
        "antsibull-changelog": (["antsibull-changelog", "lint"], ROOT),
        "galaxy-importer": (["python", "-m", "galaxy_importer.main", tarball], HOME),
    }


def environment() -> dict[str, str]:
    """A home in build/, and only this checkout's collection in sight."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "XDG_"))}
    return kept | {
        "HOME": str(HOME),
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "tree"),
        "NO_COLOR": "1",
        "GALAXY_IMPORTER_CONFIG": str(ROOT / "tests" / "tools" / "galaxy-importer.cfg"),
    }


def passed(name: str, done: subprocess.CompletedProcess[str]) -> bool:
    if name == "galaxy-importer":  # reports what it dislikes, and still ends with status 0
        return done.returncode == 0 and "ERROR:" not in done.stdout and "WARNING:" not in done.stdout
    return done.returncode == 0


def main() -> int:
    HOME.mkdir(parents=True, exist_ok=True)
    results = {}
    for name, (command, folder) in steps().items():
        began = time.monotonic()
        command[0] = str(BIN / command[0])
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        results[name] = passed(name, done)
        print(f"{name}: {'passed' if results[name] else 'FAILED'} ({time.monotonic() - began:.1f} s)", flush=True)
        if not results[name]:
            print("  " + done.stdout.strip().replace("\n", "\n  "), flush=True)
    failed = [name for name, good in results.items() if not good]
    print(f"lint: {', '.join(failed)} FAILED" if failed else f"lint: all {len(results)} passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
