# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that runs are forked from, and those runs: who imports this has Ansible and the collection's code."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path

from ansible.cli.playbook import PlaybookCLI
from ansible.plugins import loader
from clock.sitecustomize import shift

from runs.decisions import decide_without_forks
from runs.early import look_early
from runs.kept import keep_compiled_templates, keep_parsed_files
from runs.tasks import import_all

# What a run would import only when it needs it.
loader.init_plugin_loader([])
PACKAGE = "ansible_collections.hosting.management.plugins.module_utils"
look_early()
PLUGINS = import_module(PACKAGE).__path__[0]
import_all("module_utils", "plugin_utils", "modules")
for kind in (loader.action_loader, loader.filter_loader, loader.lookup_loader):
    for file in sorted((Path(PLUGINS).parent / kind.subdir.removesuffix("_plugins")).glob("[a-z]*.py")):
        kind.get(f"hosting.management.{file.stem}", class_only=True)
for kind in (
    *(loader.action_loader, loader.filter_loader, loader.test_loader, loader.lookup_loader, loader.strategy_loader),
    *(loader.connection_loader, loader.shell_loader, loader.become_loader, loader.inventory_loader),
    *(loader.cache_loader, loader.vars_loader, loader.callback_loader),
):
    list(kind.all(class_only=True))

FINDS_OUT_WITHIN = 1.0  # seconds in which a task learns that a service shows no operations


def play(arguments: list[str], folder: str, output: str, environment: dict, offset: float) -> None:
    os.setsid()
    os.chdir(folder)
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, descriptor in enumerate((nothing, file, file)):
        os.dup2(descriptor, number)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
    os.environ.update(environment)
    if offset:
        shift(offset)
    gc.disable()
    decide_without_forks()
    cache = Path(os.environ["HOME"]) / "cache"
    cache.mkdir(exist_ok=True)
    keep_compiled_templates(cache)
    keep_parsed_files(cache)
    # Else each case of a service without companions takes many seconds longer.
    import_module(f"{PACKAGE}._operations").VISIBLE_AFTER = FINDS_OUT_WITHIN
    status = 250
    try:
        command = PlaybookCLI(["ansible-playbook", *arguments])
        command.parse()
        status = command.run()
    except SystemExit as end:
        status = end.code
    except BaseException as error:  # noqa: BLE001 - ansible-playbook prints it, too
        print("ERROR!", error, file=sys.stderr)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status if isinstance(status, int) else 1)
