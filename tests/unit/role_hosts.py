# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the lookups say that read a host's variables for a role, such as maintain_host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.parsing.dataloader import DataLoader
from ansible.plugins.lookup import LookupBase
from ansible.template import Templar


def host_of(lookup: type[LookupBase], role: Path, variables: dict[str, Any], **options: Any) -> dict[str, Any]:
    """Return what the lookup does for a host with these variables and the role's defaults."""
    loader = DataLoader()
    values = {**loader.load_from_file(str(role / "defaults" / "main.yml"), trusted_as_template=True), **variables}
    (host,) = lookup(templar=Templar(loader=loader, variables=values)).run([str(role)], variables=values, **options)
    return host
