# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said once a report is written, line by line."""

from __future__ import annotations

from typing import Any

from ansible_collections.hosting.management.plugins.plugin_utils.report.text import MOST_GAPS, text_of

DOCUMENT: dict[str, Any] = {
    "title": "Fleet",
    "summary": {"environments": 80, "sites": 40},
    "attention": [],
    "not_shown": [],
    "not_read": [],
    "charts": "shown",
}


def test_what_has_nothing_to_say_of_is_short():
    assert text_of(DOCUMENT, ["/srv/fleet.html", ""]) == [
        "Fleet: environments: 80, sites: 40",
        "written: /srv/fleet.html",
    ]
    assert text_of(DOCUMENT, ["/srv/fleet.json"], check_mode=True)[1] == "would be written: /srv/fleet.json"


def test_what_needs_attention_and_what_is_missing_is_told():
    notes = [{"level": "bad", "text": "The key has expired."}, {"level": "warn", "text": "No backup of shop\x1b[2J."}]
    gaps = [{"part": "visits", "subject": f"site{number}", "reason": "busy"} for number in range(MOST_GAPS + 2)]
    not_shown = [{"title": "DNS", "reason": "The service does not show it."}]
    lines = text_of({**DOCUMENT, "attention": notes, "not_shown": not_shown, "not_read": gaps, "charts": "missing"}, [])
    assert lines[1:5] == [
        "URGENT: The key has expired.",
        "soon: No backup of shop [2J.",
        "not shown: DNS. The service does not show it.",
        "not read: visits of site0: busy",
    ]
    assert lines[-2:] == [
        "not read: 2 more, which the report lists",
        "no charts: matplotlib is not installed where Ansible runs. Install it with pip install matplotlib.",
    ]
