# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a module is started: as an AnsibleModule, or inside the controller's process. Both give equal results."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ._arguments import ModuleSpec, problem_of_core
from ._client import REQUESTS_IMPORT_ERROR
from ._context import Context, secrets_within
from ._errors import HostingError, InvalidInput, MissingLibrary, UnexpectedError
from ._secrets import without_secrets

Run = Callable[[Context], dict[str, Any]]
"""A module's run(): it returns the result, or raises a HostingError."""


def perform(
    spec: ModuleSpec, run: Run, context: Context, params: dict[str, Any], given: Mapping[str, object] | None = None
) -> dict[str, Any]:
    """Check the options, run the module and return its result, which is a failure when it raised a HostingError.

    The result shows no secret.
    """
    problem = problem_of_core()
    if problem:
        return InvalidInput(problem).as_result()
    if REQUESTS_IMPORT_ERROR:
        error = MissingLibrary.requests(missing_required_lib("requests", reason="with urllib3 2.0.2 or newer"))
        return {**error.as_result(), "exception": REQUESTS_IMPORT_ERROR}
    try:
        spec.check(params, given)
        return without_secrets({"changed": False, **run(context)}, context.secrets)
    except HostingError as error:
        return without_secrets(error.as_result(), context.secrets)
    except Exception as error:  # noqa: BLE001 a bug of ours is still an error with words, not a traceback
        result = {**UnexpectedError.of(error).as_result(), "exception": traceback.format_exc()}
        return without_secrets(result, context.secrets)
    finally:
        context.close()


def refusal(message: str) -> dict[str, Any]:
    """Return the ``error`` of options that Ansible itself refuses."""
    return InvalidInput(message).as_result()["error"]


class _Module(AnsibleModule):
    def _load_params(self) -> None:
        super()._load_params()
        self.given = dict(self.params)

    def fail_json(self, msg: str, **kwargs: Any) -> None:
        result = {"error": refusal(msg), "invocation": {"module_args": self.params}, **kwargs, "msg": msg}
        super().fail_json(**without_secrets(result, self.no_log_values))


def run_module(spec: ModuleSpec, run: Run) -> None:
    """Run a module in a process of its own, as Ansible starts it."""
    module = _Module(spec.options, supports_check_mode=True, **spec.constraints)
    module.no_log_values |= secrets_within(module.params, spec.options)
    context = Context(
        module.params,
        secrets=module.no_log_values,
        check_mode=module.check_mode,
        diff=module._diff,
        warn=module.warn,
    )
    result = perform(spec, run, context, module.params, module.given)
    if result.get("failed"):
        module.fail_json(**result)
    invocation = without_secrets({"module_args": module.params}, module.no_log_values)
    module.exit_json(**result, invocation=invocation)
