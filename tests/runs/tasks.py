# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks as Ansible runs them inside its own processes, without Ansible and its cost."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
import traceback
from importlib import import_module
from types import ModuleType
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

COLLECTION = "ansible_collections.hosting.management.plugins"


def params_of(module: ModuleType, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options as a module gets them, with their defaults. Those count that the module knows."""
    known = {option: value for option, value in given.items() if option in module.SPEC.options}
    checked = ArgumentSpecValidator(module.SPEC.options, **module.SPEC.constraints).validate(known)
    assert not checked.error_messages, checked.error_messages
    return checked.validated_parameters


def result_of(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Run a task in this process and return its result."""
    module = import_module(f"{COLLECTION}.modules.{name}")
    params = params_of(module, given)
    entry = import_module(f"{COLLECTION}.module_utils._entry")
    return entry.perform(module.SPEC, module.run, entry.Context(params), params)


def import_all(*folders: str) -> None:
    """Import all that is in folders of ``plugins``, for the processes that are forked from this one."""
    for folder in folders:
        package = import_module(f"{COLLECTION}.{folder}")
        for one in pkgutil.iter_modules(package.__path__):
            import_module(f"{package.__name__}.{one.name}")


class Tasks:
    """Runs tasks one after the other, each in a process of its own, as nothing that a process keeps may serve two."""

    def __enter__(self) -> Tasks:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen([sys.executable, "-m", __name__], env=environment, text=True, **pipes)
        return self

    def __exit__(self, *_exception: object) -> None:
        self._process.communicate()

    def run(self, module: str, options: dict[str, Any]) -> dict[str, Any]:
        """Run a task and return its result."""
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps([module, options]), file=self._process.stdin, flush=True)
        result = json.loads(self._process.stdout.readline())
        assert result is not None, f"{module} has ended without a result: standard error says why"
        return result


def _serve() -> None:
    """Run the tasks that standard input names, in forks of this process: they have all that it has imported."""
    from runs.early import look_early

    look_early()
    import_all("modules")
    for line in sys.stdin:
        if pid := os.fork():
            if os.waitpid(pid, 0)[1]:
                print("null", flush=True)
            continue
        status = 1
        try:
            print(json.dumps(result_of(*json.loads(line))), flush=True)
            status = 0
        finally:
            if status:
                traceback.print_exc()
            os._exit(status)


if __name__ == "__main__":
    _serve()
