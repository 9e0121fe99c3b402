# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times as the service writes them for people, in ISO 8601."""

from __future__ import annotations

import locale

import pytest

from ansible_collections.hosting.management.plugins.module_utils._values import iso_of_text_for_people, time_of_text


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("Nov 27, 2026 1:12 PM UTC", "2026-11-27T13:12:00Z"),
        ("Nov 27, 2026, 01:12 PM UTC", "2026-11-27T13:12:00Z"),
        ("November 27, 2026 at 12:05 AM UTC", "2026-11-27T00:05:00Z"),
        ("Sept 1, 2026, 12:00 PM GMT", "2026-09-01T12:00:00Z"),
        ("27 November 2026, 13:12 UTC", "2026-11-27T13:12:00Z"),
        ("27 Nov 2026 13:12:09 UTC", "2026-11-27T13:12:09Z"),
        ("May 3, 2026", "2026-05-03T00:00:00Z"),
        ("Fri, 27 Nov 2026 13:12:00 +0100", "2026-11-27T12:12:00Z"),
        ("2026-11-27T13:12:00+01:00", "2026-11-27T12:12:00Z"),
        ("2026-11-27 13:12:00 UTC", "2026-11-27T13:12:00Z"),
        ("Nov 27, 2026 13:12 PM UTC", None),
        ("Nov 31, 2026", None),
        ("Foo 27, 2026", None),
        ("soon", None),
        ("", None),
    ],
)
def test_a_time_for_people_is_understood_or_none(text, iso):
    assert iso_of_text_for_people(text) == iso


def test_the_names_of_months_are_english_whatever_the_language_of_the_system(monkeypatch):
    monkeypatch.setattr(locale, "getlocale", lambda *_category: ("de_DE", "UTF-8"))
    monkeypatch.setattr("_strptime._getlang", lambda: ("de_DE", "UTF-8"), raising=False)
    assert iso_of_text_for_people("Dec 24, 2026 6:00 PM UTC") == "2026-12-24T18:00:00Z"


def test_a_time_without_a_zone_is_utc():
    assert time_of_text("2026-11-27T13:12:00").isoformat() == "2026-11-27T13:12:00+00:00"
    assert time_of_text("2026-11-27").isoformat() == "2026-11-27T00:00:00+00:00"
