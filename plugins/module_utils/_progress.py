# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far something that was asked for has come.

These words are the only ones for it: the journal's rows keep them, and operations and results show them. A request
begins as ``sent``. Its answer makes it ``finished``, when the service has done the work at once, or ``in_progress``,
when the service has accepted it and works on. That ends as ``finished`` or ``failed``. Where an answer was lost, or
the service cannot say how an operation stands, it is ``unknown``, until a person says that it was not carried out
(``not_done``) or that it was.
"""

from __future__ import annotations

SENT = "sent"
"""The request is leaving or has left, and there is no answer yet."""

IN_PROGRESS = "in_progress"
"""The service has accepted the request, and the operation goes on."""

FINISHED = "finished"
"""It was carried out."""

FAILED = "failed"
"""It was accepted, and ended without its effect."""

UNKNOWN = "unknown"
"""It may or may not have been carried out, and nobody can tell."""

NOT_DONE = "not_done"
"""It was never carried out, as a person said: what was there before is there still."""

ENDED = (FINISHED, FAILED, UNKNOWN, NOT_DONE)
"""Nothing more is heard of it by itself."""
