# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run `ansible-test sanity --venv` with the ansible-core of the interpreter that runs this script.

It works on a copy of the checkout and in a home of its own, so nothing is left outside build/, and it works without
downloading pip's bootstrap script. With --published, the copy has what users install: without the tests, for which
there is ruff. All other arguments are handed to ansible-test.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import yaml
from ansible import release
from ansible_test._internal.python_requirements import get_venv_packages
from checkout import ROOT, copy
from interpreter import interpreters

BUILD = ROOT / "build" / "sanity" / ".".join(release.__version__.split(".")[:2])
HOME = BUILD / "home"

PUBLISHED = "--published"

# Stands in for get-pip.py, which ansible-test would download into this place: Python brings a pip along, and that pip
# installs the release which ansible-test asks for.
BOOTSTRAP = """\
import subprocess
import sys

wanted = [argument for argument in sys.argv[1:] if argument not in ("--no-setuptools", "--no-wheel")]
subprocess.run([sys.executable, "-m", "ensurepip"], check=True, stdout=subprocess.DEVNULL)
subprocess.run([sys.executable, "-m", "pip", "install", "--upgrade", "--quiet", *wanted], check=True)
"""


def prepare_bootstrap(versions: set[str]) -> None:
    cache = HOME / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    for version in versions:
        pip = get_venv_packages(SimpleNamespace(version=version))["pip"]
        (cache / f"get_pip_{pip.replace('.', '_')}.py").write_text(BOOTSTRAP)


def prepare_pip() -> None:
    """Write pip's settings into the private home: ansible-test does not pass PIP_* variables on."""
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True)
    settings = {"quiet": "2"}
    for line in listed.stdout.splitlines():
        name, value = line.split("=", 1)
        option = name.rpartition(".")[2]
        if option != "config-file":
            settings.setdefault(option, value.strip("'\"").replace("\\n", "\n    "))
    file = HOME / ".config" / "pip" / "pip.conf"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text("[global]\n" + "".join(f"{option} = {value}\n" for option, value in settings.items()))


def prepare_path(pythons: dict[str, str]) -> str:
    """A PATH on which pythonX.Y is a real interpreter: pyenv's shims stand for versions that do not start."""
    folder = BUILD / "bin"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for version, path in pythons.items():
        (folder / f"python{version}").symlink_to(path)
    rest = [entry for entry in os.environ["PATH"].split(os.pathsep) if Path(entry).name != "shims"]
    return os.pathsep.join([str(Path(sys.executable).parent), str(folder), *rest])


def leave_out_what_is_not_published(tree: Path) -> None:
    """Remove the tests that `ansible-galaxy collection build` leaves out."""
    ignored = yaml.safe_load((tree / "galaxy.yml").read_text())["build_ignore"]
    for name in ignored:
        if name.startswith("tests/"):
            path = tree / name
            path.unlink() if path.is_file() else shutil.rmtree(path)


def main() -> int:
    pythons = {f"{major}.{minor}": path for (major, minor), path in interpreters().items()}
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    pythons[here] = sys._base_executable
    prepare_bootstrap(set(pythons))
    prepare_pip()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "PYTHON"))}
    environment |= {"HOME": str(HOME), "PATH": prepare_path(pythons)}

    ansible_test = Path(sys.executable).with_name("ansible-test")
    command = [sys.executable, ansible_test, "sanity", "--venv", "--color", "no", "--truncate", "0"]
    tree = copy(BUILD)
    arguments = sys.argv[1:]
    if PUBLISHED in arguments:
        arguments.remove(PUBLISHED)
        leave_out_what_is_not_published(tree)
    # Without a repository of its own the copy would be what git ignores in the checkout: nothing to test.
    subprocess.run(["git", "init", "--quiet", "--template=", tree], check=True)
    began = time.monotonic()
    tests, skipped = [], []
    with subprocess.Popen(
        command + arguments,
        cwd=tree,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            if match := re.match(r'Running sanity test "([\w-]+)"', line):
                tests.append(match[1])
            elif "skip" in line.lower():
                skipped.append(line.strip())

    result = "passed" if process.returncode == 0 else "FAILED"
    print(f"\nansible-test sanity, ansible-core {release.__version__}, Python {here}: {result}", end="")
    print(f" ({len(dict.fromkeys(tests))} tests, {time.monotonic() - began:.0f} s)")
    for line in dict.fromkeys(skipped):
        print(f"  {line}")
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
