# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two ways to change anything: converge() brings about a state, once() takes an action once per release.

Both go round by round: remember (the journal), look (the service), plan (what is wanted, given what was seen), decide
(a pure function), act; until there is nothing left to do. The journal is read first: what another run finishes between
our look and our memory must not be taken for missing.

Both are generators within (converging() and taking_once()): they yield where there is something to wait for, so that a
task with several changes can go on with the others first. Whoever goes on with a generator that has yielded lets it
wait.

Read ways.py (what is asked for), change.py (the values) and rounds.py (how it goes); the steps are in the other files.
This is all that others use; what is in the files is theirs.
"""

from __future__ import annotations

from .generators import Steps, in_one_go
from .values import TAKEN, Foreseen, Move, Observed, Outcome, Plan, always, always_counts, has_move, not_shown
from .ways import converge, converging, once, taking_once

__all__ = [
    "TAKEN",
    "Foreseen",
    "Move",
    "Observed",
    "Outcome",
    "Plan",
    "Steps",
    "always",
    "always_counts",
    "converge",
    "converging",
    "has_move",
    "in_one_go",
    "not_shown",
    "once",
    "taking_once",
]
