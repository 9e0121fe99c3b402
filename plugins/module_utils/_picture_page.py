# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page that shows two sets of pictures: one file, which loads nothing, in the style of a report.

A module may run far from the role that makes reports, so the page brings its own style sheet.
"""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from . import _page_style
from ._picture_differences import MOST_REGIONS, Difference, Region, libraries
from ._text import printable

QUALITY = 78  # of JPEG
MOST_DETAILS = 6  # regions that are shown beside each other
MARGIN = 24  # pixels around a region
SMALLEST_DETAIL = (320, 120)  # pixels, so that one sees where it is
LARGEST_DETAIL = (1000, 700)  # pixels
LEVELS = ("bad", "warn", "good")
RED = (214, 40, 40)

STYLE = (
    _page_style.STYLE
    + """h2 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 .25rem; }
h3 { font-size: 1rem; line-height: 1.3; margin: 1.25rem 0 .5rem; }
header p, footer p, .words { color: var(--muted); margin: .25rem 0 1rem; }
a:focus-visible, summary:focus-visible, .whole:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
section { margin: 0 0 2.5rem; padding: 1rem 0 0; border-top: 1px solid var(--line); }
span.bad { color: var(--bad); font-weight: 600; }
span.warn { color: var(--warn); font-weight: 600; }
span.good { color: var(--good); }
ul.list { list-style: none; padding: 0; margin: 0 0 2rem; }
ul.list li { padding: .4rem 0; border-top: 1px solid var(--line); }
.pair, .whole { display: grid; gap: .75rem; margin: 0 0 .75rem; align-items: start; }
.pair { grid-template-columns: repeat(2, minmax(0, 1fr)); }
.whole { grid-template-columns: repeat(3, minmax(0, 1fr)); }
figure { margin: 0; padding: .5rem; background: var(--panel); border: 1px solid var(--line); border-radius: .3rem; }
figcaption { font-size: .875rem; color: var(--muted); margin: 0 0 .25rem; }
img { display: block; max-width: 100%; height: auto; }
.whole img { width: 100%; }
.narrow { max-width: 66rem; }
summary { cursor: pointer; padding: .25rem 0; color: var(--link); }
@media screen and (max-width: 48rem) {
  .pair { grid-template-columns: minmax(0, 1fr); }
  .whole { grid-template-columns: repeat(3, 80%); overflow-x: auto; }
}
@media print { section { break-inside: avoid; } }
"""
)


@dataclass(frozen=True)
class Compared:
    """A page at a width for the page: its name, whether it counts as different, its words, and the difference."""

    title: str
    level: str
    words: str
    urls: tuple[str, str]
    difference: Difference | None = None


class PicturePage:
    """The page, made one comparison after another, so that never more than one pair of pictures is in memory."""

    def __init__(self) -> None:
        self._items: list[tuple[int, str]] = []
        self._counts = dict.fromkeys(LEVELS, 0)
        self._sections: list[str] = []

    def add(self, compared: Compared) -> None:
        """Add a comparison; its pictures are shown where they differ."""
        self._counts[compared.level] += 1
        title = _text(compared.title)
        if compared.difference is not None and compared.difference.regions:
            name = f"p{len(self._items) + 1}"
            self._sections.append(_section(name, compared, compared.difference))
            title = f'<a href="#{name}">{title}</a>'
        item = f'<li>{title}: <span class="{compared.level}">{_text(compared.words)}</span></li>\n'
        self._items.append((LEVELS.index(compared.level), item))

    def html(self, title: str, note: str) -> str:
        tiles = [
            ("pictures compared", len(self._items), ""),
            ("differ too much", self._counts["bad"], "bad" if self._counts["bad"] else ""),
            ("differ a little", self._counts["warn"], "warn" if self._counts["warn"] else ""),
            ("are as before", self._counts["good"], ""),
        ]
        shown = "".join(
            f"<div{_class(level)}><dt>{escape(name)}</dt><dd>{value}</dd></div>\n" for name, value, level in tiles
        )
        items = "".join(item for _level, item in sorted(self._items, key=lambda one: one[0]))
        return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_page_style.content_security_policy(STYLE)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>{_text(title)}</title>
<link rel="icon" href="data:,">
<style>{STYLE}</style>
</head>
<body>
<header>
<h1>{_text(title)}</h1>
<p>{_text(note)}</p>
</header>
<main>
<dl class="tiles">
{shown}</dl>
<ul class="list">
{items}</ul>
{"".join(self._sections)}</main>
<footer>
<p>Made by the module hosting.management.site_compare. This page loads nothing and sends nothing.</p>
</footer>
</body>
</html>
"""


def _class(level: str) -> str:
    return f' class="{level}"' if level else ""


def _text(text: str) -> str:
    return escape(printable(text, 500))


def _section(name: str, compared: Compared, difference: Difference) -> str:
    shown = _details_of(difference.regions)
    details = "".join(_detail(number, region, difference) for number, region in enumerate(shown, 1))
    whole = (
        ("before", difference.before),
        ("after", difference.after),
        ("difference", _marked(difference)),
    )
    figures = "".join(_figure(caption, image) for caption, image in whole)
    is_all = len(shown) == len(difference.regions)
    rest = "" if is_all else '<p class="words">All that differs is marked in red below.</p>\n'
    urls = " against ".join(dict.fromkeys(compared.urls))
    narrow = " narrow" if difference.after.size[0] <= 600 else ""
    return f"""<section id="{name}" aria-labelledby="{name}-title">
<h2 id="{name}-title">{_text(compared.title)}</h2>
<p class="words">{_text(urls)}: <span class="{compared.level}">{_text(compared.words)}</span></p>
{details}{rest}<details open><summary>The whole page: before, after, difference</summary>
<div class="whole{narrow}" role="region" tabindex="0" aria-label="The whole page">
{figures}</div>
</details>
</section>
"""


def _details_of(regions: Sequence[Region]) -> list[Region]:
    """Return the regions to show beside each other: the first ones that lie in no other."""
    shown: list[Region] = []
    for one in regions:
        is_inside = any(
            other.x <= one.x
            and other.y <= one.y
            and other.x + other.width >= one.x + one.width
            and other.y + other.height >= one.y + one.height
            for other in shown
        )
        if not is_inside and len(shown) < MOST_DETAILS:
            shown.append(one)
    return shown


def _detail(number: int, region: Region, difference: Difference) -> str:
    place = f"{region.width} × {region.height} px at {region.x}, {region.y}"
    crops = "".join(
        _figure(caption, image.crop(box))
        for caption, image in (("before", difference.before), ("after", difference.after))
        if (box := _box(region, image.size))
    )
    return f'<h3>{number}. {place}</h3>\n<div class="pair">\n{crops}</div>\n'


def _box(region: Region, size: tuple[int, int]) -> tuple[int, int, int, int] | None:
    """Return the part of a picture around a region, or None when the picture ends before it."""
    box = []
    for first, length, end, least, most in (
        (region.x, region.width, size[0], SMALLEST_DETAIL[0], LARGEST_DETAIL[0]),
        (region.y, region.height, size[1], SMALLEST_DETAIL[1], LARGEST_DETAIL[1]),
    ):
        wanted = min(max(length + 2 * MARGIN, least), most)
        start = max(0, first - MARGIN if length + 2 * MARGIN >= least else first + length // 2 - wanted // 2)
        box.append((min(start, max(0, end - wanted)) if first < end else start, min(end, start + wanted)))
    (left, right), (top, bottom) = box
    return (left, top, right, bottom) if left < right and top < bottom else None


def _marked(difference: Difference) -> Any:
    """Return the picture after, pale, with what differs in red and a frame around each region."""
    numpy, images = libraries()
    height, width = difference.marks.shape
    pale = numpy.full((height, width, 3), 225, numpy.uint8)
    after = numpy.asarray(difference.after.convert("L"))
    pale[: after.shape[0], : after.shape[1]] = (205 + after // 6)[:, :, None]
    pale[difference.marks] = pale[difference.marks] // 3 + numpy.array(RED, numpy.uint8) // 3 * 2
    for one in difference.regions[:MOST_REGIONS]:
        top, bottom = max(0, one.y - 6), min(height, one.y + one.height + 6)
        left, right = max(0, one.x - 6), min(width, one.x + one.width + 6)
        for rows, columns in (
            (slice(top, top + 3), slice(left, right)),
            (slice(max(0, bottom - 3), bottom), slice(left, right)),
            (slice(top, bottom), slice(left, left + 3)),
            (slice(top, bottom), slice(max(0, right - 3), right)),
        ):
            pale[rows, columns] = RED
    return images.fromarray(pale)


def _figure(caption: str, image: Any) -> str:
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=QUALITY)
    content = b64encode(stream.getvalue()).decode()
    width, height = image.size
    return (
        f'<figure><figcaption>{caption}</figcaption><img alt="{caption}" width="{width}" height="{height}"'
        f' src="data:image/jpeg;base64,{content}"></figure>\n'
    )
