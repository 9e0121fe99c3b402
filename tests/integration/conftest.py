# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the integration tests share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from integration.playbook import Ansible
from simulator import Simulator


@pytest.fixture
def ansible(tmp_path: Path, simulator: Simulator) -> Iterator[Ansible]:
    """ansible-playbook with a home of its own, in front of the simulator."""
    with tempfile.TemporaryDirectory(prefix="hosting-", ignore_cleanup_errors=True) as scratch:
        yield Ansible(tmp_path, Path(scratch), simulator)
