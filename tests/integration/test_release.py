# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`make release`, in a clone of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from integration.playbook import ROOT
from tools.checkout import files

pytestmark = pytest.mark.story

FEATURE = "minor_changes:\n  - report - a feature.\n"
REPAIR = "bugfixes:\n  - report - a repair.\n"
BREAKAGE = "breaking_changes:\n  - report - something else than before.\n"
PERSON = {
    f"GIT_{role}_{name}": value
    for role in ("AUTHOR", "COMMITTER")
    for name, value in (("NAME", "Somebody"), ("EMAIL", "somebody@example.com"))
}


def is_needed(name: Path) -> bool:
    top = {".gitignore", "README.md", "changelogs", "galaxy.yml", "meta", "plugins"}
    return name.is_relative_to("tests/tools") or name.parts[0] in top


class Clone:
    """A git repository with what a release needs of the checkout, whose last release is 1.4.2 and has all plugins."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "clone"
        # As in a person's shell, Ansible is not on the path.
        path = [entry for entry in os.environ["PATH"].split(os.pathsep) if Path(entry) != Path(sys.executable).parent]
        self.environment = {"PATH": os.pathsep.join(path), "HOME": str(folder), "LC_ALL": "C.UTF-8", **PERSON}
        for name in filter(is_needed, files()):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, self.folder / name, follow_symlinks=False)
        self.git("init", "--quiet", "--template=", "--initial-branch=main")
        for file in self.fragments:
            file.unlink()
        release = {
            "release_date": "2026-01-01",
            "modules": self.plugins("modules", ""),
            "plugins": {kind: self.plugins(kind, None) for kind in ("callback", "filter", "inventory", "lookup")},
        }
        self.history.write_text(yaml.safe_dump({"ancestor": None, "releases": {"1.4.2": release}}))
        self.galaxy.write_text(re.sub(r"(?m)^version: .*$", "version: 1.4.2", self.galaxy.read_text()))
        self.fragment("change", FEATURE)

    def plugins(self, kind: str, namespace: str | None) -> list[dict]:
        names = sorted(path.stem for path in (self.folder / "plugins" / kind).glob("*.py"))
        return [{"name": name, "description": "It was there.", "namespace": namespace} for name in names]

    @property
    def galaxy(self) -> Path:
        return self.folder / "galaxy.yml"

    @property
    def history(self) -> Path:
        return self.folder / "changelogs" / "changelog.yaml"

    @property
    def fragments(self) -> list[Path]:
        return list((self.folder / "changelogs" / "fragments").glob("*"))

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True).stdout

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Change something")

    def fragment(self, name: str, text: str) -> None:
        folder = self.folder / "changelogs" / "fragments"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.yml").write_text(text)
        self.commit()

    def state(self) -> tuple[str, ...]:
        return self.git("log", "--format=%H"), self.git("tag"), self.git("status", "--porcelain")

    def release(self, version: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "tests/tools/release.py", version],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def refusal(self, version: str) -> str:
        """What is said about a release that is refused, and that leaves everything as it was."""
        before = self.state()
        done = self.release(version)
        assert done.returncode == 1, done.stdout
        assert self.state() == before
        assert "Traceback" not in done.stderr
        return done.stderr


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


@pytest.fixture(scope="module")
def shared_clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone for tests that leave it as it is."""
    return Clone(tmp_path_factory.mktemp("shared"))


def test_a_release_is_a_tagged_commit_with_version_and_changelog(clone: Clone):
    module = clone.folder / "plugins" / "modules" / "brand_new.py"
    text = (ROOT / "plugins" / "modules" / "api_key_info.py").read_text()
    module.write_text(
        re.sub(r"(?m)^version_added: .*$", "version_added: 1.5.0", text.replace("api_key_info", "brand_new"))
    )
    clone.commit()
    done = clone.release("1.5.0")
    assert done.returncode == 0, done.stderr
    assert "git push origin HEAD 1.5.0" in done.stdout
    assert yaml.safe_load(clone.galaxy.read_text())["version"] == "1.5.0"
    released = yaml.safe_load(clone.history.read_text())["releases"]["1.5.0"]
    assert released["changes"] == {"minor_changes": ["report - a feature."]}
    assert [new["name"] for new in released["modules"]] == ["brand_new"]
    assert "## v1\\.5\\.0" in (clone.folder / "CHANGELOG.md").read_text()
    assert clone.fragments == []
    assert clone.git("describe", "--exact-match") == "1.5.0\n"
    assert clone.git("log", "-1", "--format=%s") == "Release 1.5.0\n"
    assert clone.git("status", "--porcelain") == ""
    assert "no fragments" in clone.refusal("1.5.1")


@pytest.mark.parametrize("version", ["", "1", "1.5", "v1.5.0", "1.5.0-rc1", "1.05.0", "1.5.0.0", "1.5.0\n"])
def test_a_malformed_version_is_refused(version: str, shared_clone: Clone):
    assert "is no version. Name one such as" in shared_clone.refusal(version)


@pytest.mark.parametrize("version", ["1.4.2", "1.4.1", "0.9.0"])
def test_a_version_that_is_not_newer_is_refused(version: str, shared_clone: Clone):
    assert f"{version} is not newer than 1.4.2" in shared_clone.refusal(version)


def test_uncommitted_changes_are_refused(clone: Clone):
    (clone.folder / "forgotten.txt").write_text("text")
    assert "?? forgotten.txt" in clone.refusal("1.5.0")
    (clone.folder / "forgotten.txt").unlink()
    (clone.folder / "README.md").write_text("text")
    assert " M README.md" in clone.refusal("1.5.0")


def test_an_existing_tag_is_refused(clone: Clone):
    clone.git("tag", "1.5.0")
    assert "The tag 1.5.0 exists" in clone.refusal("1.5.0")


@pytest.mark.parametrize(
    ("text", "version", "least"),
    [(FEATURE, "1.4.3", "1.5.0"), (BREAKAGE, "1.5.0", "2.0.0"), (REPAIR, None, "1.4.3")],
    ids=["feature", "breakage", "repair"],
)
def test_the_version_follows_semantic_versioning(text: str, version: str | None, least: str, clone: Clone):
    if text != FEATURE:
        clone.fragment("change", text)
    if version:
        assert f"semantic versioning asks for {least} or newer" in clone.refusal(version)
    done = clone.release(least)
    assert done.returncode == 0, done.stderr


def test_a_new_module_that_the_changelog_would_not_list_is_refused(clone: Clone):
    module = clone.folder / "plugins" / "modules" / "brand_new.py"
    shutil.copy(ROOT / "plugins" / "modules" / "api_key_info.py", module)
    clone.commit()
    assert "would not list brand_new. Set their version_added to 1.5.0" in clone.refusal("1.5.0")


def test_a_release_that_fails_leaves_everything_as_it_was(clone: Clone):
    clone.fragment("wrong", "small_changes:\n  - This section does not exist.\n")
    assert "small_changes" in clone.refusal("1.5.0")
    clone.git("rm", "--quiet", "changelogs/fragments/wrong.yml")
    clone.commit()
    hook = clone.folder / ".git" / "hooks" / "commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho the hook says no >&2\nexit 1\n")
    hook.chmod(0o755)
    assert "the hook says no" in clone.refusal("1.5.0")
