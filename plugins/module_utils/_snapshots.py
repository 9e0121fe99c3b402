# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes pictures of pages with a browser of this machine, so that two of the same page are equal.

Playwright is imported only when pictures are taken. All pages have one browser, and each a profile of its own.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from ._context import Context
from ._errors import CheckFailed, ConnectionFailed, HostingError, InvalidInput, MissingLibrary, library
from ._pages import checked_urls
from ._picture_differences import MOST_REGIONS, Region, difference_of, libraries
from ._picture_sets import (
    Picture,
    as_result,
    digest_of,
    file_of,
    make_folder,
    pages_of,
    shown_text,
    shown_url,
    write_set,
)
from ._values import iso_of_time, time_of_text

BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
FLAGS = ["--hide-scrollbars", "--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb"]
WINDOW_HEIGHT = 900  # pixels
MOST_HEIGHT = 16000  # pixels; Chromium paints no more at once
MOST_MESSAGES = 20  # of one page
LONGEST_QUIET = 3  # seconds to wait for requests that a page still makes after it was loaded and scrolled
MASK = "#8a8f98"
NEVER_DONE = {"eventsource", "websocket", "media", "ping"}  # requests that nobody waits for

NO_ANSWER = re.compile(
    r"net::ERR_(NAME_NOT_RESOLVED|INTERNET_DISCONNECTED|ADDRESS_UNREACHABLE|PROXY_\w+|TUNNEL_CONNECTION_FAILED"
    r"|NETWORK_ACCESS_DENIED|NETWORK_CHANGED)"
)
"""What Chromium says when this machine could not ask the site."""

STILL = "*, ::before, ::after { transition-duration: 0s !important; transition-delay: 0s !important;\
 scroll-behavior: auto !important; caret-color: transparent !important; } ::-webkit-scrollbar { display: none; }"

ADOPT = """(css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""

VISIT = """async ([most, limit]) => {
    const pause = (time) => new Promise((done) => setTimeout(done, time));
    const frame = () => Promise.race([new Promise((done) => requestAnimationFrame(done)), pause(100)]);
    for (const each of document.querySelectorAll("[loading=lazy]")) each.loading = "eager";
    const height = () => Math.min(document.documentElement.scrollHeight, most);
    for (let y = 0; y < height(); y += innerHeight) { scrollTo(0, y); await frame(); await frame(); }
    scrollTo(0, 0);
    const images = Array.from(document.images).filter((image) => !image.complete);
    const loaded = images.map((image) => image.decode().catch(() => null));
    await Promise.race([Promise.all([document.fonts.ready, ...loaded]), pause(limit)]);
    await frame();
    await frame();
    return [document.documentElement.scrollHeight, document.documentElement.scrollWidth];
}"""

COUNT = "(selectors) => selectors.filter((one) => !document.querySelector(one))"
IS_SELECTOR = """(selectors) => selectors.filter((one) => {
    try { document.createDocumentFragment().querySelector(one); return false; } catch { return true; }
})"""

NAME = """(boxes) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { pointer-events: auto !important; }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    const only = (selector) => document.querySelectorAll(selector).length === 1;
    const path = (one) => {
        if (one.id && only("#" + CSS.escape(one.id))) return "#" + CSS.escape(one.id);
        const tag = one.localName;
        if (!one.parentElement) return tag;
        const alike = Array.from(one.parentElement.children).filter((each) => each.localName === tag);
        const place = alike.length > 1 ? `:nth-of-type(${alike.indexOf(one) + 1})` : "";
        return `${path(one.parentElement)} > ${tag}${place}`;
    };
    const names = (one) => {
        const tag = one.localName;
        const classes = Array.from(one.classList, (each) => `${tag}.${CSS.escape(each)}`);
        return [one.id ? "#" + CSS.escape(one.id) : "", ...classes, path(one)].filter((each) => each && only(each));
    };
    return boxes.map((box) => {
        scrollTo(0, Math.max(0, box.y + box.height / 2 - innerHeight / 2));
        const [x, y] = [box.x - scrollX, box.y - scrollY];
        const found = document.elementsFromPoint(x + box.width / 2, y + box.height / 2);
        const around = found.find((one) => {
            const area = one.getBoundingClientRect();
            return area.left <= x + 2 && area.top <= y + 2 && area.right >= x + box.width - 2
                && area.bottom >= y + box.height - 2;
        });
        const chosen = around || found[0];
        return chosen ? names(chosen) : [];
    });
}"""


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


def take_snapshots(context: Context) -> dict[str, Any]:
    """Take the pictures, write them, and return what the task's result has.

    Raises MissingLibrary when there is no browser to take them with, InvalidInput for a selector that is none, and
    CheckFailed or ConnectionFailed when a page could not be shown; the pictures of the others are written then, too.
    """
    program = browser_of(context["browser"])
    api = library("playwright.sync_api", "playwright>=1.50", "Taking pictures")
    if context["settle"]:
        libraries()
    if not context.check_mode:
        make_folder(context["folder"])
    with _Photographer(context, api, program) as photographer:
        shots = list(photographer.shots())
    taken = {shot.picture: shot.content for shot in shots if shot.content}
    changed = write_set(context["folder"], taken, iso_of_time(datetime.now(UTC)), writes=not context.check_mode)
    result = {"changed": changed, "folder": context["folder"], "pictures": [shot.as_result() for shot in shots]}
    result["unstable"] = sorted({one["selector"] for shot in shots for one in shot.unstable if one["selector"]})
    error = _problem_in(shots)
    if error:
        error.results.update(result)
        raise error
    return result


def browser_of(named: str | None) -> str | None:
    """Return the program of the browser, or None for Playwright's own. Raises InvalidInput for one that is none."""
    named = named or os.environ.get("CHROMIUM") or None
    if named is None:
        return next((found for found in map(shutil.which, BROWSERS) if found), None)
    program = shutil.which(os.path.expanduser(named))
    if program is None:
        raise InvalidInput(f"browser: {named} is no program that can be run. Nothing was done.")
    return program


def _problem_in(shots: list[Shot]) -> HostingError | None:
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


class _Photographer:
    """A browser, and how the task wants pages to be shown."""

    def __init__(self, context: Context, api: Any, program: str | None) -> None:
        self._context, self._api, self._program = context, api, program
        self._driver: Any = None
        self._browser: Any = None
        self._milliseconds = 1000 * context["timeout"]
        hidden = ", ".join(context["hide"])
        self._style = STILL + (f" {hidden} {{ display: none !important; }}" if hidden else "")

    def __enter__(self) -> _Photographer:
        self._driver = self._api.sync_playwright().start()
        try:
            self._start()
            self._require_selectors()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        try:
            if self._browser:
                self._browser.close()
        except self._api.Error:
            pass  # it has gone already
        finally:
            self._driver.stop()

    def _start(self) -> None:
        chromium = self._driver.chromium
        if self._program is None and not os.path.exists(chromium.executable_path):
            raise MissingLibrary(
                "Taking pictures needs Chromium, and none is installed here. Install it, such as with apt-get install"
                " chromium (Debian) or dnf install chromium (Fedora), or name its program in the option browser or in"
                " the environment variable CHROMIUM. Nothing was done.",
                nothing_done=True,
            )
        sandbox = self._context["sandbox"]
        try:
            self._browser = chromium.launch(
                executable_path=self._program,
                chromium_sandbox=os.geteuid() != 0 if sandbox is None else sandbox,
                args=FLAGS,
                timeout=max(self._milliseconds, 30_000),
            )
        except self._api.Error as error:
            raise MissingLibrary(
                f"The browser {self._program or chromium.executable_path} does not start: {shown_text(str(error))}."
                " Where a container does not allow Chromium's sandbox, set sandbox: false. Nothing was done.",
                nothing_done=True,
            ) from None

    def _require_selectors(self) -> None:
        page = self._browser.new_page()
        for option in ("hide", "mask"):
            wrong = page.evaluate(IS_SELECTOR, self._context[option])
            if wrong:
                raise InvalidInput(f"{option} has {wrong[0]!r}, which is no CSS selector. No page was requested.")
        page.close()

    def shots(self) -> Iterator[Shot]:
        """Yield what each address looks like at each width."""
        urls = self._context["pages"]
        for number, (url, page) in enumerate(zip(urls, pages_of(urls), strict=True), 1):
            for width in self._context["widths"]:
                self._context.report(f"{shown_url(url)} at {width} px")
                shot = Shot(url, page, width, file_of(number, url, width))
                began = time.monotonic()
                self._take(shot)
                shot.seconds = round(time.monotonic() - began, 3)
                yield shot

    def _take(self, shot: Shot) -> None:
        """Take a picture, and a second one where unstable elements are looked for."""
        try:
            with self._opened(shot) as page:
                shot.content = self._photographed(shot, page)
                if self._context["settle"] and shot.problem is None:
                    again = Shot(shot.url, shot.page, shot.width, shot.file)
                    with self._opened(again) as second:
                        again.content = self._photographed(again, second)
                        shot.unstable = _unstable(shot, again, page, second)
        except self._api.Error as error:
            words = str(error)
            shot.is_of_site = not NO_ANSWER.search(words)
            answered = f"answered {shot.status}" if (shot.status or 0) >= 400 else None
            shot.problem = answered or f"cannot be shown: {self._words(words)}"

    def _words(self, text: str) -> str:
        return shown_text(text.partition("\n")[0], self._context["pages"])

    @contextmanager
    def _opened(self, shot: Shot) -> Iterator[Any]:
        """Load the page in a profile of its own, all of it, and hide what is to be hidden."""
        options = self._context
        profile = self._browser.new_context(
            viewport={"width": shot.width, "height": WINDOW_HEIGHT},
            device_scale_factor=1,
            locale=options["locale"],
            timezone_id=options["timezone"],
            color_scheme="light",
            reduced_motion="reduce",
            service_workers="block",
            accept_downloads=False,
            ignore_https_errors=not options["validate_site_certs"],
            **self._login(shot.url),
        )
        try:
            profile.set_default_timeout(self._milliseconds)
            page = profile.new_page()
            if options["clock"]:
                page.clock.set_fixed_time(options["clock"])
            watch = _Watch(page, shot, self._words)
            page.goto(shot.url, wait_until="load")
            if shot.status is not None and shot.status >= 400:
                shot.problem = f"answered {shot.status}"
            page.evaluate(ADOPT, self._style)
            shot.unmatched = page.evaluate(COUNT, [*options["hide"], *options["mask"]])
            page.evaluate(VISIT, [MOST_HEIGHT, self._milliseconds])
            watch.wait_until_quiet()
            if options["pause"]:
                page.wait_for_timeout(1000 * options["pause"])
            yield page
        finally:
            profile.close()

    def _login(self, url: str) -> Mapping[str, Any]:
        """Return the login, for the site alone and for nobody whom it calls."""
        if not self._context["url_username"]:
            return {}
        parts = urlsplit(url)
        return {
            "http_credentials": {
                "username": self._context["url_username"],
                "password": self._context["url_password"],
                "origin": f"{parts.scheme}://{parts.netloc}",
            }
        }

    def _photographed(self, shot: Shot, page: Any) -> bytes:
        shot.height, width = page.evaluate(VISIT, [0, self._milliseconds])
        shot.is_cut = shot.height > MOST_HEIGHT
        clip = {"x": 0, "y": 0, "width": max(width, shot.width), "height": MOST_HEIGHT}
        shot.height = min(shot.height, MOST_HEIGHT)
        return page.screenshot(
            full_page=True,
            animations="disabled",
            caret="hide",
            scale="css",
            mask=[page.locator(selector) for selector in self._context["mask"]],
            mask_color=MASK,
            **({"clip": clip} if shot.is_cut else {}),
        )


class _Watch:
    """What a page asks for, and what it complains of."""

    def __init__(self, page: Any, shot: Shot, words: Callable[[str], str]) -> None:
        self._page, self._words = page, words
        self._open: set[Any] = set()
        page.on("request", self._begin)
        page.on("requestfinished", self._end)
        page.on("requestfailed", lambda request: self._fail(shot, request))
        page.on("response", lambda answer: self._see(shot, answer))
        page.on("console", lambda message: self._complain(shot, message))
        page.on("pageerror", lambda error: self._note(shot.console_errors, str(error)))

    def wait_until_quiet(self) -> None:
        """Wait for what the page has asked for, up to a few seconds."""
        end = time.monotonic() + LONGEST_QUIET
        while self._open and time.monotonic() < end:
            self._page.wait_for_timeout(20)

    def _begin(self, request: Any) -> None:
        if request.resource_type not in NEVER_DONE:
            self._open.add(request)

    def _end(self, request: Any) -> None:
        self._open.discard(request)

    def _fail(self, shot: Shot, request: Any) -> None:
        self._end(request)
        self._note(shot.failed_requests, f"{request.method} {shown_url(request.url)}: {request.failure}")

    def _see(self, shot: Shot, answer: Any) -> None:
        request = answer.request
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            shot.status = answer.status
        if answer.status >= 400:
            self._note(shot.failed_requests, f"{request.method} {shown_url(answer.url)}: {answer.status}")

    def _complain(self, shot: Shot, message: Any) -> None:
        # Of a request that has failed, failed_requests tells more.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self._note(shot.console_errors, message.text)

    def _note(self, notes: list[str], text: str) -> None:
        text = self._words(text)
        if text not in notes and len(notes) < MOST_MESSAGES:
            notes.append(text)


def _unstable(shot: Shot, again: Shot, page: Any, second: Any) -> list[dict[str, Any]]:
    """Return where two pictures of a page differ, and the selectors of the elements there, as both pages have them."""
    found = difference_of(shot.content, again.content).regions[:MOST_REGIONS]
    names = second.evaluate(NAME, [one.as_result() for one in found])
    known = {name for candidates in names for name in candidates}
    missing = set(page.evaluate(COUNT, sorted(known)))
    told: dict[str | None, list[Region]] = {}
    for region, candidates in zip(found, names, strict=True):
        selector = next((name for name in candidates if name not in missing), None)
        told.setdefault(selector, []).append(region)
    return [
        {"selector": selector, "regions": [region.as_result() for region in regions]}
        for selector, regions in told.items()
    ]
