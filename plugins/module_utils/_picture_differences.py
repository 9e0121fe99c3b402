# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where two pictures differ for an eye: not by the smoothing of edges, by a shift of one pixel, or by a shade.

A pixel is as before when its colour lies, in each channel, within the colours of the pixels around its place in the
other picture, in both directions. So neither smoothed edges nor a shift by one pixel count; a thin line that has gone
does. Pillow and numpy are imported only here, and only when pictures are compared.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from ._errors import InvalidInput, library

SHADE = 16  # of 255, in one channel: less is the same colour
BAND = 256  # rows that are compared at a time, so that a long picture needs little memory
CELL = 16  # pixels: what differs in neighbouring cells of this size is one region
MOST_REGIONS = 20  # the largest ones are told
PURPOSE = "Comparing pictures"


@dataclass(frozen=True)
class Region:
    """A part of a picture, in pixels, and how many of its pixels differ."""

    x: int
    y: int
    width: int
    height: int
    pixels: int

    def as_result(self) -> dict[str, int]:
        return asdict(self)


@dataclass(frozen=True)
class Difference:
    """How two pictures differ: the share of pixels in percent, and the regions, those that differ most first.

    ``marks`` is an array that has True for each pixel that differs; ``before`` and ``after`` are Pillow's images.
    """

    share: float
    regions: list[Region]
    marks: Any
    before: Any
    after: Any


def libraries() -> tuple[Any, Any]:
    """Return numpy and Pillow's Image. Raises MissingLibrary."""
    return library("numpy", "numpy>=1.26", PURPOSE), library("PIL.Image", "pillow>=10.1", PURPOSE)


def difference_of(before: bytes, after: bytes) -> Difference:
    """Compare two PNGs; what only one of them has, because it is longer or wider, differs.

    Raises MissingLibrary, and InvalidInput for what is no picture.
    """
    numpy, images = libraries()
    with ThreadPoolExecutor(2) as pool:
        old, new = pool.map(lambda content: _decoded(images, content), (before, after))
    left, right = numpy.asarray(old), numpy.asarray(new)
    height, width = max(left.shape[0], right.shape[0]), max(left.shape[1], right.shape[1])
    marks = numpy.ones((height, width), bool)
    both = min(left.shape[0], right.shape[0]), min(left.shape[1], right.shape[1])
    for first in range(0, both[0], BAND):
        last = min(first + BAND, both[0])
        top, bottom = max(0, first - 1), min(both[0], last + 1)
        one, other = left[top:bottom, : both[1]], right[top:bottom, : both[1]]
        differs = _differs(numpy, one, other)
        start, end = first - top, last - top
        marks[first:last, : both[1]] = False if differs is None else differs[start:end]
    _ignore_edges(marks, both)
    count = int(marks.sum())
    regions = sorted(_regions(numpy, marks), key=lambda one: -one.pixels) if count else []
    return Difference(100 * count / marks.size, regions, marks, old, new)


def _ignore_edges(marks: Any, both: tuple[int, int]) -> None:
    """Let the outermost pixels of what both pictures have be equal: a shift by one pixel brings in what nobody saw."""
    height, width = both
    lowest, rightmost = height - 1, width - 1
    marks[:1, :width] = marks[lowest:height, :width] = False
    marks[:height, :1] = marks[:height, rightmost:width] = False
    if marks.shape[0] - height == 1:
        marks[height:] = False
    if marks.shape[1] - width == 1:
        marks[:, width:] = False


def _decoded(images: Any, content: bytes) -> Any:
    try:
        with images.open(io.BytesIO(content), formats=["PNG"]) as image:
            return image.convert("RGB")
    except (OSError, ValueError, SyntaxError, images.DecompressionBombError) as error:
        raise InvalidInput(f"A picture cannot be read: {error}. Take it again. Nothing was done.") from None


def _differs(numpy: Any, one: Any, other: Any) -> Any:
    """Return for each pixel whether it differs, or None when none does."""
    if numpy.array_equal(one, other):
        return None
    least, most = _around(numpy, other)
    differs = ((one < least) | (one > most)).any(axis=2)
    least, most = _around(numpy, one)
    return differs | ((other < least) | (other > most)).any(axis=2)


def _around(numpy: Any, pixels: Any) -> tuple[Any, Any]:
    """Return the least and the greatest value of each channel around each pixel, a shade wider."""
    least, most = pixels, pixels
    for axis in (0, 1):
        least, most = _along(numpy.minimum, least, axis), _along(numpy.maximum, most, axis)
    return numpy.maximum(least, SHADE) - SHADE, numpy.minimum(most, 255 - SHADE) + SHADE


def _along(extreme: Any, pixels: Any, axis: int) -> Any:
    found = pixels.copy()
    ahead, behind = (
        (slice(1, None), slice(None, -1))
        if axis == 0
        else (
            (slice(None), slice(1, None)),
            (slice(None), slice(None, -1)),
        )
    )
    extreme(found[ahead], pixels[behind], out=found[ahead])
    extreme(found[behind], pixels[ahead], out=found[behind])
    return found


def _regions(numpy: Any, marks: Any) -> Iterator[Region]:
    """Yield the regions: what differs in cells that touch each other."""
    height, width = marks.shape
    padded = numpy.zeros((-(-height // CELL) * CELL, -(-width // CELL) * CELL), bool)
    padded[:height, :width] = marks
    cells = padded.reshape(padded.shape[0] // CELL, CELL, padded.shape[1] // CELL, CELL).any(axis=(1, 3))
    left = {(int(row), int(column)) for row, column in zip(*numpy.nonzero(cells), strict=True)}
    while left:
        group = _touching(left)
        rows, columns = [row for row, _column in group], [column for _row, column in group]
        top, start = min(rows) * CELL, min(columns) * CELL
        bottom, end = (max(rows) + 1) * CELL, (max(columns) + 1) * CELL
        part = padded[top:bottom, start:end]
        found_rows, found_columns = numpy.nonzero(part)
        y, x = int(found_rows.min()), int(found_columns.min())
        yield Region(
            start + x,
            top + y,
            int(found_columns.max()) - x + 1,
            int(found_rows.max()) - y + 1,
            len(found_rows),
        )


def _touching(left: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Take one cell and all that it is connected with out of a set, and return them."""
    group = [left.pop()]
    for row, column in group:
        around = [(row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
        found = [cell for cell in around if cell in left]
        left.difference_update(found)
        group.extend(found)
    return group
