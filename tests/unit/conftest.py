# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the core share: clean surroundings, clients without patience, and a way to run modules."""

from __future__ import annotations

import os

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _client, _retries
from ansible_collections.hosting.management.plugins.module_utils._entry import Context, perform
from runs.tasks import params_of

SURROUNDINGS = ("HOSTING_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA", "CURL_CA", "NETRC")


@pytest.fixture(autouse=True)
def clean_surroundings(monkeypatch, tmp_path):
    """Neither the tester's service, proxy, netrc nor journal has a part in any test."""
    for name in list(os.environ):
        if name.upper().startswith(SURROUNDINGS):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def connect(monkeypatch):
    """A function that returns a client of a service; it waits for no back-off."""
    monkeypatch.setattr(_retries, "LONGEST_BACKOFF", 0)

    def client(service, **options):
        return _client.Client(service.base_url, **{"api_key": service.api_key, "timeout": 10, "retries": 2, **options})

    return client


class Controller:
    """Runs modules on a simulator, as tasks with one and the same journal; keeps what the tasks say meanwhile."""

    def __init__(self, simulator, journal):
        self.simulator = simulator
        self.journal_path = journal
        self.options = {"journal": str(journal)}
        self.warnings = []
        self.lines = []
        self.report = self.lines.append

    def params(self, module, **options):
        """The task's options with their defaults, as Ansible gives them to a module."""
        given = {
            "base_url": self.simulator.base_url,
            "api_key": self.simulator.api_key,
            "retries": 0,
            "timeout": 10,
            **self.options,
            **options,
        }
        if "poll_interval" in module.SPEC.options:
            given.setdefault("poll_interval", 0.02)
        return params_of(module, given)

    def context(self, module, *, check_mode=False, diff=False, **options):
        """What a task works with; its options are checked."""
        params = self.params(module, **options)
        module.SPEC.check(params)
        return self._context(params, check_mode, diff)

    def run(self, module, *, check_mode=False, diff=False, **options):
        """Run a task and return its result."""
        params = self.params(module, **options)
        return perform(module.SPEC, module.run, self._context(params, check_mode, diff), params)

    def _context(self, params, check_mode, diff):
        return Context(params, check_mode=check_mode, diff=diff, warn=self.warnings.append, report=self.report)


@pytest.fixture
def controller(simulator, tmp_path, monkeypatch):
    """Runs modules on the simulator."""
    monkeypatch.setattr(_retries, "LONGEST_BACKOFF", 0)
    return Controller(simulator, tmp_path / "journal" / "journal.db")
