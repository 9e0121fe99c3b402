# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an environment is asked before it is kept: whether its site works, and whether somebody has locked it.

If the site does not work, or somebody has locked the environment, what may break the site is compared only.
"""

from __future__ import annotations

import traceback
from typing import Any

from ._arguments import ModuleSpec, Nested, Option
from ._checks import checked_positive
from ._compose import keep
from ._context import Context
from ._declared_parts import UPDATES
from ._errors import HostingError, UnexpectedError
from ._locks import locks_in_force, locks_on
from ._site_checks import CONSTRAINTS, OPTIONS, check_site


def precaution_options() -> dict[str, dict[str, Any]]:
    """The options of a task that looks before it keeps an environment."""
    options = {**OPTIONS, "timeout": Option(checked_positive, type="float")}
    return {
        "site_check": Nested(ModuleSpec(options, needs_service=False, **CONSTRAINTS), "urls"),
        "lock_groups": {"type": "list", "elements": "str"},
    }


def keep_with_care(context: Context) -> dict[str, Any]:
    """Bring about the declared parts of the task's environment, after a look at its site and its locks.

    What an earlier task has seen of both, whose work this one goes on with, is not asked again.

    Returns the task's result, which is a failure when the site does not work, or any part failed.
    """
    found = {name: value for name, value in (context.started or {}).items() if name in ("site_check", "locks")}
    if context["site_check"] is not None and "site_check" not in found:
        found["site_check"] = _asked(context)
    if context["lock_groups"] is not None and "locks" not in found:
        found["locks"] = _locks(context)
    site = found.get("site_check", {"failed": False})
    if site["failed"] or found.get("locks"):
        context = context.narrowed({"compare": list({*(context["compare"] or ()), *UPDATES})})
    result = {**keep(context), **found}
    if site["failed"]:
        said = [f"site_check: {site['msg']}", *([result["msg"]] if result.get("failed") else [])]
        result.update(failed=True, msg="\n".join(said), error={**site["error"], "part": "site_check"})
    return result


def _asked(context: Context) -> dict[str, Any]:
    """Return what site_check returns; with ``failed``, ``msg`` and ``error`` if it fails."""
    options = {name: value for name, value in context["site_check"].items() if name != "timeout" or value is not None}
    try:
        return {"failed": False, **check_site(context.narrowed(options))}
    except HostingError as error:
        return error.as_result()
    except Exception as error:  # noqa: BLE001 a bug of ours is no reason to leave the parts
        return {**UnexpectedError.of(error).as_result(), "exception": traceback.format_exc()}


def _locks(context: Context) -> list[dict[str, Any]] | None:
    """Return the locks in force on the task's environment; None where the journal does not tell."""
    try:
        locks = locks_in_force(context)
    except HostingError:
        return None
    return [lock.as_result() for lock in locks_on(locks, context["environment_id"], context["lock_groups"])]
