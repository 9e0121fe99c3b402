# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock that tests shift: every way to ask for the time follows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "clock"
DAY = 86400
ASK = """
import datetime, json, time
answers = [
    time.time(), time.time_ns() / 1e9, time.mktime(time.localtime()),
    datetime.datetime.now().timestamp(), datetime.datetime.now(datetime.timezone.utc).timestamp(),
    datetime.datetime.today().timestamp(),
]
print(json.dumps(answers))
"""


@pytest.mark.parametrize("offset", [-DAY, 600])
def test_every_way_to_ask_for_the_time_is_shifted(offset):
    shifted = {**os.environ, "PYTHONPATH": str(FOLDER), "CLOCK_OFFSET": str(offset)}
    assert answers(shifted) == [pytest.approx(time.time() + offset, abs=30)] * 6


def test_without_the_variable_the_clock_is_that_of_the_machine():
    assert answers({**os.environ, "PYTHONPATH": str(FOLDER)})[0] == pytest.approx(time.time(), abs=30)


def answers(environment):
    command = [sys.executable, "-c", ASK]
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout)
