# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module's run() inside the controller: a task then costs a function call, not a new Python process.

Every module has an action plugin of its own name in plugins/action, which says with which module it belongs. Ansible
loads it in the parent process, and the forks that run tasks inherit what it and this file import.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from types import ModuleType
from typing import Any

from ansible import constants
from ansible.errors import AnsibleError
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.errors import AnsibleValidationErrorMultiple, UnsupportedError
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ..module_utils._arguments import ModuleSpec
from ..module_utils._client import REQUESTS_IMPORT_ERROR, warm_up
from ..module_utils._connections import load_certificates
from ..module_utils._context import Context, secrets_within
from ..module_utils._entry import perform, refusal
from ..module_utils._secrets import without_secrets

EACH_HOST_ITSELF = ("free", "host_pinned")
"""The strategies that give a task with run_once to every host."""

display = Display()
if not REQUESTS_IMPORT_ERROR:
    load_certificates()
    warm_up()


class InProcess(ActionBase):
    """The action plugin of ``module``, which has a SPEC and a run()."""

    module: ModuleType

    _supports_async = True
    _supports_check_mode = True
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        if self._is_given_to_each_host():
            reason = "The strategy gives this task to each host, so that each goes on with its own alone."
            return {"changed": False, "skipped": True, "skip_reason": reason}
        if not self._may_run_in_process():
            return self._execute_module(
                module_name=f"hosting.management.{self._name()}",
                task_vars=task_vars,
                wrap_async=self._task.async_val and not self._connection.has_native_async,
            )
        host = (task_vars or {}).get("inventory_hostname", "localhost")
        with self._task_environment():
            result = self._run_in_process(lambda line: display.display(f"{self._name()}: [{host}] {line}"))
        if not _shows_invocation(task_vars):
            del result["invocation"]
        return result

    def _is_given_to_each_host(self) -> bool:
        """Tell whether this is for a whole wave, and the strategy ignores run_once.

        The module's ONCE_A_WAVE is True where it always is for a wave, or the name of the option with which it is.
        """
        once = getattr(self.module, "ONCE_A_WAVE", False)
        if not self._task.run_once or not (once in self._task.args if isinstance(once, str) else once):
            return False
        return self._task.get_play().strategy.rpartition(".")[2] in EACH_HOST_ITSELF

    def _name(self) -> str:
        return self.module.__name__.rpartition(".")[2]

    def _may_run_in_process(self) -> bool:
        return (
            self._connection.transport == "local"
            and not self._task.async_val
            and not self._play_context.become
            and not REQUESTS_IMPORT_ERROR
        )

    @contextmanager
    def _task_environment(self) -> Iterator[None]:
        """Let the options' fallbacks and requests see the task's environment, as they would in a module."""
        environment: dict[str, object] = {}
        self._compute_environment_string(environment)
        if not environment:
            yield
            return
        before = dict(os.environ)
        os.environ.update({name: str(value) for name, value in environment.items()})
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)

    def _run_in_process(self, report: Callable[[str], object]) -> dict[str, Any]:
        spec: ModuleSpec = self.module.SPEC
        given = _plain(self._task.args)
        checked = ArgumentSpecValidator(spec.options, **spec.constraints).validate(given)
        params = checked.validated_parameters
        secrets = checked._no_log_values | secrets_within(params, spec.options)
        warnings = [
            f"Both option {both['option']} and its alias {both['alias']} are set." for both in checked._warnings
        ]
        if checked.error_messages:
            result = without_secrets(_refused(checked.errors, self._name()), secrets)
        else:
            context = Context(
                params,
                secrets=secrets,
                check_mode=self._task.check_mode,
                diff=self._task.diff,
                warn=warnings.append,
                report=report,
            )
            result = perform(spec, self.module.run, context, params, given)
        beside: dict[str, Any] = {"invocation": {"module_args": params}}
        if warnings:
            beside["warnings"] = warnings
        return {**result, **without_secrets(beside, secrets)}


def _shows_invocation(task_vars: Mapping[str, Any] | None) -> bool:
    """Tell whether results show the options. ansible-core before 2.21 has no such setting, and always does."""
    try:
        return constants.config.get_config_value("INJECT_INVOCATION", variables=task_vars)
    except AnsibleError:
        return True


def _refused(errors: AnsibleValidationErrorMultiple, module_name: str) -> dict[str, Any]:
    message = errors.msg
    if isinstance(errors[0], UnsupportedError):
        message = f"Unsupported parameters for (hosting.management.{module_name}) module: {message}"
    return {"failed": True, "msg": message, "error": refusal(message)}


def _plain(value: Any) -> Any:
    """Return a task's argument as a module would get it: without tags, and with vaulted values decrypted."""
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()  # as Ansible sends it to a module
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)
