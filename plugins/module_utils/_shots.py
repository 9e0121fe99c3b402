# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What pictures are taken of, and what came of each."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from ._errors import CheckFailed, ConnectionFailed, HostingError
from ._pages import checked_urls
from ._picture_sets import Picture, as_result, digest_of, shown_url
from ._values import iso_of_time, time_of_text


@dataclass
class Shot:
    """What a page looked like, and what it complained of. ``is_of_site`` is False when this machine could not ask."""

    url: str
    page: str
    width: int
    file: str
    content: bytes = b""
    height: int = 0
    status: int | None = None
    is_cut: bool = False
    problem: str | None = None
    is_of_site: bool = True
    console_errors: list[str] = field(default_factory=list)
    failed_requests: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)
    unstable: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0

    def forget(self) -> None:
        """Be as before it was taken."""
        self.__dict__.update(vars(Shot(self.url, self.page, self.width, self.file)))

    @property
    def picture(self) -> Picture:
        return Picture(self.page, shown_url(self.url), self.width, self.height, self.file, digest_of(self.content))

    def as_result(self) -> dict[str, Any]:
        told = ("status", "is_cut", "problem", "console_errors", "failed_requests", "unmatched", "unstable", "seconds")
        entry = as_result(self.picture)
        if not self.content:
            entry.update(file=None, sha256=None, height=None)
        return {**entry, **{name: getattr(self, name) for name in told}}


def checked_pages(urls: list[str]) -> list[str]:
    if not urls:
        raise ValueError("must have at least one address")
    return checked_urls(urls)


def checked_widths(widths: list[int]) -> list[int]:
    if not widths or any(not 200 <= width <= 4000 for width in widths):
        raise ValueError("must have widths from 200 to 4000 pixels, such as 1400 and 400")
    return list(dict.fromkeys(widths))


def checked_selectors(selectors: list[str]) -> list[str]:
    for selector in selectors:
        if not selector.strip() or re.search(r"[{}<\\\x00-\x1f;@]", selector):
            raise ValueError(f"must have CSS selectors such as .cookie-banner, not {selector!r}")
    return selectors


def checked_timezone(name: str) -> str:
    try:
        if name not in available_timezones() or not ZoneInfo(name):
            raise ZoneInfoNotFoundError
    except (ZoneInfoNotFoundError, ValueError):
        if available_timezones():
            raise ValueError(f"must be a time zone such as UTC or Europe/Berlin, not {name!r}") from None
    return name


def checked_locale(name: str) -> str:
    if not re.fullmatch(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", name):
        raise ValueError(f"must be a locale such as en-US, not {name!r}")
    return name


def checked_clock(text: str) -> str | None:
    """Return a time in ISO 8601, UTC, or None for an empty text."""
    try:
        return iso_of_time(time_of_text(text)) if text.strip() else None
    except ValueError:
        raise ValueError(f"must be a time such as 2026-01-01T12:00:00Z, or empty, not {text!r}") from None


def problem_in(shots: list[Shot]) -> HostingError | None:
    """Return the error that says what is wrong with some of the pictures, or None."""
    problems = [shot for shot in shots if shot.problem]
    if not problems:
        return None
    message = " ".join(f"{shown_url(shot.url)} at {shot.width} px {shot.problem}." for shot in problems)
    if any(shot.is_of_site for shot in problems):
        return CheckFailed(message)
    return ConnectionFailed(
        f"{message} Check the network, the name resolution and the proxy settings of the machine that runs this task,"
        " then run again."
    )
