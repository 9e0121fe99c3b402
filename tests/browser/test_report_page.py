# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a report in Chromium: wide and narrow, light and dark, printed, sorted and filtered.

`make browser-test` runs this, and leaves screenshots in build/browser.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from ansible_collections.hosting.management.plugins.plugin_utils.report.page import page_of
from unit.report_fleet import HOSTILE, document, host

ROOT = Path(__file__).parents[2]
ROLE = ROOT / "roles" / "report"
PICTURES = ROOT / "build" / "browser"
WIDTHS = (400, 1400)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"])
        yield browser
        browser.close()


class Watched:
    """A page in the browser, with all that it asks for and complains of."""

    def __init__(self, browser: Browser, source: Path, **options: object) -> None:
        self.page: Page = browser.new_page(**options)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        self.page.goto(source.as_uri())
        self.source = source

    def expect_quiet(self) -> None:
        self.page.wait_for_timeout(100)
        assert self.requests == [self.source.as_uri()]
        assert self.complaints == []

    def rows(self, table: str) -> list[list[str]]:
        """The texts of the rows that are seen of a table."""
        return self.page.evaluate(
            """(title) => {
                const tables = Array.from(document.querySelectorAll("table"));
                const table = tables.find((one) => one.caption.innerText === title);
                const rows = Array.from(table.tBodies[0].rows).filter((row) => row.offsetParent !== null);
                return rows.map((row) => Array.from(row.cells, (cell) => cell.innerText.trim()));
            }""",
            table,
        )

    def column(self, table: str, place: int) -> list[str]:
        return [row[place] for row in self.rows(table)]

    def sort(self, table: str, column: str) -> str | None:
        """Click on the heading of a column, and return how the table says that it is sorted."""
        heading = self.page.get_by_role("table", name=table, exact=True).get_by_role("columnheader", name=column)
        heading.get_by_role("button").click()
        return heading.get_attribute("aria-sort")


def written(folder: Path, made: dict) -> Path:
    path = folder / "report.html"
    path.write_text(page_of(made, ROLE))
    return path


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    hosts = [host(number, days=30, plugins=12) for number in range(1, 41)]
    return written(tmp_path_factory.mktemp("fleet"), document(hosts, previous=document(hosts[1:])))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_it_is_quiet_and_fits(browser: Browser, fleet: Path, width: int, scheme: str):
    watched = Watched(browser, fleet, viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= width
    charts = watched.page.locator(".chart svg")
    assert charts.count() == 7
    for place in range(charts.count()):
        box = charts.nth(place).bounding_box()
        assert 200 < box["width"] <= width
        assert box["height"] > 20
    background = watched.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}[scheme]
    PICTURES.mkdir(parents=True, exist_ok=True)
    watched.page.screenshot(path=PICTURES / f"{width}-{scheme}.png", full_page=True)
    watched.expect_quiet()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_bars_and_labels_have_the_colours_of_the_theme(browser: Browser, fleet: Path, scheme: str):
    watched = Watched(browser, fleet, color_scheme=scheme)
    fills = watched.page.evaluate(
        """Array.from(document.querySelectorAll(".chart svg *"), (one) => getComputedStyle(one).fill)"""
    )
    bars, ink = {
        "light": ("rgb(37, 99, 168)", "rgb(28, 33, 39)"),
        "dark": ("rgb(125, 179, 240)", "rgb(232, 235, 238)"),
    }[scheme]
    assert {bars, ink} <= set(fills)


@pytest.fixture(scope="module")
def wide(browser: Browser, fleet: Path) -> Page:
    return Watched(browser, fleet, viewport={"width": 1400, "height": 900}).page


def edges_of(page: Page, selector: str) -> list[tuple[float, float, float, float]]:
    """Where what is seen of each kind begins and ends: left, right, top, bottom."""
    boxes = [one.bounding_box() for one in page.locator(f"{selector}:visible").all()]
    return [(box["x"], box["x"] + box["width"], box["y"], box["y"] + box["height"]) for box in boxes]


def test_charts_of_a_row_are_equally_high_and_end_where_the_tables_do(wide: Page):
    content = edges_of(wide, "main")[0][:2]
    for section in ("#visits", "#versions"):
        left, right = edges_of(wide, f"{section} figure")
        assert left[2:] == right[2:]
        assert (left[0], right[1]) == pytest.approx(content, abs=1)
        assert edges_of(wide, f"{section} .scroll")[0][:2] == pytest.approx(content, abs=1)
        assert left[1] < right[0]


def test_a_chart_alone_has_its_table_beside_it(wide: Page):
    content = edges_of(wide, "main")[0][:2]
    for section in ("#networks", "#usage", "#backups"):
        [chart] = edges_of(wide, f"{section} figure")
        table = edges_of(wide, f"{section} .scroll")[0]
        assert (chart[0], table[1]) == pytest.approx(content, abs=1)
        assert chart[1] < table[0] < chart[1] + 30
        assert chart[3] == pytest.approx(table[3], abs=1)


def test_a_table_that_is_wider_than_a_phone_has_a_shadow_where_it_goes_on(browser: Browser, fleet: Path):
    page = Watched(browser, fleet, viewport={"width": 400, "height": 900}).page
    table = page.get_by_role("region", name="Plugins by version, the vulnerable first")
    assert table.evaluate("(one) => one.scrollWidth > one.clientWidth + 50")
    assert shadows_of(table) == (False, True)
    table.evaluate("(one) => { one.scrollLeft = 40 }")
    assert shadows_of(table) == (True, True)
    table.evaluate("(one) => { one.scrollLeft = one.scrollWidth }")
    assert shadows_of(table) == (True, False)


def shadows_of(table: Locator) -> tuple[bool, bool]:
    """Whether the first and the last column of pixels of a table's frame are darker than its ground."""
    picture = Image.open(BytesIO(table.screenshot())).convert("L")
    middle = picture.height - 6  # below the caption, between two lines of text
    left, right = (picture.getpixel((place, middle)) for place in (2, picture.width - 3))
    return left < 240, right < 240


def test_words_in_tables_are_not_broken(browser: Browser, fleet: Path):
    page = Watched(browser, fleet, viewport={"width": 400, "height": 900}).page
    broken = page.evaluate(
        """() => {
            const found = [];
            for (const cell of document.querySelectorAll("td")) {
                const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
                while (walker.nextNode()) {
                    for (const word of walker.currentNode.data.matchAll(/\\w+/g)) {
                        const range = document.createRange();
                        range.setStart(walker.currentNode, word.index);
                        range.setEnd(walker.currentNode, word.index + word[0].length);
                        if (range.getClientRects().length > 1) found.push(word[0]);
                    }
                }
            }
            return found;
        }"""
    )
    assert broken == []


def test_it_prints_light_and_whole(browser: Browser, fleet: Path):
    watched = Watched(browser, fleet, color_scheme="dark")
    watched.page.emulate_media(media="print")
    watched.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert watched.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert watched.page.locator("details:not([open], .fold)").count() == 0
    assert watched.page.locator("details[open]").count() > 5
    watched.page.set_viewport_size({"width": 760, "height": 1000})  # A4
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 760
    assert not watched.page.locator(".tools").first.is_visible()
    assert watched.page.locator(".scroll").first.evaluate("(one) => one.scrollHeight === one.clientHeight")
    PICTURES.mkdir(parents=True, exist_ok=True)
    watched.page.screenshot(path=PICTURES / "print.png", full_page=True)
    watched.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert watched.page.locator("details[open]").count() == 0
    watched.page.emulate_media(media="screen")
    assert len(watched.page.pdf(path=PICTURES / "print.pdf")) > 10_000
    watched.expect_quiet()


def test_numbers_are_sorted_as_numbers_both_ways(browser: Browser, fleet: Path):
    watched = Watched(browser, fleet)
    table = "Usage of each site"
    assert watched.sort(table, "Visits this month") == "ascending"
    numbers = [int(text.replace(",", "")) for text in watched.column(table, 1)]
    assert numbers == sorted(numbers)
    assert numbers[0] < 10_000 < numbers[-1]
    assert watched.sort(table, "Visits this month") == "descending"
    assert [int(text.replace(",", "")) for text in watched.column(table, 1)] == numbers[::-1]
    watched.expect_quiet()


def test_names_are_sorted_as_people_do_and_what_is_not_known_is_last(browser: Browser, fleet: Path):
    watched = Watched(browser, fleet)
    table = "Plugins by version, the vulnerable first"
    watched.sort(table, "Plugin")
    names = watched.column(table, 0)
    assert names.index("plugin-2") < names.index("plugin-10")
    for _way in range(2):
        watched.sort(table, "Update to")
        known = [text != "–" for text in watched.column(table, 4)]
        assert known == sorted(known, reverse=True)
        assert len(set(known)) == 2
    headings = watched.page.get_by_role("table", name=table, exact=True).locator("[aria-sort]")
    assert headings.count() == 1


def test_rows_are_filtered_by_all_words(browser: Browser, fleet: Path):
    watched = Watched(browser, fleet)
    table = "Versions of each environment"
    field = watched.page.get_by_role("searchbox", name=f"Filter: {table}")
    field.fill("PHP8.1 6.2")
    assert {(row[2], row[3]) for row in watched.rows(table)} == {("php8.1", "6.2")}
    assert watched.page.get_by_text("of 40 rows").filter(has_not_text="40 of 40").count() == 1
    field.fill("no such thing")
    assert watched.rows(table) == []
    field.fill("")
    assert len(watched.rows(table)) == 40
    watched.expect_quiet()


def test_the_keyboard_sorts_as_well(browser: Browser, fleet: Path):
    watched = Watched(browser, fleet)
    heading = watched.page.get_by_role("columnheader", name="Primary domain")
    heading.get_by_role("button").focus()
    watched.page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"


def test_hostile_names_do_nothing(browser: Browser, tmp_path: Path):
    key = {"api_key": {"name": HOSTILE, "status": HOSTILE, "expires_at_iso": HOSTILE}}
    made = document([host(number, name=HOSTILE) for number in range(1, 8)], title="Fleet", key=key)
    watched = Watched(browser, written(tmp_path, made))
    assert watched.page.title() == "Fleet"
    assert watched.page.locator("img").count() == 0
    shown = " ".join(HOSTILE.split())
    assert watched.page.get_by_text(shown).count() > 20
    watched.sort("Versions of each environment", "PHP")
    watched.page.get_by_role("searchbox").first.fill(HOSTILE)
    watched.expect_quiet()


def test_without_scripts_all_of_it_is_there(browser: Browser, fleet: Path):
    watched = Watched(browser, fleet, java_script_enabled=False)
    tables = fleet.read_text().count("<table>")
    assert tables > 10
    assert watched.page.locator("table").count() == tables
    assert watched.page.locator("th button, input").count() == 0
    assert watched.page.locator(".chart svg").count() == 7


def test_four_hundred_environments_can_be_used(browser: Browser, tmp_path: Path):
    made = document([host(number, days=60, plugins=30) for number in range(1, 401)])
    watched = Watched(browser, written(tmp_path, made))
    assert watched.sort("Visits of each environment", "Environment") == "ascending"
    watched.page.get_by_role("searchbox", name="Filter: DNS records").fill("site-399.")
    watched.page.get_by_role("searchbox", name="Filter: Versions of each environment").fill("site-399")
    assert watched.column("Versions of each environment", 0) == ["site-399-live"]
    watched.expect_quiet()
