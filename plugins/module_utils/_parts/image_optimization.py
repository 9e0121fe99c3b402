# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the CDN optimizes the images of an environment."""

from __future__ import annotations

from typing import Any

from .._arguments import Option
from .._checks import checked_image_optimization_type
from .._context import NOT_SHOWN, Context
from .._convergence import Observed, Steps, always, converging, in_one_go
from .._interface import UPDATE_IMAGE_OPTIMIZATION
from .._sites import environment_of_site

OPTIONS: dict[str, dict[str, Any]] = {
    "image_optimization_type": Option(checked_image_optimization_type, required=True),
}


def steps(context: Context) -> Steps[dict[str, Any]]:
    """Set how the CDN optimizes the images of an environment (interface section 4.7)."""
    outcome = yield from converging(
        context,
        subject=("image_optimization", context["environment_id"]),
        name="image_optimization_type",
        plan=always(
            context["image_optimization_type"],
            UPDATE_IMAGE_OPTIMIZATION(body=context.given("environment_id", "image_optimization_type")),
        ),
        observe=lambda: _observe(context),
    )
    return outcome.result(image_optimization_type=context["image_optimization_type"])


run = in_one_go(steps)


def _observe(context: Context) -> Observed | None:
    environment = environment_of_site(context)
    return NOT_SHOWN if environment is NOT_SHOWN else Observed(environment.get("image_optimization_type"))
