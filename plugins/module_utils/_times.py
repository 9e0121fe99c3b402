# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times as the service sends them, and as playbooks want them: ISO 8601, UTC."""

from __future__ import annotations

from datetime import datetime, timezone


def time_of_milliseconds(milliseconds):
    """Return the time that lies so many milliseconds after 1970. Raises ValueError or OverflowError for no time."""
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc)


def iso_of_time(time):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def iso_of_milliseconds(milliseconds):
    return iso_of_time(time_of_milliseconds(milliseconds))
