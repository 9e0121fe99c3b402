# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWX makes of a credential for a job."""

from __future__ import annotations

from collections.abc import Mapping

from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment


def environment(injectors: Mapping[str, Mapping[str, str]], inputs: Mapping[str, str]) -> dict[str, str]:
    """The environment variables that a credential type's injectors make of a credential's inputs."""
    jinja = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
    return {name: jinja.from_string(str(text)).render(**inputs) for name, text in injectors["env"].items()}
