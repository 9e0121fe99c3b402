# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo's story of an update that loses the layout of a site, as users see it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parents[1] / "demo" / "demo.py"


def test_the_story_of_a_lost_layout_goes_as_it_is_announced():
    done = subprocess.run(
        [sys.executable, DEMO, "--pictures"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert done.stdout.count("✓") == 4
    assert "Held back everywhere: example-forms 2.5.0." in done.stdout
