# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a release: set the version, write the changelog from its fragments, commit, and tag the commit.

Refuses, before anything is written, a version that is malformed, not newer, or not what semantic versioning asks for, a
checkout with uncommitted changes, an existing tag, and a release without fragments. Leaves the checkout as it was when
something fails later. Nothing is pushed: the tag's push is what publishes the release.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml
from checkout import ROOT

GALAXY = ROOT / "galaxy.yml"
FRAGMENTS = ROOT / "changelogs" / "fragments"
HISTORY = ROOT / "changelogs" / "changelog.yaml"

# Only plugins that have a documentation of their own say this.
ADDED = re.compile(r"^version_added: (\S+)$", re.MULTILINE)

Version = tuple[int, int, int]

INCOMPATIBLE = {"breaking_changes", "removed_features"}
NEW = {"major_changes", "minor_changes", "deprecated_features"}


class Refused(Exception):
    """Why there is no release, and what to do."""


def run(*command: str | Path) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"`{' '.join(map(str, command))}` failed: {(done.stdout + done.stderr).strip()}")
    return done.stdout


def version_of(text: str) -> Version:
    if not re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", text):
        raise Refused(f"{text!r} is no version. Name one such as 1.4.0: make release VERSION=1.4.0")
    major, minor, patch = map(int, text.split("."))
    return major, minor, patch


def released() -> dict[str, dict]:
    """The releases in the changelog, by version."""
    return yaml.safe_load(HISTORY.read_text())["releases"]


def fragments() -> set[str]:
    """The changelog sections that the next release has."""
    sections = set()
    for file in FRAGMENTS.glob("*.y*ml"):
        sections |= set(yaml.safe_load(file.read_text()))
    return sections


def least_version(newest: Version, sections: set[str]) -> Version:
    """The first version that semantic versioning allows for these changes. Below 1.0.0 a minor release may break."""
    major, minor, patch = newest
    if sections & INCOMPATIBLE and major:
        return major + 1, 0, 0
    if sections & (INCOMPATIBLE | NEW):
        return major, minor + 1, 0
    return major, minor, patch + 1


def unlisted_plugins(version: str) -> list[str]:
    """The plugins that no release in the changelog has, and that do not say that they are new in this one."""
    listed = set()
    for release in released().values():
        for plugins in [release.get("modules", []), *release.get("plugins", {}).values()]:
            listed |= {plugin["name"] for plugin in plugins}
    said = {file.stem: ADDED.search(file.read_text()) for file in ROOT.glob("plugins/*/*.py")}
    return sorted(name for name, added in said.items() if added and name not in listed and added[1] != version)


def check(text: str) -> None:
    """Refuse what cannot be released."""
    version = version_of(text)
    if changes := run("git", "status", "--porcelain"):
        raise Refused(f"There are uncommitted changes. Commit or remove them first:\n{changes.rstrip()}")
    newest = max(map(version_of, [*released(), yaml.safe_load(GALAXY.read_text())["version"]]))
    if version <= newest:
        raise Refused(f"{text} is not newer than {'.'.join(map(str, newest))}, the newest release.")
    if run("git", "tag", "--list", text):
        raise Refused(f"The tag {text} exists. Choose a newer version.")
    sections = fragments()
    if not sections:
        raise Refused("changelogs/fragments has no fragments, so there is nothing to release.")
    least = least_version(newest, sections)
    if version < least:
        raise Refused(
            f"{text} is too small a step after {'.'.join(map(str, newest))}: for what the fragments say, semantic "
            f"versioning asks for {'.'.join(map(str, least))} or newer."
        )
    if missing := unlisted_plugins(text):
        raise Refused(f"The changelog would not list {', '.join(missing)}. Set their version_added to {text}.")


def release(version: str) -> None:
    """Write, commit and tag."""
    GALAXY.write_text(re.sub(r"^version: .+$", f"version: {version}", GALAXY.read_text(), count=1, flags=re.MULTILINE))
    beside = Path(sys.executable).parent
    run(beside / "antsibull-changelog", "release", "--reload-plugins", "--ansible-doc-bin", beside / "ansible-doc")
    run("git", "add", "--all", GALAXY, ROOT / "CHANGELOG.md", ROOT / "changelogs")
    run("git", "commit", "--quiet", "--message", f"Release {version}")
    run("git", "tag", "--annotate", "--message", f"Release {version}", version)


def main() -> int:
    try:
        version = sys.argv[1]
        check(version)
        before = run("git", "rev-parse", "HEAD").strip()
        try:
            release(version)
        except BaseException:
            # `check` has seen that nothing can be lost.
            run("git", "reset", "--quiet", "--hard", before)
            raise
    except Refused as reason:
        print(f"No release: {reason}", file=sys.stderr)
        return 1
    print(f"Released {version}. Read the commit, then publish it: git push origin HEAD {version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
