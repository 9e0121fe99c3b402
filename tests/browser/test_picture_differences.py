# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of two pictures counts as different. This needs Pillow and numpy, and no browser."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw

from ansible_collections.hosting.management.plugins.module_utils._errors import InvalidInput
from ansible_collections.hosting.management.plugins.module_utils._picture_differences import Region, difference_of

SIZE = (300, 600)  # more than one band high


def picture(*boxes: tuple[int, int, int, int], size=SIZE, colour="#336699", ground="#ffffff") -> bytes:
    """A PNG with rectangles: left, top, right, bottom, all of them included."""
    image = Image.new("RGB", size, ground)
    for box in boxes:
        ImageDraw.Draw(image).rectangle(box, fill=colour)
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


BOX = (100, 240, 160, 280)  # across two bands


@pytest.mark.parametrize(
    ("after", "name"),
    [
        (picture(BOX), "the same"),
        (picture((101, 240, 161, 280)), "shifted to the right"),
        (picture((100, 239, 160, 279)), "shifted up"),
        (picture((101, 241, 161, 281)), "shifted aslant"),
        (picture(BOX, colour="#3a6d9f"), "another shade"),
        (picture(BOX, size=(300, 601)), "a pixel longer"),
        (picture(BOX, (0, 599, 299, 599)), "another last row, which a shift may have brought"),
    ],
)
def test_what_no_eye_sees_does_not_count(after: bytes, name: str):
    found = difference_of(picture(BOX), after)
    assert (found.share, found.regions) == (0, []), name


@pytest.mark.parametrize(
    ("after", "regions"),
    [
        (picture(), [Region(100, 240, 61, 41, 61 * 41)]),
        (picture(BOX, (20, 500, 200, 500)), [Region(20, 500, 181, 1, 181)]),
        (picture(BOX, colour="#3366c0"), [Region(100, 240, 61, 41, 61 * 41)]),
        (picture(BOX, size=(300, 700)), [Region(0, 600, 300, 100, 300 * 100)]),
        (
            picture(BOX, (20, 20, 24, 24), (250, 550, 270, 570)),
            [Region(250, 550, 21, 21, 441), Region(20, 20, 5, 5, 25)],
        ),
    ],
    ids=["missing", "a thin line", "recoloured", "longer", "two places, the larger first"],
)
def test_what_is_seen_is_found_where_it_is(after: bytes, regions: list[Region]):
    found = difference_of(picture(BOX), after)
    assert found.regions == regions
    height, width = found.marks.shape
    assert found.share == pytest.approx(100 * sum(one.pixels for one in regions) / (width * height))


def test_a_shift_by_two_pixels_counts():
    assert difference_of(picture(BOX), picture((102, 240, 162, 280))).share > 0


def test_it_is_the_same_both_ways():
    one, other = picture(BOX, size=(300, 400)), picture((20, 20, 90, 90), (150, 300, 180, 302))
    assert difference_of(one, other).regions == difference_of(other, one).regions


def test_what_is_no_picture_is_refused():
    with pytest.raises(InvalidInput, match="cannot be read"):
        difference_of(b"no picture", picture())
