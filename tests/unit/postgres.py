# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A PostgreSQL server for the tests: ``pytest_plugins = ["unit.postgres"]`` brings the fixture ``postgres``."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from postgres import NotInstalled, Server, running


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A Server that ends with the tests."""
    try:
        with running() as server:
            yield server
    except NotInstalled:
        # Continuous integration has the programs, and a journal that was not tested is no success there.
        (pytest.fail if os.environ.get("CI") else pytest.skip)("PostgreSQL is not installed")


@pytest.fixture
def postgres(postgres_server: Server) -> str:
    """The address of a fresh database."""
    return postgres_server.address(postgres_server.new_database())
