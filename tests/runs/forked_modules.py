# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module processes of other collections as forks, which need not load Python and Ansible for most of their time.

Those of this collection are never run so: whether a module process has all that it needs is what tests are to find out.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from typing import Any

from ansible.module_utils import basic
from ansible.module_utils.common.json import Direction, get_module_encoder
from ansible.plugins.action import ActionBase
from ansible.vars.clean import remove_internal_keys

PROFILE = "legacy"  # how modules read their arguments and write their results


def fork_modules_of(collection: str, shared: str) -> None:
    """Run the modules of a collection as forks, which inherit the module_utils that they share."""
    execute = ActionBase._execute_module
    with suppress(ModuleNotFoundError):  # where the collection is not installed
        import_module(f"ansible_collections.{collection}.plugins.module_utils.{shared}")

    def execute_as_fork(self, module_name=None, module_args=None, task_vars=None, **options):
        name = module_name or self._task.action
        if not name.startswith(f"{collection}.") or self._task.async_val:
            return execute(self, module_name, module_args, task_vars=task_vars, **options)
        arguments = self._task.args if module_args is None else module_args
        self._update_module_args(name, arguments, task_vars or {})
        environment: dict[str, Any] = {}
        self._compute_environment_string(environment)
        file = f"ansible_collections.{collection}.plugins.modules.{name.rpartition('.')[2]}"
        result = self._parse_returned_data({"stdout": _output_of(file, arguments, environment)}, PROFILE)
        remove_internal_keys(result)
        return result

    ActionBase._execute_module = execute_as_fork


def _output_of(module: str, arguments: dict[str, Any], environment: dict[str, Any]) -> str:
    """What a module writes to its standard output."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _be_module(module, arguments, environment, writing)
    os.close(writing)
    with os.fdopen(reading, errors="surrogateescape") as output:
        text = output.read()
    os.waitpid(child, 0)
    return text


def _be_module(module: str, arguments: dict[str, Any], environment: dict[str, Any], output: int) -> None:
    """Be the module's process, and end with it."""
    try:
        os.dup2(output, 1)
        sys.stdout = os.fdopen(1, "w")
        os.environ.update({name: str(value) for name, value in environment.items()})
        encoder = get_module_encoder(PROFILE, Direction.CONTROLLER_TO_MODULE)
        basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": arguments}, cls=encoder).encode()
        basic._ANSIBLE_PROFILE = PROFILE
        import_module(module).main()
    except SystemExit:
        sys.stdout.flush()
    except Exception:  # noqa: BLE001 (whatever it is, it is shown as a module process shows it)
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
    finally:
        os._exit(0)
