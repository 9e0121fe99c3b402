# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run every linter, show what each has to say, and end with a list of what passed.

`make lint` starts this after `make build`, whose tarball it looks at. `lint_can_fail.py` plants a mistake for each of
these steps, so that none of them passes because it looks at nothing.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from checkout import COLLECTION, ROOT, copy
from galaxy_importer import constants as galaxy

BIN = Path(sys.executable).parent

DOCS = "lint-collection-docs --plugin-docs --validate-collection-refs=self --disallow-unknown-collection-refs"

# The files that only GitHub reads, and the schemas that check-jsonschema has for them.
GITHUB = {
    "dependabot": ".github/dependabot.yml",
    "github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "github-issue-forms": ".github/ISSUE_TEMPLATE/[0-9]-*.yml",
    "github-workflows": ".github/workflows/*.yml",
}

GALAXY_COMPLAINT = re.compile(r"^(ERROR|WARNING):", re.MULTILINE)

# As Galaxy calls it for each file, but for what it dislikes of what `ruff format` writes: a line that begins with an
# operator (W503; one that ends with it, too), a space before a colon (E203), and the `...` of an overload in the line
# of its `def` (E704).
FLAKE8 = [
    *("flake8", "--isolated", "--select", galaxy.FLAKE8_SELECT_ERRORS),
    *("--max-line-length", str(galaxy.FLAKE8_MAX_LINE_LENGTH)),
    *("--extend-ignore", f"{galaxy.FLAKE8_IGNORE_ERRORS},W503,E203,E704"),
]


@dataclass
class Step:
    """A linter's command, and where it runs. `complaint` is for one that ends with status 0 whatever it finds."""

    name: str
    command: list[str | Path]
    folder: Path
    complaint: re.Pattern[str] | None = None


@dataclass
class Outcome:
    name: str
    passed: bool
    output: str
    seconds: float


def steps(root: Path, tree: Path, installed: Path, home: Path, tarball: Path) -> list[Step]:
    """All linters. `tree` has the checkout's files and `installed` the tarball's, at paths that Ansible's linters want.
    Both have to be outside the checkout: git ignores build/ there, and antsibull-docs passes over whatever git ignores.
    """
    return [
        Step("ruff check", ["ruff", "check", "--quiet", "."], root),
        Step("ruff format", ["ruff", "format", "--quiet", "--diff", "."], root),
        Step("mypy", ["mypy", "--no-error-summary"], root),
        Step("yamllint", ["yamllint", "--strict", "."], root),
        *(
            Step(schema, ["check-jsonschema", "--builtin-schema", f"vendor.{schema}", *root.glob(pattern)], root)
            for schema, pattern in GITHUB.items()
        ),
        Step("ansible-lint", ["ansible-lint", "--offline", "--strict", "--profile", "production"], tree),
        Step("flake8", [*FLAKE8, "plugins"], installed),
        Step("antsibull-docs", ["antsibull-docs", *DOCS.split(), "."], installed),
        Step("antsibull-changelog", ["antsibull-changelog", "lint"], root),
        Step(
            "galaxy-importer",
            ["python", "-m", "galaxy_importer.main", str(tarball)],
            home,
            complaint=GALAXY_COMPLAINT,
        ),
    ]


def environment(root: Path, collections: Path, home: Path) -> dict[str, str]:
    """A home of its own, and only this checkout's collection in sight."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "XDG_"))}
    return kept | {
        "HOME": str(home),
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "ANSIBLE_COLLECTIONS_PATH": str(collections),
        "NO_COLOR": "1",
        "GALAXY_IMPORTER_CONFIG": str(root / "tests" / "tools" / "galaxy-importer.cfg"),
    }


def install(tarball: Path, collections: Path, surroundings: dict[str, str]) -> Path:
    """Install the tarball as users do, and return where it is."""
    command = [BIN / "ansible-galaxy", "collection", "install", "--offline", tarball, "--collections-path", collections]
    surroundings = surroundings | {"ANSIBLE_COLLECTIONS_PATH": str(collections)}
    subprocess.run(command, env=surroundings, stdout=subprocess.DEVNULL, check=True)
    return collections / COLLECTION


def run(step: Step, surroundings: dict[str, str]) -> Outcome:
    began = time.monotonic()
    done = subprocess.run(
        [str(BIN / step.command[0]), *step.command[1:]],
        cwd=step.folder,
        env=surroundings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    complained = bool(step.complaint and step.complaint.search(done.stdout))
    passed = done.returncode == 0 and not complained
    return Outcome(step.name, passed, done.stdout.strip(), time.monotonic() - began)


def outcomes(root: Path, tarball: Path, home: Path) -> Iterator[Outcome]:
    """Run the linters on a checkout and its tarball, one after the other, and yield what came of each."""
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="lint-") as folder:
        tree = copy(Path(folder, "tree"), root)
        surroundings = environment(root, Path(folder, "tree"), home)
        installed = install(tarball, Path(folder, "installed"), surroundings)
        for step in steps(root, tree, installed, home, tarball):
            yield run(step, surroundings)


def main() -> int:
    [tarball] = (ROOT / "build" / "dist").glob("*.tar.gz")
    failed, count = [], 0
    for outcome in outcomes(ROOT, tarball, ROOT / "build" / "home" / "lint"):
        count += 1
        print(f"{outcome.name}: {'passed' if outcome.passed else 'FAILED'} ({outcome.seconds:.1f} s)", flush=True)
        if not outcome.passed:
            failed.append(outcome.name)
            print("  " + outcome.output.replace("\n", "\n  "), flush=True)
    print(f"lint: {', '.join(failed)} FAILED" if failed else f"lint: all {count} passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
