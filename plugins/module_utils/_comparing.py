# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares two sets of pictures, and writes the page that shows both."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._context import Context
from ._errors import CheckFailed, InvalidInput
from ._picture_differences import MOST_REGIONS, Difference, difference_of, libraries
from ._picture_page import Compared, PicturePage
from ._picture_sets import Picture, Place, make_folder, read_picture, read_set, write_file

MOST_TOLD = 5  # pages in a message


def checked_percent(value: float) -> float:
    if not 0 <= value <= 100:
        raise ValueError(f"must be a share in percent, from 0 to 100, not {value:g}")
    return value


@dataclass(frozen=True)
class Pair:
    """What two sets have of a place, and what of it differs; a place that one set lacks differs altogether."""

    place: Place
    before: Picture | None
    after: Picture | None
    most: float

    def problem(self) -> str | None:
        missing = "before" if self.before is None else "after" if self.after is None else None
        return missing and f"there is no picture of it {missing}"


def compare_sets(context: Context) -> dict[str, Any]:
    """Compare the sets, write the page, and return what the task's result has.

    Raises InvalidInput, MissingLibrary, and CheckFailed when pages differ that must not.
    """
    libraries()
    sets = [{one.place: one for one in read_set(context[name])} for name in ("before", "after")]
    places = list(dict.fromkeys([*sets[0], *sets[1]]))
    if not places:
        raise InvalidInput("Neither set has a picture. Nothing was done.")
    page = PicturePage()
    entries = []
    for place in places:
        context.report(str(place))
        pair = Pair(place, sets[0].get(place), sets[1].get(place), context["most_difference"])
        entries.append(_compare(context, pair, page))
    differing = [f"{one['page']} at {one['width']} px" for one in entries if one["differs"]]
    result = {
        "changed": _write(context, page),
        "differs": bool(differing),
        "differing": differing,
        "to_look_at": [f"{one['page']} at {one['width']} px" for one in entries if one["share"] and not one["differs"]],
        "greatest": max(one["share"] for one in entries),
        "pictures": entries,
        "report": context["report"],
    }
    if differing and context["must_match"]:
        error = CheckFailed(_sentence(context, entries))
        error.results.update(result)
        raise error
    return result


def _sentence(context: Context, entries: list[dict[str, Any]]) -> str:
    """Return what differs too much, the worst first."""
    wrong = sorted((one for one in entries if one["differs"]), key=lambda one: -one["share"])
    told = [f"{one['page']} at {one['width']} px ({one['problem'] or words_of(one['share'])})" for one in wrong]
    more = f" and {len(told) - MOST_TOLD} more" if len(told) > MOST_TOLD else ""
    where = f" See {context['report']}." if context["report"] else ""
    return (
        f"The site looks different: {', '.join(told[:MOST_TOLD])}{more}."
        f" At most {context['most_difference']:g} % may differ.{where}"
    )


def _compare(context: Context, pair: Pair, page: PicturePage) -> dict[str, Any]:
    """Compare a pair, add it to the page, and return its entry in the result."""
    problem = pair.problem()
    difference: Difference | None = None
    share = 100.0
    if pair.before and pair.after:
        share = 0.0
        if pair.before.sha256 != pair.after.sha256:
            difference = difference_of(
                read_picture(context["before"], pair.before), read_picture(context["after"], pair.after)
            )
            share = difference.share
    differs = share > pair.most
    if context["report"]:
        level = "bad" if differs else "warn" if share else "good"
        urls = tuple(one.url if one else "nothing" for one in (pair.before, pair.after))
        page.add(Compared(str(pair.place), level, problem or words_of(share), (urls[0], urls[1]), difference))
    regions = difference.regions if difference else []
    return {
        "page": pair.place.page,
        "width": pair.place.width,
        "before": pair.before.file if pair.before else None,
        "after": pair.after.file if pair.after else None,
        "share": round(share, 4) or (0.0001 if share else 0.0),
        "differs": differs,
        "regions": [one.as_result() for one in regions[:MOST_REGIONS]],
        "problem": problem,
    }


def words_of(share: float) -> str:
    """Return a share in percent as words."""
    return f"{share:.2f} % differ" if share >= 0.01 else "less than 0.01 % differ" if share else "as before"


def _write(context: Context, page: PicturePage) -> bool:
    """Write the page if one is wanted, and return whether it was another before."""
    if not context["report"]:
        return False
    path = Path(context["report"])
    limit = f"{context['most_difference']:g} %"
    note = (
        f"Before: {context['before']}. After: {context['after']}. More than {limit} of the pixels is too much. Smoothed"
        " edges and a shift by one pixel do not count."
    )
    content = page.html("Before and after", note).encode()
    try:
        if path.read_bytes() == content:
            return False
    except OSError:
        pass
    if not context.check_mode:
        make_folder(str(path.parent))
        try:
            write_file(path, content)
        except OSError as error:
            raise InvalidInput(f"report: {path} cannot be written: {error.strerror}.") from None
    return True
