# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws charts with matplotlib as SVG that can stand in a page: without styles, ids, or anything that is loaded.

matplotlib is optional: without it `is_there()` is false, and nothing else here may be called.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from io import StringIO
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from ...module_utils._text import columns_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

WIDTH = 480  # units of the picture; on a phone it is shown at about three quarters of this
FONT_SIZE = 15
LONGEST_LABEL = 25  # characters
ROW_HEIGHT = 27
COLUMN_WIDTH = 0.6 * FONT_SIZE  # of a wide font, as nobody knows the reader's

# matplotlib draws in these colours, and the page says what they are, in the light and in the dark.
COLOURS = {
    "#000001": "var(--ink)",
    "#000002": "var(--muted)",
    "#000003": "var(--series)",
    "#000004": "var(--bad)",
    "#000005": "var(--line)",
    "#000006": "var(--area)",
}
INK, MUTED, SERIES, BAD, LINE, AREA = COLOURS

Bar = tuple[str, float, str, bool]
"""Label, number, the number's text, and whether it is a bad one."""

_KEPT_STYLES = {"fill", "stroke", "stroke-width", "text-anchor", "font-size"}
_KEPT_ATTRIBUTES = {"d", "x", "y", "transform"}
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NO_SHOW = {"left": False, "bottom": False}


def is_there() -> bool:
    """Tell whether matplotlib can be imported."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        return False
    return True


def lines(points: Iterable[tuple[str, float]], rows: int) -> str:
    """Return a chart of numbers over time; each point has the text of its time and a number.

    :param rows: as many bars are as high.
    """
    times, values = zip(*points, strict=True)
    figure, axes = _figure(_height(rows), left=0.1, right=0.95, bottom=0.12, top=0.95)
    places = range(len(values))
    axes.fill([0, *places, places[-1]], [0, *values, 0], color=AREA, linewidth=0, clip_on=False)
    axes.plot(places, values, color=SERIES, linewidth=2, clip_on=False)
    axes.set_ylim(bottom=0, top=max(values) * 1.05 or 1)
    axes.set_xlim(0, max(len(values) - 1, 1))
    shown = sorted({round(part * (len(values) - 1) / 4) for part in range(5)})
    axes.set_xticks(shown, [_label(times[place]) for place in shown])
    axes.yaxis.set_major_locator(_ticks(5))
    axes.yaxis.set_major_formatter(lambda value, _place: short_number(value))
    axes.tick_params(**_NO_SHOW, labelcolor=MUTED)
    axes.grid(axis="y", color=LINE, linewidth=1, clip_on=False)
    axes.set_axisbelow("line")
    return _svg(figure)


def bars(rows: list[Bar], limit: float | None = None) -> str:
    """Return horizontal bars.

    :param limit: where to draw a line that no bar should cross.
    """
    labels, values, texts, bad = zip(*rows, strict=True)
    shown = [_label(label) for label in labels]
    left = (max(map(columns_of, shown)) * COLUMN_WIDTH + FONT_SIZE) / WIDTH
    figure, axes = _figure(_height(len(rows)), left=left, right=0.82, bottom=0.02, top=0.98)
    axes.barh(range(len(rows)), values, height=0.62, color=[BAD if one else SERIES for one in bad], clip_on=False)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    longest = max([*values, limit or 0]) or 1
    axes.set_xlim(0, longest)
    axes.set_xticks([])
    axes.set_yticks(range(len(rows)), shown)
    axes.tick_params(**_NO_SHOW, labelcolor=INK)
    for place, (value, text) in enumerate(zip(values, texts, strict=True)):
        end = value if limit is None else longest  # numbers beside the line, not below it
        axes.text(end + longest * 0.02, place, _label(text), va="center_baseline", color=INK, fontsize=FONT_SIZE)
    if limit is not None:
        axes.axvline(limit, color=INK, linewidth=1.5, linestyle="-", clip_on=False)
    return _svg(figure)


def sparklines(series: Iterable[list[float]]) -> Iterable[str]:
    """Yield a line without axes for each list of numbers."""
    figure, axes = _figure(24, width=110, left=0.01, right=0.99, bottom=0.08, top=0.92)
    for values in series:
        axes.clear()
        axes.set_axis_off()
        axes.set_ylim(0, max(values) or 1)
        axes.plot(values, color=SERIES, linewidth=1.5, clip_on=False)
        yield _svg(figure)


def short_number(value: float) -> str:
    """Return a number as an axis has it, such as 12k."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def _figure(
    height: float,
    width: float = WIDTH,
    left: float = 0.0,
    right: float = 0.98,
    bottom: float = 0.0,
    top: float = 1.0,
) -> tuple[Figure, Axes]:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_SETTINGS):
        figure = Figure(figsize=(width / 72, height / 72))
        axes = figure.add_axes((left, bottom, right - left, top - bottom))
        axes.set_frame_on(False)
    return figure, axes


def _height(rows: int) -> int:
    return ROW_HEIGHT * rows + 8


def _ticks(most: int) -> MaxNLocator:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(most, integer=True)


_SETTINGS = {
    "font.size": FONT_SIZE,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "report",
    "text.parse_math": False,  # a name may contain dollars
    "axes.unicode_minus": False,
}


def _svg(figure: Figure) -> str:
    """Return the figure as SVG for a page: what has to be loaded or styled is taken out, colours are the page's."""
    from matplotlib import rc_context

    text = StringIO()
    with rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that its own font lacks is the browser's to show
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    # What matplotlib has just written, and not the service.
    root = ElementTree.fromstring(text.getvalue())  # noqa: S314
    drawn = "".join(_drawn(root))
    return f'<svg viewBox="{root.get("viewBox")}" aria-hidden="true" focusable="false">{drawn}</svg>'


def _drawn(element: ElementTree.Element) -> Iterable[str]:
    """Yield the paths and texts below an element, each with what it needs to be drawn alike."""
    for child in element.iter():
        name = child.tag.rpartition("}")[2]
        if name not in ("path", "text"):
            continue
        parts = (part.partition(":") for part in child.get("style", "").split(";"))
        style = {key.strip(): COLOURS.get(value.strip(), value.strip()) for key, _colon, value in parts}
        if style.get("fill", "none") == "none" and "stroke" not in style:
            continue
        given = {key: _compact(value) for key, value in child.items() if key in _KEPT_ATTRIBUTES}
        if given.get("transform", "").startswith("rotate(-0 "):
            del given["transform"]
        attributes = given | {key: value for key, value in style.items() if key in _KEPT_STYLES}
        drawn = ElementTree.Element(name, attributes)
        drawn.text = child.text
        yield ElementTree.tostring(drawn, encoding="unicode")


def _compact(text: str) -> str:
    numbers = re.sub(r"-?\d+\.\d+", lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), text)
    return re.sub(r"\s+", " ", numbers).strip()


def _label(text: object) -> str:
    clean = _NO_XML.sub(" ", str(text))
    return clean if len(clean) <= LONGEST_LABEL else f"{clean[: LONGEST_LABEL - 1]}…"
