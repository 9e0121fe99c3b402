# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show that each step of `make lint` can fail.

A linter that is started in the wrong place looks at nothing and passes. So this plants mistakes in a copy of the
checkout, runs all steps there, and expects each step to name its mistakes. A new step needs a mistake in `MISTAKES`.
The copy leaves out what linters take long for and what needs no mistake: tasks, playbooks, guides and tests.

All of this follows from how the steps are set up, and from the linters. SEEN has a digest of these, written when all
steps had failed as they should; with --if-changed, nothing is run as long as the digest is the same.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from checkout import ROOT, copy, files
from lint import BIN, Outcome, outcomes

SEEN = Path(__file__).with_name("lint_can_fail.seen")
SET_UP_BY = (
    *(".ansible-lint", ".yamllint", ".github/workflows/ci.yml", "galaxy.yml", "pyproject.toml"),
    *("tests/tools/checkout.py", "tests/tools/galaxy-importer.cfg"),
    *("tests/tools/lint.py", "tests/tools/lint_can_fail.py"),
)
"""The files that say what the steps look at, and for what."""


@dataclass
class Mistake:
    """A mistake in a file, and what the step's output then has to show."""

    step: str
    file: str
    text: str  # of a new file, or in the place of the first `instead_of`
    shown: str
    instead_of: str = ""

    def plant(self, root: Path) -> None:
        file = root / self.file
        if not self.text:
            assert file.exists(), f"{self.file} has to be planted first"
        elif self.instead_of:
            before = file.read_text()
            assert self.instead_of in before, f"{self.file} has no {self.instead_of!r}: change this mistake"
            file.write_text(before.replace(self.instead_of, self.text, 1))
        else:
            assert not file.exists(), f"{self.file} is in the way"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self.text)


NOWHERE = "M(hosting.management.nowhere)"
UNUSED_IMPORT = "plugins/module_utils/_planted.py"
WRONG_TYPE = "plugins/module_utils/_planted_type.py"
UNSAFE_TASK = "roles/deploy/tasks/planted.yml"

MISTAKES = [
    Mistake("ruff check", UNUSED_IMPORT, "import os\n", f"--> {UNUSED_IMPORT}:1:8"),
    Mistake("ruff format", "tests/unit/planted_layout.py", "WORDS = {'one':1}\n", "planted_layout.py"),
    Mistake("mypy", WRONG_TYPE, 'COUNT: int = "one"\n', WRONG_TYPE),
    Mistake(
        "mypy", "plugins/modules/environment.py", "-> str:", "plugins/modules/environment.py", "-> dict[str, Any]:"
    ),
    Mistake("mypy", "plugins/filter/plan_lines.py", "-> list[int]:", "plugins/filter/plan_lines.py", "-> list[str]:"),
    Mistake(
        "mypy", "plugins/lookup/interactive.py", "-> list[str]:", "plugins/lookup/interactive.py", "-> list[bool]:"
    ),
    Mistake(
        "mypy",
        "plugins/inventory/environments.py",
        "-> Iterator[int]:",
        "plugins/inventory/environments.py:",
        "-> Iterator[str]:",
    ),
    Mistake("mypy", "plugins/action/settle.py", "module = settle.run", "plugins/action/settle.py", "module = settle"),
    Mistake("yamllint", "playbooks/planted_spaces.yml", "---\nkey:   value\n", "playbooks/planted_spaces.yml"),
    Mistake("dependabot", ".github/dependabot.yml", "interval: rarely", "'rarely' is not one of", "interval: monthly"),
    Mistake(
        "github-issue-config", ".github/ISSUE_TEMPLATE/config.yml", "links:", "'links' was unexpected", "contact_links:"
    ),
    Mistake("github-issue-forms", ".github/ISSUE_TEMPLATE/1-bug.yml", "type: essay", "1-bug.yml", "type: textarea"),
    Mistake("github-workflows", ".github/workflows/ci.yml", "runs-at:", "'runs-on' is a required", "runs-on:"),
    Mistake(
        "ansible-lint",
        UNSAFE_TASK,
        '---\n- name: Run something\n  ansible.builtin.command: "true"\n',
        UNSAFE_TASK,
    ),
    Mistake(
        "antsibull-docs",
        "plugins/modules/php_restart.py",
        f"description:\n  - See {NOWHERE}.\n",
        f"plugins/modules/php_restart.py:0:0: DOCUMENTATION -> description[1]: {NOWHERE}",
        instead_of="description:\n",
    ),
    Mistake(
        "antsibull-docs",
        "plugins/modules/denied_ips.py",
        "author: [nobody]\nunknown_key: 1\n",
        "plugins/modules/denied_ips.py",
        instead_of="author:",
    ),
    Mistake(
        "antsibull-docs",
        "plugins/inventory/environments.py",
        f"description:\n  - See {NOWHERE}.\n",
        "plugins/inventory/environments.py",
        instead_of="description:\n",
    ),
    Mistake(
        "antsibull-docs",
        "plugins/doc_fragments/attributes.py",
        f"description: See {NOWHERE}. ",
        f"attributes -> check_mode -> description[1]: {NOWHERE}",
        instead_of="description: ",
    ),
    Mistake(
        "antsibull-docs",
        "roles/deploy/meta/argument_specs.yml",
        f"description:\n      - See {NOWHERE}.\n",
        "roles/deploy",
        instead_of="description:\n",
    ),
    Mistake(
        "antsibull-changelog",
        "changelogs/fragments/planted.yml",
        "---\nsmall_changes:\n  - This section does not exist.\n",
        "small_changes",
    ),
    Mistake("flake8", UNUSED_IMPORT, "", f"{UNUSED_IMPORT}:1:1: F401"),  # planted above
    Mistake("galaxy-importer", "tests/sanity/ignore-2.19.txt", "README.md pep8\n", "ignore-2.19.txt"),
]


def is_needed(name: Path) -> bool:
    """Whether a file of the checkout belongs into the copy."""
    top = name.parts[0]
    if top == "roles":
        return not {"tasks", "templates", "vars"} & set(name.parts)
    return top not in ("docs", "extensions", "playbooks", "tests") or name.is_relative_to("tests/tools")


def plant(root: Path) -> None:
    """Make a copy of the checkout in `root`, with all mistakes."""
    for name in filter(is_needed, files()):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, root / name, follow_symlinks=False)
    # Git, too, must not ignore the copy, whatever surrounds it.
    subprocess.run(["git", "init", "--quiet", "--template=", root], check=True)
    for mistake in MISTAKES:
        mistake.plant(root)


def build(root: Path) -> Path:
    """The tarball of a checkout."""
    home = root / "build" / "home"
    home.mkdir(parents=True)
    subprocess.run(
        [BIN / "ansible-galaxy", "collection", "build", copy(root / "build" / "tree", root), "--output-path", home],
        env={"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    [tarball] = home.glob("*.tar.gz")
    return tarball


def judge(outcome: Outcome) -> str:
    """What is wrong with a step, or nothing."""
    expected = [mistake for mistake in MISTAKES if mistake.step == outcome.name]
    if not expected:
        return "has no mistake in MISTAKES"
    if outcome.passed:
        return "passed in spite of its mistake"
    missed = [f"{mistake.file} ({mistake.shown})" for mistake in expected if mistake.shown not in outcome.output]
    return f"failed, but not for {', '.join(missed)}" if missed else ""


def digest() -> str:
    """Of all that decides whether a step notices its mistakes: how it is set up, and the linters that are installed."""
    frozen = subprocess.run([BIN / "python", "-m", "pip", "freeze"], capture_output=True, check=True).stdout
    texts = [name.encode() + (ROOT / name).read_bytes() for name in SET_UP_BY]
    return hashlib.sha256(b"".join([str(sys.version_info[:2]).encode(), frozen, *texts])).hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--if-changed", action="store_true", help="only if the steps or the linters have changed since")
    current, seen = digest(), SEEN.read_text().strip() if SEEN.exists() else ""
    if parser.parse_args().if_changed and current == seen:
        print("lint-can-fail: the steps and the linters are those that were seen to fail")
        return 0
    wrong, names = [], set()
    with tempfile.TemporaryDirectory(prefix="lint-can-fail-") as folder:
        root = Path(folder, "checkout")
        plant(root)
        for outcome in outcomes(root, build(root), root / "build" / "home" / "lint"):
            names.add(outcome.name)
            reason = judge(outcome)
            print(f"{outcome.name}: {reason or 'fails, as it should'} ({outcome.seconds:.1f} s)", flush=True)
            if reason:
                wrong.append(outcome.name)
                print("  " + outcome.output.replace("\n", "\n  "), flush=True)
    wrong += sorted({mistake.step for mistake in MISTAKES} - names)
    print(f"lint-can-fail: {', '.join(wrong)} FAILED" if wrong else f"lint-can-fail: all {len(names)} steps can fail")
    if not wrong and current != seen:
        SEEN.write_text(f"{current}\n")
        print(f"{SEEN.relative_to(ROOT)} has the new digest: commit it")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
