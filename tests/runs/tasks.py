# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks as Ansible runs them inside its own processes, without Ansible: for a tenth of the CPU seconds."""

from __future__ import annotations

import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib import import_module
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

COLLECTION = "ansible_collections.hosting.management.plugins"


@cache
def forks_of(name: str) -> ForkServerContext:
    """Return what makes processes at once: from one that has imported the collection, and a module of this name."""
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(["runs.preloaded", name])
    before = os.environ.get("PYTHONPATH")
    # Without it, the server of Python 3.11 and 3.12 would find no module, and not say so.
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    try:
        forkserver.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    return forks


def result_of(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Run a task in this process and return its result. Of the options, those count that the module knows."""
    module = import_module(f"{COLLECTION}.modules.{name}")
    known = {option: value for option, value in given.items() if option in module.SPEC.options}
    checked = ArgumentSpecValidator(module.SPEC.options, **module.SPEC.constraints).validate(known)
    assert not checked.error_messages, checked.error_messages
    params = checked.validated_parameters
    entry = import_module(f"{COLLECTION}.module_utils._entry")
    return entry.perform(module.SPEC, module.run, entry.Context(params), params)


def workers() -> ProcessPoolExecutor:
    """Return what runs each task in a process of its own, as nothing that a process keeps may serve two of them."""
    return ProcessPoolExecutor(1, mp_context=forks_of(__name__), max_tasks_per_child=1)
