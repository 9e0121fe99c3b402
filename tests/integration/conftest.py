# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the integration tests share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import runs
from integration.playbook import Ansible
from simulator import Simulator

FOLDER = Path(__file__).parent


def is_sample(item: pytest.Item) -> bool:
    """Tell whether a test is marked as a sample: with any parameters, or with one of its own."""
    own = set(item.callspec.id.split("-")) if isinstance(item, pytest.Function) and hasattr(item, "callspec") else set()
    return any(not mark.args or own & set(mark.args) for mark in item.iter_markers("sample"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Playbooks are slow: `make test` runs those that stand for others."""
    for item in items:
        if FOLDER in item.path.parents and not is_sample(item):
            item.add_marker("slow")


@pytest.fixture(autouse=True)
def _as_users_do(request: pytest.FixtureRequest) -> Iterator[None]:
    """What stands for its like, or depends on ansible-core, runs the command that users run."""
    with runs.as_users_do(is_sample(request.node) or request.node.get_closest_marker("core") is not None):
        yield


@pytest.fixture
def ansible(tmp_path: Path, simulator: Simulator) -> Iterator[Ansible]:
    """ansible-playbook with a home of its own, in front of the simulator."""
    with tempfile.TemporaryDirectory(prefix="hosting-", ignore_cleanup_errors=True) as scratch:
        yield Ansible(tmp_path, Path(scratch), simulator)
