# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a report: it loads nothing, escapes everything, and says in words what its charts show.

`make browser-test` looks at it in a browser.
"""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ansible_collections.hosting.management.plugins.plugin_utils.report import charts
from ansible_collections.hosting.management.plugins.plugin_utils.report.page import page_of, style_of
from unit.report_fleet import HOSTILE, PARTS, document, failed, host

ROLE = Path(__file__).parents[2] / "roles" / "report"
VOID = {"meta", "link", "input", "br", "img"}
ALLOWED = {
    *("html", "head", "body", "meta", "title", "link", "style", "script", "header", "nav", "main", "footer", "section"),
    *("a", "h1", "h2", "p", "ul", "li", "dl", "dt", "dd", "div", "span", "figure", "figcaption", "details", "summary"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "svg", "path", "text"),
}


class Page(HTMLParser):
    """The elements of a page, with their attributes and text; unbalanced ones are an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.source = text
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.elements.append((tag, dict(attrs)))
        self.texts.setdefault(tag, []).append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def tables(self) -> list[str]:
        return [text.strip() for text in self.texts["caption"]]


def page(hosts: list[dict], **options) -> Page:
    return Page(page_of(document(hosts, **options), ROLE))


def tiles_of(made: Page) -> dict[str, list[str]]:
    """The number and the note of each tile, by its name."""
    names, texts = iter(made.texts["dt"]), iter(made.texts["dd"])
    tiles: dict[str, list[str]] = {}
    for tag, _attributes in made.elements:
        if tag == "dt":
            tiles[name := next(names)] = []
        elif tag == "dd":
            tiles[name].append(next(texts))
    return tiles


def first_bar_of(drawn: str) -> float:
    """Where the first bar of a chart begins, in units of the picture."""
    return float(re.search(r'<path d="M ([\d.]+) ', drawn).group(1))


@pytest.fixture(scope="module")
def fleet() -> Page:
    """Fifty environments as they are in the field: two months of visits, thirty plugins each."""
    return page([host(number, days=60, plugins=30) for number in range(1, 51)])


@pytest.fixture(scope="module")
def hostile() -> Page:
    """The same name wherever the service may send text, and failures that repeat it."""
    hosts = [host(number, name=HOSTILE) for number in (1, 2, 7)]
    hosts[2]["parts"]["dns"] = failed(msg=HOSTILE)
    key = {"api_key": {"name": HOSTILE, "status": HOSTILE, "expires_at_iso": HOSTILE}}
    previous = document([host(number) for number in (1, 2)])
    return page(hosts, title=HOSTILE, key=key, previous=previous)


def test_the_policy_forbids_every_request_and_allows_the_pages_own_script_and_style(fleet: Page):
    (policy,) = [one["content"] for one in fleet.all("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    directives = dict(part.split(" ", 1) for part in policy.split("; "))
    assert directives.pop("default-src") == "'none'"
    assert directives.pop("base-uri") == directives.pop("form-action") == "'none'"
    assert directives.pop("img-src") == "data:"  # the icon, which a browser would else ask a server for
    for tag, name in (("script", "script-src"), ("style", "style-src")):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", fleet.source, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert directives.pop(name) == f"'sha256-{digest}'"
    assert directives == {}
    assert fleet.source.index("Content-Security-Policy") < fleet.source.index("<style>")


def only_harmless(made: Page) -> None:
    """Nothing that loads, runs or leads away, and nothing that the policy would refuse."""
    assert {tag for tag, _attributes in made.elements} <= ALLOWED
    for tag, attributes in made.elements:
        assert not {name for name in attributes if name.startswith("on") or name in ("src", "style", "srcset")}, tag
        link = attributes.get("href")
        assert link is None or link == "data:," or link.startswith("#"), link
    assert len(made.all("script")) == len(made.all("style")) == 1
    assert "url(" not in made.source.replace(HOSTILE, "")
    assert "@import" not in made.source


def test_it_loads_nothing(fleet: Page):
    only_harmless(fleet)


def test_names_that_are_markup_stay_text(hostile: Page):
    only_harmless(hostile)
    shown = " ".join(HOSTILE.split())
    assert shown in hostile.texts["title"][0]
    for tag in ("h1", "th", "td", "li"):
        assert any(shown in text for text in hostile.texts[tag]), tag
    assert any("</script>" in text for text in hostile.texts["text"])  # the labels of charts
    assert HOSTILE not in hostile.source


def test_text_cannot_steer_the_readers_eyes():
    one = host(1)
    one["parts"]["plugins"]["plugins"][0]["title"] = "safe\u202eelbarenluv\u2066\x00\x1b[31m"
    made = page([one])
    assert not re.search("[\u202e\u2066\x00\x1b]", made.source)


def test_fifty_environments_are_far_below_three_megabytes(fleet: Page):
    assert len(fleet.source.encode()) < 1_500_000


def test_four_hundred_environments_are_below_six():
    hosts = [host(number, days=30, plugins=30) for number in range(1, 401)]
    # Drawing four hundred lines takes seconds, and each is as long as those of the fifty.
    assert len(page_of(document(hosts, charts="off"), ROLE).encode()) < 6_000_000


def test_each_chart_has_a_name_words_and_a_table(fleet: Page):
    shown = [one for one in fleet.all("div") if one.get("class") == "chart"]
    assert len(shown) == 7
    ids = [one["id"] for _tag, one in fleet.elements if "id" in one]
    assert len(ids) == len(set(ids))
    for chart in shown:
        assert chart["role"] == "img"
        assert {chart["aria-labelledby"], chart["aria-describedby"]} <= set(ids)
    assert all(text.strip() for text in fleet.texts["figcaption"])
    assert "site-50-live" in "".join(fleet.texts["p"])  # the words of the chart of visits
    sparks = [one["aria-label"] for one in fleet.all("span") if one.get("class") == "spark"]
    assert len(sparks) == 50
    assert all(re.match(r"from \d+ to \d+, at least \d+, at most \d+$", one) for one in sparks)


def test_one_bar_is_no_chart(fleet: Page):
    assert fleet.texts["figcaption"] == [
        "Visits of 50 environments together",
        "Environments with the most visits",
        "Requests by network",
        "Percentage of the budget used",
        "Environments by PHP version",
        "Environments by WordPress version",
        "Environments by the age of their newest backup",
    ]  # only one plugin is vulnerable


def test_what_its_numbers_are_of_stands_below_them(fleet: Page):
    tiles = tiles_of(fleet)
    assert tiles == {
        "environments": ["50"],
        "sites": ["50"],
        "visits": [tiles["visits"][0], "in the last 30 days"],
        "visits this month": ["1,275,000", "since 2026-11-01"],
        "vulnerable plugins": ["1", "in 50 environments"],
        "days without a backup": ["4", "where it has been longest"],
        "open questions": ["7", "pushes, restores and restarts whose end is not known"],
        "readings failed": ["0"],
    }


@pytest.mark.parametrize(
    ("time_frame", "note"),
    [("24_hours", "in the last 24 hours"), ("7_days", "in the last 7 days"), ("60_days", "in the last 60 days")],
)
def test_visits_are_of_the_time_frame_of_the_report(time_frame: str, note: str):
    made = page([host(1)], time_frame=time_frame, charts="off")
    assert note in made.texts["dd"]


def test_what_is_not_known_needs_no_explanation():
    one = host(1)
    one["parts"]["backups"] = failed()
    assert tiles_of(page([one], charts="off"))["days without a backup"] == ["–"]


def test_a_report_with_gaps_says_so():
    one = host(1)
    one["parts"]["usage"] = failed()
    assert tiles_of(page([one], charts="off"))["readings failed"] == ["1", "so this report has gaps"]


def test_a_line_is_as_high_as_the_bars_beside_it(fleet: Page):
    together, most_visits, *_others = (one["viewbox"] for one in fleet.all("svg"))
    assert together == most_visits


def test_bars_begin_where_the_longest_label_ends():
    rows = [("ü", 3.0, "3", False), ("例え", 1.0, "1", False)]
    short, wide, long = (
        first_bar_of(charts.bars([*rows, (label, 2.0, "2", False)])) for label in ("php8.3", "例えば" * 3, "x" * 99)
    )
    assert short < wide < long <= charts.WIDTH / 2


def test_everything_has_its_table(fleet: Page):
    assert fleet.tables == [
        "Visits of each environment",
        "Visits at each time",
        "Requests by network",
        "Usage of each site",
        "Plugins by version, the vulnerable first",
        "Versions of each environment",
        "Backups of each environment",
        "Addresses that may use SFTP and SSH",
        "DNS records",
        "Open questions of the journal",
        "Updates that a site is not known to work with",
        "Locks against deployments",
        "Releases",
        "The API key",
    ]
    assert all(one.get("scope") in ("col", "row") for one in fleet.all("th"))
    assert fleet.all("html") == [{"lang": "en"}]


def test_links_within_the_page_lead_somewhere(fleet: Page):
    ids = {one["id"] for _tag, one in fleet.elements if "id" in one}
    assert {one["href"].removeprefix("#") for one in fleet.all("a")} <= ids


def test_without_the_library_the_tables_are_there_and_the_page_says_why():
    made = page([host(1), host(2)], charts="missing")
    assert made.all("svg") == made.all("figure") == []
    assert "Visits of each environment" in made.tables
    assert any("pip install matplotlib" in text for text in made.texts["p"])


def test_charts_that_are_not_wanted_are_not_missed():
    made = page([host(1)], charts="off")
    assert made.all("svg") == []
    assert "matplotlib" not in made.source


def test_what_could_not_be_read_is_listed_and_what_is_alike_is_told_once():
    hosts = [host(number) for number in range(1, 6)]
    for one in hosts[:3]:
        one["parts"]["visits"] = failed(msg="The service answered 500.")
    made = page(hosts)
    assert "What could not be read" in made.tables
    assert sum("The service answered 500." in text for text in made.texts["td"]) == 1
    assert any("3 times" in text for text in made.texts["summary"])
    assert {"site-1-live", "site-2-live", "site-3-live"} <= set(made.texts["li"])


def test_nothing_read_at_all_is_still_a_page():
    nothing = {**host(1), "parts": {name: failed() for name in PARTS if name != "dns"}}
    made = page([nothing], key=failed())
    assert made.tables == ["What could not be read"]


def test_the_same_document_makes_the_same_page():
    hosts = [host(1), host(2)]
    assert page(hosts).source == page(hosts).source


def test_another_time_changes_nothing_else():
    hosts = [host(1), host(2)]
    first = page(hosts).source.splitlines()
    second = page(hosts, time="2026-11-21T09:30:00Z").source.splitlines()
    assert [one for one, other in zip(first, second, strict=True) if one != other] == [
        "<p>As of 2026-11-21 06:00 UTC. Visits and networks are those of the last 30 days.</p>"
    ]


def test_what_has_changed_is_shown():
    before = document([host(1)])
    made = page([host(1), host(2)], previous=before)
    assert made.tables[:2] == ["Changes", "Visits before and now"]
    assert "What has changed since 2026-11-21 06:00 UTC" in made.texts["h2"]


# ---- WCAG 2.1 AA: contrast ------------------------------------------------------------------------------------------


def colours() -> list[dict[str, str]]:
    """The variables of the style sheet, in the light and in the dark."""
    style = style_of(ROLE)
    light, dark = (
        dict(re.findall(r"--(\w+): (#\w{6});", block)) for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    )
    assert light.keys() == dark.keys()
    return [light, dark]


def contrast(first: str, second: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", colours(), ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["bg", "panel"])
def test_text_and_what_charts_draw_stand_out(theme: dict[str, str], ground: str):
    for name in ("ink", "muted", "link", "bad", "warn", "good"):
        assert contrast(theme[name], theme[ground]) >= 4.5, name
    for name in ("series", "bad", "edge"):
        assert contrast(theme[name], theme[ground]) >= 3, name
