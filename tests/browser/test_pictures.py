# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of a simulated shop in Chromium, and their comparison."""

from __future__ import annotations

import json
import os
import re
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from PIL import Image
from playwright.sync_api import sync_playwright

from ansible_collections.hosting.management.plugins.modules import site_compare, site_snapshot
from simulator import Simulator, seed
from simulator.storefront import UNSTABLE

pytest_plugins = ["simulator.fixtures", "unit.conftest"]

LIVE = seed.environment_id(1)
PICTURES = Path(__file__).parents[2] / "build" / "browser"
MASKED = {"mask": list(UNSTABLE)}


@pytest.fixture
def shop(simulator: Simulator) -> str:
    return f"{simulator.control_url}/sites/{LIVE}/shop"


def expected(result: dict) -> dict:
    """The result of a task, which has not failed in a way that nobody has foreseen."""
    assert "exception" not in result, result["exception"]
    return result


@pytest.fixture
def take(controller, tmp_path: Path) -> Callable[..., dict]:
    """Take a set of pictures, and return the result of the task."""

    def run(name: str, *pages: str, **options: object) -> dict:
        return expected(
            controller.run(
                site_snapshot, **{"pages": list(pages), "folder": str(tmp_path / name), "widths": [1000], **options}
            )
        )

    return run


@pytest.fixture
def compare(controller, tmp_path: Path) -> Callable[..., dict]:
    def run(before: str = "before", after: str = "after", **options: object) -> dict:
        return controller.run(site_compare, before=str(tmp_path / before), after=str(tmp_path / after), **options)

    return run


class Pages(BaseHTTPRequestHandler):
    """Pages by their path; /private wants a login."""

    pages: dict[str, str] = {}
    seen: list[tuple[str, str | None]] = []

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self.seen.append((self.path, self.headers["Authorization"]))
        wants_login = path == "/private" and self.headers["Authorization"] != "Basic dmlzaXRvcjpzZXNhbWU="
        found = path in self.pages
        body = self.pages.get(path, "Not found").encode()
        self.send_response(401 if wants_login else 200 if found else 404)
        if wants_login:
            self.send_header("WWW-Authenticate", 'Basic realm="shop"')
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_unused: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    Pages.pages, Pages.seen = {}, []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_two_sets_of_an_unchanged_page_differ_by_nothing_once_masked(take, compare, shop):
    first = take("before", shop, widths=[1000, 400], settle=True)
    assert set(first["unstable"]) == {"#clock", "div.slider", "div.advert"}, first
    take("after", shop, widths=[1000, 400])
    bare = compare()
    assert bare["differs"]
    assert all(one["regions"] for one in bare["pictures"])
    assert take("settled", shop, settle=True, mask=first["unstable"])["unstable"] == []
    for name in ("before", "after"):
        taken = take(name, shop, widths=[1000, 400], mask=first["unstable"])
        assert taken["changed"]
    masked = compare()
    assert (masked["differs"], masked["greatest"], masked["to_look_at"]) == (False, 0, [])


def test_a_collapsed_layout_is_seen(take, compare, shop, simulator, tmp_path):
    take("before", shop, widths=[1400, 400], **MASKED)
    simulator.settings.collapsing = frozenset({"push"})
    environment = simulator.state.environment(LIVE)
    environment.content = replace(environment.content, is_pushed=True)
    after = take("after", shop, widths=[1400, 400], **MASKED)
    assert [one["status"] for one in after["pictures"]] == [200, 200]
    assert after["pictures"][0]["failed_requests"][0].endswith("missing.css: 404")
    report = tmp_path / "pages" / "report.html"
    compared = compare(report=str(report))
    assert compared["differs"]
    assert len(compared["differing"]) == 2
    assert compared["greatest"] > 20
    assert compared["changed"]
    assert not compare(report=str(report))["changed"]
    text = report.read_text()
    assert {link.partition(":")[0] for link in re.findall(r'(?:src|href)="([^"#]+)', text)} == {"data"}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=site_snapshot_browser())
        for width in (400, 1400):
            page = browser.new_page(viewport={"width": width, "height": 900})
            complaints: list[str] = []
            page.on("console", lambda message, kept=complaints: kept.append(message.text))
            page.goto(report.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.locator("img").count() >= 6
            assert page.evaluate("Array.from(document.images).every((one) => one.complete && one.naturalWidth > 0)")
            assert complaints == []
            PICTURES.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=PICTURES / f"comparison-{width}.png", full_page=True)
        browser.close()


def site_snapshot_browser() -> str | None:
    from ansible_collections.hosting.management.plugins.module_utils._snapshots import browser_of

    return browser_of(None)


def test_what_moves_and_comes_late_is_as_it_ends(take, compare, site):
    late = """<style>@keyframes in { from { opacity: 0; } to { opacity: 1; } }
        .in { animation: in 60s forwards; background: red; height: 80px; } div { margin: 900px 0 0; }</style>
        <p class="in">Here</p><div>below</div><img id="late" width="200" height="200" alt="">
        <p id="time"></p><script>
        document.querySelector("#time").textContent = `${new Date()}`;
        new IntersectionObserver((seen) => {
            if (seen[0].isIntersecting) document.querySelector("#late").src = "/picture";
        }).observe(document.querySelector("#late"));</script>"""
    Pages.pages = {"/": late, "/picture": "no picture"}
    taken = [take(name, f"{site}/") for name in ("before", "after")]
    assert ("/picture", None) in Pages.seen
    assert taken[0]["pictures"][0]["sha256"] == taken[1]["pictures"][0]["sha256"]
    assert compare()["greatest"] == 0
    again = take("before", f"{site}/")
    assert not again["changed"]
    Pages.pages["/"] = late.replace('<p class="in">Here</p>', '<p style="height: 80px; margin: 16px 0"></p>')
    take("after", f"{site}/")
    assert compare()["differs"]


@pytest.mark.parametrize("module", [site_snapshot, site_compare])
def test_the_result_is_what_the_documentation_says(module, take, compare, site):
    Pages.pages = {"/": "<p>Shop"}
    result = take("before", f"{site}/")
    if module is site_compare:
        result = compare("before", "before")
    returned = yaml.safe_load(module.RETURN)
    assert set(result) - {"changed"} == set(returned) - {"error", "sets"}
    assert set(result["pictures"][0]) == set(returned["pictures"]["contains"])


def test_a_set_that_fails_leaves_its_neighbours_alone_and_each_can_be_judged(controller, compare, site, tmp_path):
    Pages.pages = {"/": "<p id='name'>Shop", "/cart": "<p>Cart"}
    folders = [str(tmp_path / name) for name in ("before", "gone", "wrong", "after")]
    ways = ({"pages": [f"{site}/", f"{site}/cart"]}, {"pages": [f"{site}/gone"]}, {"pages": [f"{site}/"]})
    sets = [{**way, "folder": folder} for way, folder in zip((*ways, ways[0]), folders, strict=True)]
    sets[1]["widths"] = [300]
    sets[2]["mask"] = ["p:no-such-thing("]
    both = expected(controller.run(site_snapshot, sets=sets, widths=[500, 400], mask=["#name"]))
    assert ("failed" in both, both["changed"], list(both["sets"])) == (False, True, folders)
    good, gone, wrong, _after = both["sets"].values()
    assert [(one["page"], one["width"]) for one in good["pictures"]] == [
        *(("/", 500), ("/", 400)),
        *(("/cart", 500), ("/cart", 400)),
    ]
    assert [one["unmatched"] for one in good["pictures"]] == [[], [], ["#name"], ["#name"]]
    assert (gone["error"]["kind"], gone["pictures"][0]["width"]) == ("check_failed", 300)
    assert (wrong["error"]["kind"], wrong["pictures"]) == ("invalid_input", [])
    assert compare()["greatest"] == 0
    seen = len(Pages.seen)
    for one, told in zip(sets, both["sets"].values(), strict=True):
        judged = controller.run(site_snapshot, pages=one["pages"], folder=one["folder"], taken=told)
        assert judged == told
    assert len(Pages.seen) == seen, "nothing is asked again"
    other = controller.run(site_snapshot, pages=ways[0]["pages"], folder=folders[3], taken=good)
    assert other["error"]["kind"] == "invalid_input"


def test_a_browser_that_crashes_takes_no_other_page_along(controller, site, tmp_path):
    Pages.pages = {"/": "<p>Shop", "/cart": "<p>Cart", "/last": "<p>Last"}
    killed = []

    def kill(line: str) -> None:
        if "/cart" in line and not killed:
            mine = {int(one) for task in Path("/proc/self/task").iterdir() for one in children_of(task)}
            killed.extend(browsers_below(mine))
            for one in killed:
                os.kill(one, signal.SIGKILL)

    controller.report = kill
    result = controller.run(
        site_snapshot, pages=[f"{site}/", f"{site}/cart", f"{site}/last"], folder=str(tmp_path / "set"), widths=[400]
    )
    assert killed
    assert "failed" not in result, result["msg"]
    assert [one["status"] for one in result["pictures"]] == [200, 200, 200]


def children_of(task: Path) -> list[str]:
    return (task / "children").read_text().split()


def browsers_below(processes: set[int]) -> list[int]:
    """The first processes of browsers among these, and among what they have started."""
    found = []
    for one in processes:
        words = Path(f"/proc/{one}/cmdline").read_text().split("\0")
        if "--remote-debugging-pipe" in words:
            found.append(one)
        else:
            tasks = Path(f"/proc/{one}/task").iterdir()
            found += browsers_below({int(child) for task in tasks for child in children_of(task)})
    return found


def test_time_stands_still_for_scripts_and_timers_run(take, site):
    Pages.pages = {
        "/": """<script>
        class Later extends Date {}
        const now = [new Date().toISOString(), Date.now(), Date().length, new Date(0).getTime(), new Later().getTime(),
            new Date() instanceof Date, new Date(2020, 0, 2).getDate(), new Date().constructor === Date, Date.UTC(1970),
            new Intl.DateTimeFormat("en-US", { dateStyle: "short" }).format(),
            new Intl.DateTimeFormat("en-US", { year: "numeric" }).formatToParts()[0].value,
            globalThis.Temporal ? Temporal.Now.plainDateISO().toString() : "2026-01-01"];
        setTimeout(() => console.error(JSON.stringify([...now, Date.now() === now[1]])), 30);
        </script>"""
    }
    taken = take("before", f"{site}/")
    words = "Thu Jan 01 2026 12:00:00 GMT+0000 (Coordinated Universal Time)"
    told = ["2026-01-01T12:00:00.000Z", 1767268800000, len(words), 0, 1767268800000, True, 2, True, 0]
    told += ["1/1/26", "2026", "2026-01-01", True]
    assert json.loads(taken["pictures"][0]["console_errors"][0]) == told


def test_a_mask_covers_what_lies_above_all_else_and_nothing_beside_it(take, tmp_path, site):
    Pages.pages = {
        "/": """<style>html { position: relative; margin: 50px; } body { margin: 0; }</style>
        <div id="clock" style="margin: 1500px 0 0 20px; width: 100px; height: 40px; background: red"></div>
        <dialog id="box" style="width: 60px; height: 60px; padding: 0; border: 0; background: red">x</dialog>
        <script>document.querySelector("#box").showModal();</script>"""
    }
    taken = take("set", f"{site}/", mask=["#clock", "#box"], widths=[600])
    with Image.open(tmp_path / "set" / taken["pictures"][0]["file"]) as image:
        colours = Counter({colour: count for count, colour in image.convert("RGB").getcolors(1 << 20)})
    grey = tuple(bytes.fromhex("8a8f98"))
    assert colours[grey] == 100 * 40 + 60 * 60
    assert (255, 0, 0) not in colours


def test_check_mode_writes_nothing(controller, site, tmp_path):
    Pages.pages = {"/": "<p>Shop"}
    options = {"pages": [f"{site}/"], "folder": str(tmp_path / "never"), "widths": [400]}
    predicted = controller.run(site_snapshot, check_mode=True, **options)
    assert predicted["changed"]
    assert not (tmp_path / "never").exists()
    assert controller.run(site_snapshot, **options)["pictures"][0]["sha256"] == predicted["pictures"][0]["sha256"]
    assert not controller.run(site_snapshot, check_mode=True, **options)["changed"]
    report = tmp_path / "report.html"
    same = {"before": options["folder"], "after": options["folder"], "report": str(report)}
    assert controller.run(site_compare, check_mode=True, **same)["changed"]
    assert not report.exists()


def test_the_problem_of_a_page_is_told_and_the_others_are_taken(take, site, tmp_path):
    Pages.pages = {"/": "<script>missing()</script><p>Shop", "/cart": "<img src='/gone.png?key=s3cr3t-key'>"}
    dead = "http://127.0.0.1:9/dead?token=s3cr3t-token"
    result = take("set", f"{site}/", f"{site}/no-such-page", dead, f"{site}/cart?token=s3cr3t-token")
    assert result["failed"]
    assert result["error"]["kind"] == "check_failed"
    assert f"{site}/no-such-page at 1000 px answered 404." in result["msg"]
    assert "http://127.0.0.1:9/dead?******** at 1000 px cannot be shown" in result["msg"]
    first, _gone, refused, cart = result["pictures"]
    assert first["console_errors"] == ["missing is not defined"]
    assert refused["file"] is None
    assert cart["failed_requests"] == [f"GET {site}/gone.png?********: 404"]
    written = sorted(path.name for path in (tmp_path / "set").iterdir())
    assert [name[:2] for name in written] == ["01", "02", "04", "ma"]
    assert "s3cr3t" not in json.dumps(result) + (tmp_path / "set" / "manifest.json").read_text() + "".join(written)


def test_a_login_goes_to_the_site_alone(take, site):
    Pages.pages = {"/private": "<p>Members"}
    refused = take("set", f"{site}/private")
    assert "answered 401" in refused["msg"]
    taken = take("set", f"{site}/private", url_username="visitor", url_password="sesame")
    assert taken["pictures"][0]["status"] == 200
    assert "sesame" not in json.dumps(taken)


def test_hidden_elements_leave_no_space_and_what_matches_nothing_is_named(take, site):
    Pages.pages = {"/": "<div id='banner' style='height: 3000px'>Cookies</div><p>Shop"}
    high = take("set", f"{site}/")["pictures"][0]["height"]
    taken = take("set", f"{site}/", hide=["#banner"], mask=[".advert"])["pictures"][0]
    assert (high > 3000, taken["height"], taken["unmatched"]) == (True, 900, [".advert"])
    wrong = take("set", f"{site}/", mask=["p:no-such-thing("])
    assert wrong["error"]["kind"] == "invalid_input"
    assert "no CSS selector" in wrong["msg"]


def test_two_pages_of_one_path_and_those_of_another_host_are_told_apart(take, compare, site):
    Pages.pages = {"/": "<p>Shop", "/cart": "<p>Cart"}
    take("before", f"{site}/?lang=de", f"{site}/?lang=en", f"{site}/cart")
    other = site.replace("127.0.0.1", "localhost")
    take("after", f"{other}/?lang=de", f"{other}/?lang=en")
    compared = compare()
    assert [one["page"] for one in compared["pictures"]] == ["/", "/ (2)", "/cart"]
    assert compared["differing"] == ["/cart at 1000 px"]
    assert compared["pictures"][2]["problem"] == "there is no picture of it after"
