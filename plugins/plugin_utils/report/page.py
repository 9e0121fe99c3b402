# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the page of a report from its document: sections with charts and tables, which a template shows.

The page is one file that loads nothing. All text from the document is escaped where the template shows it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ...module_utils import _page_style
from ...module_utils._text import printable
from ..plain_values import Record
from . import changes
from .parts import SECTIONS
from .pieces import Section, Tile
from .words import count, grouped, time_of

LONGEST_TEXT = 2000  # characters
NONE = "–"
TIME_FRAMES = {
    "24_hours": "the last 24 hours",
    "7_days": "the last 7 days",
    "30_days": "the last 30 days",
    "60_days": "the last 60 days",
}


def page_of(document: Record, folder: str | Path) -> str:
    """Return the page of a document.

    :param folder: the folder of the role, whose template, style sheet and script make the page.
    """
    sections = [section for section in _sections(document) if section.charts or section.tables or section.notes]
    return rendered(
        folder,
        "page.html.j2",
        document=document,
        time=time_of(document["time"]),
        period=_period(document),
        tiles=list(_tiles(document)),
        sections=sections,
    )


def rendered(folder: str | Path, template: str, **values: object) -> str:
    """Return a page that a template of the role makes of these values, with the role's style sheet and script."""
    style, script = style_of(folder), _file_of(folder, "page.js")
    environment = Environment(
        loader=FileSystemLoader(Path(folder) / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(
        **values,
        style=Markup(style),  # noqa: S704 - the role's own files
        script=Markup(script),  # noqa: S704
        policy=_page_style.content_security_policy(style, script),
    )


def style_of(folder: str | Path) -> str:
    """Return the style sheet of the role's pages: what all pages have in common, and then its own."""
    return _page_style.STYLE + _file_of(folder, "page.css")


def _file_of(folder: str | Path, name: str) -> str:
    return (Path(folder) / "files" / name).read_text(encoding="utf-8")


def _shown(value: object) -> object:
    """Return what the template shows of a value: text cannot steer a reader's eyes, and a lack is a dash."""
    if value is None:
        return NONE
    return printable(value, LONGEST_TEXT) if isinstance(value, str) and not isinstance(value, Markup) else value


def _sections(document: Record) -> Iterable[Section]:
    yield changes.section_of(document["changes"])
    for part in SECTIONS:
        section = part.section(document)
        for chart in section.charts if document["charts"] == "drawn" else []:
            chart.picture = Markup(chart.draw())  # noqa: S704 - escaped by what draws it
        yield section


def _period(document: Record) -> str:
    time_frame: str = document["time_frame"]
    return TIME_FRAMES.get(time_frame, time_frame)


def _tiles(document: Record) -> Iterable[Tile]:
    """Yield the numbers at the top of the page."""
    summary = document["summary"]
    vulnerable, drifted, missing = (
        summary[name] for name in ("vulnerable_plugins", "drifted_environments", "not_read")
    )
    yield Tile("environments", grouped(summary["environments"]))
    yield Tile("sites", grouped(summary["sites"]))
    yield Tile("visits", grouped(summary["visits"]), f"in {_period(document)}")
    yield Tile("visits this month", grouped(summary["visits_this_month"]), f"since {document['time'][:8]}01")
    affected = count(summary["environments_with_vulnerable_plugins"] or 0, "environment")
    yield Tile("vulnerable plugins", grouped(vulnerable), f"in {affected}" if vulnerable else "", _bad(vulnerable))
    days = summary["oldest_backup_days"]
    yield Tile("days without a backup", grouped(days), "" if days is None else "where it has been longest")
    compared = summary["compared_environments"]
    if compared:
        yield Tile("environments drifted", grouped(drifted), f"of {compared:,} compared", "warn" if drifted else "")
    asked = summary["open_questions"]
    yield Tile("open questions", grouped(asked), "pushes, restores and restarts whose end is not known", _bad(asked))
    note = "so this report has gaps" if missing else ""
    yield Tile("readings failed", grouped(missing), note, "warn" if missing else "")


def _bad(number: float | None) -> str:
    return "bad" if number else ""
