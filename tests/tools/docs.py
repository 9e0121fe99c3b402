# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the documentation site into build/docs/html; any warning fails.

Sphinx sees the pages where they are in the checkout, so that links and pictures work here as they do on GitHub, and
beside them reference/, which antsibull-docs writes from the documentation of the plugins.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

from checkout import ROOT, copy, files

BUILD = ROOT / "build" / "docs"
SOURCE, HTML = BUILD / "source", BUILD / "html"
BIN = Path(sys.executable).parent

# What the reference refers to in Ansible's documentation: name, type, priority, address and title ("-": the name).
OF_ANSIBLE = """\
action_plugins std:label -1 plugins/action.html Action plugins
ansible_configuration_settings std:label -1 reference_appendices/config.html Ansible Configuration Settings
callback_plugins std:label -1 plugins/callback.html Callback plugins
common_return_values std:label -1 reference_appendices/common_return_values.html Return Values
ANSIBLE_CACHE_PLUGIN std:envvar 1 reference_appendices/config.html#envvar-$ -
ANSIBLE_CACHE_PLUGIN_CONNECTION std:envvar 1 reference_appendices/config.html#envvar-$ -
ANSIBLE_CACHE_PLUGIN_PREFIX std:envvar 1 reference_appendices/config.html#envvar-$ -
ANSIBLE_CACHE_PLUGIN_TIMEOUT std:envvar 1 reference_appendices/config.html#envvar-$ -
ANSIBLE_SHOW_CUSTOM_STATS std:envvar 1 reference_appendices/config.html#envvar-$ -
ANSIBLE_STDOUT_CALLBACK std:envvar 1 reference_appendices/config.html#envvar-$ -
"""


def write_inventory(path: Path) -> None:
    """Write the stub of Ansible's inventory, which Sphinx takes when it cannot reach the real one."""
    header = "# Sphinx inventory version 2\n# Project: Ansible\n# Version: \n# The rest is compressed with zlib.\n"
    path.write_bytes(header.encode() + zlib.compress(OF_ANSIBLE.encode()))


def collect_pages() -> None:
    """Copy the pages and what they show; `docs/site` holds what belongs beside README."""
    for name in files():
        folder = name.parent.parts[:2]
        is_guide = folder[:1] == ("docs",) and folder[-1] != "docsite"
        if is_guide or (not folder and (name.suffix == ".md" or name.name == "LICENSE")):
            target = SOURCE / (name.name if folder == ("docs", "site") else name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)


def write_reference() -> None:
    reference = SOURCE / "reference"
    reference.mkdir(mode=0o755)  # antsibull-docs insists that nobody else can write there
    collections = BUILD / "collections"
    copy(collections)
    run(
        "antsibull-docs collection --use-current --squash-hierarchy --fail-on-error --no-add-antsibull-docs-version",
        "--dest-dir",
        reference,
        "hosting.management",
        ANSIBLE_COLLECTIONS_PATH=str(collections),
    )


def run(command: str, *arguments: str | Path, **variables: str) -> None:
    program, *options = command.split()
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"} | variables
    subprocess.run([BIN / program, *options, *arguments], env=environment, check=True)


def main() -> int:
    shutil.rmtree(BUILD, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    collect_pages()
    write_inventory(SOURCE / "ansible.inv")
    try:
        write_reference()
        run("sphinx-build --quiet --fail-on-warning --keep-going --nitpicky", "-d", BUILD / "doctrees", SOURCE, HTML)
    except subprocess.CalledProcessError as error:
        print(f"The documentation could not be built: {Path(error.cmd[0]).name} failed.", file=sys.stderr)
        return 1
    print(f"The documentation is in {(HTML / 'index.html').relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
